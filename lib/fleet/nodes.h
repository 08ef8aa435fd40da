/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/nodes.h - the nodes of a cluster: their layout in memory, and functions that read them.
 *
 * The values of 64 nodes are stored together by column. A test of all of them is a loop over adjacent values, and its
 * result is one word of bits. Labels are stored by key, as ids of texts: nodes have values of their own, so whole sets
 * of labels are hardly ever shared.
 */
#ifndef REBALI_NODES_H
#define REBALI_NODES_H

#include "fleet/fleet.h"

#define REBALI_NODES 64u /* of a leaf */

struct rebali_node_leaf {
  uint64_t version; /* of the first snapshot with the last change of these nodes */
  uint64_t present; /* bits; other rows are only names */
  uint64_t unschedulable;
  uint64_t labelled; /* nodes that got labels or amounts and did not lose them: others are not searched */
  uint64_t stated;
  uint32_t names[REBALI_NODES];    /* ids of texts */
  uint32_t taints[REBALI_NODES];   /* handles */
  uint32_t sequence[REBALI_NODES]; /* order of addition; renewed when a node returns or moves to another zone */
};
/* Amounts of one resource: thousandths of cpu, units of all others, rounded away from zero. */
struct rebali_amount_leaf {
  int64_t allocatable[REBALI_NODES]; /* 0 if not set */
  int64_t used[REBALI_NODES];        /* by pods, at least 0; for "pods" their number and what containers request */
};
/* Values of one label key: ids of texts, REBAL_NONE if a node has no such label. */
struct rebali_value_leaf {
  uint32_t values[REBALI_NODES];
};

/* Rows of one table below the cluster: cells by column, in the order of columns.def. */
struct rebali_rows_leaf {
  uint64_t present;                 /* bits; bit cells of other rows are 0, their other cells are undefined */
  uint32_t next_free[REBALI_NODES]; /* of a free row: the next one + 1; 0: none */
  uint64_t cells[];
};
struct rebali_rows {
  struct rebali_tree leaves;
  uint32_t n;       /* ids are below it */
  uint32_t present; /* of them */
  uint32_t free;    /* row + 1 of the last removed row; 0: none */
};
#define REBALI_ROW_TABLES 3u /* REBAL_TABLE_POD and those that follow it */

struct rebali_node_column {
  uint32_t resource;
  struct rebali_tree amounts;
};
struct rebali_node_label {
  uint32_t key; /* id of a text */
  struct rebali_tree values;
};

/* All nodes of a cluster. Owners of a shared table must not write to it. */
struct rebali_node_table {
  atomic_size_t references;
  uint64_t version; /* of the first snapshot with the last change */
  uint32_t rows;    /* ids are below it */
  uint32_t next_sequence;
  struct rebali_tree nodes;
  struct rebali_node_column *columns; /* by resource */
  size_t n_columns;
  size_t columns_capacity;
  struct rebali_node_label *labels; /* by key */
  size_t n_labels;
  size_t labels_capacity;
  struct rebali_rows others[REBALI_ROW_TABLES]; /* by table, from REBAL_TABLE_POD on */
  struct rebali_quotas *quotas;                 /* NULL: none */
  struct rebali_order *order; /* rows in packing order, up to date in snapshots; NULL: no node was ever added */
  int is_unordered;           /* the cluster is listed in fleet->unordered */
  uint32_t *places;           /* rows + 1 by hash of name, 0: empty; the writer's, NULL in tables it has left */
  size_t n_places;            /* a power of two, or 0 */
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Returns NULL if the cluster's nodes are unknown. The id must be below the snapshot's rows, absent or not. */
const struct rebali_node_table *rebali_snapshot_nodes(const rebal_snapshot *snapshot, uint32_t cluster);
/* The same for a fleet or a snapshot. */
const struct rebali_node_table *rebali_known_nodes(const struct rebali_state *state, const struct rebali_store *store,
                                                   uint32_t cluster);
/* Returns a cell of a present node, a column of NODE. */
int64_t rebali_nodes_i64(const struct rebali_node_table *table, uint32_t column, uint32_t node);

static inline uint32_t rebali_nodes_leaves(const struct rebali_node_table *table) {
  return table->rows / REBALI_NODES + (table->rows % REBALI_NODES != 0);
}
/* leaf must be below rebali_nodes_leaves(). */
static inline const struct rebali_node_leaf *rebali_nodes_leaf(const struct rebali_node_table *table, uint32_t leaf) {
  return rebali_tree_get(&table->nodes, leaf);
}
/* Returns the id of a node's name, a text. The node must be below the rows. */
static inline uint32_t rebali_node_name(const struct rebali_node_table *table, uint32_t node) {
  return rebali_nodes_leaf(table, node / REBALI_NODES)->names[node % REBALI_NODES];
}
/* Returns the node's value of a label, a text; REBAL_NONE if it has none. */
static inline uint32_t rebali_node_label(const struct rebali_node_label *label, uint32_t node) {
  const struct rebali_value_leaf *leaf = rebali_tree_get(&label->values, node / REBALI_NODES);

  return leaf == NULL ? REBAL_NONE : leaf->values[node % REBALI_NODES];
}
/* Returns the node's amount of a resource; 0 if not set. */
static inline int64_t rebali_node_allocatable(const struct rebali_node_column *column, uint32_t node) {
  const struct rebali_amount_leaf *leaf = rebali_tree_get(&column->amounts, node / REBALI_NODES);

  return leaf == NULL ? 0 : leaf->allocatable[node % REBALI_NODES];
}
/* Returns NULL if none of these nodes has an amount of the resource. */
const struct rebali_amount_leaf *rebali_nodes_amounts(const struct rebali_node_table *table, uint32_t resource,
                                                      uint32_t leaf);
/* Returns NULL if none of these nodes has a label of this key. */
const struct rebali_value_leaf *rebali_nodes_values(const struct rebali_node_table *table, uint32_t key, uint32_t leaf);
/*
 * Returns present rows in the order in which the peer packs pods: grouped by zone, the groups in the order of their
 * first node, one node of each group in turn.
 */
static inline const uint32_t *rebali_nodes_order(const struct rebali_node_table *table, uint32_t *n) {
  *n = table->order == NULL ? 0 : table->order->n;
  return table->order == NULL ? NULL : table->order->ids;
}
static inline int rebali_nodes_present(const struct rebali_node_table *table, uint32_t node) {
  return node < table->rows &&
         rebali_bit_get(&rebali_nodes_leaf(table, node / REBALI_NODES)->present, node % REBALI_NODES);
}

/*
 * Returns rows below a cluster. They exist whether or not its nodes are known, so rebali_state_nodes() must return the
 * table.
 */
static inline const struct rebali_rows *rebali_table_rows(const struct rebali_node_table *table, uint32_t number) {
  return &table->others[number - REBAL_TABLE_POD];
}
static inline const struct rebali_rows_leaf *rebali_rows_leaf(const struct rebali_rows *rows, uint32_t leaf) {
  return rebali_tree_get(&rows->leaves, leaf);
}
/* Returns where in the leaves of its table the cells of a column begin; callers should keep the result. */
size_t rebali_rows_at(uint32_t column);
/* Returns for BOOLEAN the rows in which it is 1, for TIME the rows in which it is set. */
static inline uint64_t rebali_rows_bits(const struct rebali_rows_leaf *leaf, size_t at) {
  return leaf->cells[at];
}
/* Returns a handle or the id of a text; REBAL_NONE for none, or an empty one. */
static inline uint32_t rebali_rows_id(const struct rebali_rows_leaf *leaf, size_t at, uint32_t place) {
  const uint32_t *ids = (const void *)&leaf->cells[at];

  return ids[place];
}
/* The TIME must be set. */
static inline int64_t rebali_rows_seconds(const struct rebali_rows_leaf *leaf, size_t at, uint32_t place) {
  return (int64_t)leaf->cells[at + 1 + place];
}
static inline int64_t rebali_rows_integer(const struct rebali_rows_leaf *leaf, size_t at, uint32_t place) {
  return (int64_t)leaf->cells[at + place];
}
/* Returns any cell that is read as an integer; for a text its id. */
int64_t rebali_rows_i64(const struct rebali_rows_leaf *leaf, const struct rebali_field_info *info, uint32_t place);
/* Returns the rows of a table below a cluster; they are empty if the cluster has no tables. */
const struct rebali_rows *rebali_state_rows(const struct rebali_state *state, uint32_t cluster, uint32_t table);
/* Returns the leaf with the row; NULL if the row is missing. */
const struct rebali_rows_leaf *rebali_rows_find(const struct rebali_rows *rows, uint32_t row);

/* ---- private ----------------------------------------------------------------------------------------------------- */

extern const struct rebali_leaf_kind rebali_node_tables; /* leaves of rebali_state.tables */

/* Returns the table for writing, created if missing. Returns NULL without memory. */
struct rebali_node_table *rebali_fleet_nodes(rebal_fleet *fleet, uint32_t cluster);
/* Returns the table as it is; NULL if there is none. */
const struct rebali_node_table *rebali_state_nodes(const struct rebali_state *state, uint32_t cluster);
struct rebali_node_leaf *rebali_nodes_edit(const rebal_fleet *fleet, struct rebali_node_table *table, uint32_t leaf);
/* Returns the row of a name (id of a text); REBAL_NONE if it is missing. */
uint32_t rebali_node_row_find(const struct rebali_node_table *table, uint32_t name);
/* Adds an absent row. Returns REBAL_ENOMEM, REBAL_ELIMIT. */
int32_t rebali_node_row_add(const rebal_fleet *fleet, struct rebali_node_table *table, uint32_t name, uint32_t *row);
/*
 * Returns amounts of a resource or values of a key for writing, and adds a missing column; NULL without memory. Adding
 * columns moves other columns in their lists.
 */
struct rebali_amount_leaf *rebali_nodes_edit_amounts(const rebal_fleet *fleet, struct rebali_node_table *table,
                                                     uint32_t resource, uint32_t leaf);
struct rebali_value_leaf *rebali_nodes_edit_values(const rebal_fleet *fleet, struct rebali_node_table *table,
                                                   uint32_t key, uint32_t leaf);

/* A node that is about to change. Nothing is written until all steps that may fail are done. */
struct rebali_node_change {
  rebal_fleet *fleet;
  struct rebali_row *row; /* of the cluster */
  struct rebali_node_table *table;
  struct rebali_node_leaf *leaf;
  uint32_t cluster;
  uint32_t node;
};
/* Prepares the cluster's table for a change, without a node or leaf. */
int32_t rebali_node_table_begin(rebal_fleet *fleet, uint32_t cluster, struct rebali_node_change *change,
                                rebal_error *err);
/* Cannot fail. */
void rebali_node_table_end(const struct rebali_node_change *change);
/* Returns REBAL_ENOTFOUND if the cluster is missing or has no such present node. */
int32_t rebali_node_begin(rebal_fleet *fleet, uint32_t cluster, uint32_t node, struct rebali_node_change *change,
                          rebal_error *err);
/* Opens a present node of the table that is about to change. Returns REBAL_ENOTFOUND, REBAL_ENOMEM. */
int32_t rebali_node_open(struct rebali_node_change *change, uint32_t node, rebal_error *err);
/* Cannot fail. */
void rebali_node_end(const struct rebali_node_change *change);
/* Returns the node's index in the leaf. */
static inline uint32_t rebali_node_place(const struct rebali_node_change *change) {
  return change->node % REBALI_NODES;
}
static inline uint32_t rebali_node_leaf_of(const struct rebali_node_change *change) {
  return change->node / REBALI_NODES;
}
/* Removes all labels, or amounts, of the node; if write is 0, only makes them writable. Returns REBAL_ENOMEM. */
int32_t rebali_node_drop_labels(const struct rebali_node_change *change, int write);
int32_t rebali_node_drop_amounts(const struct rebali_node_change *change, int write);

/* quotas.c: ResourceQuotas, which tables share; both accept NULL. */
struct rebali_quotas *rebali_quotas_ref(struct rebali_quotas *quotas);
void rebali_quotas_unref(const rebal_allocator *allocator, struct rebali_quotas *quotas);

/* ---- private: tables of the public handle ------------------------------------------------------------------------ */

/* Returns whether the table belongs to the owner. (cells.c) */
int rebali_cells_have(const rebal_cells *cells, uint32_t table);
/* Returns the end of the resource ids of a fleet or a snapshot. */
uint32_t rebali_cells_resources(const rebal_cells *cells);
/* Returns REBAL_EINVAL for a parent where none is allowed. */
int32_t rebali_cells_check_parent(uint32_t parent, rebal_error *err);
/*
 * Converts cell i for a table of the fleet to the form kept: for a text its id, for a time the seconds (fleet_cells.c).
 */
int32_t rebali_fleet_take(const rebal_fleet *fleet, const struct rebali_put *put, size_t i, uint32_t id, int64_t *value,
                          rebal_error *err);
/* By table; the fleet must have the column. */
int32_t rebali_clusters_put(rebal_fleet *fleet, const struct rebali_put *put, rebal_error *err);
int32_t rebali_nodes_put(rebal_fleet *fleet, const struct rebali_put *put, rebal_error *err);
int32_t rebali_rows_put(rebal_fleet *fleet, const struct rebali_put *put, rebal_error *err);
int32_t rebali_rows_add(rebal_fleet *fleet, uint32_t cluster, uint32_t table, uint32_t *rows, size_t n,
                        rebal_error *err);
int32_t rebali_rows_remove(rebal_fleet *fleet, uint32_t cluster, uint32_t table, const uint32_t *rows, size_t n,
                           rebal_error *err);
int32_t rebali_fleet_remove_cluster(rebal_fleet *fleet, uint32_t cluster, rebal_error *err);
int32_t rebali_fleet_remove_node(rebal_fleet *fleet, uint32_t cluster, uint32_t node, rebal_error *err);
/* table must be one of bindings. each: parents has one parent for each row, else one for all. */
int32_t rebali_bindings_add(rebal_bindings *bindings, uint32_t table, const uint32_t *parents, int each, uint32_t *ids,
                            size_t n, rebal_error *err);
/* Counts the rows of a child table below a binding. */
size_t rebali_bindings_count(const rebal_bindings *bindings, uint32_t table, uint32_t parent);
uint32_t rebali_bindings_next(const rebal_bindings *bindings, uint32_t table, uint32_t parent, uint32_t previous);

/* ---- private: rows of other tables (rows.c, pods.c) -------------------------------------------------------------- */

/* Returns the kind of the blocks of such a table. */
struct rebali_leaf_kind rebali_rows_kind(uint32_t table);
/* Returns the value of an unset cell. */
int64_t rebali_rows_absent(const struct rebali_field_info *info);
/*
 * Call before a cell of a pod's row is written or, with column 0, before the row is removed. Charges the pod's node for
 * the new state. On REBAL_EINVAL, REBAL_ERANGE or REBAL_ENOMEM nothing is changed.
 */
int32_t rebali_pod_charge(const struct rebali_node_change *change, const struct rebali_rows_leaf *leaf, uint32_t row,
                          uint32_t column, int64_t value, rebal_error *err);

/* ---- private: packing order (node_order.c) ----------------------------------------------------------------------- */

/* Returns REBAL_ENOMEM, REBAL_ELIMIT; after success, one of the next three functions cannot fail. */
int32_t rebali_node_may_move(const struct rebali_node_change *change, rebal_error *err);
/* Makes the next snapshot sort the cluster's nodes again. */
void rebali_nodes_disorder(const struct rebali_node_change *change);
/* The zone of a node: ids of texts, REBAL_NONE for none or an empty one. */
struct rebali_zone {
  uint32_t region;
  uint32_t zone;
};
/* Call after the node's labels were replaced; `from` is its zone before. */
void rebali_node_moved(const struct rebali_node_change *change, struct rebali_zone from);
/* Moves the node to the end of its cluster. */
void rebali_node_come_last(const struct rebali_node_change *change);
/* Sorts all nodes that are out of order. Returns REBAL_ENOMEM. */
int32_t rebali_fleet_order_nodes(rebal_fleet *fleet);
struct rebali_zone rebali_nodes_zone(const rebal_fleet *fleet, const struct rebali_node_table *table, uint32_t node);

#endif
