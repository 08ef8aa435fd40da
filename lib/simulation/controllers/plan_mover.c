/* SPDX-License-Identifier: MIT */
/*
 * Makes the plan of a step and carries it out beside the scheduler (rebalance-plan(7) 5, 8): whenever something
 * changed, or what it waits for is due, it sends the writes that are possible.
 */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdlib.h>

static const char name[] = "plan-mover";

static int64_t cell(const struct rebali_plan_mover *mover, uint32_t column, size_t row) {
  return rebali_cell(mover->core->result, column, row);
}

int32_t rebali_plan_mover_feed(struct rebali_plan_mover *mover, rebal_error *err) {
  struct rebali_server *server = mover->core->server;
  struct rebali_ids bindings = {NULL, 0, 0};
  int32_t code = REBAL_OK;
  for (uint32_t object = rebali_next_binding(server, REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_binding(server, object)) {
    code = rebali_ids_add(&bindings, object, err);
  }
  if (code == REBAL_OK) {
    code = rebali_feed(mover->core, bindings.list, bindings.n, err);
  }
  rebali_ids_dispose(&bindings);
  return code;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static const char *cluster_name(const struct rebali_plan_mover *mover, int64_t cluster) {
  size_t len;
  return rebal_cells_get_text(rebal_snapshot_cells(mover->core->snapshot), REBAL_CLUSTER_NAME, REBAL_NONE,
                              (uint32_t)cluster, &len);
}

/* Prints what a binding will have. */
static void print_planned(const struct rebali_plan_mover *mover, size_t row, struct rebali_buffer *out) {
  const int64_t first = cell(mover, REBAL_PLANNED_FIRST_CLUSTER, row), n = cell(mover, REBAL_PLANNED_CLUSTERS, row);
  const char *between = "";
  rebali_buffer_text(out, "planned: {");
  for (int64_t i = first; i < first + n; i++) {
    const int64_t replicas = cell(mover, REBAL_PLANNED_CLUSTER_PLANNED, (size_t)i);
    if (replicas != REBAL_ABSENT && replicas > 0) {
      rebali_buffer_format(out, "%s%s:%" PRId64, between,
                           cluster_name(mover, cell(mover, REBAL_PLANNED_CLUSTER_CLUSTER, (size_t)i)), replicas);
      between = ", ";
    }
  }
  rebali_buffer_text(out, "}");
}

static void print_counts(const struct rebali_plan_mover *mover, size_t row, struct rebali_buffer *out) {
  const char *message = rebal_result_text(mover->core->result, REBAL_PLANNED_MESSAGE, row, NULL);
  const int64_t withheld = cell(mover, REBAL_PLANNED_WITHHELD, row);
  if (message[0] != '\0') {
    rebali_buffer_text(out, message);
    return;
  }
  rebali_buffer_format(out, "replicas that move: %" PRId64, cell(mover, REBAL_PLANNED_GRANTED, row));
  if (withheld > 0) {
    rebali_buffer_format(out, ", withheld by limits: %" PRId64, withheld);
  }
}

/* Logs a row, unless the binding stays as it is because it should. */
static int32_t report_planned(struct rebali_plan_mover *mover, size_t row, rebal_error *err) {
  static const uint32_t columns[] = {REBAL_PLANNED_DRIFT, REBAL_PLANNED_ADDED, REBAL_PLANNED_REMOVED};
  struct rebali_buffer change = REBALI_BUFFER, reason = REBALI_BUFFER;
  int is_reported = rebal_result_text(mover->core->result, REBAL_PLANNED_MESSAGE, row, NULL)[0] != '\0';
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < REBALI_COUNT(columns); i++) {
    is_reported |= cell(mover, columns[i], row) != 0;
  }
  if (!is_reported) {
    return REBAL_OK;
  }
  print_planned(mover, row, &change);
  print_counts(mover, row, &reason);
  code = change.failed || reason.failed
             ? rebali_fail_memory(err)
             : rebali_log_report(mover->core->server, REBAL_LOG_KIND_NOTE, name, mover->planned.list[row],
                                 rebali_printed(&change), rebali_printed(&reason), err);
  rebali_buffer_dispose(&change);
  rebali_buffer_dispose(&reason);
  return code;
}

static int32_t report_plan(struct rebali_plan_mover *mover, rebal_error *err) {
  int32_t code = rebal_plan_read(mover->plan, mover->core->result, err);
  for (size_t i = 0; code == REBAL_OK && i < mover->planned.n; i++) {
    code = report_planned(mover, i, err);
  }
  return code;
}

static void forget(struct rebali_plan_mover *mover) {
  rebal_plan_free(mover->plan);
  free(mover->reported.bytes);
  mover->plan = NULL;
  mover->planned.n = 0;
  mover->reported = (struct rebali_object_rows){.size = sizeof(struct rebali_reported)};
  mover->next.is_set = 0;
  mover->is_retrying = 0;
  mover->seen = 0;
}

static int32_t make(struct rebali_plan_mover *mover, const rebal_plan_opts *given, rebal_error *err) {
  struct rebali_core *core = mover->core;
  const struct rebali_scheduler *scheduler = mover->scheduler;
  rebal_schedule_opts schedule = {.struct_size = sizeof schedule, .compat = core->compat, .ledger = scheduler->ledger};
  rebal_estimator members = {.struct_size = sizeof members};
  const rebal_estimator *const estimators[] = {&members};
  rebal_plan_opts opts = *given;
  int32_t *fits = NULL;
  int32_t code = REBAL_OK;
  opts.schedule = &schedule;
  if (scheduler->options->has_estimators && scheduler->members->n_with_nodes > 0) {
    code = rebali_members_estimate(scheduler->members, &members, &fits, err);
    schedule.estimators = estimators;
    schedule.n_estimators = 1;
  }
  if (code == REBAL_OK) {
    code = rebal_plan_make(core->ctx, core->snapshot, core->bindings, &core->server->now, &opts, &mover->plan, err);
  }
  free(fits);
  return code;
}

int32_t rebali_plan_mover_start(struct rebali_plan_mover *mover, const rebal_plan_opts *opts, rebal_error *err) {
  int32_t code = REBAL_OK;
  forget(mover);
  for (size_t i = 0; code == REBAL_OK && i < mover->core->fed.n; i++) {
    code = rebali_ids_add(&mover->planned, mover->core->fed.list[i], err);
  }
  if (code == REBAL_OK) {
    code = make(mover, opts, err);
  }
  return code == REBAL_OK ? report_plan(mover, err) : code;
}

/* ---- its waves --------------------------------------------------------------------------------------------------- */

/* Prints what a write does, and how many replicas are ready meanwhile. */
static void print_reason(const struct rebali_plan_mover *mover, size_t action, struct rebali_buffer *out) {
  const size_t row = (size_t)cell(mover, REBAL_ACTION_ORDINAL, action);
  const int64_t added = cell(mover, REBAL_WAVE_ADDED, row), removed = cell(mover, REBAL_WAVE_REMOVED, row);
  const int is_returned = (cell(mover, REBAL_ACTION_REPLACES, action) & REBAL_REPLACES_PLAN_MARK) != 0;
  if (cell(mover, REBAL_WAVE_FOREIGN, row) != 0) {
    rebali_buffer_text(out, "someone else changed it: ");
  }
  if (added > 0 || removed > 0) {
    const int64_t ready = cell(mover, REBAL_WAVE_READY, row), least = cell(mover, REBAL_WAVE_FLOOR, row);
    rebali_buffer_format(out, "replicas that come: %" PRId64 ", that go: %" PRId64 "; ready: %" PRId64, added, removed,
                         ready);
    rebali_buffer_format(out, ", at least %" PRId64 " stay so%s", least < ready ? least : ready,
                         is_returned ? "; the last wave" : "");
  } else {
    rebali_buffer_text(out, is_returned ? "returned to the scheduler" : "scheduling is suspended for the waves");
  }
}

static int32_t send(struct rebali_plan_mover *mover, size_t action, rebal_error *err) {
  struct rebali_buffer reason = REBALI_BUFFER;
  int32_t code;
  if (cell(mover, REBAL_ACTION_KIND, action) != REBAL_ACTION_KIND_PATCH_SPEC) {
    return REBAL_OK;
  }
  print_reason(mover, action, &reason);
  code = reason.failed ? rebali_fail_memory(err)
                       : rebali_carry_out(mover->core, action, name, rebali_printed(&reason), NULL, err);
  rebali_buffer_dispose(&reason);
  return code;
}

/* Tests whether a state is logged. What continues by itself is not. */
static int is_worth_reporting(const struct rebali_reported *before, int64_t state, int64_t reason) {
  switch (state) {
    case REBAL_WAVE_STATE_DONE:
      return before->state != 0 && before->state != state;
    case REBAL_WAVE_STATE_BLOCKED:
    case REBAL_WAVE_STATE_NOT_NOW:
    case REBAL_WAVE_STATE_REPLACED:
      return before->state != state || before->reason != reason;
    default:
      return 0;
  }
}

static int32_t report(struct rebali_plan_mover *mover, size_t row, rebal_error *err) {
  const int64_t state = cell(mover, REBAL_WAVE_STATE, row), reason = cell(mover, REBAL_WAVE_REASON, row);
  const int64_t cluster = cell(mover, REBAL_WAVE_CLUSTER, row);
  struct rebali_reported *reported = rebali_row(&mover->reported, (uint32_t)row, err);
  struct rebali_buffer text = REBALI_BUFFER;
  int32_t code = reported != NULL ? REBAL_OK : REBAL_ENOMEM;
  if (code == REBAL_OK && is_worth_reporting(reported, state, reason)) {
    rebali_buffer_text(&text, rebal_enum_name(REBAL_ENUM_WAVE_REASON, reason, NULL));
    if (cluster != REBAL_ABSENT) {
      rebali_buffer_format(&text, " in %s", cluster_name(mover, cluster));
    }
    code = text.failed
               ? rebali_fail_memory(err)
               : rebali_log_report(mover->core->server, REBAL_LOG_KIND_NOTE, name, mover->planned.list[row],
                                   rebal_enum_name(REBAL_ENUM_WAVE_STATE, state, NULL), rebali_printed(&text), err);
  }
  rebali_buffer_dispose(&text);
  if (code == REBAL_OK) {
    *reported = (struct rebali_reported){state, reason};
  }
  return code;
}

/* Tests whether nothing is left that could be moved, now or later. */
static int is_over(const struct rebali_plan_mover *mover) {
  int is_over = 1;
  for (size_t i = 0; i < mover->planned.n; i++) {
    const int64_t state = cell(mover, REBAL_WAVE_STATE, i);
    is_over = is_over && (state == REBAL_WAVE_STATE_DONE || state == REBAL_WAVE_STATE_GONE ||
                          state == REBAL_WAVE_STATE_DELETING || state == REBAL_WAVE_STATE_REPLACED);
  }
  return is_over;
}

static int32_t carry_out(struct rebali_plan_mover *mover, rebal_error *err) {
  struct rebali_server *server = mover->core->server;
  const uint64_t failed = server->faults.failed;
  const size_t n = rebal_result_count(mover->core->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = send(mover, i, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < mover->planned.n; i++) {
    code = report(mover, i, err);
  }
  mover->next = rebali_wake_of(mover->core);
  mover->is_retrying = server->faults.failed != failed;
  if (mover->is_retrying) {
    mover->next = rebali_fault_retry(server);
  }
  mover->next.is_set = mover->next.is_set && rebali_time_compare(&mover->next, &server->now) > 0;
  return code;
}

int32_t rebali_plan_mover_run(struct rebali_plan_mover *mover, rebal_error *err) {
  struct rebali_core *core = mover->core;
  const rebal_plan_step_opts opts = {.struct_size = sizeof opts,
                                     .flags = REBAL_PLAN_STEP_FLAG_TAKE_OVER,
                                     .dialect = REBAL_PLAN_DIALECT_KARMADA,
                                     .compat = core->compat};
  const uint64_t changes = rebal_store_change_count(core->server->store);
  const int is_due = rebali_time_is_due(&mover->next, &core->server->now);
  int32_t code;
  if (mover->plan == NULL || (!is_due && (mover->is_retrying || mover->seen == changes))) {
    return REBAL_OK;
  }
  mover->seen = changes;
  code = rebali_plan_mover_feed(mover, err);
  if (code == REBAL_OK) {
    code = rebal_plan_step(core->ctx, core->snapshot, core->bindings, mover->plan, &core->server->now, &opts,
                           core->result, err);
  }
  if (code == REBAL_OK) {
    code = carry_out(mover, err);
  }
  if (code == REBAL_OK && is_over(mover)) {
    forget(mover);
  }
  return code;
}

void rebali_plan_mover_dispose(struct rebali_plan_mover *mover) {
  forget(mover);
  rebali_ids_dispose(&mover->planned);
}
