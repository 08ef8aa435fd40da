/* SPDX-License-Identifier: MIT */
/* Cells of bindings. The bulk calls are the one implementation, a row is a bulk of one. */
#include "fleet/fleet.h"

/* A column that is being set. */
struct target {
  const struct rebali_field_info *info;
  struct rebali_table *table;
};

static int32_t open_column(rebal_bindings *bindings, uint32_t column, uint32_t type, const void *values, size_t n,
                           struct target *target, rebal_error *err) {
  int32_t code = rebali_bindings_open(bindings, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (values == NULL && n != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the array of values is NULL");
  }
  if (n > UINT32_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "more cells than a table has rows");
  }
  if (!rebal_column_supported(column)) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no column has the number %lu", (unsigned long)column);
  }
  target->table = rebali_bindings_table(bindings, column / 256u);
  if (target->table == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is not a column of bindings", rebali_field_find(column)->text);
  }
  return rebali_column_check(column, column / 256u, type, &target->info, err);
}

/* The row of cell i. */
static int32_t find_row(const struct target *target, const uint32_t *rows, size_t i, uint32_t *row, rebal_error *err) {
  *row = rows == NULL ? (uint32_t)i : rows[i];
  return *row < target->table->rows
             ? REBAL_OK
             : rebali_fail(err, REBAL_ENOTFOUND, (int64_t)*row, "%s: there is no row %lu", target->info->text,
                           (unsigned long)*row);
}

static int32_t written(int32_t code, rebal_error *err) {
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}

int32_t rebal_bindings_put_i64(rebal_bindings *bindings, uint32_t column, const uint32_t *rows, const int64_t *values,
                               size_t n, rebal_error *err) {
  struct target target = {NULL, NULL};
  int32_t code = open_column(bindings, column, REBAL_TYPE_INT64, values, n, &target, err);
  uint32_t row = 0;
  size_t i;

  for (i = 0; i < n && code == REBAL_OK; i++) {
    code = find_row(&target, rows, i, &row, err);
    if (code == REBAL_OK) {
      code = rebali_column_accepts(target.info, bindings->store, row, values[i], err);
    }
    if (code == REBAL_OK) {
      code = written(rebali_table_set_i64(target.table, column, row, values[i]), err);
    }
  }
  return code;
}

int32_t rebal_bindings_set_i64(rebal_bindings *bindings, uint32_t column, uint32_t row, int64_t value,
                               rebal_error *err) {
  return rebal_bindings_put_i64(bindings, column, &row, &value, 1, err);
}

int32_t rebal_bindings_put_text(rebal_bindings *bindings, uint32_t column, const uint32_t *rows, const char *bytes,
                                const uint32_t *offsets, size_t n, rebal_error *err) {
  struct target target = {NULL, NULL};
  int32_t code = open_column(bindings, column, REBAL_TYPE_TEXT, offsets, n, &target, err);
  uint32_t row = 0;
  size_t i;

  for (i = 0; i < n && code == REBAL_OK; i++) {
    struct rebali_text text = {NULL, 0};

    code = find_row(&target, rows, i, &row, err);
    if (code == REBAL_OK) {
      code = rebali_column_text(bytes, offsets, i, (int64_t)row, &text, err);
    }
    if (code == REBAL_OK) {
      code = written(rebali_table_set_text(target.table, column, row, text), err);
    }
  }
  return code;
}

int32_t rebal_bindings_set_text(rebal_bindings *bindings, uint32_t column, uint32_t row, const char *text, size_t len,
                                rebal_error *err) {
  const uint32_t offsets[2] = {0, (uint32_t)len};

  if (len > UINT32_MAX) {
    return rebali_fail(err, REBAL_ELIMIT, (int64_t)row, "a text is longer than 4 GiB");
  }
  return rebal_bindings_put_text(bindings, column, &row, text, offsets, 1, err);
}

int32_t rebal_bindings_put_time(rebal_bindings *bindings, uint32_t column, const uint32_t *rows,
                                const rebal_time *values, size_t n, rebal_error *err) {
  struct target target = {NULL, NULL};
  int32_t code = open_column(bindings, column, REBAL_TYPE_TIME, values, n, &target, err);
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

int32_t rebal_bindings_set_time(rebal_bindings *bindings, uint32_t column, uint32_t row, const rebal_time *value,
                                rebal_error *err) {
  return rebal_bindings_put_time(bindings, column, &row, value, 1, err);
}
