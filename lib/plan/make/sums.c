/* SPDX-License-Identifier: MIT */
/* Adds up the replicas of all bindings in each cluster, before and after. */
#include "plan/make/make.h"

int32_t rebali_plan_sum(struct rebali_plan_call *call) {
  const uint32_t n = rebali_snapshot_rows(call->snapshot);
  rebal_plan *plan = call->plan;

  plan->sums = rebali_allocate_zero(&plan->allocator, (size_t)n + 1, sizeof *plan->sums);
  if (plan->sums == NULL) {
    return rebali_fail_memory(call->err);
  }
  for (uint32_t i = 0; i < n; i++) {
    plan->sums[i].cluster = REBAL_NONE;
  }
  rebali_plan_add_up(plan, call->snapshot, plan->sums);
  for (uint32_t i = 0; i < n; i++) {
    if (plan->sums[i].cluster != REBAL_NONE) {
      plan->sums[plan->n_sums++] = plan->sums[i];
    }
  }
  return REBAL_OK;
}
