/* SPDX-License-Identifier: MIT */
/*
 * Copies: every feasible cluster gets all replicas, in the order of candidates, which need not be listed for it. A
 * cluster that gets none is written too and then overwritten by the next: nothing is decided on the way, for there is
 * nothing to be foreseen.
 */
#include "scheduler/shortlist.h"

#define FEW_TARGETS 32u

/* A byte for each bit, four at a time: a byte is asked for with one load. */
static void spread_bits(const uint64_t *words, size_t n, uint8_t *bytes) {
  static const uint8_t spread[16][4] = {
      {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0},
      {0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, 1}, {0, 0, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}, {1, 1, 1, 1}};

  for (size_t word = 0; word < n; word++) {
    for (unsigned shift = 0; shift < 64; shift += 4) {
      memcpy(bytes, spread[words[word] >> shift & 15u], 4);
      bytes += 4;
    }
  }
}

/*
 * Places the clusters of a ranking that are wanted, in its order; there is room for one more. Returns how many.
 * wanted: a byte by cluster row.
 */
static size_t place_in_order(const struct rebali_walk *walk, const uint8_t *wanted, int32_t replicas,
                             struct rebali_target *restrict out) {
  const uint64_t *keys = walk->keys;
  const uint32_t *by_rank = walk->by_rank;
  const size_t n_keys = walk->n_keys;
  size_t n = 0;

  for (size_t i = 0; i < n_keys; i++) {
    const uint32_t cluster = by_rank[rebali_ranking_place(keys[i])];

    out[n] = (struct rebali_target){cluster, replicas};
    n += wanted[cluster];
  }
  return n;
}

static int32_t place_wanted(struct rebali_pass *pass, const struct rebali_walk *walk, const uint64_t *wanted) {
  uint8_t *bytes = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->words, 64);

  if (bytes == NULL) {
    return REBAL_ENOMEM;
  }
  spread_bits(wanted, pass->words, bytes);
  pass->n_placed += place_in_order(walk, bytes, pass->replicas, pass->placed + pass->n_placed);
  return REBAL_OK;
}

/* Do all feasible targets hold as many replicas? Then what is free tells their order, as it does that of the others. */
static int hold_alike(const struct rebali_pass *pass) {
  int32_t held = -1; /* targets hold 0 or more */

  for (size_t i = 0; i < pass->n_targets; i++) {
    uint32_t cluster;

    if (rebali_feasible_target(pass, i, &cluster)) {
      if (held >= 0 && pass->assigned[cluster] != held) {
        return 0;
      }
      held = pass->assigned[cluster];
    }
  }
  return 1;
}

static int32_t place_alike_targets(struct rebali_pass *pass, const struct rebali_walk *walk) {
  uint64_t *targets = rebali_arena_allocate(rebali_ctx_scratch(pass->ctx), pass->words, sizeof *targets);

  for (size_t word = 0; targets != NULL && word < pass->words; word++) {
    targets[word] = pass->feasible[word] & pass->targets[word];
  }
  return targets == NULL ? REBAL_ENOMEM : place_wanted(pass, walk, targets);
}

/* What a ledger charges is found out cluster by cluster. */
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
  int32_t code = REBAL_OK;

  *is_placed = are_listed ||
               (fits->n_changes == 0 && (pass->n_targets == 0 || (pass->n_targets > FEW_TARGETS && hold_alike(pass))));
  if (!*is_placed) {
    return REBAL_OK;
  }
  if (rebali_walk_begin(&walk, pass, fits, 0, rebal_snapshot_rows(pass->snapshot)) != REBAL_OK) {
    return walk.code;
  }
  for (size_t i = 0; i < pass->n_candidates; i++) {
    pass->placed[pass->n_placed++] = (struct rebali_target){pass->candidates[i].cluster, pass->replicas};
  }
  if (walk.is_charged) {
    return place_charged(pass, &walk);
  }
  if (!are_listed && pass->n_targets > 0) {
    code = place_alike_targets(pass, &walk);
  }
  return code == REBAL_OK ? place_wanted(pass, &walk, walk.wanted) : code;
}
