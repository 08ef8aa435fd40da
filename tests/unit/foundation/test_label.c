/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

#define A63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define A252 A63 A63 A63 A63

static const struct {
  const char *text;
  int is_name;
  int is_value;
} cases_of_one[] = {
    {"", 0, 1},          {"a", 1, 1},           {"A", 1, 1},
    {"0", 1, 1},         {"us-east.1_b", 1, 1}, {A63, 1, 1},
    {A63 "a", 0, 0},     {"-a", 0, 0},          {"a-", 0, 0},
    {".a", 0, 0},        {"a_", 0, 0},          {"us east", 0, 0},
    {"-3", 0, 0},        {"+3", 0, 0},          {"caf\xC3\xA9", 0, 0},
    {"a\n", 0, 0},       {"a/b", 1, 0},         {"topology.kubernetes.io/region", 1, 0},
    {"a-b.c/D_e", 1, 0}, {"0/a", 1, 0},         {A252 "a/" A63, 1, 0},
    {A252 "aa/a", 0, 0}, {A63 "aa/a", 1, 0},    {"a/" A63 "a", 0, 0},
    {"/a", 0, 0},        {"a/", 0, 0},          {"/", 0, 0},
    {"a/b/c", 0, 0},     {"A/b", 0, 0},         {"a_b/c", 0, 0},
    {"-a/b", 0, 0},      {"a-/b", 0, 0},        {"a.-b/c", 0, 0},
    {"a-.b/c", 0, 0},    {"a..b/c", 0, 0},      {"a./b", 0, 0},
    {".a/b", 0, 0},      {"a--b/c", 1, 0},
};

START_TEST(test_names_and_values) {
  const struct rebali_text text = rebali_text(cases_of_one[_i].text, strlen(cases_of_one[_i].text));

  ck_assert_int_eq(rebali_is_qualified_name(text), cases_of_one[_i].is_name);
  ck_assert_int_eq(rebali_is_label_value(text), cases_of_one[_i].is_value);
}
END_TEST

START_TEST(test_absent_text_is_empty) {
  ck_assert_int_eq(rebali_is_qualified_name(rebali_text(NULL, 0)), 0);
  ck_assert_int_eq(rebali_is_label_value(rebali_text(NULL, 0)), 1);
  ck_assert_int_eq(rebali_is_label_value(rebali_text("a\0b", 3)), 0);
}
END_TEST

/* Each byte alone: letters and digits only; within a name also dash, underscore and dot. */
START_TEST(test_every_byte) {
  const char byte = (char)(unsigned char)_i;
  const char inside[3] = {'a', byte, 'z'};
  const int alphanumeric = (_i >= '0' && _i <= '9') || (_i >= 'a' && _i <= 'z') || (_i >= 'A' && _i <= 'Z');

  ck_assert_int_eq(rebali_is_label_value(rebali_text(&byte, 1)), alphanumeric);
  ck_assert_int_eq(rebali_is_label_value(rebali_text(inside, 3)), alphanumeric || _i == '-' || _i == '_' || _i == '.');
}
END_TEST

UNIT_CASE(label) {
  TCase *cases = tcase_create("label");
  tcase_add_loop_test(cases, test_names_and_values, 0, (int)REBALI_COUNT(cases_of_one));
  tcase_add_test(cases, test_absent_text_is_empty);
  tcase_add_loop_test(cases, test_every_byte, 0, 256);
  return cases;
}
