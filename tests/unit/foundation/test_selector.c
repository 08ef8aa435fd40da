/* SPDX-License-Identifier: MIT */
#include "../unit.h"
#include "requirements.h"

static const struct {
  const char *text;
  enum rebali_operator operation;
} operators[] = {
    {"In", REBALI_OPERATOR_IN},         {"NotIn", REBALI_OPERATOR_NOT_IN},
    {"Exists", REBALI_OPERATOR_EXISTS}, {"DoesNotExist", REBALI_OPERATOR_DOES_NOT_EXIST},
    {"Gt", REBALI_OPERATOR_GREATER},    {"Lt", REBALI_OPERATOR_LESS},
    {"in", REBALI_OPERATOR_UNKNOWN},    {"", REBALI_OPERATOR_UNKNOWN},
    {"=", REBALI_OPERATOR_UNKNOWN},     {"Inn", REBALI_OPERATOR_UNKNOWN},
};

START_TEST(test_operators) {
  ck_assert_int_eq((int)rebali_operator_parse(text_of(operators[_i].text)), (int)operators[_i].operation);
}
END_TEST

static const struct {
  struct written written;
  int as_label;
  int as_field; /* numeric operators allowed */
} validities[] = {
    {{"region", "In", {"us"}}, 1, 1},
    {{"region", "In", {"us", ""}}, 1, 1},
    {{"region", "In", {NULL}}, 0, 0},
    {{"region", "NotIn", {NULL}}, 0, 0},
    {{"region", "NotIn", {"us east"}}, 0, 0},
    {{"region", "In", {"us", "us east"}}, 0, 0},
    {{"region", "Exists", {NULL}}, 1, 1},
    {{"region", "Exists", {"us"}}, 0, 0},
    {{"region", "DoesNotExist", {NULL}}, 1, 1},
    {{"region", "DoesNotExist", {"us"}}, 0, 0},
    {{"bad key!", "DoesNotExist", {NULL}}, 0, 0},
    {{"", "Exists", {NULL}}, 0, 0},
    {{"example.com/tier", "Exists", {NULL}}, 1, 1},
    {{"Example.com/tier", "Exists", {NULL}}, 0, 0},
    {{"region", "Equals", {"us"}}, 0, 0},
    {{"region", "Gt", {"3"}}, 0, 1},
    {{"region", "Lt", {"3"}}, 0, 1},
    {{"region", "Gt", {"-3"}}, 0, 0},
    {{"region", "Gt", {"+3"}}, 0, 0},
    {{"region", "Gt", {"three"}}, 0, 0},
    {{"region", "Gt", {""}}, 0, 0},
    {{"region", "Gt", {"1.5"}}, 0, 0},
    {{"region", "Gt", {"1_000"}}, 0, 0},
    {{"region", "Gt", {NULL}}, 0, 0},
    {{"region", "Gt", {"1", "2"}}, 0, 0},
    {{"region", "Gt", {"9223372036854775807"}}, 0, 1},
    {{"region", "Gt", {"9223372036854775808"}}, 0, 0},
    {{"bad key!", "Gt", {"3"}}, 0, 0},
};

START_TEST(test_validity) {
  struct rebali_text values[MOST_VALUES];
  const struct rebali_requirement requirement = requirement_of(&validities[_i].written, values);

  ck_assert_int_eq(rebali_requirement_valid(&requirement, 0), validities[_i].as_label);
  ck_assert_int_eq(rebali_requirement_valid(&requirement, 1), validities[_i].as_field);
}
END_TEST

static const struct {
  struct written written;
  const char *value; /* NULL: key absent */
  int matches;
} matches[] = {
    {{"k", "In", {"a", "b"}}, "b", 1},
    {{"k", "In", {"a", "b"}}, "c", 0},
    {{"k", "In", {"a", "b"}}, "", 0},
    {{"k", "In", {"a", ""}}, "", 1},
    {{"k", "In", {""}}, NULL, 0},
    {{"k", "In", {"a"}}, "A", 0},
    {{"k", "NotIn", {"a", "b"}}, "b", 0},
    {{"k", "NotIn", {"a", "b"}}, "c", 1},
    {{"k", "NotIn", {"a"}}, NULL, 1},
    {{"k", "NotIn", {""}}, NULL, 1},
    {{"k", "Exists", {NULL}}, "", 1},
    {{"k", "Exists", {NULL}}, NULL, 0},
    {{"k", "DoesNotExist", {NULL}}, "", 0},
    {{"k", "DoesNotExist", {NULL}}, NULL, 1},
    {{"k", "Gt", {"3"}}, "4", 1},
    {{"k", "Gt", {"3"}}, "3", 0},
    {{"k", "Gt", {"3"}}, "2", 0},
    {{"k", "Gt", {"3"}}, "+4", 1},
    {{"k", "Gt", {"3"}}, "-4", 0},
    {{"k", "Gt", {"3"}}, "0010", 1},
    {{"k", "Gt", {"3"}}, "10", 1},
    {{"k", "Gt", {"3"}}, "4x", 0},
    {{"k", "Gt", {"3"}}, " 4", 0},
    {{"k", "Gt", {"3"}}, "", 0},
    {{"k", "Gt", {"3"}}, "+", 0},
    {{"k", "Gt", {"3"}}, NULL, 0},
    {{"k", "Gt", {"3"}}, "9223372036854775807", 1},
    {{"k", "Gt", {"3"}}, "9223372036854775808", 0},
    {{"k", "Gt", {"3"}}, "99999999999999999999", 0},
    {{"k", "Lt", {"3"}}, "2", 1},
    {{"k", "Lt", {"3"}}, "3", 0},
    {{"k", "Lt", {"3"}}, "4", 0},
    {{"k", "Lt", {"3"}}, "-9223372036854775808", 1},
    {{"k", "Lt", {"3"}}, "-9223372036854775809", 0},
    {{"k", "Lt", {"3"}}, "us", 0},
    {{"k", "Lt", {"3"}}, NULL, 0},
    {{"k", "Equals", {"a"}}, "a", 0},
};

START_TEST(test_matches) {
  struct rebali_text values[MOST_VALUES];
  const struct rebali_requirement requirement = requirement_of(&matches[_i].written, values);

  ck_assert_int_eq(rebali_requirement_matches(&requirement, text_of(matches[_i].value)), matches[_i].matches);
}
END_TEST

UNIT_CASE(selector) {
  TCase *cases = tcase_create("selector");
  tcase_add_loop_test(cases, test_operators, 0, (int)REBALI_COUNT(operators));
  tcase_add_loop_test(cases, test_validity, 0, (int)REBALI_COUNT(validities));
  tcase_add_loop_test(cases, test_matches, 0, (int)REBALI_COUNT(matches));
  return cases;
}
