/* SPDX-License-Identifier: MIT */
/* lib/record/table.h - the list of fields and columns, and rows of one table. */
#ifndef REBALI_TABLE_H
#define REBALI_TABLE_H

#include "record/record.h"

/* ---- tables of fields.def and columns.def (schema.c) ------------------------------------------------------------- */

struct rebali_field_info {
  uint32_t id;
  uint32_t object;
  uint32_t type;        /* REBAL_TYPE_* */
  uint32_t cardinality; /* REBAL_CARDINALITY_* */
  uint32_t child;       /* OBJECT fields: the child object; HANDLE columns: the interned object */
  int64_t absent;       /* columns: what an unset cell holds, REBALI_KEPT_ABSENT */
  const char *text;
  const char *identifier; /* its last part, as listed */
  uint32_t enumeration;   /* columns: REBAL_ENUM_* */
  uint32_t form;          /* REBAL_FORM_* */
};

/* Returns NULL for an unknown number. Fields and columns have distinct numbers. */
const struct rebali_field_info *rebali_field_find(uint32_t id);
/* Returns all of one object or table, in number order; *n is 0 if it is unknown. */
const struct rebali_field_info *rebali_object_fields(uint32_t object, size_t *n);
/* Whether a column of this type holds ids of clusters or handles, by type of columns.def; schema.c checks the list. */
enum {
  REBALI_ID_TEXT = 0,
  REBALI_ID_TIME = 0,
  REBALI_ID_INT64 = 0,
  REBALI_ID_INT32 = 0,
  REBALI_ID_COUNT32 = 0,
  REBALI_ID_BOOLEAN = 0,
  REBALI_ID_CLUSTER = 1,
  REBALI_ID_TEXTS = 1,
  REBALI_ID_LABELS = 1,
  REBALI_ID_TAINTS = 1,
  REBALI_ID_API_ENABLEMENTS = 1,
  REBALI_ID_RESOURCE_MODELS = 1,
  REBALI_ID_MODELINGS = 1,
  REBALI_ID_PLACEMENT = 1,
  REBALI_ID_REQUIREMENTS = 1,
  REBALI_ID_TARGET_COMPONENTS = 1,
  REBALI_ID_POD_RESOURCES = 1,
  REBALI_ID_LABEL_SELECTOR = 1,
  REBALI_ID_CONDITIONS = 1,
#define REBAL_ENUM(name, number, form) REBALI_ID_ENUM_##name = 0, REBALI_ID_SET_##name = 0,
#define REBAL_ENUMERATOR(enumeration, name, value, text, meaning)
#include "rebalance/enums.def"
#undef REBAL_ENUM
#undef REBAL_ENUMERATOR
};
/*
 * Value of an unset cell. Ids of clusters and handles in tables that callers fill are kept as REBAL_NONE, so no
 * conversion is needed for use. Callers set and read them as REBAL_ABSENT (rebali_column_take, rebali_column_given).
 */
#define REBALI_KEPT_ABSENT(table, type, absent)                                                                  \
  (REBALI_ID_##type && (REBAL_TABLE_##table < REBAL_TABLE_DECISION || REBAL_TABLE_##table >= REBALI_FIRST_INPUT) \
       ? (int64_t)REBAL_NONE                                                                                     \
       : (int64_t)(absent))
/* Returns the value of an unset cell of a column: a constant if the column is a constant. */
static inline int64_t rebali_column_absent(uint32_t column) {
  switch (column) {
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) \
  case REBAL_##table##_##name:                                  \
    return REBALI_KEPT_ABSENT(table, type, absent);
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN
    default:
      return 0;
  }
}
/* Converts an id or handle that may be REBAL_NONE to its form in a result. */
static inline int64_t rebali_id_given(int64_t id) {
  return id == (int64_t)REBAL_NONE ? REBAL_ABSENT : id;
}
/* Returns whether value fits type (INT32, COUNT32, INT64, BOOLEAN, CLUSTER, HANDLE). */
int rebali_type_accepts(uint32_t type, int64_t value);

/* ---- rows of one table (table.c) --------------------------------------------------------------------------------- */

/* The highest column number of any table is the size of the largest member. */
union rebali_column_numbers {
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) char table##_##name[number];
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN
};
#define REBALI_TABLE_COLUMNS sizeof(union rebali_column_numbers)

/*
 * A column is allocated when a cell is first set, an integer column of a result table with the first row. Until then
 * every cell reads as absent. Texts are in the owner's arena.
 */
struct rebali_table {
  const rebal_allocator *allocator;
  struct rebali_arena *texts;
  const struct rebali_field_info *infos; /* of its columns */
  size_t n_infos;
  size_t rows;
  size_t capacity;
  int is_result;                           /* callers read whole integer columns, so these exist as soon as rows do */
  int is_complete;                         /* of a result with its integer columns allocated */
  void *columns[REBALI_TABLE_COLUMNS + 1]; /* by column number: int64_t[], rebali_text[] or rebal_time[] */
};

void rebali_table_init(struct rebali_table *table, uint32_t id, const rebal_allocator *allocator,
                       struct rebali_arena *texts);
/* REBAL_ENOMEM is the only error, here and below; the table is then unchanged. */
int32_t rebali_table_add(struct rebali_table *table, size_t rows, size_t *first);
/* Adds one row with integers in some columns. */
struct rebali_table_value {
  uint32_t column;
  int64_t value;
};
int32_t rebali_table_add_row(struct rebali_table *table, const struct rebali_table_value *values, size_t n,
                             size_t *row);
/*
 * Does the same for a result, but leaves the cells of the new rows undefined. The caller must write all of them, with
 * rebali_table_integers() and rebali_table_set_text().
 */
int32_t rebali_table_append(struct rebali_table *table, size_t rows, size_t *first);
/* Returns the cells of an integer column of a result from a row on. Rows must exist. */
static inline int64_t *rebali_table_integers(struct rebali_table *table, uint32_t column, size_t row) {
  return (int64_t *)table->columns[column & 255u] + row;
}
/* The column must belong to the table, and row < rows. */
int32_t rebali_table_set_i64(struct rebali_table *table, uint32_t column, size_t row, int64_t value);
/* Sets cells [row, row + n) of a column to one shared copy. */
int32_t rebali_table_fill_text(struct rebali_table *table, uint32_t column, size_t row, size_t n,
                               struct rebali_text text);
static inline int32_t rebali_table_set_text(struct rebali_table *table, uint32_t column, size_t row,
                                            struct rebali_text text) {
  return rebali_table_fill_text(table, column, row, 1, text);
}
int32_t rebali_table_set_time(struct rebali_table *table, uint32_t column, size_t row, const rebal_time *value);
/* Returns all cells of a TIME column, which is created if none was set; NULL without memory. */
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
