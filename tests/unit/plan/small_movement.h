/* SPDX-License-Identifier: MIT */
/* A small problem whose cells a test can change, and its answer. */
#ifndef SMALL_MOVEMENT_H
#define SMALL_MOVEMENT_H

#include "plan/plan.h"

#include "../unit.h"

enum { SMALL_BINDINGS = 3, SMALL_CLUSTERS = 3, SMALL_PAIRS = 9 };

struct small_movement {
  rebal_ctx *ctx;
  int64_t replicas[SMALL_BINDINGS], weights[SMALL_BINDINGS];
  uint64_t offsets[SMALL_BINDINGS + 1];
  uint32_t clusters[SMALL_PAIRS];
  int64_t present[SMALL_PAIRS], minimums[SMALL_PAIRS], maximums[SMALL_PAIRS];
  int64_t capacities[SMALL_CLUSTERS];
  rebal_movement problem;
  int64_t planned[SMALL_PAIRS], binding_prices[SMALL_BINDINGS], cluster_prices[SMALL_CLUSTERS];
  rebal_movement_answer answer;
  rebal_error err;
};

/* Every pair of three bindings and three clusters; nothing present, wanted or limited, weights 1. */
static inline void small_open(struct small_movement *small) {
  memset(small, 0, sizeof *small);
  for (size_t i = 0; i < SMALL_PAIRS; i++) {
    small->clusters[i] = (uint32_t)(i % SMALL_CLUSTERS);
    small->maximums[i] = INT64_MAX;
  }
  for (size_t i = 0; i < SMALL_BINDINGS; i++) {
    small->offsets[i + 1] = SMALL_CLUSTERS * (i + 1);
    small->weights[i] = 1;
    small->capacities[i] = INT64_MAX;
  }
  small->problem = (rebal_movement){.struct_size = (uint32_t)sizeof small->problem,
                                    .n_bindings = SMALL_BINDINGS,
                                    .n_clusters = SMALL_CLUSTERS,
                                    .replicas = small->replicas,
                                    .weights = small->weights,
                                    .offsets = small->offsets,
                                    .clusters = small->clusters,
                                    .present = small->present,
                                    .minimums = small->minimums,
                                    .maximums = small->maximums,
                                    .capacities = small->capacities};
  small->answer = (rebal_movement_answer){.struct_size = (uint32_t)sizeof small->answer,
                                          .planned = small->planned,
                                          .binding_prices = small->binding_prices,
                                          .cluster_prices = small->cluster_prices};
  small->err = (rebal_error)REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &small->ctx, NULL), REBAL_OK);
}

static inline void small_close(struct small_movement *small) {
  rebal_ctx_free(small->ctx);
}

static inline int32_t small_solve(struct small_movement *small) {
  return rebal_least_movement(small->ctx, &small->problem, &small->answer, &small->err);
}

static inline int32_t small_verify(struct small_movement *small, int64_t *gap) {
  return rebal_plan_verify(small->ctx, &small->problem, &small->answer, gap, &small->err);
}

/* Solves it, verifies that no placement is better, and compares the placement. */
static inline void small_expect(struct small_movement *small, const int64_t planned[SMALL_PAIRS]) {
  int64_t gap = -1;

  ck_assert_int_eq(small_solve(small), REBAL_OK);
  ck_assert_int_eq(small_verify(small, &gap), REBAL_OK);
  ck_assert_int_eq(gap, 0);
  for (size_t i = 0; i < SMALL_PAIRS; i++) {
    ck_assert_int_eq(small->planned[i], planned[i]);
  }
}

#endif
