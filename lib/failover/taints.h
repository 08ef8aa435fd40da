/* SPDX-License-Identifier: MIT */
/*
 * lib/failover/taints.h - a step that visits every cluster and may write its taints (rebalance-karmada(7) 10.2).
 */
#ifndef REBALI_FAILOVER_TAINTS_H
#define REBALI_FAILOVER_TAINTS_H

#include "failover/failover.h"

struct rebali_every_cluster {
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  const rebal_time *now;
  const rebal_failover_opts *opts;
  rebal_result *result;
  rebal_error *err;
  int visits_deleting;         /* clusters that are being deleted are visited too */
  uint32_t cluster;            /* visited */
  struct rebali_taint *taints; /* as they are to be */
  size_t n_taints;
  size_t capacity;
  rebal_builder *builder;
};

typedef int32_t (*rebali_cluster_visit)(struct rebali_every_cluster *every);

/* Visits each cluster that exists and may be visited. Taints that differ from those before become an action. */
int32_t rebali_clusters_run(struct rebali_every_cluster *every, rebali_cluster_visit visit);

/* Appends the taint with the time now, unless there is one of its key and effect. REBAL_ENOMEM. */
int32_t rebali_taint_ensure(struct rebali_every_cluster *every, const struct rebali_taint *taint);
/* Removes the first taint of its key and effect; 0 when there is none. */
int rebali_taint_remove(struct rebali_every_cluster *every, const struct rebali_taint *taint);

/* Status of the cluster's first condition of a type; bytes NULL: there is none. */
struct rebali_text rebali_condition_status(const struct rebali_every_cluster *every, struct rebali_text type);

#endif
