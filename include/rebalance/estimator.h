/* SPDX-License-Identifier: MIT */
/*
 * rebalance/estimator.h - how many replicas fit, from the clusters' resource summaries or from their nodes (
 * rebalance-karmada(7) 6.2 to 6.7).
 */
#ifndef REBAL_ESTIMATOR_H
#define REBAL_ESTIMATOR_H

#include "fleet.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Cells of rebal_estimator.fits that are no number of replicas. */
enum rebal_fits {
  REBAL_FITS_NO_OPINION = -1,         /**< the estimator has no opinion about the cluster */
  /**
   * The estimator failed for the cluster. Unless REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING is off, one such cell of a
   * feasible cluster drops all its answers for the binding (rebalance-karmada(7) 6.1).
   */
  REBAL_FITS_FAILED = -2147483647 - 1
};

/**
 * The answers of one estimator beside the library's own: replicas, or for a component binding whole sets, that fit into
 * each cluster beside what is there. The smallest opinion of all estimators counts. The cell of binding row b and
 * cluster id c is fits[b * stride + c]. The arrays are the caller's and must live until the call ends. Since: 0.1
 */
typedef struct rebal_estimator {
  uint32_t struct_size;
  uint32_t reserved0;  /**< must be 0 */
  const int32_t *fits; /**< NULL: no opinion at all */
  uint64_t clusters;   /**< cluster ids from this on have no cell: no opinion */
  uint64_t stride;     /**< cells from one binding's to the next's; 0: the same cells for every binding */
} rebal_estimator;

/** Bits of rebal_estimate_opts.flags. */
enum rebal_estimate_flag {
  REBAL_ESTIMATE_FLAG_FINGERPRINT = 1, /**< compute rebal_result_fingerprint() of the result */
  /**
   * Estimates from nodes only (rebalance-karmada(7) 6.5), not from summaries and models. Clusters without HAS_NODES
   * have REPLICAS REBAL_FITS_NO_OPINION.
   */
  REBAL_ESTIMATE_FLAG_NODES = 2
};

/** All zero: Karmada's defaults, nothing spent. Since: 0.1 */
typedef struct rebal_estimate_opts {
  uint32_t struct_size;
  uint32_t flags;             /**< REBAL_ESTIMATE_FLAG_* */
  const rebal_compat *compat; /**< NULL: defaults */
  const rebal_ledger *ledger; /**< what is spent already; NULL: nothing */
  const char *namespace_;     /**< of a set of components, for quotas; NULL: empty. Single ones tell theirs */
  uint64_t namespace_len;    /**< bytes of namespace_ */
} rebal_estimate_opts;

/**
 * Replicas of one kind that fit into each cluster of the snapshot: fills REBAL_TABLE_ESTIMATE, clusters by name.
 * requirements is a handle, or REBAL_NONE for a workload that states none (then free pods alone count).
 * Source: rebalance-karmada(7) 6.3. Since: 0.1
 */
REBAL_API int32_t rebal_estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements,
                                 const rebal_estimate_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Whole sets of n components that fit into each cluster of the snapshot: fills REBAL_TABLE_ESTIMATE, clusters by name.
 * A set is replicas[i] pods, each with requirements[i] (a handle, or REBAL_NONE), of every component i. On resource
 * models components are placed in their order, each on the first nodes with room. Amounts are compared as they are
 * written: those of a decimal notation in thousandths, those of a binary one (Ki, Mi, ...) in units. Without any
 * replicas the free pods are the answer.
 * @returns REBAL_EINVAL for an unknown handle (where = i), REBAL_ERANGE for negative replicas (where = i).
 * Source: rebalance-karmada(7) 6.4, 6.7. Since: 0.1
 */
REBAL_API int32_t rebal_estimate_sets(rebal_ctx *ctx, rebal_snapshot *snapshot, const uint32_t *requirements,
                                      const int32_t *replicas, size_t n, const rebal_estimate_opts *opts,
                                      rebal_result *result, rebal_error *err);

/** Bits of rebal_place_opts.flags. */
enum rebal_place_flag {
  REBAL_PLACE_FLAG_PREEMPTS = 1,   /**< a pod that does not fit preempts pods of lower priority */
  REBAL_PLACE_FLAG_GIVEN_ALONE = 2 /**< ignore the pods of the snapshot; only the given ones use capacity */
};

/** All zero: no pod has a node yet, and all have priority 0. Arrays have a cell for each pod. Since: 0.1 */
typedef struct rebal_place_opts {
  uint32_t struct_size;
  uint32_t flags;            /**< REBAL_PLACE_FLAG_* */
  const uint32_t *nodes;     /**< where pods are already, REBAL_NONE: nowhere yet; NULL: none has a node */
  const int32_t *priorities; /**< NULL: all 0 */
} rebal_place_opts;

/**
 * A node of the cluster for each of n pods: fills REBAL_TABLE_SEATED, a row for each pod as given. The pods are taken
 * in their order; each gets the first node, in the order in which pods are packed (rebal_fleet_nodes(3)), that
 * its requirements (a handle, or REBAL_NONE) accept and that has room for it beside the pods of the snapshot and those
 * given before it; who tolerates a NoExecute taint for 0 seconds or less does not tolerate it. Pods with a node of
 * their own stay there and take their room first, whether there is enough or not; on a node that is not there they take
 * none.
 *
 * With REBAL_PLACE_FLAG_PREEMPTS a pod without room takes the first node that would have it without the given pods of
 * lower priorities; of these it leaves whom it can, the highest priority first, then the first given. Who had to go
 * gets no other node in this call.
 * @returns REBAL_EINVAL for an unknown handle (where = i), REBAL_ENOTFOUND: nothing is known of the cluster's nodes.
 * Source: rebalance-karmada(7) 6.5.2, 6.5.3 for what fits; preemption is this library's. Since: 0.1
 */
REBAL_API int32_t rebal_place_pods(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster,
                                   const uint32_t *requirements, size_t n, const rebal_place_opts *opts,
                                   rebal_result *result, rebal_error *err);

/**
 * What status.resourceSummary.allocatableModelings says of the nodes of the snapshot: fills REBAL_TABLE_MODELED, a row
 * for each of the cluster's resource models. Each node counts for the last model of which it has all amounts free; one
 * that lacks some of the first model's counts for none. Nodes are taken in the order in which they came; one that has
 * pods and no room for one more ends the count. No row: the cluster has no models, or they do not have as many ranges
 * each.
 * @returns REBAL_ENOTFOUND: nothing is known of the cluster's nodes.
 * Source: rebalance-karmada(7) 6.8. Since: 0.1
 */
REBAL_API int32_t rebal_model_nodes(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster, rebal_result *result,
                                    rebal_error *err);

/** Bits of rebal_unschedulable_opts.flags. */
enum rebal_unschedulable_flag {
  REBAL_UNSCHEDULABLE_FLAG_ANY_KIND = 1,       /**< pods of any workload, not of Deployments alone */
  REBAL_UNSCHEDULABLE_FLAG_THRESHOLD_GIVEN = 2 /**< threshold_ns counts even when it is 0 */
};

/** All zero: Karmada's defaults. Since: 0.1 */
typedef struct rebal_unschedulable_opts {
  uint32_t struct_size;
  uint32_t flags;       /**< REBAL_UNSCHEDULABLE_FLAG_* */
  int64_t threshold_ns; /**< how long a pod waits before it counts; 0 without THRESHOLD_GIVEN: 5 minutes; below 0: 0 */
} rebal_unschedulable_opts;

/**
 * Replicas of each binding's resource that each of its targets cannot schedule, by the rows of POD, WORKLOAD and
 * REPLICA_SET below the cluster: fills REBAL_TABLE_UNSCHEDULABLE. A pod counts when it is of the Deployment's new
 * ReplicaSet and was found unschedulable longer ago than the threshold. REPLICAS is REBAL_FITS_NO_OPINION where
 * nothing is known of the cluster's nodes and rows, and REBAL_FITS_FAILED, with a message, where the resource is of
 * another kind, not there, or has a malformed selector.
 * Source: rebalance-karmada(7) 6.5.6. Since: 0.1
 */
REBAL_API int32_t rebal_unschedulable(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                      const rebal_time *now, const rebal_unschedulable_opts *opts,
                                      rebal_result *result, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
