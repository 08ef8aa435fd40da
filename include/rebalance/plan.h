/* SPDX-License-Identifier: MIT */
/*
 * rebalance/plan.h - plans: what would move, and how little has to (spec plan).
 */
#ifndef REBAL_PLAN_H
#define REBAL_PLAN_H

#include "fleet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- least movement --------------------------------------------------------------------------------------------- */

/**
 * Which replicas may be where (spec plan 6). A pair is a binding and a cluster in which it has replicas or may have
 * some; replicas of a binding are in no cluster without a pair. The arrays are the caller's and are only read. Counts
 * are at most 2^31 - 1, but maximums and capacities may be any number; bindings, clusters and pairs are fewer than
 * 2^32 - 1; all replicas together are at most 2^40, and the weights of all that are present less than 2^53
 * (REBAL_ELIMIT). Since: 0.1
 */
typedef struct rebal_movement {
  uint32_t struct_size;
  uint32_t flags;            /**< must be 0 */
  uint64_t n_bindings;       /**< number of bindings */
  uint64_t n_clusters;       /**< number of clusters, or of shares of clusters that have a capacity of their own */
  const int64_t *replicas;   /**< of each binding: how many are wanted */
  const int64_t *weights;    /**< of each binding: of one moved replica, above 0; NULL: 1 */
  const uint64_t *offsets;   /**< n_bindings + 1: the first pair of each binding, and the number of pairs */
  const uint32_t *clusters;  /**< of each pair: the cluster, ascending within a binding */
  const int64_t *present;    /**< of each pair: replicas there now; NULL: 0 */
  const int64_t *minimums;   /**< of each pair: replicas at least; NULL: 0 */
  const int64_t *maximums;   /**< of each pair: replicas at most; NULL: no limit */
  const int64_t *capacities; /**< of each cluster: replicas at most; INT64_MAX and NULL: no limit */
} rebal_movement;

/**
 * A placement and its proof. The arrays are the caller's; calls that fail leave all as it was. Since: 0.1
 */
typedef struct rebal_movement_answer {
  uint32_t struct_size;
  uint32_t flags;          /**< must be 0 */
  int64_t *planned;        /**< of each pair: replicas */
  int64_t *binding_prices; /**< of each binding: what one more wanted replica would cost; NULL: not wanted */
  int64_t *cluster_prices; /**< of each cluster: what one more replica of capacity would save; NULL: not wanted */
  int64_t placed;          /**< replicas of all bindings */
  int64_t kept;            /**< sum of weight x min(present, planned) */
  int64_t moved;           /**< sum of weight x (min(replicas present, replicas placed) - replicas kept) */
} rebal_movement_answer;

/**
 * Places the most replicas within bounds and capacities, and of all such placements finds one that keeps the most
 * replicas where they are, by weight. Where all replicas are placed no placement moves less. Exact; source: spec plan
 * 6.
 *
 * minimize sum of v_b x max(0, x_bc - y_bc) + M x (replicas not placed), lo_bc <= y_bc <= hi_bc, sum over c of y_bc <=
 * R_b, sum over b of y_bc <= K_c: a flow of least cost, which starts from what is present and is repaired along
 * shortest paths, all of one length at once. Where no capacity binds, it takes time linear in the pairs; else a
 * number of searches, each of pairs x log(bindings + clusters). Memory: 20 bytes for each pair.
 * @returns REBAL_ERANGE: the minimums of a binding exceed its replicas (err->field "replicas", err->where the binding)
 * or those in a cluster its capacity ("capacities", the cluster), or a number is negative; REBAL_EINVAL: an array is
 * missing, offsets or clusters do not ascend, a maximum is below its minimum.
 * Since: 0.1
 */
REBAL_API int32_t rebal_least_movement(rebal_ctx *ctx, const rebal_movement *problem, rebal_movement_answer *answer,
                                       rebal_error *err);

/**
 * Verifies an answer, whoever made it, in one pass over the pairs: that the placement is permitted, that placed, kept
 * and moved are its sums, and how far its cost is above the bound that the prices prove (spec plan 6). *gap 0: no
 * placement is better. Uses nothing of rebal_least_movement().
 * @returns REBAL_EMISMATCH: a bound or a capacity is exceeded, a sum is wrong, or a price proves nothing (err->field
 * names the member, err->where the pair, binding or cluster).
 * Since: 0.1
 */
REBAL_API int32_t rebal_plan_verify(rebal_ctx *ctx, const rebal_movement *problem, const rebal_movement_answer *answer,
                                    int64_t *gap, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
