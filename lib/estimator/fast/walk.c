/* SPDX-License-Identifier: MIT */
/*
 * Lists the best of some rows beside the charges of a ledger. If rows are few, the table of what remains excludes by
 * one comparison rows that cannot be among the best. Otherwise only bounds are known: the rows with the best bounds are
 * estimated, and then only those others whose bound beats the results.
 */
#include "estimator/fast/fits.h"

#define GROWTH ((size_t)4) /* growth of the number of rows that are searched at once */
#define WALKS 4u           /* walks over few rows before sorting all is worthwhile */

/* ---- the best rows so far: a heap with the worst on top ---------------------------------------------------------- */

struct best {
  uint64_t *keys;
  size_t n;
};

static void sift_down(struct best *best, size_t at, uint64_t key) {
  for (size_t child = 2 * at + 1; child < best->n; child = 2 * at + 1) {
    child += child + 1 < best->n && best->keys[child + 1] > best->keys[child];
    if (best->keys[child] <= key) {
      break;
    }
    best->keys[at] = best->keys[child];
    at = child;
  }
  best->keys[at] = key;
}

static void make_heap(struct best *best) {
  for (size_t at = best->n / 2; at-- > 0;) {
    sift_down(best, at, best->keys[at]);
  }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static uint64_t key_of(const struct rebali_fits_walk *walk, uint32_t row, int32_t value) {
  const uint32_t rank = rebali_snapshot_rank(walk->fits->estimation.snapshot, row);

  return rebali_ranking_key(value, rebali_ranking_turn(rank, walk->descending));
}

/* Returns bits of the rows of a word whose value may exceed what the ledger leaves. */
static uint64_t unbounded(const struct rebali_fits_walk *walk, uint32_t word) {
  const struct rebali_surcharge *beside = walk->fits->beside;

  return beside == NULL ? 0 : beside->rows[word] & beside->fallen[word];
}

static uint32_t row_of(const struct rebali_fits_walk *walk, uint64_t key) {
  const uint32_t rank = rebali_ranking_turn(rebali_ranking_place(key), walk->descending);

  return rebali_snapshot_by_rank(walk->fits->estimation.snapshot)[rank];
}

/* Takes as many rows as the heap can hold, the best by their bounds. */
static void take_by_bounds(const struct rebali_fits_walk *walk, size_t limit, struct best *best) {
  const int32_t *bounds = walk->fits->replicas;
  int32_t worst = INT32_MIN;

  for (uint32_t word = 0; word < walk->words; word++) {
    for (uint64_t left = walk->left[word]; left != 0; left &= left - 1) {
      const uint32_t row = word * 64 + (uint32_t)rebali_bit_lowest(left);

      if (best->n < limit) {
        best->keys[best->n++] = key_of(walk, row, bounds[row]);
        if (best->n == limit) {
          make_heap(best);
          worst = rebali_ranking_value(best->keys[0]);
        }
      } else if (bounds[row] > worst) {
        sift_down(best, 0, key_of(walk, row, bounds[row]));
        worst = rebali_ranking_value(best->keys[0]);
      }
    }
  }
}

/* Replaces the bounds of the rows by exact values and removes the rows from those left. */
static void find_truth(struct rebali_fits_walk *walk, struct best *best) {
  for (size_t i = 0; i < best->n; i++) {
    const uint32_t row = row_of(walk, best->keys[i]);

    rebali_bit_set(walk->left, row, 0);
    best->keys[i] = key_of(walk, row, rebali_fits_of(walk->fits, row));
  }
  make_heap(best);
}

/* Replaces the worst rows by rows that beat them. */
static void exchange(struct rebali_fits_walk *walk, struct best *best) {
  const int32_t *bounds = walk->fits->replicas;

  for (uint32_t word = 0; word < walk->words; word++) {
    const uint64_t may_be_more = unbounded(walk, word);

    for (uint64_t left = walk->left[word]; left != 0; left &= left - 1) {
      const uint32_t row = word * 64 + (uint32_t)rebali_bit_lowest(left);

      if (bounds[row] >= rebali_ranking_value(best->keys[0]) || (may_be_more & left & (0 - left)) != 0) {
        const uint64_t key = key_of(walk, row, rebali_fits_of(walk->fits, row));

        if (key < best->keys[0]) {
          rebali_bit_set(walk->left, row_of(walk, best->keys[0]), 1);
          rebali_bit_set(walk->left, row, 0);
          sift_down(best, 0, key);
        }
      }
    }
  }
}

/* ---- rows of which an estimate is as quick as a bound ------------------------------------------------------------ */

static uint64_t estimate_key(struct rebali_fits_walk *walk, uint32_t row) {
  struct rebali_estimation *estimation = &walk->fits->estimation;
  const struct rebali_surcharge *beside = walk->fits->beside;
  const int64_t fits = rebali_remaining_fit(&walk->remaining, row);
  int32_t replicas;

  if (beside != NULL && rebali_bit_get(beside->rows, row)) {
    replicas = rebali_fits_beside(walk->fits, row);
  } else if (fits == REBALI_REMAINING_UNKNOWN) {
    (void)rebali_fit_charged(estimation, row, &replicas); /* needs no memory without models */
  } else {
    replicas = rebali_rules_cast(&estimation->rules, fits);
  }
  return key_of(walk, row, replicas);
}

/* Adds a row to the best so far if it is better than the worst of them. */
static void take(struct rebali_fits_walk *walk, size_t limit, uint64_t key, struct best *best) {
  if (best->n < limit) {
    best->keys[best->n++] = key;
    if (best->n < limit) {
      return;
    }
    make_heap(best);
  } else if (key < best->keys[0]) {
    sift_down(best, 0, key);
  }
  if (rebali_ranking_value(best->keys[0]) > walk->remaining.wanted) {
    rebali_remaining_want(&walk->remaining, rebali_ranking_value(best->keys[0]));
  }
}

/* Takes the best of the remaining rows. */
static void take_estimated(struct rebali_fits_walk *walk, size_t limit, struct best *best) {
  rebali_remaining_want(&walk->remaining, 0);
  for (uint32_t word = 0; word < walk->words; word++) {
    const uint64_t may_be_more = unbounded(walk, word);

    for (uint64_t left = walk->left[word]; left != 0; left &= left - 1) {
      const uint32_t row = word * 64 + (uint32_t)rebali_bit_lowest(left);

      if (rebali_remaining_is_promising(&walk->remaining, row) || (may_be_more & left & (0 - left)) != 0) {
        take(walk, limit, estimate_key(walk, row), best);
      }
    }
  }
  for (size_t i = 0; i < best->n; i++) {
    rebali_bit_set(walk->left, row_of(walk, best->keys[i]), 0);
  }
}

static int32_t find_best(struct rebali_fits_walk *walk, size_t limit, size_t *n) {
  struct best best = {rebali_arena_allocate(walk->fits->estimation.arena, limit, 2 * sizeof *best.keys), 0};

  if (best.keys == NULL) {
    return REBAL_ENOMEM;
  }
  if (walk->remaining.amounts != NULL) {
    take_estimated(walk, limit, &best);
  } else {
    take_by_bounds(walk, limit, &best);
    find_truth(walk, &best);
    if (best.n == limit) {
      exchange(walk, &best);
    }
  }
  walk->keys = best.keys;
  walk->spare = best.keys + limit;
  *n = best.n;
  return REBAL_OK;
}

/* ---- few rows ---------------------------------------------------------------------------------------------------- */

/* Lists keys of the wanted rows by the numbers of the vector. Returns how many. */
static size_t list_keys(const struct rebali_fits_walk *walk, const uint64_t *wanted, uint64_t *keys) {
  const int32_t *values = walk->fits->replicas;
  size_t n = 0;

  for (uint32_t word = 0; word < walk->words; word++) {
    for (uint64_t left = wanted[word]; left != 0; left &= left - 1) {
      const uint32_t row = word * 64 + (uint32_t)rebali_bit_lowest(left);
      const uint32_t rank = rebali_snapshot_rank(walk->fits->estimation.snapshot, row);

      keys[n++] = rebali_ranking_key(values[row], rebali_ranking_turn(rank, walk->descending));
    }
  }
  return n;
}

/* Lists all rows: nothing is charged. */
static int32_t list_all(struct rebali_fits_walk *walk, const uint64_t *wanted, size_t n_wanted) {
  uint64_t *keys = rebali_arena_allocate(walk->fits->estimation.arena, n_wanted, 2 * sizeof *keys);
  size_t n;

  if (keys == NULL) {
    return REBAL_ENOMEM;
  }
  n = list_keys(walk, wanted, keys);
  walk->keys = keys;
  walk->spare = keys + n;
  walk->n_left = n;
  walk->are_exact = 1;
  return REBAL_OK;
}

/* Moves the best remaining keys to the front. */
static void choose_best(struct rebali_fits_walk *walk, size_t limit) {
  uint64_t *keys = walk->keys + walk->n_keys;
  struct best best = {keys, limit};

  make_heap(&best);
  for (size_t i = limit; i < walk->n_left; i++) {
    const uint64_t key = keys[i];

    if (key < keys[0]) {
      keys[i] = keys[0];
      sift_down(&best, 0, key);
    }
  }
  walk->keys = keys;
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

/* Reads the next n keys, or all that remain. */
static int32_t read_keys(struct rebali_fits_walk *walk, size_t n) {
  const size_t limit = n < walk->n_left ? n : walk->n_left;
  size_t found = limit;

  if (walk->are_exact) {
    choose_best(walk, limit);
  } else if (limit > 0 && find_best(walk, limit, &found) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  walk->n_keys = found;
  rebali_sort_keys(walk->keys, walk->n_keys, walk->spare);
  walk->n_left = walk->n_keys < limit ? 0 : walk->n_left - limit;
  walk->at = 0;
  return REBAL_OK;
}

static int32_t copy_wanted(struct rebali_fits_walk *walk, const uint64_t *wanted, size_t n_wanted) {
  walk->left = rebali_arena_allocate(walk->fits->estimation.arena, walk->words, sizeof *walk->left);
  if (walk->left == NULL) {
    return REBAL_ENOMEM;
  }
  memcpy(walk->left, wanted, walk->words * sizeof *wanted);
  walk->n_left = n_wanted;
  return REBAL_OK;
}

int rebali_fits_walk_is_quicker(struct rebali_fits *fits, size_t n_wanted, size_t n) {
  if (fits->n_changes != 0) {
    return 1;
  }
  if (n > n_wanted || !rebali_fits_are_few(fits, n_wanted) || fits->vector->n_walks == WALKS) {
    return 0;
  }
  fits->vector->n_walks++;
  return 1;
}

int32_t rebali_fits_walk_begin(struct rebali_fits_walk *walk, struct rebali_fits *fits, const uint64_t *wanted,
                               size_t n_wanted, int descending, size_t n) {
  const uint32_t rows = rebali_snapshot_rows(fits->estimation.snapshot);
  int32_t code = REBAL_OK;

  *walk = (struct rebali_fits_walk){.fits = fits, .words = REBALI_BITSET_WORDS(rows), .descending = descending};
  if (fits->n_changes != 0 && !fits->has_models && rebali_fits_are_few(fits, n_wanted)) {
    code = rebali_remaining_get(fits, &walk->remaining);
  }
  if (code == REBAL_OK) {
    code = fits->n_changes == 0 ? list_all(walk, wanted, n_wanted) : copy_wanted(walk, wanted, n_wanted);
  }
  return code == REBAL_OK ? read_keys(walk, n > 0 ? n : 1) : code;
}

int32_t rebali_fits_walk_next(struct rebali_fits_walk *walk, uint32_t *row, int32_t *value) {
  if (walk->at == walk->n_keys) {
    if (walk->n_left == 0) {
      return REBAL_ENOTFOUND;
    }
    if (read_keys(walk, GROWTH * walk->n_keys) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    if (walk->n_keys == 0) {
      return REBAL_ENOTFOUND;
    }
  }
  *row = row_of(walk, walk->keys[walk->at]);
  *value = rebali_ranking_value(walk->keys[walk->at++]);
  return REBAL_OK;
}
