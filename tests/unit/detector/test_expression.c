/* SPDX-License-Identifier: MIT */
#include "detecting.h"

static const struct {
  const char *expression, *text;
  int matches;
} rows[] = {
    {"^a.c$", "abc", 1},
    {"^a.c$", "ac", 0},
    {"^ab*c$", "abbbc", 1},
    {"^ab*c$", "ac", 1},
    {"^ab+c$", "ac", 0},
    {"^ab?c$", "abbc", 0},
    {"^ab?c$", "ac", 1},
    {"^(ab|cd)+$", "abcdab", 1},
    {"^(ab|cd)+$", "abc", 0},
    {"^a{2}$", "aa", 1},
    {"^a{2}$", "aaa", 0},
    {"^a{2,}$", "aaaa", 1},
    {"^a{0}$", "", 1},
    {"^a{0}$", "a", 0},
    {"^a{0,2}b$", "b", 1},
    {"^a{0,2}b$", "aab", 1},
    {"^a{0,2}b$", "aaab", 0},
    {"^a{1,3}$", "aaa", 1},
    {"^a{1,3}$", "aaaa", 0},
    {"^(a|b){2,3}$", "aba", 1},
    {"^[^a-c]$", "d", 1},
    {"^[^a-c]$", "b", 0},
    {"^[]x]+$", "]x", 1},
    {"^[a-]+$", "a-", 1},
    {"^[[:digit:]x]+$", "1x2", 1},
    {"^[[:digit:]x]+$", "y", 0},
    {"^a\\.b$", "a.b", 1},
    {"^a\\.b$", "axb", 0},
    {"b", "abc", 1},
    {"^a|c$", "abc", 1},
    {"^x|c$", "abd", 0},
    {"", "x", 1},
    {"^(a*)*$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", 0},
    {"^(|a)b$", "b", 1},
    {"^(a?){0,3}$", "aaaa", 0},
};

START_TEST(test_rows) {
  struct rebali_expression expression;
  ck_assert_int_eq(rebali_expression_open(&expression, rows[_i].expression, NULL), REBAL_OK);
  for (int i = 0; i < 2; i++) { /* a match leaves no state */
    ck_assert_int_eq(rebali_expression_matches(&expression, rows[_i].text), rows[_i].matches);
  }
  rebali_expression_close(&expression);
}
END_TEST

/* Expressions that RE2 and POSIX read differently, or that only one of them accepts; expressions that are too large. */
static const char *const refused[] = {
    "\\d", "a**", "(?i)a", "[\\d]", "[[.a.]]", "a{1,1000}", "+a",    "a{",      "}",   "\xc3\xa4",
    "(",   "[a",  "a\\",   "a)",    "^*",      "a{2,1}",    "[b-a]", "[[:x:]]", "a|*", "((a{99}){99}){99}"};

START_TEST(test_refused) {
  struct rebali_expression expression;
  ck_assert_int_eq(rebali_expression_open(&expression, refused[_i], NULL), REBAL_EUNSUPPORTED);
}
END_TEST

UNIT_CASE(expression) {
  TCase *cases = tcase_create("expression");
  tcase_add_loop_test(cases, test_rows, 0, (int)COUNT(rows));
  tcase_add_loop_test(cases, test_refused, 0, (int)COUNT(refused));
  return cases;
}
