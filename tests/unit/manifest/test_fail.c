/* SPDX-License-Identifier: MIT */
#include "reading.h"

START_TEST(test_fail_fills_the_error) {
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebali_manifest_fail(&err, REBAL_EPARSE, "bad %s", "thing"), REBAL_EPARSE);
  rebali_manifest_fail_at(&err, 5, 1, 2, 3);
  rebali_manifest_fail_field(&err, "spec.replicas");
  ck_assert_int_eq(err.code, REBAL_EPARSE);
  ck_assert_str_eq(err.message, "bad thing");
  ck_assert_str_eq(err.field, "spec.replicas");
  ck_assert_int_eq(err.where, 5);
  ck_assert_uint_eq(err.document, 1);
  ck_assert_uint_eq(err.line, 2);
  ck_assert_uint_eq(err.column, 3);
  ck_assert_int_eq(rebali_manifest_fail_memory(&err), REBAL_ENOMEM);
  ck_assert_str_eq(err.field, "");
  ck_assert_int_eq(err.where, -1);
  ck_assert_uint_eq(err.line, 0);
}
END_TEST

START_TEST(test_fail_leaves_impossible_sizes_alone) {
  rebal_error err = REBAL_ERROR_INIT;
  err.struct_size = 8;
  ck_assert_int_eq(rebali_manifest_fail(&err, REBAL_EPARSE, "text"), REBAL_EPARSE);
  rebali_manifest_fail_field(&err, "a");
  ck_assert_int_eq(err.code, 0);
  ck_assert_str_eq(err.message, "");
  ck_assert_str_eq(err.field, "");
  ck_assert_int_eq(rebali_manifest_fail(NULL, REBAL_EPARSE, "text"), REBAL_EPARSE);
}
END_TEST

START_TEST(test_fail_cuts_long_texts) {
  rebal_error err = REBAL_ERROR_INIT;
  char text[1000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  (void)rebali_manifest_fail(&err, REBAL_EPARSE, "%s", text);
  rebali_manifest_fail_field(&err, text);
  ck_assert_uint_eq(strlen(err.message), sizeof err.message - 1);
  ck_assert_uint_eq(strlen(err.field), sizeof err.field - 1);
  memcpy(text + sizeof err.field - 2, "\xC3\xA9", 2);
  rebali_manifest_fail_field(&err, text);
  ck_assert_uint_eq(strlen(err.field), sizeof err.field - 2);
}
END_TEST

UNIT_CASE(fail) {
  TCase *cases = tcase_create("fail");
  tcase_add_test(cases, test_fail_fills_the_error);
  tcase_add_test(cases, test_fail_leaves_impossible_sizes_alone);
  tcase_add_test(cases, test_fail_cuts_long_texts);
  return cases;
}
