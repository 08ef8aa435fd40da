/* SPDX-License-Identifier: MIT */
/*
 * Capacity vectors: for each distinct requirement the replicas that fit, by cluster row, kept in the context's cache.
 */
#include "estimator/estimator.h"

/* The cached value; key: requirements handle, and above it the rules. */
struct capacity_vector {
  struct rebali_arena arena; /* the demand */
  struct rebali_demand demand;
  int32_t *replicas;
  size_t rows;
  size_t capacity;
};

#define USES_MODELS (UINT64_C(1) << 32)
#define WRAPS (UINT64_C(1) << 33)

static uint64_t key_of(uint32_t requirements, const struct rebali_rules *rules) {
  return (uint64_t)requirements | (rules->use_models ? USES_MODELS : 0) | (rules->wrap ? WRAPS : 0);
}

/* One requirement and the clusters it is estimated in, one after the other. */
struct estimation {
  rebal_ctx *ctx;
  const rebal_snapshot *snapshot;
  const struct rebali_demand *demand;
  struct rebali_component component;
  struct rebali_rules rules;
  const rebal_ledger *ledger;
  struct rebali_models models; /* arena NULL until a cluster has some */
};

static struct estimation estimation_of(rebal_ctx *ctx, const rebal_snapshot *snapshot, uint64_t key,
                                       const struct rebali_demand *demand) {
  struct estimation estimation = {.ctx = ctx, .snapshot = snapshot, .demand = demand};

  estimation.component = (struct rebali_component){(uint32_t)key, 1};
  estimation.rules.use_models = (key & USES_MODELS) != 0;
  estimation.rules.wrap = (key & WRAPS) != 0;
  return estimation;
}

/* -1 in *fit when the cluster has no models that can be used. */
static int32_t fit_models(struct estimation *estimation, uint32_t cluster, int64_t *fit) {
  const rebal_record *modelings =
      rebali_snapshot_cell_record(estimation->snapshot, REBAL_CLUSTER_MODELINGS, cluster);

  *fit = -1;
  if (!estimation->rules.use_models || modelings == NULL) {
    return REBAL_OK;
  }
  if (estimation->models.arena == NULL &&
      rebali_models_init(&estimation->models, rebali_ctx_scratch(estimation->ctx), estimation->snapshot,
                         &estimation->component, 1, estimation->ledger) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_models_sets(&estimation->models, cluster, INT32_MAX, fit);
}

/* Spec karmada 6.3. */
static int32_t estimate_cluster(struct estimation *estimation, uint32_t cluster, int32_t *replicas) {
  const rebal_snapshot *snapshot = estimation->snapshot;
  const rebal_ledger *charges = estimation->rules.charge_summaries ? estimation->ledger : NULL;
  int64_t pods, fit;

  *replicas = 0;
  if (!rebal_snapshot_has_cluster(snapshot, cluster) ||
      !rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, cluster)) {
    return REBAL_OK;
  }
  pods = rebali_summary_free_pods(snapshot, cluster, charges);
  if (pods > 0 && estimation->demand->stated) {
    if (fit_models(estimation, cluster, &fit) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    fit = fit < 0 ? rebali_summary_fit(snapshot, cluster, estimation->demand, charges) : fit;
    pods = fit < pods ? fit : pods;
  }
  *replicas = pods > 0 ? rebali_rules_cast(&estimation->rules, pods) : 0;
  return REBAL_OK;
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
  struct capacity_vector *vector = value;
  struct estimation estimation = estimation_of(ctx, snapshot, key, &vector->demand);
  const size_t wanted = rebal_snapshot_rows(snapshot);

  if (rebali_reserve(rebali_ctx_allocator(ctx), &vector->replicas, &vector->capacity, wanted,
                     sizeof *vector->replicas) != REBAL_OK) {
    return rebali_fail_memory(err);
  }
  for (; vector->rows < wanted; vector->rows++) {
    vector->replicas[vector->rows] = 0;
  }
  rebali_demand_resolve(&vector->demand, snapshot);
  for (size_t i = 0; i < n; i++) {
    if (estimate_cluster(&estimation, rows[i], &vector->replicas[rows[i]]) != REBAL_OK) {
      return rebali_fail_memory(err);
    }
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
static int32_t charge_vector(struct estimation *estimation, const struct capacity_vector *vector,
                             const int32_t **replicas) {
  int32_t *charged = rebali_arena_allocate(rebali_ctx_scratch(estimation->ctx), vector->rows, sizeof *charged);
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(estimation->snapshot, &n_clusters);

  if (charged == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(charged, vector->replicas, vector->rows * sizeof *charged);
  for (uint32_t i = 0; i < n_clusters; i++) {
    if (rebali_ledger_touches(estimation->ledger, clusters[i]) &&
        estimate_cluster(estimation, clusters[i], &charged[clusters[i]]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  *replicas = charged;
  return REBAL_OK;
}

int32_t rebali_estimate_rows(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements,
                             const rebal_compat *compat, const rebal_ledger *ledger, const int32_t **replicas,
                             rebal_error *err) {
  const struct rebali_rules rules = rebali_rules_read(compat);
  const uint64_t key = key_of(requirements, &rules);
  const struct capacity_vector *vector;
  struct estimation estimation;
  void *value = NULL;
  int32_t code = rebali_cache_get(ctx, snapshot, &vector_kind, key, &value, err);

  if (code != REBAL_OK) {
    return code;
  }
  vector = value;
  *replicas = vector->replicas;
  if (ledger != NULL && rebal_snapshot_rows(snapshot) > 0) {
    estimation = estimation_of(ctx, snapshot, key, &vector->demand);
    estimation.rules = rules;
    estimation.ledger = ledger;
    code = charge_vector(&estimation, vector, replicas) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
  }
  return code;
}
