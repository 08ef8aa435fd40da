/* SPDX-License-Identifier: MIT */
#include "estimator/estimator.h"

#include "../unit.h"

static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 1; /* 63 bits */
}

static void expect_quotient(int64_t dividend, int64_t value) {
  const struct rebali_divisor divisor = rebali_divisor_make(value);

  ck_assert_int_eq(rebali_divisor_divide(&divisor, dividend), dividend / value);
}

START_TEST(test_random_quotients) {
  uint64_t random = 1;
  int wrong = 0;

  for (size_t i = 0; i < unit_rounds(1000000); i++) {
    const unsigned int shift = (unsigned int)(next_random(&random) >> 40) % 62;
    const int64_t value = (int64_t)((next_random(&random) >> 1) >> shift) + 1;
    const struct rebali_divisor divisor = rebali_divisor_make(value);

    for (int k = 0; k < 5; k++) {
      const uint64_t large = next_random(&random);
      const int64_t dividend = (int64_t)(large >> (next_random(&random) >> 40) % 63);

      wrong += rebali_divisor_divide(&divisor, dividend) != dividend / value;
    }
  }
  ck_assert_int_eq(wrong, 0);
}
END_TEST

/* Where a quotient changes, for divisors next to powers of two. */
START_TEST(test_steps) {
  for (unsigned int bit = 0; bit < 62; bit++) {
    for (int64_t value = (INT64_C(1) << bit) - 2; value <= (INT64_C(1) << bit) + 2; value++) {
      for (int64_t quotient = 1; value > 0 && quotient < INT64_C(1) << 40 && quotient <= INT64_MAX / value - 1;
           quotient = quotient * 3 + 1) {
        expect_quotient(quotient * value - 1, value);
        expect_quotient(quotient * value, value);
      }
    }
  }
  expect_quotient(INT32_MAX, INT32_MAX);
  expect_quotient(INT32_MAX, INT32_MAX - 1);
  expect_quotient(INT64_MAX, INT64_MAX);
  expect_quotient(INT64_MAX, 1);
  expect_quotient(0, INT64_MAX);
}
END_TEST

START_TEST(test_which_divisors_need_no_division) {
  ck_assert_uint_ne(rebali_divisor_make(1500).factor, 0);
  ck_assert_uint_ne(rebali_divisor_make(INT64_C(1) << 62).factor, 0);
  ck_assert_uint_ne(rebali_divisor_make(INT32_MAX).factor, 0);
  ck_assert_uint_eq(rebali_divisor_make((INT64_C(1) << 31) + 1).factor, 0);
}
END_TEST

UNIT_CASE(divisor) {
  TCase *cases = tcase_create("divisor");

  tcase_add_test(cases, test_random_quotients);
  tcase_add_test(cases, test_steps);
  tcase_add_test(cases, test_which_divisors_need_no_division);
  return cases;
}
