/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/make/make.h - how a plan is made: what is wanted of each binding, what limits grant of it.
 */
#ifndef REBALI_PLAN_MAKE_H
#define REBALI_PLAN_MAKE_H

#include "plan/plan.h"
#include "scheduler/scheduler.h"

struct rebali_move_limits; /* limits.c */

/* One call of rebal_plan_make(). Memory is the arena's, but for what is freed by name. */
struct rebali_plan_call {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  const rebal_time *now;
  rebal_plan_opts opts;         /* as they were loaded */
  rebal_schedule_opts schedule; /* the same; its ledger is the fork */
  rebal_error *err;

  const rebal_allocator *allocator;
  struct rebali_arena arena;
  rebal_plan *plan;
  rebal_result *result;          /* of the calls below */
  rebal_bindings *asked;         /* the bindings as they are asked for */
  struct rebali_digest given_up; /* what the descheduler takes away of them */
  rebal_ledger *ledger;          /* the fork; NULL: none */
  uint64_t *is_lost;             /* bits by cluster id, as the next one */
  uint64_t *is_rejected;         /* lost or drained */
  uint32_t *places;              /* by cluster id: place in the cells of the binding at hand, from 1; 0: none */
  size_t room_for_cells;
  size_t room_for_moves;
  size_t room_for_uses;
  struct rebali_move_limits *limits;
};

/* options.c: loads and checks the options, and the lists of clusters. */
int32_t rebali_plan_load(struct rebali_plan_call *call, const rebal_plan_opts *opts);
/* Spec plan 5: maxSurge and maxUnavailable for R replicas. */
void rebali_plan_parameters(const struct rebali_plan_call *call, struct rebali_plan_row *row);

/* asked.c: a copy of the bindings with the trigger, and without what is given up. */
int32_t rebali_plan_ask(struct rebali_plan_call *call);
/* wanted.c: the clusters that no binding may have, beside those that the caller rejects. */
int32_t rebali_plan_reject(struct rebali_plan_call *call);
/* The same: room for a row of each binding; what names one. */
int32_t rebali_plan_make_room(struct rebali_plan_call *call);
int32_t rebali_plan_name(struct rebali_plan_call *call, struct rebali_plan_row *row, uint32_t binding);
/* Fills rows and cells but for y: x, r and w. */
int32_t rebali_plan_want(struct rebali_plan_call *call);
/*
 * cells.c: the cells of a row from x and from rows of PLACED, or from x alone where the binding keeps it. REBAL_ENOMEM,
 * with the error filled.
 */
#define REBALI_KEEP_PRESENT SIZE_MAX
int32_t rebali_plan_cells(struct rebali_plan_call *call, struct rebali_plan_row *row, uint32_t binding,
                          size_t first_placed, size_t n_placed);

/* least.c: another w, within bounds around the one that is there, which moves least (rebalance-plan(7) 6). */
int32_t rebali_plan_least(struct rebali_plan_call *call);

/* grant.c: y, and what it takes of each limit. */
int32_t rebali_plan_grant(struct rebali_plan_call *call);
/* constraints.c: would y break a spread constraint that w keeps, or be part of a copy? */
int32_t rebali_plan_breaks(const struct rebali_plan_call *call, size_t row, int *is_broken);
/* sums.c */
int32_t rebali_plan_sum(struct rebali_plan_call *call);

/* limits_read.c: the limits and budgets, and what is wrong with them. */
int32_t rebali_move_limits_read(struct rebali_plan_call *call);
void rebali_limits_digest(const struct rebali_move_limits *limits, struct rebali_digest *digest);
/* limits.c: a counter for each limit and subject. */
#define REBALI_LIMIT_NONE ((size_t) - 1)
int32_t rebali_limits_begin(struct rebali_plan_call *call);
/* Nothing is used of any of them. */
void rebali_limits_reset(struct rebali_move_limits *limits);
/* limits_match.c: the limits that count for a binding, for the next calls. */
void rebali_limits_match(struct rebali_plan_call *call, size_t row);
/* What the limits but the one called endless leave of a pair, and the one that leaves least, or REBALI_LIMIT_NONE. */
int64_t rebali_limits_left(const struct rebali_move_limits *limits, uint32_t source, uint32_t target, size_t endless,
                           size_t *least);
/* A pair was cut to what is left: notes the limits that leave no more. */
void rebali_limits_note(struct rebali_move_limits *limits, uint32_t source, uint32_t target, int64_t left);
/* A pair moves so many more, or fewer. */
void rebali_limits_charge(struct rebali_move_limits *limits, uint32_t source, uint32_t target, int64_t replicas);
/* limits_write.c: what each limit and each of its subjects used, into the plan. */
int32_t rebali_limits_write(struct rebali_plan_call *call, const int64_t *shadows);
void rebali_limits_end(struct rebali_move_limits *limits);

/*
 * one_move.c: what limits and budgets say of one move, all of which is charged: fills the tables of them. Of the call
 * the context, snapshot, bindings, now, options and error are set. limited_by: the row of the limit that grants the
 * fewest, or REBAL_ABSENT.
 */
struct rebali_one_move {
  uint32_t binding;
  struct rebali_plan_move move;
  int64_t granted, limited_by;
};
int32_t rebali_plan_one_move(struct rebali_plan_call *call, struct rebali_one_move *one, rebal_result *result);

#endif
