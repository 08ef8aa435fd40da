/* SPDX-License-Identifier: MIT */
/* The result of a pass over a WorkloadSpread, and a status, as texts that can be compared. */
#include "spreads.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void spread_start(struct spread_printed *printed) {
  printed->len = 0;
  printed->text[0] = '\0';
}

void spread_print(struct spread_printed *printed, const char *format, ...) {
  va_list arguments;
  int len;

  va_start(arguments, format);
  len = vsnprintf(printed->text + printed->len, sizeof printed->text - printed->len, format, arguments);
  va_end(arguments);
  if (len < 0 || (size_t)len >= sizeof printed->text - printed->len) {
    (void)fprintf(stderr, "a text does not fit\n");
    abort();
  }
  printed->len += (size_t)len;
}

/* ---- status ------------------------------------------------------------------------------------------------------ */

static void report_entry(const struct spread_entry *entry, struct spread_printed *printed) {
  spread_print(printed, " %s=%lld/%lld", entry->name, (long long)entry->replicas, (long long)entry->missing);
  for (size_t way = 0; way < 2; way++) {
    for (size_t i = 0; i < entry->n_flights[way]; i++) {
      spread_print(printed, "%c%s@%lld", "+-"[way], entry -> flights[way][i].key,
                   (long long)entry->flights[way][i].since);
    }
  }
  if (entry->has_other_condition) {
    spread_print(printed, "!Other/False/Reason//5");
  }
  if (entry->condition.status != NULL) {
    spread_print(printed, "!Schedulable/%s/%s/%s/%lld", entry->condition.status, entry->condition.reason,
                 entry->condition.message, (long long)entry->condition.since);
  }
}

static void print_list(const struct spread_list *list, struct spread_printed *printed) {
  for (size_t i = 0; i < list->n; i++) {
    report_entry(&list->entries[i], printed);
  }
  spread_print(printed, "\n");
}

/* A list that is null equals an absent one. */
void spread_print_status(const struct spread_status *status, struct spread_printed *printed) {
  spread_print(printed, "status of %lld:", (long long)status->generation);
  print_list(&status->overall, printed);
  for (size_t i = 0; i < status->n; i++) {
    if (status->lists[i].n != 0) {
      spread_print(printed, "version %s:", status->lists[i].version);
      print_list(&status->lists[i], printed);
    }
  }
}

static const char *text_in(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebal_record_text(record, rebal_record_next(record, node, field, REBAL_NONE), NULL);
}

static long long number_in(const rebal_record *record, uint32_t node, uint32_t field) {
  const uint32_t found = rebal_record_next(record, node, field, REBAL_NONE);

  return found == REBAL_NONE ? 0 : (long long)rebal_record_i64(record, found);
}

static long long time_in(const rebal_record *record, uint32_t node, uint32_t field) {
  rebal_time time;

  rebal_record_time(record, rebal_record_next(record, node, field, REBAL_NONE), &time);
  return (long long)time.seconds;
}

static void report_entry_in(const rebal_record *record, uint32_t entry, struct spread_printed *printed) {
  static const uint32_t fields[] = {REBAL_SUBSET_STATUS_CREATING_PODS, REBAL_SUBSET_STATUS_DELETING_PODS};
  uint32_t node = REBAL_NONE;

  spread_print(printed, " %s=%lld/%lld", text_in(record, entry, REBAL_SUBSET_STATUS_NAME),
               number_in(record, entry, REBAL_SUBSET_STATUS_REPLICAS),
               number_in(record, entry, REBAL_SUBSET_STATUS_MISSING_REPLICAS));
  for (size_t way = 0; way < 2; way++) {
    while ((node = rebal_record_next(record, entry, fields[way], node)) != REBAL_NONE) {
      spread_print(printed, "%c%s@%lld", "+-"[way], text_in(record, node, REBAL_MOMENT_KEY),
                   time_in(record, node, REBAL_MOMENT_TIME));
    }
  }
  while ((node = rebal_record_next(record, entry, REBAL_SUBSET_STATUS_CONDITIONS, node)) != REBAL_NONE) {
    spread_print(printed, "!%s/%s/%s/%s/%lld", text_in(record, node, REBAL_CONDITION_TYPE),
                 text_in(record, node, REBAL_CONDITION_STATUS), text_in(record, node, REBAL_CONDITION_REASON),
                 text_in(record, node, REBAL_CONDITION_MESSAGE),
                 time_in(record, node, REBAL_CONDITION_LAST_TRANSITION_TIME));
  }
}

static void print_list_in(const rebal_record *record, uint32_t node, uint32_t field, struct spread_printed *printed) {
  uint32_t entry = REBAL_NONE;

  while ((entry = rebal_record_next(record, node, field, entry)) != REBAL_NONE) {
    report_entry_in(record, entry, printed);
  }
  spread_print(printed, "\n");
}

void spread_print_record(const rebal_record *status, struct spread_printed *printed) {
  uint32_t version = REBAL_NONE;

  spread_print(printed, "status of %lld:", number_in(status, 0, REBAL_SPREAD_STATUS_OBSERVED_GENERATION));
  print_list_in(status, 0, REBAL_SPREAD_STATUS_SUBSETS, printed);
  while ((version = rebal_record_next(status, 0, REBAL_SPREAD_STATUS_VERSIONS, version)) != REBAL_NONE) {
    if (rebal_record_next(status, version, REBAL_VERSION_STATUS_SUBSETS, REBAL_NONE) != REBAL_NONE) {
      spread_print(printed, "version %s:", text_in(status, version, REBAL_VERSION_STATUS_VERSION));
      print_list_in(status, version, REBAL_VERSION_STATUS_SUBSETS, printed);
    }
  }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static long long cell(const rebal_result *result, uint32_t column, size_t row) {
  size_t n;

  return (long long)rebal_result_i64(result, column, &n)[row];
}

static const char *subset_name(const struct spread_case *drawn, long long subset) {
  return subset == REBAL_ABSENT ? "-" : drawn->subsets[subset].name;
}

const char *spread_version_name(const rebal_result *result, long long version) {
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_SUBSET_COUNT); i++) {
    if (cell(result, REBAL_SUBSET_COUNT_VERSION, i) == version) {
      return rebal_result_text(result, REBAL_SUBSET_COUNT_VERSION_NAME, i, NULL);
    }
  }
  return "";
}

static void report_grouped(const struct spread_case *drawn, const rebal_result *result, size_t row,
                           struct spread_printed *printed) {
  const uint32_t pod = (uint32_t)cell(result, REBAL_GROUPED_POD, row);

  spread_print(printed,
               "%s version=%s subset=%s by=%lld score=%lld cost=%lld why=%lld changes=%lld stuck=%lld place=%lld\n",
               rebal_cells_get_text(rebal_pods_const_cells(drawn->pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, pod, NULL),
               spread_version_name(result, cell(result, REBAL_GROUPED_VERSION, row)),
               subset_name(drawn, cell(result, REBAL_GROUPED_SUBSET, row)), cell(result, REBAL_GROUPED_BY, row),
               cell(result, REBAL_GROUPED_SCORE, row), cell(result, REBAL_GROUPED_COST, row),
               cell(result, REBAL_GROUPED_WHY, row), cell(result, REBAL_GROUPED_CHANGES, row),
               cell(result, REBAL_GROUPED_STUCK, row), cell(result, REBAL_GROUPED_PLACE, row));
}

void spread_print_counts(const struct spread_case *drawn, const rebal_result *result, struct spread_printed *printed) {
  const size_t n = rebal_result_count(result, REBAL_TABLE_SUBSET_COUNT);

  for (size_t i = 0; i < n; i++) {
    if (cell(result, REBAL_SUBSET_COUNT_WANTED, i) == REBAL_ABSENT) {
      return; /* there are no lists */
    }
  }
  for (size_t i = 0; i < n; i++) {
    const char *version = cell(result, REBAL_SUBSET_COUNT_VERSION, i) == REBAL_ABSENT
                              ? "*"
                              : rebal_result_text(result, REBAL_SUBSET_COUNT_VERSION_NAME, i, NULL);

    spread_print(printed,
                 "count %s %s wanted=%lld active=%lld missing=%lld creating=%lld deleting=%lld is=%lld stuck=%lld\n",
                 version, subset_name(drawn, cell(result, REBAL_SUBSET_COUNT_SUBSET, i)),
                 cell(result, REBAL_SUBSET_COUNT_WANTED, i), cell(result, REBAL_SUBSET_COUNT_ACTIVE, i),
                 cell(result, REBAL_SUBSET_COUNT_MISSING, i), cell(result, REBAL_SUBSET_COUNT_CREATING, i),
                 cell(result, REBAL_SUBSET_COUNT_DELETING, i), cell(result, REBAL_SUBSET_COUNT_SCHEDULABLE, i),
                 cell(result, REBAL_SUBSET_COUNT_STUCK, i));
  }
}

static void report_action(const rebal_result *result, size_t row, struct spread_printed *printed) {
  const char *name = rebal_result_text(result, REBAL_ACTION_NAME, row, NULL);
  const rebal_record *payload = rebal_result_record(result, row);

  switch (cell(result, REBAL_ACTION_KIND, row)) {
    case REBAL_ACTION_KIND_PATCH_METADATA:
      spread_print(printed, "patch %s\n", name);
      break;
    case REBAL_ACTION_KIND_PATCH_STATUS:
      spread_print(printed, "status\n");
      break;
    case REBAL_ACTION_KIND_DELETE:
      spread_print(printed, "delete %s\n", name);
      break;
    case REBAL_ACTION_KIND_EVENT:
      spread_print(printed, "event %s %s %s\n", text_in(payload, 0, REBAL_EVENT_TYPE),
                   text_in(payload, 0, REBAL_EVENT_REASON), text_in(payload, 0, REBAL_EVENT_MESSAGE));
      break;
    default:
      break; /* WAKE: column AFTER_NS has it as well */
  }
}

void spread_print_actions(const rebal_result *result, struct spread_printed *printed) {
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    report_action(result, i, printed);
  }
}

void spread_print_result(const struct spread_case *drawn, const rebal_result *result, struct spread_printed *printed) {
  spread_start(printed);
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_GROUPED); i++) {
    report_grouped(drawn, result, i, printed);
  }
  spread_print_counts(drawn, result, printed);
  spread_print_actions(result, printed);
  spread_print(printed, "state=%lld reason=%lld after=%lld\n", cell(result, REBAL_STEP_STATE, 0),
               cell(result, REBAL_STEP_REASON, 0), cell(result, REBAL_STEP_AFTER_NS, 0));
}

void spread_print_admitted(const struct spread_case *drawn, const rebal_result *result,
                           struct spread_printed *printed) {
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ADMITTED); i++) {
    spread_print(printed, "outcome=%lld subset=%s recorded=%lld by_id=%lld owner=%lld name=%s message=%s\n",
                 cell(result, REBAL_ADMITTED_OUTCOME, i), subset_name(drawn, cell(result, REBAL_ADMITTED_SUBSET, i)),
                 cell(result, REBAL_ADMITTED_RECORDED, i), cell(result, REBAL_ADMITTED_BY_ID, i),
                 cell(result, REBAL_ADMITTED_OWNER, i), rebal_result_text(result, REBAL_ADMITTED_SUBSET_NAME, i, NULL),
                 rebal_result_text(result, REBAL_ADMITTED_MESSAGE, i, NULL));
  }
}
