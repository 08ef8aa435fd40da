/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

static const struct test_placement in_m2 = {.scheduling = "Divided/Weighted", .weights = "m2=1"};

static void open_world(struct plan_fixture *fixture) {
  static const struct test_binding bindings[] = {
      {.key = "ns/a", .replicas = 2, .placement = &in_m2, .targets = "m1=2"},
      {.key = "b", .replicas = 3, .placement = &in_m2, .targets = "m1=3"},
  };

  plan_open(fixture, "m1=9 m2=9");
  (void)plan_add(fixture, &bindings[0]);
  (void)plan_add(fixture, &bindings[1]);
}

START_TEST(test_tables) {
  struct plan_fixture fixture;
  rebal_time at;

  open_world(&fixture);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TARGET, "m2", 4);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_PLANNED), 2);
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_PLANNED_NAMESPACE, 0, NULL), "ns");
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_PLANNED_NAME, 0, NULL), "a");
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_PLANNED_NAMESPACE, 1, NULL), "");
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_PLANNED_NAME, 1, NULL), "b");
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_PLANNED_MESSAGE, 1, NULL), "");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_REPLICAS, 1), 3);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_OUTCOME, 1), REBAL_OUTCOME_SCHEDULED);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_LIMITED_BY, 0), REBAL_ABSENT);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_LIMITED_BY, 1), 0);
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_PLANNED_CLUSTER), 4);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_CLUSTER_BINDING, 3), 1);
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_MOVE), 2);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_MOVE_BINDING, 1), 1);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_MOVE_REPLICAS, 1), 2);
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_LIMITED), 1);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_SCOPE, 0), REBAL_LIMIT_SCOPE_TARGET);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_REPLICAS, 0), 4);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_TOKENS, 0), REBAL_ABSENT);
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_LIMITED_SUBJECT, 0, NULL), "m2");
  rebal_result_time(fixture.rows, REBAL_LIMITED_TOKENS_AT, 0, &at);
  ck_assert_uint_eq(at.is_set, 0);
  plan_close(&fixture);
}
END_TEST

/* A plan needs nothing of what it was made from. */
START_TEST(test_a_plan_outlives_its_inputs) {
  struct plan_fixture fixture;
  rebal_result *rows;
  char before[64];

  open_world(&fixture);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  strcpy(before, plan_row(&fixture, 1));
  ck_assert_int_eq(rebal_result_new(NULL, &rows, NULL), REBAL_OK);
  test_world_close(&fixture.world);
  ck_assert_int_eq(rebal_plan_read(fixture.plan, rows, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(rows, REBAL_TABLE_PLANNED_CLUSTER), 4);
  ck_assert_str_eq(rebal_result_text(rows, REBAL_PLANNED_NAME, 1, NULL), "b");
  rebal_result_free(rows);
  rebal_result_free(fixture.rows);
  rebal_plan_free(fixture.plan);
}
END_TEST

/* Both results hold every row once. */
START_TEST(test_reading_twice_is_reading_once) {
  struct plan_fixture fixture;

  open_world(&fixture);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(rebal_plan_read(fixture.plan, fixture.rows, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_PLANNED), 2);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_what_is_null) {
  struct plan_fixture fixture;

  open_world(&fixture);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(rebal_plan_read(fixture.plan, NULL, &fixture.world.err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_plan_read(NULL, fixture.rows, &fixture.world.err), REBAL_EINVAL);
  ck_assert_str_eq(fixture.world.err.message, "plan is NULL");
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_PLANNED), 0);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(read) {
  TCase *cases = tcase_create("read");

  tcase_add_test(cases, test_tables);
  tcase_add_test(cases, test_a_plan_outlives_its_inputs);
  tcase_add_test(cases, test_reading_twice_is_reading_once);
  tcase_add_test(cases, test_what_is_null);
  return cases;
}
