/* SPDX-License-Identifier: MIT */
#include "reading.h"

START_TEST(test_number_verbatim) {
  json_t *number = rebali_number_new("1.10xyz", 4);
  const char *text = NULL;
  ck_assert(rebali_number_is_verbatim(number, &text));
  ck_assert_str_eq(text, "1.10");
  ck_assert(rebali_number_is_verbatim(number, NULL));
  json_decref(number);
}
END_TEST

static const char *const others[] = {
    "{}", "{\"a\":\"1\"}", "{\"\\u0001\":1}", "{\"\\u0001\":\"1\",\"a\":1}", "[1]", "1", "null",
};

START_TEST(test_number_others_are_not) {
  json_t *value = json_loads(others[_i], JSON_DECODE_ANY, NULL);
  const char *text = "kept";
  ck_assert_ptr_nonnull(value);
  ck_assert(!rebali_number_is_verbatim(value, &text));
  ck_assert(!rebali_number_is_verbatim(NULL, &text));
  ck_assert_str_eq(text, "kept");
  json_decref(value);
}
END_TEST

static const struct {
  const char *text;
  int is_integer;
  int64_t value;
} tokens[] = {
    {"0", 1, 0},
    {"-0", 1, 0},
    {"9223372036854775807", 1, INT64_MAX},
    {"-9223372036854775808", 1, INT64_MIN},
    {"9223372036854775808", 0, 0},
    {"-9223372036854775809", 0, 0},
    {"99999999999999999999999999", 0, 0},
    {"1.0", 0, 0},
    {"1e2", 0, 0},
};

START_TEST(test_number_classify) {
  struct rebali_event event = {.text = tokens[_i].text, .len = strlen(tokens[_i].text)};
  rebali_number_classify(&event);
  ck_assert_int_eq(event.scalar, tokens[_i].is_integer ? REBALI_SCALAR_INTEGER : REBALI_SCALAR_NUMBER);
  if (tokens[_i].is_integer) {
    ck_assert_int_eq(event.integer, tokens[_i].value);
  }
}
END_TEST

UNIT_CASE(number) {
  TCase *cases = tcase_create("number");
  tcase_add_test(cases, test_number_verbatim);
  tcase_add_loop_test(cases, test_number_others_are_not, 0, (int)COUNT(others));
  tcase_add_loop_test(cases, test_number_classify, 0, (int)COUNT(tokens));
  return cases;
}
