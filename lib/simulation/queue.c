/* SPDX-License-Identifier: MIT */
/* The scheduler and its queue: who is due, and when one that failed comes again (spec karmada 2.1, 2.7). */
#include "member.h"

#include <stdlib.h>

static const char name[] = "scheduler";

static const char *const reasons[] = {
    "placement and replicas are as scheduled, and no new schedule was asked for",
    "the binding is being deleted",
    "the placement is not the one that was applied last",
    "the replicas assigned are not those wanted",
    "rescheduleTriggeredAt is after lastScheduledTime",
    "duplicated, or without replicas: scheduled each time",
    "a cluster it is in is being deleted",
};

struct waiting {
  uint32_t object;
  int32_t priority;
  rebal_time since;
  uint64_t order; /* of those that entered at the same moment */
};

void rebali_enqueue(rebal_simulation *simulation, uint32_t object) {
  rebali_timer_set(simulation, REBALI_TIMER_SCHEDULER, object, (rebal_time){0, 0, 0});
  simulation->tracked[object].order = ++simulation->order;
  rebali_timer_set(simulation, REBALI_TIMER_SCHEDULER, object, simulation->now);
}

static int is_before(const struct waiting *left, const struct waiting *right) {
  const int32_t order = rebal_queue_compare(left->priority, &left->since, right->priority, &right->since);
  return order != 0 ? order < 0 : left->order < right->order;
}

/* The bindings that are due, highest priority first, then by the time they entered the queue; *out from malloc. */
static int32_t collect(rebal_simulation *simulation, struct waiting **out, size_t *n, rebal_error *err) {
  struct rebali_ids due = {NULL, 0, 0};
  int32_t code = rebali_timers_due(simulation, REBALI_TIMER_SCHEDULER, &due, err);
  struct waiting *list = code == REBAL_OK ? malloc((due.n + 1) * sizeof *list) : NULL;
  *n = 0;
  for (size_t i = 0; list != NULL && i < due.n; i++) {
    const struct rebali_tracked *tracked = &simulation->tracked[due.list[i]];
    struct waiting one = {due.list[i], 0, tracked->due[REBALI_TIMER_SCHEDULER], tracked->order};
    size_t at = (*n)++;
    one.priority = (int32_t)rebali_field_integer(simulation, one.object, "spec.schedulePriority.priority");
    for (; at > 0 && is_before(&one, &list[at - 1]); at--) {
      list[at] = list[at - 1];
    }
    list[at] = one;
  }
  rebali_ids_dispose(&due);
  *out = list;
  return code != REBAL_OK || list != NULL ? code : rebali_fail_memory(err);
}

static int64_t cell(const rebal_simulation *simulation, uint32_t column) {
  size_t n = 0;
  const int64_t *values = rebal_result_i64(simulation->result, column, &n);
  return n > 0 ? values[0] : 0;
}

/* When the binding comes again, if by time. The checks of the pools are made from the start of the scenario on. */
static int32_t requeue(rebal_simulation *simulation, uint32_t object, int32_t pool, rebal_error *err) {
  struct rebali_tracked *tracked = &simulation->tracked[object];
  rebal_time due;
  int32_t code;
  if (pool == REBAL_POOL_NONE) {
    tracked->attempts = 0;
    return REBAL_OK;
  }
  code = rebal_queue_flush(pool, &simulation->now, tracked->attempts, &simulation->scenario.start, &due, err);
  if (code == REBAL_OK) {
    rebali_timer_set(simulation, REBALI_TIMER_SCHEDULER, object, due);
  }
  return code;
}

/* A copy, as the result is gone when the log wants it. */
static char *explain(const rebal_simulation *simulation) {
  const int64_t outcome = cell(simulation, REBAL_DECISION_OUTCOME), reason = cell(simulation, REBAL_DECISION_REASON);
  struct rebali_slice text = {NULL, 0};
  text.bytes = rebal_result_text(simulation->result, REBAL_DECISION_MESSAGE, 0, &text.len);
  if (outcome == REBAL_OUTCOME_SKIPPED) {
    text = rebali_slice("deleting, suspended, without policy, or another scheduler's");
  } else if (text.len == 0) {
    text = rebali_slice(reason >= 0 && (size_t)reason < sizeof reasons / sizeof reasons[0] ? reasons[reason] : "");
  }
  return rebali_bytes_copy(text.bytes, text.len);
}

static int32_t note_rest(rebal_simulation *simulation, uint32_t object, const char *reason, rebal_error *err) {
  char *label = rebali_object_label(simulation, object);
  const int32_t code = label != NULL ? rebali_log_append(simulation, REBAL_LOG_KIND_NOTE, name, label,
                                                         "looked at, left as it is", reason, err)
                                     : rebali_fail_memory(err);
  free(label);
  return code;
}

/* The decision, with the estimators of members when the head says so. */
static int32_t decide(rebal_simulation *simulation, rebal_error *err) {
  rebal_schedule_opts opts = {.struct_size = sizeof opts, .compat = simulation->opts.compat};
  rebal_estimator members = {.struct_size = sizeof members};
  const rebal_estimator *const estimators[] = {&members};
  int32_t *fits = NULL;
  int32_t code = REBAL_OK;
  if (simulation->scenario.has_estimators && simulation->n_members > 0) {
    code = rebali_member_estimate(simulation, &members, &fits, err);
    opts.estimators = estimators;
    opts.n_estimators = 1;
  }
  if (code == REBAL_OK) {
    code = rebal_scheduler_step(simulation->ctx, simulation->snapshot, simulation->bindings, &simulation->now, &opts,
                                simulation->result, err);
  }
  free(fits);
  return code;
}

static int32_t schedule(rebal_simulation *simulation, uint32_t object, rebal_error *err) {
  const uint64_t before = simulation->changes;
  struct rebali_tracked *tracked = &simulation->tracked[object];
  char *reason;
  int32_t pool;
  int32_t code = rebali_feed(simulation, &object, 1, err);
  rebali_timer_set(simulation, REBALI_TIMER_SCHEDULER, object, (rebal_time){0, 0, 0});
  tracked->attempts++;
  if (code == REBAL_OK) {
    code = decide(simulation, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  pool = rebal_queue_pool(cell(simulation, REBAL_STEP_STATE), cell(simulation, REBAL_DECISION_OUTCOME));
  reason = explain(simulation);
  code = reason != NULL ? rebali_carry_out_all(simulation, name, reason, err) : rebali_fail_memory(err);
  if (code == REBAL_OK && simulation->changes == before) {
    code = note_rest(simulation, object, reason, err);
  }
  free(reason);
  return code == REBAL_OK ? requeue(simulation, object, pool, err) : code;
}

int32_t rebali_queue_run(rebal_simulation *simulation, rebal_error *err) {
  struct waiting *list = NULL;
  size_t n = 0;
  int32_t code = rebali_queue_observe(simulation, err);
  if (code == REBAL_OK) {
    code = collect(simulation, &list, &n, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = schedule(simulation, list[i].object, err);
  }
  free(list);
  return code;
}
