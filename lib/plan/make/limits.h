/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/make/limits.h - limits and budgets as counters: one for each subject of each (rebalance-plan(7) 4).
 */
#ifndef REBALI_PLAN_LIMITS_H
#define REBALI_PLAN_LIMITS_H

#include "plan/budgets.h"
#include "plan/make/make.h"

/* How the counter of a limit is found for a pair. */
enum rebali_counted_by {
  REBALI_COUNTED_ONCE,      /* it has one counter that counts */
  REBALI_COUNTED_BY_SOURCE, /* each cluster has one */
  REBALI_COUNTED_BY_TARGET
};

struct rebali_move_limit {
  rebal_limit given; /* of the caller's */
  int has_subject;
  int64_t scope;
  struct rebali_text subject, label;
  uint32_t cluster; /* the subject; REBAL_NONE: each, or the scope is another one */
  int64_t replicas; /* of a pace: tokens at now */
  int64_t used, withheld;
  int64_t tokens; /* the same; REBAL_ABSENT: no pace */
  rebal_time tokens_at;
  size_t first; /* of its counters */
  size_t n_counters;
  struct rebali_intern *subjects;     /* namespaces or values of the label, by counter; NULL: others */
  uint32_t *ids;                      /* the same: counter by row of the plan; REBAL_NONE: it does not count */
  const struct rebali_budget *budget; /* NULL: the caller's limit */
  int cuts;                           /* it was smallest, or tied, for a pair that was cut */
};

/* A limit that counts for the binding at hand. */
struct rebali_active_limit {
  size_t limit;
  enum rebali_counted_by by;
  size_t counter;        /* the first one */
  uint32_t only_cluster; /* it counts only for pairs with this cluster; REBAL_NONE: for all */
  int is_source;         /* that cluster is their source; else their target */
};

struct rebali_move_limits {
  struct rebali_move_limit *items; /* the caller's, then the budgets */
  size_t n, n_given;
  struct rebali_budget_list budgets; /* the items from n_given on */
  int64_t *allowed, *used;           /* by counter */
  size_t n_counters;
  const uint64_t *is_lost;
  struct rebali_active_limit *active; /* of the binding at hand: room for all */
  size_t n_active;
};

/* limits_match.c: the counter of an active limit that counts for a pair; REBALI_LIMIT_NONE: it does not count. */
size_t rebali_active_counter(const struct rebali_move_limits *limits, const struct rebali_active_limit *active,
                             uint32_t source, uint32_t target);
/* budgets.c: reads the budgets behind the caller's limits. */
int32_t rebali_plan_budgets_read(struct rebali_plan_call *call);
/* What each allows, once it is known what is present and ready. */
int32_t rebali_plan_budgets_allow(struct rebali_plan_call *call);

#endif
