/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static const struct {
  const char *ready;
  const char *first;
  const char *second;
  const char *after;                                               /* of m1=5 m2=5 */
} cases[] = {{"m1=1 m2=1", "m1=3 m2=1", "m1=2 m2=4", "m1:3 m2:4"}, /* the lowest estimate counts */
             {"m1=1 m2=1", "m1=3", "m2=2", "m1:2 m2:3"},           /* without an estimate the other source counts */
             {"m1=1 m2=1", "m1=3 m2=!", NULL, ""},
             {"m1=1 m2=1", "m1=3 m2=!", "m1=4", "m1:1 m2:5"},
             {"m1=1 m2=5", "m1=3 m2=!", NULL, "m1:2 m2:5"}, /* m2 is not queried */
             {"m1=1 m2=1", "m3=1", NULL, ""},
             {"m1=4 m2=1 m1=2", "m1=5", NULL, "m1:2 m2:5"}, /* the last item of a cluster counts */
             {"m1=4 m2=1 m1", "m1=5", NULL, "m1:4 m2:5"}};  /* that has a number */

START_TEST(test_which_source_to_believe) {
  ck_assert_str_eq(fixture_once("m1=5 m2=5", cases[_i].ready, cases[_i].first, cases[_i].second), cases[_i].after);
}
END_TEST

/* No estimator is queried for it, and it keeps its replicas. */
START_TEST(test_a_target_that_names_no_cluster) {
  ck_assert_str_eq(fixture_once("?=3 m1=5", "m1=1", "m1=3", NULL), ":3 m1:2");
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

/* The status of one binding must not affect the next. */
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

static const struct {
  int64_t scheduled_at; /* 0: never */
  const char *ready;
  const char *answers;
  const char *after; /* of m1=5 m2=5 */
} statuses[] = {{NOW - 301, "m1=1 m2=5", "", "m1:1 m2:5"},
                {NOW - 300, "m1=1 m2=5", "", ""}, /* not yet longer than the threshold */
                {NOW + 900, "m1=1 m2=5", "", ""}, /* the clock went back */
                {0, "m1=1 m2=5", "", ""},
                {NOW - 301, "m1", "", ""}, /* readiness is unknown */
                {NOW - 301, "m1=-3", "", ""},
                {NOW - 301, "m1=1 m2=2", "m1=1", "m1:4 m2:2"},
                {NOW - 301, "m1=1 m2=2", "m1=0", "m1:5 m2:2"},
                {NOW - 301, "m1=1 m2=2", "m1=!", "m1:1 m2:2"},
                {NOW - 301, "m0=1 m1=1 m2=5", "", "m1:1 m2:5"}, /* m0: an item without a cluster */
                {NOW - 301, "m1=7 m2=5", "m1=2", ""},
                {NOW - 301, "m1=4 m2=5", "m1=2", "m1:4 m2:5"}};

START_TEST(test_status_without_any_opinion) {
  const struct test_binding binding = {.targets = "m1=5 m2=5", .scheduled_at = statuses[_i].scheduled_at};
  struct fixture fixture;

  fixture_open(&fixture, NULL);
  fixture.opts.flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS;
  (void)fixture_add(&fixture, &binding, statuses[_i].ready);
  fixture_answer(&fixture, statuses[_i].answers);
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), statuses[_i].after);
  fixture_close(&fixture);
}
END_TEST

static const struct {
  uint32_t flags;
  int64_t threshold_ns;
  int64_t age; /* seconds */
  int is_old;
} thresholds[] = {{0, 0, 1, 0},
                  {0, 60 * REBALI_SECOND_NS, 61, 1},
                  {0, 60 * REBALI_SECOND_NS, 60, 0},
                  {0, INT64_MAX, NOW - 1, 0},
                  {REBAL_DESCHEDULE_FLAG_THRESHOLD_GIVEN, 0, 1, 1},
                  {REBAL_DESCHEDULE_FLAG_THRESHOLD_GIVEN, 0, 0, 0}};

START_TEST(test_the_threshold) {
  const struct test_binding binding = {.targets = "m1=5", .scheduled_at = NOW - thresholds[_i].age};
  struct fixture fixture;

  fixture_open(&fixture, NULL);
  fixture.opts.flags = REBAL_DESCHEDULE_FLAG_FROM_STATUS | thresholds[_i].flags;
  fixture.opts.threshold_ns = thresholds[_i].threshold_ns;
  (void)fixture_add(&fixture, &binding, "m1=1");
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), thresholds[_i].is_old ? "m1:1" : "");
  fixture_close(&fixture);
}
END_TEST

UNIT_CASE(lacks) {
  TCase *tests = tcase_create("lacks");
  tcase_add_loop_test(tests, test_which_source_to_believe, 0, (int)REBALI_COUNT(cases));
  tcase_add_test(tests, test_a_target_that_names_no_cluster);
  tcase_add_test(tests, test_without_estimators_nothing_is_known);
  tcase_add_test(tests, test_cells_of_each_binding);
  tcase_add_test(tests, test_readiness_is_of_one_binding);
  tcase_add_loop_test(tests, test_status_without_any_opinion, 0, (int)REBALI_COUNT(statuses));
  tcase_add_loop_test(tests, test_the_threshold, 0, (int)REBALI_COUNT(thresholds));
  return tests;
}
