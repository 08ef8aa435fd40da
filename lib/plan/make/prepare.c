/* SPDX-License-Identifier: MIT */
/*
 * Copies the bindings as they are to be scheduled: with the trigger of a fresh placement, and without the replicas that
 * the descheduler takes.
 */
#include "plan/make/make.h"

/* Returns now, or one second after the last scheduling: a trigger must be later than that. */
static rebal_time trigger_of(const struct rebali_plan_call *call, uint32_t binding) {
  const rebal_time last = rebali_bindings_time(call->bindings, REBAL_BINDING_LAST_SCHEDULED_TIME, binding);

  return rebal_time_compare(call->now, &last) > 0 ? *call->now : rebali_time_after(&last, REBALI_SECOND_NS);
}

static int32_t trigger_all(struct rebali_plan_call *call) {
  rebal_cells *cells = rebal_bindings_cells(call->prepared);
  int32_t code = REBAL_OK;

  for (uint32_t row = 0; row < rebali_bindings_size(call->bindings) && code == REBAL_OK; row++) {
    const rebal_time trigger = trigger_of(call, row);

    code = rebal_cells_set_time(cells, REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, REBAL_NONE, row, &trigger, call->err);
  }
  return code;
}

/*
 * Returns the target that a row of DESCHEDULED refers to. If a cluster is named twice, the first target is used, as in
 * the scheduler.
 */
static uint32_t target_of(const struct rebali_plan_call *call, uint32_t binding, int64_t cluster) {
  size_t n;
  const uint32_t *targets = rebali_bindings_children(call->bindings, REBAL_TABLE_TARGET, binding, &n);

  for (size_t i = 0; i < n; i++) {
    if (rebali_bindings_i64(call->bindings, REBAL_TARGET_CLUSTER, targets[i]) == cluster) {
      return targets[i];
    }
  }
  return REBAL_NONE;
}

/* Digests by name, in the order of the bindings, because this is an input of the plan. */
static void digest_given_up(struct rebali_plan_call *call, int64_t binding, int64_t cluster, int64_t after) {
  rebali_digest_u64(&call->given_up, (uint64_t)binding);
  rebali_digest_text(&call->given_up, rebali_snapshot_name(call->snapshot, (uint32_t)cluster));
  rebali_digest_u64(&call->given_up, (uint64_t)after);
}

static int32_t give_up(struct rebali_plan_call *call) {
  rebal_cells *cells = rebal_bindings_cells(call->prepared);
  const int64_t *bindings, *clusters, *after;
  size_t n;
  int32_t code = rebal_deschedule_step(call->ctx, call->snapshot, call->bindings, call->now, call->opts.deschedule,
                                       call->result, call->err);

  bindings = rebal_result_i64(call->result, REBAL_DESCHEDULED_BINDING, &n);
  clusters = rebal_result_i64(call->result, REBAL_DESCHEDULED_CLUSTER, &n);
  after = rebal_result_i64(call->result, REBAL_DESCHEDULED_AFTER, &n);
  for (size_t i = 0; i < n; i++) { /* n is 0 after a failed call */
    const uint32_t target = target_of(call, (uint32_t)bindings[i], clusters[i]);

    if (target != REBAL_NONE) {
      digest_given_up(call, bindings[i], clusters[i], after[i]);
      /* The binding has these replicas, so the column exists and is not allocated here. */
      (void)rebal_cells_set_i64(cells, REBAL_TARGET_REPLICAS, REBAL_NONE, target, after[i], call->err);
    }
  }
  return code;
}

int32_t rebali_plan_prepare(struct rebali_plan_call *call) {
  int32_t code = rebal_bindings_copy(call->bindings, &call->prepared, call->err);

  rebali_digest_begin(&call->given_up, 0, 0);
  if (code == REBAL_OK && call->opts.mode != REBAL_PLAN_MODE_STEADY) {
    code = trigger_all(call);
  }
  if (code == REBAL_OK && call->opts.deschedule != NULL) {
    code = give_up(call);
  }
  return code == REBAL_OK ? rebal_bindings_freeze(call->prepared, call->err) : code;
}
