/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/node_class.h - how well nodes suit subsets. Nodes that no term distinguishes form one class; a
 * class is evaluated once for each set of pod requirements (rebalance-workloadspread(7) 4.1, match).
 */
#ifndef REBALI_NODE_CLASS_H
#define REBALI_NODE_CLASS_H

#include "fleet/nodes.h"
#include "workloadspread/node_term.h"
#include "workloadspread/spread.h"

struct rebali_subset_terms;
struct rebali_pod_terms;

struct rebali_node_classes {
  struct rebali_arena *arena;
  const struct rebali_spread_spec *spec;
  const rebal_snapshot *snapshot;
  const struct rebali_node_table *table; /* NULL: no node is known */
  struct rebali_subset_terms *subsets;
  struct rebali_text_numbers keys;    /* of labels that terms use */
  const struct rebali_tree **values;  /* by key; NULL: no node has such a label. Set at the first query */
  int needs_name;                     /* some term distinguishes nodes by name */
  struct rebali_text_numbers claims;  /* REQUIREMENTS handles, as bytes */
  struct rebali_pod_terms *pod_terms; /* by claim */
  size_t claims_capacity;
  struct rebali_text_numbers classes; /* properties of a node that terms use, as bytes */
  uint32_t *class_of;                 /* by node; REBAL_NONE: not computed yet */
  struct rebali_text_numbers pairs;   /* class and claim, as bytes */
  const int64_t **scores;             /* by pair */
  size_t pairs_capacity;
};

/* Reads the subsets' terms. snapshot and cluster must exist. REBAL_ENOMEM. */
int32_t rebali_node_classes_open(struct rebali_node_classes *classes, const struct rebali_spread_spec *spec,
                                 const rebal_snapshot *snapshot, uint32_t cluster, struct rebali_arena *arena);
/*
 * Sets *claim to the number of the claim of pods with these REQUIREMENTS (REBAL_NONE: none). Must not be called after
 * the first query.
 */
int32_t rebali_node_classes_claim(struct rebali_node_classes *classes, uint32_t requirements, uint32_t *claim);
/*
 * Computes the sum of the weights of matching preferred terms, by subset; REBAL_ABSENT: a pod of this claim cannot use
 * the subset on this node. The node must be one of rebali_nodes_present().
 */
int32_t rebali_node_classes_query(struct rebali_node_classes *classes, uint32_t node, uint32_t claim,
                                  const int64_t **scores);

#endif
