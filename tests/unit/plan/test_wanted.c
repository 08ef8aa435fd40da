/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

static const struct test_placement dynamic = {.scheduling = "Divided/Weighted/AvailableReplicas"};
static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "*=1"};
static const struct test_placement anywhere = {.scheduling = "Duplicated"};

/* All of a workload in one of two clusters, as after the other one was added. */
static uint32_t add_lopsided(struct plan_fixture *fixture, const char *key, const struct test_placement *placement) {
  const struct test_binding binding = {.key = key,
                                       .uid = "u",
                                       .replicas = 4,
                                       .placement = placement,
                                       .applied = placement,
                                       .targets = "m1=4",
                                       .scheduled_at = PLAN_NOW - 100};

  return plan_add(fixture, &binding);
}

START_TEST(test_fresh_spreads_again) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=10 m2=10");
  (void)add_lopsided(&fixture, "default/a", &dynamic);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>2>2 m2:->2>2");
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m2:2");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_DRIFT, 0), 2);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_GRANTED, 0), 2);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_steady_keeps) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=10 m2=10");
  (void)add_lopsided(&fixture, "default/a", &dynamic);
  fixture.opts.mode = REBAL_PLAN_MODE_STEADY;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>4>4");
  ck_assert_str_eq(plan_moves(&fixture, 0), "");
  plan_close(&fixture);
}
END_TEST

START_TEST(test_drained_clusters_are_left) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=10 m2=10 m3=10");
  (void)add_lopsided(&fixture, "default/a", &dynamic);
  (void)add_lopsided(&fixture, "default/b", &even);
  (void)add_lopsided(&fixture, "default/c", &anywhere);
  fixture.opts.mode = REBAL_PLAN_MODE_STEADY;
  plan_drain(&fixture, "m1");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->- m2:->2>2 m3:->2>2");
  ck_assert_str_eq(plan_row(&fixture, 1), "m1:4>->- m2:->2>2 m3:->2>2");
  ck_assert_str_eq(plan_row(&fixture, 2), "m1:4>->- m2:->4>4 m3:->4>4");
  ck_assert_str_eq(plan_moves(&fixture, 2), "m1-m2:4");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_ADDED, 2), 4);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_lost_replicas_are_not_ready) {
  struct plan_fixture fixture;
  uint32_t row;

  plan_open(&fixture, "m1=10 m2=10");
  row = add_lopsided(&fixture, "default/a", &dynamic);
  plan_set_ready(&fixture, row, "m1=3");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_CLUSTER_READY, 0), 3);
  plan_lose(&fixture, "m1");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_CLUSTER_READY, 0), 0);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->- m2:->4>4");
  plan_close(&fixture);
}
END_TEST

START_TEST(test_refused_bindings_keep_what_they_have) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=10 m2=1");
  (void)add_lopsided(&fixture, "default/a", &dynamic);
  plan_drain(&fixture, "m1");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>4>4");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_OUTCOME, 0), REBAL_OUTCOME_UNSCHEDULABLE);
  ck_assert_ptr_nonnull(strstr(rebal_result_text(fixture.rows, REBAL_PLANNED_MESSAGE, 0, NULL), "replicas"));
  plan_close(&fixture);
}
END_TEST

START_TEST(test_ledger_is_forked) {
  struct plan_fixture fixture;
  rebal_ledger *ledger;
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1);

  plan_open(&fixture, "m1=0 m2=4 m3=4");
  (void)add_lopsided(&fixture, "default/a", &dynamic);
  (void)add_lopsided(&fixture, "default/b", &dynamic);
  plan_drain(&fixture, "m1");
  ck_assert_int_eq(rebal_ledger_new(fixture.world.fleet, NULL, &ledger, NULL), REBAL_OK);
  fixture.schedule.ledger = ledger;
  fixture.schedule.compat = compat;
  for (int round = 0; round < 2; round++) {
    ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
    ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->- m2:->2>2 m3:->2>2");
    ck_assert_str_eq(plan_row(&fixture, 1), "m1:4>->- m2:->2>2 m3:->2>2");
  }
  ck_assert_int_eq(rebal_ledger_read(ledger, fixture.world.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.world.result, REBAL_TABLE_SPENT), 0);
  rebal_ledger_free(ledger);
  rebal_compat_free(compat);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_what_fits_in_part_is_wanted) {
  struct plan_fixture fixture;
  rebal_compat *compat = test_compat(REBAL_OPTION_PARTIAL_PLACEMENT, 1);

  plan_open(&fixture, "m1=10 m2=1");
  (void)add_lopsided(&fixture, "default/a", &dynamic);
  fixture.schedule.compat = compat;
  plan_drain(&fixture, "m1");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_OUTCOME, 0), REBAL_OUTCOME_PARTIAL);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->- m2:->1>1");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_REMOVED, 0), 3);
  rebal_compat_free(compat);
  plan_close(&fixture);
}
END_TEST

/* Columns of the caller have fewer clusters than the fleet, or a row of cells for each binding. */
START_TEST(test_the_caller_rejects_clusters_too) {
  static const int64_t all[] = {0, 1}, each[] = {0, 1, 0, 0, 0, 1};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=10 m2=10 m3=10");
  (void)add_lopsided(&fixture, "default/a", &dynamic);
  (void)add_lopsided(&fixture, "default/b", &dynamic);
  plan_drain(&fixture, "m1");
  fixture.schedule.extra_reject = all;
  fixture.schedule.extra_clusters = 2;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->- m3:->4>4");
  ck_assert_str_eq(plan_row(&fixture, 1), "m1:4>->- m3:->4>4");
  fixture.schedule.extra_reject = each;
  fixture.schedule.extra_clusters = fixture.schedule.extra_stride = 3;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->- m3:->4>4");
  ck_assert_str_eq(plan_row(&fixture, 1), "m1:4>->- m2:->4>4");
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(wanted) {
  TCase *cases = tcase_create("wanted");

  tcase_add_test(cases, test_fresh_spreads_again);
  tcase_add_test(cases, test_steady_keeps);
  tcase_add_test(cases, test_drained_clusters_are_left);
  tcase_add_test(cases, test_lost_replicas_are_not_ready);
  tcase_add_test(cases, test_refused_bindings_keep_what_they_have);
  tcase_add_test(cases, test_ledger_is_forked);
  tcase_add_test(cases, test_what_fits_in_part_is_wanted);
  tcase_add_test(cases, test_the_caller_rejects_clusters_too);
  return cases;
}
