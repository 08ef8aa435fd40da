/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "plan_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_placement third = {.scheduling = "Divided/Weighted", .weights = "m3=1"};
static const struct test_placement three_four = {.scheduling = "Divided/Weighted", .weights = "m3+m4=1"};
static const struct test_placement copies = {.scheduling = "Duplicated"};
static const struct test_affinity in_m2_m3 = {.clusters = "m2 m3"};
static const struct test_placement copies_in_m2_m3 = {.affinity = &in_m2_m3, .scheduling = "Duplicated"};

/* One workload, the limit of all moves, and the result; sums are "drift granted withheld added removed left". */
static const struct {
  struct test_binding binding;
  int64_t total; /* -1: no limit */
  const char *row, *moves, *sums;
} cases[] = {
    /* moves with a scale-up: pairs come first, and the rest of the longer side is free */
    {{.replicas = 8, .placement = &three_four, .targets = "m1=2 m2=1"},
     -1,
     "m1:2>->- m2:1>->- m3:->4>4 m4:->4>4",
     "m1-m3:2 m2-m3:1",
     "3 3 0 5 0 0"},
    {{.replicas = 8, .placement = &three_four, .targets = "m1=2 m2=1"},
     1,
     "m1:2>->1 m2:1>->1 m3:->4>2 m4:->4>4",
     "m1-m3:1",
     "3 1 2 5 0 2"},
    {{.replicas = 8, .placement = &three_four, .targets = "m1=2 m2=1"},
     0,
     "m1:2>->2 m2:1>->1 m3:->4>1 m4:->4>4",
     "",
     "3 0 3 5 0 3"},
    /* moves with a scale-down */
    {{.replicas = 2, .placement = &third, .targets = "m1=3 m2=4"},
     -1,
     "m1:3>->- m2:4>->- m3:->2>2",
     "m1-m3:2",
     "2 2 0 0 5 0"},
    {{.replicas = 2, .placement = &third, .targets = "m1=3 m2=4"},
     1,
     "m1:3>->1 m2:4>->- m3:->2>1",
     "m1-m3:1",
     "2 1 1 0 5 1"},
    {{.replicas = 2, .placement = &third, .targets = "m1=3 m2=4"}, 0, "m1:3>->2 m2:4>->- m3:->2>-", "", "2 0 2 0 5 2"},
    /* a scale-up and a scale-down alone are not moves */
    {{.replicas = 9, .placement = &third, .targets = "m3=4"}, 0, "m3:4>9>9", "", "0 0 0 5 0 0"},
    {{.replicas = 3, .placement = &third, .targets = "m3=4"}, 0, "m3:4>3>3", "", "0 0 0 0 1 0"},
    {{.replicas = 4, .placement = &third}, 0, "m3:->4>4", "", "0 0 0 4 0 0"},
    {{.replicas = 4, .placement = &third, .targets = "m1=0"}, 0, "m1:0>->- m3:->4>4", "", "0 0 0 4 0 0"},
    /* a target that occurs twice has the replicas of both */
    {{.replicas = 4, .placement = &third, .targets = "m1=1 m2=1 m1=2"},
     -1,
     "m1:3>->- m2:1>->- m3:->4>4",
     "m1-m3:3 m2-m3:1",
     "4 4 0 0 0 0"},
    /* without replicas there is nothing to move */
    {{.kind = "v1=ConfigMap", .placement = &copies_in_m2_m3, .targets = "m1=0 m2=0"},
     0,
     "m1:0>->- m2:0>0>0 m3:->0>0",
     "",
     "0 0 0 0 0 0"},
    /* a copy moves as a whole or not at all */
    {{.replicas = 4, .placement = &copies_in_m2_m3, .targets = "m1=4"},
     -1,
     "m1:4>->- m2:->4>4 m3:->4>4",
     "m1-m2:4",
     "4 4 0 4 0 0"},
    {{.replicas = 4, .placement = &copies_in_m2_m3, .targets = "m1=4"},
     3,
     "m1:4>->4 m2:->4>- m3:->4>4",
     "",
     "4 0 4 4 0 4"},
    {{.replicas = 4, .placement = &copies_in_m2_m3, .targets = "m1=4"},
     4,
     "m1:4>->- m2:->4>4 m3:->4>4",
     "m1-m2:4",
     "4 4 0 4 0 0"},
    {{.replicas = 6, .placement = &copies, .targets = "m1=4 m2=4 m3=4 m4=4"},
     0,
     "m1:4>6>6 m2:4>6>6 m3:4>6>6 m4:4>6>6",
     "",
     "0 0 0 8 0 0"},
};

START_TEST(test_what_is_granted) {
  struct test_binding binding = cases[_i].binding;
  struct plan_fixture fixture;
  char sums[64];

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  binding.key = "ns/a";
  binding.kind = NULL;
  (void)plan_add(&fixture, &binding);
  if (cases[_i].total >= 0) {
    (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, cases[_i].total);
  }
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), cases[_i].row);
  ck_assert_str_eq(plan_moves(&fixture, 0), cases[_i].moves);
  (void)snprintf(
      sums, sizeof sums, "%lld %lld %lld %lld %lld %lld", (long long)plan_cell(&fixture, REBAL_PLANNED_DRIFT, 0),
      (long long)plan_cell(&fixture, REBAL_PLANNED_GRANTED, 0),
      (long long)plan_cell(&fixture, REBAL_PLANNED_WITHHELD, 0), (long long)plan_cell(&fixture, REBAL_PLANNED_ADDED, 0),
      (long long)plan_cell(&fixture, REBAL_PLANNED_REMOVED, 0),
      (long long)plan_cell(&fixture, REBAL_PLANNED_DRIFT_LEFT, 0));
  ck_assert_str_eq(sums, cases[_i].sums);
  plan_close(&fixture);
}
END_TEST

/* A target without replicas stays in y, granted or not, if it is desired. */
START_TEST(test_empty_targets_stay) {
  const struct test_binding binding = {.key = "ns/a", .replicas = 4, .placement = &three_four, .targets = "m1=4 m3=0"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m3=20 m4=20");
  (void)plan_add(&fixture, &binding);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 0);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_row(&fixture, 0), "m1:4>->4 m3:0>2>0 m4:->2>-");
  plan_close(&fixture);
}
END_TEST

static void add(struct plan_fixture *fixture, const char *key, const char *weights, const char *targets) {
  const struct test_placement placement = {.scheduling = "Divided/Weighted", .weights = weights};
  const struct test_binding binding = {.key = key, .replicas = 1, .placement = &placement, .targets = targets};

  (void)plan_add(fixture, &binding);
}

/* The choice is greedy: one more move for the first workload uses two limits, which two others could have used. */
START_TEST(test_more_for_a_limit_may_be_less_in_all) {
  struct plan_fixture fixture;
  rebal_limit *first;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  add(&fixture, "ns/a", "m3=1", "m1=1");
  add(&fixture, "ns/b", "m3=1", "m2=1");
  add(&fixture, "ns/c", "m4=1", "m1=1");
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_SOURCE, "m1", 1);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TARGET, "m3", 1);
  first = plan_limit(&fixture, REBAL_LIMIT_SCOPE_BINDING, "ns/a", 0);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "");
  ck_assert_str_eq(plan_moves(&fixture, 1), "m2-m3:1");
  ck_assert_str_eq(plan_moves(&fixture, 2), "m1-m4:1");
  ck_assert_str_eq(plan_limited(&fixture, 2), "used 0 withheld 1 shadow -1");
  first->replicas = 1;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m3:1");
  ck_assert_str_eq(plan_moves(&fixture, 1), "");
  ck_assert_str_eq(plan_moves(&fixture, 2), "");
  plan_close(&fixture);
}
END_TEST

/* Each pair is charged to all limits, so what one limit frees, another one uses up. */
START_TEST(test_limits_that_cut_first_are_named) {
  const struct test_binding binding = {.key = "ns/a", .replicas = 8, .placement = &three_four, .targets = "m1=4 m2=4"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  (void)plan_add(&fixture, &binding);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 5);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_SOURCE, "m1", 3);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TARGET, "m3", 3);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m3:3 m2-m4:2");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_LIMITED_BY, 0), 1);
  ck_assert_str_eq(plan_limited(&fixture, 0), "used 5 withheld 0 shadow 2");
  ck_assert_str_eq(plan_limited(&fixture, 1), "used 3 withheld 3 shadow 0");
  ck_assert_str_eq(plan_limited(&fixture, 2), "used 3 withheld 0 shadow 0");
  plan_close(&fixture);
}
END_TEST

/* So many moves that their array must grow. */
START_TEST(test_no_memory_for_moves) {
  struct plan_fixture fixture;

  plan_open(&fixture, "m1=500 m2=500 m3=500 m4=500");
  for (int i = 0; i < 40; i++) {
    char key[32];

    (void)snprintf(key, sizeof key, "ns/b%d", i);
    (void)plan_add_movable(&fixture, key);
  }
  test_freeze(&fixture.world);
  ck_assert_pstr_eq(test_torture(plan_make_with, &fixture), NULL);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(grant) {
  TCase *cases_ = tcase_create("grant");

  tcase_add_loop_test(cases_, test_what_is_granted, 0, sizeof cases / sizeof cases[0]);
  tcase_add_test(cases_, test_empty_targets_stay);
  tcase_add_test(cases_, test_more_for_a_limit_may_be_less_in_all);
  tcase_add_test(cases_, test_limits_that_cut_first_are_named);
  tcase_add_test(cases_, test_no_memory_for_moves);
  return cases_;
}
