/* SPDX-License-Identifier: MIT */
/* The state of application failover between its passes, which is not stored in an object. */
#include "rebalancectl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clusters already recorded for the current binding: its row + 1, by cluster. */
struct memory {
  uint32_t *bindings;
  uint32_t n;
};

/* Is the cluster new? */
static int is_news(const struct memory *memory, uint32_t binding, int64_t cluster) {
  uint32_t *last = &memory->bindings[cluster >= 0 && cluster < (int64_t)memory->n ? (uint32_t)cluster : memory->n];
  const int is_new = *last != binding + 1;
  *last = binding + 1;
  return is_new;
}

static void read_known(const struct memory *memory, const rebal_cells *cells, uint32_t binding) {
  uint32_t row = REBAL_NONE;
  while ((row = rebal_cells_next(cells, REBAL_TABLE_UNHEALTHY, binding, row)) != REBAL_NONE) {
    (void)is_news(memory, binding, rebal_cells_get_i64(cells, REBAL_UNHEALTHY_CLUSTER, REBAL_NONE, row));
  }
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

static int32_t remember_binding(const struct memory *memory, const rebal_time *since, rebal_bindings *bindings,
                                uint32_t binding, rebal_error *err) {
  const rebal_cells *cells = rebal_bindings_const_cells(bindings);
  uint32_t item = REBAL_NONE;
  int32_t code = REBAL_OK;
  read_known(memory, cells, binding);
  while (code == REBAL_OK && (item = rebal_cells_next(cells, REBAL_TABLE_STATUS_ITEM, binding, item)) != REBAL_NONE) {
    const int64_t cluster = rebal_cells_get_i64(cells, REBAL_STATUS_ITEM_CLUSTER, REBAL_NONE, item);
    const char *health = rebal_cells_get_text(cells, REBAL_STATUS_ITEM_HEALTH, REBAL_NONE, item, NULL);
    if (strcmp(health, "Unhealthy") == 0 && is_news(memory, binding, cluster)) {
      code = remember(since, bindings, binding, cluster, err);
    }
  }
  return code;
}

int32_t remember_unhealthy(const rebal_time *since, uint32_t n, rebal_bindings *bindings, rebal_error *err) {
  const size_t n_bindings = rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE);
  const struct memory memory = {calloc((size_t)n + 1, sizeof *memory.bindings), n};
  int32_t code = REBAL_OK;
  if (memory.bindings == NULL) {
    (void)snprintf(err->message, sizeof err->message, "out of memory");
    return REBAL_ENOMEM;
  }
  for (uint32_t binding = 0; code == REBAL_OK && binding < n_bindings; binding++) {
    code = remember_binding(&memory, since, bindings, binding, err);
  }
  free(memory.bindings);
  return code;
}
