/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "plan_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "*=1"};

/* 100 replicas, the given number of them in surplus in m1, all ready. */
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

START_TEST(test_without_a_cool_down_nothing_cools) {
  struct plan_fixture fixture;
  struct one_history one;

  open_drifted(&fixture, 20);
  open_history(&one, "default/a", PLAN_NOW, 0);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(verdict_of(&fixture, &one.opts), REBAL_RECONSIDER_DUE);
  plan_close(&fixture);
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

/* A plan that was carried out is the history of the next call. */
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

START_TEST(test_nothing_granted_is_not_a_move) {
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

/* Each is refused, and the former content of the result is removed. */
static void refuses(struct plan_fixture *fixture, const rebal_bindings *bindings, const rebal_time *now,
                    const struct one_history *one, int32_t code, const char *message) {
  ck_assert_int_eq(verdict_of(fixture, NULL), REBAL_RECONSIDER_DUE);
  ck_assert_int_eq(rebal_reconsider(fixture->plan, bindings, now, &one->opts, fixture->rows, &fixture->world.err),
                   code);
  ck_assert_str_eq(fixture->world.err.message, message);
}

static const struct {
  size_t at, size; /* of the member of one_history that is filled */
  int byte;
  int32_t code;
  const char *message;
} faults[] = {
#define MEMBER(member) offsetof(struct one_history, member), sizeof((struct one_history *)NULL)->member
    {MEMBER(opts.flags), 0xff, REBAL_EUNSUPPORTED, "a reserved option is set"},
    {MEMBER(opts.low), 0xff, REBAL_ERANGE, "low, high or cool_down_ns is negative"},
    {MEMBER(opts.high), 0xff, REBAL_ERANGE, "low, high or cool_down_ns is negative"},
    {MEMBER(opts.cool_down_ns), 0xff, REBAL_ERANGE, "low, high or cool_down_ns is negative"},
    {MEMBER(history.flags), 0xff, REBAL_EUNSUPPORTED, "a flag of the history is not known"},
    {MEMBER(history.keys), 0, REBAL_EINVAL, "an array of the history is NULL"},
    {MEMBER(history.offsets), 0, REBAL_EINVAL, "an array of the history is NULL"},
    {MEMBER(history.times), 0, REBAL_EINVAL, "an array of the history is NULL"},
    {MEMBER(history.moved), 0, REBAL_EINVAL, "an array of the history is NULL"},
    {MEMBER(history.due), 0, REBAL_EINVAL, "an array of the history is NULL"},
    {MEMBER(history.n), 0xff, REBAL_ENOMEM, "out of memory"},
};

START_TEST(test_what_is_refused) {
  struct plan_fixture fixture;
  struct one_history one;

  open_drifted(&fixture, 20);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  open_history(&one, "default/a", 0, 0);
  memset((char *)&one + faults[_i].at, faults[_i].byte, faults[_i].size);
  refuses(&fixture, fixture.world.bindings, &fixture.now, &one, faults[_i].code, faults[_i].message);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_structures_of_no_size_are_refused) {
  struct plan_fixture fixture;
  struct one_history one;

  open_drifted(&fixture, 20);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  open_history(&one, "default/a", 0, 0);
  one.history.struct_size = 0;
  ck_assert_int_eq(rebal_reconsider(fixture.plan, fixture.world.bindings, &fixture.now, &one.opts, fixture.rows, NULL),
                   REBAL_EABI);
  one.opts.struct_size = 0;
  ck_assert_int_eq(rebal_reconsider(fixture.plan, fixture.world.bindings, &fixture.now, &one.opts, fixture.rows, NULL),
                   REBAL_EABI);
  plan_close(&fixture);
}
END_TEST

/* The first of two is wrong: the error has its row. */
START_TEST(test_a_history_with_a_time_that_is_none) {
  const uint32_t offsets[] = {0, 9, 18};
  const rebal_time times[] = {{0, 2000000000, 1}, {0, 0, 1}};
  const int64_t numbers[] = {0, 0};
  struct plan_fixture fixture;
  struct one_history one;

  open_drifted(&fixture, 20);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  open_history(&one, "default/adefault/b", 0, 0);
  one.history.offsets = offsets;
  one.history.times = times;
  one.history.moved = one.history.due = numbers;
  one.history.n = 2;
  ck_assert_int_eq(
      rebal_reconsider(fixture.plan, fixture.world.bindings, &fixture.now, &one.opts, fixture.rows, &fixture.world.err),
      REBAL_ERANGE);
  ck_assert_int_eq(fixture.world.err.where, 0);
  plan_close(&fixture);
}
END_TEST

/* One of the same name in another namespace, and one too many. */
START_TEST(test_bindings_that_are_not_the_plans) {
  static const char *const keys[] = {"other/a", "default/a"};
  struct plan_fixture fixture;
  struct test_world *world = &fixture.world;
  rebal_bindings *others;

  open_drifted(&fixture, 20);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  for (size_t n = 1; n <= 2; n++) {
    others = test_new_bindings(world);
    for (size_t i = 0; i < n; i++) {
      const struct test_binding binding = {.key = keys[i], .placement = &even};

      (void)test_add_binding(world, others, &binding);
    }
    ck_assert_int_eq(rebal_bindings_freeze(others, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_reconsider(fixture.plan, others, &fixture.now, NULL, fixture.rows, &world->err),
                     REBAL_EMISMATCH);
    ck_assert_str_eq(world->err.message,
                     n == 1 ? "the bindings are not those of the plan" : "the plan has 1 bindings, expected 2");
    rebal_bindings_free(others);
  }
  plan_close(&fixture);
}
END_TEST

START_TEST(test_what_is_needed) {
  struct plan_fixture fixture;
  struct test_world *world = &fixture.world;

  open_drifted(&fixture, 20);
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_int_eq(rebal_reconsider(NULL, world->bindings, &fixture.now, NULL, fixture.rows, &world->err),
                   REBAL_EINVAL);
  ck_assert_str_eq(world->err.message, "plan is NULL");
  ck_assert_int_eq(rebal_reconsider(fixture.plan, NULL, &fixture.now, NULL, fixture.rows, &world->err), REBAL_EINVAL);
  ck_assert_str_eq(world->err.message, "bindings is NULL");
  ck_assert_int_eq(rebal_reconsider(fixture.plan, world->bindings, NULL, NULL, fixture.rows, &world->err),
                   REBAL_EINVAL);
  plan_close(&fixture);
}
END_TEST

/* ---- memory ------------------------------------------------------------------------------------------------------ */

struct reconsidering {
  struct plan_fixture fixture;
  struct one_history one;
};

static int32_t reconsider_with(const rebal_allocator *allocator, void *user_data) {
  const struct reconsidering *all = user_data;
  rebal_result *result = NULL;
  int32_t code = rebal_result_new(allocator, &result, NULL);

  if (code == REBAL_OK) {
    code = rebal_reconsider(all->fixture.plan, all->fixture.world.bindings, &all->fixture.now, &all->one.opts, result,
                            NULL);
  }
  rebal_result_free(result);
  return code;
}

START_TEST(test_no_memory) {
  struct reconsidering all;

  open_drifted(&all.fixture, 20);
  ck_assert_int_eq(plan_make(&all.fixture), REBAL_OK);
  open_history(&all.one, "default/a", PLAN_NOW - 60, 1);
  ck_assert_pstr_eq(test_torture(reconsider_with, &all), NULL);
  plan_close(&all.fixture);
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
  tcase_add_test(cases, test_nothing_granted_is_not_a_move);
  tcase_add_test(cases, test_high_is_at_least_low);
  tcase_add_test(cases, test_without_a_cool_down_nothing_cools);
  tcase_add_loop_test(cases, test_what_is_refused, 0, sizeof faults / sizeof faults[0]);
  tcase_add_test(cases, test_structures_of_no_size_are_refused);
  tcase_add_test(cases, test_a_history_with_a_time_that_is_none);
  tcase_add_test(cases, test_bindings_that_are_not_the_plans);
  tcase_add_test(cases, test_what_is_needed);
  tcase_add_test(cases, test_no_memory);
  return cases;
}
