/* SPDX-License-Identifier: MIT */
#include "stores.h"

START_TEST(test_text_grows_and_is_emptied) {
  rebal_text *text = NULL;
  size_t len = 9;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, &len), "");
  ck_assert_uint_eq(len, 0);
  ck_assert_int_eq(rebal_text_append(text, "abc", 3, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_append(text, NULL, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_append(text, "\0d", 2, NULL), REBAL_OK);
  ck_assert_mem_eq(rebal_text_bytes(text, &len), "abc\0d", 6);
  ck_assert_uint_eq(len, 5);
  rebal_text_reset(text);
  ck_assert_str_eq(rebal_text_bytes(text, &len), "");
  ck_assert_uint_eq(len, 0);
  rebal_text_free(text);
}
END_TEST

START_TEST(test_broken_calls_of_text) {
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_text_append(NULL, "a", 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_append(text, NULL, 1, NULL), REBAL_EINVAL);
  ck_assert_str_eq(rebal_text_bytes(NULL, NULL), "");
  rebal_text_reset(NULL);
  rebal_text_free(NULL);
  rebal_text_free(text);
}
END_TEST

UNIT_CASE(text_object) {
  TCase *cases = tcase_create("text_object");
  tcase_add_test(cases, test_text_grows_and_is_emptied);
  tcase_add_test(cases, test_broken_calls_of_text);
  return cases;
}
