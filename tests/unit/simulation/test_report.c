/* SPDX-License-Identifier: MIT */
#include "running.h"

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
  tcase_add_test(cases, test_print_of_any_length);
  return cases;
}
