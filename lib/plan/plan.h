/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/plan.h - private header of the module "plan": what would move, under which limits, in which order
 * (rebalance-plan(7)).
 */
#ifndef REBALI_PLAN_H
#define REBALI_PLAN_H

#include "fleet/fleet.h"
#include "rebalance/plan.h"

/* ---- a plan (plan.c) --------------------------------------------------------------------------------------------- */

/* One cluster in x, w or y of a binding. */
struct rebali_plan_cell {
  uint32_t cluster;
  uint32_t is_in;                   /* bits: REBALI_IN_* */
  int32_t present, wanted, planned; /* at least 0; 0 if the cluster is not in them */
  int32_t ready;                    /* at most present */
};
enum { REBALI_IN_PRESENT = 1, REBALI_IN_WANTED = 2, REBALI_IN_PLANNED = 4 };

/* One granted pair. */
struct rebali_plan_move {
  uint32_t source, target;
  int32_t replicas;
};

/*
 * One binding; texts are the plan's. A sum of its replicas is less than 2^63: there are fewer than 2^32 clusters of
 * less than 2^31 replicas each.
 */
struct rebali_plan_row {
  struct rebali_text namespace_, name, uid, message;
  int cluster_scoped;
  int32_t replicas; /* R */
  int64_t outcome;
  int64_t drift, granted, withheld, added, removed, drift_left;
  int64_t limited_by; /* row in limits, or REBAL_ABSENT */
  int is_whole;
  int32_t max_surge, max_unavailable;
  size_t first_cell, n_cells; /* by name of the cluster */
  size_t first_move, n_moves;
};

/* One limit and what was used of it. Budgets follow the caller's limits. */
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
/* Replicas of all bindings in a cluster. Sums saturate. */
struct rebali_plan_sum {
  uint32_t cluster;
  int64_t before, after, moved_out, moved_in;
};

/* The transportation problem of the mode LEAST; arrays are the plan's (rebalance-plan(7) 6). */
struct rebali_plan_least {
  rebal_movement problem;
  rebal_movement_answer answer;
  int64_t gap;
  uint32_t *rows; /* row in the plan, by binding of the problem */
  uint32_t n_classes;
};

struct rebal_plan {
  rebal_allocator allocator;
  struct rebali_arena arena;  /* texts, and arrays without a capacity */
  struct rebali_store *store; /* a reference; cluster ids are from it */
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
  struct rebali_plan_sum *sums; /* by name of the cluster */
  size_t n_sums;
  uint32_t *drained, *lost; /* ids, ascending, each once */
  size_t n_drained, n_lost;
  struct rebali_plan_least *least; /* NULL in other modes */
};

/* Creates an empty plan for the fleet of the store. */
int32_t rebali_plan_new(const rebal_allocator *allocator, struct rebali_store *store, rebal_plan **out,
                        rebal_error *err);

/* plan.c: sorts n ids and removes duplicates. The array must have space for 2 * n. Returns how many remain. */
size_t rebali_plan_sort_ids(uint32_t *ids, size_t n);

/*
 * groups.c: counts the groups of a field (REBAL_SPREAD_BY_*) that n clusters belong to, as the scheduler does: a
 * cluster without a region or provider is in none. Returns REBAL_ENOMEM without filling an error.
 */
int32_t rebali_plan_groups(struct rebali_arena *arena, const rebal_snapshot *snapshot, uint32_t field,
                           const uint32_t *clusters, size_t n_clusters, int64_t *groups);

/* read.c: writes limits and their use as tables. Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_plan_read_limits(const rebal_plan *plan, rebal_result *result);

/* Tests whether the placement of a binding divides its replicas. Otherwise each cluster has all of them. */
int rebali_plan_is_divided(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row);

/* Returns "namespace/name", or "name" without a namespace, in memory of the arena; bytes is NULL without memory. */
struct rebali_text rebali_plan_key(struct rebali_text namespace_, struct rebali_text name, struct rebali_arena *arena);

/* Replicas that move from one placement of a binding to another (rebalance-plan(7) 1), added cell by cell. */
struct rebali_moved {
  int64_t leave; /* sum of the decreases */
  int64_t before, after;
};
static inline void rebali_moved_add(struct rebali_moved *moved, int32_t before, int32_t after) {
  moved->leave += before > after ? (int64_t)before - after : 0;
  moved->before += before;
  moved->after += after;
}
static inline int64_t rebali_moved_end(const struct rebali_moved *moved) {
  return moved->leave - (moved->before > moved->after ? moved->before - moved->after : 0);
}

/*
 * Adds all cells and moves of a plan to sums, by rank of the cluster's name. Without a snapshot, clusters are already
 * ranks. Clusters of no cell are not changed.
 */
void rebali_plan_add_up(const rebal_plan *plan, const rebal_snapshot *snapshot, struct rebali_plan_sum *sums);

/* ---- limits of the numbers of a movement ------------------------------------------------------------------------- */

#define REBALI_MOVEMENT_COUNT INT32_MAX             /* replicas of one binding */
#define REBALI_MOVEMENT_REPLICAS (INT64_C(1) << 40) /* of all bindings */
#define REBALI_MOVEMENT_COST (INT64_C(1) << 53)     /* prices are at most twice as much */

#endif
