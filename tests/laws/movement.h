/* SPDX-License-Identifier: MIT */
/* A problem of rebal_least_movement() of any size that a law draws, and its answer. */
#ifndef MOVEMENT_H
#define MOVEMENT_H

#include "laws.h"

enum { MOVEMENT_BINDINGS = 8, MOVEMENT_CLUSTERS = 8, MOVEMENT_PAIRS = MOVEMENT_BINDINGS * MOVEMENT_CLUSTERS };

struct movement {
  size_t n_bindings, n_clusters, n_pairs;
  int64_t replicas[MOVEMENT_BINDINGS], weights[MOVEMENT_BINDINGS];
  uint64_t offsets[MOVEMENT_BINDINGS + 1];
  uint32_t clusters[MOVEMENT_PAIRS];
  int64_t present[MOVEMENT_PAIRS], minimums[MOVEMENT_PAIRS], maximums[MOVEMENT_PAIRS];
  int64_t capacities[MOVEMENT_CLUSTERS];
  int64_t planned[MOVEMENT_PAIRS], binding_prices[MOVEMENT_BINDINGS], cluster_prices[MOVEMENT_CLUSTERS];
  rebal_movement_answer answer;
};

/* The problem as the call takes it; sets where the answer goes. */
rebal_movement movement_problem(struct movement *movement);
/* Solves and verifies it: NULL, or what is wrong. *code is that of the solver. */
const char *movement_solve(rebal_ctx *ctx, struct movement *movement, int32_t *code);
/* The most replicas that can be placed and the most kept then, by trying every placement; 0 when there is none. */
int movement_try_all(const struct movement *movement, int64_t *placed, int64_t *kept);

#endif
