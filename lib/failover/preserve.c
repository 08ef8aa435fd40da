/* SPDX-License-Identifier: MIT */
/*
 * Labels that are preserved across an eviction: rebalance-karmada(7) 10.6. The reader of the raw status has evaluated
 * the rules.
 */
#include "failover/failover.h"

/* Writes the text to the message of the call. */
static void report_missing(struct rebali_failover_call *call, uint32_t cluster) {
  static const char start[] = "the application status has not yet been collected from Cluster(";
  const struct rebali_text name = rebali_snapshot_name(call->every.snapshot, cluster);

  rebali_buffer_append(&call->message, start, sizeof start - 1);
  rebali_buffer_append(&call->message, name.bytes, name.len);
  rebali_buffer_append(&call->message, ")", 1);
}

int64_t rebali_preserved_state(struct rebali_failover_call *call, uint32_t binding, uint32_t cluster,
                               const struct rebali_preservation *of) {
  const rebal_bindings *bindings = call->every.bindings;
  struct rebali_text error;
  int64_t labels;
  uint32_t item;

  if (!rebali_bindings_i64(bindings, of->rules, binding) ||
      rebali_compat_value(call->opts.compat, REBAL_OPTION_GATE_STATEFUL_FAILOVER) == 0) {
    return REBAL_NONE;
  }
  item = rebali_place_of(&call->places, cluster)->item;
  labels = item == REBAL_NONE ? (int64_t)REBAL_NONE : rebali_bindings_i64(bindings, of->state, item);
  error = item == REBAL_NONE ? REBALI_TEXT("") : rebali_bindings_text(bindings, of->error, item);
  if (error.len != 0) {
    rebali_buffer_append(&call->message, error.bytes, error.len);
  } else if (labels == (int64_t)REBAL_NONE) {
    report_missing(call, cluster);
  }
  return labels;
}
