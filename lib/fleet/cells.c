/* SPDX-License-Identifier: MIT */
/* Sets and reads cells of every input table through one handle. */
#include "fleet/nodes.h"

/* ---- owners ------------------------------------------------------------------------------------------------------ */

rebal_cells *rebal_fleet_cells(rebal_fleet *fleet) {
  return fleet == NULL ? NULL : &fleet->handle;
}

const rebal_cells *rebal_snapshot_cells(const rebal_snapshot *snapshot) {
  return snapshot == NULL ? NULL : &snapshot->handle;
}

rebal_cells *rebal_bindings_cells(rebal_bindings *bindings) {
  return bindings == NULL ? NULL : &bindings->handle;
}

const rebal_cells *rebal_bindings_const_cells(const rebal_bindings *bindings) {
  return bindings == NULL ? NULL : &bindings->handle;
}

int rebali_cells_have(const rebal_cells *cells, uint32_t table) {
  switch (table) {
    case REBAL_TABLE_CLUSTER:
    case REBAL_TABLE_NODE:
    case REBAL_TABLE_POD:
    case REBAL_TABLE_WORKLOAD:
    case REBAL_TABLE_REPLICA_SET:
    case REBAL_TABLE_RESOURCE:
      return cells->state != NULL;
    default:
      return cells->set != NULL && rebali_row_set_table(cells->set, table) != NULL;
  }
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

uint32_t rebali_cells_resources(const rebal_cells *cells) {
  return cells->fleet == NULL ? cells->state->n_resources : rebali_store_known(&cells->store->known_resources);
}

static struct rebali_text node_name(const rebal_cells *cells, uint32_t cluster, uint32_t node) {
  const struct rebali_node_table *nodes = rebali_known_nodes(cells->state, cells->store, cluster);

  return nodes != NULL && node < nodes->rows ? rebali_intern_get(cells->store->texts, rebali_node_name(nodes, node))
                                             : REBALI_TEXT("");
}

/* Also works for missing rows, unlike all other cells. */
static struct rebali_text name_of(const rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id) {
  if (cells == NULL || cells->state == NULL) {
    return REBALI_TEXT("");
  }
  if (column == REBAL_NODE_NAME) {
    return node_name(cells, parent, id);
  }
  if (parent != REBAL_NONE) {
    return REBALI_TEXT("");
  }
  if (column == REBAL_CLUSTER_NAME) {
    return id < cells->state->n_rows ? rebali_intern_get(cells->store->names, id) : REBALI_TEXT("");
  }
  return id < rebali_cells_resources(cells) ? rebali_intern_get(cells->store->resources, id) : REBALI_TEXT("");
}

/* ---- setting ----------------------------------------------------------------------------------------------------- */

static int32_t check_put(const rebal_cells *cells, uint32_t column, uint32_t type, const void *values,
                         struct rebali_put *put, rebal_error *err) {
  if (cells == NULL || (values == NULL && put->n != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", cells == NULL ? "cells" : "the array of values");
  }
  /* Without a list of ids, the index is the id. */
  if (put->n > UINT32_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "more cells than a table has rows");
  }
  put->info = rebali_field_find(column);
  if (put->info == NULL || put->info->object < REBAL_TABLE_CLUSTER) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no column has the number %lu", (unsigned long)column);
  }
  if (!rebali_cells_have(cells, put->info->object)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is not a column of %s", put->info->text,
                       cells->set == NULL ? "a fleet" : cells->set->name);
  }
  if (rebali_column_is_name(column)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is read-only: rows get their names when they are added",
                       put->info->text);
  }
  if (!rebali_column_is_set_as(put->info, type)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s holds values of another type", put->info->text);
  }
  return REBAL_OK;
}

int32_t rebali_cells_check_parent(uint32_t parent, rebal_error *err) {
  return parent == REBAL_NONE
             ? REBAL_OK
             : rebali_fail(err, REBAL_EINVAL, -1, "expected the parent REBAL_NONE, got %lu", (unsigned long)parent);
}

static int32_t put_cells(rebal_cells *cells, uint32_t column, uint32_t type, const void *values, struct rebali_put *put,
                         rebal_error *err) {
  int32_t code = check_put(cells, column, type, values, put, err);

  if (code != REBAL_OK) {
    return code;
  }
  switch (put->info->object) {
    case REBAL_TABLE_NODE:
      return rebali_nodes_put(cells->fleet, put, err);
    case REBAL_TABLE_POD:
    case REBAL_TABLE_WORKLOAD:
    case REBAL_TABLE_REPLICA_SET:
      return rebali_rows_put(cells->fleet, put, err);
    default:
      code = rebali_cells_check_parent(put->parent, err);
      return code != REBAL_OK     ? code
             : cells->set == NULL ? rebali_clusters_put(cells->fleet, put, err)
                                  : rebali_row_set_put(cells->set, put, err);
  }
}

int32_t rebal_cells_put_i64(rebal_cells *cells, uint32_t column, uint32_t parent, const uint32_t *ids,
                            const int64_t *values, size_t n, rebal_error *err) {
  struct rebali_put put = {NULL, ids, n, parent, values, NULL, NULL, NULL};

  return put_cells(cells, column, REBAL_TYPE_INT64, values, &put, err);
}

int32_t rebal_cells_put_text(rebal_cells *cells, uint32_t column, uint32_t parent, const uint32_t *ids,
                             const char *bytes, const uint32_t *offsets, size_t n, rebal_error *err) {
  struct rebali_put put = {NULL, ids, n, parent, NULL, NULL, bytes, offsets};

  return put_cells(cells, column, REBAL_TYPE_TEXT, offsets, &put, err);
}

int32_t rebal_cells_put_time(rebal_cells *cells, uint32_t column, uint32_t parent, const uint32_t *ids,
                             const rebal_time *values, size_t n, rebal_error *err) {
  struct rebali_put put = {NULL, ids, n, parent, NULL, values, NULL, NULL};

  return put_cells(cells, column, REBAL_TYPE_TIME, values, &put, err);
}

int32_t rebal_cells_set_i64(rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id, int64_t value,
                            rebal_error *err) {
  return rebal_cells_put_i64(cells, column, parent, &id, &value, 1, err);
}

int32_t rebal_cells_set_text(rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id, const char *text,
                             size_t len, rebal_error *err) {
  uint32_t offsets[2] = {0, 0};
  struct rebali_text taken = {NULL, 0};
  const int32_t code = rebali_text_take(text, len, "the text", &taken, err);

  if (code != REBAL_OK) {
    return code;
  }
  offsets[1] = (uint32_t)taken.len;
  return rebal_cells_put_text(cells, column, parent, &id, taken.bytes, offsets, 1, err);
}

int32_t rebal_cells_set_time(rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id, const rebal_time *value,
                             rebal_error *err) {
  return rebal_cells_put_time(cells, column, parent, &id, value, 1, err);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Returns what the cell of an existing row of a fleet holds: for a text its id, for a time the seconds. */
static int64_t kept_in_fleet(const rebal_cells *cells, const struct rebali_field_info *info, uint32_t parent,
                             uint32_t id) {
  switch (info->object) {
    case REBAL_TABLE_CLUSTER:
      return rebali_state_i64(cells->state, cells->store, info->id, id);
    case REBAL_TABLE_NODE:
      return rebali_nodes_i64(rebali_known_nodes(cells->state, cells->store, parent), info->id, id);
    default:
      return rebali_rows_i64(rebali_rows_find(rebali_state_rows(cells->state, parent, info->object), id), info,
                             id % REBALI_NODES);
  }
}

/* Returns the column if its table has the row and the type matches; else NULL. */
static const struct rebali_field_info *readable(const rebal_cells *cells, uint32_t column, uint32_t type,
                                                uint32_t parent, uint32_t id) {
  const struct rebali_field_info *info = rebali_field_find(column);

  return info == NULL || !rebali_column_is_set_as(info, type) || !rebal_cells_has(cells, info->object, parent, id)
             ? NULL
             : info;
}

/* The set must have the column. */
static const struct rebali_table *table_of(const rebal_cells *cells, const struct rebali_field_info *info) {
  return rebali_row_set_table(cells->set, info->object);
}

int64_t rebal_cells_get_i64(const rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id) {
  const struct rebali_field_info *info = readable(cells, column, REBAL_TYPE_INT64, parent, id);

  return info == NULL
             ? REBAL_ABSENT
             : rebali_column_given(info, cells->set == NULL ? kept_in_fleet(cells, info, parent, id)
                                                            : rebali_table_i64(table_of(cells, info), column, id));
}

const char *rebal_cells_get_text(const rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id, size_t *len) {
  const struct rebali_field_info *info =
      rebali_column_is_name(column) ? NULL : readable(cells, column, REBAL_TYPE_TEXT, parent, id);
  struct rebali_text text = rebali_column_is_name(column) ? name_of(cells, column, parent, id) : REBALI_TEXT("");

  if (info != NULL && cells->set != NULL) {
    text = rebali_table_text(table_of(cells, info), column, id);
  } else if (info != NULL) {
    const int64_t kept = kept_in_fleet(cells, info, parent, id);

    text = kept == (int64_t)REBAL_NONE ? text : rebali_intern_get(cells->store->texts, (uint32_t)kept);
  }
  if (len != NULL) {
    *len = text.len;
  }
  return text.bytes;
}

void rebal_cells_get_time(const rebal_cells *cells, uint32_t column, uint32_t parent, uint32_t id, rebal_time *out) {
  const struct rebali_field_info *info = readable(cells, column, REBAL_TYPE_TIME, parent, id);
  rebal_time time = {0, 0, 0};

  if (info != NULL && cells->set != NULL) {
    time = rebali_table_time(table_of(cells, info), column, id);
  } else if (info != NULL && kept_in_fleet(cells, info, parent, id) != REBAL_ABSENT) {
    time = (rebal_time){kept_in_fleet(cells, info, parent, id), 0, 1};
  }
  if (out != NULL) {
    *out = time;
  }
}

const rebal_record *rebal_cells_record(const rebal_cells *cells, uint32_t object, uint32_t handle) {
  if (object == REBAL_OBJECT_QUOTAS) {
    return cells == NULL || cells->state == NULL ? NULL : rebali_state_quotas(cells->state, handle);
  }
  return cells == NULL || cells->store == NULL ? NULL
                                               : rebali_store_record(cells->store, rebali_store_kind(object), handle);
}
