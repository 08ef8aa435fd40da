/* SPDX-License-Identifier: MIT */
/* Nodes of clusters: adds and removes them, and sets single values of a node. */
#include "fleet/nodes.h"

/* ---- one change -------------------------------------------------------------------------------------------------- */

int32_t rebali_node_table_begin(rebal_fleet *fleet, uint32_t cluster, struct rebali_node_change *change,
                                rebal_error *err) {
  const int32_t code =
      fleet == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "fleet is NULL") : rebali_fleet_present(fleet, cluster, err);

  if (code != REBAL_OK) {
    return code;
  }
  *change = (struct rebali_node_change){fleet, NULL, NULL, NULL, cluster, REBAL_NONE};
  change->row = rebali_fleet_touch(fleet, cluster, REBALI_READS_NODES);
  change->table = change->row == NULL ? NULL : rebali_fleet_nodes(fleet, cluster);
  return change->table == NULL ? rebali_fail_memory(err) : REBAL_OK;
}

static int32_t open_node(struct rebali_node_change *change, uint32_t node, rebal_error *err) {
  change->node = node;
  change->leaf = rebali_nodes_edit(change->fleet, change->table, node / REBALI_NODES);
  return change->leaf == NULL ? rebali_fail_memory(err) : REBAL_OK;
}

int32_t rebali_node_open(struct rebali_node_change *change, uint32_t node, rebal_error *err) {
  return rebali_nodes_present(change->table, node)
             ? open_node(change, node, err)
             : rebali_fail(err, REBAL_ENOTFOUND, (int64_t)node, "no node of the cluster has the id %lu",
                           (unsigned long)node);
}

int32_t rebali_node_begin(rebal_fleet *fleet, uint32_t cluster, uint32_t node, struct rebali_node_change *change,
                          rebal_error *err) {
  const int32_t code = rebali_node_table_begin(fleet, cluster, change, err);

  return code == REBAL_OK ? rebali_node_open(change, node, err) : code;
}

void rebali_node_table_end(const struct rebali_node_change *change) {
  change->table->version = change->fleet->version + 1;
  rebali_fleet_changed(change->fleet, change->row, change->cluster, REBALI_READS_NODES);
}

void rebali_node_end(const struct rebali_node_change *change) {
  change->leaf->version = change->fleet->version + 1;
  rebali_node_table_end(change);
}

/* ---- adding and removing ----------------------------------------------------------------------------------------- */

static int32_t take_name(const char *bytes, size_t len, const uint32_t *node, struct rebali_text *name,
                         rebal_error *err) {
  const int32_t code = rebali_text_take(bytes, len, "the name", name, err);

  if (code != REBAL_OK) {
    return code;
  }
  return node == NULL || name->len == 0
             ? rebali_fail(err, REBAL_EINVAL, -1, node == NULL ? "the id is NULL" : "the name of a node is empty")
             : REBAL_OK;
}

/* Opens the node of a name, an absent one if the name is new. id: where the caller stores the node's id. */
static int32_t open_name(rebal_fleet *fleet, uint32_t cluster, const char *name, size_t len, const uint32_t *id,
                         struct rebali_node_change *change, rebal_error *err) {
  struct rebali_text taken;
  uint32_t text;
  uint32_t node;
  int32_t code = take_name(name, len, id, &taken, err);

  if (code == REBAL_OK) {
    code = rebali_node_table_begin(fleet, cluster, change, err);
  }
  if (code == REBAL_OK) {
    code = rebali_store_add(fleet->store->texts, NULL, taken.bytes, taken.len, &text, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  node = rebali_node_row_find(change->table, text);
  if (node == REBAL_NONE) {
    code = rebali_node_row_add(fleet, change->table, text, &node);
  }
  if (code == REBAL_ELIMIT) {
    return rebali_fail(err, code, -1, "no more ids for nodes of the cluster");
  }
  return code == REBAL_OK ? open_node(change, node, err) : rebali_fail_memory(err);
}

int32_t rebal_fleet_node_id(rebal_fleet *fleet, uint32_t cluster, const char *name, size_t len, uint32_t *node,
                            rebal_error *err) {
  struct rebali_node_change change;
  const int32_t code = open_name(fleet, cluster, name, len, node, &change, err);

  if (code == REBAL_OK) {
    rebali_node_end(&change);
    *node = change.node;
  }
  return code;
}

int32_t rebal_fleet_add_node(rebal_fleet *fleet, uint32_t cluster, const char *name, size_t len, uint32_t *node,
                             rebal_error *err) {
  struct rebali_node_change change;
  int32_t code = open_name(fleet, cluster, name, len, node, &change, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (rebali_bit_get(&change.leaf->present, rebali_node_place(&change))) {
    return rebali_fail(err, REBAL_EEXIST, (int64_t)change.node, "the cluster has this node");
  }
  code = rebali_node_may_move(&change, err);
  if (code == REBAL_OK) {
    code = rebali_fleet_write(fleet, REBAL_CLUSTER_HAS_NODES, cluster, 1, err);
  }
  if (code == REBAL_OK) {
    rebali_node_come_last(&change);
    rebali_bit_set(&change.leaf->present, rebali_node_place(&change), 1);
    rebali_node_end(&change);
    *node = change.node;
  }
  return code;
}

int32_t rebali_fleet_remove_node(rebal_fleet *fleet, uint32_t cluster, uint32_t node, rebal_error *err) {
  struct rebali_node_change change;
  int32_t code = rebali_node_begin(fleet, cluster, node, &change, err);

  if (code == REBAL_OK) {
    code = rebali_node_may_move(&change, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (rebali_node_drop_labels(&change, 0) != REBAL_OK || rebali_node_drop_amounts(&change, 0) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  (void)rebali_node_drop_labels(&change, 1);
  (void)rebali_node_drop_amounts(&change, 1);
  rebali_nodes_disorder(&change);
  rebali_bit_set(&change.leaf->present, rebali_node_place(&change), 0);
  rebali_bit_set(&change.leaf->unschedulable, rebali_node_place(&change), 0);
  change.leaf->taints[rebali_node_place(&change)] = REBAL_NONE;
  rebali_node_end(&change);
  return REBAL_OK;
}

int32_t rebal_fleet_clear_nodes(rebal_fleet *fleet, uint32_t cluster, rebal_error *err) {
  struct rebali_row *row;
  int32_t code =
      fleet == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "fleet is NULL") : rebali_fleet_present(fleet, cluster, err);

  if (code != REBAL_OK) {
    return code;
  }
  row = rebali_fleet_touch(fleet, cluster, REBALI_READS_NODES);
  if (row == NULL || rebali_fleet_drop_nodes(fleet, cluster, 0) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  code = rebali_fleet_write(fleet, REBAL_CLUSTER_HAS_NODES, cluster, 0, err);
  if (code == REBAL_OK) {
    (void)rebali_fleet_drop_nodes(fleet, cluster, 1);
    rebali_fleet_changed(fleet, row, cluster, REBALI_READS_NODES);
  }
  return code;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int32_t put_cell(struct rebali_node_change *change, const struct rebali_put *put, size_t i, rebal_error *err) {
  const uint32_t node = rebali_put_id(put, i);
  int64_t value = 0;
  int32_t code = rebali_node_open(change, node, err);

  if (code == REBAL_OK) {
    code = rebali_fleet_take(change->fleet, put, i, node, &value, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (put->info->id == REBAL_NODE_TAINTS) {
    change->leaf->taints[rebali_node_place(change)] = (uint32_t)value;
  } else {
    rebali_bit_set(&change->leaf->unschedulable, rebali_node_place(change), value != 0);
  }
  rebali_node_end(change);
  return REBAL_OK;
}

int32_t rebali_nodes_put(rebal_fleet *fleet, const struct rebali_put *put, rebal_error *err) {
  struct rebali_node_change change;
  int32_t code = rebali_node_table_begin(fleet, put->parent, &change, err);

  for (size_t i = 0; i < put->n && code == REBAL_OK; i++) {
    code = put_cell(&change, put, i, err);
  }
  return code;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

const struct rebali_node_table *rebali_known_nodes(const struct rebali_state *state, const struct rebali_store *store,
                                                   uint32_t cluster) {
  static const struct rebali_node_table nothing = {.rows = 0};
  const struct rebali_node_table *table;

  if (rebali_state_i64(state, store, REBAL_CLUSTER_HAS_NODES, cluster) == 0) {
    return NULL;
  }
  table = rebali_state_nodes(state, cluster);
  return table == NULL ? &nothing : table;
}

const struct rebali_node_table *rebali_snapshot_nodes(const rebal_snapshot *snapshot, uint32_t cluster) {
  return rebali_known_nodes(&snapshot->state, snapshot->store, cluster);
}

int64_t rebali_nodes_i64(const struct rebali_node_table *table, uint32_t column, uint32_t node) {
  const struct rebali_node_leaf *leaf = rebali_nodes_leaf(table, node / REBALI_NODES);

  return column == REBAL_NODE_TAINTS ? (int64_t)leaf->taints[node % REBALI_NODES]
                                     : (int64_t)rebali_bit_get(&leaf->unschedulable, node % REBALI_NODES);
}
