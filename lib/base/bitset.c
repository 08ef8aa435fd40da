/* SPDX-License-Identifier: MIT */
#include "base/base.h"

/* Set bits of a word, summed in parallel in ever wider fields. */
static size_t count_word(uint64_t word) {
  word -= (word >> 1) & UINT64_C(0x5555555555555555);
  word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
  word = (word + (word >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
  return (size_t)((word * UINT64_C(0x0101010101010101)) >> 56);
}

void rebali_bitset_and(uint64_t *left, const uint64_t *right, size_t words) {
  size_t i;

  for (i = 0; i < words; i++) {
    left[i] &= right[i];
  }
}

size_t rebali_bitset_count(const uint64_t *words, size_t word_count) {
  size_t total = 0;
  size_t i;

  for (i = 0; i < word_count; i++) {
    total += count_word(words[i]);
  }
  return total;
}

size_t rebali_bitset_next(const uint64_t *words, size_t bits, size_t from) {
  const size_t word_count = REBALI_BITSET_WORDS(bits);
  size_t index = from / 64u;
  uint64_t word;

  if (from >= bits) {
    return bits;
  }
  word = words[index] & (UINT64_MAX << (from % 64u));
  while (word == 0) {
    if (++index == word_count) {
      return bits;
    }
    word = words[index];
  }
  /* The bits below the lowest set one, counted, are its position; bits past the end do not count. */
  from = index * 64u + count_word((word & (0u - word)) - 1u);
  return from < bits ? from : bits;
}
