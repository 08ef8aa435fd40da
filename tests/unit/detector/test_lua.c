/* SPDX-License-Identifier: MIT */
#include "interpreting.h"

/* Texts and numbers as tonumber() of the scripts reads them. */
static const struct {
  const char *value;
  int is_number;
  double number;
} numbers[] = {
    {"3", 1, 3},     {"2.5", 1, 2.5}, {"'3'", 1, 3},      {"' -3 '", 1, -3},     {"'2.5'", 1, 2.5}, {"'.5'", 1, 0.5},
    {"'5.'", 1, 5},  {"'007'", 1, 7}, {"'00.5'", 1, 0.5}, {"'-0.25'", 1, -0.25}, {"''", 0, 0},      {"'x'", 0, 0},
    {"'1e3'", 0, 0}, {"'.'", 0, 0},   {"'1.2.3'", 0, 0},  {"true", 0, 0},        {"[1]", 0, 0},     {"null", 0, 0},
};

START_TEST(test_numbers) {
  json_t *value = tree_of(numbers[_i].value);
  double number = 0;
  ck_assert_int_eq(rebali_lua_to_number(value, &number), numbers[_i].is_number);
  ck_assert_double_eq(number, numbers[_i].number);
  json_decref(value);
}
END_TEST

START_TEST(test_members) {
  struct rebali_interpreting in = {REBAL_OK, NULL, NULL, NULL};
  json_t *value = tree_of("{a: {b: 1}, text: x, number: 1, nothing: null}");
  ck_assert_int_eq(json_integer_value(rebali_lua_at(&in, value, "a.b")), 1);
  ck_assert_ptr_null(rebali_lua_at(&in, value, "text.b"));
  ck_assert_ptr_null(rebali_lua_find(&in, value, "nothing.b.c"));
  ck_assert_int_eq(in.result, REBAL_OK);
  ck_assert_ptr_null(rebali_lua_find(&in, value, "number.b"));
  ck_assert_int_eq(in.result, REBAL_EPARSE);
  in.result = REBAL_OK;
  ck_assert_ptr_null(rebali_lua_at(&in, value, "nothing.b"));
  ck_assert_int_eq(in.result, REBAL_EPARSE);
  ck_assert_ptr_null(rebali_lua_at(&in, value, "a.b"));
  json_decref(value);
}
END_TEST

START_TEST(test_results) {
  struct rebali_interpreting in = {REBAL_OK, NULL, NULL, NULL};
  json_t *value = tree_of("{a: [], b: {}, c: {d: []}, e: {f: null}, g: [1], h: null}");
  assert_tree(rebali_lua_result(&in, value), "{c: {}, e: {}, g: [1]}");
  assert_tree(rebali_lua_object(&in, value), "{a: [], b: {}, c: {d: []}, g: [1]}");
  json_decref(value);
}
END_TEST

START_TEST(test_whole_numbers) {
  ck_assert_double_eq(rebali_floor(2.5), 2);
  ck_assert_double_eq(rebali_floor(-2.5), -3);
  ck_assert_double_eq(rebali_floor(-2), -2);
  ck_assert_double_eq(rebali_floor(1e300), 1e300);
  ck_assert_int_eq(rebali_lua_int32(-2.9), -2);
  ck_assert_int_eq(rebali_lua_int32(3e9), INT32_MAX);
  ck_assert_int_eq(rebali_lua_int32(-3e9), INT32_MIN);
}
END_TEST

UNIT_CASE(lua) {
  TCase *cases = tcase_create("lua");
  tcase_add_loop_test(cases, test_numbers, 0, sizeof numbers / sizeof numbers[0]);
  tcase_add_test(cases, test_members);
  tcase_add_test(cases, test_results);
  tcase_add_test(cases, test_whole_numbers);
  return cases;
}
