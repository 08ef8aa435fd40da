/* SPDX-License-Identifier: MIT */
/* Cells of a set of rows. The bulk calls are the one implementation, a row is a bulk of one. */
#include "fleet/row_set.h"

#include "fleet/fleet.h"

void rebali_row_set_open(struct rebali_row_set *set, const rebal_fleet *fleet, const rebal_allocator *allocator,
                         const char *name, uint32_t first, struct rebali_table *tables, uint32_t n) {
  *set = (struct rebali_row_set){
      .allocator = *allocator,
      .store = rebali_store_ref(fleet->store),
      .tables = tables,
      .first = first,
      .n_tables = n,
      .name = name,
  };
  rebali_arena_init(&set->texts, &set->allocator, 0);
  for (uint32_t i = 0; i < n; i++) {
    rebali_table_init(&tables[i], first + i, &set->allocator, &set->texts);
  }
}

void rebali_row_set_reset(struct rebali_row_set *set) {
  for (uint32_t i = 0; i < set->n_tables; i++) {
    rebali_table_clear(&set->tables[i]);
  }
  rebali_arena_reset(&set->texts);
  set->dead_bytes = 0;
}

void rebali_row_set_dispose(struct rebali_row_set *set) {
  for (uint32_t i = 0; i < set->n_tables; i++) {
    rebali_table_dispose(&set->tables[i]);
  }
  rebali_arena_dispose(&set->texts);
  rebali_store_unref(set->store);
}

struct rebali_table *rebali_row_set_table(const struct rebali_row_set *set, uint32_t table) {
  const uint32_t index = table - set->first; /* tables before the first one wrap to large numbers */

  return index < set->n_tables ? &set->tables[index] : NULL;
}

size_t rebali_row_set_bytes(struct rebali_text text) {
  /* As the arena rounds them; the text has been in memory, so the sum cannot overflow. */
  return text.len == 0 ? 0 : (text.len + REBALI_ALIGNMENT) / REBALI_ALIGNMENT * REBALI_ALIGNMENT;
}

static int is_there(const struct rebali_row_set *set, const struct rebali_table *table, uint32_t row) {
  return row < table->rows && (set->present == NULL || rebali_bit_get(set->present[table - set->tables], row));
}

/* ---- setting ----------------------------------------------------------------------------------------------------- */

/* A column that is being set. */
struct target {
  const struct rebali_row_set *set;
  const struct rebali_field_info *info;
  struct rebali_table *table;
};

static int32_t open_column(const struct rebali_row_set *set, uint32_t column, uint32_t type, const void *values,
                           size_t n, struct target *target, rebal_error *err) {
  if (values == NULL && n != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the array of values is NULL");
  }
  if (n > UINT32_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "more cells than a table has rows");
  }
  if (!rebal_column_supported(column)) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no column has the number %lu", (unsigned long)column);
  }
  target->set = set;
  target->table = rebali_row_set_table(set, column / 256u);
  if (target->table == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is not a column of %s", rebali_field_find(column)->text, set->name);
  }
  return rebali_column_check(column, column / 256u, type, &target->info, err);
}

/* The row of cell i. */
static int32_t find_row(const struct target *target, const uint32_t *rows, size_t i, uint32_t *row, rebal_error *err) {
  *row = rows == NULL ? (uint32_t)i : rows[i];
  return is_there(target->set, target->table, *row)
             ? REBAL_OK
             : rebali_fail(err, REBAL_ENOTFOUND, (int64_t)*row, "%s: there is no row %lu", target->info->text,
                           (unsigned long)*row);
}

static int32_t written(int32_t code, rebal_error *err) {
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}

int32_t rebali_row_set_put_i64(struct rebali_row_set *set, uint32_t column, const uint32_t *rows, const int64_t *values,
                               size_t n, rebal_error *err) {
  struct target target = {NULL, NULL, NULL};
  int32_t code = open_column(set, column, REBAL_TYPE_INT64, values, n, &target, err);
  uint32_t row = 0;
  size_t i;

  for (i = 0; i < n && code == REBAL_OK; i++) {
    code = find_row(&target, rows, i, &row, err);
    if (code == REBAL_OK) {
      code = rebali_column_accepts(target.info, set->store, row, values[i], err);
    }
    if (code == REBAL_OK) {
      code = written(rebali_table_set_i64(target.table, column, row, values[i]), err);
    }
  }
  return code;
}

int32_t rebali_row_set_put_text(struct rebali_row_set *set, uint32_t column, const uint32_t *rows, const char *bytes,
                                const uint32_t *offsets, size_t n, rebal_error *err) {
  struct target target = {NULL, NULL, NULL};
  int32_t code = open_column(set, column, REBAL_TYPE_TEXT, offsets, n, &target, err);
  uint32_t row = 0;
  size_t i;

  for (i = 0; i < n && code == REBAL_OK; i++) {
    struct rebali_text text = {NULL, 0};
    size_t replaced = 0;

    code = find_row(&target, rows, i, &row, err);
    if (code == REBAL_OK) {
      code = rebali_column_text(bytes, offsets, i, (int64_t)row, &text, err);
    }
    if (code == REBAL_OK) {
      replaced = rebali_row_set_bytes(rebali_table_text(target.table, column, row));
      code = written(rebali_table_set_text(target.table, column, row, text), err);
    }
    set->dead_bytes += code == REBAL_OK ? replaced : 0;
  }
  return code;
}

int32_t rebali_row_set_set_text(struct rebali_row_set *set, uint32_t column, uint32_t row, const char *text, size_t len,
                                rebal_error *err) {
  uint32_t offsets[2] = {0, 0};
  struct rebali_text taken;
  const int32_t code = rebali_text_take(text, len, "the text", &taken, err);

  if (code != REBAL_OK) {
    return code;
  }
  offsets[1] = (uint32_t)taken.len;
  return rebali_row_set_put_text(set, column, &row, taken.bytes, offsets, 1, err);
}

int32_t rebali_row_set_put_time(struct rebali_row_set *set, uint32_t column, const uint32_t *rows,
                                const rebal_time *values, size_t n, rebal_error *err) {
  struct target target = {NULL, NULL, NULL};
  int32_t code = open_column(set, column, REBAL_TYPE_TIME, values, n, &target, err);
  uint32_t row = 0;
  size_t i;

  for (i = 0; i < n && code == REBAL_OK; i++) {
    code = find_row(&target, rows, i, &row, err);
    if (code == REBAL_OK) {
      code = rebali_time_check(&values[i], (int64_t)row, err);
    }
    if (code == REBAL_OK) {
      code = written(rebali_table_set_time(target.table, column, row, &values[i]), err);
    }
  }
  return code;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* The table of a cell that is there and read as this type; else NULL. */
static const struct rebali_table *table_of(const struct rebali_row_set *set, uint32_t column, uint32_t row,
                                           uint32_t type) {
  const struct rebali_field_info *info = rebali_field_find(column);
  const struct rebali_table *table = set == NULL || info == NULL ? NULL : rebali_row_set_table(set, info->object);

  return table != NULL && is_there(set, table, row) && rebali_column_is_set_as(info, type) ? table : NULL;
}

int64_t rebali_row_set_i64(const struct rebali_row_set *set, uint32_t column, uint32_t row) {
  const struct rebali_table *table = table_of(set, column, row, REBAL_TYPE_INT64);

  return table == NULL ? REBAL_ABSENT : rebali_table_i64(table, column, row);
}

const char *rebali_row_set_text(const struct rebali_row_set *set, uint32_t column, uint32_t row, size_t *len) {
  const struct rebali_table *table = table_of(set, column, row, REBAL_TYPE_TEXT);
  const struct rebali_text text = table == NULL ? REBALI_TEXT("") : rebali_table_text(table, column, row);

  if (len != NULL) {
    *len = text.len;
  }
  return text.bytes;
}

void rebali_row_set_time(const struct rebali_row_set *set, uint32_t column, uint32_t row, rebal_time *out) {
  const struct rebali_table *table = table_of(set, column, row, REBAL_TYPE_TIME);

  if (out != NULL) {
    *out = table == NULL ? (rebal_time){0, 0, 0} : rebali_table_time(table, column, row);
  }
}
