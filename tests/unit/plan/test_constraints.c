/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

static const struct test_cluster clusters[] = {
    {.name = "m1", .allocatable = "pods=20", .region = "r1", .provider = "p1", .zones = "z1"},
    {.name = "m2", .allocatable = "pods=20", .region = "r1", .provider = "p1", .zones = "z2"},
    {.name = "m3", .allocatable = "pods=20", .region = "r2", .provider = "p2", .zones = "z1 z3"},
    {.name = "m4", .allocatable = "pods=20", .region = "r2", .provider = "p2", .zones = "z3"},
    {.name = "m5", .allocatable = "pods=20"},
};

static const struct test_affinity in_m3_m4 = {.clusters = "m3 m4"};
static const struct test_affinity in_m2_m3 = {.clusters = "m2 m3"};
static const struct test_affinity in_m2_m4 = {.clusters = "m2 m4"};

#define DYNAMIC "Divided/Weighted/AvailableReplicas"

/* Three of four replicas may move; the row shows whether they do. */
static const struct {
  const struct test_affinity *affinity;
  const char *spreads, *targets;
  const char *scheduling;
  int64_t whole;
  const char *row;
} cases[] = {
    /* at most two clusters: a partial move would use three or four */
    {&in_m3_m4, "cluster:2:2", "m1=2 m2=2", DYNAMIC, 1, "m1:2>->2 m2:2>->2 m3:->2>- m4:->2>-"},
    {&in_m3_m4, "cluster:1:3", "m1=2 m2=2", DYNAMIC, 0, "m1:2>->- m2:2>->1 m3:->2>2 m4:->2>1"},
    {&in_m3_m4, "cluster:1:2", "m1=1 m2=3", DYNAMIC, 1, "m1:1>->1 m2:3>->3 m3:->2>- m4:->2>-"},
    {&in_m3_m4, NULL, "m1=2 m2=2", DYNAMIC, 0, "m1:2>->- m2:2>->1 m3:->2>2 m4:->2>1"},
    /* static weights ignore constraints */
    {&in_m3_m4, "cluster:2:2", "m1=2 m2=2", "Divided/Weighted", 0, "m1:2>->- m2:2>->1 m3:->2>2 m4:->2>1"},
    /* one region: a partial move would use two */
    {&in_m3_m4, "region:1:1 cluster:1:4", "m1=2 m2=2", DYNAMIC, 1, "m1:2>->2 m2:2>->2 m3:->2>- m4:->2>-"},
    {&in_m2_m3, "region:2:2 cluster:1:3", "m1=4", DYNAMIC, 0, "m1:4>->1 m2:->2>2 m3:->2>1"},
    /* a cluster without a region counts for none, as in the scheduler */
    {&in_m3_m4, "region:1:1 cluster:1:4", "m5=4", DYNAMIC, 0, "m3:->2>2 m4:->2>1 m5:4>->1"},
    /* without a maximum any number of providers is permitted; an unknown field groups nothing */
    {&in_m3_m4, "provider:1 cluster:1:4", "m1=2 m2=2", DYNAMIC, 0, "m1:2>->- m2:2>->1 m3:->2>2 m4:->2>1"},
    {&in_m3_m4, "rack:1:1 cluster:1:4", "m1=2 m2=2", DYNAMIC, 0, "m1:2>->- m2:2>->1 m3:->2>2 m4:->2>1"},
    /* at least two clusters: the present placement does not have them */
    {&in_m2_m3, "cluster:2:3", "m1=4", DYNAMIC, 0, "m1:4>->1 m2:->2>2 m3:->2>1"},
};

START_TEST(test_constraints_that_are_kept) {
  const struct test_placement placement = {
      .affinity = cases[_i].affinity, .scheduling = cases[_i].scheduling, .spreads = cases[_i].spreads};
  const struct test_binding binding = {
      .key = "ns/a", .replicas = 4, .request = "", .placement = &placement, .targets = cases[_i].targets};
  struct plan_fixture fixture;

  plan_open(&fixture, "");
  for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
    (void)test_add_cluster(&fixture.world, &clusters[i]);
  }
  (void)plan_add(&fixture, &binding);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 3);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), cases[_i].row);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_WHOLE, 0), cases[_i].whole);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_LIMITED_BY, 0), 0);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_USED, 0), cases[_i].whole ? 0 : 3);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_SHADOW, 0), cases[_i].whole ? 4 : 1);
  /* With one more it moves as a whole. */
  fixture.limits[0].replicas = 4;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_GRANTED, 0), 4);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_WHOLE, 0), 0);
  plan_close(&fixture);
}
END_TEST

/* What a withdrawn move would have used is available to the next ones. */
START_TEST(test_what_is_taken_back_is_left_for_others) {
  const struct test_placement two = {.affinity = &in_m3_m4, .scheduling = DYNAMIC, .spreads = "cluster:2:2"};
  const struct test_placement any = {.affinity = &in_m2_m4, .scheduling = DYNAMIC};
  const struct test_binding first = {
      .key = "ns/a", .replicas = 4, .request = "", .placement = &two, .targets = "m1=2 m2=2"};
  const struct test_binding second = {
      .key = "ns/b", .replicas = 2, .request = "", .placement = &any, .targets = "m1=2"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)plan_add(&fixture, &first);
  (void)plan_add(&fixture, &second);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_SOURCE, NULL, 1);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "");
  ck_assert_str_eq(plan_moves(&fixture, 1), "m1-m2:1");
  ck_assert_str_eq(plan_uses(&fixture, 0), "m1:1+0");
  plan_close(&fixture);
}
END_TEST

/* Zones: a cluster in two zones counts for both. Providers are counted alike. */
START_TEST(test_zones_and_providers) {
  static const char *const spreads[] = {"provider:1:1 cluster:1:4", "zone:1:2 cluster:1:4"};
  struct plan_fixture fixture;

  for (size_t i = 0; i < 2; i++) {
    const struct test_placement placement = {.affinity = &in_m3_m4, .scheduling = DYNAMIC, .spreads = spreads[i]};
    const struct test_binding binding = {
        .key = "ns/a", .replicas = 4, .request = "", .placement = &placement, .targets = "m2=4"};

    plan_open(&fixture, "");
    for (size_t c = 0; c < sizeof clusters / sizeof clusters[0]; c++) {
      (void)test_add_cluster(&fixture.world, &clusters[c]);
    }
    (void)plan_add(&fixture, &binding);
    (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 3);
    ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
    ck_assert_str_eq(plan_row(&fixture, 0), "m2:4>->4 m3:->2>- m4:->2>-");
    plan_close(&fixture);
  }
}
END_TEST

/* The granted part would use one region, but two are required. */
START_TEST(test_too_few_groups) {
  static const struct test_placement placement = {
      .affinity = &in_m2_m3, .scheduling = DYNAMIC, .spreads = "region:2:2 cluster:1:3"};
  const struct test_binding binding = {
      .key = "ns/a", .replicas = 4, .request = "", .placement = &placement, .targets = "m1=4"};
  struct plan_fixture fixture;

  plan_open(&fixture, "");
  for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
    (void)test_add_cluster(&fixture.world, &clusters[i]);
  }
  (void)plan_add(&fixture, &binding);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TARGET, "m3", 0);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->4 m2:->2>- m3:->2>-");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_WHOLE, 0), 1);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_one_of_two_copies_moves) {
  static const struct test_placement copies = {.affinity = &in_m3_m4, .scheduling = "Duplicated"};
  const struct test_binding binding = {
      .key = "ns/a", .replicas = 4, .request = "", .placement = &copies, .targets = "m1=4 m2=4"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)plan_add(&fixture, &binding);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 4);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->- m2:4>->4 m3:->4>4 m4:->4>-");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_WHOLE, 0), 0);
  fixture.limits[0].replicas = 3;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->4 m2:4>->4 m3:->4>- m4:->4>-");
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(constraints) {
  TCase *tests = tcase_create("constraints");

  tcase_add_loop_test(tests, test_constraints_that_are_kept, 0, sizeof cases / sizeof cases[0]);
  tcase_add_test(tests, test_what_is_taken_back_is_left_for_others);
  tcase_add_test(tests, test_zones_and_providers);
  tcase_add_test(tests, test_too_few_groups);
  tcase_add_test(tests, test_one_of_two_copies_moves);
  return tests;
}
