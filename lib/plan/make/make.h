/* SPDX-License-Identifier: MIT */
/* lib/plan/make/make.h - making a plan: what each binding should have, and how much of it the limits grant. */
#ifndef REBALI_PLAN_MAKE_H
#define REBALI_PLAN_MAKE_H

#include "plan/plan.h"
#include "scheduler/scheduler.h"

struct rebali_move_limits; /* limits.c */

/* One call of rebal_plan_make(). Memory is the arena's unless it is freed explicitly. */
struct rebali_plan_call {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  const rebal_time *now;
  rebal_plan_opts opts;         /* as loaded */
  rebal_schedule_opts schedule; /* as loaded; its ledger is the fork */
  rebal_error *err;

  const rebal_allocator *allocator;
  struct rebali_arena arena;
  rebal_plan *plan;
  rebal_result *result;          /* of calls to the scheduler */
  rebal_bindings *prepared;      /* the bindings as they are scheduled */
  struct rebali_digest given_up; /* replicas that the descheduler takes from them */
  rebal_ledger *ledger;          /* the fork; NULL: none */
  uint64_t *is_lost;             /* bits by cluster id, like the next one */
  uint64_t *is_rejected;         /* lost or drained */
  uint32_t *places;              /* by cluster id: place in the cells of the current binding, from 1; 0: none */
  size_t cells_capacity;
  size_t moves_capacity;
  size_t uses_capacity;
  struct rebali_move_limits *limits;
};

/* options.c: loads and checks the options, and the lists of clusters. */
int32_t rebali_plan_load(struct rebali_plan_call *call, const rebal_plan_opts *opts);
/* Sets maxSurge and maxUnavailable for R replicas (rebalance-plan(7) 5). */
void rebali_plan_parameters(const struct rebali_plan_call *call, struct rebali_plan_row *row);

/* prepare.c: copies the bindings, sets the trigger and removes the replicas that the descheduler takes. */
int32_t rebali_plan_prepare(struct rebali_plan_call *call);
/* wanted.c: collects the clusters that no binding may use, besides those that the caller rejects. */
int32_t rebali_plan_reject(struct rebali_plan_call *call);
/* Allocates a row for each binding; sets the names of a row. */
int32_t rebali_plan_reserve(struct rebali_plan_call *call);
int32_t rebali_plan_name(struct rebali_plan_call *call, struct rebali_plan_row *row, uint32_t binding);
/* Fills rows and cells except for y: x, r and w. */
int32_t rebali_plan_want(struct rebali_plan_call *call);
/*
 * cells.c: makes the cells of a row from x and from rows of PLACED, or from x alone if the binding keeps it. Returns
 * REBAL_ENOMEM with the error filled.
 */
#define REBALI_KEEP_PRESENT SIZE_MAX
int32_t rebali_plan_cells(struct rebali_plan_call *call, struct rebali_plan_row *row, uint32_t binding,
                          size_t first_placed, size_t n_placed);

/* least.c: replaces w by the placement within bounds around it that moves least (rebalance-plan(7) 6). */
int32_t rebali_plan_least(struct rebali_plan_call *call);

/* grant.c: computes y and what it uses of each limit. */
int32_t rebali_plan_grant(struct rebali_plan_call *call);
/* constraints.c: sets *is_broken if y would break a spread constraint that w keeps, or hold part of a copy. */
int32_t rebali_plan_breaks(const struct rebali_plan_call *call, size_t row, int *is_broken);
/* sums.c: adds up all rows by cluster. */
int32_t rebali_plan_sum(struct rebali_plan_call *call);

/* limits_read.c: reads and checks the limits and budgets. */
int32_t rebali_move_limits_read(struct rebali_plan_call *call);
void rebali_limits_digest(const struct rebali_move_limits *limits, struct rebali_digest *digest);
/* limits.c: makes a counter for each limit and subject. */
#define REBALI_LIMIT_NONE ((size_t) - 1)
int32_t rebali_limits_begin(struct rebali_plan_call *call);
/* Sets all counters to unused. */
void rebali_limits_reset(struct rebali_move_limits *limits);
/* limits_match.c: finds the limits that count for a binding, for the next calls. */
void rebali_limits_match(struct rebali_plan_call *call, size_t row);
/*
 * Returns what the limits except endless leave for a pair; *least is the limit that leaves least, or REBALI_LIMIT_NONE.
 */
int64_t rebali_limits_left(const struct rebali_move_limits *limits, uint32_t source, uint32_t target, size_t endless,
                           size_t *least);
/* Marks the limits that leave no more than left for a pair that was cut. */
void rebali_limits_note(struct rebali_move_limits *limits, uint32_t source, uint32_t target, int64_t left);
/* Charges replicas that a pair moves; a negative number is released. */
void rebali_limits_charge(struct rebali_move_limits *limits, uint32_t source, uint32_t target, int64_t replicas);
/* limits_write.c: writes what each limit and each of its subjects used into the plan. */
int32_t rebali_limits_write(struct rebali_plan_call *call, const int64_t *shadows);
void rebali_limits_end(struct rebali_move_limits *limits);

/*
 * one_move.c: charges one move in full to limits and budgets and fills their tables. The context, snapshot, bindings,
 * now, options and error of the call must be set. limited_by is the row of the limit that grants least, or
 * REBAL_ABSENT.
 */
struct rebali_one_move {
  uint32_t binding;
  struct rebali_plan_move move;
  int64_t granted, limited_by;
};
int32_t rebali_plan_one_move(struct rebali_plan_call *call, struct rebali_one_move *one, rebal_result *result);

#endif
