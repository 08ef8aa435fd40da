/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

static const struct {
  int64_t left;
  int64_t right;
  int64_t sum;
  int64_t product;
} cases_of_two[] = {
    {0, 0, 0, 0},
    {2, 3, 5, 6},
    {-2, 3, 1, -6},
    {-2, -3, -5, 6},
    {INT64_MAX, 0, INT64_MAX, 0},
    {INT64_MAX, 1, INT64_MAX, INT64_MAX},
    {INT64_MAX, -1, INT64_MAX - 1, -INT64_MAX},
    {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
    {INT64_MAX, INT64_MIN, -1, INT64_MIN},
    {INT64_MIN, 1, INT64_MIN + 1, INT64_MIN},
    {INT64_MIN, -1, INT64_MIN, INT64_MAX},
    {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MAX},
    {INT64_C(3037000500), INT64_C(3037000500), INT64_C(6074001000), INT64_MAX},
    {INT64_C(3037000499), INT64_C(3037000499), INT64_C(6074000998), INT64_C(9223372030926249001)},
    {INT64_C(4294967296), INT64_C(-2147483648), INT64_C(2147483648), INT64_MIN},
    {INT64_C(4294967297), INT64_C(-2147483648), INT64_C(2147483649), INT64_MIN},
};

START_TEST(test_sums_and_products_saturate) {
  const int64_t left = cases_of_two[_i].left;
  const int64_t right = cases_of_two[_i].right;

  ck_assert_int_eq(rebali_add_saturating(left, right), cases_of_two[_i].sum);
  ck_assert_int_eq(rebali_add_saturating(right, left), cases_of_two[_i].sum);
  ck_assert_int_eq(rebali_multiply_saturating(left, right), cases_of_two[_i].product);
  ck_assert_int_eq(rebali_multiply_saturating(right, left), cases_of_two[_i].product);
}
END_TEST

static const struct {
  int64_t left;
  int64_t right;
  int64_t difference;
} differences[] = {
    {5, 3, 2},
    {3, 5, -2},
    {-3, -5, 2},
    {INT64_MAX, -1, INT64_MAX},
    {INT64_MAX, INT64_MIN, INT64_MAX},
    {0, INT64_MIN, INT64_MAX},
    {-1, INT64_MIN, INT64_MAX},
    {INT64_MIN, 1, INT64_MIN},
    {INT64_MIN, INT64_MAX, INT64_MIN},
    {INT64_MIN, INT64_MIN, 0},
    {-1, INT64_MAX, INT64_MIN},
    {-2, INT64_MAX, INT64_MIN},
};

START_TEST(test_differences_saturate) {
  ck_assert_int_eq(rebali_subtract_saturating(differences[_i].left, differences[_i].right), differences[_i].difference);
}
END_TEST

START_TEST(test_int32_sums_wrap) {
  ck_assert_int_eq(rebali_add_wrapping(2, -3), -1);
  ck_assert_int_eq(rebali_add_wrapping(INT32_MAX, 1), INT32_MIN);
  ck_assert_int_eq(rebali_add_wrapping(INT32_MIN, -1), INT32_MAX);
  ck_assert_int_eq(rebali_add_wrapping(INT32_MIN, INT32_MIN), 0);
  ck_assert_int_eq(rebali_add_wrapping(INT32_MAX, INT32_MAX), -2);
}
END_TEST

#define NO_NUMBER INT64_C(-777)

static const struct {
  const char *text;
  int64_t number;
} integers[] = {
    {"0", 0},
    {"-0", 0},
    {"+12", 12},
    {"007", 7},
    {"9223372036854775807", INT64_MAX},
    {"-9223372036854775808", INT64_MIN},
    {"9223372036854775808", NO_NUMBER},
    {"-9223372036854775809", NO_NUMBER},
    {"99999999999999999999", NO_NUMBER},
    {"", NO_NUMBER},
    {"-", NO_NUMBER},
    {"+-1", NO_NUMBER},
    {" 1", NO_NUMBER},
    {"1 ", NO_NUMBER},
    {"1.0", NO_NUMBER},
    {"0x1", NO_NUMBER},
};

START_TEST(test_parse) {
  const struct rebali_text text = rebali_text(integers[_i].text, strlen(integers[_i].text));
  int64_t number = NO_NUMBER;

  ck_assert_int_eq(rebali_integer_parse(text, &number), integers[_i].number != NO_NUMBER);
  ck_assert_int_eq(number, integers[_i].number);
}
END_TEST

UNIT_CASE(integer) {
  TCase *cases = tcase_create("integer");
  tcase_add_loop_test(cases, test_sums_and_products_saturate, 0, (int)REBALI_COUNT(cases_of_two));
  tcase_add_loop_test(cases, test_differences_saturate, 0, (int)REBALI_COUNT(differences));
  tcase_add_test(cases, test_int32_sums_wrap);
  tcase_add_loop_test(cases, test_parse, 0, (int)REBALI_COUNT(integers));
  return cases;
}
