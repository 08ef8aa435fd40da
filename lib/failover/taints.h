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
  int visits_deleting;         /* also visit clusters that are being deleted */
  uint32_t cluster;            /* the current one */
  struct rebali_taint *taints; /* taints after the step */
  size_t n_taints;
  size_t capacity;
  rebal_builder *builder;
};

typedef int32_t (*rebali_cluster_visit)(struct rebali_every_cluster *every);

/* Visits each cluster that exists and may be visited. Adds an action if its taints change. */
int32_t rebali_clusters_run(struct rebali_every_cluster *every, rebali_cluster_visit visit);

/* Appends the taint with the current time, unless one with its key and effect exists. REBAL_ENOMEM. */
int32_t rebali_taint_ensure(struct rebali_every_cluster *every, const struct rebali_taint *taint);
/* Removes the first taint with its key and effect. Returns 0 if there is none. */
int rebali_taint_remove(struct rebali_every_cluster *every, const struct rebali_taint *taint);

/* Returns the status of the cluster's first condition of a type; bytes is NULL if it is missing. */
struct rebali_text rebali_condition_status(const struct rebali_every_cluster *every, struct rebali_text type);

#endif
