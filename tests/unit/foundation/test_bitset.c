/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"
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

START_TEST(test_highest_of_each) {
  for (unsigned bit = 0; bit < 64; bit++) {
    ck_assert_uint_eq(rebali_bit_highest(UINT64_C(1) << bit), bit);
    ck_assert_uint_eq(rebali_bit_highest(UINT64_MAX >> bit), 63 - bit);
  }
}
END_TEST

/* More words than are counted at a time. */
START_TEST(test_count) {
  static uint64_t words[100];
  size_t expected = 0;

  for (size_t n = 0; n < REBALI_COUNT(words); n++) {
    ck_assert_uint_eq(rebali_bits_count(words, n), expected);
    words[n] = n % 3 == 0 ? UINT64_MAX : (n + 1) * UINT64_C(6364136223846793005) >> n % 61;
    expected += count_plainly(words[n]);
  }
  memset(words, 0xFF, sizeof words);
  ck_assert_uint_eq(rebali_bits_count(words, REBALI_COUNT(words)), 64 * REBALI_COUNT(words));
}
END_TEST

START_TEST(test_count_of_many) {
  uint64_t words[200];
  uint64_t word = 1;

  for (size_t n = 0; n <= REBALI_COUNT(words); n++) {
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
      word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      words[i] = n % 3 == 0 ? UINT64_MAX : word;
      count += count_plainly(words[i]);
    }
    ck_assert_uint_eq(rebali_bits_count(words, n), count);
  }
}
END_TEST

START_TEST(test_count_both) {
  uint64_t left[40], right[40];
  size_t count = 0;

  for (size_t n = 0; n < REBALI_COUNT(left); n++) {
    ck_assert_uint_eq(rebali_bits_count_both(left, right, n), count);
    left[n] = (n + 1) * UINT64_C(6364136223846793005);
    right[n] = (n + 2) * UINT64_C(1442695040888963407);
    count += count_plainly(left[n] & right[n]);
  }
}
END_TEST

UNIT_CASE(bitset) {
  TCase *cases = tcase_create("bitset");

  tcase_add_test(cases, test_lowest_of_each);
  tcase_add_test(cases, test_highest_of_each);
  tcase_add_test(cases, test_count);
  tcase_add_test(cases, test_count_of_many);
  tcase_add_test(cases, test_count_both);
  return cases;
}
