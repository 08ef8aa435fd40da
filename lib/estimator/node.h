/* SPDX-License-Identifier: MIT */
/*
 * lib/estimator/node.h - how many replicas, or sets of components, fit on the nodes of a cluster
 * (rebalance-karmada(7) 6.5).
 */
#ifndef REBALI_ESTIMATOR_NODE_H
#define REBALI_ESTIMATOR_NODE_H

#include "estimator/estimator.h"
#include "fleet/node_filter.h"

/* node_fit.c: what is estimated on the nodes of any cluster. */
struct rebali_node_question {
  struct rebali_arena *arena;
  const rebal_snapshot *snapshot;
  const rebal_ledger *ledger; /* its holdings are placed first; NULL: nothing */
  int is_set;                 /* sets of all components, else replicas of the only one */
  int wrap;                   /* replicas of nodes and their sum keep their low 32 bits, else both saturate */
  struct rebali_needs needs;
  uint32_t *resources;              /* by index of amounts; REBAL_NONE while the fleet does not know a name */
  struct rebali_divisor *divisors;  /* of the first need, by index; value 0 where it needs nothing */
  struct rebali_node_packing *free; /* of node_sets.c: memory for one cluster at a time; NULL before first use */
};
/* Takes memory from the arena. Returns REBAL_ENOMEM without filling an error, as the functions below do. */
int32_t rebali_node_question_read(struct rebali_node_question *question, struct rebali_arena *arena,
                                  const rebal_snapshot *snapshot, const struct rebali_component *components, size_t n,
                                  const rebal_ledger *ledger);
/*
 * Returns whether the result is a sum over nodes, with a part for each leaf. It is not if the ledger affects the
 * cluster.
 */
static inline int rebali_node_is_sum(const struct rebali_node_question *question) {
  return !question->is_set || question->needs.n == 1;
}
/* Returns the replicas of the first need that the nodes of a leaf can hold. */
int64_t rebali_node_leaf_fit(const struct rebali_node_question *question, const struct rebali_node_table *table,
                             uint32_t leaf);
/* Returns what a node with so many replicas adds to the sum. */
static inline int64_t rebali_node_counts(const struct rebali_node_question *question, int64_t replicas) {
  return question->is_set       ? replicas
         : question->wrap       ? rebali_low_int32(replicas)
         : replicas > INT32_MAX ? INT32_MAX
                                : replicas;
}
/* Returns the result for the sum over all nodes. */
int32_t rebali_node_sum_answer(const struct rebali_node_question *question, int64_t sum);
/* Computes the free amounts of the nodes of a leaf, never below 0; resource may be REBAL_NONE. */
void rebali_node_free(const struct rebali_node_table *table, uint32_t resource, uint32_t leaf,
                      int64_t amounts[REBALI_NODES]);

/*
 * node_sets.c: estimates a cluster by placing pods one after the other (rebalance-karmada(7) 6.7), the ledger's first.
 */
int32_t rebali_node_pack(struct rebali_node_question *question, uint32_t cluster, const struct rebali_node_table *table,
                         int32_t *answer);

/* quota.c: what is checked against the ResourceQuotas of any cluster. */
struct rebali_quota_question {
  struct rebali_arena *arena;
  const rebal_snapshot *snapshot;
  const struct rebali_component *components; /* of a set; of a single template one replica */
  size_t n_components;
  struct rebali_text namespace_;
  const rebal_ledger *ledger;            /* its holdings are subtracted; NULL: nothing */
  const struct rebali_holding *holdings; /* of the current cluster */
  size_t n_holdings;
};
/* Sets how many replicas or sets quotas admit; INT32_MAX: no limit. Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_quota_limit(struct rebali_quota_question *question, uint32_t cluster, int32_t *limit);

/*
 * node_vector.c: results by cluster row without a ledger, kept in the context's cache. Clusters with unknown nodes (and
 * absent ones) have REBAL_FITS_NO_OPINION. Valid until the call ends.
 */
struct rebali_node_answers {
  const int32_t *answers;
  struct rebali_node_question question; /* ledger is NULL if assumed workloads do not count */
  struct rebali_quota_question quotas;
  int use_quotas;
};
/* The n components must live as long; namespace_ is that of a set. */
struct rebali_node_request {
  const struct rebali_component *components;
  size_t n;
  int is_set;
  struct rebali_text namespace_;
};
int32_t rebali_node_estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_node_request *request,
                             const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_node_answers *out,
                             rebal_error *err);
/* Estimates a row beside the ledger's holdings and by quotas. Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_node_answer(struct rebali_node_answers *answers, uint32_t row, int32_t *answer);

#endif
