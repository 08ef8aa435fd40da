/* SPDX-License-Identifier: MIT */
/*
 * lib/estimator/fast/fits.h - what fits into every cluster, kept between calls and corrected when read.
 * lib/scheduler/fast/fast.h says for what, and what may be relied on.
 *
 *   rebali_estimate_rows(), _sets()   the numbers of a question, from the cache: some may be old
 *   rebali_fits_catch_up()            puts right those of a bitset
 *   rebali_fits_of(), _all()          one number, all numbers, beside what a ledger charges
 *   rebali_fits_best()                the best rows in order, from a ranking
 *   rebali_fits_walk_begin(), _next() the best rows of a bitset, one after the other, without a ranking
 */
#ifndef REBALI_ESTIMATOR_FITS_H
#define REBALI_ESTIMATOR_FITS_H

#include "estimator/estimator.h"
#include "foundation/ranking.h"

/* rows.c: rebali_fit_replicas() without a ledger for the rows first to end, which there are. REBAL_ENOMEM. */
int32_t rebali_fit_rows(struct rebali_estimation *estimation, uint32_t first, uint32_t end, int32_t *out);
/* charged.c: the same for one row with the ledger. Only a row with resource models asks for memory. */
int32_t rebali_fit_charged(struct rebali_estimation *estimation, uint32_t cluster, int32_t *out);
/* The same for a row with a summary and without models: amounts that are not whole numbers are estimated elsewhere. */
int32_t rebali_fit_beside_charges(struct rebali_estimation *estimation, uint32_t cluster, int32_t *out);
/*
 * What fits into a row without models when more is charged to it than the ledger has: replicas first, which are pods,
 * then amounts by the ledger's names, n in all. REBALI_FIT_UNTOLD: it is to be estimated plainly, or sums saturate.
 */
#define REBALI_FIT_UNTOLD (-1)
int64_t rebali_fit_beside_more(const struct rebali_estimation *estimation, uint32_t cluster, const int64_t *more,
                               size_t n);
/*
 * What is charged to rows beside what the ledger has, as above; it must not saturate. An answer is void that asked for
 * what this does not tell: sets, rows with models, what has no limit.
 */
struct rebali_surcharge {
  uint64_t *rows;         /* bits by row */
  const uint64_t *fallen; /* in other rows of these no amount is below 0 */
  uint32_t *places;       /* by row: that of its amounts, in rows of a stride */
  const int64_t *amounts;
  size_t stride;
  int is_void;
};
/* Without a ledger for n different rows, in order, none of which has models that count. */
int32_t rebali_fit_listed(struct rebali_estimation *estimation, const uint32_t *rows, size_t n, int32_t *out);

/*
 * vector.c: a value of the cache. One of demand and set is that of the question; its items follow the vector. A charged
 * one has the versions of charges that its numbers count, by row; others are bounds from above.
 */
struct rebali_capacity_vector {
  struct rebali_demand demand;
  struct rebali_set set;
  size_t n_items;
  int32_t *fits;
  size_t room_for_fits;
  uint32_t rows;
  uint32_t n_unlimited;              /* rows with INT32_MAX */
  struct rebali_ranking rankings[2]; /* while nothing is charged: with the places of ranks, and complements */
  struct rebali_identity *ledger;    /* NULL: not charged, and without the next ones */
  uint32_t *seen;
  size_t room_for_seen;
  uint64_t falls;   /* of the ledger's charges, when rows were last looked at */
  int has_looked;   /* no number is too small, as of falls */
  uint32_t n_walks; /* past the rankings since many numbers changed */
  int has_old;      /* some rows changed since they were estimated; never with a ledger */
  uint64_t *old;    /* their bits */
  size_t old_words;
  size_t room_for_old;
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
  int has_models;     /* some rows have resource models that count; known with a ledger only */
  struct rebali_surcharge *beside;
};
int32_t rebali_estimate_rows(rebal_ctx *ctx, rebal_snapshot *snapshot, uint32_t requirements,
                             const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_fits *fits,
                             rebal_error *err);
int32_t rebali_estimate_sets(rebal_ctx *ctx, rebal_snapshot *snapshot, const struct rebali_component *components,
                             size_t n, const rebal_compat *compat, const rebal_ledger *ledger, struct rebali_fits *fits,
                             rebal_error *err);
/*
 * The estimates keep old numbers of rows that changed and were not read since. This corrects those of a bitset
 * with n_wanted rows, or with NULL those of all; what follows but rebali_fits_all() and rebali_fits_best() reads such
 * rows only. REBAL_ENOMEM without filling an error.
 */
int32_t rebali_fits_catch_up(struct rebali_fits *fits, const uint64_t *wanted, size_t n_wanted);
/* Are n rows so few that all of them are looked at sooner than an order of all rows is kept? */
static inline int rebali_fits_are_few(const struct rebali_fits *fits, size_t n) {
  return n <= fits->vector->rows / 8;
}
/* fits.c: takes notice of the ledger's changes; the estimates begin with it. REBAL_ENOMEM. */
int32_t rebali_fits_begin(struct rebali_fits *fits);
/* From now on numbers are read beside more than the ledger has; it knows the clusters. */
void rebali_fits_charge(struct rebali_fits *fits, struct rebali_surcharge *beside);
/* Makes all of replicas exact, not beside more than the ledger has. REBAL_ENOMEM without filling an error. */
int32_t rebali_fits_all(struct rebali_fits *fits);
/* The exact number of a row: may be less than what the vector has, which is then put right. */
int32_t rebali_fits_charged(struct rebali_fits *fits, uint32_t row);
/* The number of a row that has more charges than the ledger's. */
int32_t rebali_fits_beside(struct rebali_fits *fits, uint32_t row);
static inline int32_t rebali_fits_of(struct rebali_fits *fits, uint32_t row) {
  if (fits->beside != NULL && rebali_bit_get(fits->beside->rows, row)) {
    return rebali_fits_beside(fits, row);
  }
  return row < fits->n_changes ? rebali_fits_charged(fits, row) : fits->replicas[row];
}
/* May a row that is not old have no limit? Not when this is 0. */
static inline int rebali_fits_may_be_unlimited(const struct rebali_fits *fits) {
  return fits->vector->n_unlimited != 0;
}
/*
 * Without changed charges: the best n rows, or all when there are fewer, absent ones among them: keys of a ranking
 * whose places are the ranks of names, or with descending their complements (UINT32_MAX - rank). Valid until the call
 * ends or the vector is next asked. REBAL_ENOMEM without filling an error.
 */
int32_t rebali_fits_best(struct rebali_fits *fits, int descending, size_t n, const uint64_t **keys, size_t *n_keys);

/*
 * remaining.c: what remains for a demand beside what a ledger charges, by row: pods, and the amounts of resources of
 * which a replica asks for some. Valid until the call ends or the ledger is charged.
 */
#define REBALI_REMAINING_UNKNOWN INT64_MAX /* more than each known one: the row is to be estimated plainly */
struct rebali_remaining_item {
  struct rebali_divisor divisor;
  int64_t most; /* replicas of which the amount is within int64 */
  size_t column;
};
struct rebali_remaining {
  const int64_t *amounts; /* rows of a stride; NULL: there are none for such a demand */
  size_t stride;
  const uint64_t *briefs;              /* by row, with guards */
  uint64_t least;                      /* the brief of amounts for so many replicas as are wanted, without guards */
  struct rebali_remaining_item *items; /* the last are the pods */
  size_t n;
  int32_t wanted;
};
/* REBAL_ENOMEM without filling an error. */
int32_t rebali_remaining_get(struct rebali_fits *fits, struct rebali_remaining *out);
/* From now on rows are wanted in which that many replicas fit, 0 or more. */
void rebali_remaining_want(struct rebali_remaining *remaining, int32_t replicas);
/*
 * A brief has the first amounts of a row in one word, each as its leading bits and how many follow: a smaller amount is
 * no larger number. A guard stands above each: if none of the numbers is below that of `least`, the difference of both
 * words has all guards. So a row is refused in one step, not by a branch for each amount, which is guessed wrong often.
 */
#define REBALI_BRIEF_COLUMNS ((size_t)3)
#define REBALI_BRIEF_BITS 21u    /* with the guard */
#define REBALI_BRIEF_LEADING 14u /* behind the highest bit */
#define REBALI_BRIEF_GUARDS UINT64_C(0x4000020000100000)
static inline uint64_t rebali_brief(int64_t amount, size_t column) {
  const size_t highest = rebali_bit_highest((uint64_t)amount | 1);
  const size_t dropped = highest > REBALI_BRIEF_LEADING ? highest - REBALI_BRIEF_LEADING : 0;

  return (((uint64_t)dropped << REBALI_BRIEF_LEADING) + ((uint64_t)amount >> dropped)) << column * REBALI_BRIEF_BITS;
}
/* May so many fit into a row as are wanted? Not when this is 0. */
static inline int rebali_remaining_is_promising(const struct rebali_remaining *remaining, uint32_t row) {
  return ((remaining->briefs[row] - remaining->least) & REBALI_BRIEF_GUARDS) == REBALI_BRIEF_GUARDS;
}
/* Replicas that fit into a row, or REBALI_REMAINING_UNKNOWN. */
int64_t rebali_remaining_fit(const struct rebali_remaining *remaining, uint32_t row);

/*
 * walk.c: the rows of a bitset, the best first. With a ledger only rows that may be among the best are estimated;
 * without one all are listed.
 */
struct rebali_fits_walk {
  struct rebali_fits *fits;
  uint64_t *left; /* bits of the rows that are wanted and were not yet among the keys; not there when they are exact */
  size_t words;
  size_t n_left; /* at most */
  int descending;
  uint64_t *keys; /* the best rows, in order; behind them the keys of those that are left, when they are exact */
  size_t n_keys;
  size_t at;
  uint64_t *spare; /* room for as many keys */
  int are_exact;
  struct rebali_remaining remaining; /* of estimates as quick as bounds; not there: bounds are looked at */
};
/*
 * Is a walk quicker than the rankings, or the only way? Few rows are, as long as the rankings would have to be put in
 * order for a few questions only. As the next one.
 */
int rebali_fits_walk_is_quicker(struct rebali_fits *fits, size_t n_wanted, size_t n);
/* No more than n_wanted bits are set. n: an estimate of the number of rows that will be read. REBAL_ENOMEM. */
int32_t rebali_fits_walk_begin(struct rebali_fits_walk *walk, struct rebali_fits *fits, const uint64_t *wanted,
                               size_t n_wanted, int descending, size_t n);
/* REBAL_ENOTFOUND behind the last one, REBAL_ENOMEM; neither fills an error. */
int32_t rebali_fits_walk_next(struct rebali_fits_walk *walk, uint32_t *row, int32_t *value);

#endif
