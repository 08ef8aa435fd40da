/* SPDX-License-Identifier: MIT */
/*
 * Selection by cluster (rebalance-karmada(7) 5.4): the first few, exchanged from the last upward while capacity is
 * lacking.
 */
#include "scheduler/scheduler.h"

/* Returns the first of the largest of the rest that offers strictly more than the slot, or n if there is none. */
static size_t better_than(const struct rebali_candidate *candidates, size_t from, size_t n, int64_t available) {
  size_t best = n;

  for (size_t i = from; i < n; i++) {
    if (candidates[i].available > available) {
      available = candidates[i].available;
      best = i;
    }
  }
  return best;
}

/* Sums over the first count: at most 2^32 candidates of at most 2^32 each fit int64. */
static int64_t sum_available(const struct rebali_candidate *candidates, size_t count) {
  int64_t sum = 0;

  for (size_t i = 0; i < count; i++) {
    sum += candidates[i].available;
  }
  return sum;
}

static int32_t exchange(struct rebali_pass *pass, size_t count, int64_t need) {
  struct rebali_candidate *candidates = pass->candidates;
  int64_t sum = sum_available(candidates, count);
  size_t slot = count;
  int32_t code = REBAL_OK;

  while (slot > 0 && sum < need) {
    const size_t better = better_than(candidates, count, pass->n_candidates, candidates[slot - 1].available);

    if (better < pass->n_candidates) {
      const struct rebali_candidate replaced = candidates[slot - 1];

      sum += candidates[better].available - replaced.available;
      candidates[slot - 1] = candidates[better];
      candidates[better] = replaced;
      pass->is_exchanged = 1;
    }
    slot--;
  }
  if (count == 0 || sum < need) {
    code = rebali_pass_refuse(pass, REBAL_OUTCOME_SCHEDULER_ERROR,
                              "failed to select clusters: no enough resource when selecting %llu clusters",
                              (unsigned long long)count);
    if (code == REBAL_OK && count > 0) {
      (void)rebali_partial_accept(pass);
    }
  }
  return code;
}

int32_t rebali_select_by_cluster(struct rebali_pass *pass, const struct rebali_spread *cluster, int64_t need) {
  size_t count = 0;
  int32_t code = REBAL_OK;

  if ((int64_t)pass->n_feasible < cluster->min_groups) {
    return rebali_pass_refuse(
        pass, REBAL_OUTCOME_SCHEDULER_ERROR,
        "failed to select clusters: the number of feasible clusters is less than spreadConstraint.MinGroups");
  }
  if (cluster->max_groups > 0) {
    count = cluster->max_groups < (int64_t)pass->n_feasible ? (size_t)cluster->max_groups : pass->n_feasible;
  }
  if (need >= 0) {
    code = exchange(pass, count, need);
  }
  pass->n_candidates = count;
  return code;
}
