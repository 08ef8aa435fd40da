/* SPDX-License-Identifier: MIT */
/*
 * lib/base/table.h - what fields and columns there are, and rows of one table.
 */
#ifndef REBALI_TABLE_H
#define REBALI_TABLE_H

#include "base/base.h"

/* ---- tables of fields.def and columns.def (schema.c) ------------------------------------------------------------- */

struct rebali_field_info {
  uint32_t id;
  uint32_t object;
  uint32_t type;        /* REBAL_TYPE_* */
  uint32_t cardinality; /* REBAL_CARDINALITY_* */
  uint32_t child;       /* OBJECT fields: the child object; HANDLE columns: the interned object */
  int64_t absent;       /* columns: value of an unset cell */
  const char *text;
  const char *identifier; /* its last part, as listed */
  uint32_t enumeration;   /* columns: REBAL_ENUM_* */
  uint32_t form;          /* REBAL_FORM_* */
};

/* NULL for an unknown number. Fields and columns share one space of numbers. */
const struct rebali_field_info *rebali_field_find(uint32_t id);
/* All of one object or table, in number order; *n is 0 for an unknown one. */
const struct rebali_field_info *rebali_object_fields(uint32_t object, size_t *n);
/* What an unset cell of a column reads as: nothing to be done when the compiler knows the column. */
static inline int64_t rebali_column_absent(uint32_t column) {
  switch (column) {
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) \
  case REBAL_##table##_##name:                                  \
    return absent;
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN
  default:
    return 0;
  }
}
/* Does value fit type (INT32, COUNT32, INT64, BOOLEAN, CLUSTER, HANDLE)? */
int rebali_type_accepts(uint32_t type, int64_t value);

/* ---- rows of one table (table.c) --------------------------------------------------------------------------------- */

#define REBALI_TABLE_COLUMNS 44 /* no table has a column number above it */

/*
 * Columns get memory when a cell is first set, integer columns of result tables with the first row; until then every
 * cell reads as absent. Texts live in the owner's arena.
 */
struct rebali_table {
  const rebal_allocator *allocator;
  struct rebali_arena *texts;
  const struct rebali_field_info *infos; /* of its columns */
  size_t n_infos;
  size_t rows;
  size_t capacity;
  int is_result;   /* callers read whole integer columns, so these are there as soon as there are rows */
  int is_complete; /* of a result, and they are */
  void *columns[REBALI_TABLE_COLUMNS + 1]; /* by column number: int64_t[], rebali_text[] or rebal_time[] */
};

void rebali_table_init(struct rebali_table *table, uint32_t id, const rebal_allocator *allocator,
                       struct rebali_arena *texts);
/* REBAL_ENOMEM is the only failure, here and below; the table is then as it was. */
int32_t rebali_table_add(struct rebali_table *table, size_t rows, size_t *first);
/*
 * The same for a result, but the cells of the new rows hold anything: the caller writes all of them, by
 * rebali_table_integers() and rebali_table_set_text().
 */
int32_t rebali_table_append(struct rebali_table *table, size_t rows, size_t *first);
/* The cells of an integer column of a result from a row on. There are rows. */
static inline int64_t *rebali_table_integers(struct rebali_table *table, uint32_t column, size_t row) {
  return (int64_t *)table->columns[column & 255u] + row;
}
/* The column belongs to the table and row < rows. */
int32_t rebali_table_set_i64(struct rebali_table *table, uint32_t column, size_t row, int64_t value);
/* In cells [row, row + n) of a column: one copy, which all of them have. */
int32_t rebali_table_fill_text(struct rebali_table *table, uint32_t column, size_t row, size_t n,
                               struct rebali_text text);
static inline int32_t rebali_table_set_text(struct rebali_table *table, uint32_t column, size_t row,
                                            struct rebali_text text) {
  return rebali_table_fill_text(table, column, row, 1, text);
}
int32_t rebali_table_set_time(struct rebali_table *table, uint32_t column, size_t row, const rebal_time *value);
/* All cells of a TIME column, which is made when none was set; NULL: no memory. */
const rebal_time *rebali_table_times(struct rebali_table *table, uint32_t column);
static inline int64_t rebali_table_i64(const struct rebali_table *table, uint32_t column, size_t row) {
  const int64_t *cells = table->columns[column & 255u];

  return cells == NULL ? rebali_column_absent(column) : cells[row];
}
static inline struct rebali_text rebali_table_text(const struct rebali_table *table, uint32_t column, size_t row) {
  const struct rebali_text *cells = table->columns[column & 255u];

  return cells == NULL ? REBALI_TEXT("") : cells[row];
}
static inline rebal_time rebali_table_time(const struct rebali_table *table, uint32_t column, size_t row) {
  const rebal_time *cells = table->columns[column & 255u];

  return cells == NULL ? (rebal_time){0, 0, 0} : cells[row];
}
/* Makes the cells of a row absent. */
void rebali_table_clear_row(struct rebali_table *table, size_t row);
void rebali_table_clear(struct rebali_table *table); /* keeps memory */
void rebali_table_dispose(struct rebali_table *table);

#endif
