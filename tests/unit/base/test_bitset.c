/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include "../unit.h"

#define BITS 200u
#define WORDS REBALI_BITSET_WORDS(BITS)

START_TEST(test_words_hold_the_bits) {
  ck_assert_uint_eq(REBALI_BITSET_WORDS(0), 0);
  ck_assert_uint_eq(REBALI_BITSET_WORDS(1), 1);
  ck_assert_uint_eq(REBALI_BITSET_WORDS(64), 1);
  ck_assert_uint_eq(REBALI_BITSET_WORDS(65), 2);
}
END_TEST

START_TEST(test_one_bit) {
  uint64_t words[WORDS] = {0};
  const size_t bit = (size_t)_i;
  size_t i;

  rebali_bit_set(words, bit, 1);
  for (i = 0; i < BITS; i++) {
    ck_assert_int_eq(rebali_bit_get(words, i), i == bit);
    ck_assert_uint_eq(rebali_bitset_next(words, BITS, i), i <= bit ? bit : BITS);
  }
  ck_assert_uint_eq(rebali_bitset_count(words, WORDS), 1);
  ck_assert_uint_eq(rebali_bitset_next(words, BITS, BITS), BITS);
  rebali_bit_set(words, bit, 0);
  ck_assert_uint_eq(rebali_bitset_count(words, WORDS), 0);
}
END_TEST

START_TEST(test_walk_meets_every_bit) {
  uint64_t words[WORDS] = {0};
  size_t met = 0;
  size_t bit;

  for (bit = 0; bit < BITS; bit += 3) {
    rebali_bit_set(words, bit, 1);
  }
  for (bit = rebali_bitset_next(words, BITS, 0); bit < BITS; bit = rebali_bitset_next(words, BITS, bit + 1)) {
    ck_assert_uint_eq(bit, met * 3);
    met++;
  }
  ck_assert_uint_eq(met, 67);
  ck_assert_uint_eq(rebali_bitset_count(words, WORDS), 67);
}
END_TEST

START_TEST(test_bits_past_the_end_are_not_found) {
  const uint64_t words[1] = {UINT64_MAX};

  ck_assert_uint_eq(rebali_bitset_next(words, 10, 9), 9);
  ck_assert_uint_eq(rebali_bitset_next(words, 10, 10), 10);
  ck_assert_uint_eq(rebali_bitset_next((const uint64_t[]){UINT64_C(1) << 20}, 10, 0), 10);
  ck_assert_uint_eq(rebali_bitset_count(words, 1), 64);
  ck_assert_uint_eq(rebali_bitset_next(NULL, 0, 0), 0);
}
END_TEST

START_TEST(test_and_keeps_what_both_have) {
  uint64_t left[2] = {UINT64_C(0xFF00), UINT64_MAX};
  const uint64_t right[2] = {UINT64_C(0x0FF0), UINT64_C(5)};

  rebali_bitset_and(left, right, 2);
  ck_assert_uint_eq(left[0], UINT64_C(0x0F00));
  ck_assert_uint_eq(left[1], 5);
  rebali_bitset_and(NULL, NULL, 0);
}
END_TEST

UNIT_CASE(bitset) {
  TCase *cases = tcase_create("bitset");
  tcase_add_test(cases, test_words_hold_the_bits);
  tcase_add_loop_test(cases, test_one_bit, 0, (int)BITS);
  tcase_add_test(cases, test_walk_meets_every_bit);
  tcase_add_test(cases, test_bits_past_the_end_are_not_found);
  tcase_add_test(cases, test_and_keeps_what_both_have);
  return cases;
}
