/* SPDX-License-Identifier: MIT */
/* The graceful-eviction controller (rebalance-karmada(7) 10.4). */
#include "simulation/controllers/controllers.h"

#include <string.h>

#define DEFAULT_TIMEOUT (600 * REBALI_SECOND_NS)

static const char name[] = "graceful-eviction";

static int has_timed_out(const struct rebali_graceful_eviction *eviction, const rebal_value *task) {
  const char *created = rebali_find_text(task, "creationTimestamp");
  const rebal_failover_opts *failover = &eviction->options->failover;
  int64_t timeout = (failover->flags & REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN) != 0 ? failover->graceful_eviction_timeout_ns
                                                                               : DEFAULT_TIMEOUT;
  int64_t seconds;
  rebal_time end;
  if (rebali_time_parse(created, strlen(created), &end, NULL) != REBAL_OK) {
    return 0;
  }
  if (rebali_number(rebali_find(task, "gracePeriodSeconds"), &seconds) && seconds < 1000000000) {
    timeout = seconds * REBALI_SECOND_NS;
  }
  end = rebali_time_after(&end, timeout);
  return rebali_time_compare(&eviction->core->server->now, &end) > 0;
}

/* With STRICT_EVICTION no task ends by time. */
static int may_time_out(const struct rebali_graceful_eviction *eviction) {
  int64_t is_strict = 0;
  (void)rebal_compat_get(eviction->options->failover.compat, REBAL_OPTION_STRICT_EVICTION, &is_strict, NULL);
  return !is_strict;
}

/* Returns why the tasks change, for the log. */
static const char *explain(const struct rebali_graceful_eviction *eviction, const rebal_value *tasks) {
  const char *reason = "every cluster in spec.clusters reports Healthy, the task has done its work";
  for (size_t i = 0; i < rebal_value_count(tasks); i++) {
    const rebal_value *task = rebal_value_item(tasks, i);
    if (rebali_find(task, "creationTimestamp") == NULL) {
      return "the time of a new task starts";
    }
    if (may_time_out(eviction) && has_timed_out(eviction, task)) {
      reason = "the time of a task is over";
    }
  }
  return reason;
}

static int32_t assess(struct rebali_graceful_eviction *eviction, uint32_t binding, const rebal_value *tasks,
                      rebal_error *err) {
  struct rebali_core *core = eviction->core;
  const char *reason = explain(eviction, tasks);
  int32_t code = rebali_feed(core, &binding, 1, err);
  if (code == REBAL_OK) {
    code = rebal_graceful_eviction_step(core->ctx, core->snapshot, core->bindings, &core->server->now,
                                        &eviction->options->failover, core->result, err);
  }
  if (code == REBAL_OK) {
    code = rebali_timer_set(&eviction->timers, binding, rebali_late_wake_of(core), err);
  }
  return code == REBAL_OK ? rebali_carry_out_timed(core, &eviction->timers, binding, name, reason, err) : code;
}

/* Tasks have no effect before their binding changes or a timer is due. */
int32_t rebali_graceful_eviction_run(struct rebali_graceful_eviction *eviction, rebal_error *err) {
  struct rebali_server *server = eviction->core->server;
  struct rebali_ids bindings;
  int32_t code = rebali_changes_take(server, &eviction->seen, &bindings, err);
  if (code == REBAL_OK) {
    code = rebali_timers_due(&eviction->timers, &server->now, &bindings, err);
  }
  if (code == REBAL_OK) {
    code = rebali_ids_sort(server, &bindings, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < bindings.n; i++) {
    const uint32_t binding = bindings.list[i];
    if (rebali_object_is_binding(server, binding)) {
      const rebal_value *tasks = rebali_field(server, binding, "spec.gracefulEvictionTasks");
      rebali_timer_clear(&eviction->timers, binding);
      code = rebal_value_count(tasks) > 0 ? assess(eviction, binding, tasks, err) : REBAL_OK;
    }
    rebali_reads_release(server);
  }
  rebali_ids_dispose(&bindings);
  return code;
}
