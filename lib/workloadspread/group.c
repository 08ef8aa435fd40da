/* SPDX-License-Identifier: MIT */
/* Reads the version and the subset of pods from their own fields: rebalance-workloadspread(7) 4.1. */
#include "record/labels.h"
#include "workloadspread/pass.h"

/* ---- one pod ----------------------------------------------------------------------------------------------------- */

/* State for converting texts of pods to numbers. */
struct reader {
  struct rebali_spread_pass *pass;
  struct rebali_text_numbers names; /* names of subsets */
  uint32_t *subset_of;              /* by name */
  uint32_t selector;                /* LABEL_SELECTOR of the target filter; REBAL_NONE: all pods */
  uint32_t owner;                   /* the last owner; adjacent pods mostly have the same */
  int is_tracked;                   /* its kind has versions */
};

static int carries_annotation(const struct rebali_spread_pass *pass, uint32_t row) {
  return rebali_pods_i64(pass->pods, REBAL_SPREAD_POD_MATCHED_STATE, row) == REBAL_ANNOTATION_PRESENT &&
         rebali_text_equal(rebali_pods_text(pass->pods, REBAL_SPREAD_POD_MATCHED_SPREAD, row),
                           pass->spread->spec.name) &&
         rebali_pods_text(pass->pods, REBAL_SPREAD_POD_MATCHED_SUBSET, row).len != 0;
}

static void read_subset(struct reader *reader, struct rebali_grouped *member) {
  uint32_t name;

  if (!carries_annotation(reader->pass, member->row)) {
    return;
  }
  name = rebali_text_numbers_find(&reader->names,
                                  rebali_pods_text(reader->pass->pods, REBAL_SPREAD_POD_MATCHED_SUBSET, member->row));
  member->by = name == REBAL_NONE ? REBAL_GROUPED_BY_FORMER_SUBSET : REBAL_GROUPED_BY_ANNOTATION;
  member->subset = name == REBAL_NONE ? REBAL_NONE : reader->subset_of[name];
}

static int waits(const struct rebali_spread_pass *pass, uint32_t row) {
  return rebali_pods_i64(pass->pods, REBAL_SPREAD_POD_UNSCHEDULABLE, row) != 0 &&
         rebali_pods_i64(pass->pods, REBAL_SPREAD_POD_PHASE, row) == REBAL_POD_PHASE_PENDING &&
         rebali_pods_i64(pass->pods, REBAL_SPREAD_POD_NODE, row) == REBAL_ABSENT &&
         rebali_pods_i64(pass->pods, REBAL_SPREAD_POD_DELETING, row) == 0;
}

static int is_selected(const struct reader *reader, uint32_t row) {
  const struct rebali_spread_pass *pass = reader->pass;
  const uint32_t kind = rebali_store_kind(REBAL_OBJECT_LABELS);

  return reader->selector == REBAL_NONE ||
         rebali_label_selector_matches(
             pass->spread->spec.object, reader->selector,
             rebali_store_record(pass->pods->set.store, kind,
                                 (uint32_t)rebali_pods_i64(pass->pods, REBAL_SPREAD_POD_LABELS, row)));
}

static struct rebali_text version_of(struct reader *reader, uint32_t row) {
  const struct rebali_spread_pass *pass = reader->pass;
  const uint32_t owner = rebali_pod_owner(pass->pods, row);

  if (owner != reader->owner) {
    reader->owner = owner;
    reader->is_tracked =
        owner != REBAL_NONE &&
        rebali_kind_is_tracked(pass->opts.compat, rebali_pods_text(pass->pods, REBAL_OWNER_KIND, owner));
  }
  return reader->is_tracked ? rebali_version_of_label(pass->pods, row) : REBALI_VERSION_IGNORED;
}

/* Reads the cost in the annotation, if it has the format written by this library. */
static int64_t cost_of(const struct rebali_spread_pass *pass, uint32_t row) {
  const struct rebali_text text = rebali_pods_text(pass->pods, REBAL_SPREAD_POD_DELETION_COST, row);
  const size_t sign = text.len != 0 && text.bytes[0] == '-';
  int64_t cost;

  return text.len == sign || text.bytes[0] == '+' || (text.bytes[sign] == '0' && text.len != 1) ||
                 !rebali_integer_parse(text, &cost)
             ? REBAL_ABSENT
             : cost;
}

static int32_t read_pod(struct reader *reader, uint32_t row) {
  struct rebali_spread_pass *pass = reader->pass;
  struct rebali_grouped *member = &pass->members[pass->n];

  if (!rebali_pods_has(pass->pods, REBAL_TABLE_SPREAD_POD, row)) {
    return rebali_fail(pass->err, REBAL_ENOTFOUND, (int64_t)row, "there is no pod of this row");
  }
  if (!is_selected(reader, row)) {
    return REBAL_OK;
  }
  *member = (struct rebali_grouped){.score = REBAL_ABSENT,
                                    .cost = REBAL_ABSENT,
                                    .written = cost_of(pass, row),
                                    .row = row,
                                    .subset = REBAL_NONE,
                                    .place = REBAL_NONE,
                                    .is_active = (uint8_t)rebali_pod_is_active(pass->pods, row),
                                    .waits = (uint8_t)waits(pass, row)};
  if (rebali_text_numbers_add(&pass->versions, version_of(reader, row), &member->version) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  read_subset(reader, member);
  pass->n++;
  return REBAL_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static int32_t open_names(struct reader *reader) {
  const struct rebali_spread_pass *pass = reader->pass;
  uint32_t name;

  reader->names = rebali_text_numbers(pass->arena);
  reader->subset_of = rebali_arena_allocate(pass->arena, rebali_pass_subsets(pass), sizeof *reader->subset_of);
  for (uint32_t i = 0; reader->subset_of != NULL && i < rebali_pass_subsets(pass); i++) {
    const uint32_t known = reader->names.n;

    if (rebali_text_numbers_add(&reader->names, pass->spread->spec.subsets[i].name, &name) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    if (name == known) {
      reader->subset_of[name] = i;
    }
  }
  return reader->subset_of == NULL ? REBAL_ENOMEM : REBAL_OK;
}

/* Adds the versions of the status, which may be kept without pods. */
static int32_t add_known_versions(struct rebali_spread_pass *pass) {
  const struct rebali_spread_status *status = &pass->spread->status;
  uint32_t number;

  pass->versions = rebali_text_numbers(pass->arena);
  for (size_t i = 0; i < status->n_lists; i++) {
    if (status->lists[i].state == REBALI_LIST_THERE &&
        rebali_text_numbers_add(&pass->versions, status->lists[i].version, &number) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  return REBAL_OK;
}

static int compare_versions(const void *left, const void *right, const void *context) {
  const struct rebali_text *texts = context;

  return rebali_text_compare(texts[*(const uint32_t *)left], texts[*(const uint32_t *)right]);
}

/* Renumbers versions in the order of their bytes. */
static int32_t order_versions(struct rebali_spread_pass *pass) {
  const uint32_t n = pass->versions.n;
  uint32_t *sorted = rebali_arena_allocate(pass->arena, n, 2 * sizeof *sorted);
  struct rebali_text *texts = rebali_arena_allocate(pass->arena, n, sizeof *texts);
  uint32_t *number_of;

  pass->is_seen = rebali_arena_allocate_zero(pass->arena, n, sizeof *pass->is_seen);
  if (sorted == NULL || texts == NULL || pass->is_seen == NULL) {
    return REBAL_ENOMEM;
  }
  number_of = sorted + n;
  for (uint32_t i = 0; i < n; i++) {
    sorted[i] = i;
  }
  rebali_sort(sorted, n, sizeof *sorted, number_of, compare_versions, pass->versions.texts);
  for (uint32_t i = 0; i < n; i++) {
    number_of[sorted[i]] = i;
    texts[i] = pass->versions.texts[sorted[i]];
  }
  pass->versions.texts = texts;
  for (size_t i = 0; i < pass->n; i++) {
    pass->members[i].version = number_of[pass->members[i].version];
    pass->is_seen[pass->members[i].version] = 1;
  }
  return REBAL_OK;
}

static int32_t read_limits(struct rebali_spread_pass *pass) {
  const uint32_t n = rebali_pass_subsets(pass);

  pass->limits = rebali_arena_allocate(pass->arena, n, sizeof *pass->limits);
  if (pass->limits == NULL) {
    return REBAL_ENOMEM;
  }
  pass->n_readable = n;
  for (uint32_t i = 0; i < n; i++) {
    const struct rebali_limit *limit = &pass->spread->spec.subsets[i].maximum;

    pass->limits[i] = -1;
    if (limit->is_present && (!rebali_limit_scaled(limit, pass->replicas, &pass->limits[i]) || pass->limits[i] < 0)) {
      pass->limits[i] = REBAL_ABSENT;
      pass->n_readable = i < pass->n_readable ? i : pass->n_readable;
    }
  }
  return REBAL_OK;
}

static int32_t read_pods(struct reader *reader, const uint32_t *rows, size_t n) {
  const struct rebali_spread_pass *pass = reader->pass;
  uint32_t row = REBAL_NONE;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    row = rows == NULL ? rebali_pods_next(pass->pods, row) : rows[i];
    code = read_pod(reader, row);
  }
  return code;
}

uint32_t rebali_pass_selector(const struct rebali_spread_pass *pass) {
  const rebal_record *object = pass->spread->spec.object;
  const uint32_t spec = rebali_record_get(object, 0, REBAL_WORKLOAD_SPREAD_SPEC);

  return rebali_record_get(object, rebali_record_get(object, spec, REBAL_SPREAD_SPEC_TARGET_FILTER),
                           REBAL_TARGET_FILTER_SELECTOR);
}

int32_t rebali_pass_group(struct rebali_spread_pass *pass, const uint32_t *rows, size_t n) {
  struct reader reader = {.pass = pass, .selector = rebali_pass_selector(pass), .owner = REBAL_NONE};
  int32_t code;

  pass->members = rebali_arena_allocate(pass->arena, n, sizeof *pass->members);
  if (pass->members == NULL || open_names(&reader) != REBAL_OK || add_known_versions(pass) != REBAL_OK ||
      read_limits(pass) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  code = read_pods(&reader, rows, n);
  if (code != REBAL_OK) {
    return code;
  }
  return order_versions(pass) == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}

/* ---- buckets ----------------------------------------------------------------------------------------------------- */

/*
 * Moves members so that each bucket is contiguous: otherwise passes over many pods wait for memory, as adjacent members
 * of a bucket are as many places apart in the list as there are subsets.
 */
static void move_members(struct rebali_spread_pass *pass, size_t *first, struct rebali_grouped *moved) {
  for (size_t i = 0; i < pass->n; i++) {
    const struct rebali_grouped *member = &pass->members[i];
    const size_t bucket = rebali_pass_bucket(pass, member->version, member->subset);

    moved[first[bucket + 1]++] = *member;
    pass->tallies[bucket].active += member->is_active;
    if (member->subset != REBAL_NONE) {
      pass->totals[member->subset].active += member->is_active;
    }
  }
  pass->members = moved;
  pass->first = first;
}

int32_t rebali_pass_fill_buckets(struct rebali_spread_pass *pass) {
  const size_t n_buckets = rebali_pass_bucket(pass, pass->versions.n, 0);
  size_t *first = rebali_arena_allocate_zero(pass->arena, n_buckets + 2, sizeof *first);
  struct rebali_grouped *moved = rebali_arena_allocate(pass->arena, pass->n, sizeof *moved);

  pass->tallies = rebali_arena_allocate_zero(pass->arena, n_buckets, sizeof *pass->tallies);
  pass->totals = rebali_arena_allocate_zero(pass->arena, rebali_pass_subsets(pass), sizeof *pass->totals);
  if (first == NULL || moved == NULL || pass->tallies == NULL || pass->totals == NULL) {
    return rebali_fail_memory(pass->err);
  }
  /* Each bucket is counted two places further on, so that filling moves its start to the right place. */
  for (size_t i = 0; i < pass->n; i++) {
    first[rebali_pass_bucket(pass, pass->members[i].version, pass->members[i].subset) + 2]++;
  }
  for (size_t i = 0; i < n_buckets; i++) {
    first[i + 2] += first[i + 1];
  }
  move_members(pass, first, moved);
  return REBAL_OK;
}
