/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/movement.h - how rebal_least_movement() computes a flow of least cost.
 *
 * Replicas flow from bindings to clusters and from there, within the capacity, to a sink. A pair is an arc with two
 * costs: replicas up to kept_most stay where they are and cost nothing, each of them that leaves costs the weight; any
 * further one was moved in and costs nothing more. A replica that is not placed goes from its binding to the sink and
 * costs `unplaced_cost`, which is more than all moves together.
 *
 * All minimums are taken out first: planned, kept_most and most count replicas above the minimum.
 */
#ifndef REBALI_PLAN_MOVEMENT_H
#define REBALI_PLAN_MOVEMENT_H

#include "plan/plan.h"

struct rebali_pair {
  int32_t planned;
  int32_t kept_most; /* of those present, as many as the bounds allow */
  int32_t most;      /* at least kept_most */
  uint32_t binding;
};

struct rebali_movement {
  rebal_movement problem;
  struct rebali_arena *scratch;
  size_t n_bindings;
  size_t n_clusters;
  size_t n_pairs;
  int64_t unplaced_cost;
  struct rebali_pair *pairs;
  int64_t *waiting; /* of each binding: replicas that are neither placed nor given up */
  int64_t *left;    /* of each cluster: capacity; below 0: so many must leave; INT64_MAX: no limit */
  int64_t *prices;  /* of each node: clusters, then bindings */
};

static inline int64_t rebali_movement_cell(const int64_t *cells, size_t index, int64_t otherwise) {
  return cells == NULL ? otherwise : cells[index];
}
static inline int64_t rebali_movement_weight(const struct rebali_movement *movement, size_t binding) {
  return rebali_movement_cell(movement->problem.weights, binding, 1);
}

/* Checks the problem and makes pairs, capacities and costs of it, nothing planned yet. movement_load.c */
int32_t rebali_movement_load(struct rebali_movement *movement, const rebal_movement *problem, rebal_error *err);

/*
 * Keeps what is present, removes what is wanted no more, and adds what fits without a way round. It is least for what
 * it places. Returns 1 when replicas wait, or a cluster holds more than its capacity. movement_start.c
 */
int rebali_movement_start(struct rebali_movement *movement);

#endif
