/* SPDX-License-Identifier: MIT */
#include "foundation/near.h"
#include "manifest/validate/checks.h"
#include "reading.h"

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN

static const struct {
  const char *text;
  int key, value, label, subdomain;
} forms[] = {
    {"a", 1, 1, 1, 1},        {"", 0, 1, 0, 0},     {"a-b", 1, 1, 1, 1},       {"a.b", 1, 1, 0, 1},
    {"a_B", 1, 1, 0, 0},      {"-a", 0, 0, 0, 0},   {"a-", 0, 0, 0, 0},        {"a b", 0, 0, 0, 0},
    {"x.y/a_b", 1, 0, 0, 0},  {"X/a", 0, 0, 0, 0},  {"/a", 0, 0, 0, 0},        {"a/", 0, 0, 0, 0},
    {"a/b/c", 0, 0, 0, 0},    {"a..b", 1, 1, 0, 0}, {SIXTY "abc", 1, 1, 1, 1}, {SIXTY "abcd", 0, 0, 0, 1},
    {"\xC3\xA9", 0, 0, 0, 0}, {"a./b", 0, 0, 0, 0},
};

START_TEST(test_forms) {
  ck_assert_int_eq(rebali_is_key_form(forms[_i].text), forms[_i].key);
  ck_assert_int_eq(rebali_is_value_form(forms[_i].text), forms[_i].value);
  ck_assert_int_eq(rebali_is_dns_label(forms[_i].text, 63), forms[_i].label);
  ck_assert_int_eq(rebali_is_dns_subdomain(forms[_i].text), forms[_i].subdomain);
}
END_TEST

static const struct {
  const char *text, *name;
  int is_near;
} names[] = {
    {"replicas", "replicas", 1},
    {"Replicas", "replicas", 1},
    {"REPLICAS", "replicas", 1},
    {"replica", "replicas", 1},
    {"repplicass", "replicas", 1},
    {"repicsa", "replicas", 1},
    {"relpicsa", "replicas", 1},
    {"rplcs", "replicas", 0},
    {"naem", "name", 1},
    {"nmae", "name", 1},
    {"me", "name", 0},
    {"id", "uid", 1},
    {"kind", "kinds", 1},
    {"", "id", 0},
    {"zone", "zones", 1},
    {"abcdef", "uvwxyz", 0},
    {"requiredNodeSelectorTerm", "requiredNodeSelector", 1},
    {"preferredNodeSelector", "preferredNodeSelectorTerms", 1},
    {"requiredNodeSelectorTerm", "preferredNodeSelector", 0},
    {"replicas", "replicasPathList", 0},
    {SIXTY "abcdef", "id", 0},
};

START_TEST(test_near_names) {
  ck_assert_msg(rebali_is_near(rebali_text(names[_i].text, strlen(names[_i].text)),
                               rebali_text(names[_i].name, strlen(names[_i].name))) == names[_i].is_near,
                "%s %s", names[_i].text, names[_i].name);
}
END_TEST

START_TEST(test_lists) {
  ck_assert(rebali_is_listed("a", "a"));
  ck_assert(rebali_is_listed("bc", "a bc d"));
  ck_assert(rebali_is_listed("d", "a bc d"));
  ck_assert(!rebali_is_listed("b", "a bc d"));
  ck_assert(!rebali_is_listed("a bc", "a bc d"));
  ck_assert(!rebali_is_listed("", "a"));
}
END_TEST

UNIT_CASE(syntax) {
  TCase *cases = tcase_create("syntax");
  tcase_add_loop_test(cases, test_forms, 0, (int)COUNT(forms));
  tcase_add_loop_test(cases, test_near_names, 0, (int)COUNT(names));
  tcase_add_test(cases, test_lists);
  return cases;
}
