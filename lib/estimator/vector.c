/* SPDX-License-Identifier: MIT */
/*
 * Capacity vectors: for each distinct question (replicas of a requirement, or sets of components) what fits, by cluster
 * row, kept in the context's cache.
 */
#include "estimator/estimator.h"

#define USES_MODELS UINT64_C(1)
#define WRAPS UINT64_C(2)
#define OF_SETS UINT64_C(4)

/* The key of a vector; its bytes have no padding. */
struct question {
  uint64_t rules;
  struct rebali_component components[];
};

/* The cached value. One of demand and set is that of the question; its items follow the vector. */
struct rebali_capacity_vector {
  struct rebali_demand demand;
  struct rebali_set set;
  size_t n_items;
  int32_t *fits;
  uint32_t rows;
  size_t capacity;
  struct rebali_ranking rankings[2]; /* with the places of ranks, and of their complements */
};

static struct rebali_text key_of(const struct question *question, size_t n) {
  return rebali_text((const char *)question, sizeof *question + n * sizeof question->components[0]);
}

/*
 * The question in a key, as it is put to the clusters; without a ledger, which charge_vector() adds. The vector may be
 * NULL, and the estimation then only tells what is asked.
 */
static struct rebali_estimation estimation_of(rebal_ctx *ctx, const rebal_snapshot *snapshot, struct rebali_text key,
                                              const struct rebali_capacity_vector *vector) {
  static const struct rebali_capacity_vector none;
  const struct question *question = (const void *)key.bytes;
  struct rebali_estimation estimation = {.arena = rebali_ctx_scratch(ctx), .snapshot = snapshot};

  estimation.components = question->components;
  estimation.n_components = (key.len - sizeof *question) / sizeof question->components[0];
  estimation.demand = vector == NULL ? &none.demand : &vector->demand;
  estimation.set = (question->rules & OF_SETS) == 0 ? NULL : vector == NULL ? &none.set : &vector->set;
  estimation.rules.use_models = (question->rules & USES_MODELS) != 0;
  estimation.rules.wrap = (question->rules & WRAPS) != 0;
  return estimation;
}

static int32_t fit(struct rebali_estimation *estimation, uint32_t first, uint32_t end, int32_t *out) {
  int32_t code = REBAL_OK;

  if (estimation->set == NULL) {
    return rebali_fit_rows(estimation, first, end, out);
  }
  for (uint32_t row = first; row < end && code == REBAL_OK; row++) {
    code = rebali_fit_sets(estimation, row, &out[row - first]);
  }
  return code;
}

static void vector_destroy(const rebal_allocator *allocator, void *value) {
  struct rebali_capacity_vector *vector = value;

  rebali_ranking_dispose(&vector->rankings[0], allocator);
  rebali_ranking_dispose(&vector->rankings[1], allocator);
  rebali_release(allocator, vector->fits);
  rebali_release(allocator, vector);
}

/* New rows fit nothing. They change the ranks of all, so that nothing is in order. */
static int32_t add_rows(rebal_ctx *ctx, struct rebali_capacity_vector *vector, uint32_t wanted) {
  if (rebali_reserve(rebali_ctx_allocator(ctx), &vector->fits, &vector->capacity, wanted, sizeof *vector->fits) !=
      REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (vector->rows < wanted) {
    memset(vector->fits + vector->rows, 0, (wanted - vector->rows) * sizeof *vector->fits);
    rebali_ranking_clear(&vector->rankings[0]);
    rebali_ranking_clear(&vector->rankings[1]);
    vector->rows = wanted;
  }
  return REBAL_OK;
}

/* A row that is named again has its value already. */
static int32_t fit_rows(struct rebali_estimation *estimation, struct rebali_capacity_vector *vector,
                        const uint32_t *rows, size_t n) {
  struct rebali_ranking_change *changes = rebali_arena_allocate(estimation->arena, n, sizeof *changes);
  size_t n_changes = 0;

  if (changes == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    const int32_t before = vector->fits[rows[i]];

    if (fit(estimation, rows[i], rows[i] + 1, &vector->fits[rows[i]]) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    if (vector->fits[rows[i]] != before) {
      changes[n_changes++] = (struct rebali_ranking_change){rebali_snapshot_rank(estimation->snapshot, rows[i]), before,
                                                            vector->fits[rows[i]]};
    }
  }
  return rebali_ranking_repair(&vector->rankings[0], estimation->arena, changes, n_changes) == REBAL_OK
             ? rebali_ranking_repair(&vector->rankings[1], estimation->arena, changes, n_changes)
             : REBAL_ENOMEM;
}

static void resolve(struct rebali_capacity_vector *vector, const rebal_snapshot *snapshot) {
  rebali_demand_resolve(&vector->demand, snapshot);
  rebali_set_resolve(&vector->set, snapshot);
}

static int32_t vector_update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                             const uint32_t *rows, size_t n, rebal_error *err) {
  struct rebali_capacity_vector *vector = value;
  struct rebali_estimation estimation = estimation_of(ctx, snapshot, key, vector);

  resolve(vector, snapshot);
  return add_rows(ctx, vector, rebali_snapshot_rows(snapshot)) == REBAL_OK &&
                 fit_rows(&estimation, vector, rows, n) == REBAL_OK
             ? REBAL_OK
             : rebali_fail_memory(err);
}

/* A vector without rows, and the requirements that the key's question names. NULL: no memory. */
static struct rebali_capacity_vector *new_vector(rebal_ctx *ctx, const struct rebali_estimation *estimation) {
  const int is_set = estimation->set != NULL;
  const size_t item = is_set ? sizeof(struct rebali_total) : sizeof(struct rebali_request);
  struct rebali_capacity_vector read = {.rankings[1].descending = 1};
  struct rebali_capacity_vector *vector;
  int32_t code;

  code = is_set ? rebali_set_read(estimation->arena, estimation->snapshot, estimation->components,
                                  estimation->n_components, &read.set)
                : rebali_demand_read(estimation->arena,
                                     rebali_snapshot_record(estimation->snapshot, REBAL_OBJECT_REQUIREMENTS,
                                                            estimation->components->requirements),
                                     &read.demand);
  if (code != REBAL_OK) {
    return NULL;
  }
  read.n_items = is_set ? read.set.n_totals : read.demand.n_requests;
  vector = rebali_allocate(rebali_ctx_allocator(ctx), 1, sizeof *vector + read.n_items * item);
  if (vector == NULL) {
    return NULL;
  }
  *vector = read;
  if (read.n_items != 0) {
    memcpy(vector + 1, is_set ? (const void *)read.set.totals : read.demand.requests, read.n_items * item);
  }
  vector->set.totals = (void *)(vector + 1);
  vector->demand.requests = (void *)(vector + 1);
  return vector;
}

static int32_t vector_build(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void **value,
                            rebal_error *err) {
  struct rebali_estimation estimation = estimation_of(ctx, snapshot, key, NULL);
  struct rebali_capacity_vector *vector = new_vector(ctx, &estimation);

  if (vector == NULL) {
    return rebali_fail_memory(err);
  }
  estimation = estimation_of(ctx, snapshot, key, vector);
  resolve(vector, snapshot);
  if (add_rows(ctx, vector, rebali_snapshot_rows(snapshot)) != REBAL_OK ||
      fit(&estimation, 0, vector->rows, vector->fits) != REBAL_OK) {
    vector_destroy(rebali_ctx_allocator(ctx), vector);
    return rebali_fail_memory(err);
  }
  *value = vector;
  return REBAL_OK;
}

static size_t vector_bytes(const void *value) {
  const struct rebali_capacity_vector *vector = value;

  return sizeof *vector + vector->n_items * sizeof(struct rebali_request) + vector->capacity * sizeof *vector->fits +
         (vector->rankings[0].capacity + vector->rankings[1].capacity) * sizeof(uint64_t);
}

static struct rebali_ranked ranked_by(const int32_t *values, const rebal_snapshot *snapshot) {
  return (struct rebali_ranked){values, rebali_snapshot_by_rank(snapshot), rebali_snapshot_rows(snapshot)};
}

/* Puts all rows in order: rankings of a shared vector are not extended. */
static int32_t vector_seal(rebal_ctx *ctx, rebal_snapshot *snapshot, void *value, rebal_error *err) {
  struct rebali_capacity_vector *vector = value;
  const struct rebali_ranked ranked = ranked_by(vector->fits, snapshot);
  struct rebali_arena scratch; /* not the call's: it seals many */
  int32_t code = REBAL_OK;

  rebali_arena_init(&scratch, rebali_ctx_allocator(ctx), 0);
  for (size_t i = 0; i < REBALI_COUNT(vector->rankings) && code == REBAL_OK; i++) {
    const uint64_t *keys;
    size_t n;

    code =
        rebali_ranking_best(&vector->rankings[i], rebali_ctx_allocator(ctx), &scratch, &ranked, ranked.n, &keys, &n);
  }
  rebali_arena_dispose(&scratch);
  return code == REBAL_OK ? code : rebali_fail_memory(err);
}

static const struct rebali_derived vector_kind = {
    vector_build, vector_update, vector_bytes, vector_destroy, REBALI_READS_ALL, vector_seal,
};

/* A copy of the vector in which the clusters that the ledger charges are estimated anew. */
static int32_t charge_vector(struct rebali_estimation *estimation, const struct rebali_capacity_vector *vector,
                             const int32_t **fits) {
  int32_t *charged = rebali_arena_allocate(estimation->arena, vector->rows, sizeof *charged);
  uint32_t n_clusters;
  const uint32_t *clusters = rebali_snapshot_by_name(estimation->snapshot, &n_clusters);

  if (charged == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(charged, vector->fits, vector->rows * sizeof *charged);
  for (uint32_t i = 0; i < n_clusters; i++) {
    if (rebali_ledger_touches(estimation->ledger, clusters[i]) &&
        (estimation->set != NULL ? rebali_fit_sets(estimation, clusters[i], &charged[clusters[i]])
                                 : rebali_fit_replicas(estimation, clusters[i], &charged[clusters[i]])) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  *fits = charged;
  return REBAL_OK;
}

static int32_t estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_component *components, size_t n,
                        uint64_t kind, const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_fits *fits,
                        rebal_error *err) {
  const struct rebali_rules rules = rebali_rules_read(compat);
  struct question *question =
      rebali_arena_allocate(rebali_ctx_scratch(ctx), 1, sizeof *question + n * sizeof *components);
  struct rebali_capacity_vector *vector;
  struct rebali_estimation estimation;
  void *value = NULL;
  int32_t code;

  if (question == NULL) {
    return rebali_fail_memory(err);
  }
  question->rules = kind | (rules.use_models ? USES_MODELS : 0) | (rules.wrap ? WRAPS : 0);
  if (n != 0) {
    memcpy(question->components, components, n * sizeof *components);
  }
  code = rebali_cache_get(ctx, snapshot, &vector_kind, key_of(question, n), &value, err);
  if (code != REBAL_OK) {
    return code;
  }
  vector = value;
  *fits = (struct rebali_fits){vector->fits, vector, ctx, snapshot};
  if (ledger != NULL && vector->rows > 0) {
    estimation = estimation_of(ctx, snapshot, key_of(question, n), vector);
    estimation.rules = rules;
    estimation.ledger = ledger;
    code = charge_vector(&estimation, vector, &fits->replicas) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
  }
  return code;
}

int32_t rebali_estimate_rows(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements,
                             const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_fits *fits,
                             rebal_error *err) {
  const struct rebali_component component = {requirements, 1};

  return estimate(ctx, snapshot, &component, 1, 0, compat, ledger, fits, err);
}

int32_t rebali_estimate_sets(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_component *components,
                             size_t n, const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_fits *fits,
                             rebal_error *err) {
  return estimate(ctx, snapshot, components, n, OF_SETS, compat, ledger, fits, err);
}

int32_t rebali_fits_best(struct rebali_fits *fits, int descending, size_t n, const uint64_t **keys, size_t *n_keys) {
  const struct rebali_ranked ranked = ranked_by(fits->replicas, fits->snapshot);
  struct rebali_arena *scratch = rebali_ctx_scratch(fits->ctx);
  uint64_t *made;

  if (fits->replicas == fits->vector->fits) {
    return rebali_ranking_best(&fits->vector->rankings[descending != 0], rebali_ctx_allocator(fits->ctx), scratch,
                               &ranked, n, keys, n_keys);
  }
  made = rebali_arena_allocate(scratch, (size_t)ranked.n + 1, 2 * sizeof *made);
  if (made == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t rank = 0; rank < ranked.n; rank++) {
    made[rank] = rebali_ranking_key(ranked.values[ranked.by_rank[rank]], rebali_ranking_turn(rank, descending));
  }
  rebali_sort_keys(made, ranked.n, made + ranked.n);
  *keys = made;
  *n_keys = n < ranked.n ? n : ranked.n;
  return REBAL_OK;
}
