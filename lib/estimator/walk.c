/* SPDX-License-Identifier: MIT */
#include "estimator/estimator.h"

#define FEW_WANTED ((size_t)32)

static void sift_up(uint64_t *heap, size_t at) {
  const uint64_t key = heap[at];

  for (; at > 0 && heap[(at - 1) / 2] > key; at = (at - 1) / 2) {
    heap[at] = heap[(at - 1) / 2];
  }
  heap[at] = key;
}

/* The least key. */
static uint64_t pop(uint64_t *heap, size_t *n) {
  const uint64_t least = heap[0];
  const uint64_t key = heap[--*n];
  size_t at = 0;

  for (size_t child = 1; child < *n; child = 2 * at + 1) {
    child += child + 1 < *n && heap[child + 1] < heap[child];
    if (heap[child] >= key) {
      break;
    }
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = key;
  return least;
}

static uint32_t row_of(const struct rebali_fits_walk *walk, uint64_t key) {
  const uint32_t rank = rebali_ranking_turn(rebali_ranking_place(key), walk->descending);

  return rebali_snapshot_by_rank(walk->fits->estimation.snapshot)[rank];
}

/*
 * Reads n keys in the order that has settled by now, and goes on behind the one that was given last: those before it
 * were given too, or nobody wants them, for a bound that is better has been looked at.
 */
static int32_t read_keys(struct rebali_fits_walk *walk, size_t n) {
  if (rebali_fits_bounds(walk->fits, walk->descending, n, &walk->keys, &walk->n_keys) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  walk->heap = rebali_arena_allocate(walk->fits->estimation.arena, walk->n_keys, sizeof *walk->heap);
  walk->n_heap = 0;
  walk->at = 0;
  while (walk->has_given && walk->at < walk->n_keys && walk->keys[walk->at] <= walk->last) {
    walk->at++;
  }
  return walk->heap == NULL ? REBAL_ENOMEM : REBAL_OK;
}

static void push(struct rebali_fits_walk *walk, uint32_t row, uint32_t place) {
  walk->heap[walk->n_heap] = rebali_ranking_key(walk->fits->replicas[row], place);
  sift_up(walk->heap, walk->n_heap++);
}

/* Where few rows are wanted, or most of those that are, there is nothing to be won by looking at the best first. */
static int32_t take_all(struct rebali_fits_walk *walk, size_t n_wanted) {
  const rebal_snapshot *snapshot = walk->fits->estimation.snapshot;
  const uint32_t rows = rebali_snapshot_rows(snapshot);

  walk->heap = rebali_arena_allocate(walk->fits->estimation.arena, n_wanted, sizeof *walk->heap);
  if (walk->heap == NULL) {
    return REBAL_ENOMEM;
  }
  for (uint32_t first = 0; first < rows; first += 64) {
    for (uint64_t left = walk->wanted[first / 64]; left != 0; left &= left - 1) {
      const uint32_t row = first + (uint32_t)rebali_bit_lowest(left);

      if (rebali_fits_are_stale(walk->fits, row) && rebali_fits_lower(walk->fits, row) != REBAL_OK) {
        return REBAL_ENOMEM;
      }
      push(walk, row, rebali_ranking_turn(rebali_snapshot_rank(snapshot, row), walk->descending));
    }
  }
  walk->n_keys = rows;
  walk->at = rows;
  return REBAL_OK;
}

int32_t rebali_fits_walk_begin(struct rebali_fits_walk *walk, struct rebali_fits *fits, const uint64_t *wanted,
                               size_t n_wanted, int descending, size_t n) {
  *walk = (struct rebali_fits_walk){.fits = fits, .wanted = wanted, .descending = descending};
  return n_wanted <= FEW_WANTED || n_wanted / 4 <= n ? take_all(walk, n_wanted) : read_keys(walk, n);
}

/* Goes on to a key of a row that is wanted. REBAL_ENOTFOUND when no key is left. */
static int32_t seek(struct rebali_fits_walk *walk) {
  for (;;) {
    while (walk->at < walk->n_keys && !rebali_bit_get(walk->wanted, row_of(walk, walk->keys[walk->at]))) {
      walk->at++;
    }
    if (walk->at < walk->n_keys) {
      return REBAL_OK;
    }
    if (walk->n_keys >= rebali_snapshot_rows(walk->fits->estimation.snapshot)) {
      return REBAL_ENOTFOUND;
    }
    if (read_keys(walk, 2 * walk->n_keys + 1) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
}

static int32_t give(struct rebali_fits_walk *walk, uint64_t key, uint32_t *row, int32_t *value) {
  *row = row_of(walk, key);
  *value = rebali_ranking_value(key);
  walk->last = key;
  walk->has_given = 1;
  return REBAL_OK;
}

int32_t rebali_fits_walk_next(struct rebali_fits_walk *walk, uint32_t *row, int32_t *value) {
  int32_t code;

  while ((code = seek(walk)) == REBAL_OK) {
    const uint64_t bound = walk->keys[walk->at];
    const uint32_t next = row_of(walk, bound);

    if (walk->n_heap != 0 && walk->heap[0] < bound) {
      break;
    }
    walk->at++;
    if (!rebali_fits_are_stale(walk->fits, next)) {
      return give(walk, bound, row, value);
    }
    if (rebali_fits_lower(walk->fits, next) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
    push(walk, next, rebali_ranking_place(bound));
  }
  return code != REBAL_ENOMEM && walk->n_heap != 0 ? give(walk, pop(walk->heap, &walk->n_heap), row, value) : code;
}
