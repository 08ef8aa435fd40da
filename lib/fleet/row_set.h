/* SPDX-License-Identifier: MIT */
/* lib/fleet/row_set.h - tables of rows, set cell by cell; shared code of bindings, pods and spreads. */
#ifndef REBALI_ROW_SET_H
#define REBALI_ROW_SET_H

#include "fleet/snapshot.h"

/* Rows of one table that can be added and removed. */
struct rebali_row_slots {
  uint64_t *present; /* bits of rows; missing rows are empty */
  size_t words;
  uint32_t *free_rows; /* with capacity for all rows: the last one is reused first */
  size_t n_free;
  size_t free_capacity;
};

struct rebali_row_set {
  rebal_allocator allocator;
  struct rebali_store *store; /* a reference: owns ids and handles; NULL: no column holds any */
  struct rebali_arena texts;
  struct rebali_arena spare;      /* target when texts move */
  size_t dead_bytes;              /* of replaced texts */
  struct rebali_table *tables;    /* the owner's, which must not move; as the next one */
  struct rebali_row_slots *slots; /* by table; NULL: rows are never removed */
  uint32_t first;                 /* number of tables[0] */
  uint32_t n_tables;
  const char *name; /* for messages */
  int moves_texts;  /* texts of cells may move when one is set or a row is removed */
  int is_frozen;
};

/* The arguments of a call: n cells of one column, from one of the arrays. */
struct rebali_put {
  const struct rebali_field_info *info; /* of the column */
  const uint32_t *ids;                  /* NULL: 0..n-1 */
  size_t n;
  uint32_t parent;
  const int64_t *integers;
  const rebal_time *times;
  const char *bytes;       /* of texts */
  const uint32_t *offsets; /* n + 1 of them */
};
static inline uint32_t rebali_put_id(const struct rebali_put *put, size_t i) {
  return put->ids == NULL ? (uint32_t)i : put->ids[i];
}

/* The owner must set allocator, store (a reference that the set takes), tables, slots, first, n_tables and name. */
void rebali_row_set_open(struct rebali_row_set *set);
/* Removes all rows and keeps all memory. */
void rebali_row_set_reset(struct rebali_row_set *set);
void rebali_row_set_dispose(struct rebali_row_set *set);
/* Returns NULL if the set does not have the table. */
static inline struct rebali_table *rebali_row_set_table(const struct rebali_row_set *set, uint32_t table) {
  const uint32_t index = table - set->first; /* tables before the first one wrap to large numbers */

  return index < set->n_tables ? &set->tables[index] : NULL;
}
/* Returns whether the row exists. The set must have the table; row may be any number. */
static inline int rebali_row_set_has(const struct rebali_row_set *set, uint32_t table, uint32_t row) {
  const uint32_t index = table - set->first;

  return row < set->tables[index].rows && (set->slots == NULL || rebali_bit_get(set->slots[index].present, row));
}

/* ---- rows (row_set.c); the set must have the table --------------------------------------------------------------- */

#define REBALI_MAX_ROWS (UINT32_MAX - 1u) /* REBAL_NONE is not a row */

/* Adds all rows or none. */
int32_t rebali_row_set_add(struct rebali_row_set *set, uint32_t table, uint32_t *rows, size_t n, rebal_error *err);
/* On REBAL_ENOTFOUND the rows before it are removed. */
int32_t rebali_row_set_remove(struct rebali_row_set *set, uint32_t table, const uint32_t *rows, size_t n,
                              rebal_error *err);
size_t rebali_row_set_count(const struct rebali_row_set *set, uint32_t table);
/* Returns the first row at or after a number; REBAL_NONE if there is none. */
uint32_t rebali_row_set_from(const struct rebali_row_set *set, uint32_t table, size_t row);

/* ---- cells (row_cells.c); the set must have the column ----------------------------------------------------------- */

int32_t rebali_row_set_put(struct rebali_row_set *set, const struct rebali_put *put, rebal_error *err);
/* Copies all cells of a row into a row of another set with the same tables. Returns REBAL_ENOMEM. */
int32_t rebali_row_set_copy(struct rebali_row_set *set, const struct rebali_row_set *source, uint32_t table,
                            uint32_t row);

/* ---- texts (row_texts.c) ----------------------------------------------------------------------------------------- */

/* Counts a text of the set that was replaced or removed. */
void rebali_row_set_drop_text(struct rebali_row_set *set, struct rebali_text text);
/* Frees the memory of texts that no cell has any more, if that is worthwhile. Never fails. */
void rebali_row_set_move_texts(struct rebali_row_set *set);

#endif
