/* SPDX-License-Identifier: MIT */
/*
 * lib/estimator/fast/fits.h - what fits into every cluster, kept between calls and corrected when read.
 * lib/scheduler/fast/fast.h describes the purpose and the guarantees.
 *
 *   rebali_estimate_rows(), _sets()   the numbers of an estimate, from the cache: some may be old
 *   rebali_fits_catch_up()            corrects those of a bitset
 *   rebali_fits_of(), _all()          one number, all numbers, beside what a ledger charges
 *   rebali_fits_best()                the best rows in order, from a ranking
 *   rebali_fits_walk_begin(), _next() the best rows of a bitset, one after the other, without a ranking
 */
#ifndef REBALI_ESTIMATOR_FITS_H
#define REBALI_ESTIMATOR_FITS_H

#include "estimator/estimator.h"
#include "foundation/ranking.h"

/* rows.c: rebali_fit_replicas() without a ledger for the rows [first, end), which must exist. Returns REBAL_ENOMEM. */
int32_t rebali_fit_rows(struct rebali_estimation *estimation, uint32_t first, uint32_t end, int32_t *out);
/* charged.c: estimates one row with the ledger. Only a row with resource models needs memory. */
int32_t rebali_fit_charged(struct rebali_estimation *estimation, uint32_t cluster, int32_t *out);
/* Estimates a row with a summary and without models. Amounts that are not integers are estimated elsewhere. */
int32_t rebali_fit_beside_charges(struct rebali_estimation *estimation, uint32_t cluster, int32_t *out);
/*
 * Estimates a row without models when more is charged to it than the ledger holds: replicas first, which are pods, then
 * amounts by the ledger's names, n in all. Returns REBALI_FIT_UNTOLD if the plain estimate is needed or sums saturate.
 */
#define REBALI_FIT_UNTOLD (-1)
int64_t rebali_fit_beside_more(const struct rebali_estimation *estimation, uint32_t cluster, const int64_t *more,
                               size_t n);
/*
 * Charges to rows in addition to the ledger's, as above; they must not saturate. A result is void if it needs what this
 * does not cover: sets, rows with models, estimates without a limit.
 */
struct rebali_surcharge {
  uint64_t *rows;         /* bits by row */
  const uint64_t *fallen; /* all amounts of rows outside this set are 0 or more */
  uint32_t *places;       /* by row: index of its amounts, in rows of a stride */
  const int64_t *amounts;
  size_t stride;
  int is_void;
};
/* Estimates n different rows in order, without a ledger. None of them may have models that count. */
int32_t rebali_fit_listed(struct rebali_estimation *estimation, const uint32_t *rows, size_t n, int32_t *out);

/*
 * vector.c: a value of the cache. One of demand and set is used, and its items follow the vector. A charged vector has,
 * by row, the version of the charges in each number. The numbers of others are upper bounds.
 */
struct rebali_capacity_vector {
  struct rebali_demand demand;
  struct rebali_set set;
  size_t n_items;
  int32_t *fits;
  size_t fits_capacity;
  uint32_t rows;
  uint32_t n_unlimited;              /* rows with INT32_MAX */
  struct rebali_ranking rankings[2]; /* used while nothing is charged: with the positions of ranks, and complements */
  struct rebali_identity *ledger;    /* NULL: not charged, and the next members are unused */
  uint32_t *seen;
  size_t seen_capacity;
  uint64_t falls;   /* of the ledger's charges, when rows were last examined */
  int has_looked;   /* as of falls, no number is too small */
  uint32_t n_walks; /* walks without rankings since many numbers changed */
  int has_old;      /* some rows changed since they were estimated; never with a ledger */
  uint64_t *old;    /* their bits */
  size_t old_words;
  size_t old_capacity;
};
static inline void rebali_vector_put(struct rebali_capacity_vector *vector, uint32_t row, int32_t replicas) {
  vector->n_unlimited += (uint32_t)(replicas == INT32_MAX) - (uint32_t)(vector->fits[row] == INT32_MAX);
  vector->fits[row] = replicas;
}

/*
 * vector.c: replicas of a requirement, or sets of components, that fit, by cluster row (absent rows 0). Valid until the
 * call ends or the ledger is charged. The ledger may be NULL.
 */
struct rebali_fits {
  const int32_t *replicas; /* or sets; all are exact only after rebali_fits_all() */
  struct rebali_capacity_vector *vector;
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  struct rebali_estimation estimation;
  const struct rebali_spent_change *changes;
  uint32_t n_changes; /* 0 without a ledger */
  int has_models;     /* some rows have resource models that count; set only with a ledger */
  struct rebali_surcharge *beside;
};
int32_t rebali_estimate_rows(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements,
                             const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_fits *fits,
                             rebal_error *err);
int32_t rebali_estimate_sets(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_component *components,
                             size_t n, const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_fits *fits,
                             rebal_error *err);
/*
 * Corrects the old numbers of rows that changed and were not read since: those of a bitset with n_wanted rows, or all
 * with NULL. Except rebali_fits_all() and rebali_fits_best(), the functions below must read corrected rows only.
 * Returns REBAL_ENOMEM without filling an error.
 */
int32_t rebali_fits_catch_up(struct rebali_fits *fits, const uint64_t *wanted, size_t n_wanted);
/* Returns whether examining n rows one by one is quicker than keeping all rows in order. */
static inline int rebali_fits_are_few(const struct rebali_fits *fits, size_t n) {
  return n <= fits->vector->rows / 8;
}
/* fits.c: follows the ledger's changes; every estimate begins with it. Returns REBAL_ENOMEM. */
int32_t rebali_fits_begin(struct rebali_fits *fits);
/* Makes later reads count charges in addition to the ledger's. The ledger must know the clusters. */
void rebali_fits_charge(struct rebali_fits *fits, struct rebali_surcharge *beside);
/* Makes all of replicas exact, without additional charges. Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_fits_all(struct rebali_fits *fits);
/* Returns the exact number of a row below n_changes and corrects the vector, whose number may be larger. */
int32_t rebali_fits_charged(struct rebali_fits *fits, uint32_t row);
/* Returns the number of a row with charges in addition to the ledger's. */
int32_t rebali_fits_beside(struct rebali_fits *fits, uint32_t row);
static inline int32_t rebali_fits_of(struct rebali_fits *fits, uint32_t row) {
  if (fits->beside != NULL && rebali_bit_get(fits->beside->rows, row)) {
    return rebali_fits_beside(fits, row);
  }
  return row < fits->n_changes ? rebali_fits_charged(fits, row) : fits->replicas[row];
}
/* Returns 0 only if no row that is up to date is unlimited. */
static inline int rebali_fits_may_be_unlimited(const struct rebali_fits *fits) {
  return fits->vector->n_unlimited != 0;
}
/*
 * For vectors without changed charges: returns the best n rows, or all if there are fewer, including absent ones, as
 * keys of a ranking. Its positions are the ranks of names, or their complements (UINT32_MAX - rank) if descending.
 * Valid until the call ends or the vector is next read. Returns REBAL_ENOMEM without filling an error.
 */
int32_t rebali_fits_best(struct rebali_fits *fits, int descending, size_t n, const uint64_t **keys, size_t *n_keys);

/*
 * remaining.c: what remains for a demand beside the charges of a ledger, by row: pods, and the amounts of the resources
 * that a replica requests. Valid until the call ends or the ledger is charged.
 */
#define REBALI_REMAINING_UNKNOWN INT64_MAX /* above all known values: the row needs the plain estimate */
struct rebali_remaining_item {
  struct rebali_divisor divisor;
  int64_t most; /* the most replicas whose amount is within int64 */
  size_t column;
};
struct rebali_remaining {
  const int64_t *amounts; /* rows of a stride; NULL: the demand has no such table */
  size_t stride;
  const uint64_t *briefs;              /* by row, with guards */
  uint64_t least;                      /* the brief of the amounts for the wanted replicas, without guards */
  struct rebali_remaining_item *items; /* the last item is the pods */
  size_t n;
  int32_t wanted;
};
/* Returns REBAL_ENOMEM without filling an error. */
int32_t rebali_remaining_get(struct rebali_fits *fits, struct rebali_remaining *out);
/* Sets how many replicas, 0 or more, must fit into wanted rows. */
void rebali_remaining_want(struct rebali_remaining *remaining, int32_t replicas);
/*
 * A brief packs the first amounts of a row into one word, each as its leading bits and how many bits follow. A smaller
 * amount never has a larger number. A guard bit is above each number: if no number is below that of `least`, the
 * difference of both words has all guards. A row is thus refused in one step, without a hard-to-predict branch per
 * amount.
 */
#define REBALI_BRIEF_COLUMNS ((size_t)3)
#define REBALI_BRIEF_BITS 21u    /* with the guard */
#define REBALI_BRIEF_LEADING 14u /* after the highest bit */
#define REBALI_BRIEF_GUARDS UINT64_C(0x4000020000100000)
static inline uint64_t rebali_brief(int64_t amount, size_t column) {
  const size_t highest = rebali_bit_highest((uint64_t)amount | 1);
  const size_t dropped = highest > REBALI_BRIEF_LEADING ? highest - REBALI_BRIEF_LEADING : 0;

  return (((uint64_t)dropped << REBALI_BRIEF_LEADING) + ((uint64_t)amount >> dropped)) << column * REBALI_BRIEF_BITS;
}
/* Returns 0 only if the wanted replicas do not fit into the row. */
static inline int rebali_remaining_is_promising(const struct rebali_remaining *remaining, uint32_t row) {
  return ((remaining->briefs[row] - remaining->least) & REBALI_BRIEF_GUARDS) == REBALI_BRIEF_GUARDS;
}
/* Returns the replicas that fit into a row, or REBALI_REMAINING_UNKNOWN. */
int64_t rebali_remaining_fit(const struct rebali_remaining *remaining, uint32_t row);

/*
 * walk.c: lists the rows of a bitset, the best first. With a ledger, only rows that may be among the best are
 * estimated; without one, all are listed.
 */
struct rebali_fits_walk {
  struct rebali_fits *fits;
  uint64_t *left; /* bits of wanted rows that are not yet among the keys; unset if exact */
  size_t words;
  size_t n_left; /* at most */
  int descending;
  uint64_t *keys; /* the best rows in order; if exact, the keys of the remaining rows follow */
  size_t n_keys;
  size_t at;
  uint64_t *spare; /* space for as many keys */
  int are_exact;
  struct rebali_remaining remaining; /* if estimates are as quick as bounds; unset: bounds are examined */
};
/*
 * Returns whether a walk is quicker than the rankings, or the only way. A walk over few rows is, as long as rankings
 * would be sorted for a few reads only. The same holds for the next function.
 */
int rebali_fits_walk_is_quicker(struct rebali_fits *fits, size_t n_wanted, size_t n);
/* At most n_wanted bits are set. n estimates how many rows will be read. Returns REBAL_ENOMEM. */
int32_t rebali_fits_walk_begin(struct rebali_fits_walk *walk, struct rebali_fits *fits, const uint64_t *wanted,
                               size_t n_wanted, int descending, size_t n);
/* Returns REBAL_ENOTFOUND after the last row, or REBAL_ENOMEM; neither fills an error. */
int32_t rebali_fits_walk_next(struct rebali_fits_walk *walk, uint32_t *row, int32_t *value);

#endif
