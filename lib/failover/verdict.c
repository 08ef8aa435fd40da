/* SPDX-License-Identifier: MIT */
#include "failover/failover.h"

static int is_no_execute(const struct rebali_taint *taint) {
  return rebali_effect_parse(taint->effect) == REBALI_EFFECT_NO_EXECUTE;
}

/* Node of the first toleration that tolerates the taint, or REBAL_NONE. placement may be NULL. */
static uint32_t find_toleration(const rebal_record *placement, const struct rebali_taint *taint) {
  uint32_t node = REBAL_NONE;

  if (placement == NULL) {
    return REBAL_NONE;
  }
  while ((node = rebal_record_next(placement, 0, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, node)) != REBAL_NONE) {
    const struct rebali_toleration toleration = rebali_toleration_read(placement, node);

    if (rebali_tolerates(&toleration, taint)) {
      break;
    }
  }
  return node;
}

/* The least time any taint leaves that this toleration tolerates: also one that another toleration matched first. */
static int64_t limit_by(const rebal_record *taints, const struct rebali_toleration *toleration, const rebal_time *now,
                        int64_t least) {
  uint32_t node = REBAL_NONE;

  while ((node = rebal_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(taints, node);
    int64_t left;

    if (!is_no_execute(&taint) || !taint.time_added.is_set || !rebali_tolerates(toleration, &taint)) {
      continue;
    }
    left = rebali_time_left_ns(now, &taint.time_added, toleration->toleration_seconds);
    least = left < least ? left : least;
  }
  return least;
}

static struct rebali_taint_verdict judge_taints(const rebal_record *taints, const rebal_record *placement,
                                          const rebal_time *now) {
  struct rebali_taint_verdict verdict = {REBAL_TAINT_VERDICT_FOREVER, REBAL_ABSENT, REBALI_TEXT("")};
  int64_t least = INT64_MAX;
  uint32_t node = REBAL_NONE;

  while ((node = rebal_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE) {
    const struct rebali_taint taint = rebali_taint_read(taints, node);
    struct rebali_toleration toleration;
    uint32_t used;

    if (!is_no_execute(&taint)) {
      continue;
    }
    used = find_toleration(placement, &taint);
    if (used == REBAL_NONE) {
      verdict.kind = REBAL_TAINT_VERDICT_EVICT;
      return verdict;
    }
    toleration = rebali_toleration_read(placement, used);
    if (toleration.has_seconds) {
      least = limit_by(taints, &toleration, now, least);
    }
  }
  if (least != INT64_MAX) { /* a limit of the whole range is no limit: 292 years */
    verdict.kind = least <= 0 ? REBAL_TAINT_VERDICT_EVICT : REBAL_TAINT_VERDICT_AFTER;
    verdict.after_ns = least <= 0 ? REBAL_ABSENT : least;
  }
  return verdict;
}

struct rebali_taint_verdict rebali_taint_judge(const struct rebali_failover_call *call, const rebal_record *taints,
                                         uint32_t binding) {
  const int64_t applied = rebali_bindings_i64(call->sweep.bindings, REBAL_BINDING_APPLIED_STATE, binding);
  const int64_t handle = rebali_bindings_i64(call->sweep.bindings, REBAL_BINDING_APPLIED_PLACEMENT, binding);
  struct rebali_taint_verdict verdict = {REBAL_TAINT_VERDICT_FOREVER, REBAL_ABSENT, REBALI_TEXT("")};

  if (applied != REBAL_ANNOTATION_PRESENT) {
    verdict.kind = REBAL_TAINT_VERDICT_ERROR;
    verdict.message = applied == REBAL_ANNOTATION_ABSENT /* the reference's words, spelling included */
                          ? REBALI_TEXT("the applied placement for ResourceBining can not be empty")
                          : REBALI_TEXT("the applied placement annotation cannot be read");
    return verdict;
  }
  if ((call->opts.flags & REBAL_FAILOVER_FLAG_EVICT_BY_TAINT) == 0 || taints == NULL) {
    return verdict;
  }
  return judge_taints(taints, rebali_snapshot_record(call->sweep.snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)handle),
                      call->sweep.now);
}

static int32_t judge_binding(struct rebali_sweep *sweep, uint32_t binding) {
  const struct rebali_failover_call *call = (void *)sweep;
  const rebal_record *taints = rebali_snapshot_cell_record(sweep->snapshot, REBAL_CLUSTER_TAINTS, call->cluster);
  const struct rebali_taint_verdict verdict = rebali_taint_judge(call, taints, binding);

  return rebali_sweep_step(sweep, REBAL_STEP_STATE_DONE, verdict.kind, verdict.message, verdict.after_ns);
}

int32_t rebal_taint_verdict(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster,
                            const rebal_bindings *bindings, const rebal_time *now, const rebal_failover_opts *opts,
                            rebal_result *result, rebal_error *err) {
  struct rebali_failover_call call = {
      .sweep = {snapshot, bindings, now, result, err, NULL}, .ctx = ctx, .cluster = cluster};

  if (cluster == REBAL_NONE) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the cluster is missing");
  }
  return rebali_failover_run(&call, opts, judge_binding);
}
