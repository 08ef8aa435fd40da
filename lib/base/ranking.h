/* SPDX-License-Identifier: MIT */
/*
 * lib/base/ranking.h - rows by a value, the largest first, ordered only as far as somebody asked.
 */
#ifndef REBALI_RANKING_H
#define REBALI_RANKING_H

#include "base/base.h"

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

#endif
