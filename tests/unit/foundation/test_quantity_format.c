/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

#define NONE REBAL_QUANTITY_FORMAT_NONE
#define DSI REBAL_QUANTITY_FORMAT_DECIMAL_SI
#define BSI REBAL_QUANTITY_FORMAT_BINARY_SI
#define EXP REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT

static const struct {
  rebal_quantity quantity;
  const char *text;
} writings[] = {
    {{0, 0, NONE}, "0"},
    {{0, 0, BSI}, "0"},
    {{1, 0, DSI}, "1"},
    {{1000, 0, DSI}, "1k"},
    {{1500, 0, DSI}, "1500"},
    {{-20000000, 0, DSI}, "-20M"},
    {{INT64_C(3000000000), 0, DSI}, "3G"},
    {{INT64_C(4000000000000), 0, DSI}, "4T"},
    {{INT64_C(5000000000000000), 0, DSI}, "5P"},
    {{INT64_C(6000000000000000000), 0, DSI}, "6E"},
    {{0, 100000000, DSI}, "100m"},
    {{1, 500000000, DSI}, "1500m"},
    {{-1, -500000000, DSI}, "-1500m"},
    {{1, 5000000, DSI}, "1005m"},
    {{0, 1500000, DSI}, "1500u"},
    {{2, 1000, DSI}, "2000001u"},
    {{0, 1, DSI}, "1n"},
    {{3, 1, DSI}, "3000000001n"},
    {{INT64_MAX, 0, DSI}, "9223372036854775807"},
    {{INT64_MIN, 0, DSI}, "-9223372036854775808"},
    {{-INT64_MAX, -999999999, DSI}, "-9223372036854775807999999999n"},
    {{1024, 0, BSI}, "1Ki"},
    {{-1024, 0, BSI}, "-1Ki"},
    {{1025, 0, BSI}, "1025"},
    {{1023, 0, BSI}, "1023"},
    {{1000, 0, BSI}, "1k"},
    {{1500000, 0, BSI}, "1500000"},
    {{INT64_C(1610612736), 0, BSI}, "1536Mi"},
    {{INT64_C(2147483648), 0, BSI}, "2Gi"},
    {{INT64_C(1099511627776), 0, BSI}, "1Ti"},
    {{INT64_C(1125899906842624), 0, BSI}, "1Pi"},
    {{INT64_C(1152921504606846976), 0, BSI}, "1Ei"},
    {{INT64_MIN, 0, BSI}, "-8Ei"},
    {{107374182, 400000000, BSI}, "107374182400m"},
    {{1000, 0, EXP}, "1e3"},
    {{12, 0, EXP}, "12"},
    {{1, 500000000, EXP}, "1500e-3"},
    {{0, 1, EXP}, "1e-9"},
    {{INT64_C(2000000000000000000), 0, EXP}, "2e18"},
    {{1000, 0, NONE}, "1e3"},
    /* opposite signs and too many nanos, as a careless caller may write them */
    {{1, -500000000, DSI}, "500m"},
    {{0, 2000000000, DSI}, "2"},
    {{-1, 1000000000, DSI}, "0"},
    {{INT64_MAX, 1, DSI}, "9223372036854775807"},
};

START_TEST(test_writings) {
  char text[64];
  size_t len = 0;

  ck_assert_int_eq(rebali_quantity_format(&writings[_i].quantity, text, sizeof text, &len, NULL), REBAL_OK);
  ck_assert_str_eq(text, writings[_i].text);
  ck_assert_uint_eq(len, strlen(text));
}
END_TEST

START_TEST(test_length_alone_and_small_buffer) {
  const rebal_quantity quantity = {1, 500000000, DSI};
  char text[5];
  size_t len = 0;

  ck_assert_int_eq(rebali_quantity_format(&quantity, NULL, 0, &len, NULL), REBAL_OK);
  ck_assert_uint_eq(len, 5);
  ck_assert_int_eq(rebali_quantity_format(&quantity, text, 5, &len, NULL), REBAL_OK);
  ck_assert_mem_eq(text, "1500m", 5);
  ck_assert_int_eq(rebali_quantity_format(&quantity, text, 4, &len, NULL), REBAL_ERANGE);
  ck_assert_uint_eq(len, 5);
}
END_TEST

START_TEST(test_bad_arguments) {
  const rebal_quantity unknown = {1, 0, 4};
  const rebal_quantity one = {1, 0, DSI};
  char text[8];
  size_t len;

  ck_assert_int_eq(rebali_quantity_format(NULL, text, sizeof text, &len, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_quantity_format(&unknown, text, sizeof text, &len, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_quantity_format(&one, text, sizeof text, NULL, NULL), REBAL_EINVAL);
}
END_TEST

static const char *const canonical[] = {
    "0",   "1",        "-20M", "1500m",         "3000000001n",        "1025", "1536Mi", "-7Ei",
    "1e3", "-1500e-3", "2e18", "107374182400m", "9223372036854775807"};

START_TEST(test_canonical_text_comes_back_as_it_is) {
  rebal_quantity quantity;
  char text[64];
  size_t len = 0;

  ck_assert_int_eq(rebali_quantity_parse(canonical[_i], strlen(canonical[_i]), &quantity, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_quantity_format(&quantity, text, sizeof text, &len, NULL), REBAL_OK);
  ck_assert_str_eq(text, canonical[_i]);
}
END_TEST

UNIT_CASE(quantity_format) {
  TCase *cases = tcase_create("quantity_format");
  tcase_add_loop_test(cases, test_writings, 0, (int)REBALI_COUNT(writings));
  tcase_add_test(cases, test_length_alone_and_small_buffer);
  tcase_add_test(cases, test_bad_arguments);
  tcase_add_loop_test(cases, test_canonical_text_comes_back_as_it_is, 0, (int)REBALI_COUNT(canonical));
  return cases;
}
