/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static const struct {
  const char *targets;
  const char *ready;
  const char *unschedulable;
  const char *after; /* "": nothing is written */
} cases[] = {{"m1=3 m2=2", "m1=1 m2=2", "m1=2", "m1:1 m2:2"},
             {"m1=3", "m1=2", "m1=3", "m1:2"}, /* never below what is ready */
             {"m1=3", "m1=0", "m1=3", "m1:0"}, /* an entry without replicas stays */
             {"m1=3", "m1", "m1=3", "m1:0"},   /* unknown readiness counts as 0 */
             {"m1=3", "", "m1=1", "m1:2"},
             {"m1=3", "m1=1", "m1=3", "m1:1"},
             {"m1=3", "m1=1", "m1=0", ""},
             {"m1=3", "m1=1", "m1=-2", ""},
             {"m1=3", "m1=3", "m1=2", ""}, /* all are ready: no estimator is queried */
             {"m1=3", "m1=5", "m1=2", ""},
             {"m1=0", "", "m1=0", ""},
             {"m1=3 m2=4 m3=5", "m1=1 m2=1 m3=1", "m1=1 m2=9 m3=2", "m1:2 m2:4 m3:3"},
             {"m1=2147483647", "m1=-1", "m1=2147483647", "m1:0"}};

START_TEST(test_what_is_left) {
  ck_assert_str_eq(fixture_once(cases[_i].targets, cases[_i].ready, cases[_i].unschedulable, NULL), cases[_i].after);
}
END_TEST

UNIT_CASE(shrink) {
  TCase *tests = tcase_create("shrink");
  tcase_add_loop_test(tests, test_what_is_left, 0, (int)REBALI_COUNT(cases));
  return tests;
}
