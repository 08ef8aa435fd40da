/* SPDX-License-Identifier: MIT */
#include "reading.h"

static const struct {
  const char *text;
  uint32_t line, column; /* 0: none */
} rows[] = {
    {"a: 1\n", 0, 0},
    {"# first\na: 1\n", 1, 1},
    {"a: 1 # after\n", 1, 6},
    {"a: 1#no\n", 0, 0},
    {"a: '# no'\nb: \"# no\"\n", 0, 0},
    {"a: |\n  # no\n  b\n", 0, 0},
    {"a: |  # yes\n  b\n", 1, 7},
    {"a: >-\n  # no\n\n# yes\nb: 1\n", 4, 1},
    {"a: |\n  b\n # less deep\nc: 1\n", 3, 2},
    {"\"\xC3\xA9\xC3\xA9\": 1  # \xC3\xA9\n", 1, 10},
    {"- [a, # within\n  b]\n", 1, 7},
    {"a: 1\n# last", 2, 1},
    {"a: 1\n---\nb: 1\n... # end\n", 4, 5},
    {"a: b\n  # no plain text goes on\n", 2, 3},
    {"\xEF\xBB\xBF# mark\na: 1\n", 1, 1},
    {"{\"a\": \"# no\"}", 0, 0},
    {"{a: 1} # yes\n", 1, 8},
    {"%YAML 1.1\n# yes\n---\na: 1\n", 2, 1},
};

START_TEST(test_first_comment) {
  uint32_t line = 9, column = 9;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(
      rebal_manifest_find_comment(rows[_i].text, strlen(rows[_i].text), NULL, &line, &column, &err) == REBAL_OK,
      "%s: %s", rows[_i].text, err.message);
  ck_assert_msg(line == rows[_i].line && column == rows[_i].column, "%s: %u:%u", rows[_i].text, line, column);
}
END_TEST

START_TEST(test_what_cannot_be_looked_through) {
  uint32_t line = 9;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_manifest_find_comment("a: [", 4, NULL, &line, NULL, &err), REBAL_EPARSE);
  ck_assert_int_eq(rebal_manifest_find_comment(NULL, 4, NULL, &line, NULL, &err), REBAL_EINVAL);
  ck_assert_uint_eq(line, 9);
  ck_assert_int_eq(rebal_manifest_find_comment("a: 1", 4, NULL, NULL, NULL, NULL), REBAL_OK);
}
END_TEST

UNIT_CASE(comment) {
  TCase *cases = tcase_create("comment");
  tcase_add_loop_test(cases, test_first_comment, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_what_cannot_be_looked_through);
  return cases;
}
