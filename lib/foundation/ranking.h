/* SPDX-License-Identifier: MIT */
/* lib/foundation/ranking.h - rows by value, the largest first, sorted only as far as needed. */
#ifndef REBALI_RANKING_H
#define REBALI_RANKING_H

#include "foundation/foundation.h"

/*
 * Returns the key of a row in a ranking. The smaller key is the better row: the larger value, or for equal values the
 * lower place. Places identify rows; they are in the order of names, ascending or descending.
 */
static inline uint64_t rebali_ranking_key(int32_t value, uint32_t place) {
  return (uint64_t)((uint32_t)INT32_MAX - (uint32_t)value) << 32 | place;
}
static inline int32_t rebali_ranking_value(uint64_t key) {
  return (int32_t)(INT32_MAX - (int64_t)(key >> 32));
}
static inline uint32_t rebali_ranking_place(uint64_t key) {
  return (uint32_t)key;
}
/* Converts a rank among names to a place, and a place to a rank. */
static inline uint32_t rebali_ranking_turn(uint32_t rank, int descending) {
  return descending ? UINT32_MAX - rank : rank;
}

/* The ranked data: values by row, and the rows in the order of names. */
struct rebali_ranked {
  const int32_t *values;
  const uint32_t *by_rank;
  uint32_t n;
};

/*
 * Starts as zeros, except descending. A ranking belongs to one fixed set of rows with one order of names. After every
 * change of a value it must be updated or cleared.
 */
struct rebali_ranking {
  uint64_t *keys; /* of all rows up to the bound, the best first */
  uint32_t *rows; /* of all keys, in the same order, stored after them in their memory; NULL: not listed */
  size_t n;
  size_t capacity;
  size_t reach;   /* rows wanted at the last sort; 0: never sorted, and none is in order */
  uint64_t bound; /* without rows in order: the previous one, as a guess; 0: none */
  int descending; /* places are complements of ranks */
};

/*
 * Returns the best n rows, or all if there are fewer. Valid until the ranking is next used. Takes time only if fewer
 * are in order: it then sorts for twice as many as last time, so small steps do not add up. On REBAL_ENOMEM nothing is
 * changed.
 */
int32_t rebali_ranking_best(struct rebali_ranking *ranking, const rebal_allocator *allocator,
                            struct rebali_arena *scratch, const struct rebali_ranked *ranked, size_t n,
                            const uint64_t **keys, size_t *n_keys);
/*
 * Returns the rows of all keys in order, once all were requested. Updated after few changes; listed again after many.
 */
const uint32_t *rebali_ranking_rows(struct rebali_ranking *ranking, const uint32_t *by_rank);

/* A row whose value changed. */
struct rebali_ranking_change {
  uint32_t rank;
  int32_t before;
  int32_t after;
};
/* Repairs changes of different rows. On REBAL_ENOMEM the ranking is unchanged. */
int32_t rebali_ranking_repair(struct rebali_ranking *ranking, struct rebali_arena *scratch,
                              const struct rebali_ranking_change *changes, size_t n);
/*
 * Returns the smallest value of a row in order. A change between smaller values needs no repair. INT32_MAX if nothing
 * is in order.
 */
static inline int32_t rebali_ranking_least(const struct rebali_ranking *ranking) {
  return ranking->reach == 0 ? INT32_MAX : rebali_ranking_value(ranking->bound);
}
static inline size_t rebali_ranking_bytes(const struct rebali_ranking *ranking) {
  return ranking->capacity * (sizeof *ranking->keys + sizeof *ranking->rows);
}
/* Marks nothing as in order because many values changed a little: about as many rows will be as good as before. */
void rebali_ranking_forget(struct rebali_ranking *ranking);
/* Marks nothing as in order because rows or values are different; memory is kept. */
void rebali_ranking_clear(struct rebali_ranking *ranking);
void rebali_ranking_dispose(struct rebali_ranking *ranking, const rebal_allocator *allocator);

/* sort_keys.c: sorts ascending. scratch must hold n; up to 32 keys need none. */
void rebali_sort_keys(uint64_t *keys, size_t n, uint64_t *scratch);

#endif
