/* SPDX-License-Identifier: MIT */
/*
 * rebalance/estimator.h - how many replicas fit, by the clusters' resource summaries or by their nodes
 * (rebalance-karmada(7) 6.2 to 6.7).
 */
#ifndef REBAL_ESTIMATOR_H
#define REBAL_ESTIMATOR_H

#include "fleet.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Values of rebal_estimator.fits that are not a number of replicas. */
enum rebal_fits {
  REBAL_FITS_NO_OPINION = -1,         /**< the estimator has no opinion about the cluster */
  /**
   * The estimator failed for the cluster. Unless REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING is off, one such cell of a
   * feasible cluster drops all its answers for the binding (rebalance-karmada(7) 6.1).
   */
  REBAL_FITS_FAILED = -2147483647 - 1
};

/**
 * The answers of one estimator beside the library's own: how many replicas (whole sets for a binding with components)
 * fit into each cluster in addition to those it has. The smallest answer of all estimators is used; numbers below 0
 * other than REBAL_FITS_* are compared as they are, as in the reference. The cell of binding row b and cluster id c is
 * fits[b * stride + c]. The arrays belong to the caller and must stay valid until the call ends. Since: 0.1
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

/** All zero: Karmada's defaults, empty ledger. Since: 0.1 */
typedef struct rebal_estimate_opts {
  uint32_t struct_size;
  uint32_t flags;             /**< REBAL_ESTIMATE_FLAG_* */
  const rebal_compat *compat; /**< NULL: defaults */
  const rebal_ledger *ledger; /**< capacity that is spent already; NULL: none */
  const char *namespace_;     /**< whose ResourceQuotas limit rebal_estimate_sets(); NULL: the empty name */
  uint64_t namespace_len;    /**< bytes of namespace_ */
} rebal_estimate_opts;

/**
 * Estimates how many replicas of one kind fit into each cluster of the snapshot: fills REBAL_TABLE_ESTIMATE, clusters
 * by name. requirements is a handle, or REBAL_NONE for a workload without requirements (then only free pods count).
 * Source: rebalance-karmada(7) 6.3. Since: 0.1
 */
REBAL_API int32_t rebal_estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements,
                                 const rebal_estimate_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Estimates how many whole sets of n components fit into each cluster of the snapshot: fills REBAL_TABLE_ESTIMATE,
 * clusters by name. A set has replicas[i] pods with requirements[i] (a handle, or REBAL_NONE) of every component i. On
 * resource models components are placed in their order, each on the first nodes with capacity. Amounts are compared in
 * the notation of their text: thousandths for decimal notations, units for binary ones (Ki, Mi, ...). A set without any
 * replicas gives the number of free pods.
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

/** All zero: no pod has a node yet, and all have priority 0. Arrays have an element for each pod. Since: 0.1 */
typedef struct rebal_place_opts {
  uint32_t struct_size;
  uint32_t flags;            /**< REBAL_PLACE_FLAG_* */
  const uint32_t *nodes;     /**< the node of each pod, REBAL_NONE: none yet; NULL: none has a node */
  const int32_t *priorities; /**< NULL: all 0 */
} rebal_place_opts;

/**
 * Finds a node of the cluster for each of n pods: fills REBAL_TABLE_SEATED with one row for each pod, in the given
 * order. Pods are placed in that order. Each gets the first node, in the order in which pods are packed
 * (rebal_fleet_nodes(3)), that its requirements (a handle, or REBAL_NONE) accept and that has capacity for it beside
 * the pods of the snapshot and those given before it. Tolerations of a NoExecute taint for 0 seconds or less do not
 * count. Pods with a node of their own stay there and take their capacity first, even if it does not suffice; on a
 * missing node they take none.
 *
 * With REBAL_PLACE_FLAG_PREEMPTS a pod that fits nowhere takes the first node that would have capacity without the
 * given pods of lower priorities. Of these it keeps as many as fit, highest priority first, then in the given order.
 * Preempted pods get no other node in this call.
 * @returns REBAL_EINVAL for an unknown handle (where = i), REBAL_ENOTFOUND: the nodes of the cluster are not known.
 * Source: rebalance-karmada(7) 6.5.2, 6.5.3 for what fits; preemption is this library's. Since: 0.1
 */
REBAL_API int32_t rebal_place_pods(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster,
                                   const uint32_t *requirements, size_t n, const rebal_place_opts *opts,
                                   rebal_result *result, rebal_error *err);

/**
 * Computes status.resourceSummary.allocatableModelings from the nodes of the snapshot: fills REBAL_TABLE_MODELED with
 * one row for each of the cluster's resource models. Each node counts for the last model of which it has all amounts
 * free; a node that lacks an amount of the first model counts for none. Nodes are counted in the order in which they
 * were added; a node that has pods and no capacity for one more ends the count. The table is empty if the cluster has
 * no models or their numbers of ranges differ.
 * @returns REBAL_ENOTFOUND: the nodes of the cluster are not known.
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
 * Counts the replicas of each binding's resource that each of its targets cannot schedule, from the rows of POD,
 * WORKLOAD and REPLICA_SET below the cluster: fills REBAL_TABLE_UNSCHEDULABLE. A pod counts if it belongs to the
 * Deployment's new ReplicaSet and was found unschedulable longer ago than the threshold. REPLICAS is
 * REBAL_FITS_NO_OPINION if the cluster's nodes and rows are not known, and REBAL_FITS_FAILED, with a message, if the
 * resource is of another kind, is missing, or has a malformed selector.
 * Source: rebalance-karmada(7) 6.5.6. Since: 0.1
 */
REBAL_API int32_t rebal_unschedulable(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                      const rebal_time *now, const rebal_unschedulable_opts *opts,
                                      rebal_result *result, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
