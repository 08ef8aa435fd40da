/* SPDX-License-Identifier: MIT */
/* The controller of WorkloadSpreads: a pass over each one when something changed, or when one of its timers expires. */
#include "simulation/controllers/controllers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workload-spread";

static int64_t cell(const struct rebali_own *own, uint32_t column, size_t row) {
  return rebali_cell(own->core->result, column, row);
}

/* One pass over a WorkloadSpread. */
struct pass {
  uint32_t object;
  rebal_spread *spread;
  rebal_spread_opts opts;
  rebal_observations *observations; /* of patches of pods */
};

/* ---- changes of pods --------------------------------------------------------------------------------------------- */

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

/*
 * Patches the pod of action i; its row of GROUPED has the same row. The API server may refuse the patched pod:
 * *is_refused.
 */
static int32_t patch_pod(struct rebali_own *own, const struct pass *pass, size_t action, int *is_refused,
                         rebal_error *err) {
  struct rebali_server *server = own->core->server;
  const rebal_spread *spread = pass->spread;
  const size_t n = rebal_result_count(own->core->result, REBAL_TABLE_GROUPED);
  const int64_t pod = cell(own, REBAL_ACTION_ROW, action);
  const uint32_t object = rebali_action_object(own->core, action);
  const uint64_t before = rebal_store_change_count(server->store);
  size_t row = 0;
  int32_t code = rebal_store_carry_out(server->store, own->core->result, action, &server->now, pass->observations, err);
  if (code != REBAL_OK || object == REBAL_NONE) {
    return code;
  }
  if (rebal_store_change_count(server->store) == before) {
    *is_refused = 1;
    return REBAL_OK;
  }
  while (row < n && cell(own, REBAL_GROUPED_POD, row) != pod) {
    row++;
  }
  print_change(own, spread, row, &own->other);
  code = own->other.failed ? rebali_fail_memory(err) : rebali_watch_quietly(server, object, err);
  return code == REBAL_OK ? rebali_pod_log_add(own, name, object, own->other.bytes, reason_of(own, row), err) : code;
}

/* ---- changes of subsets ------------------------------------------------------------------------------------------ */

static int32_t report_subset_condition(struct rebali_own *own, uint32_t object, const rebal_spread *spread, size_t row,
                                       rebal_error *err) {
  const uint32_t subset = (uint32_t)cell(own, REBAL_SUBSET_COUNT_SUBSET, row);
  const int is_open = cell(own, REBAL_SUBSET_COUNT_SCHEDULABLE, row) != 0;
  struct rebali_buffer *change = &own->other;
  rebali_buffer_clear(change);
  rebali_buffer_format(change, "subset %s is %s", rebal_spread_subset_name(spread, subset, NULL),
                       is_open ? "schedulable again" : "unschedulable");
  return change->failed ? rebali_fail_memory(err)
                        : rebali_log_report(own->core->server, REBAL_LOG_KIND_CHANGE, name, object, change->bytes,
                                            is_open ? "it was left alone for long enough"
                                                    : "pods in it have waited for a node for rescheduleCriticalSeconds",
                                            err);
}

/* The store still has the status from before this pass. */
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

static int32_t report_subset_conditions(struct rebali_own *own, uint32_t object, const rebal_spread *spread,
                                        rebal_error *err) {
  const size_t n = rebal_result_count(own->core->result, REBAL_TABLE_SUBSET_COUNT);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const int64_t is_open = cell(own, REBAL_SUBSET_COUNT_SCHEDULABLE, i);
    const int64_t subset = cell(own, REBAL_SUBSET_COUNT_SUBSET, i);
    if (cell(own, REBAL_SUBSET_COUNT_VERSION, i) == REBAL_ABSENT && is_open != REBAL_ABSENT && subset >= 0 &&
        was_closed(own->core->server, object, rebal_spread_subset_name(spread, (uint32_t)subset, NULL)) ==
            (is_open != 0)) {
      code = report_subset_condition(own, object, spread, i, err);
    }
  }
  return code;
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

static int32_t carry_out(struct rebali_own *own, size_t action, rebal_error *err) {
  const uint32_t object = rebali_action_object(own->core, action);
  const int64_t kind = cell(own, REBAL_ACTION_KIND, action);
  int32_t code = REBAL_OK;
  if (kind == REBAL_ACTION_KIND_DELETE && object != REBAL_NONE) {
    return rebali_pod_delete(own, object, name, "it has waited for a node for rescheduleCriticalSeconds", err);
  }
  if (kind == REBAL_ACTION_KIND_PATCH_STATUS && object != REBAL_NONE) {
    code = rebali_pod_log_report(own, err);
  }
  return code == REBAL_OK ? rebali_carry_out(own->core, action, name, "its pods", NULL, err) : code;
}

/* Patches pods, before anything else. */
static int32_t patch_pods(struct rebali_own *own, const struct pass *pass, int *is_refused, rebal_error *err) {
  const size_t n = rebal_result_count(own->core->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (cell(own, REBAL_ACTION_KIND, i) == REBAL_ACTION_KIND_PATCH_METADATA) {
      code = patch_pod(own, pass, i, is_refused, err);
    }
  }
  return code;
}

static int32_t carry_out_rest(struct rebali_own *own, rebal_error *err) {
  const size_t n = rebal_result_count(own->core->result, REBAL_TABLE_ACTION);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (cell(own, REBAL_ACTION_KIND, i) != REBAL_ACTION_KIND_PATCH_METADATA) {
      code = carry_out(own, i, err);
    }
  }
  return code;
}

/* A pod that cannot be patched ends the pass, which logs the reason; the next pass runs when something changes. */
static int32_t report_refused(struct rebali_own *own, struct pass *pass, rebal_error *err) {
  struct rebali_core *core = own->core;
  int32_t code = rebali_pod_log_report(own, err);
  pass->opts.observations = pass->observations;
  if (code == REBAL_OK) {
    code =
        rebal_spread_feed_step(core->ctx, own->feed, pass->object, &core->server->now, &pass->opts, core->result, err);
  }
  if (code == REBAL_OK) {
    code = carry_out_rest(own, err);
  }
  return code == REBAL_OK
             ? rebali_log_report(core->server, REBAL_LOG_KIND_NOTE, name, pass->object, "a pod was not patched",
                                 rebal_result_text(core->result, REBAL_STEP_MESSAGE, 0, NULL), err)
             : code;
}

static int32_t carry_out_all(struct rebali_own *own, struct pass *pass, rebal_error *err) {
  int is_refused = 0;
  int32_t code = rebali_warnings_report(own->core, name, err);
  if (code == REBAL_OK) {
    code = patch_pods(own, pass, &is_refused, err);
  }
  if (code == REBAL_OK && is_refused) {
    code = report_refused(own, pass, err);
  } else if (code == REBAL_OK) {
    code = report_subset_conditions(own, pass->object, pass->spread, err);
    code = code == REBAL_OK ? carry_out_rest(own, err) : code;
  }
  if (code == REBAL_OK) {
    code = rebali_pod_log_report(own, err);
  }
  return code == REBAL_OK ? rebali_webhook_report(own, err) : code;
}

/* A timer that is set stays: at the very end of its span, a pass neither acts nor requests another time. */
int32_t rebali_spread_controller_pass(struct rebali_spread_controller *controller, uint32_t object, rebal_error *err) {
  struct rebali_own *own = controller->own;
  struct rebali_core *core = own->core;
  struct pass pass = {object, NULL, {.struct_size = sizeof pass.opts, .compat = core->compat}, NULL};
  int32_t code = rebal_spread_feed_update(own->feed, err);
  if (code != REBAL_OK) {
    return code;
  }
  pass.spread = rebal_spread_feed_spread(own->feed, object);
  if (rebali_timer_is_due(&controller->timers, object, &core->server->now)) {
    rebali_timer_clear(&controller->timers, object);
  }
  if (pass.spread == NULL) {
    return REBAL_OK;
  }
  code = rebal_spread_feed_step(core->ctx, own->feed, object, &core->server->now, &pass.opts, core->result, err);
  if (code == REBAL_OK) {
    code = rebali_timer_lower(&controller->timers, object, rebali_late_wake_of(core), err);
  }
  if (code == REBAL_OK) {
    code = rebal_observations_new(NULL, &pass.observations, err);
  }
  code = code == REBAL_OK ? carry_out_all(own, &pass, err) : code;
  rebal_observations_free(pass.observations);
  return code;
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
