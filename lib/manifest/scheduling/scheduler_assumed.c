/* SPDX-License-Identifier: MIT */
/* Charges assigned replicas until their clusters report them (rebalance-karmada(7) 6.6). */
#include "manifest/scheduling/scheduler_feed.h"

#include <stdlib.h>
#include <string.h>

int32_t rebali_scheduler_release(rebal_scheduler_feed *feed, const struct rebali_queue_entry *queued, uint32_t cluster,
                                 rebal_error *err) {
  if (feed->ledger == NULL || queued->key == NULL) {
    return REBAL_OK;
  }
  feed->has_released = 1;
  return rebal_ledger_release(feed->ledger, queued->key, strlen(queued->key), cluster, err);
}

static int was_healthy(const struct rebali_queue_entry *queued, uint32_t cluster) {
  size_t i = 0;
  while (i < queued->n_healthy && queued->healthy[i] != cluster) {
    i++;
  }
  return i < queued->n_healthy;
}

int32_t rebali_scheduler_settle(rebal_scheduler_feed *feed, uint32_t row, rebal_error *err) {
  const rebal_cells *cells = rebal_bindings_const_cells(feed->bindings);
  struct rebali_queue_entry *queued = &feed->queued[feed->rows[row].object];
  uint32_t *healthy = NULL, item = REBAL_NONE;
  size_t n = 0, capacity = 0;
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && (item = rebal_cells_next(cells, REBAL_TABLE_STATUS_ITEM, row, item)) != REBAL_NONE) {
    const int64_t cluster = rebal_cells_get_i64(cells, REBAL_STATUS_ITEM_CLUSTER, REBAL_NONE, item);
    if (strcmp(rebal_cells_get_text(cells, REBAL_STATUS_ITEM_HEALTH, REBAL_NONE, item, NULL), "Healthy") != 0) {
      continue;
    }
    code = rebali_reserve_malloc(&healthy, &capacity, n + 1, sizeof *healthy, err);
    if (code == REBAL_OK) {
      healthy[n++] = (uint32_t)cluster;
      code = was_healthy(queued, (uint32_t)cluster) ? REBAL_OK
                                                    : rebali_scheduler_release(feed, queued, (uint32_t)cluster, err);
    }
  }
  if (code != REBAL_OK) {
    free(healthy);
    return code;
  }
  free(queued->healthy);
  queued->healthy = healthy;
  queued->n_healthy = n;
  return REBAL_OK;
}

int32_t rebali_scheduler_forget(rebal_scheduler_feed *feed, struct rebali_queue_entry *queued, rebal_error *err) {
  const int32_t code = rebali_scheduler_release(feed, queued, REBAL_NONE, err);
  if (code == REBAL_OK) {
    free(queued->key);
    free(queued->healthy);
    *queued = (struct rebali_queue_entry){.pool = REBAL_POOL_NONE};
  }
  return code;
}
