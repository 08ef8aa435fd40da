/* SPDX-License-Identifier: MIT */
/*
 * Copies: every feasible cluster gets all replicas, in the order of candidates, which need not be listed for it. A
 * cluster that gets none is also written and then overwritten by the next: this avoids unpredictable branches.
 */
#include "scheduler/fast/shortlist.h"

#define FEW_TARGETS 32u

/* Expands each bit to a byte, eight at a time, so that one load reads it. */
static void spread_bits(const uint64_t *words, size_t n, uint8_t *bytes) {
#define SPREAD_1(i) \
  { (i) & 1, (i) >> 1 & 1, (i) >> 2 & 1, (i) >> 3 & 1, (i) >> 4 & 1, (i) >> 5 & 1, (i) >> 6 & 1, (i) >> 7 }
#define SPREAD_4(i) SPREAD_1(i), SPREAD_1((i) + 1), SPREAD_1((i) + 2), SPREAD_1((i) + 3)
#define SPREAD_16(i) SPREAD_4(i), SPREAD_4((i) + 4), SPREAD_4((i) + 8), SPREAD_4((i) + 12)
#define SPREAD_64(i) SPREAD_16(i), SPREAD_16((i) + 16), SPREAD_16((i) + 32), SPREAD_16((i) + 48)
  static const uint8_t spread[256][8] = {SPREAD_64(0), SPREAD_64(64), SPREAD_64(128), SPREAD_64(192)};

  for (size_t word = 0; word < n; word++) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      memcpy(bytes, spread[words[word] >> shift & 255u], 8);
      bytes += 8;
    }
  }
}

/* Writes a target with one store, which the compiler does not find by itself. */
static inline size_t place(struct rebali_target *placed, size_t n, uint32_t cluster, int32_t replicas,
                           const uint8_t *wanted) {
  const struct rebali_target target = {cluster, replicas};

  memcpy(placed + n, &target, sizeof target);
  return n + wanted[cluster];
}

/*
 * Places the wanted clusters in order and returns their number. placed needs space for one more. wanted: bytes by row.
 */
static size_t place_in_order(const uint32_t *clusters, size_t n_clusters, const uint8_t *wanted, int32_t replicas,
                             struct rebali_target *placed) {
  size_t n = 0;
  size_t i = 0;

  for (; i + 4 <= n_clusters; i += 4) { /* four: loop overhead takes as long as placing one */
    n = place(placed, n, clusters[i], replicas, wanted);
    n = place(placed, n, clusters[i + 1], replicas, wanted);
    n = place(placed, n, clusters[i + 2], replicas, wanted);
    n = place(placed, n, clusters[i + 3], replicas, wanted);
  }
  for (; i < n_clusters; i++) {
    n = place(placed, n, clusters[i], replicas, wanted);
  }
  return n;
}

/* Places the wanted clusters. The walk must have read all rows. */
static int32_t place_wanted(struct rebali_pass *pass, const struct rebali_walk *walk, const uint64_t *wanted) {
  const uint32_t *clusters = rebali_ranking_rows(&walk->fits->vector->rankings[0], walk->by_rank);
  uint8_t *bytes = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->words, 64);

  if (bytes == NULL) {
    return REBAL_ENOMEM;
  }
  spread_bits(wanted, pass->words, bytes);
  pass->n_placed += place_in_order(clusters, walk->n_keys, bytes, pass->replicas, pass->placed + pass->n_placed);
  return REBAL_OK;
}

/* Moves the targets before the others; the order within each part is kept. */
static int32_t put_targets_first(struct rebali_pass *pass, size_t *n_targets) {
  struct rebali_target *placed = pass->placed;
  struct rebali_target *others =
      rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->n_placed + 1, sizeof *others);
  size_t n = 0;
  size_t n_others = 0;

  if (others == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < pass->n_placed; i++) {
    const struct rebali_target target = placed[i];
    const size_t is_target = (size_t)rebali_bit_get(pass->targets, target.cluster);

    others[n_others] = target;
    placed[n] = target;
    n += is_target;
    n_others += 1 - is_target;
  }
  memcpy(placed + n, others, n_others * sizeof *others);
  *n_targets = n;
  return REBAL_OK;
}

/*
 * Returns whether the first n placed hold the same number of replicas. If so, free capacity alone decides their order,
 * as it does for the others.
 */
static int hold_alike(const struct rebali_pass *pass, size_t n) {
  int32_t differing = 0;

  for (size_t i = 1; i < n; i++) {
    differing |= pass->assigned[pass->placed[i].cluster] ^ pass->assigned[pass->placed[0].cluster];
  }
  return differing == 0;
}

/* Places many targets in the common order, and undoes it if their order differs. */
static int32_t place_with_targets(struct rebali_pass *pass, const struct rebali_walk *walk, int *is_placed) {
  size_t n;

  if (place_wanted(pass, walk, pass->feasible) != REBAL_OK || put_targets_first(pass, &n) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *is_placed = hold_alike(pass, n);
  pass->n_placed = *is_placed ? pass->n_placed : 0;
  return REBAL_OK;
}

/* Places clusters one by one, because the ledger's charge is computed for each. */
static int32_t place_charged(struct rebali_pass *pass, struct rebali_walk *walk) {
  uint32_t cluster;
  int32_t value;

  while (rebali_walk_next(walk, &cluster, &value)) {
    pass->placed[pass->n_placed++] = (struct rebali_target){cluster, pass->replicas};
  }
  return walk->code;
}

int32_t rebali_shortlist_copies(struct rebali_pass *pass, struct rebali_fits *fits, int are_listed, int *is_placed) {
  struct rebali_walk walk;

  *is_placed = are_listed || pass->n_targets == 0 || (fits->n_changes == 0 && pass->n_targets > FEW_TARGETS);
  if (!*is_placed) {
    return REBAL_OK;
  }
  if (rebali_walk_begin(&walk, pass, fits, 0, rebali_snapshot_rows(pass->snapshot)) != REBAL_OK) {
    return walk.code;
  }
  if (!are_listed && pass->n_targets > 0) {
    return place_with_targets(pass, &walk, is_placed);
  }
  for (size_t i = 0; i < pass->n_candidates; i++) {
    pass->placed[pass->n_placed++] = (struct rebali_target){pass->candidates[i].cluster, pass->replicas};
  }
  return walk.is_charged ? place_charged(pass, &walk) : place_wanted(pass, &walk, walk.wanted);
}
