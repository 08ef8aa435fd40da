/* SPDX-License-Identifier: MIT */
/* The static weights of a placement (rebalance-karmada(7) 7.5), and the clusters that weigh most. */
#include "scheduler/placement/placement.h"

int64_t rebali_static_weight(const struct rebali_placement *placement, const rebal_snapshot *snapshot,
                             uint32_t cluster) {
  int64_t best = 0;

  for (size_t i = 0; i < placement->n_rules; i++) {
    if (placement->rules[i].weight > best && rebali_affinity_matches(&placement->rules[i].target, snapshot, cluster)) {
      best = placement->rules[i].weight;
    }
  }
  return best;
}

int rebali_placement_has_weights(const struct rebali_placement *placement) {
  for (size_t i = 0; i < placement->n_rules; i++) {
    if (placement->rules[i].weight > INT32_MAX) {
      return 0;
    }
  }
  return placement->strategy == REBALI_STRATEGY_STATIC_WEIGHT;
}

static void raise(int32_t *cell, int32_t weight) {
  *cell = *cell < weight ? weight : *cell;
}

/* Raises the weights of the rows in bits to that of a rule, where it is larger. */
static void raise_all(int32_t *weights, const uint64_t *bits, size_t words, int32_t weight) {
  for (size_t word = 0; word < words; word++, weights += 64) {
    if (bits[word] == UINT64_MAX) {
      for (size_t i = 0; i < 64; i++) {
        raise(&weights[i], weight);
      }
      continue;
    }
    for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
      raise(&weights[rebali_bit_lowest(left)], weight);
    }
  }
}

void rebali_static_weights(struct rebali_placement *placement, const rebal_snapshot *snapshot, const uint64_t *existing,
                           uint64_t *bits) {
  if (placement->weights == NULL) {
    return;
  }
  if (!placement->has_weight_preference) {
    raise_all(placement->weights, existing, placement->words, 1);
  }
  for (size_t i = 0; i < placement->n_rules; i++) {
    if (placement->rules[i].weight > 0) {
      rebali_affinity_rows(&placement->rules[i].target, snapshot, existing, bits, placement->words);
      raise_all(placement->weights, bits, placement->words, (int32_t)placement->rules[i].weight);
    }
  }
}

/* ---- changes, and the order -------------------------------------------------------------------------------------- */

static int32_t weigh(const struct rebali_placement *placement, const rebal_snapshot *snapshot, uint32_t row) {
  if (!rebali_snapshot_has(snapshot, row)) {
    return 0;
  }
  return placement->has_weight_preference ? (int32_t)rebali_static_weight(placement, snapshot, row) : 1;
}

int32_t rebali_static_weights_update(struct rebali_placement *placement, rebal_snapshot *snapshot,
                                     struct rebali_arena *scratch, const uint32_t *rows, size_t n) {
  struct rebali_ranking_change *changes;
  size_t n_changes = 0;

  if (placement->weights == NULL) {
    return REBAL_OK;
  }
  changes = rebali_arena_allocate(scratch, n, sizeof *changes);
  if (changes == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    int32_t *weight = &placement->weights[rows[i]];
    const int32_t after = weigh(placement, snapshot, rows[i]);

    if (after != *weight) { /* equal for a row that exists again */
      changes[n_changes++] = (struct rebali_ranking_change){rebali_snapshot_rank(snapshot, rows[i]), *weight, after};
      *weight = after;
    }
  }
  if (rebali_ranking_repair(&placement->order->rankings[0], scratch, changes, n_changes) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_ranking_repair(&placement->order->rankings[1], scratch, changes, n_changes);
}

int32_t rebali_placement_heaviest(const struct rebali_placement *placement, rebal_snapshot *snapshot, int descending,
                                  size_t n, const uint64_t **keys, size_t *n_keys) {
  const struct rebali_ranked ranked = {placement->weights, rebali_snapshot_by_rank(snapshot),
                                       (uint32_t)placement->rows};
  struct rebali_arena scratch;
  int32_t code;

  if (placement->weights == NULL) {
    return REBAL_ERANGE;
  }
  rebali_arena_init(&scratch, placement->arena.allocator, 0);
  code = rebali_ranking_best(&placement->order->rankings[descending != 0], placement->arena.allocator, &scratch,
                             &ranked, n, keys, n_keys);
  rebali_arena_dispose(&scratch);
  return code;
}
