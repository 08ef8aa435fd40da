/* SPDX-License-Identifier: MIT */
/*
 * rebalance/estimator.h - how many replicas fit, from the clusters' resource summaries (spec karmada 6.2, 6.3).
 */
#ifndef REBAL_ESTIMATOR_H
#define REBAL_ESTIMATOR_H

#include "fleet.h"

#ifdef __cplusplus
extern "C" {
#endif

/** All zero: Karmada's defaults, nothing spent. Since: 0.1 */
typedef struct rebal_estimate_opts {
  uint32_t struct_size;
  uint32_t reserved0;         /**< must be 0 */
  const rebal_compat *compat; /**< NULL: defaults */
  const rebal_ledger *ledger; /**< what is spent already; NULL: nothing */
} rebal_estimate_opts;

/**
 * Replicas of one kind that fit into each cluster of the snapshot: fills REBAL_TABLE_ESTIMATE, clusters by name.
 * requirements is a handle, or REBAL_NONE for a workload that states none (then free pods alone count).
 * Source: spec karmada 6.3. Since: 0.1
 */
REBAL_API int32_t rebal_estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements,
                                 const rebal_estimate_opts *opts, rebal_result *result, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
