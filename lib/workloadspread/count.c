/* SPDX-License-Identifier: MIT */
/* Counts pods of each subset and missing replicas: rebalance-workloadspread(7) 4.3. */
#include "workloadspread/pass.h"

#define CREATION_EXPIRY 30 /* seconds */
#define DELETION_EXPIRY 15

/* State of counting one list of the status. */
struct count {
  struct rebali_spread_pass *pass;
  uint32_t list;                           /* number of the old list, or REBALI_OVERALL */
  uint32_t version;                        /* REBAL_NONE: all */
  const struct rebali_status_list *old;    /* NULL: none */
  const struct rebali_entry_status **olds; /* by first subset of a name */
  struct rebali_new_entry *entries;
  uint8_t *is_found; /* by flight: its pod exists */
};
/* One entry with pods in flight. */
struct in_flight {
  struct count *count;
  const struct rebali_entry_status *old;
  uint32_t entry; /* its index in the old list */
  int64_t limit;
  int64_t missing;
  uint32_t *flights[2]; /* those that are kept */
  size_t n[2];
};

/* ---- one flight -------------------------------------------------------------------------------------------------- */

static const struct rebali_flight *flight_of(const struct count *count, uint32_t flight) {
  return &count->pass->spread->status.flights[flight];
}

static int32_t report_expired(struct rebali_spread_pass *pass, int is_deletion, struct rebali_text name) {
  const struct rebali_text parts[] = {REBALI_TEXT("Pod "), pass->spread->spec.namespace_, REBALI_TEXT("/"), name,
                                      is_deletion ? REBALI_TEXT(" was expected to be deleted but it wasn't")
                                                  : REBALI_TEXT(" was expected to be created but it wasn't")};

  return rebali_pass_event(pass, 1, is_deletion ? REBALI_TEXT("DeletePodFailed") : REBALI_TEXT("CreatePodFailed"),
                           parts, REBALI_COUNT(parts));
}

/*
 * Ends the creation of a pod that exists, identified by the id in its annotation or by its name. An annotation written
 * by an adoption has no id, whatever the previous one had.
 */
static void find_created(struct in_flight *in_flight, const struct rebali_grouped *member) {
  const struct count *count = in_flight->count;
  const rebal_pods *pods = count->pass->pods;
  struct rebali_text key = REBALI_TEXT("");
  uint32_t flight;

  if (in_flight->old->n_flights[REBALI_CREATING] == 0) {
    return;
  }
  if (member->by == REBAL_GROUPED_BY_ANNOTATION) {
    key = rebali_pods_text(pods, REBAL_SPREAD_POD_MATCHED_ID, member->row);
  }
  key = key.len != 0 ? key : rebali_pods_text(pods, REBAL_SPREAD_POD_NAME, member->row);
  flight = rebali_flight_of(&count->pass->spread->status, count->list, in_flight->entry, REBALI_CREATING, key);
  if (flight != REBAL_NONE) {
    count->is_found[flight] = 1;
  }
}

/* Checks whether the active pod should have been deleted. */
static int32_t find_deleting(struct in_flight *in_flight, uint32_t row) {
  struct rebali_spread_pass *pass = in_flight->count->pass;
  const struct rebali_text name = rebali_pods_text(pass->pods, REBAL_SPREAD_POD_NAME, row);
  uint32_t flight = REBAL_NONE;
  int64_t left;

  if (in_flight->old->n_flights[REBALI_DELETING] != 0) {
    flight = rebali_flight_of(&pass->spread->status, in_flight->count->list, in_flight->entry, REBALI_DELETING, name);
  }
  if (flight == REBAL_NONE) {
    return REBAL_OK;
  }
  left = rebali_time_left_ns(&pass->now, &flight_of(in_flight->count, flight)->since, DELETION_EXPIRY);
  if (left < 0) {
    return report_expired(pass, 1, name);
  }
  /* Pods of the same name share a flight, which is kept once. */
  if (!in_flight->count->is_found[flight]) {
    in_flight->count->is_found[flight] = 1;
    in_flight->flights[REBALI_DELETING][in_flight->n[REBALI_DELETING]++] = flight;
  }
  in_flight->missing += in_flight->missing >= 0 && in_flight->missing < in_flight->limit;
  rebali_pass_timer(pass, left);
  return REBAL_OK;
}

static int compare_keys(const void *left, const void *right, const void *context) {
  const struct count *count = context;

  return rebali_text_compare(flight_of(count, *(const uint32_t *)left)->key,
                             flight_of(count, *(const uint32_t *)right)->key);
}

/* Finds flights whose pods do not exist yet, sorted by key. */
static int32_t find_unseen(struct in_flight *in_flight) {
  const struct count *count = in_flight->count;
  uint32_t *flights = in_flight->flights[REBALI_CREATING];
  uint32_t flight = in_flight->old->first_flight[REBALI_CREATING];
  size_t n = 0;
  uint32_t *scratch;

  for (; flight != REBAL_NONE; flight = flight_of(count, flight)->next_of_entry) {
    if (!count->is_found[flight]) {
      flights[n++] = flight;
    }
  }
  scratch = rebali_arena_allocate(count->pass->arena, n, sizeof *scratch);
  if (scratch == NULL) {
    return REBAL_ENOMEM;
  }
  rebali_sort(flights, n, sizeof *flights, scratch, compare_keys, count);
  in_flight->n[REBALI_CREATING] = n;
  return REBAL_OK;
}

static int32_t count_creating(struct in_flight *in_flight) {
  struct rebali_spread_pass *pass = in_flight->count->pass;
  uint32_t *flights = in_flight->flights[REBALI_CREATING];
  size_t kept = 0;

  if (find_unseen(in_flight) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < in_flight->n[REBALI_CREATING]; i++) {
    const struct rebali_flight *flight = flight_of(in_flight->count, flights[i]);
    const int64_t left = rebali_time_left_ns(&pass->now, &flight->since, CREATION_EXPIRY);

    if (left >= 0) {
      flights[kept++] = flights[i];
      in_flight->missing -= in_flight->missing > 0;
      rebali_pass_timer(pass, left);
    } else if (report_expired(pass, 0, flight->key) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  in_flight->n[REBALI_CREATING] = kept;
  return REBAL_OK;
}

/* ---- one entry --------------------------------------------------------------------------------------------------- */

static int32_t count_bucket(struct in_flight *in_flight, uint32_t version, uint32_t subset) {
  const struct rebali_spread_pass *pass = in_flight->count->pass;
  const size_t bucket = rebali_pass_bucket(pass, version, subset);
  int32_t code = REBAL_OK;

  for (size_t i = pass->first[bucket]; i < pass->first[bucket + 1] && code == REBAL_OK; i++) {
    const struct rebali_grouped *member = &pass->members[i];

    find_created(in_flight, member);
    if (member->is_active) {
      in_flight->missing -= in_flight->missing > 0;
      code = find_deleting(in_flight, member->row);
    }
  }
  return code;
}

/* The order of pods matters: the next pod may take what a deletion frees. */
static int32_t count_in_flight(struct count *count, uint32_t subset, int64_t limit, int64_t missing,
                               struct rebali_new_entry *entry) {
  struct rebali_spread_pass *pass = count->pass;
  struct in_flight in_flight = {count,        entry->old, (uint32_t)(entry->old - count->old->entries), limit, missing,
                                {NULL, NULL}, {0, 0}};
  const uint32_t first = count->version == REBAL_NONE ? 0 : count->version;
  const uint32_t end = count->version == REBAL_NONE ? pass->versions.n : first + 1;

  for (uint32_t kind = 0; kind < 2; kind++) {
    in_flight.flights[kind] = rebali_arena_allocate(pass->arena, entry->old->n_flights[kind], sizeof(uint32_t));
    if (in_flight.flights[kind] == NULL) {
      return REBAL_ENOMEM;
    }
  }
  for (uint32_t version = first; version < end; version++) {
    if (count_bucket(&in_flight, version, subset) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  if (count_creating(&in_flight) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (uint32_t kind = 0; kind < 2; kind++) {
    entry->flights[kind] = in_flight.flights[kind];
    entry->n_flights[kind] = in_flight.n[kind];
  }
  entry->missing = rebali_low_int32(in_flight.missing);
  return REBAL_OK;
}

/* Returns the capacity that other versions leave: option SPREAD_ALL_VERSIONS. */
static int64_t shared_capacity(const struct count *count, uint32_t bucket, int64_t limit, size_t own) {
  const struct rebali_spread_pass *pass = count->pass;
  const size_t others = pass->totals[bucket].active - own;

  if (limit < 0 || count->version == REBAL_NONE || !rebali_pass_option(pass, REBAL_OPTION_SPREAD_ALL_VERSIONS)) {
    return limit;
  }
  return others < (uint64_t)limit ? limit - (int64_t)others : 0;
}

static int32_t count_entry(struct count *count, uint32_t subset) {
  struct rebali_spread_pass *pass = count->pass;
  const uint32_t bucket = pass->spread->spec.subsets[subset].bucket;
  const struct rebali_tally *tally = count->version == REBAL_NONE
                                         ? &pass->totals[bucket]
                                         : &pass->tallies[rebali_pass_bucket(pass, count->version, bucket)];
  const int64_t capacity = shared_capacity(count, bucket, pass->limits[subset], tally->active);
  struct rebali_new_entry *entry = &count->entries[subset];

  *entry = (struct rebali_new_entry){
      .old = count->olds[bucket],
      .active = rebali_low_int32((int64_t)tally->active),
      .missing = rebali_low_int32(capacity < 0                        ? -1
                                  : capacity > (int64_t)tally->active ? capacity - (int64_t)tally->active
                                                                      : 0),
      .stuck = subset + 1 == rebali_pass_subsets(pass) ? 0 : tally->stuck};
  if (entry->old != NULL && entry->old->n_flights[REBALI_CREATING] + entry->old->n_flights[REBALI_DELETING] != 0 &&
      count_in_flight(count, bucket, pass->limits[subset], capacity, entry) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_pass_condition(pass, subset, entry);
}

/* ---- one list ---------------------------------------------------------------------------------------------------- */

static void find_olds(struct count *count) {
  const size_t n = rebali_pass_subsets(count->pass);

  memset(count->olds, 0, n * sizeof(count->olds[0]));
  for (size_t i = 0; count->old != NULL && i < count->old->n; i++) {
    const uint32_t subset = count->old->entries[i].subset;

    if (subset != REBAL_NONE && count->olds[subset] == NULL) {
      count->olds[subset] = &count->old->entries[i];
    }
  }
}

/* version REBAL_NONE: counts the overall list. */
static int32_t count_list(struct count *count, uint32_t version, struct rebali_new_list *out) {
  struct rebali_spread_pass *pass = count->pass;
  struct rebali_spread_status *status = &pass->spread->status;
  const uint32_t n = rebali_pass_subsets(pass);

  *out = (struct rebali_new_list){.number = version};
  count->version = version;
  if (version == REBAL_NONE) {
    count->list = REBALI_OVERALL;
    out->old = &status->overall;
  } else {
    out->version = pass->versions.texts[version];
    count->list = rebali_status_find(status, out->version);
    out->old = count->list == REBAL_NONE ? NULL : rebali_status_list(status, count->list);
  }
  count->old = out->old;
  count->entries = rebali_arena_allocate(pass->arena, n, sizeof *count->entries);
  if (count->entries == NULL) {
    return REBAL_ENOMEM;
  }
  find_olds(count);
  for (uint32_t i = 0; i < pass->n_readable; i++) {
    if (count_entry(count, i) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  out->entries = pass->n_readable == n ? count->entries : NULL;
  return REBAL_OK;
}

/* Returns whether a version is kept: one without pods is kept as long as it has pods in flight. */
static int is_kept(const struct rebali_spread_pass *pass, const struct rebali_new_list *list) {
  if (pass->is_seen[list->number]) {
    return 1;
  }
  for (uint32_t i = 0; list->entries != NULL && i < rebali_pass_subsets(pass); i++) {
    if (list->entries[i].n_flights[0] + list->entries[i].n_flights[1] != 0) {
      return 1;
    }
  }
  return 0;
}

int32_t rebali_pass_count(struct rebali_spread_pass *pass) {
  struct count count = {.pass = pass};
  int32_t code;

  count.olds = rebali_arena_allocate(pass->arena, rebali_pass_subsets(pass), sizeof *count.olds);
  pass->lists = rebali_arena_allocate(pass->arena, pass->versions.n, sizeof *pass->lists);
  count.is_found = rebali_arena_allocate_zero(pass->arena, pass->spread->status.n_flights, sizeof *count.is_found);
  if (count.olds == NULL || pass->lists == NULL || count.is_found == NULL) {
    return rebali_fail_memory(pass->err);
  }
  rebali_pass_find_stuck(pass);
  code = count_list(&count, REBAL_NONE, &pass->overall);
  for (uint32_t version = 0; version < pass->versions.n && code == REBAL_OK; version++) {
    struct rebali_new_list *list = &pass->lists[pass->n_lists];

    code = count_list(&count, version, list);
    pass->n_lists += code == REBAL_OK && is_kept(pass, list);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(pass->err);
}
