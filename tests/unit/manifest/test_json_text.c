/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct {
  const char *text, *json; /* NULL: refused */
} texts[] = {
    {"{\"b\":1,\"a\":[2]}", "{\"b\":1,\"a\":[2]}"},
    {" [1.50] ", "[1.50]"},
    {" \"a\" ", "\"a\""},
    {"1.50", "1.50"},
    {"null", "null"},
    {"true ", "true"},
    {"", NULL},
    {" ", NULL},
    {"a", NULL},
    {"1,2", NULL},
    {"1],[2", NULL},
    {"{} {}", NULL},
    {"{a: 1}", NULL},
    {"a: 1", NULL},
    {"{\"a\":1", NULL},
};

START_TEST(test_one_value_of_json) {
  struct rebali_buffer output = REBALI_BUFFER;
  json_t *tree = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = rebali_json_text(texts[_i].text, strlen(texts[_i].text), &tree, &err);
  ck_assert_msg((result == REBAL_OK) == (texts[_i].json != NULL), "%s: %s", texts[_i].text, err.message);
  if (result == REBAL_OK) {
    ck_assert_int_eq(rebali_json_write(tree, 0, &output), REBAL_OK);
    ck_assert_str_eq(output.bytes, texts[_i].json);
  } else {
    ck_assert_int_eq(result, REBAL_EPARSE);
    ck_assert_ptr_null(tree);
  }
  rebali_buffer_dispose(&output);
  json_decref(tree);
}
END_TEST

UNIT_CASE(json_text) {
  TCase *cases = tcase_create("json_text");
  tcase_add_loop_test(cases, test_one_value_of_json, 0, (int)COUNT(texts));
  return cases;
}
