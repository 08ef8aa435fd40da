/* SPDX-License-Identifier: MIT */
#include "base/base.h"
#include "../unit.h"

/* One bit after the other, as a reader would count. */
static size_t count_plainly(uint64_t word) {
  size_t n = 0;

  for (unsigned bit = 0; bit < 64; bit++) {
    n += (size_t)(word >> bit & 1u);
  }
  return n;
}

START_TEST(test_lowest_of_each) {
  for (unsigned bit = 0; bit < 64; bit++) {
    ck_assert_uint_eq(rebali_bit_lowest(UINT64_C(1) << bit), bit);
    ck_assert_uint_eq(rebali_bit_lowest(UINT64_MAX << bit), bit);
  }
}
END_TEST

START_TEST(test_count) {
  uint64_t word = 1;

  ck_assert_uint_eq(rebali_bit_count(0), 0);
  ck_assert_uint_eq(rebali_bit_count(UINT64_MAX), 64);
  for (int i = 0; i < 10000; i++) {
    word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    ck_assert_uint_eq(rebali_bit_count(word), count_plainly(word));
    ck_assert_uint_eq(rebali_bit_count(word & word >> 7), count_plainly(word & word >> 7));
  }
}
END_TEST

UNIT_CASE(bitset) {
  TCase *cases = tcase_create("bitset");

  tcase_add_test(cases, test_lowest_of_each);
  tcase_add_test(cases, test_count);
  return cases;
}
