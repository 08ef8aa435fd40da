/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

#define ROUNDS 2000

static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state ^ (*state >> 29);
}

/* Any sign and any number of bits, the ends of the range among them. */
static int64_t random_integer(uint64_t *state) {
  static const int64_t ENDS[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  const uint64_t bits = next_random(state);
  const uint64_t shift = next_random(state) % 70;

  if (shift >= 64) {
    return ENDS[shift - 64];
  }
  return (int64_t)(bits >> 1 >> shift) * (next_random(state) & 1024 ? -1 : 1);
}

static struct rebali_wide random_product(uint64_t *state) {
  const int64_t left = random_integer(state);

  return rebali_wide_multiply(left, random_integer(state));
}

/* Above 0. */
static int64_t random_divisor(uint64_t *state) {
  const uint64_t bits = next_random(state) >> 1;

  return (int64_t)(bits >> next_random(state) % 62) + 1;
}

static void expect_equal(struct rebali_wide left, struct rebali_wide right) {
  ck_assert_int_eq(left.high, right.high);
  ck_assert_uint_eq(left.low, right.low);
}

static const struct {
  int64_t left;
  int64_t right;
  struct rebali_wide product;
} products[] = {
    {0, INT64_MIN, {0, 0}},
    {1, -1, {-1, UINT64_MAX}},
    {INT64_C(4294967296), INT64_C(4294967296), {1, 0}},
    {INT64_C(-4294967296), INT64_C(4294967296), {-1, 0}},
    {INT64_MAX, INT64_MAX, {INT64_C(0x3FFFFFFFFFFFFFFF), 1}},
    {INT64_MIN, INT64_MIN, {INT64_C(0x4000000000000000), 0}},
    {INT64_MIN, INT64_MAX, {-INT64_C(0x4000000000000000), UINT64_C(0x8000000000000000)}},
    {INT64_MAX, 1000000000, {499999999, UINT64_C(0xFFFFFFFFC4653600)}},
};

START_TEST(test_products) {
  expect_equal(rebali_wide_multiply(products[_i].left, products[_i].right), products[_i].product);
  expect_equal(rebali_wide_multiply(products[_i].right, products[_i].left), products[_i].product);
}
END_TEST

/* High words by 32-bit pieces, in another order than the library takes. */
static uint64_t high_of_product(uint64_t left, uint64_t right) {
  const uint64_t a = left >> 32;
  const uint64_t b = left & UINT32_MAX;
  const uint64_t c = right >> 32;
  const uint64_t d = right & UINT32_MAX;
  const uint64_t carry = ((b * d) >> 32) + ((a * d) & UINT32_MAX) + ((b * c) & UINT32_MAX);

  return a * c + ((a * d) >> 32) + ((b * c) >> 32) + (carry >> 32);
}

START_TEST(test_products_of_random_numbers) {
  uint64_t state = 1;
  int round;

  for (round = 0; round < ROUNDS; round++) {
    const uint64_t left = next_random(&state) >> 1;
    const uint64_t right = next_random(&state) >> 1;
    const struct rebali_wide product = rebali_wide_multiply((int64_t)left, (int64_t)right);

    ck_assert_uint_eq(product.low, left * right);
    ck_assert_uint_eq((uint64_t)product.high, high_of_product(left, right));
  }
}
END_TEST

START_TEST(test_sum_and_difference_undo_each_other) {
  uint64_t state = 2;
  int round;

  for (round = 0; round < ROUNDS; round++) {
    const struct rebali_wide left = random_product(&state), right = random_product(&state);
    const struct rebali_wide sum = rebali_wide_add(left, right);

    expect_equal(sum, rebali_wide_add(right, left));
    expect_equal(rebali_wide_subtract(sum, right), left);
    ck_assert_int_eq(rebali_wide_compare(left, right), -rebali_wide_compare(right, left));
    ck_assert_int_eq(rebali_wide_compare(sum, left), rebali_wide_compare(right, rebali_wide_from(0)));
  }
}
END_TEST

START_TEST(test_carry_and_borrow) {
  expect_equal(rebali_wide_add((struct rebali_wide){0, UINT64_MAX}, rebali_wide_from(1)), (struct rebali_wide){1, 0});
  expect_equal(rebali_wide_add(rebali_wide_from(-1), rebali_wide_from(1)), (struct rebali_wide){0, 0});
  expect_equal(rebali_wide_subtract((struct rebali_wide){1, 0}, rebali_wide_from(1)),
               (struct rebali_wide){0, UINT64_MAX});
  expect_equal(rebali_wide_subtract(rebali_wide_from(0), rebali_wide_from(INT64_MIN)),
               (struct rebali_wide){0, UINT64_C(0x8000000000000000)});
}
END_TEST

static const struct {
  struct rebali_wide left;
  struct rebali_wide right;
  int order;
} orders[] = {
    {{0, 0}, {0, 0}, 0},
    {{0, 1}, {0, 2}, -1},
    {{-1, UINT64_MAX}, {0, 0}, -1},
    {{-1, 0}, {-1, UINT64_MAX}, -1},
    {{1, 0}, {0, UINT64_MAX}, 1},
    {{INT64_MIN, 0}, {INT64_MAX, 0}, -1},
};

START_TEST(test_order) {
  ck_assert_int_eq(rebali_wide_compare(orders[_i].left, orders[_i].right), orders[_i].order);
  ck_assert_int_eq(rebali_wide_compare(orders[_i].right, orders[_i].left), -orders[_i].order);
}
END_TEST

static const struct {
  struct rebali_wide value;
  int64_t divisor;
  int64_t quotient;
} quotients[] = {
    {{0, 0}, 7, 0},
    {{0, 7}, 7, 1},
    {{0, 8}, 7, 2},
    {{-1, UINT64_MAX}, 7, -1},
    {{-1, UINT64_C(0) - 8}, 7, -2},
    {{1, 0}, 2, INT64_MAX},  /* 2^63 is one too many */
    {{-1, 0}, 2, INT64_MIN}, /* -2^63 is not */
    {{-1, UINT64_MAX - 1}, INT64_MAX, -1},
    {{0, UINT64_MAX}, 2, INT64_MAX}, /* (2^64 - 1) / 2 rounds up to 2^63 */
    {{0, UINT64_MAX - 1}, 2, INT64_MAX},
    {{499999999, UINT64_C(0xFFFFFFFFC4653600)}, 1000000000, INT64_MAX},
    {{499999999, UINT64_C(0xFFFFFFFFC46535FF)}, 1000000000, INT64_MAX},
    {{499999999, UINT64_C(0xFFFFFFFF88CA6C00)}, 1000000000, INT64_MAX - 1},
    {{INT64_MAX, UINT64_MAX}, 1, INT64_MAX},
    {{INT64_MIN, 0}, 1, INT64_MIN},
    {{INT64_MIN, 0}, INT64_MAX, INT64_MIN},
};

START_TEST(test_quotients_round_away_from_zero_and_saturate) {
  ck_assert_int_eq(rebali_wide_divide_away(quotients[_i].value, quotients[_i].divisor), quotients[_i].quotient);
}
END_TEST

/* For 0 <= rest < divisor: (n * divisor + rest) / divisor is n, one further from zero when there is a rest. */
START_TEST(test_quotients_undo_products) {
  uint64_t state = 3;
  int round;

  for (round = 0; round < ROUNDS; round++) {
    const int64_t n = random_integer(&state) / 2;
    const int64_t divisor = random_divisor(&state);
    const int64_t rest = (int64_t)(next_random(&state) % (uint64_t)divisor) * (n < 0 ? -1 : 1);
    const struct rebali_wide value = rebali_wide_add(rebali_wide_multiply(n, divisor), rebali_wide_from(rest));

    ck_assert_int_eq(rebali_wide_divide_away(value, divisor), n + (rest > 0) - (rest < 0));
  }
}
END_TEST

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;

static int128 compiler_value(struct rebali_wide value) {
  return (int128)value.high * ((int128)1 << 64) + (int128)value.low;
}

START_TEST(test_agrees_with_the_compiler) {
  uint64_t state = 4;
  int round;

  for (round = 0; round < ROUNDS; round++) {
    const int64_t a = random_integer(&state);
    const int64_t b = random_integer(&state);
    const int64_t c = random_integer(&state);
    const int64_t divisor = random_divisor(&state);
    const struct rebali_wide value = rebali_wide_add(rebali_wide_multiply(a, b), rebali_wide_from(c));
    const int128 expected = (int128)a * b + c;
    int128 quotient = expected / divisor;

    ck_assert(compiler_value(value) == expected);
    quotient += expected % divisor == 0 ? 0 : expected < 0 ? -1 : 1;
    quotient = quotient > INT64_MAX ? INT64_MAX : quotient < INT64_MIN ? INT64_MIN : quotient;
    ck_assert_int_eq(rebali_wide_divide_away(value, divisor), (int64_t)quotient);
  }
}
END_TEST
#endif

UNIT_CASE(wide) {
  TCase *cases = tcase_create("wide");
  tcase_add_loop_test(cases, test_products, 0, (int)REBALI_COUNT(products));
  tcase_add_test(cases, test_products_of_random_numbers);
  tcase_add_test(cases, test_sum_and_difference_undo_each_other);
  tcase_add_test(cases, test_carry_and_borrow);
  tcase_add_loop_test(cases, test_order, 0, (int)REBALI_COUNT(orders));
  tcase_add_loop_test(cases, test_quotients_round_away_from_zero_and_saturate, 0, (int)REBALI_COUNT(quotients));
  tcase_add_test(cases, test_quotients_undo_products);
#ifdef __SIZEOF_INT128__
  tcase_add_test(cases, test_agrees_with_the_compiler);
#endif
  return cases;
}
