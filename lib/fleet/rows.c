/* SPDX-License-Identifier: MIT */
/* Rows of tables below a cluster: layout, adding, removing, cells. */
#include "fleet/nodes.h"

/* ---- layout ------------------------------------------------------------------------------------------------------ */

/* Returns the words that the cells of 64 rows take. */
static size_t words_of(uint32_t type) {
  switch (type) {
    case REBAL_TYPE_BOOLEAN:
      return 1;
    case REBAL_TYPE_INT64:
      return REBALI_NODES;
    case REBAL_TYPE_TIME:
      return 1 + REBALI_NODES;
    default:
      return REBALI_NODES / 2;
  }
}

/* Returns the words of the columns before this one. */
static size_t words_before(uint32_t table, uint32_t column) {
  size_t n;
  const struct rebali_field_info *infos = rebali_object_fields(table, &n);
  size_t words = 0;

  for (size_t i = 0; i < n && infos[i].id != column; i++) {
    words += words_of(infos[i].type);
  }
  return words;
}

size_t rebali_rows_at(uint32_t column) {
  return words_before(column / 256u, column);
}

struct rebali_leaf_kind rebali_rows_kind(uint32_t table) {
  return (struct rebali_leaf_kind){sizeof(struct rebali_rows_leaf) + words_before(table, 0) * sizeof(uint64_t), NULL,
                                   NULL, NULL};
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

int64_t rebali_rows_i64(const struct rebali_rows_leaf *leaf, const struct rebali_field_info *info, uint32_t place) {
  const size_t at = rebali_rows_at(info->id);

  switch (info->type) {
    case REBAL_TYPE_BOOLEAN:
      return (int64_t)(leaf->cells[at] >> place & 1u);
    case REBAL_TYPE_INT64:
      return rebali_rows_integer(leaf, at, place);
    case REBAL_TYPE_TIME:
      return (leaf->cells[at] >> place & 1u) != 0 ? rebali_rows_seconds(leaf, at, place) : REBAL_ABSENT;
    case REBAL_TYPE_INT32:
      return (int32_t)rebali_rows_id(leaf, at, place);
    default:
      return (int64_t)rebali_rows_id(leaf, at, place);
  }
}

/* Writes a cell that the column accepts; at is its rebali_rows_at(). */
static void write_cell(struct rebali_rows_leaf *leaf, uint32_t type, size_t at, uint32_t place, int64_t value) {
  if (type == REBAL_TYPE_BOOLEAN) {
    rebali_bit_set(&leaf->cells[at], place, value != 0);
  } else if (type == REBAL_TYPE_INT64) {
    leaf->cells[at + place] = (uint64_t)value;
  } else if (type == REBAL_TYPE_TIME) {
    rebali_bit_set(&leaf->cells[at], place, value != REBAL_ABSENT);
    leaf->cells[at + 1 + place] = (uint64_t)value;
  } else {
    ((uint32_t *)(void *)&leaf->cells[at])[place] = (uint32_t)value;
  }
}

int64_t rebali_rows_absent(const struct rebali_field_info *info) {
  return info->type == REBAL_TYPE_TEXT   ? (int64_t)REBAL_NONE
         : info->type == REBAL_TYPE_TIME ? REBAL_ABSENT
                                         : info->absent;
}

static void empty_cells(struct rebali_rows_leaf *leaf, uint32_t table, uint32_t place) {
  size_t n;
  const struct rebali_field_info *infos = rebali_object_fields(table, &n);
  size_t at = 0;

  for (size_t i = 0; i < n; i++) {
    write_cell(leaf, infos[i].type, at, place, rebali_rows_absent(&infos[i]));
    at += words_of(infos[i].type);
  }
}

const struct rebali_rows_leaf *rebali_rows_find(const struct rebali_rows *rows, uint32_t row) {
  const struct rebali_rows_leaf *leaf = row < rows->n ? rebali_rows_leaf(rows, row / REBALI_NODES) : NULL;

  return leaf != NULL && rebali_bit_get(&leaf->present, row % REBALI_NODES) ? leaf : NULL;
}

/* ---- one change -------------------------------------------------------------------------------------------------- */

/* A table that is about to change. */
struct rows_change {
  struct rebali_node_change nodes;
  struct rebali_rows *rows;
  uint32_t table;
  struct rebali_leaf_kind kind;
  size_t at; /* of the column that is set */
};

static int32_t begin_rows(rebal_fleet *fleet, uint32_t cluster, uint32_t table, struct rows_change *change,
                          rebal_error *err) {
  const int32_t code = rebali_node_table_begin(fleet, cluster, &change->nodes, err);

  if (code == REBAL_OK) {
    change->table = table;
    change->kind = rebali_rows_kind(table);
    change->at = 0;
    change->rows = &change->nodes.table->others[table - REBAL_TABLE_POD];
  }
  return code;
}

static struct rebali_rows_leaf *edit_leaf(const struct rows_change *change, uint32_t row) {
  return rebali_tree_edit(&change->nodes.fleet->store->allocator, &change->kind, &change->rows->leaves,
                          row / REBALI_NODES);
}

static int32_t open_row(const struct rows_change *change, uint32_t row, struct rebali_rows_leaf **leaf,
                        rebal_error *err) {
  if (rebali_rows_find(change->rows, row) == NULL) {
    return rebali_fail(err, REBAL_ENOTFOUND, (int64_t)row, "the table has no row %lu", (unsigned long)row);
  }
  *leaf = edit_leaf(change, row);
  return *leaf == NULL ? rebali_fail_memory(err) : REBAL_OK;
}

/* ---- adding and removing ----------------------------------------------------------------------------------------- */

static int32_t add_row(const struct rows_change *change, uint32_t *id, rebal_error *err) {
  struct rebali_rows *rows = change->rows;
  const uint32_t row = rows->free != 0 ? rows->free - 1 : rows->n;
  struct rebali_rows_leaf *leaf;

  if (row == REBAL_NONE - 1) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "no more ids for rows of the cluster");
  }
  leaf = edit_leaf(change, row);
  if (leaf == NULL) {
    return rebali_fail_memory(err);
  }
  if (rows->free != 0) {
    rows->free = leaf->next_free[row % REBALI_NODES];
  } else {
    rows->n++;
  }
  empty_cells(leaf, change->table, row % REBALI_NODES);
  rebali_bit_set(&leaf->present, row % REBALI_NODES, 1);
  rows->present++;
  *id = row;
  return REBAL_OK;
}

static void free_row(const struct rows_change *change, struct rebali_rows_leaf *leaf, uint32_t row) {
  struct rebali_rows *rows = change->rows;

  empty_cells(leaf, change->table, row % REBALI_NODES);
  rebali_bit_set(&leaf->present, row % REBALI_NODES, 0);
  leaf->next_free[row % REBALI_NODES] = rows->free;
  rows->free = row + 1;
  rows->present--;
}

int32_t rebali_rows_add(rebal_fleet *fleet, uint32_t cluster, uint32_t table, uint32_t *rows, size_t n,
                        rebal_error *err) {
  struct rows_change change;
  int32_t code = begin_rows(fleet, cluster, table, &change, err);
  size_t done = 0;

  if (code != REBAL_OK) {
    return code;
  }
  if (n > REBAL_NONE - 1 - change.rows->present) {
    code = rebali_fail(err, REBAL_ELIMIT, -1, "more than 2^32 - 2 rows in a table");
  }
  while (done < n && code == REBAL_OK) {
    code = add_row(&change, &rows[done], err);
    done += code == REBAL_OK;
  }
  /* The added rows are unshared, so undoing needs no memory. */
  while (code != REBAL_OK && done > 0) {
    done--;
    free_row(&change, edit_leaf(&change, rows[done]), rows[done]);
  }
  rebali_node_table_end(&change.nodes);
  return code;
}

int32_t rebali_rows_remove(rebal_fleet *fleet, uint32_t cluster, uint32_t table, const uint32_t *rows, size_t n,
                           rebal_error *err) {
  struct rows_change change;
  int32_t code = begin_rows(fleet, cluster, table, &change, err);

  if (code != REBAL_OK) {
    return code;
  }
  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    struct rebali_rows_leaf *leaf = NULL;

    code = open_row(&change, rows[i], &leaf, err);
    if (code == REBAL_OK && table == REBAL_TABLE_POD) {
      code = rebali_pod_charge(&change.nodes, leaf, rows[i], 0, 0, err);
    }
    if (code == REBAL_OK) {
      free_row(&change, leaf, rows[i]);
    }
  }
  rebali_node_table_end(&change.nodes);
  return code;
}

/* ---- setting cells ----------------------------------------------------------------------------------------------- */

static int32_t put_cell(const struct rows_change *change, const struct rebali_put *put, size_t i, rebal_error *err) {
  const uint32_t row = rebali_put_id(put, i);
  struct rebali_rows_leaf *leaf = NULL;
  int64_t value = 0;
  int32_t code = open_row(change, row, &leaf, err);

  if (code == REBAL_OK) {
    code = rebali_fleet_take(change->nodes.fleet, put, i, row, &value, err);
  }
  if (code == REBAL_OK && change->table == REBAL_TABLE_POD) {
    code = rebali_pod_charge(&change->nodes, leaf, row, put->info->id, value, err);
  }
  if (code == REBAL_OK) {
    write_cell(leaf, put->info->type, change->at, row % REBALI_NODES, value);
  }
  return code;
}

int32_t rebali_rows_put(rebal_fleet *fleet, const struct rebali_put *put, rebal_error *err) {
  struct rows_change change;
  int32_t code = begin_rows(fleet, put->parent, put->info->object, &change, err);

  if (code != REBAL_OK) {
    return code;
  }
  change.at = rebali_rows_at(put->info->id);
  for (size_t i = 0; i < put->n && code == REBAL_OK; i++) {
    code = put_cell(&change, put, i, err);
  }
  rebali_node_table_end(&change.nodes);
  return code;
}
