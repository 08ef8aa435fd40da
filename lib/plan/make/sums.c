/* SPDX-License-Identifier: MIT */
/* What all bindings together have in each cluster, before and after. */
#include "plan/make/make.h"

/* By rank of the cluster's name; a cluster that nobody names stays REBAL_NONE. */
static void add_all(const rebal_plan *plan, const rebal_snapshot *snapshot, struct rebali_plan_sum *sums) {
  for (size_t i = 0; i < plan->n_cells; i++) {
    const struct rebali_plan_cell *cell = &plan->cells[i];
    struct rebali_plan_sum *sum = &sums[rebali_snapshot_rank(snapshot, cell->cluster)];

    sum->cluster = cell->cluster;
    sum->before = rebali_add_saturating(sum->before, cell->present);
    sum->after = rebali_add_saturating(sum->after, cell->planned);
  }
  for (size_t i = 0; i < plan->n_moves; i++) {
    struct rebali_plan_sum *source = &sums[rebali_snapshot_rank(snapshot, plan->moves[i].source)];
    struct rebali_plan_sum *target = &sums[rebali_snapshot_rank(snapshot, plan->moves[i].target)];

    source->moved_out = rebali_add_saturating(source->moved_out, plan->moves[i].replicas);
    target->moved_in = rebali_add_saturating(target->moved_in, plan->moves[i].replicas);
  }
}

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
  add_all(plan, call->snapshot, plan->sums);
  for (uint32_t i = 0; i < n; i++) {
    if (plan->sums[i].cluster != REBAL_NONE) {
      plan->sums[plan->n_sums++] = plan->sums[i];
    }
  }
  return REBAL_OK;
}
