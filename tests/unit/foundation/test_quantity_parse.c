/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

#define DSI REBAL_QUANTITY_FORMAT_DECIMAL_SI
#define BSI REBAL_QUANTITY_FORMAT_BINARY_SI
#define EXP REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT

static const struct {
  const char *text;
  rebal_quantity quantity;
} readings[] = {
    {"0", {0, 0, DSI}},
    {"-0", {0, 0, DSI}},
    {"007", {7, 0, DSI}},
    {"+5", {5, 0, DSI}},
    {".5", {0, 500000000, DSI}},
    {"5.", {5, 0, DSI}},
    {"5.Gi", {INT64_C(5368709120), 0, BSI}},
    {"100m", {0, 100000000, DSI}},
    {"-1500m", {-1, -500000000, DSI}},
    {"1500u", {0, 1500000, DSI}},
    {"250000u", {0, 250000000, DSI}},
    {"1n", {0, 1, DSI}},
    {"1k", {1000, 0, DSI}},
    {"1.5M", {1500000, 0, DSI}},
    {"2G", {INT64_C(2000000000), 0, DSI}},
    {"3T", {INT64_C(3000000000000), 0, DSI}},
    {"4P", {INT64_C(4000000000000000), 0, DSI}},
    {"9E", {INT64_C(9000000000000000000), 0, DSI}},
    {"1Ki", {1024, 0, BSI}},
    {"1Mi", {1048576, 0, BSI}},
    {"2Gi", {INT64_C(2147483648), 0, BSI}},
    {"1Ti", {INT64_C(1099511627776), 0, BSI}},
    {"1Pi", {INT64_C(1125899906842624), 0, BSI}},
    {"7Ei", {INT64_C(8070450532247928832), 0, BSI}},
    {"0Ki", {0, 0, BSI}},
    {"0.1Gi", {107374182, 400000000, BSI}},
    {"-0.1Gi", {-107374182, -400000000, BSI}},
    {"0.0001Ki", {0, 102400000, DSI}},
    {"-0.0001Ki", {0, -102400000, DSI}},
    {"0.0009765625Ki", {1, 0, BSI}},
    {"1e3", {1000, 0, EXP}},
    {"1E3", {1000, 0, EXP}},
    {"1e+3", {1000, 0, EXP}},
    {"1500e-3", {1, 500000000, EXP}},
    {"12e0", {12, 0, EXP}},
    {"1E", {INT64_C(1000000000000000000), 0, DSI}},
    /* finer than 1n: away from zero */
    {"0.1n", {0, 1, DSI}},
    {"-0.1n", {0, -1, DSI}},
    {"1.0000000001", {1, 1, DSI}},
    {"1.0000000000", {1, 0, DSI}},
    {"0.9999999999", {1, 0, DSI}},
    {"-0.9999999999", {-1, 0, DSI}},
    {"1e-100", {0, 1, EXP}},
    {"0e-100", {0, 0, EXP}},
    {"0.00000000000001Ki", {0, 1, DSI}},
    {"0.000976562499999999999999999999999999999Ki", {1, 0, BSI}},
    {"0.33333333333333333333333333333333Ei", {INT64_C(384307168202282325), 333333334, BSI}},
    /* out of range: saturated */
    {"9223372036854775807", {INT64_MAX, 0, DSI}},
    {"9223372036854775807.5", {INT64_MAX, 0, DSI}},
    {"9223372036854775808", {INT64_MAX, 0, DSI}},
    {"-9223372036854775807.5", {-INT64_MAX, -500000000, DSI}},
    {"-9223372036854775808", {INT64_MIN, 0, DSI}},
    {"-9223372036854775808.5", {INT64_MIN, 0, DSI}},
    {"-9223372036854775809", {INT64_MIN, 0, DSI}},
    {"18446744073709551615", {INT64_MAX, 0, DSI}},
    {"18446744073709551615.9999999999", {INT64_MAX, 0, DSI}},
    {"18446744073709551616", {INT64_MAX, 0, DSI}},
    {"10E", {INT64_MAX, 0, DSI}},
    {"1e19", {INT64_MAX, 0, EXP}},
    {"-1e9223372036854775807", {INT64_MIN, 0, EXP}},
    {"1e-9223372036854775807", {0, 1, EXP}},
    {"0e9223372036854775807", {0, 0, EXP}},
    {"8Ei", {INT64_MAX, 0, BSI}},
    {"-8Ei", {-INT64_MAX, 0, BSI}},
    {"100Ei", {INT64_MAX, 0, BSI}},
    {"7.9999999999999999999999Ei", {INT64_MAX, 0, BSI}},
    {"99999999999999999999999999Ki", {INT64_MAX, 0, BSI}},
    {"9007199254740991.9999999999999Ki", {INT64_MAX, 0, BSI}},
    /* long, but exact */
    {"0000000000000000000000000000000000000001", {1, 0, DSI}},
    {"1.000000000000000000000000000000000000000", {1, 0, DSI}},
    {"0.000000000000000000000000000001e30", {1, 0, EXP}},
    {"1000000000000000000000000000000e-30", {1, 0, EXP}},
};

START_TEST(test_readings) {
  rebal_quantity quantity = {-99, -99, 99};

  ck_assert_int_eq(rebali_quantity_parse(readings[_i].text, strlen(readings[_i].text), &quantity, NULL), REBAL_OK);
  ck_assert_int_eq(quantity.units, readings[_i].quantity.units);
  ck_assert_int_eq(quantity.nanos, readings[_i].quantity.nanos);
  ck_assert_uint_eq(quantity.format, readings[_i].quantity.format);
}
END_TEST

static const struct {
  const char *text;
  int64_t where;
} mistakes[] = {
    {"", 0},          {".", 1},     {"-", 1},     {"+", 1},
    {"-.", 2},        {"m", 0},     {"Ki", 0},    {"e3", 0},
    {" 1", 0},        {"1 ", 1},    {"--1", 1},   {"+-1", 1},
    {"1K", 1},        {"1ki", 1},   {"1mi", 1},   {"1mm", 1},
    {"1Kii", 1},      {"1i", 1},    {"1.5.5", 3}, {"1,5", 1},
    {"0x10", 1},      {"1e", 1},    {"1e+", 1},   {"1e-", 1},
    {"1e1.5", 1},     {"1e3m", 1},  {"1e--3", 1}, {"1E3i", 1},
    {"1\xC2\xB5", 1}, {"1_000", 1}, {"inf", 0},   {"1e9223372036854775808", 1},
};

START_TEST(test_mistakes) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_quantity quantity = {-99, -99, 99};

  ck_assert_int_eq(rebali_quantity_parse(mistakes[_i].text, strlen(mistakes[_i].text), &quantity, &err), REBAL_EPARSE);
  ck_assert_int_eq(err.code, REBAL_EPARSE);
  ck_assert_int_eq(err.where, mistakes[_i].where);
  ck_assert_int_eq(quantity.units, -99);
}
END_TEST

START_TEST(test_only_len_bytes_are_read) {
  rebal_quantity quantity;

  ck_assert_int_eq(rebali_quantity_parse("12Ki", 2, &quantity, NULL), REBAL_OK);
  ck_assert_int_eq(quantity.units, 12);
  ck_assert_int_eq(rebali_quantity_parse("1\0", 2, &quantity, NULL), REBAL_EPARSE);
}
END_TEST

START_TEST(test_missing_arguments) {
  rebal_quantity quantity;

  ck_assert_int_eq(rebali_quantity_parse("1", 1, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_quantity_parse(NULL, 1, &quantity, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_quantity_parse(NULL, 0, &quantity, NULL), REBAL_EPARSE);
}
END_TEST

UNIT_CASE(quantity_parse) {
  TCase *cases = tcase_create("quantity_parse");
  tcase_add_loop_test(cases, test_readings, 0, (int)REBALI_COUNT(readings));
  tcase_add_loop_test(cases, test_mistakes, 0, (int)REBALI_COUNT(mistakes));
  tcase_add_test(cases, test_only_len_bytes_are_read);
  tcase_add_test(cases, test_missing_arguments);
  return cases;
}
