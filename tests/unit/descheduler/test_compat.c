/* SPDX-License-Identifier: MIT */
/* Surprising behaviour of the reference that is mirrored (rebalance-karmada(7) 8). */
#include "fixture.h"

#include "../unit.h"

/* 8.1 */
START_TEST(test_nothing_but_deletion_keeps_the_descheduler_away) {
  const struct test_binding binding = {
      .targets = "m1=3", .suspended = 1, .scheduler = "another", .evicting = "m2", .unmanaged = 1};
  struct fixture fixture;

  fixture_open(&fixture, NULL);
  (void)fixture_add(&fixture, &binding, "m1=1");
  fixture_answer(&fixture, "m1=2");
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), "m1:1");
  fixture_close(&fixture);
}
END_TEST

/* 8.2: an estimate above the number of replicas is stale. */
START_TEST(test_a_stale_estimate_is_left_alone) {
  ck_assert_str_eq(fixture_once("m1=3 m2=3", "m1=0 m2=0", "m1=4 m2=3", NULL), "m1:3 m2:0");
}
END_TEST

START_TEST(test_all_or_nothing_is_an_option) {
  const struct test_binding binding = {.targets = "m1=3 m2=3"};
  rebal_compat *compat = test_compat(REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING, _i);
  struct fixture fixture;

  fixture_open(&fixture, NULL);
  fixture.opts.compat = compat;
  (void)fixture_add(&fixture, &binding, "m1=1 m2=1");
  fixture_answer(&fixture, "m1=2 m2=!");
  ck_assert_int_eq(fixture_run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_clusters(&fixture, 0), _i ? "" : "m1:1 m2:3");
  fixture_close(&fixture);
  rebal_compat_free(compat);
}
END_TEST

/* 8.2: the scheduler may return replicas to the cluster that lost them: only its capacity could prevent it. */
START_TEST(test_what_was_taken_away_may_return) {
  static const struct test_affinity here = {.clusters = "m1"};
  static const struct test_placement placement = {.affinity = &here, .scheduling = "Divided/Aggregated"};
  const struct test_binding shrunk = {
      .replicas = 3, .request = "", .placement = &placement, .applied = &placement, .targets = "m1=1"};
  struct fixture fixture;

  ck_assert_str_eq(fixture_once("m1=3", "m1=1", "m1=2", NULL), "m1:1");
  fixture_open(&fixture, NULL);
  (void)fixture_add(&fixture, &shrunk, "m1=1");
  test_freeze(&fixture.world);
  ck_assert_str_eq(test_schedule(&fixture.world, NULL, 0), "m1:3");
  fixture_close(&fixture);
}
END_TEST

UNIT_CASE(compat) {
  TCase *tests = tcase_create("compat");
  tcase_add_test(tests, test_nothing_but_deletion_keeps_the_descheduler_away);
  tcase_add_test(tests, test_a_stale_estimate_is_left_alone);
  tcase_add_loop_test(tests, test_all_or_nothing_is_an_option, 0, 2);
  tcase_add_test(tests, test_what_was_taken_away_may_return);
  return tests;
}
