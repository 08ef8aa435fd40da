/* SPDX-License-Identifier: MIT */
/*
 * rebalance/failover.h - eviction by NoExecute taints and the life of graceful-eviction tasks
 * (rebalance-karmada(7) 10).
 */
#ifndef REBAL_FAILOVER_H
#define REBAL_FAILOVER_H

#include "fleet.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of rebal_failover_opts.flags. */
enum rebal_failover_flag {
  REBAL_FAILOVER_FLAG_EVICT_BY_TAINT = 1, /**< enable-no-execute-taint-eviction (default off, as in the reference) */
  REBAL_FAILOVER_FLAG_PURGE_DIRECTLY = 2, /**< no-execute-taint-eviction-purge-mode Directly instead of Gracefully */
  REBAL_FAILOVER_FLAG_TIMEOUT_GIVEN = 4   /**< graceful_eviction_timeout_ns counts even when it is 0 */
};

/** All zero: Karmada's defaults. Since: 0.1 */
typedef struct rebal_failover_opts {
  uint32_t struct_size;
  uint32_t flags;                      /**< REBAL_FAILOVER_FLAG_* */
  const rebal_compat *compat;          /**< NULL: defaults */
  int64_t graceful_eviction_timeout_ns; /**< 0 without TIMEOUT_GIVEN: 10 minutes */
  int64_t eviction_interval_ns;    /**< 1 / resource-eviction-rate, 2 seconds there; 0: evict all at once */
  const rebal_time *next_eviction; /**< REBAL_PACE_NEXT of the last turn; NULL or unset: at once */
} rebal_failover_opts;

/** What taints mean for one binding in one cluster (column REBAL_STEP_REASON of rebal_taint_verdict()). */
enum rebal_taint_verdict {
  REBAL_TAINT_VERDICT_FOREVER = 0, /**< tolerated without end */
  REBAL_TAINT_VERDICT_EVICT = 1,   /**< evict now */
  REBAL_TAINT_VERDICT_AFTER = 2,   /**< tolerated for AFTER_NS more */
  REBAL_TAINT_VERDICT_ERROR = 3    /**< the applied placement is absent or unreadable */
};

/**
 * The verdict of a cluster's NoExecute taints on each binding, by its applied placement: one row of REBAL_TABLE_STEP
 * each, state REBAL_STEP_STATE_DONE, REASON one of REBAL_TAINT_VERDICT_*, MESSAGE the error of
 * REBAL_TAINT_VERDICT_ERROR. The option EVICT_BY_TAINT off: tolerated for ever. No action is given.
 * Source: rebalance-karmada(7) 10.3. Since: 0.1
 */
REBAL_API int32_t rebal_taint_verdict(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster,
                                      const rebal_bindings *bindings, const rebal_time *now,
                                      const rebal_failover_opts *opts, rebal_result *result, rebal_error *err);

/**
 * One turn of the taint manager for each binding that targets the cluster: actions PATCH_SPEC (clusters and
 * gracefulEvictionTasks, both whole) where it is evicted, WAKE where a toleration runs out later; one row of
 * REBAL_TABLE_STEP for each binding: DONE or RETRY with the verdict as REASON, SKIPPED when deleting or elsewhere.
 * With an eviction_interval_ns the turn evicts at most one binding, the first by row, and none before next_eviction;
 * the others are WAITING, with a WAKE each. What to pass on, for this cluster and any other, is the row of
 * REBAL_TABLE_PACE. A purge that is Directly is a row of REBAL_TABLE_WARNING (purges-directly).
 * Source: rebalance-karmada(7) 10.1, 10.3. Since: 0.1
 */
REBAL_API int32_t rebal_taint_eviction_step(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster,
                                            const rebal_bindings *bindings, const rebal_time *now,
                                            const rebal_failover_opts *opts, rebal_result *result, rebal_error *err);

/**
 * One turn of the graceful-eviction controller for each binding: which tasks stay, and when to look again. Actions
 * PATCH_SPEC (gracefulEvictionTasks, whole), EVENT for each task dropped, WAKE; one row of REBAL_TABLE_STEP for each
 * binding. A task dropped though nothing stands in for it is a row of REBAL_TABLE_WARNING (times-out,
 * nowhere-is-healthy, health-is-stale); with the option STRICT_EVICTION only a replacement ends a task, and there is no
 * timer.
 * Source: rebalance-karmada(7) 10.4. Since: 0.1
 */
REBAL_API int32_t rebal_graceful_eviction_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                               const rebal_time *now, const rebal_failover_opts *opts,
                                               rebal_result *result, rebal_error *err);

/**
 * One pass of the failover of applications for each binding: clusters in which the application was unhealthy for
 * longer than it tolerates are evicted, all by one action PATCH_SPEC (clusters and gracefulEvictionTasks, both whole);
 * WAKE for the next that may be. What the controller remembers between passes goes in as rows of
 * REBAL_TABLE_UNHEALTHY below each binding and comes out as REBAL_TABLE_UNHEALTHY_KEPT, the whole of it. One row of
 * REBAL_TABLE_STEP for each binding: DONE; RETRY with the error as MESSAGE, nothing is written then; SKIPPED where it
 * does not apply, nothing is remembered then. A purge that is Directly is a row of REBAL_TABLE_WARNING. Of the options
 * only compat is looked at.
 * Source: rebalance-karmada(7) 10.5, 10.6. Since: 0.1
 */
REBAL_API int32_t rebal_application_failover_step(rebal_ctx *ctx, rebal_snapshot *snapshot,
                                                  const rebal_bindings *bindings, const rebal_time *now,
                                                  const rebal_failover_opts *opts, rebal_result *result,
                                                  rebal_error *err);

/**
 * The taints that each cluster gets by its Ready condition: NoSchedule with the key cluster.karmada.io/not-ready where
 * it is False or missing, cluster.karmada.io/unreachable where it is Unknown. One action PATCH_SPEC for each cluster
 * whose taints change, ROW its id, with all its taints (REBAL_OBJECT_CLUSTER_SPEC, REBAL_REPLACES_TAINTS) and without a
 * precondition; those that stay keep place and time, new ones come last. If a key and effect occurs twice, both are
 * removed. One row of REBAL_TABLE_STEP for each cluster id: DONE; SKIPPED if the cluster is absent or being deleted.
 * Of the options only struct_size and flags are looked at, and no flag changes the answer.
 * Source: rebalance-karmada(7) 10.2. Since: 0.1
 */
REBAL_API int32_t rebal_condition_taints_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_time *now,
                                              const rebal_failover_opts *opts, rebal_result *result, rebal_error *err);
/**
 * The same by policies (REBAL_OBJECT_TAINT_POLICY), older ones first, then by name: each adds its taints where all its
 * addOnConditions hold, and then removes them where all its removeOnConditions do. If a key and effect occurs twice,
 * the first is removed. A cluster that is being deleted gets and loses taints like any other; only one that is absent
 * is SKIPPED. policies may be NULL when n is 0; the records are read during the call only.
 * @returns REBAL_EINVAL: one is no such record.
 * Source: rebalance-karmada(7) 10.2. Since: 0.1
 */
REBAL_API int32_t rebal_taint_policies_step(rebal_ctx *ctx, rebal_snapshot *snapshot,
                                            const rebal_record *const *policies, size_t n, const rebal_time *now,
                                            const rebal_failover_opts *opts, rebal_result *result, rebal_error *err);

/** All zero: nothing cools down. Since: 0.1 */
typedef struct rebal_cool_down_opts {
  uint32_t struct_size;
  uint32_t flags;       /**< must be 0 */
  int64_t cool_down_ns; /**< how long a binding stays out of a cluster after its eviction from there; 0: not at all */
} rebal_cool_down_opts;

/**
 * The clusters that each binding stays out of, since it was evicted from them less than cool_down_ns ago, by its rows
 * of REBAL_TABLE_HISTORY: one row of REBAL_TABLE_COOLING for each binding and cluster, by row of the binding, then by
 * cluster id, with the time when the last eviction counts no more. A cluster that is a target has no row, nor does a
 * row of HISTORY without a time give one; a time to come counts as now. Who schedules sets the cells of these rows in
 * rebal_schedule_opts.extra_reject to 1. The reference has no such option.
 * @returns REBAL_ERANGE: a negative cool_down_ns; REBAL_EUNSUPPORTED: a flag.
 * Since: 0.1
 */
REBAL_API int32_t rebal_cool_down(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                  const rebal_time *now, const rebal_cool_down_opts *opts, rebal_result *result,
                                  rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
