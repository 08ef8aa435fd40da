/* SPDX-License-Identifier: MIT */
#include "workloadspread/pods.h"

#define FIRST_TABLE REBAL_TABLE_SPREAD_POD
#define MAX_ROWS (UINT32_MAX - 1u) /* REBAL_NONE is no row */

int32_t rebal_pods_new(const rebal_fleet *fleet, const rebal_allocator *allocator, rebal_pods **out, rebal_error *err) {
  rebal_allocator memory;
  rebal_pods *pods;
  const int32_t code = rebali_allocator_load(&memory, allocator, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (fleet == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", fleet == NULL ? "fleet" : "out");
  }
  pods = rebali_allocate_zero(&memory, 1, sizeof *pods);
  if (pods == NULL) {
    return rebali_fail_memory(err);
  }
  rebali_row_set_open(&pods->set, fleet, &memory, "pods", FIRST_TABLE, pods->tables, REBALI_POD_TABLES);
  pods->set.present = pods->present;
  rebali_arena_init(&pods->spare, &pods->set.allocator, 0);
  *out = pods;
  return REBAL_OK;
}

void rebal_pods_reset(rebal_pods *pods) {
  if (pods == NULL) {
    return;
  }
  rebali_row_set_reset(&pods->set);
  for (size_t i = 0; i < REBALI_POD_TABLES; i++) {
    if (pods->words[i] != 0) {
      memset(pods->present[i], 0, pods->words[i] * sizeof *pods->present[i]);
    }
    pods->n_free[i] = 0;
  }
}

void rebal_pods_free(rebal_pods *pods) {
  rebal_allocator memory;

  if (pods == NULL) {
    return;
  }
  memory = pods->set.allocator;
  for (size_t i = 0; i < REBALI_POD_TABLES; i++) {
    rebali_release(&memory, pods->present[i]);
    rebali_release(&memory, pods->free_rows[i]);
  }
  rebali_row_set_dispose(&pods->set);
  rebali_arena_dispose(&pods->spare);
  rebali_release(&memory, pods);
}

static int32_t check_pods(const rebal_pods *pods, rebal_error *err) {
  return pods != NULL ? REBAL_OK : rebali_fail(err, REBAL_EINVAL, -1, "pods is NULL");
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Index of a table; REBALI_POD_TABLES when it is none of pods. */
static size_t index_of(uint32_t table) {
  const uint32_t index = table - FIRST_TABLE; /* tables before the first one wrap to large numbers */

  return index < REBALI_POD_TABLES ? index : REBALI_POD_TABLES;
}

static int32_t check_rows(const rebal_pods *pods, uint32_t table, const uint32_t *rows, size_t n, rebal_error *err) {
  const int32_t code = check_pods(pods, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (index_of(table) == REBALI_POD_TABLES) {
    return rebali_fail(err, REBAL_EINVAL, -1, "pods have no table %lu", (unsigned long)table);
  }
  return rows != NULL || n == 0 ? REBAL_OK : rebali_fail(err, REBAL_EINVAL, -1, "the array of rows is NULL");
}

/* Rows behind those that there are; bits behind the rows are 0. */
static int32_t append_rows(rebal_pods *pods, size_t index, size_t n) {
  struct rebali_table *table = &pods->tables[index];
  const size_t rows = table->rows + n;
  const size_t words = pods->words[index];

  if (rebali_reserve(&pods->set.allocator, &pods->present[index], &pods->words[index], REBALI_BITSET_WORDS(rows),
                     sizeof **pods->present) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (pods->words[index] != words) {
    memset(pods->present[index] + words, 0, (pods->words[index] - words) * sizeof **pods->present);
  }
  if (rebali_reserve(&pods->set.allocator, &pods->free_rows[index], &pods->room_for_free[index], rows,
                     sizeof **pods->free_rows) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_table_add(table, n, NULL);
}

int32_t rebal_pods_add(rebal_pods *pods, uint32_t table, size_t n, uint32_t *rows, rebal_error *err) {
  const size_t index = index_of(table);
  const int32_t code = check_rows(pods, table, rows, n, err);
  size_t n_used;
  size_t first;

  if (code != REBAL_OK) {
    return code;
  }
  n_used = n < pods->n_free[index] ? n : pods->n_free[index];
  first = pods->tables[index].rows;
  if (n - n_used > MAX_ROWS - first) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "more than 2^32 - 2 rows in a table");
  }
  if (append_rows(pods, index, n - n_used) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    rows[i] = i < n_used ? pods->free_rows[index][--pods->n_free[index]] : (uint32_t)(first + i - n_used);
    rebali_bit_set(pods->present[index], rows[i], 1);
  }
  return REBAL_OK;
}

static void remove_row(rebal_pods *pods, size_t index, uint32_t row) {
  struct rebali_table *table = &pods->tables[index];

  for (size_t i = 0; i < table->n_infos; i++) {
    if (table->infos[i].type == REBAL_TYPE_TEXT) {
      pods->set.dead_bytes += rebali_row_set_bytes(rebali_table_text(table, table->infos[i].id, row));
    }
  }
  rebali_table_clear_row(table, row);
  rebali_bit_set(pods->present[index], row, 0);
  pods->free_rows[index][pods->n_free[index]++] = row;
}

int32_t rebal_pods_remove(rebal_pods *pods, uint32_t table, const uint32_t *rows, size_t n, rebal_error *err) {
  int32_t code = check_rows(pods, table, rows, n, err);

  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    if (!rebali_pods_has(pods, table, rows[i])) {
      code = rebali_fail(err, REBAL_ENOTFOUND, (int64_t)i, "there is no row %lu", (unsigned long)rows[i]);
    } else {
      remove_row(pods, index_of(table), rows[i]);
    }
  }
  if (pods != NULL) {
    rebali_pods_move_texts(pods);
  }
  return code;
}

size_t rebal_pods_count(const rebal_pods *pods, uint32_t table) {
  const size_t index = index_of(table);

  return pods == NULL || index == REBALI_POD_TABLES ? 0 : pods->tables[index].rows - pods->n_free[index];
}

uint32_t rebal_pods_next(const rebal_pods *pods, uint32_t table, uint32_t previous) {
  const size_t index = index_of(table);
  const size_t first = previous == REBAL_NONE ? 0 : (size_t)previous + 1;
  size_t rows;

  if (pods == NULL || index == REBALI_POD_TABLES || first >= pods->tables[index].rows) {
    return REBAL_NONE;
  }
  rows = pods->tables[index].rows;
  for (size_t word = first / 64u; word < REBALI_BITSET_WORDS(rows); word++) {
    const uint64_t skipped = word == first / 64u ? ((uint64_t)1 << first % 64u) - 1 : 0;
    const uint64_t bits = pods->present[index][word] & ~skipped;

    if (bits != 0) {
      return (uint32_t)(word * 64u + rebali_bit_lowest(bits));
    }
  }
  return REBAL_NONE;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

int32_t rebal_pods_put_i64(rebal_pods *pods, uint32_t column, const uint32_t *rows, const int64_t *values, size_t n,
                           rebal_error *err) {
  const int32_t code = check_pods(pods, err);

  return code == REBAL_OK ? rebali_row_set_put_i64(&pods->set, column, rows, values, n, err) : code;
}

int32_t rebal_pods_set_i64(rebal_pods *pods, uint32_t column, uint32_t row, int64_t value, rebal_error *err) {
  return rebal_pods_put_i64(pods, column, &row, &value, 1, err);
}

int32_t rebal_pods_put_text(rebal_pods *pods, uint32_t column, const uint32_t *rows, const char *bytes,
                            const uint32_t *offsets, size_t n, rebal_error *err) {
  int32_t code = check_pods(pods, err);

  if (code == REBAL_OK) {
    code = rebali_row_set_put_text(&pods->set, column, rows, bytes, offsets, n, err);
    rebali_pods_move_texts(pods);
  }
  return code;
}

int32_t rebal_pods_set_text(rebal_pods *pods, uint32_t column, uint32_t row, const char *text, size_t len,
                            rebal_error *err) {
  int32_t code = check_pods(pods, err);

  if (code == REBAL_OK) {
    code = rebali_row_set_set_text(&pods->set, column, row, text, len, err);
    rebali_pods_move_texts(pods);
  }
  return code;
}

int32_t rebal_pods_put_time(rebal_pods *pods, uint32_t column, const uint32_t *rows, const rebal_time *values, size_t n,
                            rebal_error *err) {
  const int32_t code = check_pods(pods, err);

  return code == REBAL_OK ? rebali_row_set_put_time(&pods->set, column, rows, values, n, err) : code;
}

int32_t rebal_pods_set_time(rebal_pods *pods, uint32_t column, uint32_t row, const rebal_time *value,
                            rebal_error *err) {
  return rebal_pods_put_time(pods, column, &row, value, 1, err);
}

static const struct rebali_row_set *set_of(const rebal_pods *pods) {
  return pods == NULL ? NULL : &pods->set;
}

int64_t rebal_pods_i64(const rebal_pods *pods, uint32_t column, uint32_t row) {
  return rebali_row_set_i64(set_of(pods), column, row);
}

const char *rebal_pods_text(const rebal_pods *pods, uint32_t column, uint32_t row, size_t *len) {
  return rebali_row_set_text(set_of(pods), column, row, len);
}

void rebal_pods_time(const rebal_pods *pods, uint32_t column, uint32_t row, rebal_time *out) {
  rebali_row_set_time(set_of(pods), column, row, out);
}
