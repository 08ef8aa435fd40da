/* SPDX-License-Identifier: MIT */
#include "reading.h"

START_TEST(test_output_grows) {
  struct rebali_output output = {NULL, 0, 0, 0};
  for (int i = 0; i < 1000; i++) {
    rebali_output_append(&output, "abc", 3);
  }
  ck_assert_uint_eq(output.len, 3000);
  ck_assert_uint_eq(strlen(output.bytes), 3000);
  rebali_output_clear(&output);
  rebali_output_text(&output, "x");
  ck_assert_str_eq(output.bytes, "x");
  rebali_output_append(&output, NULL, 0);
  ck_assert_uint_eq(output.len, 1);
  rebali_output_dispose(&output);
  ck_assert_ptr_null(output.bytes);
}
END_TEST

START_TEST(test_output_failure_stays) {
  struct rebali_output output = {NULL, 0, 0, 0};
  rebali_output_text(&output, "kept");
  rebali_output_append(&output, "", SIZE_MAX / 2);
  ck_assert(output.failed);
  rebali_output_text(&output, "ignored");
  ck_assert_str_eq(output.bytes, "kept");
  rebali_output_dispose(&output);
}
END_TEST

UNIT_CASE(output) {
  TCase *cases = tcase_create("output");
  tcase_add_test(cases, test_output_grows);
  tcase_add_test(cases, test_output_failure_stays);
  return cases;
}
