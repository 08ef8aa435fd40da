/* SPDX-License-Identifier: MIT */
/* What the failover of applications remembers between its passes, which no object keeps. */
#include "rebalancectl.h"

#include <string.h>

static int is_remembered(const rebal_bindings *bindings, uint32_t binding, int64_t cluster) {
  uint32_t row = REBAL_NONE;
  while ((row = rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_UNHEALTHY, binding, row)) !=
         REBAL_NONE) {
    if (rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_UNHEALTHY_CLUSTER, REBAL_NONE, row) ==
        cluster) {
      return 1;
    }
  }
  return 0;
}

static int32_t remember(const rebal_time *since, rebal_bindings *bindings, uint32_t binding, int64_t cluster,
                        rebal_error *err) {
  uint32_t row;
  int32_t code = rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_UNHEALTHY, binding, &row, 1, err);
  if (code == REBAL_OK) {
    code = rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_UNHEALTHY_CLUSTER, REBAL_NONE, row, cluster, err);
  }
  return code == REBAL_OK
             ? rebal_cells_set_time(rebal_bindings_cells(bindings), REBAL_UNHEALTHY_SINCE, REBAL_NONE, row, since, err)
             : code;
}

int32_t remember_unhealthy(const rebal_time *since, rebal_bindings *bindings, rebal_error *err) {
  const size_t n =
      since->is_set ? rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE) : 0;
  int32_t code = REBAL_OK;
  for (uint32_t binding = 0; code == REBAL_OK && binding < n; binding++) {
    uint32_t item = REBAL_NONE;
    while (code == REBAL_OK && (item = rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_STATUS_ITEM,
                                                        binding, item)) != REBAL_NONE) {
      const int64_t cluster =
          rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_STATUS_ITEM_CLUSTER, REBAL_NONE, item);
      if (strcmp(rebal_cells_get_text(rebal_bindings_const_cells(bindings), REBAL_STATUS_ITEM_HEALTH, REBAL_NONE, item,
                                      NULL),
                 "Unhealthy") == 0 &&
          !is_remembered(bindings, binding, cluster)) {
        code = remember(since, bindings, binding, cluster, err);
      }
    }
  }
  return code;
}
