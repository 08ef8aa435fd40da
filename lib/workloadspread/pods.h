/* SPDX-License-Identifier: MIT */
/* lib/workloadspread/pods.h - pods of workloads and their owners, as rows that change one by one. */
#ifndef REBALI_PODS_H
#define REBALI_PODS_H

#include "fleet/row_set.h"
#include "rebalance/workloadspread.h"

#define REBALI_POD_TABLES 2u /* SPREAD_POD, OWNER */

struct rebal_pods {
  struct rebali_row_set set;
  struct rebali_table tables[REBALI_POD_TABLES];
  struct rebali_row_slots slots[REBALI_POD_TABLES];
  struct rebal_cells handle;
};

/* pods.c: counts the rows given to a call: n_rows of its options or, if rows is NULL, all pods. REBAL_ELIMIT. */
int32_t rebali_pods_count_given(const rebal_pods *pods, const uint32_t *rows, uint64_t n_rows, size_t *n,
                                rebal_error *err);

/* Returns whether the row exists. Any number may be passed. */
static inline int rebali_pods_has(const rebal_pods *pods, uint32_t table, uint32_t row) {
  return rebali_row_set_has(&pods->set, table, row);
}
/* Returns the next pod after previous (REBAL_NONE: the first) by row; REBAL_NONE after the last one. */
static inline uint32_t rebali_pods_next(const rebal_pods *pods, uint32_t previous) {
  return rebali_row_set_from(&pods->set, REBAL_TABLE_SPREAD_POD, previous == REBAL_NONE ? 0 : (size_t)previous + 1);
}
/* Cells of rows below the table's count. A removed row reads as if nothing were set. */
static inline const struct rebali_table *rebali_pods_rows(const rebal_pods *pods, uint32_t column) {
  return &pods->tables[column / 256u - REBAL_TABLE_SPREAD_POD];
}
static inline int64_t rebali_pods_i64(const rebal_pods *pods, uint32_t column, uint32_t row) {
  return rebali_table_i64(rebali_pods_rows(pods, column), column, row);
}
static inline struct rebali_text rebali_pods_text(const rebal_pods *pods, uint32_t column, uint32_t row) {
  return rebali_table_text(rebali_pods_rows(pods, column), column, row);
}
static inline rebal_time rebali_pods_time(const rebal_pods *pods, uint32_t column, uint32_t row) {
  return rebali_table_time(rebali_pods_rows(pods, column), column, row);
}

#endif
