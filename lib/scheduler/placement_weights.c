/* SPDX-License-Identifier: MIT */
/* The static weights of a placement (spec karmada 7.5), and the clusters that weigh most. */
#include "scheduler/placement.h"

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

/* The weight of a rule, where it is the largest so far. */
static void raise(int64_t *weights, const uint64_t *bits, size_t words, int64_t weight) {
  for (size_t word = 0; word < words; word++) {
    if (bits[word] == 0) {
      continue;
    }
    for (size_t i = 0; i < 64; i++) {
      int64_t *cell = &weights[word * 64 + i];

      *cell = (bits[word] >> i & 1u) != 0 && *cell < weight ? weight : *cell;
    }
  }
}

void rebali_static_weights(struct rebali_placement *placement, const rebal_snapshot *snapshot, const uint64_t *existing,
                           uint64_t *bits) {
  for (size_t i = 0; placement->weights != NULL && i < placement->n_rules; i++) {
    if (placement->rules[i].weight > 0) {
      rebali_affinity_rows(&placement->rules[i].target, snapshot, existing, bits, placement->words);
      raise(placement->weights, bits, placement->words, placement->rules[i].weight);
    }
  }
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

/* Weights are at most INT32_MAX. */
static int32_t value_of(const struct rebali_placement *placement, uint32_t row) {
  if (!rebali_bit_get(placement->present, row)) {
    return 0;
  }
  return placement->has_weight_preference ? (int32_t)placement->weights[row] : 1;
}

static int is_rankable(const struct rebali_placement *placement) {
  for (size_t i = 0; i < placement->n_rules; i++) {
    if (placement->rules[i].weight > INT32_MAX) {
      return 0;
    }
  }
  return placement->weights != NULL || !placement->has_weight_preference;
}

static void forget(struct rebali_placement *placement) {
  struct rebali_weight_order *order = placement->order;

  rebali_release(placement->arena.allocator, order->values);
  order->values = NULL;
  order->rows = 0;
  rebali_ranking_clear(&order->rankings[0]);
  rebali_ranking_clear(&order->rankings[1]);
}

static int32_t make_values(const struct rebali_placement *placement) {
  struct rebali_weight_order *order = placement->order;

  order->values = rebali_allocate(placement->arena.allocator, placement->rows + 1, sizeof *order->values);
  if (order->values == NULL) {
    return REBAL_ENOMEM;
  }
  order->rows = placement->rows;
  for (uint32_t row = 0; row < order->rows; row++) {
    order->values[row] = value_of(placement, row);
  }
  return REBAL_OK;
}

int32_t rebali_weight_order_update(struct rebali_placement *placement, rebal_snapshot *snapshot,
                                   struct rebali_arena *scratch, const uint32_t *rows, size_t n) {
  struct rebali_weight_order *order = placement->order;
  struct rebali_ranking_change *changes;
  size_t n_changes = 0;

  if (order->values == NULL) {
    return REBAL_OK;
  }
  if (order->rows != placement->rows) {
    forget(placement); /* new names change the ranks of others */
    return REBAL_OK;
  }
  changes = rebali_arena_allocate(scratch, n, sizeof *changes);
  if (changes == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    const int32_t value = value_of(placement, rows[i]);

    if (value != order->values[rows[i]]) {
      changes[n_changes++] = (struct rebali_ranking_change){rebali_snapshot_rank(snapshot, rows[i]),
                                                            order->values[rows[i]], value};
      order->values[rows[i]] = value;
    }
  }
  if (rebali_ranking_repair(&order->rankings[0], scratch, changes, n_changes) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_ranking_repair(&order->rankings[1], scratch, changes, n_changes);
}

size_t rebali_weight_order_bytes(const struct rebali_placement *placement) {
  const struct rebali_weight_order *order = placement->order;

  return order->rows * sizeof *order->values +
         (order->rankings[0].capacity + order->rankings[1].capacity) * sizeof(uint64_t);
}

void rebali_weight_order_dispose(struct rebali_placement *placement) {
  forget(placement);
  rebali_ranking_dispose(&placement->order->rankings[0], placement->arena.allocator);
  rebali_ranking_dispose(&placement->order->rankings[1], placement->arena.allocator);
}

int32_t rebali_placement_heaviest(const struct rebali_placement *placement, rebal_snapshot *snapshot, int descending,
                                  size_t n, const uint64_t **keys, size_t *n_keys) {
  struct rebali_weight_order *order = placement->order;
  struct rebali_ranked ranked = {order->values, rebali_snapshot_by_rank(snapshot), (uint32_t)placement->rows};
  struct rebali_arena scratch;
  int32_t code = is_rankable(placement) ? REBAL_OK : REBAL_ERANGE;

  if (code == REBAL_OK && order->values == NULL) {
    code = make_values(placement);
    ranked.values = order->values;
  }
  if (code != REBAL_OK) {
    return code;
  }
  rebali_arena_init(&scratch, placement->arena.allocator, 0);
  code = rebali_ranking_best(&order->rankings[descending != 0], placement->arena.allocator, &scratch, &ranked, n, keys,
                             n_keys);
  rebali_arena_dispose(&scratch);
  return code;
}
