/* SPDX-License-Identifier: MIT */
/* Rows of a pass: GROUPED and SUBSET_COUNT, and a warning if versions together exceed a limit. */
#include "workloadspread/pass.h"

#define BLOCK 128u

static int64_t number_of(uint32_t index) {
  return index == REBAL_NONE ? REBAL_ABSENT : (int64_t)index;
}

/* Writes one column after the other. The rows must exist. */
static void report_members(const struct rebali_grouped *members, size_t n, struct rebali_table *table, size_t row) {
#define SET_CELL(column, value)                                                        \
  for (size_t i = 0; i < n; i++) {                                                     \
    const struct rebali_grouped *const member = &members[i];                           \
                                                                                       \
    *rebali_table_integers(table, REBAL_GROUPED_##column, row + i) = (int64_t)(value); \
  }
  SET_CELL(POD, member->row)
  SET_CELL(VERSION, member->version)
  SET_CELL(SUBSET, number_of(member->subset))
  SET_CELL(BY, member->by)
  SET_CELL(SCORE, member->score)
  SET_CELL(COST, member->cost)
  SET_CELL(WHY, member->why)
  SET_CELL(CHANGES, member->changes)
  SET_CELL(STUCK, member->is_stuck)
  SET_CELL(PLACE, number_of(member->place))
#undef SET_CELL
}

/*
 * Writes blocks whose members fit a first-level cache. Long columns begin at the same offset of their pages, and a
 * cache holds eight lines of such offsets: ten columns written in step would evict each other.
 */
int32_t rebali_pass_report_pods(struct rebali_spread_pass *pass) {
  struct rebali_table *table = rebali_result_table(pass->result, REBAL_TABLE_GROUPED);
  size_t row;

  if (pass->n == 0) {
    return REBAL_OK;
  }
  if (rebali_table_append(table, pass->n, &row) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t i = 0; i < pass->n; i += BLOCK) {
    report_members(&pass->members[i], pass->n - i < BLOCK ? pass->n - i : BLOCK, table, row + i);
  }
  return REBAL_OK;
}

static int64_t schedulable(const struct rebali_spread_pass *pass, const struct rebali_new_entry *entry) {
  const rebal_record *record = pass->spread->status.record;
  const uint32_t old = rebali_schedulable(pass, entry->old);
  struct rebali_text status;

  switch (entry->condition) {
    case REBALI_CONDITION_TRUE:
      return 1;
    case REBALI_CONDITION_FALSE:
      return 0;
    case REBALI_CONDITION_OLD:
    case REBALI_CONDITION_OLD_REASON:
      status = rebali_record_field_text(record, old, REBAL_CONDITION_STATUS);
      return rebali_text_equal(status, REBALI_TEXT("True"))    ? 1
             : rebali_text_equal(status, REBALI_TEXT("False")) ? 0
                                                               : REBAL_ABSENT;
    default:
      return REBAL_ABSENT;
  }
}

static int32_t report_entry(struct rebali_spread_pass *pass, const struct rebali_new_list *list, uint32_t subset,
                            size_t row) {
  struct rebali_table *table = rebali_result_table(pass->result, REBAL_TABLE_SUBSET_COUNT);
  const uint32_t bucket = pass->spread->spec.subsets[subset].bucket;
  const struct rebali_tally *tally = list->number == REBAL_NONE
                                         ? &pass->totals[bucket]
                                         : &pass->tallies[rebali_pass_bucket(pass, list->number, bucket)];
  const struct rebali_new_entry none = {.active = rebali_low_int32((int64_t)tally->active), .stuck = tally->stuck};
  const struct rebali_new_entry *entry = list->entries == NULL ? &none : &list->entries[subset];

  *rebali_table_integers(table, REBAL_SUBSET_COUNT_VERSION, row) = number_of(list->number);
  *rebali_table_integers(table, REBAL_SUBSET_COUNT_SUBSET, row) = subset;
  *rebali_table_integers(table, REBAL_SUBSET_COUNT_WANTED, row) = pass->limits[subset];
  *rebali_table_integers(table, REBAL_SUBSET_COUNT_ACTIVE, row) = entry->active;
  *rebali_table_integers(table, REBAL_SUBSET_COUNT_MISSING, row) = entry->missing;
  *rebali_table_integers(table, REBAL_SUBSET_COUNT_CREATING, row) = (int64_t)entry->n_flights[REBALI_CREATING];
  *rebali_table_integers(table, REBAL_SUBSET_COUNT_DELETING, row) = (int64_t)entry->n_flights[REBALI_DELETING];
  *rebali_table_integers(table, REBAL_SUBSET_COUNT_SCHEDULABLE, row) = schedulable(pass, entry);
  *rebali_table_integers(table, REBAL_SUBSET_COUNT_STUCK, row) = (int64_t)entry->stuck;
  return rebali_table_set_text(table, REBAL_SUBSET_COUNT_VERSION_NAME, row, list->version);
}

/* Warns if versions each keep the limit but together exceed it. */
static int32_t warn(struct rebali_spread_pass *pass, uint32_t subset) {
  const uint32_t bucket = pass->spread->spec.subsets[subset].bucket;
  const int64_t limit = pass->limits[subset];
  const int64_t total = (int64_t)pass->totals[bucket].active;
  struct rebali_warning warning = {0, REBAL_NONE, REBALI_ROW("versions-fill-twice"), total};

  if (limit < 0 || total <= limit || rebali_pass_option(pass, REBAL_OPTION_SPREAD_ALL_VERSIONS)) {
    return REBAL_OK;
  }
  for (uint32_t version = 0; version < pass->versions.n; version++) {
    if ((int64_t)pass->tallies[rebali_pass_bucket(pass, version, bucket)].active > limit) {
      return REBAL_OK;
    }
  }
  warning.replicas -= limit;
  return rebali_result_add_warning(pass->result, &warning);
}

int32_t rebali_pass_report_counts(struct rebali_spread_pass *pass) {
  struct rebali_table *table = rebali_result_table(pass->result, REBAL_TABLE_SUBSET_COUNT);
  const uint32_t n = rebali_pass_subsets(pass);
  size_t row;

  if (rebali_table_add(table, (pass->n_lists + 1) * n, &row) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  for (size_t list = 0; list < pass->n_lists + 1; list++) {
    for (uint32_t i = 0; i < n; i++) {
      if (report_entry(pass, list == 0 ? &pass->overall : &pass->lists[list - 1], i, row++) != REBAL_OK) {
        return rebali_fail_memory(pass->err);
      }
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    if (warn(pass, i) != REBAL_OK) {
      return rebali_fail_memory(pass->err);
    }
  }
  return REBAL_OK;
}
