/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/make/least.h - the transportation problem of a plan: bounds around the fresh placement, and how much of each
 * class of requirements fits into clusters (rebalance-plan(7) 6).
 *
 * Bindings with the same requirements form a class. If capacity is shared through a ledger that the scheduler reads,
 * the problem has one row of capacity for each class and cluster, so classes do not compete in it: its optimum is a
 * bound for what they can reach together. Charging a ledger shows whether they fit together.
 */
#ifndef REBALI_PLAN_LEAST_H
#define REBALI_PLAN_LEAST_H

#include "plan/make/make.h"

/* A row of capacity. */
struct rebali_class_share {
  uint32_t cluster;
  uint32_t class_number;
  int64_t present; /* replicas of the class's bindings there, like the next three: fewer than 2^63 */
  int64_t fresh;
  int64_t planned;
  int64_t minimum;
};

struct rebali_least {
  struct rebali_plan_call *call;
  struct rebali_plan_least *out;
  uint32_t *classes;      /* by binding of the problem */
  uint32_t *requirements; /* by class: a handle or REBAL_NONE */
  uint32_t n_classes;
  struct rebali_class_share *shares; /* by class, then by name of the cluster */
  size_t n_shares;
  int64_t *minimums, *maximums, *present, *fresh; /* by pair; the first three are the problem's */
  uint32_t *clusters;                             /* by pair: rows of capacity */
  int64_t *capacities;                            /* by row of capacity; NULL: not shared */
  int64_t *estimates;                             /* by cluster id: how many of the current class fit */
};

/* least_bounds.c: fills the pairs of a participating binding from its cells. */
int32_t rebali_least_bounds(struct rebali_least *least, size_t binding);
/* Tests whether the binding of a row takes part. */
int rebali_least_includes(const struct rebali_plan_call *call, size_t row);

/* least_shares.c: builds the rows of capacity and their capacities. */
int32_t rebali_least_share(struct rebali_least *least);
/*
 * Lowers capacities where the classes do not fit together as planned, and sets *is_lowered if it changed one.
 * Conservative: what one class leaves is not offered to another.
 */
int32_t rebali_least_lower(struct rebali_least *least, int64_t *capacities, int *is_lowered);

#endif
