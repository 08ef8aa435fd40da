/* SPDX-License-Identifier: MIT */
/*
 * rebalance/rebalancer.h - the WorkloadRebalancer's state machine (rebalance-karmada(7) 9).
 */
#ifndef REBAL_REBALANCER_H
#define REBAL_REBALANCER_H

#include "fleet.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Why a run failed (column REBAL_STEP_REASON, state REBAL_STEP_STATE_RETRY). */
enum rebal_rebalancer_reason {
  REBAL_REBALANCER_REASON_OK = 0,
  REBAL_REBALANCER_REASON_RETRY = 1,                /**< some bindings could not be read or written */
  REBAL_REBALANCER_REASON_STATUS_UPDATE_FAILED = 2, /**< the status could not be written */
  REBAL_REBALANCER_REASON_NO_FINISH_TIME = 3,       /**< a TTL is set but nothing has finished */
  REBAL_REBALANCER_REASON_DELETE_CONFLICT = 4,      /**< the object changed since it was read */
  REBAL_REBALANCER_REASON_DELETE_FAILED = 5         /**< the object could not be deleted */
};

/** All zero: Karmada's defaults, no observations yet. Since: 0.1 */
typedef struct rebal_rebalancer_opts {
  uint32_t struct_size;
  uint32_t flags;                         /**< must be 0 */
  const rebal_observations *observations; /**< of this run's actions so far; NULL: nothing yet */
} rebal_rebalancer_opts;

/**
 * Runs one step for a WorkloadRebalancer (record REBAL_OBJECT_WORKLOAD_REBALANCER, as read; metadata.creationTimestamp
 * is required), with all observations of this run's actions so far. Fills REBAL_TABLE_STEP (one row) and
 * REBAL_TABLE_ACTION with the actions that are not observed yet and whose inputs are known: READ of bindings,
 * PATCH_SPEC with rescheduleTriggeredAt, PATCH_STATUS (the whole status), DELETE (with the resourceVersion read at the
 * start), WAKE. The result is a pure function: the same object, observations and now give the same bytes. The
 * observation of a READ has a REBAL_OBJECT_BINDING record with spec.rescheduleTriggeredAt, if it is set.
 * Since: 0.1
 */
REBAL_API int32_t rebal_rebalancer_step(rebal_ctx *ctx, const rebal_record *rebalancer, const rebal_time *now,
                                        const rebal_rebalancer_opts *opts, rebal_result *result, rebal_error *err);

/**
 * Writes the name of the binding of a resource: lower(name + "-" + kind), where each ":" of the name becomes "."
 * (rebalance-karmada(7) 1.3). Only ASCII letters are lowered. Buffer rules of rebal_quantity_format(). Since: 0.1
 */
REBAL_API int32_t rebal_binding_name(const char *resource_name, size_t name_len, const char *kind, size_t kind_len,
                                     char *buffer, size_t capacity, size_t *len, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
