/* SPDX-License-Identifier: MIT */
/*
 * Compiled placements in the context's cache, with their predicates evaluated into bitsets over the cluster rows. A
 * changed row is evaluated alone.
 */
#include "scheduler/placement/placement.h"

enum { OWN_BITSETS = 4 }; /* besides those of affinities */

static int has_properties(const struct rebali_placement *placement, const rebal_snapshot *snapshot, uint32_t cluster) {
  for (size_t i = 0; i < placement->n_spreads; i++) {
    if (!rebali_cluster_has_property(snapshot, cluster, placement->spreads[i].field)) {
      return 0;
    }
  }
  return 1;
}

static void evaluate_affinity(struct rebali_placement *placement, const struct rebali_affinity *affinity,
                              const rebal_snapshot *snapshot, uint32_t cluster, int exists) {
  rebali_bit_set(placement->matches + affinity->bitset * placement->words, cluster,
                 exists && rebali_affinity_matches(affinity, snapshot, cluster));
  for (size_t i = 0; i < affinity->n_overflow; i++) {
    evaluate_affinity(placement, &affinity->overflow[i], snapshot, cluster, exists);
  }
}

static void evaluate_row(struct rebali_placement *placement, const rebal_snapshot *snapshot, uint32_t cluster) {
  const int exists = rebali_snapshot_has(snapshot, cluster);
  const int is_present = rebali_cluster_is_present(snapshot, cluster);
  const int is_tolerated = exists && rebali_cluster_is_tolerated(placement, snapshot, cluster);
  const int is_complete = exists && has_properties(placement, snapshot, cluster);

  if (placement->affinity != NULL) {
    evaluate_affinity(placement, placement->affinity, snapshot, cluster, exists);
  }
  for (size_t i = 0; i < placement->n_terms; i++) {
    evaluate_affinity(placement, &placement->terms[i], snapshot, cluster, exists);
  }
  rebali_bit_set(placement->tolerated, cluster, is_tolerated);
  rebali_bit_set(placement->properties, cluster, is_complete);
  rebali_bit_set(placement->present, cluster, is_present);
  rebali_bit_set(placement->standing, cluster, is_present && is_tolerated && is_complete);
}

static int32_t grow_weights(struct rebali_placement *placement, size_t n) {
  int32_t *weights;

  if (!rebali_placement_has_weights(placement)) {
    return REBAL_OK;
  }
  weights = rebali_arena_allocate_zero(&placement->arena, n, sizeof *weights);
  if (weights == NULL) {
    return REBAL_ENOMEM;
  }
  if (placement->rows > 0) {
    memcpy(weights, placement->weights, placement->rows * sizeof *weights);
  }
  placement->weights = weights;
  return REBAL_OK;
}

/* New rows are absent until they are evaluated. */
static int32_t grow(struct rebali_placement *placement, size_t rows) {
  const size_t n_bitsets = placement->n_bitsets + OWN_BITSETS;
  const size_t words = placement->words;

  if (rows <= placement->rows && placement->matches != NULL) {
    return REBAL_OK;
  }
  if (rebali_bitsets_grow(&placement->arena, &placement->matches, n_bitsets, rows, &placement->words) != REBAL_OK ||
      (words != placement->words && grow_weights(placement, placement->words * 64) != REBAL_OK)) {
    return REBAL_ENOMEM;
  }
  placement->tolerated = placement->matches + placement->n_bitsets * placement->words;
  placement->properties = placement->tolerated + placement->words;
  placement->present = placement->properties + placement->words;
  placement->standing = placement->present + placement->words;
  placement->rows = rows;
  rebali_ranking_clear(&placement->order->rankings[0]); /* new names change the ranks of others */
  rebali_ranking_clear(&placement->order->rankings[1]);
  return REBAL_OK;
}

static void destroy(const rebal_allocator *allocator, void *value) {
  struct rebali_placement *placement = value;
  struct rebali_arena arena = placement->arena; /* the placement is in it */

  (void)allocator;
  rebali_ranking_dispose(&placement->order->rankings[0], arena.allocator);
  rebali_ranking_dispose(&placement->order->rankings[1], arena.allocator);
  rebali_arena_dispose(&arena);
}

static int32_t update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                      const uint32_t *rows, size_t n, rebal_error *err) {
  struct rebali_placement *placement = value;

  (void)key;
  if (grow(placement, rebali_snapshot_rows(snapshot)) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    evaluate_row(placement, snapshot, rows[i]);
  }
  return rebali_static_weights_update(placement, snapshot, rebali_ctx_scratch(ctx), rows, n) == REBAL_OK
             ? REBAL_OK
             : rebali_fail_memory(err);
}

/* Allocates a placement in its own arena. Returns NULL without memory. */
static struct rebali_placement *new_placement(const rebal_allocator *allocator) {
  struct rebali_arena arena;
  struct rebali_placement *placement;

  rebali_arena_init(&arena, allocator, 0);
  placement = rebali_arena_allocate_zero(&arena, 1, sizeof *placement + sizeof *placement->order);
  if (placement != NULL) {
    placement->arena = arena;
    placement->order = (void *)(placement + 1);
    placement->order->rankings[1].descending = 1;
  }
  return placement;
}

/* Handles have a record in every snapshot of the fleet: cells take no others, and records are kept for ever. */
static int32_t build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value, rebal_error *err) {
  const uint32_t handle = *(const uint32_t *)(const void *)key.bytes;
  const rebal_record *record = rebali_snapshot_record(snapshot, REBAL_OBJECT_PLACEMENT, handle);
  struct rebali_placement *placement = new_placement(rebali_ctx_allocator(ctx));

  if (placement == NULL) {
    return rebali_fail_memory(err);
  }
  if (rebali_placement_compile(placement, record) != REBAL_OK ||
      grow(placement, rebali_snapshot_rows(snapshot)) != REBAL_OK) {
    destroy(rebali_ctx_allocator(ctx), placement);
    return rebali_fail_memory(err);
  }
  rebali_placement_evaluate(placement, snapshot);
  *value = placement;
  return REBAL_OK;
}

static size_t bytes(const void *value) {
  const struct rebali_placement *placement = value;

  return placement->arena.used + rebali_ranking_bytes(&placement->order->rankings[0]) +
         rebali_ranking_bytes(&placement->order->rankings[1]);
}

static const struct rebali_derived kind = {build, update, bytes, destroy, REBALI_READS_CELLS, NULL};

int32_t rebali_placement_get(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t handle,
                             const struct rebali_placement **out, rebal_error *err) {
  void *value = NULL;
  const struct rebali_text key = rebali_text((const char *)&handle, sizeof handle);
  const int32_t code = rebali_cache_get(ctx, snapshot, &kind, key, &value, err);

  *out = value;
  return code;
}
