/* SPDX-License-Identifier: MIT */
/* Lists all single changes to try for a binding. */
#include "plan/whatif/counterfactual.h"

struct listing {
  struct rebali_trial *trial;
  const rebal_allocator *allocator;
  struct rebali_counterfactuals *out;
  const uint32_t *clusters; /* by name */
  uint32_t n_clusters;
};

static int is_wanted(const struct listing *listing, uint32_t kind) {
  const uint32_t kinds = listing->trial->opts.kinds;

  return kinds == 0 || (kinds >> kind & 1) != 0;
}

static int32_t add(struct listing *listing, const struct rebali_counterfactual *change) {
  struct rebali_counterfactuals *out = listing->out;

  if (rebali_reserve(listing->allocator, &out->list, &out->capacity, out->n + 1, sizeof *out->list) != REBAL_OK) {
    return rebali_fail_memory(listing->trial->question.err);
  }
  out->list[out->n++] = *change;
  return REBAL_OK;
}

/* Joins both texts with a sign between them. The sign is left out if the second text is empty and is_always is 0. */
static struct rebali_text join(struct rebali_arena *arena, struct rebali_text first, char sign,
                               struct rebali_text second, int is_always) {
  const size_t signs = second.len > 0 || is_always;
  char *bytes = rebali_arena_allocate(arena, first.len + signs + second.len, 1);

  if (bytes == NULL) {
    return rebali_text(NULL, 0);
  }
  memcpy(bytes, first.bytes, first.len);
  if (signs > 0) {
    bytes[first.len] = sign;
  }
  if (second.len > 0) {
    memcpy(bytes + first.len + signs, second.bytes, second.len);
  }
  return rebali_text(bytes, first.len + signs + second.len);
}

/* ---- taints ------------------------------------------------------------------------------------------------------ */

static int compare_names(const void *left, const void *right, const void *context) {
  (void)context;
  return rebali_text_compare(((const struct rebali_counterfactual *)left)->name,
                             ((const struct rebali_counterfactual *)right)->name);
}

static int32_t list_taints_of(struct listing *listing, uint32_t kind, uint32_t cluster) {
  struct rebali_trial *trial = listing->trial;
  const rebal_record *taints = rebali_snapshot_cell_record(trial->snapshot, REBAL_CLUSTER_TAINTS, cluster);
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;

  while (code == REBAL_OK && taints != NULL &&
         (node = rebali_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(taints, node);
    struct rebali_counterfactual change = {.kind = kind, .cluster = cluster, .node = node, .before = REBAL_ABSENT};

    if (!rebali_text_equal(taint.effect, REBALI_TEXT("NoSchedule")) &&
        !rebali_text_equal(taint.effect, REBALI_TEXT("NoExecute"))) {
      continue;
    }
    change.after = REBAL_ABSENT;
    change.name = join(&trial->arena, taint.key, '=', taint.value, 0);
    if (change.name.bytes != NULL) {
      change.name = join(&trial->arena, change.name, ':', taint.effect, 1);
    }
    code = change.name.bytes == NULL ? rebali_fail_memory(trial->question.err) : add(listing, &change);
  }
  return code;
}

static int32_t list_taints(struct listing *listing) {
  int32_t code = REBAL_OK;

  for (uint32_t i = 0; i < listing->n_clusters && code == REBAL_OK && is_wanted(listing, REBAL_SINGLE_CHANGE_TAINT);
       i++) {
    code = list_taints_of(listing, REBAL_SINGLE_CHANGE_TAINT, listing->clusters[i]);
  }
  return code;
}

/* Lists each taint once, for the first cluster that has it. */
static int32_t list_tolerations(struct listing *listing) {
  struct rebali_counterfactuals *out = listing->out;
  const size_t first = out->n;
  struct rebali_counterfactual *scratch;
  size_t n = first;
  int32_t code = REBAL_OK;

  for (uint32_t i = 0; i < listing->n_clusters && code == REBAL_OK; i++) {
    code = list_taints_of(listing, REBAL_SINGLE_CHANGE_TOLERATION, listing->clusters[i]);
  }
  if (code != REBAL_OK || out->n == first) {
    return code;
  }
  scratch = rebali_arena_allocate(&listing->trial->arena, out->n - first, sizeof *scratch);
  if (scratch == NULL) {
    return rebali_fail_memory(listing->trial->question.err);
  }
  rebali_sort(out->list + first, out->n - first, sizeof *scratch, scratch, compare_names, NULL);
  for (size_t i = first; i < out->n; i++) {
    if (i == first || compare_names(&out->list[i - 1], &out->list[i], NULL) != 0) {
      out->list[n++] = out->list[i];
    }
  }
  out->n = n;
  return REBAL_OK;
}

/* ---- the placement ----------------------------------------------------------------------------------------------- */

/* Adds a smaller and a greater bound. */
static int32_t add_bound(struct listing *listing, uint32_t kind, uint32_t node, uint32_t field) {
  const rebal_record *placement = listing->trial->placement;
  struct rebali_counterfactual change = {.kind = kind, .cluster = REBAL_NONE, .node = node, .step = -1};
  int32_t code;

  change.name = rebali_record_field_text(placement, node, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD);
  change.before = rebal_record_i64(placement, rebali_record_get(placement, node, field));
  if (!is_wanted(listing, kind) || (kind == REBAL_SINGLE_CHANGE_MAX_GROUPS && change.before <= 0)) {
    return REBAL_OK;
  }
  code = add(listing, &change);
  change.step = 1;
  return code == REBAL_OK ? add(listing, &change) : code;
}

static int32_t list_bounds(struct listing *listing) {
  const rebal_record *placement = listing->trial->placement;
  uint32_t node = REBAL_NONE;
  int32_t code = REBAL_OK;

  while (code == REBAL_OK &&
         (node = rebali_record_next(placement, 0, REBAL_PLACEMENT_SPREAD_CONSTRAINTS, node)) != REBAL_NONE) {
    code = add_bound(listing, REBAL_SINGLE_CHANGE_MIN_GROUPS, node, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS);
    code = code == REBAL_OK
               ? add_bound(listing, REBAL_SINGLE_CHANGE_MAX_GROUPS, node, REBAL_SPREAD_CONSTRAINT_MAX_GROUPS)
               : code;
  }
  return code;
}

/* Reads the current weights of clusters without deciding anything. */
static int32_t read_weights(struct rebali_pass *pass, void *user_data) {
  struct listing *listing = user_data;
  int32_t code = REBAL_OK;

  rebali_buffer_init(&pass->message, rebali_ctx_allocator(pass->ctx));
  for (uint32_t i = 0; i < listing->n_clusters && code == REBAL_OK; i++) {
    struct rebali_counterfactual change = {.kind = REBAL_SINGLE_CHANGE_WEIGHT, .cluster = listing->clusters[i]};

    change.name = REBALI_TEXT("");
    change.before = rebali_static_weight(pass->placement, pass->snapshot, change.cluster);
    code = add(listing, &change);
  }
  return code;
}

static int32_t list_weights(struct listing *listing) {
  const rebal_record *placement = listing->trial->placement;
  const struct rebali_decision_request request = {.decide = read_weights};
  const uint32_t scheduling = rebali_record_get(placement, 0, REBAL_PLACEMENT_REPLICA_SCHEDULING);
  const uint32_t weights = rebali_record_get(placement, scheduling, REBAL_REPLICA_SCHEDULING_WEIGHT_PREFERENCE);

  if (rebali_record_get(placement, weights, REBAL_WEIGHT_PREFERENCE_STATIC_WEIGHTS) == REBAL_NONE ||
      rebali_record_field_text(placement, weights, REBAL_WEIGHT_PREFERENCE_DYNAMIC_WEIGHT).len > 0) {
    return REBAL_OK;
  }
  return rebali_question_run(&listing->trial->question, listing->trial->row, &request, NULL, listing);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static uint32_t find_label(const rebal_record *labels, struct rebali_text key) {
  uint32_t node = REBAL_NONE;

  while (labels != NULL && (node = rebali_record_next(labels, 0, REBAL_LABELS_LABEL, node)) != REBAL_NONE) {
    if (rebali_text_equal(rebali_record_field_text(labels, node, REBAL_PAIR_KEY), key)) {
      return node;
    }
  }
  return REBAL_NONE;
}

static int32_t add_label(struct listing *listing, uint32_t cluster, const struct rebali_wish *wish, int is_removed) {
  struct rebali_arena *arena = &listing->trial->arena;
  struct rebali_counterfactual change = {.kind = REBAL_SINGLE_CHANGE_LABEL, .cluster = cluster, .before = REBAL_ABSENT};

  change.after = REBAL_ABSENT;
  change.key = wish->key;
  change.value = wish->value;
  change.is_removed = is_removed;
  change.name =
      is_removed ? join(arena, wish->key, '-', REBALI_TEXT(""), 1) : join(arena, wish->key, '=', wish->value, 1);
  return change.name.bytes == NULL ? rebali_fail_memory(listing->trial->question.err) : add(listing, &change);
}

static int32_t list_labels_of(struct listing *listing, uint32_t cluster, const struct rebali_wish *wishes, size_t n) {
  const rebal_record *labels = rebali_snapshot_cell_record(listing->trial->snapshot, REBAL_CLUSTER_LABELS, cluster);
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    const uint32_t node = find_label(labels, wishes[i].key);
    const struct rebali_text value = rebali_record_field_text(labels, node, REBAL_PAIR_VALUE);
    const int is_first = i == 0 || !rebali_text_equal(wishes[i - 1].key, wishes[i].key);

    if (node == REBAL_NONE || (wishes[i].has_value && !rebali_text_equal(value, wishes[i].value))) {
      code = add_label(listing, cluster, &wishes[i], 0);
    }
    if (code == REBAL_OK && node != REBAL_NONE && is_first) {
      code = add_label(listing, cluster, &wishes[i], 1);
    }
  }
  return code;
}

static int32_t list_labels(struct listing *listing) {
  struct rebali_wish *wishes;
  size_t n;
  int32_t code = REBAL_OK;

  if (rebali_wishes_list(&listing->trial->arena, listing->trial->placement, &wishes, &n) != REBAL_OK) {
    return rebali_fail_memory(listing->trial->question.err);
  }
  for (uint32_t i = 0; i < listing->n_clusters && code == REBAL_OK; i++) {
    code = list_labels_of(listing, listing->clusters[i], wishes, n);
  }
  return code;
}

/* ---- capacity ---------------------------------------------------------------------------------------------------- */

static int32_t list_amounts_of(struct listing *listing, uint32_t cluster, const struct rebali_price_of *price) {
  const rebal_snapshot *snapshot = listing->trial->snapshot;
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < price->n && code == REBAL_OK; i++) {
    struct rebali_counterfactual change = {
        .kind = REBAL_SINGLE_CHANGE_CAPACITY, .cluster = cluster, .unit = price->takes[i].amount};
    rebal_quantity amount;

    change.resource = price->takes[i].resource;
    change.name = rebali_snapshot_resource_name(snapshot, change.resource);
    if (!rebali_snapshot_capacity(snapshot, REBAL_CAPACITY_ALLOCATABLE, cluster, change.resource, &amount)) {
      change.before = REBAL_ABSENT;
    } else {
      change.before = rebali_text_equal(change.name, REBALI_TEXT("cpu")) ? rebali_quantity_milli(&amount)
                                                                         : rebali_quantity_value(&amount);
    }
    code = change.unit > 0 ? add(listing, &change) : REBAL_OK;
  }
  return code;
}

static int32_t list_amounts(struct listing *listing) {
  struct rebali_trial *trial = listing->trial;
  struct rebali_use use = {.arena = &trial->arena, .snapshot = trial->snapshot, .bindings = trial->bindings};
  const struct rebali_price_of *price;
  size_t n_components;
  int32_t code = REBAL_OK;

  (void)rebali_bindings_children(trial->bindings, REBAL_TABLE_COMPONENT, trial->row, &n_components);
  use.compat = trial->question.opts.compat;
  rebali_use_resources(&use);
  price = rebali_use_price(&use, trial->row, n_components > 0);
  if (price == NULL) {
    return rebali_fail_memory(trial->question.err);
  }
  for (uint32_t i = 0; i < listing->n_clusters && code == REBAL_OK; i++) {
    if (rebali_snapshot_i64(trial->snapshot, REBAL_CLUSTER_HAS_SUMMARY, listing->clusters[i]) != 0) {
      code = list_amounts_of(listing, listing->clusters[i], price);
    }
  }
  return code;
}

int32_t rebali_counterfactuals_list(struct rebali_trial *trial, const rebal_allocator *allocator,
                                    struct rebali_counterfactuals *out) {
  struct listing listing = {.trial = trial, .allocator = allocator, .out = out};
  int32_t code = REBAL_OK;

  listing.clusters = rebali_snapshot_by_name(trial->snapshot, &listing.n_clusters);
  if (trial->placement == NULL) {
    return REBAL_OK;
  }
  if (is_wanted(&listing, REBAL_SINGLE_CHANGE_TOLERATION)) {
    code = list_tolerations(&listing);
  }
  code = code == REBAL_OK ? list_bounds(&listing) : code;
  code = code == REBAL_OK && is_wanted(&listing, REBAL_SINGLE_CHANGE_WEIGHT) ? list_weights(&listing) : code;
  code = code == REBAL_OK && is_wanted(&listing, REBAL_SINGLE_CHANGE_LABEL) ? list_labels(&listing) : code;
  code = code == REBAL_OK ? list_taints(&listing) : code;
  return code == REBAL_OK && is_wanted(&listing, REBAL_SINGLE_CHANGE_CAPACITY) ? list_amounts(&listing) : code;
}
