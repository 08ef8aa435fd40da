/* SPDX-License-Identifier: MIT */
/*
 * Reads a capacity vector beside the charges of a ledger. Charges mostly grow, so an old value is an upper bound: it
 * stays until it is read, or until its row may be among the best. Values that may have grown are estimated at once:
 * where a charge fell, and where resource models are used, as with models more may fit beside larger charges.
 */
#include "estimator/fast/fits.h"

/*
 * Returns whether charges changed after the row, one of n_changes, was estimated. The last version always counts as
 * changed.
 */
static int is_stale(const struct rebali_fits *fits, uint32_t row) {
  return fits->vector->seen[row] != fits->changes[row].version;
}

/* Estimates a row again. */
static int32_t refresh(struct rebali_fits *fits, uint32_t row) {
  struct rebali_capacity_vector *vector = fits->vector;
  const uint32_t version = fits->changes[row].version;
  int32_t replicas;
  const int32_t code = fits->estimation.set != NULL ? rebali_fit_sets(&fits->estimation, row, &replicas)
                                                    : rebali_fit_charged(&fits->estimation, row, &replicas);

  if (code == REBAL_OK) {
    rebali_vector_put(vector, row, replicas);
    vector->seen[row] = version == UINT32_MAX ? 0 : version;
  }
  return code;
}

/* Returns the end of the rows whose changes are examined; the vector has a row for each charge. */
static uint32_t end_of_changes(const struct rebali_fits *fits) {
  return fits->n_changes < fits->vector->rows ? fits->n_changes : fits->vector->rows;
}

/* Returns whether the cluster's page has resource models that count. */
static int page_has_models(const struct rebali_fits *fits, uint32_t row) {
  int64_t absent;

  return fits->estimation.rules.use_models && rebali_snapshot_page(fits->estimation.snapshot, REBAL_CLUSTER_MODELINGS,
                                                                   row - row % REBALI_PAGE_ROWS, &absent) != NULL;
}

static int have_models(const struct rebali_fits *fits) {
  const uint32_t rows = rebali_snapshot_rows(fits->estimation.snapshot);
  uint32_t row = 0;

  while (row < rows && !page_has_models(fits, row)) {
    row = rows - row > REBALI_PAGE_ROWS ? row + REBALI_PAGE_ROWS : rows;
  }
  return row < rows;
}

static int may_be_more(const struct rebali_fits *fits, uint32_t row) {
  return fits->estimation.rules.wrap || fits->changes[row].fallen > fits->vector->seen[row] ||
         rebali_is_modelled(&fits->estimation, row);
}

/* Estimates the stale rows again: all, or those whose value may have grown. */
static int32_t refresh_rows(struct rebali_fits *fits, int all) {
  const uint32_t end = end_of_changes(fits);
  int32_t code = REBAL_OK;

  for (uint32_t row = 0; row < end && code == REBAL_OK; row++) {
    if (is_stale(fits, row) && (all || may_be_more(fits, row))) {
      code = refresh(fits, row);
    }
  }
  return code;
}

int32_t rebali_fits_begin(struct rebali_fits *fits) {
  struct rebali_capacity_vector *vector = fits->vector;
  uint64_t falls;
  int32_t code;

  fits->replicas = vector->fits;
  fits->n_changes = 0;
  fits->beside = NULL;
  if (fits->estimation.ledger == NULL) {
    return REBAL_OK;
  }
  fits->changes = rebali_ledger_changes(fits->estimation.ledger, &fits->n_changes, &falls);
  if (fits->n_changes != 0) { /* rankings are unused from now on and need no updates */
    rebali_ranking_clear(&vector->rankings[0]);
    rebali_ranking_clear(&vector->rankings[1]);
  }
  rebali_demand_resolve_charges(&vector->demand, fits->estimation.ledger);
  vector->has_looked = vector->has_looked && vector->falls == falls;
  fits->has_models = have_models(fits);
  code = vector->has_looked && !fits->has_models && !fits->estimation.rules.wrap ? REBAL_OK : refresh_rows(fits, 0);
  vector->has_looked = code == REBAL_OK;
  vector->falls = falls;
  return code;
}

int32_t rebali_fits_all(struct rebali_fits *fits) {
  return fits->estimation.ledger == NULL ? rebali_fits_catch_up(fits, NULL, 0) : refresh_rows(fits, 1);
}

/*
 * Rows with models, the only ones that need memory, were estimated when the estimate began. Nothing is lost without
 * memory: their numbers are exact already. An estimate of a few divisions is computed without a check, as the check
 * takes longer. A row where nothing fitted, such as one without a summary, is skipped.
 */
int32_t rebali_fits_charged(struct rebali_fits *fits, uint32_t row) {
  const int is_quick = fits->estimation.set == NULL && !rebali_is_modelled(&fits->estimation, row);
  int32_t replicas;

  if (!is_quick) {
    if (is_stale(fits, row)) {
      (void)refresh(fits, row);
    }
  } else if (fits->replicas[row] != 0) {
    (void)rebali_fit_beside_charges(&fits->estimation, row, &replicas); /* needs no memory without models */
    rebali_vector_put(fits->vector, row, replicas);
  }
  return fits->replicas[row];
}

void rebali_fits_charge(struct rebali_fits *fits, struct rebali_surcharge *beside) {
  beside->is_void |= fits->estimation.set != NULL || fits->has_models;
  fits->beside = fits->estimation.rules.charge_summaries ? beside : NULL;
}

int32_t rebali_fits_beside(struct rebali_fits *fits, uint32_t row) {
  struct rebali_surcharge *beside = fits->beside;
  const int64_t *more = beside->amounts + beside->places[row] * beside->stride;
  int64_t replicas;

  if (!rebali_snapshot_i64(fits->estimation.snapshot, REBAL_CLUSTER_HAS_SUMMARY, row)) {
    return 0;
  }
  replicas = rebali_fit_beside_more(&fits->estimation, row, more, beside->stride);
  if (replicas == REBALI_FIT_UNTOLD || replicas >= INT32_MAX) {
    beside->is_void = 1;
    return 0;
  }
  return (int32_t)replicas;
}

int32_t rebali_fits_best(struct rebali_fits *fits, int descending, size_t n, const uint64_t **keys, size_t *n_keys) {
  struct rebali_capacity_vector *vector = fits->vector;
  const rebal_snapshot *snapshot = fits->estimation.snapshot;
  const struct rebali_ranked ranked = {vector->fits, rebali_snapshot_by_rank(snapshot), rebali_snapshot_rows(snapshot)};

  if (rebali_fits_catch_up(fits, NULL, 0) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_ranking_best(&vector->rankings[descending != 0], rebali_ctx_allocator(fits->ctx),
                             fits->estimation.arena, &ranked, n, keys, n_keys);
}
