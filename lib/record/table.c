/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#define FIRST_CAPACITY 8u

static uint32_t number_of(uint32_t column) {
  return column & 255u;
}

static int is_integer(const struct rebali_field_info *column) {
  return column->type != REBAL_TYPE_TEXT && column->type != REBAL_TYPE_TIME;
}

static size_t cell_size(const struct rebali_field_info *column) {
  return column->type == REBAL_TYPE_TEXT   ? sizeof(struct rebali_text)
         : column->type == REBAL_TYPE_TIME ? sizeof(rebal_time)
                                           : sizeof(int64_t);
}

/* Makes the cells [from, to) absent. */
static void clear_cells(const struct rebali_field_info *column, void *cells, size_t from, size_t to) {
  size_t row;

  for (row = from; row < to; row++) {
    if (column->type == REBAL_TYPE_TEXT) {
      ((struct rebali_text *)cells)[row] = REBALI_TEXT("");
    } else if (column->type == REBAL_TYPE_TIME) {
      ((rebal_time *)cells)[row] = (rebal_time){0, 0, 0};
    } else {
      ((int64_t *)cells)[row] = column->absent;
    }
  }
}

/* Allocates a column. The table must have capacity for the rows. */
static int32_t make_column(struct rebali_table *table, const struct rebali_field_info *column) {
  void *cells = rebali_allocate(table->allocator, table->capacity, cell_size(column));

  if (cells == NULL) {
    return REBAL_ENOMEM;
  }
  clear_cells(column, cells, 0, table->rows);
  table->columns[number_of(column->id)] = cells;
  return REBAL_OK;
}

/* After a failure some columns are longer than the capacity, which is harmless. */
static int32_t grow(struct rebali_table *table, size_t wanted) {
  size_t capacity = table->capacity > SIZE_MAX / 2 ? SIZE_MAX : table->capacity * 2;
  size_t i;

  if (wanted <= table->capacity) {
    return REBAL_OK;
  }
  capacity = capacity < FIRST_CAPACITY ? FIRST_CAPACITY : capacity;
  capacity = capacity < wanted ? wanted : capacity;
  for (i = 0; i < table->n_infos; i++) {
    void **cells = &table->columns[number_of(table->infos[i].id)];
    size_t old = table->capacity;

    if (*cells != NULL &&
        rebali_reserve(table->allocator, cells, &old, capacity, cell_size(&table->infos[i])) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  table->capacity = capacity;
  return REBAL_OK;
}

void rebali_table_init(struct rebali_table *table, uint32_t id, const rebal_allocator *allocator,
                       struct rebali_arena *texts) {
  memset(table, 0, sizeof *table);
  table->allocator = allocator;
  table->texts = texts;
  table->infos = rebali_object_fields(id, &table->n_infos);
  table->is_result = id - REBAL_TABLE_DECISION < REBALI_RESULT_TABLES; /* smaller ids wrap to large numbers */
}

static int32_t complete(struct rebali_table *table) {
  for (size_t i = 0; i < table->n_infos; i++) {
    const struct rebali_field_info *column = &table->infos[i];

    if (is_integer(column) && table->columns[number_of(column->id)] == NULL && make_column(table, column) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  table->is_complete = 1;
  return REBAL_OK;
}

int32_t rebali_table_append(struct rebali_table *table, size_t rows, size_t *first) {
  if (rows > SIZE_MAX - table->rows || grow(table, table->rows + rows) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (rows != 0 && table->is_result && !table->is_complete && complete(table) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (first != NULL) {
    *first = table->rows;
  }
  table->rows += rows;
  return REBAL_OK;
}

static void clear_rows(struct rebali_table *table, size_t from, size_t to) {
  for (size_t i = 0; i < table->n_infos; i++) {
    void *cells = table->columns[number_of(table->infos[i].id)];

    if (cells != NULL) {
      clear_cells(&table->infos[i], cells, from, to);
    }
  }
}

int32_t rebali_table_add(struct rebali_table *table, size_t rows, size_t *first) {
  const size_t before = table->rows;

  if (rebali_table_append(table, rows, first) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  clear_rows(table, before, table->rows);
  return REBAL_OK;
}

/* Returns the cells of a column for writing; NULL without memory. */
static void *writable(struct rebali_table *table, uint32_t column) {
  if (table->columns[number_of(column)] == NULL && make_column(table, rebali_field_find(column)) != REBAL_OK) {
    return NULL;
  }
  return table->columns[number_of(column)];
}

int32_t rebali_table_set_i64(struct rebali_table *table, uint32_t column, size_t row, int64_t value) {
  int64_t *cells = writable(table, column);

  if (cells == NULL) {
    return REBAL_ENOMEM;
  }
  cells[row] = value;
  return REBAL_OK;
}

int32_t rebali_table_add_row(struct rebali_table *table, const struct rebali_table_value *values, size_t n,
                             size_t *row) {
  int32_t code = rebali_table_add(table, 1, row);

  for (size_t i = 0; i < n && code == REBAL_OK; i++) {
    code = rebali_table_set_i64(table, values[i].column, *row, values[i].value);
  }
  return code;
}

int32_t rebali_table_fill_text(struct rebali_table *table, uint32_t column, size_t row, size_t n,
                               struct rebali_text text) {
  struct rebali_text *cells;
  struct rebali_text copy = REBALI_TEXT("");

  if (text.len == 0 && table->columns[number_of(column)] == NULL) {
    return REBAL_OK; /* it already reads as empty */
  }
  cells = writable(table, column);
  if (cells == NULL) {
    return REBAL_ENOMEM;
  }
  if (text.len != 0) {
    copy = rebali_arena_text(table->texts, text);
  }
  if (copy.bytes == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = row; i < row + n; i++) {
    cells[i] = copy;
  }
  return REBAL_OK;
}

int32_t rebali_table_set_time(struct rebali_table *table, uint32_t column, size_t row, const rebal_time *value) {
  rebal_time *cells;

  if (!value->is_set && table->columns[number_of(column)] == NULL) {
    return REBAL_OK; /* it already reads as not set */
  }
  cells = writable(table, column);
  if (cells == NULL) {
    return REBAL_ENOMEM;
  }
  cells[row] = value->is_set ? (rebal_time){value->seconds, value->nanos, 1} : (rebal_time){0, 0, 0};
  return REBAL_OK;
}

const rebal_time *rebali_table_times(struct rebali_table *table, uint32_t column) {
  return writable(table, column);
}

void rebali_table_clear_row(struct rebali_table *table, size_t row) {
  clear_rows(table, row, row + 1);
}

void rebali_table_clear(struct rebali_table *table) {
  table->rows = 0;
}

void rebali_table_dispose(struct rebali_table *table) {
  size_t number;

  for (number = 0; number < REBALI_COUNT(table->columns); number++) {
    rebali_release(table->allocator, table->columns[number]);
    table->columns[number] = NULL;
  }
  table->rows = 0;
  table->capacity = 0;
  table->is_complete = 0;
}
