/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/node_class.h - how well nodes suit subsets. Nodes that no term can tell apart are one class; what
 * a class is to a pod with some requirements is told once (rebalance-workloadspread(7) 4.1, match).
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
  struct rebali_text_numbers keys;    /* of labels that some term asks for */
  const struct rebali_tree **values;  /* by key; NULL: no node has such a label. Made with the first question */
  int asks_name;                      /* some term tells nodes apart by their names */
  struct rebali_text_numbers claims;  /* REQUIREMENTS handles, as bytes */
  struct rebali_pod_terms *pod_terms; /* by claim */
  size_t room_for_claims;
  struct rebali_text_numbers classes; /* what is asked of a node, as bytes */
  uint32_t *class_of;                 /* by node; REBAL_NONE: nobody asked yet */
  struct rebali_text_numbers pairs;   /* class and claim, as bytes */
  const int64_t **scores;             /* by pair */
  size_t room_for_pairs;
};

/* The subsets' terms are read; snapshot and cluster are there. REBAL_ENOMEM. */
int32_t rebali_node_classes_open(struct rebali_node_classes *classes, const struct rebali_spread_spec *spec,
                                 const rebal_snapshot *snapshot, uint32_t cluster, struct rebali_arena *arena);
/* The number of what pods with these REQUIREMENTS (REBAL_NONE: none) ask for: all before the first question. */
int32_t rebali_node_classes_claim(struct rebali_node_classes *classes, uint32_t requirements, uint32_t *claim);
/*
 * Sum of the weights of preferred terms that hold, by subset; REBAL_ABSENT: the subset is none for a pod of this claim
 * on this node, which is one of rebali_nodes_present().
 */
int32_t rebali_node_classes_ask(struct rebali_node_classes *classes, uint32_t node, uint32_t claim,
                                const int64_t **scores);

#endif
