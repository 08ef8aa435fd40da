/* SPDX-License-Identifier: MIT */
/* Static weights (rebalance-karmada(7) 7.5), with the option STATIC_WEIGHT_CAPACITY limited to what is available. */
#include "scheduler/scheduler.h"

static int32_t limit_of(const struct rebali_pass *pass, const struct rebali_candidate *candidate) {
  if (!rebali_compat_value(pass->opts->compat, REBAL_OPTION_STATIC_WEIGHT_CAPACITY) ||
      candidate->available >= INT32_MAX) {
    return INT32_MAX;
  }
  return candidate->available > 0 ? (int32_t)candidate->available : 0;
}

/* If no weight is kept, or the sum wraps to exactly 0, every candidate weighs 1. */
size_t rebali_static_weigh(const struct rebali_pass *pass, const struct rebali_candidate *candidates,
                           size_t n_candidates, struct rebali_weight *weights) {
  const struct rebali_placement *placement = pass->placement;
  int64_t sum = 0;
  size_t n = 0;

  for (size_t i = 0; i < n_candidates; i++) {
    const struct rebali_candidate *candidate = &candidates[i];
    const int64_t weight = rebali_placement_weight(placement, pass->snapshot, candidate->cluster);

    if (weight > 0) {
      weights[n++] = (struct rebali_weight){candidate->cluster, limit_of(pass, candidate), weight};
      sum = rebali_add_wrapping64(sum, weight);
    }
  }
  for (size_t i = 0; sum == 0 && i < n_candidates; i++) {
    const struct rebali_candidate *candidate = &candidates[i];

    weights[i] = (struct rebali_weight){candidate->cluster, limit_of(pass, candidate), 1};
    n = n_candidates;
  }
  return n;
}

int32_t rebali_assign_static(struct rebali_pass *pass, struct rebali_assignment *assignment) {
  struct rebali_weight *weights =
      rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), assignment->n_candidates + 1, sizeof *weights);
  int64_t seats = assignment->replicas, capacity = 0; /* 2^32 candidates of 2^31 each fit */
  size_t n;

  if (weights == NULL) {
    return rebali_fail_memory(pass->err);
  }
  n = rebali_static_weigh(pass, assignment->candidates, assignment->n_candidates, weights);
  for (size_t i = 0; i < n; i++) {
    capacity += weights[i].limit;
  }
  if (capacity < seats) {
    const int32_t code = !rebali_partial_is_first(pass)
                             ? REBAL_OK
                             : rebali_pass_refuse(pass, REBAL_OUTCOME_UNSCHEDULABLE,
                                                  "failed to assign replicas: Clusters available replicas %lld are not "
                                                  "enough to schedule.",
                                                  (long long)capacity);

    if (code != REBAL_OK || !rebali_partial_accept(pass)) {
      return code;
    }
    assignment->missing = seats - capacity;
    seats = capacity;
  }
  return rebali_divide_clusters(pass, (int32_t)seats, weights, n, assignment->out, &assignment->n_out);
}
