/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/budgets.h - PodDisruptionBudgets over replicas instead of pods: which workloads they select, and how many
 * replicas the arithmetic of the disruption controller lets go (rebalance-plan(7) 4).
 */
#ifndef REBALI_PLAN_BUDGETS_H
#define REBALI_PLAN_BUDGETS_H

#include "plan/plan.h"
#include "record/labels.h"
#include "record/selector_index.h"

struct rebali_budget {
  const rebal_record *record;
  struct rebali_text namespace_, name;
  uint32_t cluster;   /* applies to this one; REBAL_NONE: to each */
  uint32_t selector;  /* node in the record */
  int counts_nothing; /* selects no pods, or its cluster does not exist */
  size_t n_counters;  /* 1, or one for each cluster */
};
struct rebali_budget_list {
  struct rebali_budget *items; /* in the caller's order */
  size_t n;
  int is_over_clusters; /* a budget without a cluster has one counter */
  /* Index of the budgets that count something, and those of them that may select the pods of the current binding. */
  struct rebali_selector_index index;
  int is_known; /* the labels of the binding's pods are known */
};

/* Reads the caller's records; memory is the arena's. */
int32_t rebali_budgets_read(struct rebali_budget_list *budgets, struct rebali_arena *arena,
                            const rebal_snapshot *snapshot, const rebal_record *const *records, uint64_t n,
                            rebal_error *err);
/* Returns the labels of a binding's pods, or NULL if they are not known. */
const rebal_record *rebali_pod_labels(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row);
/* Finds the budgets that may select the pods of a binding. Unknown labels match every selector. */
void rebali_budgets_select(struct rebali_budget_list *budgets, const rebal_snapshot *snapshot,
                           const rebal_bindings *bindings, uint32_t row);

/* ---- evictions --------------------------------------------------------------------------------------------------- */

/* Replicas of the workloads that a budget selects for sure. Sums are less than 2^32 times 2^31. */
struct rebali_budget_tally {
  int64_t expected, healthy;
};
/*
 * Returns the counter for a cluster, or REBALI_BUDGET_NONE if none applies. Where a budget counts over all clusters,
 * replicas of a lost cluster are still expected; with one counter for each cluster, the lost cluster has no controller
 * that could count them.
 */
#define REBALI_BUDGET_NONE SIZE_MAX
static inline size_t rebali_budget_counter(const struct rebali_budget_list *budgets, const struct rebali_budget *budget,
                                           uint32_t cluster, int is_lost) {
  if (budget->cluster == REBAL_NONE ? is_lost && !budgets->is_over_clusters : budget->cluster != cluster) {
    return REBALI_BUDGET_NONE;
  }
  return budget->n_counters == 1 ? 0 : cluster;
}
/* Returns how many replicas may be evicted. */
int64_t rebali_budget_allows(const struct rebali_budget *budget, const struct rebali_budget_tally *tally);

#endif
