/* SPDX-License-Identifier: MIT */
/*
 * Reading a capacity vector, beside what a ledger charges. Charges mostly grow, so what fitted before them is a bound
 * from above: such a value stays until somebody reads it, or until it is one of the best. What may be more than it was
 * is estimated at once: where a charge fell, and where there are resource models, on which more may fit beside more.
 */
#include "estimator/estimator.h"

int32_t rebali_vector_repair(struct rebali_capacity_vector *vector, struct rebali_arena *scratch,
                             const struct rebali_ranking_change *changes, size_t n) {
  if (rebali_ranking_repair(&vector->rankings[0], scratch, changes, n) == REBAL_OK &&
      rebali_ranking_repair(&vector->rankings[1], scratch, changes, n) == REBAL_OK) {
    return REBAL_OK;
  }
  rebali_ranking_clear(&vector->rankings[0]);
  rebali_ranking_clear(&vector->rankings[1]);
  return REBAL_ENOMEM;
}

int32_t rebali_vector_settle(struct rebali_capacity_vector *vector, struct rebali_arena *scratch) {
  const size_t n = vector->n_lowered;

  if (n == 0) {
    return REBAL_OK; /* as in a vector that is shared, which nobody writes to */
  }
  vector->n_lowered = 0;
  return rebali_vector_repair(vector, scratch, vector->lowered, n);
}

/* Estimates a row anew. *n grows by a change. */
static int32_t refresh(struct rebali_fits *fits, uint32_t row, struct rebali_ranking_change *changes, size_t *n) {
  struct rebali_capacity_vector *vector = fits->vector;
  const uint32_t version = fits->changes[row].version;
  const int32_t before = vector->fits[row];
  const int32_t code = fits->estimation.set != NULL ? rebali_fit_sets(&fits->estimation, row, &vector->fits[row])
                                                    : rebali_fit_charged(&fits->estimation, row, &vector->fits[row]);

  if (vector->fits[row] != before) {
    changes[(*n)++] =
        (struct rebali_ranking_change){rebali_snapshot_rank(fits->estimation.snapshot, row), before, vector->fits[row]};
  }
  vector->seen[row] = version == UINT32_MAX || code != REBAL_OK ? 0 : version;
  return code;
}

/* Rows that have an end at which they are no longer looked at; the vector has a row for each charge. */
static uint32_t end_of_changes(const struct rebali_fits *fits) {
  return fits->n_changes < fits->vector->rows ? fits->n_changes : fits->vector->rows;
}

/* Does the cluster's page have any resource models that count? */
static int page_has_models(const struct rebali_fits *fits, uint32_t row) {
  int64_t absent;

  return fits->estimation.rules.use_models && rebali_snapshot_page(fits->estimation.snapshot, REBAL_CLUSTER_MODELINGS,
                                                                   row - row % REBALI_PAGE_ROWS, &absent) != NULL;
}

static int may_be_more(const struct rebali_fits *fits, uint32_t row) {
  return fits->estimation.rules.wrap || fits->changes[row].fallen > fits->vector->seen[row] ||
         rebali_is_modelled(&fits->estimation, row);
}

/* Estimates the stale rows: all, or those that may be more than they were. */
static int32_t refresh_rows(struct rebali_fits *fits, int all) {
  const uint32_t end = end_of_changes(fits);
  const int looks = all || !fits->vector->has_looked || fits->estimation.rules.wrap;
  struct rebali_ranking_change *changes = rebali_arena_allocate(fits->estimation.arena, end, sizeof *changes);
  size_t n = 0;
  int32_t code = changes == NULL ? REBAL_ENOMEM : REBAL_OK;

  for (uint32_t row = 0; row < end && code == REBAL_OK; row++) {
    if (!looks && row % REBALI_PAGE_ROWS == 0 && !page_has_models(fits, row)) {
      row += REBALI_PAGE_ROWS - 1;
    } else if (rebali_fits_are_stale(fits, row) && (all || may_be_more(fits, row))) {
      code = refresh(fits, row, changes, &n);
    }
  }
  return changes != NULL && rebali_vector_repair(fits->vector, fits->estimation.arena, changes, n) == REBAL_OK
             ? code
             : REBAL_ENOMEM;
}

int32_t rebali_fits_begin(struct rebali_fits *fits) {
  struct rebali_capacity_vector *vector = fits->vector;
  uint64_t falls;
  int32_t code;

  fits->replicas = vector->fits;
  fits->n_changes = 0;
  if (fits->estimation.ledger == NULL) {
    return REBAL_OK;
  }
  if (rebali_vector_settle(vector, fits->estimation.arena) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  fits->changes = rebali_ledger_changes(fits->estimation.ledger, &fits->n_changes, &falls);
  rebali_demand_resolve_charges(&vector->demand, fits->estimation.ledger);
  vector->has_looked = vector->has_looked && vector->falls == falls;
  code = refresh_rows(fits, 0);
  vector->has_looked = code == REBAL_OK;
  vector->falls = falls;
  return code;
}

int32_t rebali_fits_all(struct rebali_fits *fits) {
  return fits->estimation.ledger == NULL ? REBAL_OK : refresh_rows(fits, 1);
}

/* Neither step can fail: rows with models are up to date, and one change needs no memory. */
void rebali_fits_refresh(struct rebali_fits *fits, uint32_t row) {
  struct rebali_ranking_change change;
  size_t n = 0;

  (void)refresh(fits, row, &change, &n);
  (void)rebali_vector_repair(fits->vector, fits->estimation.arena, &change, n);
}

int32_t rebali_fits_lower(struct rebali_fits *fits, uint32_t row) {
  struct rebali_capacity_vector *vector = fits->vector;

  if (rebali_reserve(rebali_ctx_allocator(fits->ctx), &vector->lowered, &vector->room_for_lowered,
                     vector->n_lowered + 1, sizeof *vector->lowered) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return refresh(fits, row, vector->lowered, &vector->n_lowered);
}

int32_t rebali_fits_bounds(struct rebali_fits *fits, int descending, size_t n, const uint64_t **keys, size_t *n_keys) {
  struct rebali_capacity_vector *vector = fits->vector;
  const rebal_snapshot *snapshot = fits->estimation.snapshot;
  const struct rebali_ranked ranked = {vector->fits, rebali_snapshot_by_rank(snapshot), rebali_snapshot_rows(snapshot)};

  return rebali_vector_settle(vector, fits->estimation.arena) == REBAL_OK
             ? rebali_ranking_best(&vector->rankings[descending != 0], rebali_ctx_allocator(fits->ctx),
                                   fits->estimation.arena, &ranked, n, keys, n_keys)
             : REBAL_ENOMEM;
}
