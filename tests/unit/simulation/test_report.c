/* SPDX-License-Identifier: MIT */
#include "running.h"

START_TEST(test_report_cuts_between_characters) {
  rebal_error err = REBAL_ERROR_INIT;
  char text[300];
  memset(text, 'a', sizeof text);
  memcpy(text + sizeof err.message - 2, "\xC3\xA9", 3);
  ck_assert_int_eq(rebali_report(&err, REBAL_EPARSE, "%s", text), REBAL_EPARSE);
  ck_assert_uint_eq(strlen(err.message), sizeof err.message - 2);
  ck_assert_int_eq(rebali_report(&err, REBAL_EPARSE, "short"), REBAL_EPARSE);
  ck_assert_str_eq(err.message, "short");
}
END_TEST

START_TEST(test_report_needs_no_error) {
  rebal_error small = REBAL_ERROR_INIT;
  small.struct_size = 4;
  ck_assert_int_eq(rebali_report(NULL, REBAL_EINVAL, "x"), REBAL_EINVAL);
  ck_assert_int_eq(rebali_report(&small, REBAL_EINVAL, "x"), REBAL_EINVAL);
  ck_assert_str_eq(small.message, "");
}
END_TEST

START_TEST(test_print_of_any_length) {
  rebal_text *text = NULL;
  char bytes[1000];
  size_t len;
  memset(bytes, 'b', sizeof bytes - 1);
  bytes[sizeof bytes - 1] = '\0';
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_print(text, NULL, "%d%s", 7, bytes), REBAL_OK);
  ck_assert_int_eq(rebal_text_bytes(text, &len)[0], '7');
  ck_assert_uint_eq(len, 1000);
  rebal_text_free(text);
}
END_TEST

UNIT_CASE(report) {
  TCase *cases = tcase_create("report");
  tcase_add_test(cases, test_report_cuts_between_characters);
  tcase_add_test(cases, test_report_needs_no_error);
  tcase_add_test(cases, test_print_of_any_length);
  return cases;
}
