/* SPDX-License-Identifier: MIT */
/* The scheduler: which bindings are due, and when a failed one is retried (rebalance-karmada(7) 2.1, 2.7). */
#include "simulation/controllers/controllers.h"

#include <stdlib.h>

#define STEPS_MAX 16

static const char name[] = "scheduler";

static const char *const reasons[] = {
    "placement and replicas are as scheduled, and no reschedule was triggered",
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
  uint64_t order; /* of entry, for those that entered at the same time */
};

static int compare(const void *left, const void *right, const void *context) {
  const struct waiting *one = left, *other = right;
  const int32_t order = rebal_queue_compare(one->priority, &one->since, other->priority, &other->since);
  (void)context;
  return order != 0 ? (int)order : (one->order > other->order) - (one->order < other->order);
}

/*
 * Collects the bindings that are due, highest priority first, then by the time they entered the queue. *out is from
 * malloc.
 */
static int32_t collect(struct rebali_scheduler *scheduler, struct waiting **out, size_t *n, rebal_error *err) {
  struct rebali_server *server = scheduler->core->server;
  struct rebali_ids due = {NULL, 0, 0};
  int32_t code = rebali_timers_due(&scheduler->timers, &server->now, &due, err);
  struct waiting *list = code == REBAL_OK ? malloc((2 * due.n + 1) * sizeof *list) : NULL;
  *n = list != NULL ? due.n : 0;
  for (size_t i = 0; i < *n; i++) {
    const struct rebali_timer *timer = rebali_row_find(&scheduler->timers.objects, due.list[i]);
    list[i] = (struct waiting){due.list[i],
                               (int32_t)rebali_field_number(server, due.list[i], "spec.schedulePriority.priority", 0),
                               timer->due, timer->order};
  }
  if (list != NULL) {
    rebali_sort(list, *n, sizeof *list, list + *n, compare, NULL);
  }
  rebali_reads_release(server);
  rebali_ids_dispose(&due);
  *out = list;
  return code != REBAL_OK || list != NULL ? code : rebali_fail_memory(err);
}

static int64_t cell(const struct rebali_scheduler *scheduler, uint32_t column) {
  const int64_t value = rebali_cell(scheduler->core->result, column, 0);
  return value == REBAL_ABSENT ? 0 : value;
}

/* Sets when the binding is retried, if by time. The pools are checked in intervals from the start of the scenario. */
static int32_t requeue(struct rebali_scheduler *scheduler, uint32_t object, int32_t pool, rebal_error *err) {
  struct rebali_queued *queued = rebali_row(&scheduler->queued, object, err);
  rebal_time due;
  int32_t code;
  if (queued == NULL) {
    return REBAL_ENOMEM;
  }
  if (pool == REBAL_POOL_NONE) {
    queued->attempts = 0;
    return REBAL_OK;
  }
  code =
      rebal_queue_flush(pool, &scheduler->core->server->now, queued->attempts, &scheduler->options->start, &due, err);
  return code == REBAL_OK ? rebali_timer_set(&scheduler->timers, object, due, err) : code;
}

/* Returns a copy, because the result is gone when the log needs it. */
static char *explain(const struct rebali_scheduler *scheduler) {
  const int64_t outcome = cell(scheduler, REBAL_DECISION_OUTCOME), reason = cell(scheduler, REBAL_DECISION_REASON);
  const char *text = rebal_result_text(scheduler->core->result, REBAL_DECISION_MESSAGE, 0, NULL);
  if (outcome == REBAL_OUTCOME_SKIPPED) {
    text = "deleting, suspended, without policy, or another scheduler's";
  } else if (text[0] == '\0') {
    text = reason >= 0 && (size_t)reason < REBALI_COUNT(reasons) ? reasons[reason] : "";
  }
  return rebali_text_copy(text);
}

/* Decides, with the estimators of members if the head requests them. If observations is NULL, all writes succeed. */
static int32_t decide(struct rebali_scheduler *scheduler, const rebal_observations *observations, rebal_error *err) {
  struct rebali_core *core = scheduler->core;
  const rebal_time expiry = rebali_assumed_expiry(scheduler);
  rebal_schedule_opts opts = {.struct_size = sizeof opts,
                              .compat = core->compat,
                              .observations = observations,
                              .ledger = scheduler->ledger,
                              .ledger_expiry = &expiry};
  rebal_estimator members = {.struct_size = sizeof members};
  const rebal_estimator *const estimators[] = {&members};
  int32_t *fits = NULL;
  int32_t code = REBAL_OK;
  if (scheduler->options->has_estimators && scheduler->members->n_with_nodes > 0) {
    code = rebali_members_estimate(scheduler->members, &members, &fits, err);
    opts.estimators = estimators;
    opts.n_estimators = 1;
  }
  if (code == REBAL_OK) {
    code =
        rebal_scheduler_step(core->ctx, core->snapshot, core->bindings, &core->server->now, &opts, core->result, err);
  }
  free(fits);
  return code;
}

static int32_t carry_out(struct rebali_scheduler *scheduler, uint32_t object, rebal_observations *observations,
                         rebal_error *err) {
  struct rebali_server *server = scheduler->core->server;
  const uint64_t before = server->changes;
  char *reason = explain(scheduler);
  int32_t code =
      reason != NULL ? rebali_carry_out_all(scheduler->core, name, reason, observations, err) : rebali_fail_memory(err);
  if (code == REBAL_OK && server->changes == before) {
    code = rebali_log_report(server, REBAL_LOG_KIND_NOTE, name, object, "examined, left unchanged", reason, err);
  }
  free(reason);
  return code;
}

/* Schedules one binding: one call, or if a write is going to fail, calls until everything was observed. */
static int32_t take_turn(struct rebali_scheduler *scheduler, uint32_t object, int32_t *pool, rebal_error *err) {
  struct rebali_core *core = scheduler->core;
  rebal_observations *observations = rebali_fault_is_due(core->server, object) ? core->observations : NULL;
  int32_t code = REBAL_OK;
  rebal_observations_reset(core->observations);
  for (size_t i = 0; i < STEPS_MAX; i++) {
    int waits = 0;
    code = decide(scheduler, observations, err);
    if (code == REBAL_OK) {
      waits = rebali_is_waiting(core);
      *pool = rebal_queue_pool(cell(scheduler, REBAL_STEP_STATE), cell(scheduler, REBAL_DECISION_OUTCOME));
      code = carry_out(scheduler, object, observations, err);
    }
    if (code != REBAL_OK || !waits) {
      return code;
    }
  }
  return rebali_fail(err, REBAL_ELIMIT, -1, "the turn of a binding does not end");
}

static int32_t schedule(struct rebali_scheduler *scheduler, uint32_t object, rebal_error *err) {
  struct rebali_queued *queued = rebali_row(&scheduler->queued, object, err);
  int32_t pool = REBAL_POOL_NONE;
  int32_t code = queued != NULL ? rebali_feed(scheduler->core, &object, 1, err) : REBAL_ENOMEM;
  rebali_timer_clear(&scheduler->timers, object);
  if (code == REBAL_OK) {
    queued->attempts++;
    code = take_turn(scheduler, object, &pool, err);
  }
  return code == REBAL_OK ? requeue(scheduler, object, pool, err) : code;
}

int32_t rebali_scheduler_run(struct rebali_scheduler *scheduler, rebal_error *err) {
  struct waiting *list = NULL;
  size_t n = 0;
  int32_t code = rebali_queue_observe(scheduler, err);
  if (code == REBAL_OK) {
    code = rebali_assumed_observe(scheduler, err);
  }
  if (code == REBAL_OK) {
    code = collect(scheduler, &list, &n, err);
  }
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = schedule(scheduler, list[i].object, err);
    rebali_reads_release(scheduler->core->server);
  }
  free(list);
  return code;
}

void rebali_scheduler_dispose(struct rebali_scheduler *scheduler) {
  for (uint32_t i = 0; i < scheduler->queued.n; i++) {
    struct rebali_queued *queued = rebali_row_find(&scheduler->queued, i);
    free(queued->cluster);
  }
  free(scheduler->queued.bytes);
  rebali_assumed_dispose(scheduler);
  rebali_timers_dispose(&scheduler->timers);
  rebal_snapshot_unref(scheduler->snapshot);
}
