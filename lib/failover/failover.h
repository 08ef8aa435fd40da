/* SPDX-License-Identifier: MIT */
/*
 * lib/failover/failover.h - private header of the room "failover": who is evicted by taints, and the life of eviction
 * tasks (spec karmada 10).
 */
#ifndef REBALI_FAILOVER_H
#define REBALI_FAILOVER_H

#include "fleet/fleet.h"
#include "rebalance/failover.h"

/* One public call: its inputs, checked, and what it needs to write its answer. */
struct rebali_failover_call {
  rebal_snapshot *snapshot;
  const rebal_bindings *bindings;
  const rebal_time *now;
  rebal_failover_opts opts;
  rebal_result *result;
  rebal_error *err;
  rebal_builder *builder;
};

typedef int32_t (*rebali_failover_visit)(struct rebali_failover_call *call, uint32_t cluster, uint32_t binding);

/* ---- call.c ---- */

/*
 * The frame of every call: checks the members set so far and opts, empties the result, visits each binding. On failure
 * the result is empty. cluster is handed on.
 */
int32_t rebali_failover_run(struct rebali_failover_call *call, const rebal_failover_opts *opts, uint32_t cluster,
                            rebali_failover_visit visit);

/* A row of STEP. after_ns REBAL_ABSENT: no timer. */
int32_t rebali_failover_step(struct rebali_failover_call *call, int64_t state, int64_t reason,
                             struct rebali_text message, int64_t after_ns);

/* An action about a binding; the ordinal is its row. payload may be NULL. */
int32_t rebali_failover_act(struct rebali_failover_call *call, uint32_t binding, int64_t kind, int64_t replaces,
                            const rebal_record *payload);
/* An event on the binding and on the resource it is for. */
int32_t rebali_failover_tell(struct rebali_failover_call *call, uint32_t binding, const rebal_record *event);

/* WAKE after_ns from now for a binding. */
int32_t rebali_failover_wake(struct rebali_failover_call *call, uint32_t binding, int64_t after_ns);

/* ---- verdict.c ---- */

struct rebali_verdict {
  int64_t kind;     /* REBAL_TAINT_* */
  int64_t after_ns; /* AFTER: what is left, else REBAL_ABSENT */
  struct rebali_text message;
};

/* Spec karmada 10.3. taints may be NULL: none. */
struct rebali_verdict rebali_taint_judge(const struct rebali_failover_call *call, const rebal_record *taints,
                                         uint32_t binding);

/* ---- task.c: the lists of spec.clusters and spec.gracefulEvictionTasks as payload ---- */

/* Appends a target as it is. */
void rebali_target_build(struct rebali_failover_call *call, uint32_t target);

/* Appends a task as it is, with another creation time when created is not NULL. */
void rebali_task_build(struct rebali_failover_call *call, uint32_t task, const rebal_time *created);

/* Fields shared by those that write tasks; empty text and REBAL_NONE are not written. */
void rebali_build_text(rebal_builder *builder, uint32_t field, struct rebali_text text);
void rebali_build_labels(struct rebali_failover_call *call, uint32_t field, int64_t handle);

#endif
