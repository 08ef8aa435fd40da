/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/budgets.h - PodDisruptionBudgets over replicas instead of pods: which workloads they select, and how many
 * replicas may go by the disruption controller's arithmetic (rebalance-plan(7) 4).
 */
#ifndef REBALI_PLAN_BUDGETS_H
#define REBALI_PLAN_BUDGETS_H

#include "plan/plan.h"
#include "record/labels.h"
#include "record/selector_index.h"

struct rebali_budget {
  const rebal_record *record;
  struct rebali_text namespace_, name;
  uint32_t cluster;   /* it is of this one; REBAL_NONE: of each */
  uint32_t selector;  /* node of the record */
  int counts_nothing; /* it selects no pods, or is of a cluster that does not exist */
  size_t n_counters;  /* 1, or one for each cluster */
};
struct rebali_budget_list {
  struct rebali_budget *items; /* in the caller's order */
  size_t n;
  int is_over_clusters; /* one without a cluster has one counter */
  /* Of those that count something; it found those that may select the pods of the binding at hand. */
  struct rebali_selector_index index;
  int is_known; /* the labels of its pods are */
};

/* Records of the caller, with memory of the arena. */
int32_t rebali_budgets_read(struct rebali_budget_list *budgets, struct rebali_arena *arena,
                            const rebal_snapshot *snapshot, const rebal_record *const *records, uint64_t n,
                            rebal_error *err);
/* The labels of a binding's pods; NULL: not known. */
const rebal_record *rebali_pod_labels(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row);
/* The budgets that may select the pods of a binding: labels that are not known may be any. */
void rebali_budgets_select(struct rebali_budget_list *budgets, const rebal_snapshot *snapshot,
                           const rebal_bindings *bindings, uint32_t row);

/* ---- what they allow --------------------------------------------------------------------------------------------- */

/* Replicas of the workloads that a budget selects for sure: sums of less than 2^32 times 2^31. */
struct rebali_budget_tally {
  int64_t expected, healthy;
};
/*
 * The counter of what is in a cluster; REBALI_BUDGET_NONE: none counts it. What is lost is expected still where a
 * budget counts over all clusters; the cluster it was in has no controller that could count.
 */
#define REBALI_BUDGET_NONE SIZE_MAX
static inline size_t rebali_budget_counter(const struct rebali_budget_list *budgets, const struct rebali_budget *budget,
                                           uint32_t cluster, int is_lost) {
  if (budget->cluster == REBAL_NONE ? is_lost && !budgets->is_over_clusters : budget->cluster != cluster) {
    return REBALI_BUDGET_NONE;
  }
  return budget->n_counters == 1 ? 0 : cluster;
}
/* How many may go. */
int64_t rebali_budget_allows(const struct rebali_budget *budget, const struct rebali_budget_tally *tally);

#endif
