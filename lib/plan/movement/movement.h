/* SPDX-License-Identifier: MIT */
/*
 * lib/plan/movement/movement.h - how rebal_least_movement() computes a flow of least cost.
 *
 * Replicas flow from bindings to clusters and from there, within the capacity, to a sink. A pair is an arc with two
 * costs. Replicas up to kept_most stay where they are and cost nothing; each of them that leaves costs the weight.
 * Further replicas were moved in and cost nothing more. A replica that is not placed flows from its binding to the sink
 * and costs `unplaced_cost`, which is more than all moves together.
 *
 * All minimums are subtracted first: planned, kept_most and most count replicas above the minimum.
 */
#ifndef REBALI_PLAN_MOVEMENT_H
#define REBALI_PLAN_MOVEMENT_H

#include "plan/plan.h"

struct rebali_movement_pair {
  int32_t planned;
  int32_t kept_most; /* of the present ones, as many as the bounds allow */
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
  struct rebali_movement_pair *pairs;
  int64_t *waiting; /* of each binding: replicas neither placed nor given up */
  int64_t *left;    /* of each cluster: capacity; below 0: replicas that must leave; INT64_MAX: no limit */
  int64_t *prices;  /* of each node: clusters, then bindings */
};

static inline int64_t rebali_movement_cell(const int64_t *cells, size_t index, int64_t otherwise) {
  return cells == NULL ? otherwise : cells[index];
}
static inline int64_t rebali_movement_weight(const struct rebali_movement *movement, size_t binding) {
  return rebali_movement_cell(movement->problem.weights, binding, 1);
}

/* movement.c: sets placed, kept and moved of an answer from its placement. The problem must be valid. */
void rebali_movement_sum(const rebal_movement *problem, rebal_movement_answer *answer);

/* movement_load.c: checks the problem and makes pairs, capacities and costs of it. Nothing is planned yet. */
int32_t rebali_movement_load(struct rebali_movement *movement, const rebal_movement *problem, rebal_error *err);

/*
 * movement_start.c: keeps present replicas, removes surplus ones, and adds what fits without a detour. The cost is
 * least for what is placed. Returns 1 if replicas wait, or if a cluster holds more than its capacity.
 */
int rebali_movement_start(struct rebali_movement *movement);

/* ---- repair ------------------------------------------------------------------------------------------------------ */

/* What the repair keeps for each node: clusters, then bindings. */
struct rebali_repair_node {
  int64_t distance; /* how much the price rises in the current search */
  uint32_t level;   /* arcs to the sink on the shortest way */
  uint32_t place;   /* in the heap; REBALI_NONE */
};

/* A pair as its cluster lists it. */
struct rebali_repair_arc {
  uint32_t pair;
  uint32_t binding;
};

struct rebali_repair {
  struct rebali_movement *movement;
  size_t n_nodes;
  struct rebali_repair_node *nodes;
  uint32_t *column_offsets;          /* of each cluster, and the end: index into columns */
  struct rebali_repair_arc *columns; /* by cluster, then binding */
  uint64_t *settled;                 /* bits of nodes */
  uint32_t *heap;                    /* nodes whose distance may still decrease */
  size_t n_heap;
  uint32_t *queue; /* nodes at the distance that the search has reached, by level */
  size_t n_queue;
  uint32_t *next; /* of each node: next arc to try */
  uint32_t *path; /* arcs from a source */
};

/* How many replicas an arc can still take at one cost, and that cost. 0: none. */
struct rebali_repair_capacity {
  int64_t count;
  int64_t cost;
};
static inline struct rebali_repair_capacity rebali_repair_into(const struct rebali_movement_pair *pair,
                                                               int64_t weight) {
  return pair->planned < pair->kept_most ? (struct rebali_repair_capacity){pair->kept_most - pair->planned, -weight}
                                         : (struct rebali_repair_capacity){pair->most - pair->planned, 0};
}
static inline struct rebali_repair_capacity rebali_repair_out_of(const struct rebali_movement_pair *pair,
                                                                 int64_t weight) {
  return pair->planned > pair->kept_most ? (struct rebali_repair_capacity){pair->planned - pair->kept_most, 0}
                                         : (struct rebali_repair_capacity){pair->planned, weight};
}

/* Returns how many replicas must leave the node. */
static inline int64_t rebali_repair_excess(const struct rebali_movement *movement, size_t node) {
  if (node >= movement->n_clusters) {
    return movement->waiting[node - movement->n_clusters];
  }
  return movement->left[node] < 0 ? -movement->left[node] : 0;
}

/*
 * repair_search.c: computes the distance of all nodes to the sink and, for paths of equal length, the number of arcs;
 * raises prices by the distances. Stops once all nodes with an excess are settled. Returns 0 if no node has an excess.
 */
int rebali_repair_search(struct rebali_repair *repair);
/* repair_push.c: moves replicas along shortest paths until each path is blocked. */
void rebali_repair_push(struct rebali_repair *repair);
/* repair.c: repairs a started movement. Returns REBAL_ENOMEM without memory. */
int32_t rebali_movement_repair(struct rebali_movement *movement, rebal_error *err);

#endif
