/* SPDX-License-Identifier: MIT */
/*
 * lib/workloadspread/pods.h - pods of workloads and what owns them, as rows that change one by one.
 */
#ifndef REBALI_PODS_H
#define REBALI_PODS_H

#include "fleet/row_set.h"
#include "rebalance/workloadspread.h"

#define REBALI_POD_TABLES 2u /* SPREAD_POD, OWNER */

struct rebal_pods {
  struct rebali_row_set set;
  struct rebali_table tables[REBALI_POD_TABLES];
  uint64_t *present[REBALI_POD_TABLES]; /* bits of rows; those that are not there are empty */
  size_t words[REBALI_POD_TABLES];
  uint32_t *free_rows[REBALI_POD_TABLES]; /* as many as there are rows at least: the last is given out first */
  size_t n_free[REBALI_POD_TABLES];
  size_t room_for_free[REBALI_POD_TABLES];
  struct rebali_arena spare; /* where the texts move to */
};

/* Is there such a row? Any number may be asked for. */
static inline int rebali_pods_has(const rebal_pods *pods, uint32_t table, uint32_t row) {
  const uint32_t index = table - REBAL_TABLE_SPREAD_POD;

  return row < pods->tables[index].rows && rebali_bit_get(pods->present[index], row);
}
/* Cells of rows below the table's count; one that was removed reads as if nothing were set. */
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

/* Frees the memory of texts that no cell has any more, when it is worth it (pods_texts.c). Never fails. */
void rebali_pods_move_texts(rebal_pods *pods);

#endif
