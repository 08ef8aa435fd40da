/* SPDX-License-Identifier: MIT */
/*
 * Capacity vectors: for each distinct requirement the replicas that fit, by cluster row, kept in the context's cache.
 */
#include "estimator/estimator.h"

/* The cached value; key: requirements handle, and above it whether models are used. */
struct capacity_vector {
  struct rebali_arena arena; /* the demand */
  struct rebali_demand demand;
  int32_t *replicas;
  size_t rows;
  size_t capacity;
  int use_models;
};

static uint64_t key_of(uint32_t requirements, int use_models) {
  return (uint64_t)requirements | (uint64_t)(use_models != 0) << 32;
}

static int uses_models(const rebal_snapshot *snapshot, uint32_t cluster, int use_models) {
  const rebal_record *modelings;

  if (!use_models) {
    return 0;
  }
  modelings = rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_MODELINGS, cluster);
  return modelings != NULL && rebali_record_count(modelings, 0, REBAL_MODELINGS_MODELING) > 0;
}

/* Spec karmada 6.3; the casts keep the low 32 bits as the reference does. */
static int32_t estimate_cluster(const rebal_snapshot *snapshot, uint32_t cluster, const struct rebali_demand *demand,
                                int use_models, const struct rebali_spent *spent) {
  int64_t pods, fit;

  if (!rebal_snapshot_has_cluster(snapshot, cluster) ||
      !rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, cluster)) {
    return 0;
  }
  pods = rebali_summary_free_pods(snapshot, cluster, spent);
  if (pods <= 0) {
    return 0;
  }
  if (!demand->stated) {
    return rebali_low_int32(pods);
  }
  if (!uses_models(snapshot, cluster, use_models) || !rebali_models_fit(snapshot, cluster, demand, &fit)) {
    fit = rebali_summary_fit(snapshot, cluster, demand, spent);
  }
  return rebali_low_int32(fit < pods ? fit : pods);
}

static void vector_destroy(rebal_ctx *ctx, void *value) {
  struct capacity_vector *vector = value;
  const rebal_allocator *allocator = rebali_ctx_allocator(ctx);

  rebali_arena_dispose(&vector->arena);
  rebali_release(allocator, vector->replicas);
  rebali_release(allocator, vector);
}

static int32_t vector_update(rebal_ctx *ctx, rebal_snapshot *snapshot, uint64_t key, void *value, const uint32_t *rows,
                             size_t n, rebal_error *err) {
  static const struct rebali_spent nothing = {NULL, 0, 0};
  struct capacity_vector *vector = value;
  const size_t wanted = rebal_snapshot_rows(snapshot);

  (void)key;
  if (rebali_reserve(rebali_ctx_allocator(ctx), &vector->replicas, &vector->capacity, wanted,
                     sizeof *vector->replicas) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (; vector->rows < wanted; vector->rows++) {
    vector->replicas[vector->rows] = 0;
  }
  rebali_demand_resolve(&vector->demand, snapshot);
  for (size_t i = 0; i < n; i++) {
    vector->replicas[rows[i]] = estimate_cluster(snapshot, rows[i], &vector->demand, vector->use_models, &nothing);
  }
  return REBAL_OK;
}

static int32_t vector_build(rebal_ctx *ctx, rebal_snapshot *snapshot, uint64_t key, void **value, rebal_error *err) {
  const rebal_allocator *allocator = rebali_ctx_allocator(ctx);
  struct capacity_vector *vector = rebali_allocate_zero(allocator, 1, sizeof *vector);
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n_clusters);
  int32_t code;

  if (vector == NULL) {
    return rebali_fail_memory(err);
  }
  rebali_arena_init(&vector->arena, allocator, 0);
  vector->use_models = (key >> 32) != 0;
  code = rebali_demand_read(&vector->arena, rebali_snapshot_record(snapshot, REBAL_OBJECT_REQUIREMENTS, (uint32_t)key),
                            &vector->demand);
  if (code != REBAL_OK) {
    code = rebali_fail_memory(err);
  } else {
    code = vector_update(ctx, snapshot, key, vector, clusters, n_clusters, err);
  }
  if (code != REBAL_OK) {
    vector_destroy(ctx, vector);
    return code;
  }
  *value = vector;
  return REBAL_OK;
}

static size_t vector_bytes(const void *value) {
  const struct capacity_vector *vector = value;

  return sizeof *vector + vector->capacity * sizeof *vector->replicas +
         vector->demand.n_requests * sizeof *vector->demand.requests;
}

static const struct rebali_derived vector_kind = {vector_build, vector_update, vector_bytes, vector_destroy};

/* A copy of the vector in which the clusters that the ledger charges are estimated anew. */
static int32_t charge_vector(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct capacity_vector *vector,
                             const rebal_ledger *ledger, const int32_t **replicas, rebal_error *err) {
  int32_t *charged = rebali_arena_allocate(rebali_ctx_scratch(ctx), vector->rows, sizeof *charged);
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(snapshot, &n_clusters);

  if (charged == NULL) {
    return rebali_fail_memory(err);
  }
  memcpy(charged, vector->replicas, vector->rows * sizeof *charged);
  for (uint32_t i = 0; i < n_clusters; i++) {
    const uint32_t cluster = clusters[i];
    struct rebali_spent spent;

    if (!rebali_ledger_touches(ledger, cluster)) {
      continue;
    }
    if (vector->demand.stated && uses_models(snapshot, cluster, vector->use_models)) {
      return rebali_fail(err, REBAL_EUNSUPPORTED, (int64_t)cluster,
                         "a ledger charges a cluster that is estimated by resource models");
    }
    spent.charges = rebali_ledger_charges(ledger, cluster, &spent.n_charges, &spent.pods);
    charged[cluster] = estimate_cluster(snapshot, cluster, &vector->demand, vector->use_models, &spent);
  }
  *replicas = charged;
  return REBAL_OK;
}

int32_t rebali_estimate_rows(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements,
                             const rebal_compat *compat, const rebal_ledger *ledger, const int32_t **replicas,
                             rebal_error *err) {
  const int use_models = rebali_compat_value(compat, REBAL_QUIRK_GATE_RESOURCE_MODELS) != 0;
  void *value = NULL;
  int32_t code = rebali_cache_get(ctx, snapshot, &vector_kind, key_of(requirements, use_models), &value, err);

  if (code != REBAL_OK) {
    return code;
  }
  *replicas = ((const struct capacity_vector *)value)->replicas;
  if (ledger != NULL && rebal_snapshot_rows(snapshot) > 0) {
    return charge_vector(ctx, snapshot, value, ledger, replicas, err);
  }
  return REBAL_OK;
}
