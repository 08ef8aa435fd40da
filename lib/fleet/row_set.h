/* SPDX-License-Identifier: MIT */
/*
 * lib/fleet/row_set.h - tables of rows below a handle, set cell by cell: what bindings and pods have in common.
 */
#ifndef REBALI_ROW_SET_H
#define REBALI_ROW_SET_H

#include "fleet/snapshot.h"

struct rebali_row_set {
  rebal_allocator allocator;
  struct rebali_store *store; /* a reference: ids and handles are its */
  struct rebali_arena texts;
  size_t dead_bytes;           /* of texts that were replaced */
  struct rebali_table *tables; /* the owner's, which must not move */
  uint32_t first;              /* number of tables[0] */
  uint32_t n_tables;
  const char *name;         /* for messages */
  uint64_t *const *present; /* by table: bits of rows that are there; NULL: all are */
};

/* Tables first to first + n - 1 into `tables`, which the owner has. */
void rebali_row_set_open(struct rebali_row_set *set, const rebal_fleet *fleet, const rebal_allocator *allocator,
                         const char *name, uint32_t first, struct rebali_table *tables, uint32_t n);
/* No rows, all memory kept. */
void rebali_row_set_reset(struct rebali_row_set *set);
void rebali_row_set_dispose(struct rebali_row_set *set);
/* NULL: the set has no such table. */
struct rebali_table *rebali_row_set_table(const struct rebali_row_set *set, uint32_t table);
/* Bytes of a set's arena that a text takes. */
size_t rebali_row_set_bytes(struct rebali_text text);

/* The public functions of bindings and pods, behind their own checks; rows NULL means 0..n-1. */
int32_t rebali_row_set_put_i64(struct rebali_row_set *set, uint32_t column, const uint32_t *rows, const int64_t *values,
                               size_t n, rebal_error *err);
int32_t rebali_row_set_put_text(struct rebali_row_set *set, uint32_t column, const uint32_t *rows, const char *bytes,
                                const uint32_t *offsets, size_t n, rebal_error *err);
int32_t rebali_row_set_put_time(struct rebali_row_set *set, uint32_t column, const uint32_t *rows,
                                const rebal_time *values, size_t n, rebal_error *err);
int32_t rebali_row_set_set_text(struct rebali_row_set *set, uint32_t column, uint32_t row, const char *text, size_t len,
                                rebal_error *err);
/* And the getters, of NULL as well: what is not there reads as REBAL_ABSENT, "", unset. len and out may be NULL. */
int64_t rebali_row_set_i64(const struct rebali_row_set *set, uint32_t column, uint32_t row);
const char *rebali_row_set_text(const struct rebali_row_set *set, uint32_t column, uint32_t row, size_t *len);
void rebali_row_set_time(const struct rebali_row_set *set, uint32_t column, uint32_t row, rebal_time *out);

#endif
