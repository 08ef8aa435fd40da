/* SPDX-License-Identifier: MIT */
#include "running.h"

static const struct {
  const char *json;
  enum rebali_json_kind kind;
} kinds[] = {{"", REBALI_JSON_ABSENT},     {"null", REBALI_JSON_ABSENT}, {"{}", REBALI_JSON_MAP},
             {"[]", REBALI_JSON_LIST},     {"\"\"", REBALI_JSON_STRING}, {"-1", REBALI_JSON_NUMBER},
             {"true", REBALI_JSON_BOOLEAN}};

START_TEST(test_kinds) {
  ck_assert_int_eq(rebali_cursor_kind(rebali_slice(kinds[_i].json)), kinds[_i].kind);
}
END_TEST

START_TEST(test_members) {
  const struct rebali_slice map =
      rebali_slice("{\"a\":{\"x\":[1,{\"y\":\"}\"}]},\"b,c\":\"q\\\"]\",\"n\":null,\"d\":-5}");
  struct rebali_slice key, value;
  size_t at = 0;
  ck_assert(rebali_cursor_member(map, &at, &key, &value) && rebali_slice_is(key, "a"));
  ck_assert(rebali_slice_is(value, "{\"x\":[1,{\"y\":\"}\"}]}"));
  ck_assert(rebali_cursor_member(map, &at, &key, &value) && rebali_slice_is(key, "b,c"));
  ck_assert(rebali_slice_is(value, "\"q\\\"]\""));
  ck_assert(rebali_cursor_member(map, &at, &key, &value) && rebali_slice_is(key, "n"));
  ck_assert(rebali_cursor_member(map, &at, &key, &value) && rebali_slice_is(value, "-5"));
  ck_assert(!rebali_cursor_member(map, &at, &key, &value));
  ck_assert(rebali_slice_is(rebali_cursor_find(map, "d"), "-5"));
  ck_assert_uint_eq(rebali_cursor_find(map, "n").len, 0);
  ck_assert_uint_eq(rebali_cursor_find(map, "x").len, 0);
  ck_assert_uint_eq(rebali_cursor_find(rebali_slice("[]"), "x").len, 0);
}
END_TEST

START_TEST(test_items) {
  struct rebali_slice item;
  size_t at = 0;
  const struct rebali_slice list = rebali_slice("[[],\"a,b\",3]");
  ck_assert(rebali_cursor_item(list, &at, &item) && rebali_slice_is(item, "[]"));
  ck_assert(rebali_cursor_item(list, &at, &item) && rebali_slice_is(item, "\"a,b\""));
  ck_assert(rebali_cursor_item(list, &at, &item) && rebali_slice_is(item, "3"));
  ck_assert(!rebali_cursor_item(list, &at, &item));
  at = 0;
  ck_assert(!rebali_cursor_item(rebali_slice("[]"), &at, &item));
  at = 0;
  ck_assert(!rebali_cursor_item(rebali_slice("{}"), &at, &item));
}
END_TEST

static const struct {
  const char *json, *text;
} texts[] = {{"\"plain\"", "plain"},
             {"\"\"", ""},
             {"\"a\\n\\t\\\"\\\\\\/b\"", "a\n\t\"\\/b"},
             {"\"\\u003c\\u00e9\\u20ac\\ud83d\\ude00\"", "<\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
             {"12", "12"},
             {"true", "true"}};

START_TEST(test_texts) {
  char *copy = rebali_cursor_copy(rebali_slice(texts[_i].json));
  ck_assert_str_eq(copy, texts[_i].text);
  free(copy);
}
END_TEST

START_TEST(test_integers) {
  int64_t number = 7;
  ck_assert(rebali_cursor_integer(rebali_slice("-12"), &number));
  ck_assert_int_eq(number, -12);
  ck_assert(rebali_cursor_integer(rebali_slice("9223372036854775807"), &number));
  ck_assert_int_eq(number, INT64_MAX);
  ck_assert(!rebali_cursor_integer(rebali_slice("9223372036854775808"), &number));
  ck_assert(!rebali_cursor_integer(rebali_slice("1.5"), &number));
  ck_assert(!rebali_cursor_integer(rebali_slice("-"), &number));
  ck_assert(!rebali_cursor_integer(rebali_slice(""), &number));
}
END_TEST

START_TEST(test_quote) {
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_quote(rebali_slice("a\"\\\n\xC3\xA9"), text, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), "\"a\\\"\\\\\\u000a\xC3\xA9\"");
  rebal_text_free(text);
}
END_TEST

UNIT_CASE(cursor) {
  TCase *cases = tcase_create("cursor");
  tcase_add_loop_test(cases, test_kinds, 0, (int)COUNT(kinds));
  tcase_add_test(cases, test_members);
  tcase_add_test(cases, test_items);
  tcase_add_loop_test(cases, test_texts, 0, (int)COUNT(texts));
  tcase_add_test(cases, test_integers);
  tcase_add_test(cases, test_quote);
  return cases;
}
