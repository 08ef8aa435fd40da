/* SPDX-License-Identifier: MIT */
/* Reads whole text and time columns of a result. */
#include "record/record.h"

/* Returns the table of a column that is read as a whole. */
static int32_t open_column(rebal_result *result, uint32_t column, uint32_t type, struct rebali_table **table,
                           rebal_error *err) {
  const struct rebali_field_info *info = rebali_field_find(column);

  *table = result == NULL || info == NULL || info->type != type ? NULL : rebali_result_table(result, info->object);
  return *table != NULL ? REBAL_OK
                        : rebali_fail(err, REBAL_EINVAL, -1, "%s",
                                      result == NULL ? "result is NULL" : "not such a column of a result");
}

/* Adds offsets of the texts of a column, which are concatenated; the last offset is their total size. */
static int32_t add_offsets(const struct rebali_table *table, uint32_t column, uint32_t *offsets, rebal_error *err) {
  uint32_t sum = 0;

  offsets[0] = 0;
  for (size_t row = 0; row < table->rows; row++) {
    const size_t len = rebali_table_text(table, column, row).len;

    if (len > INT32_MAX - (size_t)sum) {
      return rebali_fail(err, REBAL_ELIMIT, (int64_t)row, "the texts of the column have more than 2^31 - 1 bytes");
    }
    sum += (uint32_t)len;
    offsets[row + 1] = sum;
  }
  return REBAL_OK;
}

int32_t rebal_result_texts(rebal_result *result, uint32_t column, const char **bytes, const uint32_t **offsets,
                           size_t *n, rebal_error *err) {
  struct rebali_table *table = NULL;
  uint32_t *ends;
  char *block;
  int32_t code = open_column(result, column, REBAL_TYPE_TEXT, &table, err);

  if (code == REBAL_OK && (bytes == NULL || offsets == NULL || n == NULL)) {
    code = rebali_fail(err, REBAL_EINVAL, -1, "bytes, offsets or n is NULL");
  }
  if (code != REBAL_OK) {
    return code;
  }
  ends = rebali_arena_allocate(rebali_result_arena(result), table->rows + 1, sizeof *ends);
  code = ends == NULL ? rebali_fail_memory(err) : add_offsets(table, column, ends, err);
  if (code != REBAL_OK) {
    return code;
  }
  block = rebali_arena_allocate(rebali_result_arena(result), (size_t)ends[table->rows] + 1, 1);
  if (block == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t row = 0; row < table->rows; row++) {
    const struct rebali_text text = rebali_table_text(table, column, row);

    memcpy(block + ends[row], text.bytes, text.len);
  }
  *bytes = block;
  *offsets = ends;
  *n = table->rows;
  return REBAL_OK;
}

int32_t rebal_result_times(rebal_result *result, uint32_t column, const rebal_time **times, size_t *n,
                           rebal_error *err) {
  struct rebali_table *table = NULL;
  const rebal_time *cells = NULL;
  const int32_t code = open_column(result, column, REBAL_TYPE_TIME, &table, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (times == NULL || n == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "times or n is NULL");
  }
  if (table->rows != 0) {
    cells = rebali_table_times(table, column);
    if (cells == NULL) {
      return rebali_fail_memory(err);
    }
  }
  *times = cells;
  *n = table->rows;
  return REBAL_OK;
}
