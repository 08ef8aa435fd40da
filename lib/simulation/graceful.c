/* SPDX-License-Identifier: MIT */
/* The graceful-eviction controller (spec karmada 10.4). */
#include "simulation.h"

#define DEFAULT_TIMEOUT (600 * REBALI_SECOND_NS)

static const char name[] = "graceful-eviction";

static struct rebali_slice tasks_of(const rebal_simulation *simulation, uint32_t binding) {
  return rebali_field(simulation, binding, "spec.gracefulEvictionTasks");
}

static int has_timed_out(const rebal_simulation *simulation, struct rebali_slice task) {
  const struct rebali_slice created = rebali_cursor_find(task, "creationTimestamp");
  const rebal_failover_opts *failover = &simulation->scenario.failover;
  int64_t timeout = (failover->flags & REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN) != 0 ? failover->graceful_eviction_timeout_ns
                                                                               : DEFAULT_TIMEOUT;
  int64_t seconds;
  rebal_time end;
  if (created.len < 2 || rebali_time_parse(created.bytes + 1, created.len - 2, &end, NULL) != REBAL_OK) {
    return 0;
  }
  if (rebali_cursor_integer(rebali_cursor_find(task, "gracePeriodSeconds"), &seconds) && seconds < 1000000000) {
    timeout = seconds * REBALI_SECOND_NS;
  }
  end = rebali_time_after(&end, timeout);
  return rebali_time_compare(&simulation->now, &end) > 0;
}

/* With STRICT_REMOVAL time ends no task. */
static int may_time_out(const rebal_simulation *simulation) {
  int64_t is_strict = 0;
  (void)rebal_compat_get(simulation->scenario.failover.compat, REBAL_OPTION_STRICT_REMOVAL, &is_strict, NULL);
  return !is_strict;
}

/* Why the tasks change, for the log. */
static const char *explain(const rebal_simulation *simulation, uint32_t binding) {
  const struct rebali_slice tasks = tasks_of(simulation, binding);
  struct rebali_slice task;
  size_t at = 0;
  const char *reason = "every cluster in spec.clusters reports Healthy, the task has done its work";
  while (rebali_cursor_item(tasks, &at, &task)) {
    if (rebali_cursor_find(task, "creationTimestamp").len == 0) {
      return "the time of a new task starts";
    }
    if (may_time_out(simulation) && has_timed_out(simulation, task)) {
      reason = "the time of a task is over";
    }
  }
  return reason;
}

static int32_t assess(rebal_simulation *simulation, uint32_t binding, rebal_error *err) {
  const char *reason = explain(simulation, binding);
  int32_t code = rebali_feed(simulation, &binding, 1, err);
  if (code == REBAL_OK) {
    code = rebal_graceful_eviction_step(simulation->ctx, simulation->snapshot, simulation->bindings, &simulation->now,
                                        &simulation->scenario.failover, simulation->result, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  rebali_timer_set(simulation, REBALI_TIMER_GRACEFUL, binding, rebali_late_wake_of(simulation));
  return rebali_carry_out_all(simulation, name, reason, err);
}

/* Nothing comes of tasks before their binding changes or a timer is due. */
int32_t rebali_graceful_run(rebal_simulation *simulation, rebal_error *err) {
  struct rebali_ids bindings;
  int32_t code = rebali_changes_take(simulation, &simulation->assessed, &bindings, err);
  if (code == REBAL_OK) {
    code = rebali_timers_due(simulation, REBALI_TIMER_GRACEFUL, &bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ids_sort(simulation, &bindings, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < bindings.n; i++) {
    const uint32_t binding = bindings.list[i];
    if (!rebali_object_is_binding(simulation, binding)) {
      continue;
    }
    if (rebali_track(simulation, binding) == NULL) {
      code = rebali_fail_memory(err);
    } else {
      rebali_timer_set(simulation, REBALI_TIMER_GRACEFUL, binding, (rebal_time){0, 0, 0});
      code = tasks_of(simulation, binding).len > 2 ? assess(simulation, binding, err) : REBAL_OK;
    }
  }
  rebali_ids_dispose(&bindings);
  return code;
}
