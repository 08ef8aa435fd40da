/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

static rebal_quantity quantity_of(const char *text) {
  rebal_quantity quantity = {0, 0, REBAL_QUANTITY_FORMAT_NONE};

  ck_assert_int_eq(rebali_quantity_parse(text, strlen(text), &quantity, NULL), REBAL_OK);
  return quantity;
}

/* Spec karmada 1.1, measured views first; where the peer gives garbage, the exact ones. */
static const struct {
  const char *text;
  int64_t value;
  int64_t milli;
} views[] = {
    {"100m", 1, 100},
    {"1500m", 2, 1500},
    {"-1500m", -2, -1500},
    {"-0.5", -1, -500},
    {"1500u", 1, 2},
    {"1n", 1, 1},
    {"-1n", -1, -1},
    {"0.0001", 1, 1},
    {"0.1Gi", 107374183, INT64_C(107374182400)},
    {"-0.1Gi", -107374183, INT64_C(-107374182400)},
    {"1.5Gi", INT64_C(1610612736), INT64_C(1610612736000)},
    {"1e3", 1000, 1000000},
    {"0", 0, 0},
    {"9E", INT64_C(9000000000000000000), INT64_MAX},
    {"9223372036854775807", INT64_MAX, INT64_MAX},
    {"999999999999999999", INT64_C(999999999999999999), INT64_MAX},
    {"9223372036854775", INT64_C(9223372036854775), INT64_C(9223372036854775000)},
    {"9223372036854776", INT64_C(9223372036854776), INT64_MAX},
    {"9223372036854775.8", INT64_C(9223372036854776), INT64_C(9223372036854775800)},
    {"-9223372036854775", INT64_C(-9223372036854775), INT64_C(-9223372036854775000)},
    {"-9223372036854776", INT64_C(-9223372036854776), INT64_MIN},
    {"10E", INT64_MAX, INT64_MAX},
    {"-10E", INT64_MIN, INT64_MIN},
    {"100Ei", INT64_MAX, INT64_MAX},
    {"-9223372036854775807.5", INT64_MIN, INT64_MIN},
};

START_TEST(test_views) {
  const rebal_quantity quantity = quantity_of(views[_i].text);

  ck_assert_int_eq(rebali_quantity_value(&quantity), views[_i].value);
  ck_assert_int_eq(rebali_quantity_milli(&quantity), views[_i].milli);
}
END_TEST

START_TEST(test_views_beyond_what_text_gives) {
  const rebal_quantity above = {INT64_MAX, 1, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const rebal_quantity mixed = {2, -500000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};

  ck_assert_int_eq(rebali_quantity_value(&above), INT64_MAX);
  ck_assert_int_eq(rebali_quantity_value(&mixed), 2);
  ck_assert_int_eq(rebali_quantity_milli(&mixed), 1500);
  ck_assert_int_eq(rebali_quantity_value(NULL), 0);
  ck_assert_int_eq(rebali_quantity_milli(NULL), 0);
}
END_TEST

#define DSI REBAL_QUANTITY_FORMAT_DECIMAL_SI
#define BSI REBAL_QUANTITY_FORMAT_BINARY_SI
#define EXP REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT

static const struct {
  const char *left;
  const char *right;
  rebal_quantity sum;
  rebal_quantity difference;
} sums[] = {
    {"0", "1Gi", {1073741824, 0, BSI}, {-1073741824, 0, BSI}},
    {"1000m", "1Gi", {1073741825, 0, DSI}, {-1073741823, 0, DSI}},
    {"1Gi", "1000m", {1073741825, 0, BSI}, {1073741823, 0, BSI}},
    {"1Gi", "0", {1073741824, 0, BSI}, {1073741824, 0, BSI}},
    {"0Ki", "1e3", {1000, 0, EXP}, {-1000, 0, EXP}},
    {"1Ki", "1Ki", {2048, 0, BSI}, {0, 0, BSI}},
    {"0", "0.1Gi", {107374182, 400000000, BSI}, {-107374182, -400000000, BSI}},
    {"600m", "700m", {1, 300000000, DSI}, {0, -100000000, DSI}},
    {"-600m", "-700m", {-1, -300000000, DSI}, {0, 100000000, DSI}},
    {"1", "1n", {1, 1, DSI}, {0, 999999999, DSI}},
    {"-1", "1n", {0, -999999999, DSI}, {-1, -1, DSI}},
    {"9223372036854775807", "1", {INT64_MAX, 0, DSI}, {INT64_MAX - 1, 0, DSI}},
    {"9223372036854775807", "1n", {INT64_MAX, 0, DSI}, {INT64_MAX - 1, 999999999, DSI}},
    {"-9223372036854775808", "1n", {-INT64_MAX, -999999999, DSI}, {INT64_MIN, 0, DSI}},
    {"9E", "9E", {INT64_MAX, 0, DSI}, {0, 0, DSI}},
    {"-9E", "9E", {0, 0, DSI}, {INT64_MIN, 0, DSI}},
};

static void expect_quantity(const rebal_quantity *found, const rebal_quantity *expected) {
  ck_assert_int_eq(found->units, expected->units);
  ck_assert_int_eq(found->nanos, expected->nanos);
  ck_assert_uint_eq(found->format, expected->format);
}

START_TEST(test_sums_and_differences) {
  rebal_quantity left = quantity_of(sums[_i].left);
  const rebal_quantity right = quantity_of(sums[_i].right);
  rebal_quantity out;

  ck_assert_int_eq(rebali_quantity_add(&left, &right, &out, NULL), REBAL_OK);
  expect_quantity(&out, &sums[_i].sum);
  ck_assert_int_eq(rebali_quantity_subtract(&left, &right, &out, NULL), REBAL_OK);
  expect_quantity(&out, &sums[_i].difference);
  ck_assert_int_eq(rebali_quantity_subtract(&left, &right, &left, NULL), REBAL_OK);
  expect_quantity(&left, &sums[_i].difference);
}
END_TEST

/* The peer's view of this is 8246196746: a cluster that looks free. Spec karmada 1.1 [LIB]. */
START_TEST(test_negative_fraction_is_exact) {
  rebal_quantity free_bytes = quantity_of("8Gi");
  const rebal_quantity allocated = quantity_of("1.5Gi");
  const rebal_quantity allocating = quantity_of("16Gi");

  ck_assert_int_eq(rebali_quantity_subtract(&free_bytes, &allocated, &free_bytes, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_quantity_subtract(&free_bytes, &allocating, &free_bytes, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_quantity_value(&free_bytes), INT64_C(-10200547328));
}
END_TEST

START_TEST(test_default_zero_takes_the_right_format) {
  const rebal_quantity none = {0, 0, REBAL_QUANTITY_FORMAT_NONE};
  const rebal_quantity one = quantity_of("1Ki");
  rebal_quantity out;

  ck_assert_int_eq(rebali_quantity_add(&none, &one, &out, NULL), REBAL_OK);
  ck_assert_uint_eq(out.format, BSI);
  ck_assert_int_eq(rebali_quantity_add(&none, &none, &out, NULL), REBAL_OK);
  ck_assert_uint_eq(out.format, REBAL_QUANTITY_FORMAT_NONE);
}
END_TEST

START_TEST(test_bad_operands) {
  const rebal_quantity one = quantity_of("1");
  const rebal_quantity unknown = {1, 0, 4};
  rebal_quantity out = one;
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebali_quantity_add(NULL, &one, &out, &err), REBAL_EINVAL);
  ck_assert_int_eq(err.code, REBAL_EINVAL);
  ck_assert_int_eq(rebali_quantity_add(&one, NULL, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_quantity_add(&one, &one, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_quantity_add(&unknown, &one, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_quantity_subtract(&one, &unknown, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_quantity_subtract(&one, &one, NULL, NULL), REBAL_EINVAL);
  expect_quantity(&out, &one);
}
END_TEST

static const struct {
  const char *left;
  const char *right;
  int32_t order;
} orders[] = {
    {"1", "1000m", 0}, {"1Ki", "1024", 0},  {"1k", "1e3", 0},     {"1", "1.000000001", -1}, {"-1", "-1n", -1},
    {"-1n", "0", -1},  {"100m", "1Gi", -1}, {"-1.5", "-1.4", -1}, {"8Ei", "10E", 0},        {"-10E", "-8Ei", -1},
};

START_TEST(test_order_is_exact) {
  const rebal_quantity left = quantity_of(orders[_i].left);
  const rebal_quantity right = quantity_of(orders[_i].right);

  ck_assert_int_eq(rebali_quantity_compare(&left, &right), orders[_i].order);
  ck_assert_int_eq(rebali_quantity_compare(&right, &left), -orders[_i].order);
}
END_TEST

START_TEST(test_missing_compares_as_zero) {
  const rebal_quantity one = quantity_of("1");

  ck_assert_int_eq(rebali_quantity_compare(NULL, &one), -1);
  ck_assert_int_eq(rebali_quantity_compare(&one, NULL), 1);
  ck_assert_int_eq(rebali_quantity_compare(NULL, NULL), 0);
}
END_TEST

static const rebal_quantity well_formed[] = {
    {0, 0, DSI},
    {0, 1, DSI},
    {0, -1, BSI},
    {5, 999999999, EXP},
    {-5, -999999999, DSI},
    {INT64_MAX, 0, DSI},
    {INT64_MIN, 0, DSI},
    {INT64_MAX - 1, 999999999, DSI},
    {INT64_MIN + 1, -999999999, DSI},
};

START_TEST(test_nanos_and_back) {
  const rebal_quantity *const quantity = &well_formed[_i];
  const rebal_quantity back = rebali_quantity_from_nanos(rebali_quantity_nanos(quantity), quantity->format);

  expect_quantity(&back, quantity);
}
END_TEST

UNIT_CASE(quantity) {
  TCase *cases = tcase_create("quantity");
  tcase_add_loop_test(cases, test_views, 0, (int)REBALI_COUNT(views));
  tcase_add_test(cases, test_views_beyond_what_text_gives);
  tcase_add_loop_test(cases, test_sums_and_differences, 0, (int)REBALI_COUNT(sums));
  tcase_add_test(cases, test_negative_fraction_is_exact);
  tcase_add_test(cases, test_default_zero_takes_the_right_format);
  tcase_add_test(cases, test_bad_operands);
  tcase_add_loop_test(cases, test_order_is_exact, 0, (int)REBALI_COUNT(orders));
  tcase_add_test(cases, test_missing_compares_as_zero);
  tcase_add_loop_test(cases, test_nanos_and_back, 0, (int)REBALI_COUNT(well_formed));
  return cases;
}
