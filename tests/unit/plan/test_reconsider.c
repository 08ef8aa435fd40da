/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "*=1"};

/* 100 replicas, so many of them too many in m1, all ready. */
static void open_drifted(struct plan_fixture *fixture, int64_t drift) {
  char targets[64], ready[64];
  const struct test_binding binding = {.key = "default/a",
                                       .uid = "u",
                                       .replicas = 100,
                                       .placement = &even,
                                       .applied = &even,
                                       .targets = targets,
                                       .scheduled_at = PLAN_NOW - 100};

  (void)snprintf(targets, sizeof targets, "m1=%lld m2=%lld", (long long)(50 + drift), (long long)(50 - drift));
  memcpy(ready, targets, sizeof ready);
  plan_open(fixture, "m1=100 m2=100");
  plan_set_ready(fixture, plan_add(fixture, &binding), ready);
}

static int64_t verdict_of(struct plan_fixture *fixture, const rebal_reconsider_opts *opts) {
  size_t n;

  ck_assert_int_eq(
      rebal_reconsider(fixture->plan, fixture->world.bindings, &fixture->now, opts, fixture->rows, &fixture->world.err),
      REBAL_OK);
  return rebal_result_i64(fixture->rows, REBAL_RECONSIDERED_VERDICT, &n)[0];
}

/* A history of the one binding. */
struct one_history {
  uint32_t offsets[2];
  rebal_time time;
  int64_t moved, due;
  rebal_move_history history;
  rebal_reconsider_opts opts;
};

static void open_history(struct one_history *one, const char *key, int64_t moved_at, int64_t due) {
  *one =
      (struct one_history){.offsets = {0, (uint32_t)strlen(key)}, .time = test_time(moved_at), .moved = 3, .due = due};
  one->history = (rebal_move_history){.struct_size = (uint32_t)sizeof one->history,
                                      .keys = key,
                                      .offsets = one->offsets,
                                      .times = &one->time,
                                      .moved = &one->moved,
                                      .due = &one->due,
                                      .n = 1};
  one->opts = (rebal_reconsider_opts){.struct_size = (uint32_t)sizeof one->opts, .history = &one->history};
}

START_TEST(test_hysteresis) {
  static const struct {
    int64_t drift, was_due;
    int64_t verdict;
  } cases[] = {{4, 0, REBAL_RECONSIDER_CALM}, {4, 1, REBAL_RECONSIDER_CALM}, {5, 0, REBAL_RECONSIDER_CALM},
               {5, 1, REBAL_RECONSIDER_DUE},  {9, 0, REBAL_RECONSIDER_CALM}, {10, 0, REBAL_RECONSIDER_DUE},
               {10, 1, REBAL_RECONSIDER_DUE}, {0, 1, REBAL_RECONSIDER_CALM}};

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct plan_fixture fixture;
    struct one_history one;

    open_drifted(&fixture, cases[i].drift);
    open_history(&one, "default/a", 0, cases[i].was_due);
    ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
    ck_assert_int_eq(verdict_of(&fixture, &one.opts), cases[i].verdict);
    ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_DRIFT, 0), cases[i].drift);
    ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_PERMILLE, 0), 10 * cases[i].drift);
    ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_IS_DUE, 0), cases[i].verdict == REBAL_RECONSIDER_DUE);
    plan_close(&fixture);
  }
}
END_TEST

START_TEST(test_cool_down) {
  static const struct {
    int64_t moved_at;
    int64_t verdict;
  } cases[] = {{PLAN_NOW - 60, REBAL_RECONSIDER_DUE},
               {PLAN_NOW - 59, REBAL_RECONSIDER_COOLING},
               {PLAN_NOW + 5, REBAL_RECONSIDER_COOLING},
               {0, REBAL_RECONSIDER_DUE}};

  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct plan_fixture fixture;
    struct one_history one;

    open_drifted(&fixture, 20);
    open_history(&one, "default/a", cases[i].moved_at, 1);
    one.opts.cool_down_ns = INT64_C(60000000000);
    ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
    ck_assert_int_eq(verdict_of(&fixture, &one.opts), cases[i].verdict);
    ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_IS_DUE, 0), 1); /* it still is after the cool-down */
    ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_MOVED, 0), 3);
    open_history(&one, "default/other", cases[i].moved_at, 1);
    one.opts.cool_down_ns = INT64_C(60000000000);
    ck_assert_int_eq(verdict_of(&fixture, &one.opts), REBAL_RECONSIDER_DUE);
    plan_close(&fixture);
  }
}
END_TEST

START_TEST(test_ongoing) {
  struct plan_fixture fixture;
  const struct test_binding evicted = {.key = "default/b",
                                       .replicas = 2,
                                       .placement = &even,
                                       .applied = &even,
                                       .targets = "m1=2",
                                       .evicting = "m2",
                                       .scheduled_at = PLAN_NOW - 100};
  const struct test_binding unready = {.key = "default/c",
                                       .replicas = 2,
                                       .placement = &even,
                                       .applied = &even,
                                       .targets = "m1=2",
                                       .scheduled_at = PLAN_NOW - 100};
  const struct test_binding none = {.key = "default/d", .placement = &even};

  plan_open(&fixture, "m1=100 m2=100");
  plan_set_ready(&fixture, plan_add(&fixture, &evicted), "m1=2");
  plan_set_ready(&fixture, plan_add(&fixture, &unready), "m1=1");
  (void)plan_add(&fixture, &none);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(verdict_of(&fixture, NULL), REBAL_RECONSIDER_ONGOING);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_VERDICT, 1), REBAL_RECONSIDER_ONGOING);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_VERDICT, 2), REBAL_RECONSIDER_CALM);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_PERMILLE, 2), 0);
  plan_close(&fixture);
}
END_TEST

/* Carried out, the plan is the history of the next call. */
START_TEST(test_applied) {
  struct plan_fixture fixture;
  rebal_reconsider_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_RECONSIDER_FLAG_APPLIED};
  rebal_time time;

  open_drifted(&fixture, 20);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 15);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(verdict_of(&fixture, &opts), REBAL_RECONSIDER_DUE);
  rebal_result_time(fixture.rows, REBAL_RECONSIDERED_TIME, 0, &time);
  ck_assert_int_eq(rebal_time_compare(&time, &fixture.now), 0);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_MOVED, 0), 15);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_RECONSIDERED_IS_DUE, 0), 1); /* 5 are left */
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_RECONSIDERED_KEY, 0, NULL), "default/a");
  plan_close(&fixture);
}
END_TEST

START_TEST(test_nothing_granted_is_no_move) {
  struct plan_fixture fixture;
  rebal_reconsider_opts opts = {.struct_size = (uint32_t)sizeof opts, .flags = REBAL_RECONSIDER_FLAG_APPLIED};
  rebal_time time;

  open_drifted(&fixture, 20);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 0);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(verdict_of(&fixture, &opts), REBAL_RECONSIDER_DUE);
  rebal_result_time(fixture.rows, REBAL_RECONSIDERED_TIME, 0, &time);
  ck_assert(!time.is_set);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_high_is_at_least_low) {
  struct plan_fixture fixture;
  rebal_reconsider_opts opts = {.struct_size = (uint32_t)sizeof opts, .low = 200};

  open_drifted(&fixture, 19);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(verdict_of(&fixture, &opts), REBAL_RECONSIDER_CALM);
  opts.low = 190;
  ck_assert_int_eq(verdict_of(&fixture, &opts), REBAL_RECONSIDER_DUE);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_errors) {
  struct plan_fixture fixture;
  struct one_history one;
  struct test_world *world = &fixture.world;
  rebal_bindings *others;
  const struct test_binding other = {.key = "default/other", .placement = &even};

  open_drifted(&fixture, 20);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  open_history(&one, "default/a", 0, 0);
  one.opts.low = 200;
  one.opts.high = 100;
  ck_assert_int_eq(rebal_reconsider(fixture.plan, world->bindings, &fixture.now, &one.opts, fixture.rows, &world->err),
                   REBAL_ERANGE);
  ck_assert_str_eq(world->err.message, "low is 200 permille, above high, which is 100");
  one.opts.high = -1;
  ck_assert_int_eq(rebal_reconsider(fixture.plan, world->bindings, &fixture.now, &one.opts, fixture.rows, &world->err),
                   REBAL_ERANGE);
  open_history(&one, "default/a", 0, 0);
  one.history.due = NULL;
  ck_assert_int_eq(rebal_reconsider(fixture.plan, world->bindings, &fixture.now, &one.opts, fixture.rows, &world->err),
                   REBAL_EINVAL);
  open_history(&one, "default/a", 0, 0);
  one.offsets[0] = 20;
  ck_assert_int_eq(rebal_reconsider(fixture.plan, world->bindings, &fixture.now, &one.opts, fixture.rows, &world->err),
                   REBAL_EINVAL);
  others = test_new_bindings(world);
  (void)test_add_binding(world, others, &other);
  ck_assert_int_eq(rebal_reconsider(fixture.plan, others, &fixture.now, NULL, fixture.rows, &world->err), REBAL_ESTATE);
  ck_assert_int_eq(rebal_bindings_freeze(others, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_reconsider(fixture.plan, others, &fixture.now, NULL, fixture.rows, &world->err),
                   REBAL_EMISMATCH);
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_RECONSIDERED), 0);
  rebal_bindings_free(others);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(reconsider) {
  TCase *cases = tcase_create("reconsider");

  tcase_add_test(cases, test_hysteresis);
  tcase_add_test(cases, test_cool_down);
  tcase_add_test(cases, test_ongoing);
  tcase_add_test(cases, test_applied);
  tcase_add_test(cases, test_errors);
  tcase_add_test(cases, test_nothing_granted_is_no_move);
  tcase_add_test(cases, test_high_is_at_least_low);
  return cases;
}
