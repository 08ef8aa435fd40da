/* SPDX-License-Identifier: MIT */
/*
 * lib/failover/failover.h - private header of the room "failover": who is evicted by taints, and the life of eviction
 * tasks (spec karmada 10).
 */
#ifndef REBALI_FAILOVER_H
#define REBALI_FAILOVER_H

#include "fleet/sweep.h"
#include "rebalance/failover.h"

/* One public call. Visits get its sweep, which is its first member, and so its address. */
struct rebali_failover_call {
  struct rebali_sweep sweep;
  rebal_failover_opts opts; /* as rebali_failover_run() has loaded them */
  uint32_t cluster;         /* REBAL_NONE: the call is about no single one */
};

/* call.c: checks inputs and options, then runs the sweep. */
int32_t rebali_failover_run(struct rebali_failover_call *call, const rebal_failover_opts *opts,
                            rebali_sweep_visit visit);

/* task.c: appends a task as it is, with another creation time when created is not NULL. */
void rebali_task_build(struct rebali_sweep *sweep, uint32_t task, const rebal_time *created);

/* ---- verdict.c ---- */

struct rebali_verdict {
  int64_t kind;     /* REBAL_TAINT_* */
  int64_t after_ns; /* AFTER: what is left, else REBAL_ABSENT */
  struct rebali_text message;
};

/* Spec karmada 10.3. taints may be NULL: none. */
struct rebali_verdict rebali_taint_judge(const struct rebali_failover_call *call, const rebal_record *taints,
                                         uint32_t binding);

#endif
