/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../unit.h"

START_TEST(test_version_is_the_headers) {
  ck_assert_str_eq(rebal_version(), PACKAGE_VERSION);
}
END_TEST

START_TEST(test_abi_version_is_that_of_the_soname) {
  ck_assert_uint_eq(rebal_abi_version(), REBAL_ABI_VERSION);
  ck_assert_uint_eq(REBAL_ABI_VERSION, 0);
}
END_TEST

START_TEST(test_every_code_has_its_text) {
  static const struct {
    int32_t number;
    const char *text;
  } codes[] = {
#define REBAL_CODE(name, number, text) {name, text},
#include "rebalance/codes.def"
#undef REBAL_CODE
  };
  ck_assert_str_eq(rebal_strerror(codes[_i].number), codes[_i].text);
}
END_TEST

START_TEST(test_unknown_codes_have_a_text) {
  ck_assert_str_eq(rebal_strerror(1), "unknown error");
  ck_assert_str_eq(rebal_strerror(INT32_MIN), "unknown error");
  ck_assert_str_eq(rebal_strerror(INT32_MAX), "unknown error");
}
END_TEST

#define REBAL_CODE(name, number, text) +1
static const int n_codes = 0
#include "rebalance/codes.def"
    ;
#undef REBAL_CODE

UNIT_CASE(version) {
  TCase *cases = tcase_create("version");
  tcase_add_test(cases, test_version_is_the_headers);
  tcase_add_test(cases, test_abi_version_is_that_of_the_soname);
  tcase_add_loop_test(cases, test_every_code_has_its_text, 0, n_codes);
  tcase_add_test(cases, test_unknown_codes_have_a_text);
  return cases;
}
