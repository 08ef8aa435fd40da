/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_placement dynamic = {.scheduling = "Divided/Weighted/AvailableReplicas"};

static uint32_t add(struct plan_fixture *fixture, const char *targets) {
  const struct test_binding binding = {
      .key = "ns/a", .replicas = 4, .request = "", .placement = &dynamic, .applied = &dynamic, .targets = targets};

  return plan_add(fixture, &binding);
}

/* "m1=3 m2=0": what is ready by the plan. */
static const char *ready_of(struct plan_fixture *fixture) {
  const size_t n = (size_t)plan_cell(fixture, REBAL_PLANNED_CLUSTERS, 0);
  size_t len = 0;

  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(
        fixture->text + len, sizeof fixture->text - len, "%s%s=%d", i == 0 ? "" : " ",
        test_cluster_name(fixture->world.snapshot, (uint32_t)plan_cell(fixture, REBAL_PLANNED_CLUSTER_CLUSTER, i)),
        (int)plan_cell(fixture, REBAL_PLANNED_CLUSTER_READY, i));
  }
  return fixture->text;
}

static const struct {
  const char *targets, *items, *ready;
} cases[] = {
    {"m1=3 m2=1", "m1=2 m2=1", "m1=2 m2=1"},
    {"m1=3 m2=1", "", "m1=0 m2=0"},
    {"m1=3 m2=1", "m1=5", "m1=3 m2=0"},
    {"m1=4", "m2=4", "m1=0"}, /* what is ready where it is not present */
    {"m1=1 m2=1 m1=2", "m1=3", "m1=3 m2=0"},
    {"m1=4", "m1=2 m1=3", "m1=3"}, /* named twice: the last one */
    {"gone=2 m1=2", "gone=1 m1=2", "gone=1 m1=2 m2=0"},
};

START_TEST(test_what_is_ready) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=10 m2=10");
  plan_set_ready(&fixture, add(&fixture, cases[_i].targets), cases[_i].items);
  fixture.opts.mode = REBAL_PLAN_MODE_STEADY;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(ready_of(&fixture), cases[_i].ready);
  plan_close(&fixture);
}
END_TEST

/* By name, whatever the ids are and whoever left the fleet. */
START_TEST(test_cells_are_in_the_order_of_names) {
  struct plan_fixture fixture;

  plan_open(&fixture, "zz=10 b=10 a=10");
  (void)add(&fixture, "m=1 zz=2 c=1");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "a:->1>1 b:->1>1 c:1>->- m:1>->- zz:2>2>2");
  ck_assert_str_eq(plan_moves(&fixture, 0), "c-a:1 m-b:1");
  plan_close(&fixture);
}
END_TEST

START_TEST(test_large_numbers) {
  static const struct test_placement static_ = {.scheduling = "Divided/Weighted", .weights = "m3=1"};
  const struct test_binding binding = {.key = "ns/a",
                                       .replicas = 10000000,
                                       .placement = &static_,
                                       .targets = "m1=2147483647 m1=2147483647 m2=2147483647 m4=2147483647"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=1 m2=1 m3=1 m4=1");
  (void)plan_add(&fixture, &binding);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0),
                   "m1:2147483647>->- m2:2147483647>->- m3:->10000000>10000000 m4:2147483647>->-");
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m3:10000000");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_REMOVED, 0), 3 * (int64_t)INT32_MAX - 10000000);
  plan_close(&fixture);
}
END_TEST

/* Fewer than none are none. */
START_TEST(test_negative_replicas) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=10 m2=10");
  (void)add(&fixture, "m1=3 m1=-2 m2=-1");
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_CLUSTER_PRESENT, 0), 3);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_CLUSTER_PRESENT, 1), 0);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(cells) {
  TCase *tests = tcase_create("cells");

  tcase_add_loop_test(tests, test_what_is_ready, 0, sizeof cases / sizeof cases[0]);
  tcase_add_test(tests, test_cells_are_in_the_order_of_names);
  tcase_add_test(tests, test_large_numbers);
  tcase_add_test(tests, test_negative_replicas);
  return tests;
}
