/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/nodes.h - the nodes of a cluster: how they lie in memory, and how they are read.
 *
 * What is known of 64 nodes lies together by column, so that a question to all of them is a loop over neighbours and
 * its answer one word of bits. Labels are kept by key, as ids of texts: each node has values of its own, so that whole
 * sets of labels are hardly ever shared.
 */
#ifndef REBALI_NODES_H
#define REBALI_NODES_H

#include "fleet/fleet.h"

#define REBALI_NODES 64u /* of a leaf */

struct rebali_node_leaf {
  uint64_t version; /* of the first snapshot with the last change of these nodes */
  uint64_t present; /* bits; other rows are only names */
  uint64_t unschedulable;
  uint64_t labelled; /* what was given labels or amounts and not rid of them: others are not looked through */
  uint64_t stated;
  uint32_t names[REBALI_NODES];    /* ids of texts */
  uint32_t taints[REBALI_NODES];   /* handles */
  uint32_t sequence[REBALI_NODES]; /* order of coming; anew when a node comes back or moves to another zone */
};
/* Of one resource: thousandths of cpu, units of all else, rounded away from zero. */
struct rebali_amount_leaf {
  int64_t allocatable[REBALI_NODES]; /* 0 where nothing is stated */
  int64_t used[REBALI_NODES];        /* by pods, at least 0; of "pods" their number and what containers ask of it */
};
/* Of one label key: ids of texts, REBAL_NONE where a node has no such label. */
struct rebali_value_leaf {
  uint32_t values[REBALI_NODES];
};

/* Rows of one table below the cluster: cells by column, in the order of columns.def. */
struct rebali_rows_leaf {
  uint64_t present;                 /* bits; bits of other rows are 0, their other cells hold anything */
  uint32_t next_free[REBALI_NODES]; /* of a free row: the next one + 1; 0: none */
  uint64_t cells[];
};
struct rebali_rows {
  struct rebali_tree leaves;
  uint32_t n;       /* ids are below it */
  uint32_t present; /* of them */
  uint32_t free;    /* the row + 1 that was removed last; 0: none */
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

/* All nodes of a cluster. Who shares a table only reads it. */
struct rebali_node_table {
  atomic_size_t references;
  uint64_t version; /* of the first snapshot with the last change */
  uint32_t rows;    /* ids are below it */
  uint32_t next_sequence;
  struct rebali_tree nodes;
  struct rebali_node_column *columns; /* by resource */
  size_t n_columns;
  size_t room_for_columns;
  struct rebali_node_label *labels; /* by key */
  size_t n_labels;
  size_t room_for_labels;
  struct rebali_rows others[REBALI_ROW_TABLES]; /* by table, from REBAL_TABLE_POD on */
  struct rebali_quotas *quotas;                 /* NULL: none */
  struct rebali_order *order; /* rows in the order of packing, up to date in snapshots; NULL: no node ever came */
  int is_unordered;           /* fleet->unordered names the cluster */
  uint32_t *places;           /* rows + 1 by hash of name, 0: empty; the writer's, and NULL in tables it has left */
  size_t n_places;            /* a power of two, or 0 */
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* NULL: nothing is known of the cluster's nodes. Any id below the snapshot's rows may be asked for. */
const struct rebali_node_table *rebali_snapshot_nodes(const rebal_snapshot *snapshot, uint32_t cluster);
/* The same of a fleet or a snapshot. */
const struct rebali_node_table *rebali_known_nodes(const struct rebali_state *state, const struct rebali_store *store,
                                                   uint32_t cluster);
/* Cell of a present node, a column of NODE. */
int64_t rebali_nodes_i64(const struct rebali_node_table *table, uint32_t column, uint32_t node);

static inline uint32_t rebali_nodes_leaves(const struct rebali_node_table *table) {
  return table->rows / REBALI_NODES + (table->rows % REBALI_NODES != 0);
}
/* One of so many. */
static inline const struct rebali_node_leaf *rebali_nodes_leaf(const struct rebali_node_table *table, uint32_t leaf) {
  return rebali_tree_get(&table->nodes, leaf);
}
/* Of one node below the rows: the id of its name, a text. */
static inline uint32_t rebali_node_name(const struct rebali_node_table *table, uint32_t node) {
  return rebali_nodes_leaf(table, node / REBALI_NODES)->names[node % REBALI_NODES];
}
/* Its value of a label, a text; REBAL_NONE: it has none. */
static inline uint32_t rebali_node_label(const struct rebali_node_label *label, uint32_t node) {
  const struct rebali_value_leaf *leaf = rebali_tree_get(&label->values, node / REBALI_NODES);

  return leaf == NULL ? REBAL_NONE : leaf->values[node % REBALI_NODES];
}
/* What it states of a resource; 0: nothing. */
static inline int64_t rebali_node_allocatable(const struct rebali_node_column *column, uint32_t node) {
  const struct rebali_amount_leaf *leaf = rebali_tree_get(&column->amounts, node / REBALI_NODES);

  return leaf == NULL ? 0 : leaf->allocatable[node % REBALI_NODES];
}
/* NULL: none of these nodes states the resource. */
const struct rebali_amount_leaf *rebali_nodes_amounts(const struct rebali_node_table *table, uint32_t resource,
                                                      uint32_t leaf);
/* NULL: none of these nodes has a label of this key. */
const struct rebali_value_leaf *rebali_nodes_values(const struct rebali_node_table *table, uint32_t key, uint32_t leaf);
/*
 * Present rows in the order in which the peer packs pods: grouped by zone, the groups in the order of their first node,
 * one node of each group in turn.
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
 * Rows below a cluster. They are there whether or not its nodes are known, so that the table is asked for by
 * rebali_state_nodes().
 */
static inline const struct rebali_rows *rebali_table_rows(const struct rebali_node_table *table, uint32_t number) {
  return &table->others[number - REBAL_TABLE_POD];
}
static inline const struct rebali_rows_leaf *rebali_rows_leaf(const struct rebali_rows *rows, uint32_t leaf) {
  return rebali_tree_get(&rows->leaves, leaf);
}
/* Where in the leaves of its table the cells of a column begin; to be asked for once. */
size_t rebali_rows_at(uint32_t column);
/* BOOLEAN: rows in which it is 1. TIME: rows in which it is set. */
static inline uint64_t rebali_rows_bits(const struct rebali_rows_leaf *leaf, size_t at) {
  return leaf->cells[at];
}
/* Handles and ids of texts; REBAL_NONE: none, or an empty one. */
static inline uint32_t rebali_rows_id(const struct rebali_rows_leaf *leaf, size_t at, uint32_t place) {
  const uint32_t *ids = (const void *)&leaf->cells[at];

  return ids[place];
}
/* Of a TIME that is set. */
static inline int64_t rebali_rows_seconds(const struct rebali_rows_leaf *leaf, size_t at, uint32_t place) {
  return (int64_t)leaf->cells[at + 1 + place];
}
static inline int64_t rebali_rows_integer(const struct rebali_rows_leaf *leaf, size_t at, uint32_t place) {
  return (int64_t)leaf->cells[at + place];
}
/* Any cell that is read as an integer; of a text its id. */
int64_t rebali_rows_i64(const struct rebali_rows_leaf *leaf, const struct rebali_field_info *info, uint32_t place);
/* Rows of a table below a cluster, of which there are none without it. */
const struct rebali_rows *rebali_state_rows(const struct rebali_state *state, uint32_t cluster, uint32_t table);
/* The leaf that has the row; NULL: there is no such row. */
const struct rebali_rows_leaf *rebali_rows_find(const struct rebali_rows *rows, uint32_t row);

/* ---- inside the room --------------------------------------------------------------------------------------------- */

extern const struct rebali_leaf_kind rebali_node_tables; /* leaves of rebali_state.tables */

/* The table for writing, made when there is none. NULL: no memory. */
struct rebali_node_table *rebali_fleet_nodes(rebal_fleet *fleet, uint32_t cluster);
/* The table as it is; NULL: none was made. */
const struct rebali_node_table *rebali_state_nodes(const struct rebali_state *state, uint32_t cluster);
struct rebali_node_leaf *rebali_nodes_edit(const rebal_fleet *fleet, struct rebali_node_table *table, uint32_t leaf);
/* The row of a name (id of a text); REBAL_NONE: none. */
uint32_t rebali_node_row_find(const struct rebali_node_table *table, uint32_t name);
/* One more row, an absent one. REBAL_ENOMEM, REBAL_ELIMIT. */
int32_t rebali_node_row_add(const rebal_fleet *fleet, struct rebali_node_table *table, uint32_t name, uint32_t *row);
/*
 * Amounts of a resource or values of a key for writing, with a column made when there is none; NULL: no memory. Making
 * columns moves the others' places in their lists.
 */
struct rebali_amount_leaf *rebali_nodes_edit_amounts(const rebal_fleet *fleet, struct rebali_node_table *table,
                                                     uint32_t resource, uint32_t leaf);
struct rebali_value_leaf *rebali_nodes_edit_values(const rebal_fleet *fleet, struct rebali_node_table *table,
                                                   uint32_t key, uint32_t leaf);

/* A node that is about to change: nothing is written before all that may fail is done. */
struct rebali_node_change {
  rebal_fleet *fleet;
  struct rebali_row *row; /* of the cluster */
  struct rebali_node_table *table;
  struct rebali_node_leaf *leaf;
  uint32_t cluster;
  uint32_t node;
};
/* The cluster's table alone, ready for a change; node and leaf are none. */
int32_t rebali_node_table_begin(rebal_fleet *fleet, uint32_t cluster, struct rebali_node_change *change,
                                rebal_error *err);
/* Cannot fail. */
void rebali_node_table_end(const struct rebali_node_change *change);
/* REBAL_ENOTFOUND: no such cluster, or no present node of it. */
int32_t rebali_node_begin(rebal_fleet *fleet, uint32_t cluster, uint32_t node, struct rebali_node_change *change,
                          rebal_error *err);
/* A present node of the table that is about to change. REBAL_ENOTFOUND, REBAL_ENOMEM. */
int32_t rebali_node_open(struct rebali_node_change *change, uint32_t node, rebal_error *err);
/* Cannot fail. */
void rebali_node_end(const struct rebali_node_change *change);
/* Where in the leaf. */
static inline uint32_t rebali_node_place(const struct rebali_node_change *change) {
  return change->node % REBALI_NODES;
}
static inline uint32_t rebali_node_leaf_of(const struct rebali_node_change *change) {
  return change->node / REBALI_NODES;
}
/* Takes all labels, or amounts, of the node; with write 0 only makes them writable. REBAL_ENOMEM. */
int32_t rebali_node_drop_labels(const struct rebali_node_change *change, int write);
int32_t rebali_node_drop_amounts(const struct rebali_node_change *change, int write);

/* quotas.c: ResourceQuotas, which tables share; both take NULL. */
struct rebali_quotas *rebali_quotas_ref(struct rebali_quotas *quotas);
void rebali_quotas_unref(const rebal_allocator *allocator, struct rebali_quotas *quotas);

/* ---- inside the room: behind the handle -------------------------------------------------------------------------- */

/* Is the table one of the owner's? (cells.c) */
int rebali_cells_have(const rebal_cells *cells, uint32_t table);
/* Ids of resources are below it. Of a fleet or a snapshot. */
uint32_t rebali_cells_resources(const rebal_cells *cells);
/* REBAL_EINVAL: a parent where there can be none. */
int32_t rebali_cells_check_parent(uint32_t parent, rebal_error *err);
/* Cell i of a table of the fleet as it is kept: of a text its id, of a time the seconds (fleet_cells.c). */
int32_t rebali_fleet_take(const rebal_fleet *fleet, const struct rebali_put *put, size_t i, uint32_t id, int64_t *value,
                          rebal_error *err);
/* By table; the fleet has the column. */
int32_t rebali_clusters_put(rebal_fleet *fleet, const struct rebali_put *put, rebal_error *err);
int32_t rebali_nodes_put(rebal_fleet *fleet, const struct rebali_put *put, rebal_error *err);
int32_t rebali_rows_put(rebal_fleet *fleet, const struct rebali_put *put, rebal_error *err);
int32_t rebali_rows_add(rebal_fleet *fleet, uint32_t cluster, uint32_t table, uint32_t *rows, size_t n,
                        rebal_error *err);
int32_t rebali_rows_remove(rebal_fleet *fleet, uint32_t cluster, uint32_t table, const uint32_t *rows, size_t n,
                           rebal_error *err);
int32_t rebali_fleet_remove_cluster(rebal_fleet *fleet, uint32_t cluster, rebal_error *err);
int32_t rebali_fleet_remove_node(rebal_fleet *fleet, uint32_t cluster, uint32_t node, rebal_error *err);
/* table: one of bindings; each: parents has one for each row, else one for all. */
int32_t rebali_bindings_add(rebal_bindings *bindings, uint32_t table, const uint32_t *parents, int each, uint32_t *ids,
                            size_t n, rebal_error *err);
/* Rows of a child table below a binding. */
size_t rebali_bindings_count(const rebal_bindings *bindings, uint32_t table, uint32_t parent);
uint32_t rebali_bindings_next(const rebal_bindings *bindings, uint32_t table, uint32_t parent, uint32_t previous);

/* ---- inside the room: rows of other tables (rows.c, pods.c) ------------------------------------------------------ */

/* The blocks of such a table. */
struct rebali_leaf_kind rebali_rows_kind(uint32_t table);
/* What an unset cell reads as. */
int64_t rebali_rows_absent(const struct rebali_field_info *info);
/*
 * A cell of a pod's row is about to be written, or with the column 0 the row to be removed: its node is charged for it
 * as it will be. REBAL_EINVAL, REBAL_ERANGE, REBAL_ENOMEM: nothing changed.
 */
int32_t rebali_pod_charge(const struct rebali_node_change *change, const struct rebali_rows_leaf *leaf, uint32_t row,
                          uint32_t column, int64_t value, rebal_error *err);

/* ---- inside the room: the order of packing (node_order.c) -------------------------------------------------------- */

/* REBAL_ENOMEM, REBAL_ELIMIT; else one of the three that follow cannot fail. */
int32_t rebali_node_may_move(const struct rebali_node_change *change, rebal_error *err);
/* The next snapshot will order the cluster's nodes anew. */
void rebali_nodes_disorder(const struct rebali_node_change *change);
/* Where a node stands: ids of texts, REBAL_NONE for none or an empty one. */
struct rebali_zone {
  uint32_t region;
  uint32_t zone;
};
/* Its labels were replaced, before that it stood in `from`. */
void rebali_node_moved(const struct rebali_node_change *change, struct rebali_zone from);
/* The node gets the last place in its cluster. */
void rebali_node_come_last(const struct rebali_node_change *change);
/* Orders whatever is not. REBAL_ENOMEM. */
int32_t rebali_fleet_order_nodes(rebal_fleet *fleet);
struct rebali_zone rebali_nodes_zone(const rebal_fleet *fleet, const struct rebali_node_table *table, uint32_t node);

#endif
