/* SPDX-License-Identifier: MIT */
/*
 * lib/estimator/unschedulable_rows.h - replicas of workloads that a member cluster cannot schedule
 * (rebalance-karmada(7) 6.5.6), read per workload.
 */
#ifndef REBALI_UNSCHEDULABLE_ROWS_H
#define REBALI_UNSCHEDULABLE_ROWS_H

#include "estimator/estimator.h"
#include "fleet/nodes.h"

/* A pod without a node, unschedulable since a time. */
struct rebali_unschedulable_pod {
  uint32_t controller; /* id of a text, as is the next one */
  uint32_t namespace_;
  uint32_t labels; /* handle */
  uint32_t reserved;
  int64_t since; /* seconds */
};
struct rebali_unschedulable_workload {
  struct rebali_text namespace_, name, kind;
  uint32_t name_space_id; /* ids of texts, here and below */
  uint32_t uid;
  uint32_t selector; /* handle */
  uint32_t pod_template;
};
struct rebali_unschedulable_set {
  uint32_t controller; /* must be first, as in a pod */
  uint32_t namespace_;
  struct rebali_text name;
  uint32_t uid;
  uint32_t labels; /* handle */
  uint32_t pod_template;
  int64_t created; /* seconds; REBAL_ABSENT if unknown, which sorts first */
};

/* What a query reads of a cluster, in memory of the call. */
struct rebali_unschedulable_rows {
  struct rebali_unschedulable_pod *pods;           /* by controller, then since */
  struct rebali_unschedulable_workload *workloads; /* by namespace, name, kind */
  struct rebali_unschedulable_set *sets;           /* by controller, created, name */
  size_t n_pods, n_workloads, n_sets;
};

/* unschedulable_rows.c */
/* Returns REBAL_ENOMEM. */
int32_t rebali_unschedulable_rows_read(const rebal_snapshot *snapshot, const struct rebali_node_table *table,
                                       struct rebali_arena *arena, struct rebali_unschedulable_rows *out);
/* Returns NULL if there is none. */
const struct rebali_unschedulable_workload *rebali_unschedulable_rows_workload(
    const struct rebali_unschedulable_rows *rows, struct rebali_text namespace_, struct rebali_text name,
    struct rebali_text kind);
/* Returns the first of a controller's pods, or sets. Sets *n to their number. */
const struct rebali_unschedulable_pod *rebali_unschedulable_rows_pods(const struct rebali_unschedulable_rows *rows,
                                                                      uint32_t controller, size_t *n);
const struct rebali_unschedulable_set *rebali_unschedulable_rows_sets(const struct rebali_unschedulable_rows *rows,
                                                                      uint32_t controller, size_t *n);

/* ---- queries (unschedulable.c) ----------------------------------------------------------------------------------- */

/* The queries of one call. The caller initializes the first four members and zeros the others. */
struct rebali_unschedulable {
  rebal_ctx *ctx; /* in a call */
  rebal_snapshot *snapshot;
  const rebal_time *now;
  int64_t threshold_ns;                        /* not negative */
  int any_kind;                                /* of any kind, not only Deployments */
  struct rebali_unschedulable_rows **clusters; /* by id, read on first use */
  struct rebali_buffer message;
};
struct rebali_stuck {
  int32_t replicas;           /* or REBAL_FITS_NO_OPINION, REBAL_FITS_FAILED */
  rebal_time since;           /* of the longest pending pod among those that count; unset without one */
  struct rebali_text message; /* of a failure; valid until the next query */
};
/* Counts pods of the resource of a binding in a cluster. Returns REBAL_ENOMEM. */
int32_t rebali_unschedulable_query(struct rebali_unschedulable *query, const rebal_bindings *bindings, uint32_t binding,
                                   uint32_t cluster, struct rebali_stuck *out);
/* Must be called in all cases. */
void rebali_unschedulable_end(struct rebali_unschedulable *query);

#endif
