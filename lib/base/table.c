/* SPDX-License-Identifier: MIT */
#include "base/base.h"

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

/* Callers read whole integer columns of results, so these exist as soon as there are rows. */
static int is_result(const struct rebali_table *table) {
  return table->table >= REBAL_TABLE_DECISION;
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

/* Gives a column its memory. The table has room for rows. */
static int32_t make_column(struct rebali_table *table, const struct rebali_field_info *column) {
  void *cells = rebali_allocate(table->allocator, table->capacity, cell_size(column));

  if (cells == NULL) {
    return REBAL_ENOMEM;
  }
  clear_cells(column, cells, 0, table->rows);
  table->columns[number_of(column->id)] = cells;
  return REBAL_OK;
}

/* After a failure some columns are longer than the capacity says, which does no harm. */
static int32_t grow(struct rebali_table *table, size_t wanted) {
  size_t capacity = table->capacity > SIZE_MAX / 2 ? SIZE_MAX : table->capacity * 2;
  size_t n;
  const struct rebali_field_info *columns = rebali_object_fields(table->table, &n);
  size_t i;

  if (wanted <= table->capacity) {
    return REBAL_OK;
  }
  capacity = capacity < FIRST_CAPACITY ? FIRST_CAPACITY : capacity;
  capacity = capacity < wanted ? wanted : capacity;
  for (i = 0; i < n; i++) {
    void **cells = &table->columns[number_of(columns[i].id)];
    size_t old = table->capacity;

    if (*cells != NULL &&
        rebali_reserve(table->allocator, cells, &old, capacity, cell_size(&columns[i])) != REBAL_OK) {
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
  table->table = id;
}

int32_t rebali_table_add(struct rebali_table *table, size_t rows, size_t *first) {
  size_t n;
  const struct rebali_field_info *columns = rebali_object_fields(table->table, &n);
  size_t i;

  if (rows > SIZE_MAX - table->rows || grow(table, table->rows + rows) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (i = 0; i < n && rows != 0; i++) {
    void **cells = &table->columns[number_of(columns[i].id)];

    if (*cells == NULL && is_result(table) && is_integer(&columns[i]) &&
        make_column(table, &columns[i]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    if (*cells != NULL) {
      clear_cells(&columns[i], *cells, table->rows, table->rows + rows);
    }
  }
  if (first != NULL) {
    *first = table->rows;
  }
  table->rows += rows;
  return REBAL_OK;
}

/* The cells of a column for writing; NULL when there was no memory. */
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

int32_t rebali_table_set_text(struct rebali_table *table, uint32_t column, size_t row, struct rebali_text text) {
  struct rebali_text *cells = writable(table, column);
  struct rebali_text copy = REBALI_TEXT("");

  if (cells == NULL) {
    return REBAL_ENOMEM;
  }
  if (text.len != 0) {
    copy = rebali_arena_text(table->texts, text);
  }
  if (copy.bytes == NULL) {
    return REBAL_ENOMEM;
  }
  cells[row] = copy;
  return REBAL_OK;
}

int32_t rebali_table_set_time(struct rebali_table *table, uint32_t column, size_t row, const rebal_time *value) {
  rebal_time *cells = writable(table, column);

  if (cells == NULL) {
    return REBAL_ENOMEM;
  }
  cells[row] = value->is_set ? (rebal_time){value->seconds, value->nanos, 1} : (rebal_time){0, 0, 0};
  return REBAL_OK;
}

int64_t rebali_table_i64(const struct rebali_table *table, uint32_t column, size_t row) {
  const int64_t *cells = table->columns[number_of(column)];

  return cells == NULL ? rebali_field_find(column)->absent : cells[row];
}

struct rebali_text rebali_table_text(const struct rebali_table *table, uint32_t column, size_t row) {
  const struct rebali_text *cells = table->columns[number_of(column)];

  return cells == NULL ? REBALI_TEXT("") : cells[row];
}

rebal_time rebali_table_time(const struct rebali_table *table, uint32_t column, size_t row) {
  const rebal_time *cells = table->columns[number_of(column)];

  return cells == NULL ? (rebal_time){0, 0, 0} : cells[row];
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
}
