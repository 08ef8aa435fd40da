/* SPDX-License-Identifier: MIT */
#include "record/tolerations.h"
#include "failover/failover.h"

static int is_noexecute(const struct rebali_taint *taint) {
  return rebali_effect_parse(taint->effect) == REBALI_EFFECT_NO_EXECUTE;
}

/* Returns the next NoExecute taint. */
static uint32_t next_taint(const rebal_record *taints, uint32_t node, struct rebali_taint *taint) {
  while ((node = rebal_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    *taint = rebali_taint_read(taints, node);
    if (is_noexecute(taint)) {
      break;
    }
  }
  return node;
}

/* Returns the first toleration of a taint, or REBAL_NONE. placement may be NULL. */
static uint32_t first_of(const rebal_record *placement, const struct rebali_taint *taint) {
  return rebali_first_tolerating(placement, 0, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, taint);
}

/* Marks the nodes of tolerations that are the first of some taint. */
static int32_t mark_used(struct rebali_failover_call *call, const rebal_record *taints, const rebal_record *placement) {
  static const char zeros[64];
  struct rebali_taint taint;

  call->used.len = 0;
  for (size_t left = placement->n_nodes, n = 0; left > 0; left -= n) {
    n = left < sizeof zeros ? left : sizeof zeros;
    rebali_buffer_append(&call->used, zeros, n);
  }
  if (call->used.failed) {
    return rebali_fail_memory(call->every.err);
  }
  for (uint32_t node = REBAL_NONE; (node = next_taint(taints, node, &taint)) != REBAL_NONE;) {
    call->used.bytes[first_of(placement, &taint)] = 1;
  }
  return REBAL_OK;
}

/*
 * Returns the least time left by a used toleration of a taint, even if another toleration of that taint comes first.
 * Tolerations beyond those listed for a taint are not used.
 */
static int64_t least_time(const struct rebali_failover_call *call, const rebal_record *taints,
                          const rebal_record *placement) {
  int64_t least = INT64_MAX;
  struct rebali_taint taint;

  for (uint32_t node = REBAL_NONE; (node = next_taint(taints, node, &taint)) != REBAL_NONE;) {
    uint32_t found[REBALI_FEW_TOLERATIONS];
    const size_t n = !taint.time_added.is_set
                         ? 0
                         : rebali_tolerating(placement, 0, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, &taint, found);

    for (size_t i = 0; i < n; i++) {
      const struct rebali_toleration toleration = rebali_toleration_read(placement, found[i]);

      if (toleration.has_seconds && call->used.bytes[found[i]]) {
        const int64_t left = rebali_time_left_ns(call->every.now, &taint.time_added, toleration.toleration_seconds);

        least = left < least ? left : least;
      }
    }
  }
  return least;
}

static int32_t judge_taints(struct rebali_failover_call *call, const rebal_record *taints,
                            const rebal_record *placement, struct rebali_taint_verdict *verdict) {
  int64_t least = INT64_MAX;
  int is_limited = 0;
  struct rebali_taint taint;

  for (uint32_t node = REBAL_NONE; (node = next_taint(taints, node, &taint)) != REBAL_NONE;) {
    const uint32_t used = first_of(placement, &taint);

    if (used == REBAL_NONE) {
      verdict->kind = REBAL_TAINT_VERDICT_EVICT;
      return REBAL_OK;
    }
    is_limited |= rebali_toleration_read(placement, used).has_seconds;
  }
  if (is_limited) {
    const int32_t code = mark_used(call, taints, placement);

    if (code != REBAL_OK) {
      return code;
    }
    least = least_time(call, taints, placement);
  }
  if (least != INT64_MAX) { /* the full range means no limit: 292 years */
    verdict->kind = least <= 0 ? REBAL_TAINT_VERDICT_EVICT : REBAL_TAINT_VERDICT_AFTER;
    verdict->after_ns = least <= 0 ? REBAL_ABSENT : least;
  }
  return REBAL_OK;
}

int32_t rebali_taint_judge(struct rebali_failover_call *call, const rebal_record *taints, uint32_t binding,
                           struct rebali_taint_verdict *verdict) {
  const int64_t applied = rebali_bindings_i64(call->every.bindings, REBAL_BINDING_APPLIED_STATE, binding);
  const int64_t handle = rebali_bindings_i64(call->every.bindings, REBAL_BINDING_APPLIED_PLACEMENT, binding);

  *verdict = (struct rebali_taint_verdict){REBAL_TAINT_VERDICT_FOREVER, REBAL_ABSENT, REBALI_TEXT("")};
  if (applied != REBAL_ANNOTATION_PRESENT) {
    verdict->kind = REBAL_TAINT_VERDICT_ERROR;
    verdict->message = applied == REBAL_ANNOTATION_ABSENT /* the reference's text, including its spelling */
                           ? REBALI_TEXT("the applied placement for ResourceBining can not be empty")
                           : REBALI_TEXT("the applied placement annotation cannot be read");
    return REBAL_OK;
  }
  if ((call->opts.flags & REBAL_FAILOVER_FLAG_EVICT_BY_TAINT) == 0 || taints == NULL) {
    return REBAL_OK;
  }
  return judge_taints(call, taints,
                      rebali_snapshot_record(call->every.snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)handle), verdict);
}

static int32_t judge_binding(struct rebali_every_binding *every, uint32_t binding) {
  struct rebali_failover_call *call = (void *)every;
  const rebal_record *taints = rebali_snapshot_cell_record(every->snapshot, REBAL_CLUSTER_TAINTS, call->cluster);
  struct rebali_taint_verdict verdict;
  const int32_t code = rebali_taint_judge(call, taints, binding, &verdict);

  return code != REBAL_OK
             ? code
             : rebali_every_binding_step(every, REBAL_STEP_STATE_DONE, verdict.kind, verdict.message, verdict.after_ns);
}

int32_t rebal_taint_verdict(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster, const rebal_bindings *bindings,
                            const rebal_time *now, const rebal_failover_opts *opts, rebal_result *result,
                            rebal_error *err) {
  struct rebali_failover_call call = {
      .every = {snapshot, bindings, now, result, err, NULL}, .ctx = ctx, .cluster = cluster};

  if (cluster == REBAL_NONE) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the cluster is missing");
  }
  return rebali_failover_run(&call, opts, judge_binding);
}
