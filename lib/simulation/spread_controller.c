/* SPDX-License-Identifier: MIT */
/* The controller of WorkloadSpreads: a pass over each whenever something changed, or one of its timers ended. */
#include "workloads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "workload-spread";

static int64_t cell(const rebal_simulation *simulation, uint32_t column, size_t row) {
  size_t n = 0;
  const int64_t *cells = rebal_result_i64(simulation->result, column, &n);
  return row < n ? cells[row] : REBAL_ABSENT;
}

/* ---- what became of pods ----------------------------------------------------------------------------------------- */

/* By REBAL_COST_REASON_*. */
static const char *const reasons[] = {"", "within the limit of its subset", "beyond the limit of its subset",
                                      "in no subset", "within the minimum of its subset"};

static const char *reason_of(const rebal_simulation *simulation, size_t row) {
  const int64_t why = cell(simulation, REBAL_GROUPED_WHY, row);
  return why > 0 && (size_t)why < sizeof reasons / sizeof reasons[0] ? reasons[why] : "";
}

static const char *subset_of(const rebal_simulation *simulation, const rebal_spread *spread, size_t row) {
  const int64_t subset = cell(simulation, REBAL_GROUPED_SUBSET, row);
  return subset >= 0 ? rebal_spread_subset_name(spread, (uint32_t)subset, NULL) : "none";
}

static int32_t print_change(rebal_simulation *simulation, const rebal_spread *spread, size_t row, rebal_text *out,
                            rebal_error *err) {
  const int64_t changes = cell(simulation, REBAL_GROUPED_CHANGES, row);
  int32_t code = REBAL_OK;
  rebal_text_reset(out);
  if ((changes & REBAL_CHANGES_SUBSET) != 0) {
    code = rebali_print(out, err, "adopted by subset %s, ", subset_of(simulation, spread, row));
  }
  return code == REBAL_OK
             ? rebali_print(out, err, "with deletion cost %" PRId64, cell(simulation, REBAL_GROUPED_COST, row))
             : code;
}

/* The action i is about a pod that changes: the one of GROUPED with the row of the action. */
static int32_t patch_pod(rebal_simulation *simulation, const rebal_spread *spread, size_t action, rebal_error *err) {
  const size_t n = rebal_result_count(simulation->result, REBAL_TABLE_GROUPED);
  const int64_t pod = cell(simulation, REBAL_ACTION_ROW, action);
  const uint32_t object = rebali_action_object(simulation, action);
  rebal_text *change = simulation->workloads->text;
  size_t row = 0;
  int32_t code = rebal_store_carry_out(simulation->store, simulation->result, action, &simulation->now, NULL, err);
  while (row < n && cell(simulation, REBAL_GROUPED_POD, row) != pod) {
    row++;
  }
  if (code == REBAL_OK && object != REBAL_NONE) {
    code = rebali_watch_quietly(simulation, object, err);
  }
  if (code == REBAL_OK && object != REBAL_NONE) {
    code = print_change(simulation, spread, row, change, err);
  }
  return code == REBAL_OK && object != REBAL_NONE
             ? rebali_news_add(simulation, name, object, rebal_text_bytes(change, NULL), reason_of(simulation, row),
                               err)
             : code;
}

/* ---- what became of subsets -------------------------------------------------------------------------------------- */

static int32_t tell_condition(rebal_simulation *simulation, uint32_t object, const rebal_spread *spread, size_t row,
                              rebal_error *err) {
  const uint32_t subset = (uint32_t)cell(simulation, REBAL_SUBSET_COUNT_SUBSET, row);
  const int is_open = cell(simulation, REBAL_SUBSET_COUNT_SCHEDULABLE, row) != 0;
  rebal_text *change = simulation->workloads->text;
  char *label = rebali_object_label(simulation, object);
  int32_t code = label != NULL ? REBAL_OK : rebali_fail_memory(err);
  rebal_text_reset(change);
  if (code == REBAL_OK) {
    code = rebali_print(change, err, "subset %s is %s", rebal_spread_subset_name(spread, subset, NULL),
                        is_open ? "schedulable again" : "unschedulable");
  }
  if (code == REBAL_OK) {
    code = rebali_log_append(simulation, REBAL_LOG_KIND_CHANGE, name, label, rebal_text_bytes(change, NULL),
                             is_open ? "it was left alone for long enough"
                                     : "pods in it have waited for a node for rescheduleCriticalSeconds",
                             err);
  }
  free(label);
  return code;
}

/* The status that the store has is the one before this pass. */
static int was_closed(rebal_simulation *simulation, uint32_t object, const char *subset) {
  const struct rebali_slice statuses = rebali_field(simulation, object, "status.subsetStatuses");
  struct rebali_slice status, condition;
  size_t at = 0;
  while (rebali_cursor_kind(statuses) == REBALI_JSON_LIST && rebali_cursor_item(statuses, &at, &status)) {
    const struct rebali_slice conditions = rebali_cursor_find(status, "conditions");
    size_t place = 0;
    if (!rebali_cursor_reads(rebali_cursor_find(status, "name"), rebali_slice(subset))) {
      continue;
    }
    while (rebali_cursor_kind(conditions) == REBALI_JSON_LIST && rebali_cursor_item(conditions, &place, &condition)) {
      if (rebali_slice_is(rebali_cursor_find(condition, "status"), "\"False\"")) {
        return 1;
      }
    }
  }
  return 0;
}

static int32_t tell_conditions(rebal_simulation *simulation, uint32_t object, const rebal_spread *spread,
                               rebal_error *err) {
  const size_t n = rebal_result_count(simulation->result, REBAL_TABLE_SUBSET_COUNT);
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const int64_t is_open = cell(simulation, REBAL_SUBSET_COUNT_SCHEDULABLE, i);
    const int64_t subset = cell(simulation, REBAL_SUBSET_COUNT_SUBSET, i);
    if (cell(simulation, REBAL_SUBSET_COUNT_VERSION, i) == REBAL_ABSENT && is_open != REBAL_ABSENT && subset >= 0 &&
        was_closed(simulation, object, rebal_spread_subset_name(spread, (uint32_t)subset, NULL)) == (is_open != 0)) {
      code = tell_condition(simulation, object, spread, i, err);
    }
  }
  return code;
}

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

static int32_t carry_out(rebal_simulation *simulation, const rebal_spread *spread, size_t action, rebal_error *err) {
  const uint32_t object = rebali_action_object(simulation, action);
  const int64_t kind = cell(simulation, REBAL_ACTION_KIND, action);
  if (kind == REBAL_ACTION_KIND_PATCH_METADATA) {
    return patch_pod(simulation, spread, action, err);
  }
  if (kind == REBAL_ACTION_KIND_DELETE && object != REBAL_NONE) {
    return rebali_pod_delete(simulation, object, name, "it has waited for a node for rescheduleCriticalSeconds", err);
  }
  if (kind == REBAL_ACTION_KIND_PATCH_STATUS && object != REBAL_NONE) {
    const int32_t code = rebali_news_tell(simulation, err);
    return code == REBAL_OK ? rebali_carry_out(simulation, action, name, "its pods", NULL, err) : code;
  }
  return rebali_carry_out(simulation, action, name, "its pods", NULL, err);
}

static int32_t carry_out_all(rebal_simulation *simulation, uint32_t object, const rebal_spread *spread,
                             rebal_error *err) {
  const size_t n = rebal_result_count(simulation->result, REBAL_TABLE_ACTION);
  int32_t code = tell_conditions(simulation, object, spread, err);
  if (code == REBAL_OK) {
    code = rebali_warnings_tell(simulation, name, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = carry_out(simulation, spread, i, err);
  }
  if (code == REBAL_OK) {
    code = rebali_news_tell(simulation, err);
  }
  return code == REBAL_OK ? rebali_webhook_tell(simulation, err) : code;
}

static int is_due(const rebal_simulation *simulation, uint32_t object) {
  return object < simulation->n_tracked &&
         rebali_time_is_due(&simulation->tracked[object].due[REBALI_TIMER_SPREAD], &simulation->now);
}

/* A timer that is set stays: at the very end of a span a pass neither acts nor asks to come again. */
static int32_t pass(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  const rebal_spread_opts opts = {.struct_size = sizeof opts, .compat = simulation->opts.compat};
  struct rebali_workloads *workloads = simulation->workloads;
  rebal_spread *spread;
  int32_t code = rebal_spread_feed_update(workloads->feed, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (rebali_track(simulation, object) == NULL) {
    return rebali_fail_memory(err);
  }
  spread = rebal_spread_feed_spread(workloads->feed, object);
  if (is_due(simulation, object)) {
    rebali_timer_set(simulation, REBALI_TIMER_SPREAD, object, (rebal_time){0, 0, 0});
  }
  if (spread == NULL) {
    return REBAL_OK;
  }
  code = rebal_spread_feed_step(simulation->ctx, workloads->feed, object, &simulation->now, &opts, simulation->result,
                                err);
  if (code == REBAL_OK) {
    rebali_timer_lower(simulation, REBALI_TIMER_SPREAD, object, rebali_late_wake_of(simulation));
    code = carry_out_all(simulation, object, spread, err);
  }
  return code;
}

int32_t rebali_spread_controller_run(rebal_simulation *simulation, rebal_error *err) {
  uint64_t before;
  int32_t code = REBAL_OK;
  if (simulation->workloads == NULL || !rebali_has_spreads(simulation)) {
    return REBAL_OK;
  }
  before = rebal_store_change_count(simulation->store);
  for (uint32_t object = rebali_next_of(simulation, "WorkloadSpread", REBAL_NONE);
       code == REBAL_OK && object != REBAL_NONE; object = rebali_next_of(simulation, "WorkloadSpread", object)) {
    if (simulation->workloads->spread != before || is_due(simulation, object)) {
      code = pass(simulation, object, err);
    }
  }
  simulation->workloads->spread = before;
  return code;
}
