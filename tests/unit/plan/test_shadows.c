/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

#include <stdio.h>

#define BINDINGS 300

static int64_t total_of(const struct plan_fixture *fixture) {
  int64_t total = 0;

  for (size_t i = 0; i < BINDINGS; i++) {
    total += plan_cell(fixture, REBAL_PLANNED_GRANTED, i);
  }
  return total;
}

/* Bindings of seven namespaces, of which every third goes the other way round. */
static void open_many(struct plan_fixture *fixture) {
  static const struct test_placement there = {.scheduling = "Divided/Weighted", .weights = "m3+m4=1"};
  static const struct test_placement back = {.scheduling = "Divided/Weighted", .weights = "m1+m2=1"};

  plan_open(fixture, "m1=9999 m2=9999 m3=9999 m4=9999");
  for (int i = 0; i < BINDINGS; i++) {
    char key[32];
    const struct test_binding binding = {.key = key,
                                         .uid = "u",
                                         .replicas = 8,
                                         .placement = i % 3 == 0 ? &back : &there,
                                         .targets = i % 3 == 0 ? "m3=4 m4=4" : "m1=4 m2=4",
                                         .scheduled_at = PLAN_NOW - 1};

    (void)snprintf(key, sizeof key, "ns%d/b%d", i % 7, i);
    (void)plan_add(fixture, &binding);
  }
}

static void swap(struct plan_fixture *fixture, size_t limit) {
  const rebal_limit *last = fixture->limit_list[fixture->opts.n_limits - 1];

  fixture->limit_list[fixture->opts.n_limits - 1] = fixture->limit_list[limit];
  fixture->limit_list[limit] = last;
}

static void assert_shadows(struct plan_fixture *fixture) {
  const size_t n = (size_t)fixture->opts.n_limits;
  int64_t shadows[PLAN_LISTS];
  int64_t total;

  ck_assert_int_eq(plan_make(fixture), REBAL_OK);
  total = total_of(fixture);
  for (size_t i = 0; i < n; i++) {
    shadows[i] = plan_cell(fixture, REBAL_LIMITED_SHADOW, i);
  }
  for (size_t i = 0; i < n; i++) {
    swap(fixture, i);
    fixture->opts.n_limits--;
    ck_assert_int_eq(plan_make(fixture), REBAL_OK);
    ck_assert_int_eq(total_of(fixture) - total, shadows[i]);
    fixture->opts.n_limits++;
    swap(fixture, i);
  }
}

/* Fewer than would move without a total: the last binding, one of the last, one in the middle is cut by it, or all. */
static const int64_t fewer[] = {0, 1, 2, 7, 20, 60, 150, 400, 9999};

START_TEST(test_a_shadow_is_the_plan_without_the_limit) {
  struct plan_fixture fixture;

  rebal_limit *total;

  open_many(&fixture);
  total = plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, INT64_MAX);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_BINDING, NULL, 7);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_BINDING, "ns3/b3", 2);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_NAMESPACE, NULL, 270);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_NAMESPACE, "ns1", 60);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_SOURCE, "m1", 700);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TARGET, NULL, 750);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  total->replicas = total_of(&fixture) - fewer[_i];
  total->replicas = total->replicas < 0 ? 0 : total->replicas;
  assert_shadows(&fixture);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(shadows) {
  TCase *cases = tcase_create("shadows");

  tcase_add_loop_test(cases, test_a_shadow_is_the_plan_without_the_limit, 0, sizeof fewer / sizeof fewer[0]);
  return cases;
}
