/* SPDX-License-Identifier: MIT */
/* Taints that the cluster controller sets by the Ready condition: rebalance-karmada(7) 10.2. */
#include "failover/taints.h"

#define TEXT(literal) {literal, sizeof literal - 1}

static const struct rebali_taint not_ready = {
    TEXT("cluster.karmada.io/not-ready"), TEXT(""), TEXT("NoSchedule"), {0, 0, 0}};
static const struct rebali_taint unreachable = {
    TEXT("cluster.karmada.io/unreachable"), TEXT(""), TEXT("NoSchedule"), {0, 0, 0}};

/* Removes all taints with the key and effect, as the reference does here. Admission refuses several. */
static void remove_all(struct rebali_every_cluster *every, const struct rebali_taint *taint) {
  while (rebali_taint_remove(every, taint)) {
  }
}

static int32_t visit(struct rebali_every_cluster *every) {
  const struct rebali_text ready = rebali_condition_status(every, REBALI_TEXT("Ready"));

  if (rebali_text_equal(ready, REBALI_TEXT("True"))) {
    remove_all(every, &not_ready);
    remove_all(every, &unreachable);
    return REBAL_OK;
  }
  if (rebali_text_equal(ready, REBALI_TEXT("Unknown"))) {
    remove_all(every, &not_ready);
    return rebali_taint_ensure(every, &unreachable);
  }
  if (ready.bytes == NULL) {
    return rebali_taint_ensure(every, &not_ready);
  }
  if (!rebali_text_equal(ready, REBALI_TEXT("False"))) {
    return REBAL_OK; /* not a status of a condition */
  }
  remove_all(every, &unreachable);
  return rebali_taint_ensure(every, &not_ready);
}

int32_t rebal_condition_taints_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_time *now,
                                    const rebal_failover_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_every_cluster every = {
      .ctx = ctx, .snapshot = snapshot, .now = now, .opts = opts, .result = result, .err = err};

  return rebali_clusters_run(&every, visit);
}
