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
 * the target loses them, but never falls below its ready replicas. Fills REBAL_TABLE_STEP with a row for each binding,
 * REBAL_TABLE_DESCHEDULED with a row for each target of bindings that lack ready replicas, and REBAL_TABLE_ACTION: a
 * PATCH_SPEC with the row of the binding as ordinal, events, and one WAKE for the next run. opts may be NULL.
 *
 * With opts->observations the caller repeats the call until no step is REBAL_STEP_STATE_WAITING.
 * rebal_deschedule_step(3) describes which bindings are processed, what counts as unschedulable, caps and budgets.
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
