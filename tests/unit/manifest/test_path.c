/* SPDX-License-Identifier: MIT */
#include "reading.h"

START_TEST(test_path_print) {
  const struct rebali_path spec = rebali_path_key(NULL, "spec");
  const struct rebali_path workloads = rebali_path_key(&spec, "work-loads_2");
  const struct rebali_path third = rebali_path_index(&workloads, 2);
  const struct rebali_path label = rebali_path_key(&third, "a.b/\"c\\\n");
  char buffer[64];
  ck_assert_uint_eq(rebali_path_print(NULL, buffer, sizeof buffer), 0);
  ck_assert_str_eq(buffer, "");
  ck_assert_uint_eq(rebali_path_print(&third, buffer, sizeof buffer), 20);
  ck_assert_str_eq(buffer, "spec.work-loads_2[2]");
  (void)rebali_path_print(&label, buffer, sizeof buffer);
  ck_assert_str_eq(buffer, "spec.work-loads_2[2][\"a.b/\\\"c\\\\\\u000a\"]");
}
END_TEST

static const struct {
  const char *key, *text;
} keys[] = {
    {"name", "name"}, {"_x", "_x"}, {"2x", "[\"2x\"]"}, {"", "[\"\"]"}, {"a b", "[\"a b\"]"}, {"-a", "[\"-a\"]"},
};

START_TEST(test_path_quotes_other_than_identifiers) {
  const struct rebali_path path = rebali_path_key(NULL, keys[_i].key);
  char buffer[64];
  (void)rebali_path_print(&path, buffer, sizeof buffer);
  ck_assert_str_eq(buffer, keys[_i].text);
  ck_assert_uint_eq(rebali_path_match_key(buffer, 1, keys[_i].key), strlen(buffer));
}
END_TEST

START_TEST(test_path_cut) {
  const struct rebali_path path = rebali_path_key(NULL, "\xC3\xA9");
  char buffer[8];
  ck_assert_uint_eq(rebali_path_print(&path, NULL, 0), 6);
  ck_assert_uint_eq(rebali_path_print(&path, buffer, 4), 6);
  ck_assert_str_eq(buffer, "[\"");
  ck_assert_uint_eq(rebali_path_print(&path, buffer, 5), 6);
  ck_assert_str_eq(buffer, "[\"\xC3\xA9");
  ck_assert_uint_eq(rebali_path_print(&path, buffer, 7), 6);
  ck_assert_str_eq(buffer, "[\"\xC3\xA9\"]");
}
END_TEST

START_TEST(test_path_match) {
  ck_assert_uint_eq(rebali_path_match_key("a.b", 1, "a"), 1);
  ck_assert_uint_eq(rebali_path_match_key(".b", 0, "b"), 2);
  ck_assert_uint_eq(rebali_path_match_key("b", 0, "b"), 0);
  ck_assert_uint_eq(rebali_path_match_key("ab", 1, "a"), 0);
  ck_assert_uint_eq(rebali_path_match_key("[\"a\"]", 0, "a"), 5);
  ck_assert_uint_eq(rebali_path_match_key("[\"ab\"]", 0, "a"), 0);
  ck_assert_uint_eq(rebali_path_match_key("a.b", 1, "a.b"), 0);
}
END_TEST

START_TEST(test_path_simplify) {
  static const char *const paths[][2] = {
      {"", ""},
      {"a.b[1]", "a.b[1]"},
      {"[\"a\"][\"b-1\"][2][\"c\"]", "a.b-1[2].c"},
      {"a[\"b.c\"][\"1\"][\"\"]", "a[\"b.c\"][\"1\"][\"\"]"},
      {"[\"a[\"][\"b\"]", "[\"a[\"].b"},
      {"[\"a", "[\"a"},
      {"[\"a\"", "[\"a\""},
  };
  for (size_t i = 0; i < COUNT(paths); i++) {
    char path[64];
    (void)snprintf(path, sizeof path, "%s", paths[i][0]);
    rebali_path_simplify(path);
    ck_assert_str_eq(path, paths[i][1]);
  }
}
END_TEST

UNIT_CASE(path) {
  TCase *cases = tcase_create("path");
  tcase_add_test(cases, test_path_print);
  tcase_add_loop_test(cases, test_path_quotes_other_than_identifiers, 0, (int)COUNT(keys));
  tcase_add_test(cases, test_path_cut);
  tcase_add_test(cases, test_path_match);
  tcase_add_test(cases, test_path_simplify);
  return cases;
}
