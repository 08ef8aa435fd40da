/* SPDX-License-Identifier: MIT */
/* Writes lists into a record as the API keeps them: times in whole seconds. The builder keeps failures. */
#include "workloadspread/spread.h"

static void write_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL);
}

void rebali_status_write_flights(const struct rebali_spread_status *status, const struct rebali_entry_status *entry,
                                 rebal_builder *builder) {
  static const uint32_t fields[2] = {REBAL_SUBSET_STATUS_CREATING_PODS, REBAL_SUBSET_STATUS_DELETING_PODS};

  for (size_t kind = 0; kind < 2; kind++) {
    for (uint32_t i = entry->first_flight[kind]; i != REBAL_NONE; i = status->flights[i].next_of_entry) {
      const rebal_time since = rebali_time_whole(&status->flights[i].since);

      (void)rebal_builder_begin(builder, fields[kind], NULL);
      write_text(builder, REBAL_MOMENT_KEY, status->flights[i].key);
      (void)rebal_builder_time(builder, REBAL_MOMENT_TIME, &since, NULL);
      (void)rebal_builder_end(builder, NULL);
    }
  }
}

/* Writes an entry. Its conditions are those that were loaded. */
static void write_entry(const struct rebali_spread_status *status, const struct rebali_entry_status *entry,
                        uint32_t field, rebal_builder *builder) {
  uint32_t condition = REBAL_NONE;

  (void)rebal_builder_begin(builder, field, NULL);
  write_text(builder, REBAL_SUBSET_STATUS_NAME, entry->name);
  (void)rebal_builder_i64(builder, REBAL_SUBSET_STATUS_REPLICAS, entry->replicas, NULL);
  while ((condition = rebali_record_next(status->record, entry->node, REBAL_SUBSET_STATUS_CONDITIONS, condition)) !=
         REBAL_NONE) {
    (void)rebal_builder_copy(builder, REBAL_SUBSET_STATUS_CONDITIONS, status->record, condition, NULL);
  }
  (void)rebal_builder_i64(builder, REBAL_SUBSET_STATUS_MISSING_REPLICAS, entry->missing, NULL);
  rebali_status_write_flights(status, entry, builder);
  (void)rebal_builder_end(builder, NULL);
}

static void write_list(const struct rebali_spread_status *status, const struct rebali_status_list *list, uint32_t field,
                       rebal_builder *builder) {
  for (size_t i = 0; i < list->n; i++) {
    write_entry(status, &list->entries[i], field, builder);
  }
}

static void write_version(const struct rebali_spread_status *status, const struct rebali_status_list *list,
                          rebal_builder *builder) {
  (void)rebal_builder_begin(builder, REBAL_SPREAD_STATUS_VERSIONS, NULL);
  write_text(builder, REBAL_VERSION_STATUS_VERSION, list->version);
  if (list->state == REBALI_LIST_THERE) {
    write_list(status, list, REBAL_VERSION_STATUS_SUBSETS, builder);
  }
  (void)rebal_builder_end(builder, NULL);
}

void rebali_status_write(const struct rebali_spread_status *status, int is_whole, rebal_builder *builder) {
  const uint32_t generation = rebali_record_get(status->record, status->node, REBAL_SPREAD_STATUS_OBSERVED_GENERATION);

  if (is_whole && generation != REBAL_NONE) {
    (void)rebal_builder_i64(builder, REBAL_SPREAD_STATUS_OBSERVED_GENERATION,
                            rebal_record_i64(status->record, generation), NULL);
  }
  if (is_whole) {
    write_list(status, &status->overall, REBAL_SPREAD_STATUS_SUBSETS, builder);
  }
  for (size_t i = 0; i < status->n_lists; i++) {
    const struct rebali_status_list *list = &status->lists[status->by_version[i]];

    if (list->changed || (is_whole && list->state != REBALI_LIST_MADE)) {
      write_version(status, list, builder);
    }
  }
}
