/* SPDX-License-Identifier: MIT */
/* The controller of WorkloadSpreads: a pass over each whenever something changed, or one of its timers ended. */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workload-spread";

static int64_t cell(const struct rebali_own *own, uint32_t column, size_t row) {
  return rebali_cell(own->core->result, column, row);
}

/* ---- what became of pods ----------------------------------------------------------------------------------------- */

/* By REBAL_COST_REASON_*. */
static const char *const reasons[] = {"", "within the limit of its subset", "beyond the limit of its subset",
                                      "in no subset", "within the minimum of its subset"};

static const char *reason_of(const struct rebali_own *own, size_t row) {
  const int64_t why = cell(own, REBAL_GROUPED_WHY, row);
  return why > 0 && (size_t)why < REBALI_COUNT(reasons) ? reasons[why] : "";
}

static void print_change(const struct rebali_own *own, const rebal_spread *spread, size_t row,
                         struct rebali_buffer *out) {
  const int64_t subset = cell(own, REBAL_GROUPED_SUBSET, row);
  rebali_buffer_clear(out);
  if ((cell(own, REBAL_GROUPED_CHANGES, row) & REBAL_CHANGES_SUBSET) != 0) {
    rebali_buffer_format(out, "adopted by subset %s, ",
                         subset >= 0 ? rebal_spread_subset_name(spread, (uint32_t)subset, NULL) : "none");
  }
  rebali_buffer_format(out, "with deletion cost %" PRId64, cell(own, REBAL_GROUPED_COST, row));
}

/* The action i is about a pod that changes: the one of GROUPED with the row of the action. */
static int32_t patch_pod(struct rebali_own *own, const rebal_spread *spread, size_t action, rebal_error *err) {
  struct rebali_server *server = own->core->server;
  const size_t n = rebal_result_count(own->core->result, REBAL_TABLE_GROUPED);
  const int64_t pod = cell(own, REBAL_ACTION_ROW, action);
  const uint32_t object = rebali_action_object(own->core, action);
  size_t row = 0;
  int32_t code = rebal_store_carry_out(server->store, own->core->result, action, &server->now, NULL, err);
  if (code != REBAL_OK || object == REBAL_NONE) {
    return code;
  }
  while (row < n && cell(own, REBAL_GROUPED_POD, row) != pod) {
    row++;
  }
  print_change(own, spread, row, &own->other);
  code = own->other.failed ? rebali_fail_memory(err) : rebali_watch_quietly(server, object, err);
  return code == REBAL_OK ? rebali_pod_log_add(own, name, object, own->other.bytes, reason_of(own, row), err) : code;
}

/* ---- what became of subsets -------------------------------------------------------------------------------------- */

static int32_t tell_condition(struct rebali_own *own, uint32_t object, const rebal_spread *spread, size_t row,
                              rebal_error *err) {
  const uint32_t subset = (uint32_t)cell(own, REBAL_SUBSET_COUNT_SUBSET, row);
  const int is_open = cell(own, REBAL_SUBSET_COUNT_SCHEDULABLE, row) != 0;
  struct rebali_buffer *change = &own->other;
  rebali_buffer_clear(change);
  rebali_buffer_format(change, "subset %s is %s", rebal_spread_subset_name(spread, subset, NULL),
                       is_open ? "schedulable again" : "unschedulable");
  return change->failed ? rebali_fail_memory(err)
                        : rebali_tell(own->core->server, REBAL_LOG_KIND_CHANGE, name, object, change->bytes,
                                      is_open ? "it was left alone for long enough"
                                              : "pods in it have waited for a node for rescheduleCriticalSeconds",
                                      err);
}

/* The status that the store has is the one before this pass. */
static int was_closed(struct rebali_server *server, uint32_t object, const char *subset) {
  const rebal_value *statuses = rebali_field(server, object, "status.subsetStatuses");
  for (size_t i = 0; i < rebal_value_count(statuses); i++) {
    const rebal_value *status = rebal_value_item(statuses, i), *conditions = rebali_find(status, "conditions");
    for (size_t j = 0; rebali_reads(rebali_find(status, "name"), subset) && j < rebal_value_count(conditions); j++) {
      if (rebali_reads(rebali_find(rebal_value_item(conditions, j), "status"), "False")) {
        return 1;
      }
    }
  }
  return 0;
}

static int32_t tell_conditions(struct rebali_own *own, uint32_t object, const rebal_spread *spread, rebal_error *err) {
  const size_t n = rebal_result_count(own->core->result, REBAL_TABLE_SUBSET_COUNT);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const int64_t is_open = cell(own, REBAL_SUBSET_COUNT_SCHEDULABLE, i);
    const int64_t subset = cell(own, REBAL_SUBSET_COUNT_SUBSET, i);
    if (cell(own, REBAL_SUBSET_COUNT_VERSION, i) == REBAL_ABSENT && is_open != REBAL_ABSENT && subset >= 0 &&
        was_closed(own->core->server, object, rebal_spread_subset_name(spread, (uint32_t)subset, NULL)) ==
            (is_open != 0)) {
      code = tell_condition(own, object, spread, i, err);
    }
  }
  return code;
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

static int32_t carry_out(struct rebali_own *own, const rebal_spread *spread, size_t action, rebal_error *err) {
  const uint32_t object = rebali_action_object(own->core, action);
  const int64_t kind = cell(own, REBAL_ACTION_KIND, action);
  int32_t code = REBAL_OK;
  if (kind == REBAL_ACTION_KIND_PATCH_METADATA) {
    return patch_pod(own, spread, action, err);
  }
  if (kind == REBAL_ACTION_KIND_DELETE && object != REBAL_NONE) {
    return rebali_pod_delete(own, object, name, "it has waited for a node for rescheduleCriticalSeconds", err);
  }
  if (kind == REBAL_ACTION_KIND_PATCH_STATUS && object != REBAL_NONE) {
    code = rebali_pod_log_tell(own, err);
  }
  return code == REBAL_OK ? rebali_carry_out(own->core, action, name, "its pods", NULL, err) : code;
}

static int32_t carry_out_all(struct rebali_own *own, uint32_t object, const rebal_spread *spread, rebal_error *err) {
  const size_t n = rebal_result_count(own->core->result, REBAL_TABLE_ACTION);
  int32_t code = tell_conditions(own, object, spread, err);
  if (code == REBAL_OK) {
    code = rebali_warnings_tell(own->core, name, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = carry_out(own, spread, i, err);
  }
  if (code == REBAL_OK) {
    code = rebali_pod_log_tell(own, err);
  }
  return code == REBAL_OK ? rebali_webhook_tell(own, err) : code;
}

/* A timer that is set stays: at the very end of a span a pass neither acts nor asks to come again. */
int32_t rebali_spread_controller_pass(struct rebali_spread_controller *controller, uint32_t object, rebal_error *err) {
  struct rebali_own *own = controller->own;
  struct rebali_core *core = own->core;
  const rebal_spread_opts opts = {.struct_size = sizeof opts, .compat = core->compat};
  rebal_spread *spread;
  int32_t code = rebal_spread_feed_update(own->feed, err);
  if (code != REBAL_OK) {
    return code;
  }
  spread = rebal_spread_feed_spread(own->feed, object);
  if (rebali_timer_is_due(&controller->timers, object, &core->server->now)) {
    rebali_timer_clear(&controller->timers, object);
  }
  if (spread == NULL) {
    return REBAL_OK;
  }
  code = rebal_spread_feed_step(core->ctx, own->feed, object, &core->server->now, &opts, core->result, err);
  if (code == REBAL_OK) {
    code = rebali_timer_lower(&controller->timers, object, rebali_late_wake_of(core), err);
  }
  return code == REBAL_OK ? carry_out_all(own, object, spread, err) : code;
}

int32_t rebali_spread_controller_run(struct rebali_spread_controller *controller, rebal_error *err) {
  struct rebali_own *own = controller->own;
  struct rebali_server *server;
  uint64_t before;
  int32_t code = REBAL_OK;
  if (own == NULL || !rebali_has_spreads(own)) {
    return REBAL_OK;
  }
  server = own->core->server;
  before = rebal_store_change_count(server->store);
  for (uint32_t object = rebali_next_of(server, "WorkloadSpread", REBAL_NONE); code == REBAL_OK && object != REBAL_NONE;
       object = rebali_next_of(server, "WorkloadSpread", object)) {
    if (controller->seen != before || rebali_timer_is_due(&controller->timers, object, &server->now)) {
      code = rebali_spread_controller_pass(controller, object, err);
      rebali_reads_release(server);
    }
  }
  controller->seen = before;
  return code;
}
