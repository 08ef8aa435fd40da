/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#define PAIRS UINT64_C(0x5555555555555555)
#define NIBBLES UINT64_C(0x3333333333333333)
#define BYTES UINT64_C(0x0F0F0F0F0F0F0F0F)
#define BATCH 31u /* so many words with at most 8 bits per byte have a sum that fits a byte */

/* Counts the bits of each byte of a word, in that byte. */
static uint64_t count_by_byte(uint64_t word) {
  word -= word >> 1 & PAIRS;
  word = (word & NIBBLES) + (word >> 2 & NIBBLES);
  return (word + (word >> 4)) & BYTES;
}

/* Sums the bytes, two at a time, as the sum of all eight may not fit a byte. */
static size_t sum_bytes(uint64_t sums) {
  const uint64_t halves = UINT64_C(0x00FF00FF00FF00FF);

  sums = (sums & halves) + (sums >> 8 & halves);
  return (size_t)(sums * UINT64_C(0x0001000100010001) >> 48);
}

size_t rebali_bits_count_both(const uint64_t *left, const uint64_t *right, size_t n) {
  size_t count = 0;

  if (n == 1) {
    return sum_bytes(count_by_byte(*left & *right));
  }
  for (size_t first = 0; first < n; first += BATCH) {
    const size_t end = n - first < BATCH ? n : first + BATCH;
    uint64_t sums = 0;

    for (size_t i = first; i < end; i++) {
      sums += count_by_byte(left[i] & right[i]);
    }
    count += sum_bytes(sums);
  }
  return count;
}

size_t rebali_bits_count(const uint64_t *words, size_t n) {
  return rebali_bits_count_both(words, words, n);
}
