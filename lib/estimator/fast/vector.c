/* SPDX-License-Identifier: MIT */
/*
 * Capacity vectors: for each distinct estimate (replicas of a requirement, or sets of components) and each ledger, what
 * fits by cluster row, kept in the context's cache. The cache does not know ledgers: it updates a charged vector with
 * the fleet, and fits.c updates it with the ledger.
 */
#include "estimator/fast/fits.h"

#define USES_MODELS UINT64_C(1)
#define WRAPS UINT64_C(2)
#define CHARGES_SUMMARIES UINT64_C(4)
#define OF_SETS UINT64_C(8)

/* The key of a vector; its bytes have no padding. */
struct question {
  uint64_t rules;
  uint64_t ledger; /* address of its identity, which the vector refers to; 0: none */
  struct rebali_component components[];
};

static struct rebali_text key_of(const struct question *question, size_t n) {
  return rebali_text((const char *)question, sizeof *question + n * sizeof question->components[0]);
}

/*
 * Returns the estimation that a key describes, without a ledger. If the vector is NULL, only the kind of estimate is
 * set.
 */
static inline struct rebali_estimation estimation_of(rebal_ctx *ctx, const rebal_snapshot *snapshot,
                                                     struct rebali_text key,
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
  estimation.rules.charge_summaries = (question->rules & CHARGES_SUMMARIES) != 0;
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

/* Estimates one row alone, without charges. */
static int32_t fit_row(struct rebali_estimation *estimation, uint32_t row, int32_t *out) {
  return estimation->set == NULL ? rebali_fit_charged(estimation, row, out) : rebali_fit_sets(estimation, row, out);
}

static void vector_destroy(const rebal_allocator *allocator, void *value) {
  struct rebali_capacity_vector *vector = value;

  rebali_ranking_dispose(&vector->rankings[0], allocator);
  rebali_ranking_dispose(&vector->rankings[1], allocator);
  rebali_identity_unref(vector->ledger);
  rebali_release(allocator, vector->fits);
  rebali_release(allocator, vector->seen);
  rebali_release(allocator, vector->old);
  rebali_release(allocator, vector);
}

/* Adds rows in which nothing fits. They change the ranks of all rows, so no ranking stays in order. */
static int32_t add_rows(rebal_ctx *ctx, struct rebali_capacity_vector *vector, uint32_t wanted) {
  const rebal_allocator *allocator = rebali_ctx_allocator(ctx);
  const size_t added = wanted > vector->rows ? wanted - vector->rows : 0;

  if (rebali_reserve(allocator, &vector->fits, &vector->fits_capacity, wanted, sizeof *vector->fits) != REBAL_OK ||
      (vector->ledger != NULL &&
       rebali_reserve(allocator, &vector->seen, &vector->seen_capacity, wanted, sizeof *vector->seen) != REBAL_OK)) {
    return REBAL_ENOMEM;
  }
  if (added != 0) {
    memset(vector->fits + vector->rows, 0, added * sizeof *vector->fits);
    rebali_ranking_clear(&vector->rankings[0]);
    rebali_ranking_clear(&vector->rankings[1]);
  }
  if (added != 0 && vector->ledger != NULL) {
    memset(vector->seen + vector->rows, 0, added * sizeof *vector->seen);
  }
  vector->rows += (uint32_t)added;
  return REBAL_OK;
}

static int32_t repair(struct rebali_capacity_vector *vector, struct rebali_arena *scratch,
                      const struct rebali_ranking_change *changes, size_t n) {
  if (rebali_ranking_repair(&vector->rankings[0], scratch, changes, n) == REBAL_OK &&
      rebali_ranking_repair(&vector->rankings[1], scratch, changes, n) == REBAL_OK) {
    return REBAL_OK;
  }
  rebali_ranking_clear(&vector->rankings[0]);
  rebali_ranking_clear(&vector->rankings[1]);
  return REBAL_ENOMEM;
}

#define FEW_ROWS ((size_t)8)   /* at most so many are estimated at once, one by one */
#define MANY_ROWS ((size_t)32) /* after so many changes rankings may not be worth sorting */

/* Changed rows, each once, and what fits into them now. */
struct changed {
  uint32_t *rows;
  int32_t *fits;
  size_t n;
};

/* Returns whether the page that starts at the row has resource models that count. */
static int page_has_models(const struct rebali_estimation *estimation, uint32_t row) {
  int64_t absent;

  return estimation->rules.use_models && rebali_snapshot_page(estimation->snapshot, REBAL_CLUSTER_MODELINGS,
                                                              row - row % REBALI_PAGE_ROWS, &absent) != NULL;
}

static int32_t fit_one_by_one(struct rebali_estimation *estimation, const struct changed *changed) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < changed->n && code == REBAL_OK; i++) {
    code = fit_row(estimation, changed->rows[i], &changed->fits[i]);
  }
  return code;
}

/* Lists each row once, in order. Sets *may_have_models if models may estimate some. */
static void list_rows(const struct rebali_estimation *estimation, const uint64_t *bits, size_t words,
                      struct changed *changed, int *may_have_models) {
  *may_have_models = 0;
  for (size_t word = 0; word < words; word++) {
    const uint32_t first = (uint32_t)word * 64;

    if (bits[word] != 0 && !*may_have_models &&
        (changed->n == 0 || first % REBALI_PAGE_ROWS == 0 ||
         changed->rows[changed->n - 1] < first - first % REBALI_PAGE_ROWS)) {
      *may_have_models = page_has_models(estimation, first);
    }
    for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
      changed->rows[changed->n++] = first + (uint32_t)rebali_bit_lowest(left);
    }
  }
}

static int32_t allocate_changed(const struct rebali_estimation *estimation, size_t n, struct changed *changed) {
  changed->rows = rebali_arena_allocate(estimation->arena, n + 1, sizeof *changed->rows);
  changed->fits = rebali_arena_allocate(estimation->arena, n + 1, sizeof *changed->fits);
  changed->n = 0;
  return changed->rows == NULL || changed->fits == NULL ? REBAL_ENOMEM : REBAL_OK;
}

/* Estimates the n rows of a bitset, column by column if no models and no sets require more. */
static int32_t fit_bits(struct rebali_estimation *estimation, const uint64_t *bits, size_t words, size_t n,
                        struct changed *changed) {
  int may_have_models;

  if (allocate_changed(estimation, n, changed) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  list_rows(estimation, bits, words, changed, &may_have_models);
  if (changed->n == 0) {
    return REBAL_OK;
  }
  return may_have_models || estimation->set != NULL
             ? fit_one_by_one(estimation, changed)
             : rebali_fit_listed(estimation, changed->rows, changed->n, changed->fits);
}

static void forget_rankings(struct rebali_capacity_vector *vector) {
  rebali_ranking_forget(&vector->rankings[0]);
  rebali_ranking_forget(&vector->rankings[1]);
}

/*
 * Repairs in a ranking only rows that are in order or become so, and none if rankings are unused and many rows changed.
 * A row that is listed twice has its value already. Charges do not count in the new values.
 */
static int32_t put_changed(const struct rebali_estimation *estimation, struct rebali_capacity_vector *vector,
                           const struct changed *changed, int needs_rankings) {
  const int32_t least[2] = {rebali_ranking_least(&vector->rankings[0]), rebali_ranking_least(&vector->rankings[1])};
  const int32_t lower = least[0] < least[1] ? least[0] : least[1];
  struct rebali_ranking_change *changes = rebali_arena_allocate(estimation->arena, changed->n + 1, sizeof *changes);
  size_t n = 0;

  if (changes == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t i = 0; i < changed->n; i++) {
    const uint32_t row = changed->rows[i];
    const int32_t before = vector->fits[row], after = changed->fits[i];

    if (after != before) {
      rebali_vector_put(vector, row, after);
      if (before >= lower || after >= lower) {
        changes[n++] = (struct rebali_ranking_change){rebali_snapshot_rank(estimation->snapshot, row), before, after};
      }
    }
    if (vector->ledger != NULL) {
      vector->seen[row] = 0;
    }
  }
  if (n > MANY_ROWS && !needs_rankings) {
    forget_rankings(vector);
    return REBAL_OK;
  }
  return repair(vector, estimation->arena, changes, n);
}

/* Estimates few rows at once. */
static int32_t fit_named(struct rebali_estimation *estimation, struct rebali_capacity_vector *vector,
                         const uint32_t *rows, size_t n) {
  struct changed changed;

  if (allocate_changed(estimation, n, &changed) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  memcpy(changed.rows, rows, n * sizeof *rows);
  changed.n = n;
  return fit_one_by_one(estimation, &changed) == REBAL_OK ? put_changed(estimation, vector, &changed, 1) : REBAL_ENOMEM;
}

/* ---- rows that are old ------------------------------------------------------------------------------------------- */

/* Marks rows to be estimated when they are read; all if rows is NULL. */
static int32_t note_old(rebal_ctx *ctx, struct rebali_capacity_vector *vector, const uint32_t *rows, size_t n) {
  const size_t words = REBALI_BITSET_WORDS(vector->rows);

  if (rebali_reserve(rebali_ctx_allocator(ctx), &vector->old, &vector->old_capacity, words, sizeof *vector->old) !=
      REBAL_OK) {
    return REBAL_ENOMEM;
  }
  if (words > vector->old_words) {
    memset(vector->old + vector->old_words, 0, (words - vector->old_words) * sizeof *vector->old);
    vector->old_words = words;
  }
  for (size_t i = 0; rows != NULL && i < n; i++) {
    rebali_bit_set(vector->old, rows[i], 1);
  }
  for (uint32_t row = 0; rows == NULL && row < vector->rows; row++) {
    rebali_bit_set(vector->old, row, 1);
  }
  vector->has_old = 1;
  vector->n_walks = rows == NULL || n > MANY_ROWS ? 0 : vector->n_walks;
  return REBAL_OK;
}

static void count_unlimited(struct rebali_capacity_vector *vector) {
  vector->n_unlimited = 0;
  for (uint32_t row = 0; row < vector->rows; row++) {
    vector->n_unlimited += vector->fits[row] == INT32_MAX;
  }
}

/* Estimates all rows of a vector again, at least one; most values change little. */
static int32_t fit_all(struct rebali_estimation *estimation, struct rebali_capacity_vector *vector) {
  int32_t *fits = rebali_arena_allocate(estimation->arena, (size_t)vector->rows + 1, sizeof *fits);

  if (fits == NULL || fit(estimation, 0, vector->rows, fits) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  memcpy(vector->fits, fits, vector->rows * sizeof *fits);
  if (vector->ledger != NULL) {
    memset(vector->seen, 0, vector->rows * sizeof *vector->seen);
  }
  count_unlimited(vector);
  forget_rankings(vector);
  return REBAL_OK;
}

static int32_t catch_up_all(struct rebali_estimation *estimation, struct rebali_capacity_vector *vector) {
  const size_t n = rebali_bits_count(vector->old, vector->old_words);
  struct changed changed;
  int32_t code;

  if (n > vector->rows / 2) {
    code = fit_all(estimation, vector);
  } else {
    code = fit_bits(estimation, vector->old, vector->old_words, n, &changed);
    code = code == REBAL_OK ? put_changed(estimation, vector, &changed, 1) : code;
  }
  if (code == REBAL_OK) {
    memset(vector->old, 0, vector->old_words * sizeof *vector->old);
    vector->has_old = 0;
  }
  return code;
}

static int32_t catch_up_some(struct rebali_estimation *estimation, struct rebali_capacity_vector *vector,
                             const uint64_t *wanted, size_t n) {
  uint64_t *bits = rebali_arena_allocate(estimation->arena, vector->old_words, sizeof *bits);
  struct changed changed;
  int32_t code;

  if (bits == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t word = 0; word < vector->old_words; word++) {
    bits[word] = vector->old[word] & wanted[word];
  }
  code = fit_bits(estimation, bits, vector->old_words, n, &changed);
  code = code == REBAL_OK ? put_changed(estimation, vector, &changed, 0) : code;
  for (size_t word = 0; code == REBAL_OK && word < vector->old_words; word++) {
    vector->old[word] &= ~bits[word];
  }
  return code;
}

int32_t rebali_fits_catch_up(struct rebali_fits *fits, const uint64_t *wanted, size_t n_wanted) {
  struct rebali_capacity_vector *vector = fits->vector;

  if (!vector->has_old) {
    return REBAL_OK;
  }
  return wanted == NULL || !rebali_fits_are_few(fits, n_wanted)
             ? catch_up_all(&fits->estimation, vector)
             : catch_up_some(&fits->estimation, vector, wanted, n_wanted);
}

/* ---- values of the cache ----------------------------------------------------------------------------------------- */

static void resolve(struct rebali_capacity_vector *vector, const rebal_snapshot *snapshot) {
  rebali_demand_resolve(&vector->demand, snapshot);
  rebali_set_resolve(&vector->set, snapshot);
}

/* Begins an update: resolves requests by the snapshot's resources and adds numbers for new rows. */
static int32_t begin_update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_capacity_vector *vector,
                            struct rebali_estimation *estimation) {
  estimation->rules.charge_summaries = 0;
  resolve(vector, snapshot);
  vector->has_looked = 0;
  return add_rows(ctx, vector, rebali_snapshot_rows(snapshot));
}

/*
 * Follows few changes at once, and others when their rows are read. With a ledger all are followed at once, as fits.c
 * requires.
 */
static int32_t vector_update(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                             const uint32_t *rows, size_t n, rebal_error *err) {
  struct rebali_capacity_vector *vector = value;
  struct rebali_estimation estimation = estimation_of(ctx, snapshot, key, vector);
  int32_t code = begin_update(ctx, snapshot, vector, &estimation);

  if (code == REBAL_OK) {
    code = vector->ledger != NULL || (n <= FEW_ROWS && !vector->has_old) ? fit_named(&estimation, vector, rows, n)
                                                                         : note_old(ctx, vector, rows, n);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t vector_renew(rebal_ctx *ctx, rebal_snapshot *snapshot, struct rebali_text key, void *value,
                            rebal_error *err) {
  struct rebali_capacity_vector *vector = value;
  struct rebali_estimation estimation = estimation_of(ctx, snapshot, key, vector);
  int32_t code = begin_update(ctx, snapshot, vector, &estimation);

  if (code == REBAL_OK) {
    code = vector->ledger != NULL ? fit_all(&estimation, vector) : note_old(ctx, vector, NULL, 0);
  }
  return code == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
}

/* Creates a vector without rows, with the requirements of the key. Returns NULL without memory. */
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
  const struct question *question = (const void *)key.bytes;
  struct rebali_estimation estimation = estimation_of(ctx, snapshot, key, NULL);
  struct rebali_capacity_vector *vector = new_vector(ctx, &estimation);

  if (vector == NULL) {
    return rebali_fail_memory(err);
  }
  estimation = estimation_of(ctx, snapshot, key, vector);
  resolve(vector, snapshot);
  vector->ledger = rebali_identity_ref((struct rebali_identity *)(uintptr_t)question->ledger);
  if (add_rows(ctx, vector, rebali_snapshot_rows(snapshot)) != REBAL_OK ||
      fit(&estimation, 0, vector->rows, vector->fits) != REBAL_OK) {
    vector_destroy(rebali_ctx_allocator(ctx), vector);
    return rebali_fail_memory(err);
  }
  count_unlimited(vector);
  *value = vector;
  return REBAL_OK;
}

static size_t vector_bytes(const void *value) {
  const struct rebali_capacity_vector *vector = value;

  return sizeof *vector + vector->n_items * sizeof(struct rebali_request) +
         vector->fits_capacity * sizeof *vector->fits + vector->seen_capacity * sizeof *vector->seen +
         vector->old_capacity * sizeof *vector->old + rebali_ranking_bytes(&vector->rankings[0]) +
         rebali_ranking_bytes(&vector->rankings[1]);
}

static const struct rebali_derived vector_kind = {
    vector_build, vector_update, vector_bytes, vector_destroy, REBALI_READS_CELLS | REBALI_READS_CAPACITIES,
    vector_renew,
};

static int32_t estimate(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_component *components, size_t n,
                        uint64_t kind, const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_fits *fits,
                        rebal_error *err) {
  const struct rebali_rules rules = rebali_rules_read(compat);
  struct question *question =
      rebali_arena_allocate(rebali_ctx_scratch(ctx), 1, sizeof *question + n * sizeof *components);
  void *value = NULL;
  int32_t code;

  if (question == NULL) {
    return rebali_fail_memory(err);
  }
  question->rules = kind | (rules.use_models ? USES_MODELS : 0) | (rules.wrap ? WRAPS : 0) |
                    (ledger != NULL && rules.charge_summaries ? CHARGES_SUMMARIES : 0);
  question->ledger = ledger == NULL ? 0 : (uint64_t)(uintptr_t)rebali_ledger_identity(ledger);
  if (n != 0) {
    memcpy(question->components, components, n * sizeof *components);
  }
  code = rebali_cache_get(ctx, snapshot, &vector_kind, key_of(question, n), &value, err);
  if (code != REBAL_OK) {
    return code;
  }
  fits->vector = value;
  fits->ctx = ctx;
  fits->snapshot = snapshot;
  fits->estimation = estimation_of(ctx, snapshot, key_of(question, n), value);
  fits->estimation.ledger = ledger;
  return rebali_fits_begin(fits) == REBAL_OK ? REBAL_OK : rebali_fail_memory(err);
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
