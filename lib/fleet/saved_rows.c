/* SPDX-License-Identifier: MIT */
/* Rows without names and cells of all tables as bytes. */
#include "fleet/saved.h"

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Lists the missing rows, in the order in which they will be reused. */
static void list_free(struct rebali_saving *saving, const struct rebali_rows *rows) {
  uint32_t next = rows->free;

  rebali_save_begin(saving, 0);
  while (next != 0) {
    rebali_save_add(saving, next - 1, 0, 0);
    next = rebali_rows_leaf(rows, (next - 1) / REBALI_NODES)->next_free[(next - 1) % REBALI_NODES];
  }
}

void rebali_save_rows(struct rebali_saving *saving, const rebal_fleet *fleet, uint32_t table, uint32_t cluster) {
  const struct rebali_rows *rows = rebali_state_rows(&fleet->state, cluster, table);

  if (rows->n == 0) {
    return;
  }
  rebali_save_begin(saving, 0);
  for (uint32_t row = 0; row < rows->n; row++) {
    rebali_save_add(saving, row, rebali_rows_find(rows, row) != NULL, 0);
  }
  rebali_save_section(saving, REBALI_SAVED_ROWS, table, cluster);
  rebali_save_u32(saving, rows->n);
  rebali_save_integers(saving, saving->values, saving->n);
  list_free(saving, rows);
  rebali_save_u32(saving, saving->n);
  rebali_save_integers(saving, saving->ids, saving->n);
  rebali_save_columns(saving, &fleet->handle, table, cluster);
}

/* Adds n rows to an empty table. */
static int32_t add_rows(struct rebali_loading *loading, rebal_cells *cells, uint32_t n, rebal_error *err) {
  uint32_t *ids = loading->ids; /* reserved for n when the flags were read */
  const int32_t code = rebal_cells_add(cells, loading->about[0], loading->about[1], ids, n, err);

  return code == REBAL_OK && n != 0 && (ids[0] != 0 || ids[n - 1] != n - 1)
             ? rebali_load_malformed(loading, "rows of a table are stored twice", err)
             : code;
}

/* The row that is reused first was removed last. */
static int32_t remove_rows(struct rebali_loading *loading, rebal_cells *cells, uint32_t n, rebal_error *err) {
  int32_t code = rebali_load_ids(loading, err);

  for (uint32_t i = loading->n; i > 0 && code == REBAL_OK; i--) {
    code = rebal_cells_remove(cells, loading->about[0], loading->about[1], &loading->ids[i - 1], 1, err);
  }
  if (code == REBAL_OK && rebal_cells_bound(cells, loading->about[0], loading->about[1]) != n) {
    code = rebali_load_malformed(loading, "a table has more rows than its number of rows", err);
  }
  return code;
}

/* Bindings belong to a set, which the first section of bindings creates. */
static int32_t cells_of(struct rebali_loading *loading, uint32_t table, rebal_cells **cells, rebal_error *err) {
  int32_t code = REBAL_OK;

  if (table < REBAL_TABLE_BINDING || table >= REBAL_TABLE_BINDING + REBALI_BINDING_TABLES) {
    *cells = rebal_fleet_cells(loading->fleet);
    return REBAL_OK;
  }
  if (loading->bindings == NULL) {
    code = rebal_bindings_new(loading->fleet, loading->allocator, &loading->bindings, err);
  }
  *cells = rebal_bindings_cells(loading->bindings);
  return code;
}

/* Each row takes a byte, so few bytes cannot request much memory. */
static int32_t skip_flags(struct rebali_loading *loading, uint32_t *n, rebal_error *err) {
  int32_t code = rebali_load_count(loading, 1, n, err);

  if (code == REBAL_OK) {
    code = rebali_load_reserve(loading, *n, err);
  }
  return code == REBAL_OK ? rebali_load_integers(loading, loading->values, *n, err) : code;
}

int32_t rebali_load_rows(struct rebali_loading *loading, rebal_error *err) {
  rebal_cells *cells = NULL;
  uint32_t n = 0;
  int32_t code = skip_flags(loading, &n, err);

  if (code == REBAL_OK) {
    code = cells_of(loading, loading->about[0], &cells, err);
  }
  if (code == REBAL_OK) {
    code = add_rows(loading, cells, n, err);
  }
  return code == REBAL_OK ? remove_rows(loading, cells, n, err) : code;
}

int32_t rebali_load_children(struct rebali_loading *loading, rebal_error *err) {
  uint32_t *ids;
  int32_t code = rebali_load_ids(loading, err);

  if (code != REBAL_OK) {
    return code;
  }
  ids = rebali_allocate(loading->allocator, (size_t)loading->n + 1, sizeof *ids);
  code = ids == NULL ? rebali_fail_memory(err)
                     : rebal_cells_add_children(rebal_bindings_cells(loading->bindings), loading->about[0],
                                                loading->ids, ids, loading->n, err);
  rebali_release(loading->allocator, ids);
  return code;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Returns whether other calls set the column to a value that it does not have without them. */
static int is_set_by_others(uint32_t column) {
  return column == REBAL_CLUSTER_HAS_SUMMARY || column == REBAL_CLUSTER_HAS_NODES;
}

/* For this and the next two functions nodes exist whether or not they are known, unlike in the public calls. */
static int64_t integer_of(const rebal_cells *cells, const struct rebali_field_info *info, uint32_t parent,
                          uint32_t row) {
  return info->object == REBAL_TABLE_NODE
             ? rebali_column_given(info, rebali_nodes_i64(rebali_state_nodes(cells->state, parent), info->id, row))
             : rebal_cells_get_i64(cells, info->id, parent, row);
}

static int has_row(const rebal_cells *cells, uint32_t table, uint32_t parent, uint32_t row) {
  return table == REBAL_TABLE_NODE ? rebali_nodes_present(rebali_state_nodes(cells->state, parent), row)
                                   : rebal_cells_has(cells, table, parent, row);
}

static uint32_t rows_of(const rebal_cells *cells, uint32_t table, uint32_t parent) {
  return table == REBAL_TABLE_NODE ? rebali_state_nodes(cells->state, parent)->rows
                                   : rebal_cells_bound(cells, table, parent);
}

/* Lists the set cells of a column; for texts their lengths. */
static void list_cells(struct rebali_saving *saving, const rebal_cells *cells, const struct rebali_field_info *info,
                       uint32_t parent) {
  const uint32_t n = rows_of(cells, info->object, parent);

  rebali_save_begin(saving, 0);
  for (uint32_t row = 0; row < n; row++) {
    rebal_time time;
    size_t len = 0;

    if (info->type == REBAL_TYPE_TEXT) {
      (void)rebal_cells_get_text(cells, info->id, parent, row, &len);
      if (len != 0) {
        rebali_save_add(saving, row, 0, 0);
      }
    } else if (info->type == REBAL_TYPE_TIME) {
      rebal_cells_get_time(cells, info->id, parent, row, &time);
      if (time.is_set) {
        rebali_save_add(saving, row, time.seconds, time.nanos);
      }
    } else if (has_row(cells, info->object, parent, row)) {
      const int64_t value = integer_of(cells, info, parent, row);

      if (value != rebali_column_given(info, info->absent) || is_set_by_others(info->id)) {
        rebali_save_add(saving, row, value, 0);
      }
    }
  }
}

/* Returns whether no cell of the column was ever set, as in most columns of bindings, which have many rows. */
static int is_untouched(const rebal_cells *cells, const struct rebali_field_info *info) {
  return cells->set != NULL && rebali_row_set_table(cells->set, info->object)->columns[info->id & 255u] == NULL;
}

static void save_column(struct rebali_saving *saving, const rebal_cells *cells, const struct rebali_field_info *info,
                        uint32_t parent) {
  if (is_untouched(cells, info)) {
    return;
  }
  list_cells(saving, cells, info, parent);
  if (saving->n == 0) {
    return;
  }
  rebali_save_section(saving, REBALI_SAVED_COLUMN, info->id, parent);
  rebali_save_u32(saving, saving->n);
  rebali_save_integers(saving, saving->ids, saving->n);
  if (info->type != REBAL_TYPE_TEXT) {
    rebali_save_integers(saving, saving->values, saving->n);
  }
  if (info->type == REBAL_TYPE_TIME) {
    rebali_save_integers(saving, saving->nanos, saving->n);
  }
  for (uint32_t i = 0; info->type == REBAL_TYPE_TEXT && i < saving->n; i++) {
    size_t len;
    const char *text = rebal_cells_get_text(cells, info->id, parent, (uint32_t)saving->ids[i], &len);

    rebali_save_text(saving, rebali_text(text, len));
  }
}

/* The first column is saved last: that of a pod is its node, which is charged when the rest of the pod is known. */
void rebali_save_columns(struct rebali_saving *saving, const rebal_cells *cells, uint32_t table, uint32_t parent) {
  size_t n;
  const struct rebali_field_info *infos = rebali_object_fields(table, &n);

  for (size_t i = 1; i <= n; i++) {
    const struct rebali_field_info *info = &infos[i % n];

    if (!rebali_column_is_name(info->id)) {
      save_column(saving, cells, info, parent);
    }
  }
}

static int32_t load_texts(struct rebali_loading *loading, rebal_cells *cells, rebal_error *err) {
  int32_t code = REBAL_OK;

  for (uint32_t i = 0; i < loading->n && code == REBAL_OK; i++) {
    struct rebali_text text;

    code = rebali_load_text(loading, &text, err);
    if (code == REBAL_OK) {
      code =
          rebal_cells_set_text(cells, loading->about[0], loading->about[1], loading->ids[i], text.bytes, text.len, err);
    }
  }
  return code;
}

static int32_t load_times(struct rebali_loading *loading, rebal_cells *cells, rebal_error *err) {
  int32_t code = rebali_load_integers(loading, loading->values, loading->n, err);

  if (code == REBAL_OK) {
    code = rebali_load_integers(loading, loading->nanos, loading->n, err);
  }
  for (uint32_t i = 0; i < loading->n && code == REBAL_OK; i++) {
    const int64_t nanos = loading->nanos[i];
    const rebal_time time = {loading->values[i], nanos < 0 || nanos > INT32_MAX ? -1 : (int32_t)nanos, 1};

    code = rebal_cells_set_time(cells, loading->about[0], loading->about[1], loading->ids[i], &time, err);
  }
  return code;
}

int32_t rebali_load_column(struct rebali_loading *loading, rebal_error *err) {
  const struct rebali_field_info *info = rebali_field_find(loading->about[0]);
  rebal_cells *cells = NULL;
  int32_t code =
      info == NULL || info->object < REBAL_TABLE_CLUSTER
          ? rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no column has the number %lu", (unsigned long)loading->about[0])
          : rebali_load_ids(loading, err);

  if (code == REBAL_OK) {
    code = cells_of(loading, info->object, &cells, err);
  }
  if (code != REBAL_OK || info->type == REBAL_TYPE_TEXT) {
    return code == REBAL_OK ? load_texts(loading, cells, err) : code;
  }
  if (info->type == REBAL_TYPE_TIME) {
    return load_times(loading, cells, err);
  }
  code = rebali_load_integers(loading, loading->values, loading->n, err);
  return code == REBAL_OK ? rebal_cells_put_i64(cells, loading->about[0], loading->about[1], loading->ids,
                                                loading->values, loading->n, err)
                          : code;
}

/* ---- bindings ---------------------------------------------------------------------------------------------------- */

static void save_children(struct rebali_saving *saving, const rebal_bindings *bindings, uint32_t index) {
  const uint32_t n = (uint32_t)bindings->tables[index].rows;

  if (n == 0) {
    return;
  }
  rebali_save_begin(saving, 0);
  for (uint32_t row = 0; row < n; row++) {
    rebali_save_add(saving, bindings->parents[index][row], 0, 0);
  }
  rebali_save_section(saving, REBALI_SAVED_CHILDREN, REBAL_TABLE_BINDING + index, 0);
  rebali_save_u32(saving, n);
  rebali_save_integers(saving, saving->ids, saving->n);
  rebali_save_columns(saving, &bindings->handle, REBAL_TABLE_BINDING + index, REBAL_NONE);
}

void rebali_save_bindings(struct rebali_saving *saving, const rebal_bindings *bindings) {
  const uint32_t n = (uint32_t)bindings->tables[0].rows;

  rebali_save_begin(saving, 0);
  for (uint32_t row = 0; row < n; row++) {
    rebali_save_add(saving, row, 1, 0);
  }
  rebali_save_section(saving, REBALI_SAVED_ROWS, REBAL_TABLE_BINDING, REBAL_NONE);
  rebali_save_u32(saving, n);
  rebali_save_integers(saving, saving->values, saving->n);
  rebali_save_u32(saving, 0);
  rebali_save_integers(saving, saving->ids, 0);
  rebali_save_columns(saving, &bindings->handle, REBAL_TABLE_BINDING, REBAL_NONE);
  for (uint32_t i = 1; i < REBALI_BINDING_TABLES; i++) {
    save_children(saving, bindings, i);
  }
  if (bindings->set.is_frozen) {
    rebali_save_section(saving, REBALI_SAVED_FROZEN, 0, 0);
  }
}

int32_t rebali_load_frozen(struct rebali_loading *loading, rebal_error *err) {
  return rebal_bindings_freeze(loading->bindings, err);
}
