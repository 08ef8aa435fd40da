/* SPDX-License-Identifier: MIT */
/* What the failover of applications remembers between its passes, which no object keeps. */
#include "rebalancectl.h"

#include <string.h>

static int is_remembered(const rebal_bindings *bindings, uint32_t binding, int64_t cluster) {
  uint32_t row = REBAL_NONE;
  while ((row = rebal_bindings_next(bindings, REBAL_TABLE_UNHEALTHY, binding, row)) != REBAL_NONE) {
    if (rebal_bindings_i64(bindings, REBAL_UNHEALTHY_CLUSTER, row) == cluster) {
      return 1;
    }
  }
  return 0;
}

static int32_t remember(const rebal_time *since, rebal_bindings *bindings, uint32_t binding, int64_t cluster,
                        rebal_error *err) {
  uint32_t row;
  int32_t code = rebal_bindings_add(bindings, REBAL_TABLE_UNHEALTHY, binding, &row, err);
  if (code == REBAL_OK) {
    code = rebal_bindings_set_i64(bindings, REBAL_UNHEALTHY_CLUSTER, row, cluster, err);
  }
  return code == REBAL_OK ? rebal_bindings_set_time(bindings, REBAL_UNHEALTHY_SINCE, row, since, err) : code;
}

int32_t remember_unhealthy(const rebal_time *since, rebal_bindings *bindings, rebal_error *err) {
  const size_t n = since->is_set ? rebal_bindings_count(bindings, REBAL_TABLE_BINDING) : 0;
  int32_t code = REBAL_OK;
  for (uint32_t binding = 0; code == REBAL_OK && binding < n; binding++) {
    uint32_t item = REBAL_NONE;
    while (code == REBAL_OK &&
           (item = rebal_bindings_next(bindings, REBAL_TABLE_STATUS_ITEM, binding, item)) != REBAL_NONE) {
      const int64_t cluster = rebal_bindings_i64(bindings, REBAL_STATUS_ITEM_CLUSTER, item);
      if (strcmp(rebal_bindings_text(bindings, REBAL_STATUS_ITEM_HEALTH, item, NULL), "Unhealthy") == 0 &&
          !is_remembered(bindings, binding, cluster)) {
        code = remember(since, bindings, binding, cluster, err);
      }
    }
  }
  return code;
}
