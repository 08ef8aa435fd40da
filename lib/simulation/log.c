/* SPDX-License-Identifier: MIT */
/* Rows of what happened: their texts stand one behind the other in one text. */
#include "simulation.h"

#include <inttypes.h>
#include <string.h>

static int32_t add_text(rebal_text *text, size_t *at, const char *bytes, rebal_error *err) {
  (void)rebal_text_bytes(text, at);
  return rebal_text_append(text, bytes, strlen(bytes) + 1, err);
}

/* The name of the step at hand, "" before the first. */
static int32_t add_step(const rebal_simulation *simulation, rebal_text *text, size_t *at, rebal_error *err) {
  struct rebali_slice name = {NULL, 0};
  int32_t code = REBAL_OK;
  (void)rebal_text_bytes(text, at);
  if (simulation->next_step > 0) {
    name = simulation->scenario.steps[simulation->next_step - 1].name;
  }
  if (name.len > 0) {
    code = rebali_cursor_text(name, text, err);
  }
  return code == REBAL_OK ? rebal_text_append(text, "", 1, err) : code;
}

int32_t rebali_log_append(rebal_simulation *simulation, uint32_t kind, const char *controller, const char *object,
                          const char *change, const char *reason, rebal_error *err) {
  struct rebali_simulation_log *log = &simulation->log;
  struct rebali_log_row row = {kind, {0}};
  int32_t code;
  if (log->n >= log->max_rows) {
    return rebali_fail(err, REBAL_ELIMIT, -1,
                       "the log has %" PRIu64 " rows, the most a run may have: simulate less time or fewer changes",
                       log->max_rows);
  }
  code = rebali_make_room(&log->rows, &log->capacity, log->n + 1, sizeof *log->rows, err);
  if (code != REBAL_OK) {
    return code;
  }
  (void)rebal_text_bytes(log->text, &row.at[REBALI_LOG_TIME]);
  code = rebali_time_print(&simulation->now, log->text, err);
  if (code == REBAL_OK) {
    code = rebal_text_append(log->text, "", 1, err);
  }
  if (code == REBAL_OK) {
    code = add_step(simulation, log->text, &row.at[REBALI_LOG_STEP], err);
  }
  if (code == REBAL_OK) {
    code = add_text(log->text, &row.at[REBALI_LOG_CONTROLLER], controller, err);
  }
  if (code == REBAL_OK) {
    code = add_text(log->text, &row.at[REBALI_LOG_OBJECT], object, err);
  }
  if (code == REBAL_OK) {
    code = add_text(log->text, &row.at[REBALI_LOG_CHANGE], change, err);
  }
  if (code == REBAL_OK) {
    code = add_text(log->text, &row.at[REBALI_LOG_REASON], reason, err);
  }
  if (code == REBAL_OK) {
    log->rows[log->n++] = row;
  }
  return code;
}

const char *rebali_log_text(const rebal_simulation *simulation, size_t row, size_t column) {
  return rebal_text_bytes(simulation->log.text, NULL) + simulation->log.rows[row].at[column];
}

int32_t rebal_simulation_log_read(const rebal_simulation *simulation, size_t row, rebal_simulation_entry *out,
                                  rebal_error *err) {
  if (simulation == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "simulation and out are needed");
  }
  if (out->struct_size < sizeof *out) {
    return rebali_fail(err, REBAL_EABI, -1, "out: the structure's size is not one this library knows");
  }
  if (row >= simulation->log.n) {
    return rebali_fail(err, REBAL_ERANGE, -1, "the log has %zu rows, no row %zu", simulation->log.n, row);
  }
  *out = (rebal_simulation_entry){.struct_size = out->struct_size,
                                  .kind = simulation->log.rows[row].kind,
                                  .time = rebali_log_text(simulation, row, REBALI_LOG_TIME),
                                  .step = rebali_log_text(simulation, row, REBALI_LOG_STEP),
                                  .controller = rebali_log_text(simulation, row, REBALI_LOG_CONTROLLER),
                                  .object = rebali_log_text(simulation, row, REBALI_LOG_OBJECT),
                                  .change = rebali_log_text(simulation, row, REBALI_LOG_CHANGE),
                                  .reason = rebali_log_text(simulation, row, REBALI_LOG_REASON)};
  out->time_len = strlen(out->time);
  out->step_len = strlen(out->step);
  out->controller_len = strlen(out->controller);
  out->object_len = strlen(out->object);
  out->change_len = strlen(out->change);
  out->reason_len = strlen(out->reason);
  return REBAL_OK;
}
