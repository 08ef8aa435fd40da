/* SPDX-License-Identifier: MIT */
/*
 * rebalance/descheduler.h - taking replicas that cannot be scheduled away from their clusters (spec karmada 8).
 */
#ifndef REBAL_DESCHEDULER_H
#define REBAL_DESCHEDULER_H

#include "estimator.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of rebal_deschedule_opts.flags. */
enum rebal_deschedule_flag {
  REBAL_DESCHEDULE_GIVEN_BINDINGS = 1, /**< every binding is taken, whatever its kind, placement or deletion */
  REBAL_DESCHEDULE_EXPLAIN = 2         /**< a row of DESCHEDULED for every target of every binding that is taken */
};

/** All zero: Karmada's defaults, and no estimator. Since: 0.1 */
typedef struct rebal_deschedule_opts {
  uint32_t struct_size;
  uint32_t flags;             /**< REBAL_DESCHEDULE_* */
  const rebal_compat *compat; /**< NULL: defaults */
  int64_t interval_ns;        /**< time until the next run; 0: 2 minutes */
  const rebal_estimator *const *estimators; /**< fits: replicas that cannot be scheduled, instead of those that fit */
  uint64_t n_estimators;                    /**< how many there are */
} rebal_deschedule_opts;

/** Why a binding is changed or not (column REBAL_STEP_REASON of rebal_deschedule_step()). */
enum rebal_deschedule_reason {
  REBAL_DESCHEDULE_MOVED = 1,        /**< replicas are taken away */
  REBAL_DESCHEDULE_NOT_ELIGIBLE = 2, /**< the kind, the applied placement or a deletion excludes it (8.1) */
  REBAL_DESCHEDULE_READY = 3,        /**< no cluster lacks ready replicas */
  REBAL_DESCHEDULE_SCHEDULABLE = 4   /**< some cluster does, but nothing is known there that can be taken away */
};

/**
 * One run of the descheduler over all bindings: where replicas are not ready since they cannot be scheduled, the
 * target is shrunk by those, never below what is ready. Actions PATCH_SPEC (clusters, whole) with the event for each
 * binding that loses replicas, and one WAKE for the whole run; a row of REBAL_TABLE_STEP for each binding (DONE with
 * REBAL_DESCHEDULE_MOVED, else SKIPPED) and rows of REBAL_TABLE_DESCHEDULED for each binding in which a cluster lacks
 * ready replicas. Without an opinion of any estimator nothing is taken away.
 *
 * The estimators answer how many replicas of the binding are unschedulable for longer than the threshold (5 minutes
 * in the reference). Writes are taken to succeed.
 * @returns REBAL_ERANGE: the interval is negative.
 * Source: spec karmada 8. Since: 0.1
 */
REBAL_API int32_t rebal_deschedule_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                        const rebal_time *now, const rebal_deschedule_opts *opts,
                                        rebal_result *result, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
