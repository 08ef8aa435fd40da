/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/node_filter.h - which nodes a requirement accepts (rebalance-karmada(7) 6.5.2), compiled once for each
 * REQUIREMENTS record.
 *
 * Only the writer of a fleet may look texts up. It does so when it interns a record. The filter then contains only ids,
 * and any holder of a handle may read it. This also assigns ids to label values that no node has yet.
 */
#ifndef REBALI_NODE_FILTER_H
#define REBALI_NODE_FILTER_H

#include "fleet/nodes.h"

/* One block; atoms, terms and values follow in this order. */
struct rebali_node_filter {
  uint32_t requirements; /* the handle */
  uint32_t tolerates_unschedulable;
  uint32_t n_selected; /* atoms of nodeSelector: the first ones */
  uint32_t has_terms;  /* one of the terms must hold; n_terms excludes those that never do */
  uint32_t n_terms;
  uint32_t n_atoms;
  uint32_t n_values;
};
struct rebali_node_filter_atom {
  uint32_t is_name;     /* compares the node's name, not a label */
  uint32_t key;         /* id of a text */
  uint32_t operation;   /* enum rebali_operator */
  uint32_t first_value; /* ascending */
  uint32_t n_values;
};
struct rebali_node_filter_term {
  uint32_t first_atom;
  uint32_t n_atoms;
};

/* Compiles the filters of all records that have none yet, and publishes these records to readers. */
int32_t rebali_node_filters_complete(struct rebali_store *store, rebal_error *err);
/* Returns NULL for an unknown handle, or REBAL_NONE. Any thread. */
const struct rebali_node_filter *rebali_snapshot_node_filter(const rebal_snapshot *snapshot, uint32_t requirements);
/*
 * Returns a bit for each node of a leaf that is accepted; leaf is one of rebali_nodes_leaves(). NULL filter: no
 * requirements. Any thread.
 */
uint64_t rebali_node_filter_word(const rebal_snapshot *snapshot, const struct rebali_node_filter *filter,
                                 const struct rebali_node_table *table, uint32_t leaf);

#endif
