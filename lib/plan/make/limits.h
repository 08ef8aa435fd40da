/* SPDX-License-Identifier: MIT */
/* lib/plan/make/limits.h - limits and budgets as counters: one for each subject of each limit (rebalance-plan(7) 4). */
#ifndef REBALI_PLAN_LIMITS_H
#define REBALI_PLAN_LIMITS_H

#include "plan/budgets.h"
#include "plan/make/make.h"

/* How a pair finds the counter of a limit. */
enum rebali_counted_by {
  REBALI_COUNTED_ONCE,      /* one counter for all pairs */
  REBALI_COUNTED_BY_SOURCE, /* one counter for each cluster */
  REBALI_COUNTED_BY_TARGET
};

struct rebali_move_limit {
  rebal_limit given; /* as the caller passed it */
  int has_subject;
  int64_t scope;
  struct rebali_text subject, label;
  uint32_t cluster; /* the subject; REBAL_NONE: each cluster, or another scope */
  int64_t replicas; /* with a pace: tokens at now */
  int64_t used, withheld;
  int64_t tokens; /* likewise; REBAL_ABSENT: no pace */
  rebal_time tokens_at;
  size_t first; /* index of its first counter */
  size_t n_counters;
  struct rebali_intern *subjects;     /* namespaces or label values, by counter; NULL: other scopes */
  uint32_t *ids;                      /* likewise: counter by row of the plan; REBAL_NONE: not counted */
  const struct rebali_budget *budget; /* NULL: the caller's limit */
  int cuts;                           /* smallest, or tied, for a pair that was cut */
};

/* A limit that counts for the current binding. */
struct rebali_active_limit {
  size_t limit;
  enum rebali_counted_by by;
  size_t counter;        /* the first one */
  uint32_t only_cluster; /* it counts only for pairs with this cluster; REBAL_NONE: for all */
  int is_source;         /* that cluster is their source; else their target */
};

struct rebali_move_limits {
  struct rebali_move_limit *items; /* the caller's limits, then the budgets */
  size_t n, n_given;
  struct rebali_budget_list budgets; /* the items from n_given on */
  int64_t *allowed, *used;           /* by counter */
  size_t n_counters;
  const uint64_t *is_lost;
  struct rebali_active_limit *active; /* of the current binding; space for all */
  size_t n_active;
};

/*
 * limits_match.c: returns the counter of an active limit for a pair, or REBALI_LIMIT_NONE if it does not count the
 * pair.
 */
size_t rebali_active_counter(const struct rebali_move_limits *limits, const struct rebali_active_limit *active,
                             uint32_t source, uint32_t target);
/* budgets.c: reads the budgets and appends them to the caller's limits. */
int32_t rebali_plan_budgets_read(struct rebali_plan_call *call);
/* Computes what each budget allows, once present and ready replicas are known. */
int32_t rebali_plan_budgets_allow(struct rebali_plan_call *call);

#endif
