/* SPDX-License-Identifier: MIT */
/* tests/laws/plans.h - random plans, and what their laws share (rebalance-plan(7) 2 and 4). */
#ifndef PLANS_H
#define PLANS_H

#include "laws.h"

#include <stdlib.h>

#define PLAN_LIMITS 5
#define PLAN_BUDGETS 2
#define PLAN_LAW_NOW 1000

struct drawn_limit {
  rebal_limit limit;
  char name[8];
};
/* A PodDisruptionBudget of the namespace ns; NULL and "": absent. */
struct drawn_budget {
  const char *value; /* of the label app; NULL: every pod */
  const char *min_available, *max_unavailable;
  int32_t allowed;
  char cluster[8];
};
struct drawn_plan {
  struct drawing drawing;
  const char *labels[LAW_BINDINGS]; /* NULL: not known */
  uint32_t ready[LAW_BINDINGS][LAW_CLUSTERS];
  int32_t mode;
  int has_ledger, over_clusters;
  int is_drained[LAW_CLUSTERS], is_lost[LAW_CLUSTERS];
  size_t n_limits, n_budgets;
  struct drawn_limit limits[PLAN_LIMITS];
  struct drawn_budget budgets[PLAN_BUDGETS];
};
void draw_plan(struct dice *dice, struct drawn_plan *plan);

/* A world of a drawn plan, and the plan that was made of it; its options may be changed. */
struct planned {
  const struct drawn_plan *drawn;
  struct test_world world;
  rebal_time now;
  rebal_plan_opts opts;
  rebal_schedule_opts schedule;
  rebal_compat *compat;
  rebal_ledger *ledger; /* NULL: none */
  uint32_t drained[LAW_CLUSTERS], lost[LAW_CLUSTERS];
  const rebal_limit *limits[PLAN_LIMITS];
  rebal_builder *builders[PLAN_BUDGETS];
  const rebal_record *budgets[PLAN_BUDGETS];
  rebal_plan *plan;
  rebal_result *rows;
  unsigned char *bytes; /* the plan as it is saved */
  size_t len;
};
/* Clusters are added in this order (NULL: as drawn). 0: no memory. */
int open_plan(struct planned *planned, const struct drawn_plan *plan, const size_t *clusters);
void close_plan(struct planned *planned);
/* Makes and reads the plan; NULL or the failure. */
const char *make_plan(struct planned *planned);
int64_t plan_value(const struct planned *planned, uint32_t column, size_t row);
/* Replicas that move in all. */
int64_t plan_total(const struct planned *planned);

/* plan_twin.c: a plain second way to what limits grant, from x, w and the wholly withheld rows of a plan. */
#define TWIN_COUNTERS 32 /* more than there are clusters with an id, and bindings */
struct twin {
  int64_t left[PLAN_LIMITS + PLAN_BUDGETS][TWIN_COUNTERS]; /* by limit and counter */
  int cuts[PLAN_LIMITS + PLAN_BUDGETS];                    /* it was smallest, or tied, for a pair that was cut */
  int64_t granted;
};
const char *compare_twin(const struct planned *planned, struct twin *twin);

#endif
