/* SPDX-License-Identifier: MIT */
/* The static weights of a placement (spec karmada 7.5), and the clusters that weigh most. */
#include "base/ranking.h"
#include "scheduler/scheduler.h"

static int compare_keys(const void *left, const void *right, const void *context) {
  const uint64_t a = *(const uint64_t *)left;
  const uint64_t b = *(const uint64_t *)right;

  (void)context;
  return a < b ? -1 : a > b;
}

int32_t rebali_placement_heaviest(const struct rebali_placement *placement, rebal_snapshot *snapshot, int descending,
                                  size_t n, const uint64_t **keys, size_t *n_keys) {
  struct rebali_weight_order *order = placement->order;
  const uint32_t rows = rebal_snapshot_rows(snapshot);

  for (size_t i = 0; i < placement->n_rules; i++) {
    if (placement->rules[i].weight > INT32_MAX) {
      return REBAL_ERANGE;
    }
  }
  if (rebali_reserve(placement->arena.allocator, &order->keys, &order->room, 2 * (size_t)rows, sizeof *order->keys) !=
      REBAL_OK) {
    return REBAL_ENOMEM;
  }
  for (uint32_t row = 0; row < rows; row++) {
    const uint32_t rank = rebali_snapshot_rank(snapshot, row);
    const int64_t weight = placement->has_weight_preference ? placement->weights[row]
                                                            : rebal_snapshot_has_cluster(snapshot, row);

    order->keys[row] = rebali_ranking_key((int32_t)weight, descending ? UINT32_MAX - rank : rank);
  }
  rebali_sort(order->keys, rows, sizeof *order->keys, order->keys + rows, compare_keys, NULL);
  *keys = order->keys;
  *n_keys = n < rows ? n : rows;
  return REBAL_OK;
}
