/* SPDX-License-Identifier: MIT */
/* Prints an explanation as JSON or YAML: the rows with the names of their columns, each with its sentence. */
#include "rebalancectl.h"

#include <stdlib.h>

#define MAX_COLUMNS 32

/* Omits cells without information, and the row number of the only binding. */
static void report_row(struct report *report, const struct world *world, uint32_t table, size_t row) {
  uint32_t columns[MAX_COLUMNS];
  size_t n = 0;
  (void)rebal_describe_object(table, columns, MAX_COLUMNS, &n, NULL);
  for (size_t i = 0; i < n && i < MAX_COLUMNS; i++) {
    char key[64];
    (void)explain_key(columns[i], key, sizeof key);
    if (columns[i] == REBAL_EXPLAIN_BINDING || columns[i] == REBAL_EXPLAIN_COUNT_BINDING) {
      continue;
    }
    if (!explain_is_number(columns[i])) {
      const char *text = explain_text(world, columns[i], row);
      if (text[0] != '\0') {
        report_text(report, key, text);
      }
    } else if (explain_integer(world, columns[i], row) != REBAL_ABSENT) {
      report_integer(report, key, explain_integer(world, columns[i], row));
    }
  }
}

static enum status report_sentence(struct report *report, const struct world *world, size_t row) {
  rebal_error err = REBAL_ERROR_INIT;
  size_t len = 0;
  char *text;
  enum status status = STATUS_DONE;
  (void)rebal_explain_text(world->chosen, world->result, REBAL_TABLE_EXPLAIN, row, NULL, 0, &len, NULL);
  text = malloc(len + 1);
  if (text == NULL) {
    return complain_of_memory();
  }
  if (rebal_explain_text(world->chosen, world->result, REBAL_TABLE_EXPLAIN, row, text, len + 1, &len, &err) < 0) {
    status = complain_of_call(&err);
  } else {
    report_text(report, "text", text);
  }
  free(text);
  return status;
}

static enum status report_tables(struct report *report, const struct world *world) {
  enum status status = STATUS_DONE;
  report_list(report, "counts");
  for (size_t i = 0; i < rebal_result_count(world->result, REBAL_TABLE_EXPLAIN_COUNT); i++) {
    report_map(report, NULL);
    report_row(report, world, REBAL_TABLE_EXPLAIN_COUNT, i);
    report_map_end(report);
  }
  report_list_end(report);
  report_list(report, "rows");
  for (size_t i = 0; status == STATUS_DONE && i < rebal_result_count(world->result, REBAL_TABLE_EXPLAIN); i++) {
    if (explain_is_shown(world, i)) {
      report_map(report, NULL);
      report_row(report, world, REBAL_TABLE_EXPLAIN, i);
      status = report_sentence(report, world, i);
      report_map_end(report);
    }
  }
  report_list_end(report);
  return status;
}

enum status explain_report(const struct world *world, const struct decision *due, const struct decision *decision,
                           struct output *out) {
  struct report report;
  enum status status = report_open(&report);
  if (status != STATUS_DONE) {
    return status;
  }
  report_map(&report, NULL);
  report_decision(&report, "binding", world, decision);
  report_boolean(&report, "due", due->outcome != REBAL_OUTCOME_UNCHANGED && due->outcome != REBAL_OUTCOME_SKIPPED);
  status = explain_report_policy(world, decision->object, &report);
  status = status == STATUS_DONE ? report_tables(&report, world) : status;
  report_map_end(&report);
  if (status == STATUS_DONE) {
    status = report_finish(&report, world->options->format, out);
  }
  report_close(&report);
  return status;
}
