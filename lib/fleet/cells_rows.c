/* SPDX-License-Identifier: MIT */
/* Adds, removes and walks rows of every input table through one handle. */
#include "fleet/nodes.h"

/* ---- adding and removing ----------------------------------------------------------------------------------------- */

static int32_t check_call(const rebal_cells *cells, uint32_t table, const void *array, size_t n, rebal_error *err) {
  if (cells == NULL || (array == NULL && n != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", cells == NULL ? "cells" : "an array");
  }
  if (!rebali_cells_have(cells, table)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the owner has no table %lu", (unsigned long)table);
  }
  return REBAL_OK;
}

int32_t rebal_cells_add(rebal_cells *cells, uint32_t table, uint32_t parent, uint32_t *ids, size_t n,
                        rebal_error *err) {
  int32_t code = check_call(cells, table, ids, n, err);

  if (code != REBAL_OK) {
    return code;
  }
  switch (table) {
    case REBAL_TABLE_CLUSTER:
    case REBAL_TABLE_NODE:
    case REBAL_TABLE_SPREAD_WORKLOAD:
    case REBAL_TABLE_RESOURCE:
      return rebali_fail(err, REBAL_EINVAL, -1, "rows of table %lu are added by name or are fixed",
                         (unsigned long)table);
    case REBAL_TABLE_POD:
    case REBAL_TABLE_WORKLOAD:
    case REBAL_TABLE_REPLICA_SET:
      return rebali_rows_add(cells->fleet, parent, table, ids, n, err);
    default:
      if (cells->bindings != NULL) {
        return rebali_bindings_add(cells->bindings, table, &parent, 0, ids, n, err);
      }
      code = rebali_cells_check_parent(parent, err);
      return code == REBAL_OK ? rebali_row_set_add(cells->set, table, ids, n, err) : code;
  }
}

int32_t rebal_cells_add_children(rebal_cells *cells, uint32_t table, const uint32_t *parents, uint32_t *ids, size_t n,
                                 rebal_error *err) {
  int32_t code = check_call(cells, table, parents, n, err);

  if (code == REBAL_OK && ids == NULL && n != 0) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "ids is NULL");
  }
  if (code == REBAL_OK && (cells->bindings == NULL || table == REBAL_TABLE_BINDING)) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "table %lu is not a child table of bindings", (unsigned long)table);
  }
  return code == REBAL_OK ? rebali_bindings_add(cells->bindings, table, parents, 1, ids, n, err) : code;
}

static int32_t remove_row(rebal_cells *cells, uint32_t table, uint32_t parent, uint32_t id, rebal_error *err) {
  return table == REBAL_TABLE_NODE ? rebali_fleet_remove_node(cells->fleet, parent, id, err)
                                   : rebali_fleet_remove_cluster(cells->fleet, id, err);
}

int32_t rebal_cells_remove(rebal_cells *cells, uint32_t table, uint32_t parent, const uint32_t *ids, size_t n,
                           rebal_error *err) {
  int32_t code = check_call(cells, table, ids, n, err);

  if (code == REBAL_OK && (table == REBAL_TABLE_CLUSTER || cells->set != NULL)) {
    code = rebali_cells_check_parent(parent, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  switch (table) {
    case REBAL_TABLE_CLUSTER:
    case REBAL_TABLE_NODE:
      for (size_t i = 0; i < n && code == REBAL_OK; i++) {
        code = remove_row(cells, table, parent, ids[i], err);
      }
      return code;
    case REBAL_TABLE_POD:
    case REBAL_TABLE_WORKLOAD:
    case REBAL_TABLE_REPLICA_SET:
      return rebali_rows_remove(cells->fleet, parent, table, ids, n, err);
    case REBAL_TABLE_RESOURCE:
      return rebali_fail(err, REBAL_EINVAL, -1, "resources stay as long as the fleet");
    default:
      return rebali_row_set_remove(cells->set, table, ids, n, err);
  }
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

int32_t rebal_cells_has(const rebal_cells *cells, uint32_t table, uint32_t parent, uint32_t id) {
  if (cells == NULL || !rebali_cells_have(cells, table)) {
    return 0;
  }
  switch (table) {
    case REBAL_TABLE_CLUSTER:
      return parent == REBAL_NONE && rebali_state_present(cells->state, id);
    case REBAL_TABLE_NODE: {
      const struct rebali_node_table *nodes = rebali_known_nodes(cells->state, cells->store, parent);

      return nodes != NULL && rebali_nodes_present(nodes, id);
    }
    case REBAL_TABLE_POD:
    case REBAL_TABLE_WORKLOAD:
    case REBAL_TABLE_REPLICA_SET:
      return rebali_rows_find(rebali_state_rows(cells->state, parent, table), id) != NULL;
    case REBAL_TABLE_RESOURCE:
      return parent == REBAL_NONE && id < rebali_cells_resources(cells);
    default:
      return parent == REBAL_NONE && rebali_row_set_has(cells->set, table, id);
  }
}

uint32_t rebal_cells_bound(const rebal_cells *cells, uint32_t table, uint32_t parent) {
  if (cells == NULL || !rebali_cells_have(cells, table)) {
    return 0;
  }
  switch (table) {
    case REBAL_TABLE_CLUSTER:
      return parent == REBAL_NONE ? cells->state->n_rows : 0;
    case REBAL_TABLE_NODE: {
      const struct rebali_node_table *nodes = rebali_known_nodes(cells->state, cells->store, parent);

      return nodes == NULL ? 0 : nodes->rows;
    }
    case REBAL_TABLE_POD:
    case REBAL_TABLE_WORKLOAD:
    case REBAL_TABLE_REPLICA_SET:
      return rebali_state_rows(cells->state, parent, table)->n;
    case REBAL_TABLE_RESOURCE:
      return parent == REBAL_NONE ? rebali_cells_resources(cells) : 0;
    default:
      return parent == REBAL_NONE ? (uint32_t)rebali_row_set_table(cells->set, table)->rows : 0;
  }
}

static size_t count_nodes(const struct rebali_node_table *nodes) {
  size_t n = 0;

  for (uint32_t leaf = 0; nodes != NULL && leaf < rebali_nodes_leaves(nodes); leaf++) {
    n += rebali_bits_count(&rebali_nodes_leaf(nodes, leaf)->present, 1);
  }
  return n;
}

size_t rebal_cells_count(const rebal_cells *cells, uint32_t table, uint32_t parent) {
  if (cells == NULL || !rebali_cells_have(cells, table)) {
    return 0;
  }
  switch (table) {
    case REBAL_TABLE_CLUSTER:
      return parent == REBAL_NONE ? cells->state->n_present : 0;
    case REBAL_TABLE_NODE:
      return count_nodes(rebali_known_nodes(cells->state, cells->store, parent));
    case REBAL_TABLE_POD:
    case REBAL_TABLE_WORKLOAD:
    case REBAL_TABLE_REPLICA_SET:
      return rebali_state_rows(cells->state, parent, table)->present;
    case REBAL_TABLE_RESOURCE:
      return parent == REBAL_NONE ? rebali_cells_resources(cells) : 0;
    default:
      return parent == REBAL_NONE      ? rebali_row_set_count(cells->set, table)
             : cells->bindings == NULL ? 0
                                       : rebali_bindings_count(cells->bindings, table, parent);
  }
}

uint32_t rebal_cells_next(const rebal_cells *cells, uint32_t table, uint32_t parent, uint32_t previous) {
  const uint32_t bound = rebal_cells_bound(cells, table, parent);
  uint32_t id = previous == REBAL_NONE ? 0 : previous + 1;

  if (cells == NULL || !rebali_cells_have(cells, table)) {
    return REBAL_NONE;
  }
  if (cells->set != NULL && parent == REBAL_NONE) {
    return rebali_row_set_from(cells->set, table, previous == REBAL_NONE ? 0 : (size_t)previous + 1);
  }
  if (cells->set != NULL) {
    return cells->bindings == NULL ? REBAL_NONE : rebali_bindings_next(cells->bindings, table, parent, previous);
  }
  while (id < bound && !rebal_cells_has(cells, table, parent, id)) {
    id++;
  }
  return id < bound ? id : REBAL_NONE;
}
