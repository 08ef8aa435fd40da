/* SPDX-License-Identifier: MIT */
/*
 * A compiled placement's predicates, evaluated for every cluster row into bitsets and kept in the context's cache; a
 * changed row is evaluated alone.
 */
#include "scheduler/scheduler.h"

static int is_tolerated(const struct rebali_taint *taint, const struct rebali_toleration *tolerations, size_t n) {
  const enum rebali_effect effect = rebali_effect_parse(taint->effect);

  if (effect != REBALI_EFFECT_NO_SCHEDULE && effect != REBALI_EFFECT_NO_EXECUTE) {
    return 1;
  }
  for (size_t i = 0; i < n; i++) {
    if (rebali_tolerates(&tolerations[i], taint)) {
      return 1;
    }
  }
  return 0;
}

int64_t rebali_untolerated_taint(const rebal_snapshot *snapshot, uint32_t cluster,
                                 const struct rebali_toleration *tolerations, size_t n_tolerations) {
  const rebal_record *taints = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_TAINTS, cluster);
  uint32_t node = REBAL_NONE;

  for (int64_t index = 0;
       taints != NULL && (node = rebal_record_next(taints, 0, REBAL_TAINTS_TAINT, node)) != REBAL_NONE; index++) {
    const struct rebali_taint taint = rebali_taint_read(taints, node);

    if (!is_tolerated(&taint, tolerations, n_tolerations)) {
      return index;
    }
  }
  return REBAL_ABSENT;
}

int rebali_cluster_has_property(const rebal_snapshot *snapshot, uint32_t cluster, uint32_t field) {
  const rebal_record *zones;

  switch (field) {
    case REBAL_SPREAD_PROVIDER:
      return rebali_snapshot_text(snapshot, REBAL_CLUSTER_PROVIDER, cluster).len > 0;
    case REBAL_SPREAD_REGION:
      return rebali_snapshot_text(snapshot, REBAL_CLUSTER_REGION, cluster).len > 0;
    case REBAL_SPREAD_ZONE:
      zones = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_ZONES, cluster);
      return zones != NULL && rebali_record_count(zones, 0, REBAL_TEXTS_ITEM) > 0;
    default:
      return 1;
  }
}

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

static int64_t static_weight(const struct rebali_placement *placement, const rebal_snapshot *snapshot,
                             uint32_t cluster) {
  int64_t best = 0;

  for (size_t i = 0; i < placement->n_rules; i++) {
    if (placement->rules[i].weight > best && rebali_affinity_matches(&placement->rules[i].target, snapshot, cluster)) {
      best = placement->rules[i].weight;
    }
  }
  return best;
}

static void evaluate_row(struct rebali_placement *placement, const rebal_snapshot *snapshot, uint32_t cluster) {
  const int exists = rebal_snapshot_has_cluster(snapshot, cluster);

  if (placement->affinity != NULL) {
    evaluate_affinity(placement, placement->affinity, snapshot, cluster, exists);
  }
  for (size_t i = 0; i < placement->n_terms; i++) {
    evaluate_affinity(placement, &placement->terms[i], snapshot, cluster, exists);
  }
  rebali_bit_set(placement->tolerated, cluster,
                 exists && rebali_untolerated_taint(snapshot, cluster, placement->tolerations,
                                                    placement->n_tolerations) == REBAL_ABSENT);
  rebali_bit_set(placement->properties, cluster, exists && has_properties(placement, snapshot, cluster));
  placement->weights[cluster] = exists ? static_weight(placement, snapshot, cluster) : 0;
}

/* New rows are absent until they are evaluated. Bitsets move when words grow. */
static int32_t grow(const rebal_allocator *allocator, struct rebali_placement *placement, size_t rows) {
  const size_t words = REBALI_BITSET_WORDS(rows) + 1;
  uint64_t *bits, *old = placement->matches;
  int64_t *weights;

  if (rows <= placement->rows) {
    return REBAL_OK;
  }
  if (words <= placement->words && placement->weights != NULL && rows <= placement->words * 64) {
    placement->rows = rows; /* there is room: bits of rows never seen are 0, weights too */
    return REBAL_OK;
  }
  bits = rebali_allocate_zero(allocator, (placement->n_bitsets + 2) * words, sizeof *bits);
  weights = rebali_allocate_zero(allocator, words * 64, sizeof *weights);
  if (bits == NULL || weights == NULL) {
    rebali_release(allocator, bits);
    rebali_release(allocator, weights);
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; old != NULL && i < placement->n_bitsets + 2; i++) {
    memcpy(bits + i * words, old + i * placement->words, placement->words * sizeof *bits);
  }
  if (placement->weights != NULL) {
    memcpy(weights, placement->weights, placement->rows * sizeof *weights);
  }
  rebali_release(allocator, old);
  rebali_release(allocator, placement->weights);
  placement->matches = bits;
  placement->tolerated = bits + placement->n_bitsets * words;
  placement->properties = bits + (placement->n_bitsets + 1) * words;
  placement->weights = weights;
  placement->words = words;
  placement->rows = rows;
  return REBAL_OK;
}

static void destroy(rebal_ctx *ctx, void *value) {
  struct rebali_placement *placement = value;
  const rebal_allocator *allocator = rebali_ctx_allocator(ctx);

  if (placement->order != NULL) {
    rebali_release(allocator, placement->order->keys);
  }
  rebali_arena_dispose(&placement->arena);
  rebali_release(allocator, placement->matches);
  rebali_release(allocator, placement->weights);
  rebali_release(allocator, placement);
}

static int32_t update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                      const uint32_t *rows, size_t n, rebal_error *err) {
  struct rebali_placement *placement = value;

  (void)key;
  if (grow(rebali_ctx_allocator(ctx), placement, rebal_snapshot_rows(snapshot)) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < n; i++) {
    evaluate_row(placement, snapshot, rows[i]);
  }
  return REBAL_OK;
}

static int32_t build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value,
                     rebal_error *err) {
  const rebal_allocator *allocator = rebali_ctx_allocator(ctx);
  const uint32_t handle = *(const uint32_t *)(const void *)key.bytes;
  const rebal_record *record = rebali_snapshot_record(snapshot, REBAL_OBJECT_PLACEMENT, handle);
  struct rebali_placement *placement;
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n_clusters);
  int32_t code;

  if (record == NULL) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "the snapshot is older than placement %u", (unsigned)handle);
  }
  placement = rebali_allocate_zero(allocator, 1, sizeof *placement);
  if (placement == NULL) {
    return rebali_fail_memory(err);
  }
  rebali_arena_init(&placement->arena, allocator, 0);
  placement->order = rebali_arena_allocate_zero(&placement->arena, 1, sizeof *placement->order);
  code = placement->order != NULL && rebali_placement_compile(placement, record) == REBAL_OK ? REBAL_OK
                                                                                            : rebali_fail_memory(err);
  if (code == REBAL_OK) {
    code = update(ctx, snapshot, key, placement, clusters, n_clusters, err);
  }
  if (code != REBAL_OK) {
    destroy(ctx, placement);
    return code;
  }
  *value = placement;
  return REBAL_OK;
}

static size_t bytes(const void *value) {
  const struct rebali_placement *placement = value;

  return sizeof *placement + placement->arena.used + (placement->n_bitsets + 2) * placement->words * sizeof(uint64_t) +
         placement->words * 64 * sizeof(int64_t);
}

static const struct rebali_derived kind = {build, update, bytes, destroy, REBALI_READS_CELLS};

int32_t rebali_placement_get(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t handle,
                             const struct rebali_placement **out, rebal_error *err) {
  void *value = NULL;
  const struct rebali_text key = rebali_text((const char *)&handle, sizeof handle);
  const int32_t code = rebali_cache_get(ctx, snapshot, &kind, key, &value, err);

  *out = value;
  return code;
}
