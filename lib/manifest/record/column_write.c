/* SPDX-License-Identifier: MIT */
/* Writes cells of snapshots and bindings into trees: the inverse of column.c. */
#include "manifest/record/call.h"

#include <string.h>

#define ANY_MOMENT "1970-01-01T00:00:00Z" /* only the fact that it is set was kept */

static const struct rebali_cell cells[] = {
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) {REBAL_##table##_##name, #name, absent},
#include <rebalance/columns.def>
#undef REBAL_TABLE
#undef REBAL_COLUMN
};

static const struct {
  uint32_t table;
  const char *name;
} tables[] = {
#define REBAL_TABLE(name, number) {number, #name},
#define REBAL_COLUMN(table, name, number, type, absent, source)
#include <rebalance/columns.def>
#undef REBAL_TABLE
#undef REBAL_COLUMN
};

const struct rebali_cell *rebali_cells_of(uint32_t table, size_t *n, const char **name) {
  const size_t n_cells = sizeof cells / sizeof cells[0];
  size_t first = 0, end;
  while (first < n_cells && cells[first].id / 256 != table) {
    first++;
  }
  for (end = first; end < n_cells && cells[end].id / 256 == table;) {
    end++;
  }
  *n = end - first;
  for (size_t i = 0; name != NULL && i < sizeof tables / sizeof tables[0]; i++) {
    *name = tables[i].table == table ? tables[i].name : *name;
  }
  return *n > 0 ? cells + first : NULL;
}

static int64_t absent_of(uint32_t column) {
  size_t n;
  const struct rebali_cell *of_table = rebali_cells_of(column / 256, &n, NULL);
  for (size_t i = 0; i < n; i++) {
    if (of_table[i].id == column) {
      return of_table[i].absent;
    }
  }
  return 0;
}

static const rebal_cells *cells_of(const struct rebali_origin *origin) {
  return origin->bindings != NULL ? rebal_bindings_const_cells(origin->bindings)
                                  : rebal_snapshot_cells(origin->snapshot);
}

static int32_t given(json_t *value, json_t **out, rebal_error *err) {
  *out = value;
  return value != NULL ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t text_tree(const struct rebali_origin *origin, uint32_t column, json_t **out, rebal_error *err) {
  size_t len;
  const char *text = rebal_cells_get_text(cells_of(origin), column, REBAL_NONE, origin->row, &len);
  return len > 0 ? given(json_stringn_nocheck(text, len), out, err) : REBAL_OK;
}

static int32_t time_tree(const struct rebali_origin *origin, uint32_t column, json_t **out, rebal_error *err) {
  rebal_time time;
  rebal_cells_get_time(cells_of(origin), column, REBAL_NONE, origin->row, &time);
  return time.is_set ? given(rebali_time_value(&time), out, err) : REBAL_OK;
}

static json_t *presence_tree(uint32_t column) {
  return column == REBAL_CLUSTER_DELETING || column == REBAL_BINDING_DELETING ? json_string(ANY_MOMENT) : json_object();
}

static json_t *cluster_tree(const struct rebali_origin *origin, int64_t cluster) {
  size_t len;
  const char *name = rebali_cluster_name(origin->snapshot, (uint32_t)cluster, &len);
  return json_stringn_nocheck(name, len);
}

/* The cell must not be absent. */
static int32_t integer_tree(const struct rebali_origin *origin, const struct rebali_column *column, int64_t value,
                            json_t **out, rebal_error *err) {
  switch (column->type) {
    case REBAL_TYPE_HANDLE:
      return rebali_record_tree_as_is(
          rebal_cells_record(rebal_snapshot_cells(origin->snapshot), column->object, (uint32_t)value), out, err);
    case REBAL_TYPE_CLUSTER:
      return given(cluster_tree(origin, value), out, err);
    case REBAL_TYPE_BOOLEAN:
      return given(json_boolean(value != 0), out, err);
    case REBALI_TYPE_PRESENCE:
      return given(presence_tree(column->id), out, err);
    default:
      return given(json_integer(value), out, err);
  }
}

int32_t rebali_cell_tree(const struct rebali_origin *origin, const struct rebali_column *column, json_t **out,
                         rebal_error *err) {
  int64_t value;
  *out = NULL;
  if (column->type == REBAL_TYPE_TEXT) {
    return text_tree(origin, column->id, out, err);
  }
  if (column->type == REBAL_TYPE_TIME) {
    return time_tree(origin, column->id, out, err);
  }
  value = rebal_cells_get_i64(cells_of(origin), column->id, REBAL_NONE, origin->row);
  if (value == absent_of(column->id) || value == REBAL_ABSENT) {
    return REBAL_OK;
  }
  return integer_tree(origin, column, value, out, err);
}

json_t *rebali_map_above(json_t *tree, const char *path, const char **key) {
  char step[64];
  size_t len = strcspn(path, ".");
  while (tree != NULL && path[len] == '.' && len < sizeof step) {
    memcpy(step, path, len);
    step[len] = '\0';
    tree = rebali_map_at(tree, step);
    path += len + 1;
    len = strcspn(path, ".");
  }
  *key = path;
  return tree;
}

int32_t rebali_columns_write(const struct rebali_origin *origin, const struct rebali_column *columns, size_t n,
                             json_t *tree, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    json_t *value;
    result = rebali_cell_tree(origin, &columns[i], &value, err);
    if (result == REBAL_OK && value != NULL) {
      const char *key;
      json_t *map = rebali_map_above(tree, columns[i].path, &key);
      result = rebali_put(map, key, value, err);
    }
  }
  return result;
}
