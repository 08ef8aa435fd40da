/* SPDX-License-Identifier: MIT */
/* Functions without a proof, tried for all inputs; compiled as by a compiler without __GNUC__. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef __GNUC__
#include "estimator/estimator.h"
#include "fleet/nodes.h"

static int faults;

static void expect(int holds, const char *what, uint64_t with) {
  if (!holds) {
    faults++;
    printf("fault: %s of %llu\n", what, (unsigned long long)with);
  }
}

/* Only the lowest bit matters, since word & -word drops the others. */
static void try_bits(void) {
  for (size_t bit = 0; bit < 64; bit++) {
    const uint64_t word = UINT64_C(1) << bit;

    expect(rebali_bit_lowest(word) == bit, "the lowest bit", word);
    expect(rebali_bit_lowest(0 - word) == bit, "the lowest bit", 0 - word);
    expect(rebali_bit_highest(word) == bit, "the highest bit", word);
    expect(rebali_bit_highest(word | (word - 1)) == bit, "the highest bit", word | (word - 1));
  }
}

/* Divisors up to 2^10 and around powers of two, dividends around their multiples, to the last that is multiplied. */
static void try_divisor(int64_t value) {
  const struct rebali_divisor divisor = rebali_divisor_make(value);

  for (uint64_t n = 0; n < 64; n++) {
    const int64_t most = (int64_t)UINT32_MAX >> 1, times = (int64_t)(((uint64_t)most >> n) / (uint64_t)value);

    for (int64_t off = -1; off <= 1; off++) {
      const int64_t dividend = times * value + off;

      if (dividend >= 0) {
        expect(rebali_divisor_divide(&divisor, dividend) == dividend / value, "a quotient", (uint64_t)dividend);
      }
    }
  }
}

/* Each place of a column of ids, for each start: two in a word, as in memory. */
static void try_ids(void) {
  const size_t words = 512;
  struct rebali_rows_leaf *leaf = calloc(1, sizeof *leaf + words * sizeof leaf->cells[0]);

  for (size_t at = 0; leaf != NULL && at + REBALI_NODES / 2 <= words; at++) {
    for (uint32_t place = 0; place < REBALI_NODES; place++) {
      const uint32_t id = (uint32_t)(at * REBALI_NODES + place) + 1;

      memcpy((unsigned char *)&leaf->cells[at] + place * sizeof id, &id, sizeof id);
      expect(rebali_rows_id(leaf, at, place) == id, "the id at a place", id);
    }
  }
  expect(leaf != NULL, "memory", words);
  free(leaf);
}

int main(void) {
  try_bits();
  try_ids();
  for (int64_t value = 1; value <= 1024; value++) {
    try_divisor(value);
  }
  for (int bit = 11; bit < 62; bit++) {
    for (int64_t off = -3; off <= 3; off++) {
      try_divisor((INT64_C(1) << bit) + off);
    }
  }
  /* Each number of 32 bits, in two's complement as in memory. */
  for (int64_t bits = 0; bits <= UINT32_MAX; bits++) {
    const uint32_t word = (uint32_t)bits;
    int32_t kept;

    memcpy(&kept, &word, sizeof kept);
    if (rebali_low_int32(bits) != kept) {
      expect(0, "the low half", word);
    }
  }
  return faults != 0;
}
