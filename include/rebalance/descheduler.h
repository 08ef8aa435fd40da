/* SPDX-License-Identifier: MIT */
/*
 * rebalance/descheduler.h - removes replicas that cannot be scheduled from their clusters (rebalance-karmada(7) 8).
 */
#ifndef REBAL_DESCHEDULER_H
#define REBAL_DESCHEDULER_H

#include "estimator.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of rebal_deschedule_opts.flags. */
enum rebal_deschedule_flag {
  REBAL_DESCHEDULE_FLAG_GIVEN_BINDINGS = 1,   /**< take every binding, whatever its kind, placement or deletion */
  REBAL_DESCHEDULE_FLAG_EXPLAIN = 2,          /**< add a row of DESCHEDULED for every target of every binding taken */
  REBAL_DESCHEDULE_FLAG_ANY_KIND = 4,         /**< take any kind with replicas, ClusterResourceBindings too */
  REBAL_DESCHEDULE_FLAG_FROM_STATUS = 8,      /**< if there is no opinion, count replicas not ready for long */
  REBAL_DESCHEDULE_FLAG_THRESHOLD_GIVEN = 16, /**< threshold_ns counts even when it is 0 */
  REBAL_DESCHEDULE_FLAG_FROM_PODS = 32        /**< if no estimator has an opinion, count pods of the snapshot */
};

/** All zero: Karmada's defaults, and no estimator. Since: 0.1 */
typedef struct rebal_deschedule_opts {
  uint32_t struct_size;
  uint32_t flags;             /**< REBAL_DESCHEDULE_FLAG_* */
  const rebal_compat *compat; /**< NULL: defaults */
  int64_t interval_ns;        /**< time until the next run; 0: 2 minutes */
  int64_t threshold_ns;       /**< unschedulable for longer counts; 0 without THRESHOLD_GIVEN: 5 minutes */
  const rebal_estimator *const *estimators; /**< fits: replicas that cannot be scheduled, not those that fit */
  uint64_t n_estimators;                    /**< number of estimators */
  int64_t max_total;        /**< replicas that a run may remove at most; 0: no cap, here and below */
  int64_t max_by_cluster;   /**< from each cluster */
  int64_t max_by_namespace; /**< from workloads of each namespace */
  int64_t max_by_workload;  /**< from each workload */
  const rebal_observations *observations; /**< NULL: writes succeed; else see rebal_deschedule_step() */
  const rebal_record *const *budgets;     /**< records of the object BUDGET: PodDisruptionBudgets */
  uint64_t n_budgets;                     /**< number of budgets */
} rebal_deschedule_opts;

/** Source of the number of unschedulable replicas (column REBAL_DESCHEDULED_SOURCE). */
enum rebal_deschedule_source {
  REBAL_DESCHEDULE_SOURCE_NONE = 0,      /**< no source has an opinion */
  REBAL_DESCHEDULE_SOURCE_ESTIMATOR = 1, /**< the estimator of column ESTIMATOR */
  REBAL_DESCHEDULE_SOURCE_STATUS = 2,    /**< the binding's status */
  REBAL_DESCHEDULE_SOURCE_PODS = 3       /**< pods of the snapshot, counted as by rebal_unschedulable() */
};

/** Which cap withholds replicas (column REBAL_DESCHEDULED_WITHHELD_BY). */
enum rebal_deschedule_cap {
  REBAL_DESCHEDULE_CAP_NONE = 0,      /**< none */
  REBAL_DESCHEDULE_CAP_TOTAL = 1,     /**< max_total */
  REBAL_DESCHEDULE_CAP_CLUSTER = 2,   /**< max_by_cluster */
  REBAL_DESCHEDULE_CAP_NAMESPACE = 3, /**< max_by_namespace */
  REBAL_DESCHEDULE_CAP_WORKLOAD = 4,  /**< max_by_workload */
  REBAL_DESCHEDULE_CAP_BUDGET = 5     /**< a PodDisruptionBudget */
};

/** Why a binding is changed or not (column REBAL_STEP_REASON of rebal_deschedule_step()). */
enum rebal_deschedule_reason {
  REBAL_DESCHEDULE_REASON_MOVED = 1,        /**< replicas are taken away */
  REBAL_DESCHEDULE_REASON_NOT_ELIGIBLE = 2, /**< column REBAL_STEP_DETAIL holds what excludes it (8.1) */
  REBAL_DESCHEDULE_REASON_READY = 3,        /**< no cluster lacks ready replicas */
  REBAL_DESCHEDULE_REASON_SCHEDULABLE = 4,  /**< some cluster lacks them, but none are known that can be taken away */
  REBAL_DESCHEDULE_REASON_WITHHELD = 5      /**< caps withhold all replicas that could be taken away */
};

/** First cause that excludes a binding (column REBAL_STEP_DETAIL of REBAL_DESCHEDULE_REASON_NOT_ELIGIBLE). */
enum rebal_deschedule_exclusion {
  REBAL_DESCHEDULE_EXCLUSION_NONE = 0,        /**< not excluded */
  REBAL_DESCHEDULE_EXCLUSION_DELETING = 1,    /**< it is being deleted */
  REBAL_DESCHEDULE_EXCLUSION_OTHER_KIND = 2,  /**< not of a Deployment of apps/v1 in a namespace */
  REBAL_DESCHEDULE_EXCLUSION_NO_REPLICAS = 3, /**< ANY_KIND: it has no replicas */
  REBAL_DESCHEDULE_EXCLUSION_NOT_APPLIED = 4, /**< no placement was applied yet */
  REBAL_DESCHEDULE_EXCLUSION_UNREADABLE = 5,  /**< the placement that was applied last cannot be read */
  REBAL_DESCHEDULE_EXCLUSION_NOT_DYNAMIC = 6  /**< that placement does not divide by what is available */
};

/**
 * Runs the descheduler once over all bindings: if replicas of a target are not ready because they cannot be scheduled,
 * the target loses them, but never falls below its ready replicas. Actions: PATCH_SPEC (clusters, whole) with the event
 * for each binding that loses replicas, and one WAKE for the whole run. Fills REBAL_TABLE_STEP with a row for each
 * binding (DONE with REBAL_DESCHEDULE_REASON_MOVED, else SKIPPED) and REBAL_TABLE_DESCHEDULED for each binding in which
 * a cluster lacks ready replicas. If no estimator has an opinion, nothing is removed.
 *
 * The estimators answer how many replicas of the binding are unschedulable for longer than the threshold. If none has
 * an opinion, REBAL_DESCHEDULE_FLAG_FROM_PODS counts pods of the snapshot as rebal_unschedulable() does, with ANY_KIND
 * also of other kinds than Deployment; this count may fail as an estimator may. If that has no opinion either,
 * REBAL_DESCHEDULE_FLAG_FROM_STATUS counts replicas that are not ready, provided the binding was last scheduled longer
 * ago than the threshold. Caps are used up in the order of bindings and their targets.
 *
 * A budget applies to workloads of its namespace whose REBAL_BINDING_POD_LABELS it selects or are not known, in its
 * cluster or, without one, in all clusters together. Pods that wait for a node are not disrupted by their removal:
 * budgets withhold only replicas counted from the status alone, or by an estimator in a cluster with more ready
 * replicas than it should have.
 *
 * The cost grows with the number of estimators times the targets of all bindings.
 *
 * With observations, the caller repeats a run until no step is WAITING: the patch of a binding has its row as ordinal.
 * The event follows the observation of the patch; if the write failed, it is a Warning with the error text and the step
 * is RETRY.
 * @returns REBAL_ERANGE: the interval, the threshold or a cap is negative; REBAL_EINVAL: a budget is not a record of
 * BUDGET, or its selector is malformed.
 * Source: rebalance-karmada(7) 8. Since: 0.1
 */
REBAL_API int32_t rebal_deschedule_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                        const rebal_time *now, const rebal_deschedule_opts *opts,
                                        rebal_result *result, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
