/* SPDX-License-Identifier: MIT */
/*
 * lib/manifest/read/ids.h - ids and handles in cells.
 */
#ifndef REBALI_IDS_H
#define REBALI_IDS_H

#include <rebalance/record.h>

/* Returns the id or handle in a cell; REBAL_NONE: none. */
static inline uint32_t rebali_cell_id(int64_t value) {
  return value == REBAL_ABSENT ? REBAL_NONE : (uint32_t)value;
}
/* Returns the cell value for an id that may be REBAL_NONE. */
static inline int64_t rebali_id_cell(uint32_t id) {
  return id == REBAL_NONE ? REBAL_ABSENT : (int64_t)id;
}

#endif
