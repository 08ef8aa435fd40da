/* SPDX-License-Identifier: MIT */
/* Compares the new status of a pass with the old one, and builds its record. */
#include "workloadspread/pass.h"

/* ---- what differs ------------------------------------------------------------------------------------------------ */

static size_t conditions_of(const struct rebali_spread_pass *pass, const struct rebali_entry_status *entry) {
  return entry->node == REBAL_NONE
             ? 0
             : rebali_record_count(pass->spread->status.record, entry->node, REBAL_SUBSET_STATUS_CONDITIONS);
}

/* The old entry of the new one has the name of its subset, as the status was read with this spec. */
static int entry_differs(const struct rebali_spread_pass *pass, const struct rebali_entry_status *old,
                         const struct rebali_new_entry *entry) {
  const int has_condition = entry->condition != REBALI_CONDITION_NONE;

  return old != entry->old || old->replicas != entry->active || old->missing != entry->missing ||
         old->n_flights[0] != entry->n_flights[0] || old->n_flights[1] != entry->n_flights[1] ||
         conditions_of(pass, old) != (size_t)has_condition ||
         (has_condition && entry->condition != REBALI_CONDITION_OLD);
}

static int list_differs(const struct rebali_spread_pass *pass, const struct rebali_new_list *list) {
  const uint32_t n = rebali_pass_subsets(pass);
  const size_t n_old = list->old == NULL || list->old->state != REBALI_LIST_THERE ? 0 : list->old->n;

  if (list->entries == NULL || n_old != n) {
    return n_old != (list->entries == NULL ? 0 : n);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (entry_differs(pass, &list->old->entries[i], &list->entries[i])) {
      return 1;
    }
  }
  return 0;
}

static const struct rebali_new_list *find_list(const struct rebali_spread_pass *pass, struct rebali_text version) {
  size_t low = 0;
  size_t high = pass->n_lists;

  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = rebali_text_compare(pass->lists[middle].version, version);

    if (order == 0) {
      return &pass->lists[middle];
    }
    low = order < 0 ? middle + 1 : low;
    high = order < 0 ? high : middle;
  }
  return NULL;
}

/* Returns whether the status has the version and will lose it. A list without entries does not count. */
static int goes(const struct rebali_spread_pass *pass, const struct rebali_status_list *old) {
  const struct rebali_new_list *list = find_list(pass, old->version);

  return (old->state == REBALI_LIST_THERE || old->state == REBALI_LIST_EMPTIED) &&
         (list == NULL || list->entries == NULL);
}

static int64_t generation_of(const struct rebali_spread_pass *pass) {
  const rebal_record *object = pass->spread->spec.object;
  const uint32_t metadata = rebali_record_get(object, 0, REBAL_WORKLOAD_SPREAD_METADATA);

  return rebal_record_i64(object, rebali_record_get(object, metadata, REBAL_METADATA_GENERATION));
}

int rebali_pass_differs(const struct rebali_spread_pass *pass) {
  const struct rebali_spread_status *status = &pass->spread->status;
  const int64_t observed = rebal_record_i64(
      status->record, rebali_record_get(status->record, status->node, REBAL_SPREAD_STATUS_OBSERVED_GENERATION));

  if (observed != generation_of(pass) || list_differs(pass, &pass->overall)) {
    return 1;
  }
  for (size_t i = 0; i < pass->n_lists; i++) {
    if (list_differs(pass, &pass->lists[i])) {
      return 1;
    }
  }
  for (size_t i = 0; i < status->n_lists; i++) {
    if (goes(pass, &status->lists[i])) {
      return 1;
    }
  }
  return 0;
}

/*
 * ---- the record; the builder keeps failures ------------------------------------------------------------------------
 */

static void put_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL);
}

static void put_condition(const struct rebali_spread_pass *pass, const struct rebali_new_entry *entry,
                          rebal_builder *builder) {
  const rebal_record *record = pass->spread->status.record;
  const uint32_t old = rebali_schedulable(pass, entry->old);
  rebal_time since = rebali_time_whole(&pass->now);
  int is_true = entry->condition == REBALI_CONDITION_TRUE;

  if (entry->condition == REBALI_CONDITION_OLD) {
    (void)rebal_builder_copy(builder, REBAL_SUBSET_STATUS_CONDITIONS, record, old, NULL);
    return;
  }
  if (entry->condition == REBALI_CONDITION_OLD_REASON) {
    rebal_record_time(record, rebali_record_get(record, old, REBAL_CONDITION_LAST_TRANSITION_TIME), &since);
    is_true = rebali_text_equal(rebali_record_field_text(record, old, REBAL_CONDITION_STATUS), REBALI_TEXT("True"));
  }
  (void)rebal_builder_begin(builder, REBAL_SUBSET_STATUS_CONDITIONS, NULL);
  put_text(builder, REBAL_CONDITION_TYPE, REBALI_TEXT("Schedulable"));
  put_text(builder, REBAL_CONDITION_STATUS, is_true ? REBALI_TEXT("True") : REBALI_TEXT("False"));
  (void)rebal_builder_time(builder, REBAL_CONDITION_LAST_TRANSITION_TIME, &since, NULL);
  put_text(builder, REBAL_CONDITION_REASON, is_true ? REBALI_TEXT("Sufficient") : REBALI_TEXT("PodUnschedulable"));
  put_text(builder, REBAL_CONDITION_MESSAGE, REBALI_TEXT(""));
  (void)rebal_builder_end(builder, NULL);
}

static void put_flights(const struct rebali_spread_pass *pass, const struct rebali_new_entry *entry,
                        rebal_builder *builder) {
  static const uint32_t FIELDS[] = {REBAL_SUBSET_STATUS_CREATING_PODS, REBAL_SUBSET_STATUS_DELETING_PODS};

  for (size_t kind = 0; kind < REBALI_COUNT(FIELDS); kind++) {
    for (size_t i = 0; i < entry->n_flights[kind]; i++) {
      const struct rebali_flight *flight = &pass->spread->status.flights[entry->flights[kind][i]];
      const rebal_time since = rebali_time_whole(&flight->since);

      (void)rebal_builder_begin(builder, FIELDS[kind], NULL);
      put_text(builder, REBAL_MOMENT_KEY, flight->key);
      (void)rebal_builder_time(builder, REBAL_MOMENT_TIME, &since, NULL);
      (void)rebal_builder_end(builder, NULL);
    }
  }
}

static void put_list(const struct rebali_spread_pass *pass, const struct rebali_new_list *list, uint32_t field,
                     rebal_builder *builder) {
  for (uint32_t i = 0; list->entries != NULL && i < rebali_pass_subsets(pass); i++) {
    const struct rebali_new_entry *entry = &list->entries[i];

    (void)rebal_builder_begin(builder, field, NULL);
    put_text(builder, REBAL_SUBSET_STATUS_NAME, pass->spread->spec.subsets[i].name);
    (void)rebal_builder_i64(builder, REBAL_SUBSET_STATUS_REPLICAS, entry->active, NULL);
    if (entry->condition != REBALI_CONDITION_NONE) {
      put_condition(pass, entry, builder);
    }
    (void)rebal_builder_i64(builder, REBAL_SUBSET_STATUS_MISSING_REPLICAS, entry->missing, NULL);
    put_flights(pass, entry, builder);
    (void)rebal_builder_end(builder, NULL);
  }
}

static void put_version(const struct rebali_spread_pass *pass, struct rebali_text version,
                        const struct rebali_new_list *list, rebal_builder *builder) {
  (void)rebal_builder_begin(builder, REBAL_SPREAD_STATUS_VERSIONS, NULL);
  put_text(builder, REBAL_VERSION_STATUS_VERSION, version);
  if (list != NULL) {
    put_list(pass, list, REBAL_VERSION_STATUS_SUBSETS, builder);
  }
  (void)rebal_builder_end(builder, NULL);
}

int32_t rebali_pass_build_status(const struct rebali_spread_pass *pass, int with_gone, rebal_builder *builder,
                                 const rebal_record **out) {
  const struct rebali_spread_status *status = &pass->spread->status;

  (void)rebal_builder_start(builder, REBAL_OBJECT_SPREAD_STATUS, NULL);
  (void)rebal_builder_i64(builder, REBAL_SPREAD_STATUS_OBSERVED_GENERATION, generation_of(pass), NULL);
  put_list(pass, &pass->overall, REBAL_SPREAD_STATUS_SUBSETS, builder);
  for (size_t i = 0; i < pass->n_lists; i++) {
    if (pass->lists[i].entries != NULL) {
      put_version(pass, pass->lists[i].version, &pass->lists[i], builder);
    }
  }
  for (size_t i = 0; with_gone && i < status->n_lists; i++) {
    if (goes(pass, &status->lists[i])) {
      put_version(pass, status->lists[i].version, NULL, builder);
    }
  }
  return rebal_builder_finish(builder, out, pass->err);
}
