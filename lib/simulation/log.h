/* SPDX-License-Identifier: MIT */
/* lib/simulation/log.h - rows of the log (log.c). */
#ifndef REBALI_SIMULATION_LOG_H
#define REBALI_SIMULATION_LOG_H

#include "simulation/values.h"

#include <rebalance/simulation.h>

enum rebali_log_column {
  REBALI_LOG_TIME,
  REBALI_LOG_STEP,
  REBALI_LOG_CONTROLLER,
  REBALI_LOG_OBJECT,
  REBALI_LOG_CHANGE,
  REBALI_LOG_REASON,
  REBALI_LOG_COLUMNS
};

struct rebali_log_row {
  uint32_t kind;
  size_t at[REBALI_LOG_COLUMNS]; /* offsets of terminated texts */
};

struct rebali_change_rows {
  struct rebali_log_row *rows;
  size_t n, capacity;
  uint64_t max_rows;
  struct rebali_buffer text;
  rebal_time time; /* of the last row */
};

/* Appends a row with its texts by column, without its time. Returns REBAL_ELIMIT if the log is full. */
int32_t rebali_log_append(struct rebali_change_rows *log, uint32_t kind, const rebal_time *time,
                          const char *const texts[REBALI_LOG_COLUMNS], rebal_error *err);
/* Returns a text of an existing row. */
const char *rebali_log_text(const struct rebali_change_rows *log, size_t row, size_t column);
void rebali_log_dispose(struct rebali_change_rows *log);

#endif
