/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/plan.h - private header of the room "plan": what would move, under which limits, in which order (spec plan).
 */
#ifndef REBALI_PLAN_H
#define REBALI_PLAN_H

#include "fleet/fleet.h"
#include "rebalance/plan.h"

/* ---- a plan (plan.c) --------------------------------------------------------------------------------------------- */

/* One cluster of x, w or y of a binding. */
struct rebali_plan_cell {
  uint32_t cluster;
  uint32_t is_in; /* bits: REBALI_IN_* */
  int32_t present, wanted, planned; /* at least 0; 0 where it is not in them */
  int32_t ready;                    /* at most present */
};
enum { REBALI_IN_PRESENT = 1, REBALI_IN_WANTED = 2, REBALI_IN_PLANNED = 4 };

/* One granted pair. */
struct rebali_plan_move {
  uint32_t source, target;
  int32_t replicas;
};

/* One binding; texts are the plan's. Sums of a binding's replicas are at most 2^31 times 2^32. */
struct rebali_plan_row {
  struct rebali_text namespace_, name, uid, message;
  int cluster_scoped;
  int32_t replicas; /* R */
  int64_t outcome;
  int64_t drift, granted, withheld, added, removed, drift_left;
  int64_t limited_by; /* row of limits, or REBAL_ABSENT */
  int is_whole;
  int32_t max_surge, max_unavailable;
  size_t first_cell, n_cells; /* by name of the cluster */
  size_t first_move, n_moves;
};

/* One limit, with its answer; then one budget. */
struct rebali_plan_limit {
  int64_t scope;
  struct rebali_text subject;
  int64_t replicas, used, withheld, shadow;
  int64_t tokens; /* left; REBAL_ABSENT: no pace */
  rebal_time tokens_at;
};
struct rebali_plan_use {
  size_t limit;
  struct rebali_text subject;
  int64_t used, left;
};

struct rebal_plan {
  rebal_allocator allocator;
  struct rebali_arena arena; /* of everything below */
  struct rebali_store *store; /* a reference: cluster ids are its */
  struct rebali_fingerprint inputs;
  rebal_time now;
  int64_t progress_deadline_ns;
  int32_t mode;
  struct rebali_plan_row *rows;
  size_t n_rows;
  struct rebali_plan_cell *cells;
  size_t n_cells;
  struct rebali_plan_move *moves;
  size_t n_moves;
  struct rebali_plan_limit *limits;
  size_t n_limits;
  struct rebali_plan_use *uses;
  size_t n_uses;
  uint32_t *drained, *lost; /* ids, ascending, each once */
  size_t n_drained, n_lost;
};

/* An empty plan of a fleet. */
int32_t rebali_plan_new(const rebal_allocator *allocator, struct rebali_store *store, rebal_plan **out,
                        rebal_error *err);

/* ---- limits of the numbers of a movement ------------------------------------------------------------------------- */

#define REBALI_MOVEMENT_COUNT INT32_MAX             /* replicas of one binding */
#define REBALI_MOVEMENT_REPLICAS (INT64_C(1) << 40) /* of all bindings */
#define REBALI_MOVEMENT_COST (INT64_C(1) << 53)     /* prices are at most twice as much */

#endif
