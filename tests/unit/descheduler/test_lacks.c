/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static const struct {
  const char *ready;
  const char *first;
  const char *second;
  const char *after;                                               /* of m1=5 m2=5 */
} cases[] = {{"m1=1 m2=1", "m1=3 m2=1", "m1=2 m2=4", "m1:3 m2:4"}, /* the least counts */
             {"m1=1 m2=1", "m1=3", "m2=2", "m1:2 m2:3"},           /* one without opinion leaves it to the other */
             {"m1=1 m2=1", "m1=3 m2=!", NULL, ""},
             {"m1=1 m2=1", "m1=3 m2=!", "m1=4", "m1:1 m2:5"},
             {"m1=1 m2=5", "m1=3 m2=!", NULL, "m1:2 m2:5"}, /* of m2 nobody asks */
             {"m1=1 m2=1", "m3=1", NULL, ""},
             {"m1=4 m2=1 m1=2", "m1=5", NULL, "m1:2 m2:5"}, /* the last item of a cluster counts */
             {"m1=4 m2=1 m1", "m1=5", NULL, "m1:4 m2:5"}};  /* that has a number */

START_TEST(test_whom_to_believe) {
  ck_assert_str_eq(fixture_once("m1=5 m2=5", cases[_i].ready, cases[_i].first, cases[_i].second), cases[_i].after);
}
END_TEST

START_TEST(test_without_estimators_nothing_is_known) {
  ck_assert_str_eq(fixture_once("m1=5", "m1=1", NULL, NULL), "");
}
END_TEST

START_TEST(test_cells_of_each_binding) {
  static const int32_t cells[] = {1, 9, 2, 9};
  const struct test_binding first = {.key = "shop/a", .targets = "m1=5"}, second = {.key = "shop/b", .targets = "m1=5"};
  struct fixture fixture;

  fixture_open(&fixture, NULL);
  (void)fixture_add(&fixture, &first, "m1=1");
  (void)fixture_add(&fixture, &second, "m1=1");
  fixture_answer(&fixture, "");
  fixture.estimators[0].fits = cells;
  fixture.estimators[0].clusters = 1;
  fixture.estimators[0].stride = 2;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), "m1:4");
  ck_assert_str_eq(fixture_clusters(&fixture, 1), "m1:3");
  fixture.estimators[0].fits = NULL;
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), "");
  fixture_close(&fixture);
}
END_TEST

/* What one binding's status says must not be seen in the next. */
START_TEST(test_readiness_is_of_one_binding) {
  const struct test_binding first = {.key = "shop/a", .targets = "m1=5"}, second = {.key = "shop/b", .targets = "m1=5"};
  struct fixture fixture;

  fixture_open(&fixture, NULL);
  (void)fixture_add(&fixture, &first, "m1=4");
  (void)fixture_add(&fixture, &second, "");
  fixture_answer(&fixture, "m1=5");
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), "m1:4");
  ck_assert_str_eq(fixture_clusters(&fixture, 1), "m1:0");
  fixture_close(&fixture);
}
END_TEST

UNIT_CASE(lacks) {
  TCase *tests = tcase_create("lacks");
  tcase_add_loop_test(tests, test_whom_to_believe, 0, (int)REBALI_COUNT(cases));
  tcase_add_test(tests, test_without_estimators_nothing_is_known);
  tcase_add_test(tests, test_cells_of_each_binding);
  tcase_add_test(tests, test_readiness_is_of_one_binding);
  return tests;
}
