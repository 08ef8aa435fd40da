/* SPDX-License-Identifier: MIT */
/* One run of the taint manager: rebalance-karmada(7) 10.1 and 10.3. */
#include "failover/failover.h"

/* Returns the purge mode of the binding or, if it has none, that of the options. */
static struct rebali_text purge_mode(const struct rebali_failover_call *call, uint32_t binding) {
  const struct rebali_text own =
      rebali_bindings_text(call->every.bindings, REBAL_BINDING_CLUSTER_FAILOVER_PURGE_MODE, binding);

  if (rebali_bindings_i64(call->every.bindings, REBAL_BINDING_HAS_CLUSTER_FAILOVER, binding)) {
    return own.len != 0 ? own : REBALI_TEXT("Gracefully");
  }
  return (call->opts.flags & REBAL_FAILOVER_FLAG_PURGE_DIRECTLY) != 0 ? REBALI_TEXT("Directly")
                                                                      : REBALI_TEXT("Gracefully");
}

/* Evicts: adds a patch, or RETRY with the call's message if the state cannot be preserved. */
static int32_t evict(struct rebali_failover_call *call, uint32_t binding, const struct rebali_taint_verdict *verdict) {
  static const struct rebali_preservation preservation = {
      REBAL_BINDING_PRESERVES_CLUSTER_STATE, REBAL_STATUS_ITEM_CLUSTER_STATE, REBAL_STATUS_ITEM_CLUSTER_STATE_ERROR};
  struct rebali_eviction eviction = {.cluster = call->cluster,
                                     .purge_mode = purge_mode(call, binding),
                                     .reason = REBALI_TEXT("TaintUntolerated"),
                                     .producer = REBALI_TEXT("TaintManager"),
                                     .grace_period_seconds = REBAL_ABSENT,
                                     .suppress_deletion = REBAL_ABSENT};
  const int64_t left_ns = rebali_pace_left_ns(call);
  int32_t code = rebali_places_read(call, binding);

  if (code != REBAL_OK) {
    return code;
  }
  eviction.preserved = rebali_preserved_state(call, binding, call->cluster, &preservation);
  if (call->message.len != 0 || call->message.failed) { /* does not use up the pace */
    return rebali_failover_retry(call, verdict->kind);
  }
  if (left_ns > 0) {
    return rebali_pace_wait(call, binding, left_ns);
  }
  rebali_pace_evict(call);
  code = rebali_evict(call, binding, &eviction, 1);
  return code != REBAL_OK ? code
                          : rebali_every_binding_step(&call->every, REBAL_STEP_STATE_DONE, verdict->kind,
                                                      verdict->message, verdict->after_ns);
}

static int is_target(const struct rebali_failover_call *call, uint32_t binding) {
  size_t n;
  const uint32_t *targets = rebali_bindings_children(call->every.bindings, REBAL_TABLE_TARGET, binding, &n);

  for (size_t i = 0; i < n; i++) {
    if (rebali_bindings_i64(call->every.bindings, REBAL_TARGET_CLUSTER, targets[i]) == (int64_t)call->cluster) {
      return 1;
    }
  }
  return 0;
}

static int32_t step_binding(struct rebali_every_binding *every, uint32_t binding) {
  struct rebali_failover_call *call = (void *)every;
  const uint32_t cluster = call->cluster;
  const rebal_record *taints = rebali_snapshot_cell_record(call->every.snapshot, REBAL_CLUSTER_TAINTS, cluster);
  struct rebali_taint_verdict verdict;
  int32_t code;

  if (!is_target(call, binding) || rebali_bindings_i64(call->every.bindings, REBAL_BINDING_DELETING, binding)) {
    return rebali_every_binding_step(&call->every, REBAL_STEP_STATE_SKIPPED, 0, REBALI_TEXT(""), REBAL_ABSENT);
  }
  code = rebali_taint_judge(call, taints, binding, &verdict);
  if (code != REBAL_OK) {
    return code;
  }
  if (verdict.kind == REBAL_TAINT_VERDICT_EVICT) {
    return evict(call, binding, &verdict);
  }
  if (verdict.kind == REBAL_TAINT_VERDICT_AFTER) {
    code = rebali_every_binding_wake(&call->every, binding, verdict.after_ns);
  }
  return code != REBAL_OK ? code
                          : rebali_every_binding_step(&call->every,
                                                      verdict.kind == REBAL_TAINT_VERDICT_ERROR ? REBAL_STEP_STATE_RETRY
                                                                                                : REBAL_STEP_STATE_DONE,
                                                      verdict.kind, verdict.message, verdict.after_ns);
}

int32_t rebal_taint_eviction_step(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster,
                                  const rebal_bindings *bindings, const rebal_time *now,
                                  const rebal_failover_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_failover_call call = {
      .every = {snapshot, bindings, now, result, err, NULL}, .ctx = ctx, .cluster = cluster};
  int32_t code;

  if (cluster == REBAL_NONE) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the cluster is missing");
  }
  code = rebali_failover_run(&call, opts, step_binding);
  return code == REBAL_OK ? rebali_pace_write(&call) : code;
}
