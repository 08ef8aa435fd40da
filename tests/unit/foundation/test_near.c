/* SPDX-License-Identifier: MIT */
#include "foundation/near.h"

#include "../unit.h"

#define SIXTY "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh"

static const struct {
  const char *text, *name;
  int is_near;
} names[] = {
    {"replicas", "replicas", 1},
    {"Replicas", "rEPLICAS", 1},
    {"relpicas", "replicas", 1},
    {"replica", "replicas", 1},
    {"repplicas", "replicas", 1},
    {"repl", "replicas", 0},
    {"replicasPath", "replicas", 0},
    {"rexyicas", "replicas", 1},
    {"rexyzcas", "replicas", 0},
    {"nmae", "name", 1},
    {"nxye", "name", 0},
    {"", "a", 1},
    {"", "ab", 0},
    {"requiredNodeSelectorTerm", "requiredNodeSelector", 1},
    {SIXTY "abcd", SIXTY "abdc", 1},
    {"x" SIXTY "abc", SIXTY "abcd", 1},
    {"x" SIXTY "abcd", SIXTY "abcd", 0}, /* longer than what is compared, on either side */
    {SIXTY "abcd", "x" SIXTY "abcd", 0},
    {SIXTY "abcde", SIXTY, 1},
};

START_TEST(test_near) {
  const struct rebali_text text = rebali_text(names[_i].text, strlen(names[_i].text));
  const struct rebali_text name = rebali_text(names[_i].name, strlen(names[_i].name));

  ck_assert_msg(rebali_is_near(text, name) == names[_i].is_near, "%s %s", names[_i].text, names[_i].name);
}
END_TEST

UNIT_CASE(near) {
  TCase *cases = tcase_create("near");

  tcase_add_loop_test(cases, test_near, 0, (int)REBALI_COUNT(names));
  return cases;
}
