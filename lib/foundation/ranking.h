/* SPDX-License-Identifier: MIT */
/*
 * lib/foundation/ranking.h - rows by a value, the largest first, ordered only as far as needed.
 */
#ifndef REBALI_RANKING_H
#define REBALI_RANKING_H

#include "foundation/foundation.h"

/*
 * A row in a ranking: the smaller key is the better row, one with the larger value, or with an equal value and the
 * lower place. Places tell rows apart; the order of names gives them, forwards or backwards.
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
/* The way from a rank among names to a place, which is also the way back. */
static inline uint32_t rebali_ranking_turn(uint32_t rank, int descending) {
  return descending ? UINT32_MAX - rank : rank;
}

/* What is ranked: values by row, and the rows in the order of names. */
struct rebali_ranked {
  const int32_t *values;
  const uint32_t *by_rank;
  uint32_t n;
};

/*
 * The ranking starts as zeros, but for descending. It belongs to one fixed set of rows with one order of names; after
 * every change of a value it must be updated or cleared.
 */
struct rebali_ranking {
  uint64_t *keys; /* of all rows that are not behind the bound, the best first */
  uint32_t *rows; /* of all, in the same order, behind the keys in their memory; NULL: not listed */
  size_t n;
  size_t capacity;
  size_t reach;   /* rows wanted when rows were ordered last; 0: never, and none is in order */
  uint64_t bound; /* without rows in order: that of before, which is a guess; 0: there is none */
  int descending; /* places are complements of ranks */
};

/*
 * The best n rows, or all when there are fewer. Valid until the ranking is next touched. Takes time only when fewer are
 * in order: for twice as many as last time, so that further steps do not add up. REBAL_ENOMEM: nothing has changed.
 */
int32_t rebali_ranking_best(struct rebali_ranking *ranking, const rebal_allocator *allocator,
                            struct rebali_arena *scratch, const struct rebali_ranked *ranked, size_t n,
                            const uint64_t **keys, size_t *n_keys);
/* The rows of all keys in their order, once all were requested. Kept beside few changes; listed anew after many. */
const uint32_t *rebali_ranking_rows(struct rebali_ranking *ranking, const uint32_t *by_rank);

/* A row that got another value. */
struct rebali_ranking_change {
  uint32_t rank;
  int32_t before;
  int32_t after;
};
/* Changes of different rows. REBAL_ENOMEM: the ranking is as it was. */
int32_t rebali_ranking_repair(struct rebali_ranking *ranking, struct rebali_arena *scratch,
                              const struct rebali_ranking_change *changes, size_t n);
/*
 * The least value that a row in order may have: changes from less to less need not be repaired. INT32_MAX while nothing
 * is in order.
 */
static inline int32_t rebali_ranking_least(const struct rebali_ranking *ranking) {
  return ranking->reach == 0 ? INT32_MAX : rebali_ranking_value(ranking->bound);
}
static inline size_t rebali_ranking_bytes(const struct rebali_ranking *ranking) {
  return ranking->capacity * (sizeof *ranking->keys + sizeof *ranking->rows);
}
/* Nothing is in order, for many values have changed a little: about the same number will be as good as before. */
void rebali_ranking_forget(struct rebali_ranking *ranking);
/* Nothing is in order, for rows or values are others; memory is kept. */
void rebali_ranking_clear(struct rebali_ranking *ranking);
void rebali_ranking_dispose(struct rebali_ranking *ranking, const rebal_allocator *allocator);

/* sort_keys.c: ascending. scratch has room for n; 32 keys need none. */
void rebali_sort_keys(uint64_t *keys, size_t n, uint64_t *scratch);

#endif
