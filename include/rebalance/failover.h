/* SPDX-License-Identifier: MIT */
/*
 * rebalance/failover.h - eviction by NoExecute taints, failover of applications, graceful-eviction tasks, and taints by
 * conditions and policies (rebalance-karmada(7) 10).
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
  int64_t eviction_interval_ns;    /**< 1 / rate (Karmada: 2 seconds; rate 0 is 1800 seconds); 0: evict all at once */
  const rebal_time *next_eviction; /**< REBAL_PACE_NEXT of the last call; NULL or unset: at once */
} rebal_failover_opts;

/** What taints mean for one binding in one cluster (column REBAL_STEP_REASON of rebal_taint_verdict()). */
enum rebal_taint_verdict {
  REBAL_TAINT_VERDICT_FOREVER = 0, /**< tolerated without end */
  REBAL_TAINT_VERDICT_EVICT = 1,   /**< evict now */
  REBAL_TAINT_VERDICT_AFTER = 2,   /**< tolerated for AFTER_NS more */
  REBAL_TAINT_VERDICT_ERROR = 3    /**< the applied placement is absent or unreadable */
};

/**
 * Evaluates the NoExecute taints of a cluster for each binding, by its applied placement: one row of REBAL_TABLE_STEP
 * each, state REBAL_STEP_STATE_DONE, REASON one of REBAL_TAINT_VERDICT_*, MESSAGE the error of
 * REBAL_TAINT_VERDICT_ERROR. Without REBAL_FAILOVER_FLAG_EVICT_BY_TAINT all taints are tolerated forever. There are no
 * actions.
 * Source: rebalance-karmada(7) 10.3. Since: 0.1
 */
REBAL_API int32_t rebal_taint_verdict(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster,
                                      const rebal_bindings *bindings, const rebal_time *now,
                                      const rebal_failover_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Runs the taint manager once for each binding that targets the cluster. Actions: PATCH_SPEC (clusters and
 * gracefulEvictionTasks, both whole) if it is evicted, WAKE if a toleration ends later. Fills one row of
 * REBAL_TABLE_STEP for each binding: DONE or RETRY with the verdict as REASON, SKIPPED if it is being deleted or does
 * not target the cluster.
 * With eviction_interval_ns, the call evicts at most one binding, the first by row, and none before next_eviction; the
 * others are WAITING, with a WAKE each. The row of REBAL_TABLE_PACE holds next_eviction for the next call, for this
 * cluster and all others. A purge with Directly adds a row of REBAL_TABLE_WARNING (purges-directly).
 * Source: rebalance-karmada(7) 10.1, 10.3. Since: 0.1
 */
REBAL_API int32_t rebal_taint_eviction_step(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t cluster,
                                            const rebal_bindings *bindings, const rebal_time *now,
                                            const rebal_failover_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Runs the graceful-eviction controller once for each binding: decides which tasks stay and when to check again.
 * Actions: PATCH_SPEC (gracefulEvictionTasks, whole), EVENT for each dropped task, WAKE. Fills one row of
 * REBAL_TABLE_STEP for each binding. A task that is dropped without a replacement adds a row of REBAL_TABLE_WARNING
 * (times-out, nowhere-is-healthy, health-is-stale). With the option STRICT_EVICTION only a replacement ends a task, not
 * a timer.
 * Source: rebalance-karmada(7) 10.4. Since: 0.1
 */
REBAL_API int32_t rebal_graceful_eviction_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                               const rebal_time *now, const rebal_failover_opts *opts,
                                               rebal_result *result, rebal_error *err);

/**
 * Runs the failover of applications once for each binding: evicts the clusters in which the application was unhealthy
 * for longer than it tolerates, all by one action PATCH_SPEC (clusters and gracefulEvictionTasks, both whole), and adds
 * a WAKE for the next cluster that may be evicted. The state between calls is passed as rows of REBAL_TABLE_UNHEALTHY
 * below each binding and returned, whole, as REBAL_TABLE_UNHEALTHY_KEPT. Fills one row of REBAL_TABLE_STEP for each
 * binding: DONE; RETRY with the error as MESSAGE, without a write; SKIPPED if failover does not apply, without state. A
 * purge with Directly adds a row of REBAL_TABLE_WARNING. Of the options only compat is read.
 * Source: rebalance-karmada(7) 10.5, 10.6. Since: 0.1
 */
REBAL_API int32_t rebal_application_failover_step(rebal_ctx *ctx, rebal_snapshot *snapshot,
                                                  const rebal_bindings *bindings, const rebal_time *now,
                                                  const rebal_failover_opts *opts, rebal_result *result,
                                                  rebal_error *err);

/**
 * Computes the taints of each cluster from its Ready condition: NoSchedule with the key cluster.karmada.io/not-ready if
 * it is False or missing, cluster.karmada.io/unreachable if it is Unknown. Adds one action PATCH_SPEC for each cluster
 * whose taints change, ROW its id, with all its taints (REBAL_OBJECT_CLUSTER_SPEC, REBAL_REPLACES_TAINTS) and without a
 * precondition. Existing taints keep place and time, new ones come last. If a key and effect occurs twice, both are
 * removed. Fills one row of REBAL_TABLE_STEP for each cluster id: DONE; SKIPPED if the cluster is absent or being
 * deleted. Of the options only struct_size and flags are read, and no flag changes the answer.
 * Source: rebalance-karmada(7) 10.2. Since: 0.1
 */
REBAL_API int32_t rebal_condition_taints_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_time *now,
                                              const rebal_failover_opts *opts, rebal_result *result, rebal_error *err);
/**
 * Computes the taints of each cluster from policies (REBAL_OBJECT_TAINT_POLICY), as rebal_condition_taints_step() does.
 * Policies apply in the order of age, oldest first, then by name: each adds its taints if all its addOnConditions hold,
 * then removes them if all its removeOnConditions hold. If a key and effect occurs twice, the first is removed. A
 * cluster that is being deleted is handled like any other; only an absent one is SKIPPED. policies may be NULL if n is
 * 0; the records are read during the call only.
 * @returns REBAL_EINVAL: a record of another kind.
 * Source: rebalance-karmada(7) 10.2. Since: 0.1
 */
REBAL_API int32_t rebal_taint_policies_step(rebal_ctx *ctx, rebal_snapshot *snapshot,
                                            const rebal_record *const *policies, size_t n, const rebal_time *now,
                                            const rebal_failover_opts *opts, rebal_result *result, rebal_error *err);

/** All zero: no cool-down. Since: 0.1 */
typedef struct rebal_cool_down_opts {
  uint32_t struct_size;
  uint32_t flags;       /**< must be 0 */
  int64_t cool_down_ns; /**< how long a binding stays out of a cluster after its eviction from there; 0: not at all */
} rebal_cool_down_opts;

/**
 * Lists the clusters that each binding stays out of because it was evicted from them less than cool_down_ns ago, by its
 * rows of REBAL_TABLE_HISTORY: fills REBAL_TABLE_COOLING with one row for each binding and cluster, by row of the
 * binding, then by cluster id, with the end of the cool-down. Clusters that are targets have no row, and rows of
 * HISTORY without a time do not count; a time in the future counts as now. To keep bindings out, the caller sets the
 * cells of these rows in rebal_schedule_opts.extra_reject to 1. The reference has no such option.
 * @returns REBAL_ERANGE: a negative cool_down_ns; REBAL_EUNSUPPORTED: an unknown flag.
 * Since: 0.1
 */
REBAL_API int32_t rebal_cool_down(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                  const rebal_time *now, const rebal_cool_down_opts *opts, rebal_result *result,
                                  rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
