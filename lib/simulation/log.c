/* SPDX-License-Identifier: MIT */
/* Rows of the log: their texts follow each other in one buffer; a text equal to that of the previous row is shared. */
#include "simulation/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Adds the time of the row, which is mostly that of the previous row. */
static void add_time(struct rebali_change_rows *log, const rebal_time *time, struct rebali_log_row *row) {
  row->at[REBALI_LOG_TIME] = log->text.len;
  if (log->n > 0 && rebali_time_compare(time, &log->time) == 0) {
    row->at[REBALI_LOG_TIME] = log->rows[log->n - 1].at[REBALI_LOG_TIME];
    return;
  }
  rebali_print_time(&log->text, time);
  rebali_buffer_append(&log->text, "", 1);
}

static void add_text(struct rebali_change_rows *log, size_t column, const char *text, struct rebali_log_row *row) {
  if (log->n > 0 && strcmp(rebali_log_text(log, log->n - 1, column), text) == 0) {
    row->at[column] = log->rows[log->n - 1].at[column];
    return;
  }
  row->at[column] = log->text.len;
  rebali_buffer_append(&log->text, text, strlen(text) + 1);
}

int32_t rebali_log_append(struct rebali_change_rows *log, uint32_t kind, const rebal_time *time,
                          const char *const texts[REBALI_LOG_COLUMNS], rebal_error *err) {
  struct rebali_log_row row = {kind, {0}};
  int32_t code;
  if (log->n >= log->max_rows) {
    return rebali_fail(err, REBAL_ELIMIT, -1,
                       "the log has %" PRIu64 " rows, the most a run may have: simulate less time or fewer changes",
                       log->max_rows);
  }
  code = rebali_reserve_malloc(&log->rows, &log->capacity, log->n + 1, sizeof *log->rows, err);
  if (code != REBAL_OK) {
    return code;
  }
  add_time(log, time, &row);
  for (size_t i = REBALI_LOG_STEP; i < REBALI_LOG_COLUMNS; i++) {
    add_text(log, i, texts[i], &row);
  }
  if (log->text.failed) {
    return rebali_fail_memory(err);
  }
  log->time = *time;
  log->rows[log->n++] = row;
  return REBAL_OK;
}

const char *rebali_log_text(const struct rebali_change_rows *log, size_t row, size_t column) {
  return log->text.bytes + log->rows[row].at[column];
}

void rebali_log_dispose(struct rebali_change_rows *log) {
  free(log->rows);
  rebali_buffer_dispose(&log->text);
}
