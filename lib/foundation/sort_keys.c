/* SPDX-License-Identifier: MIT */
/* Sorts 64-bit keys: few by insertion, some by merging, many by counting digits. */
#include "foundation/ranking.h"

#define DIGIT_BITS 8u
#define DIGITS ((size_t)1 << DIGIT_BITS)
#define FEW_KEYS ((size_t)32)   /* up to so many keys, insertion is faster than counting digits */
#define RUN ((size_t)8)         /* keys are inserted into runs, and runs merged */
#define SOME_KEYS ((size_t)192) /* up to so many keys, merging is faster than counting digits */

static void sort_few(uint64_t *keys, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const uint64_t key = keys[i];
    size_t place = i;

    for (; place > 0 && keys[place - 1] > key; place--) {
      keys[place] = keys[place - 1];
    }
    keys[place] = key;
  }
}

static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t n, unsigned int shift) {
  size_t starts[DIGITS] = {0};
  size_t start = 0;

  for (size_t i = 0; i < n; i++) {
    starts[from[i] >> shift & (DIGITS - 1)]++;
  }
  for (size_t digit = 0; digit < DIGITS; digit++) {
    const size_t count = starts[digit];

    starts[digit] = start;
    start += count;
  }
  for (size_t i = 0; i < n; i++) {
    to[starts[from[i] >> shift & (DIGITS - 1)]++] = from[i];
  }
}

/* Returns the bits in which keys differ. If places ascend, only those of values: equal values stay in order. */
static uint64_t find_differing(const uint64_t *keys, size_t n) {
  uint64_t differing = 0;
  int places_ascend = 1;

  for (size_t i = 1; i < n; i++) {
    differing |= keys[i] ^ keys[0];
    places_ascend &= rebali_ranking_place(keys[i]) > rebali_ranking_place(keys[i - 1]);
  }
  return places_ascend ? differing >> 32 << 32 : differing;
}

/* Merges two adjacent runs, which start at from, without a branch that depends on keys. */
static void merge_runs(const uint64_t *from, size_t middle, size_t end, uint64_t *to) {
  size_t left = 0, right = middle, at = 0;

  while (left < middle && right < end) {
    const size_t takes_right = from[right] < from[left];

    to[at++] = takes_right ? from[right] : from[left];
    right += takes_right;
    left += 1 - takes_right;
  }
  memcpy(to + at, from + left, (middle - left) * sizeof *to);
  memcpy(to + at + (middle - left), from + right, (end - right) * sizeof *to);
}

static void sort_some(uint64_t *keys, size_t n, uint64_t *scratch) {
  uint64_t *from = keys, *to = scratch;

  for (size_t at = 0; at < n; at += RUN) {
    sort_few(keys + at, n - at < RUN ? n - at : RUN);
  }
  for (size_t width = RUN; width < n; width *= 2) {
    uint64_t *merged = to;

    for (size_t at = 0; at < n; at += 2 * width) {
      const size_t end = n - at < 2 * width ? n - at : 2 * width;

      merge_runs(from + at, end < width ? end : width, end, to + at);
    }
    to = from;
    from = merged;
  }
  if (from != keys) {
    memcpy(keys, from, n * sizeof *keys);
  }
}

void rebali_sort_keys(uint64_t *keys, size_t n, uint64_t *scratch) {
  uint64_t *from = keys;
  uint64_t *to = scratch;
  uint64_t differing;

  if (n <= FEW_KEYS) {
    sort_few(keys, n);
    return;
  }
  if (n <= SOME_KEYS) {
    sort_some(keys, n, scratch);
    return;
  }
  differing = find_differing(keys, n);
  for (unsigned int shift = 0; shift < 64; shift += DIGIT_BITS) {
    if ((differing >> shift & (DIGITS - 1)) != 0) {
      uint64_t *sorted = to;

      sort_by_digit(from, to, n, shift);
      to = from;
      from = sorted;
    }
  }
  if (from != keys) {
    memcpy(keys, from, n * sizeof *keys);
  }
}
