/* SPDX-License-Identifier: MIT */
/* What limits and budgets say of a move that is made by hand. */
#include "plan_fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define OVER_CLUSTERS REBAL_PLAN_FLAG_BUDGETS_OVER_CLUSTERS
#define LIMIT_BIT (INT64_C(1) << REBAL_BREACH_LIMIT)

static struct plan_fixture fixture;

static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "m3+m4=1"};

/* Five replicas in m1, four of them ready, and five in m2. labels NULL: not known. */
static void add(const char *key, const char *labels) {
  const struct test_binding binding = {.key = key, .replicas = 10, .placement = &even, .targets = "m1=5 m2=5"};
  const uint32_t row = plan_add(&fixture, &binding);

  plan_set_ready(&fixture, row, "m1=4 m2=5");
  plan_set_labels(&fixture, row, labels);
}

static void setup(void) {
  plan_open(&fixture, "m1=20 m2=20 m3=20 m4=20");
  add("ns1/a", "app=web");
}
static void teardown(void) {
  plan_close(&fixture);
}

static rebal_move move_of(const char *source, const char *target, int32_t replicas) {
  struct test_world *world = &fixture.world;

  return (rebal_move){.struct_size = (uint32_t)sizeof(rebal_move),
                      .source = test_cluster_id(world, source),
                      .target = test_cluster_id(world, target),
                      .replicas = replicas,
                      .flags = fixture.opts.flags,
                      .limits = fixture.limit_list,
                      .n_limits = fixture.opts.n_limits,
                      .budgets = fixture.budget_list,
                      .n_budgets = fixture.opts.n_budgets,
                      .now = &fixture.now};
}

static int32_t try_move(const rebal_move *move) {
  struct test_world *world = &fixture.world;

  if (world->snapshot == NULL) {
    test_freeze(world);
  }
  return rebal_try(world->ctx, world->snapshot, world->bindings, move, fixture.rows, &world->err);
}

/* Of m1 to m3: how many are granted, and which limit grants the fewest, or REBAL_ABSENT. */
static void expect(int32_t replicas, int64_t granted, int64_t limited_by) {
  const rebal_move move = move_of("m1", "m3", replicas);

  ck_assert_int_eq(try_move(&move), REBAL_OK);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_TRIED_GRANTED, 0), granted);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_TRIED_LIMITED_BY, 0), limited_by);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_TRIED_BROKEN, 0) & LIMIT_BIT, granted < replicas ? LIMIT_BIT : 0);
}

START_TEST(test_without_limits_all_is_granted) {
  const rebal_move move = {.struct_size = (uint32_t)sizeof move, .target = 2, .replicas = 5};

  expect(5, 5, REBAL_ABSENT);
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_LIMITED), 0);
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_LIMIT_USE), 0);
  ck_assert_int_eq(try_move(&move), REBAL_OK); /* now is not needed */
  ck_assert_int_eq(plan_cell(&fixture, REBAL_TRIED_GRANTED, 0), 5);
}
END_TEST

START_TEST(test_each_limit_is_charged_with_the_whole_move) {
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 4);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_SOURCE, NULL, 2);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TARGET, "m3", 9);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TARGET, "m4", 0);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_NAMESPACE, NULL, 8);
  plan_limit(&fixture, REBAL_LIMIT_SCOPE_LABEL, NULL, 7)->label = "app";
  fixture.limits[5].label_len = REBAL_TERMINATED;
  expect(5, 2, 1);
  ck_assert_str_eq(plan_uses(&fixture, 0), ":5+-1");
  ck_assert_str_eq(plan_uses(&fixture, 1), "m1:5+-3");
  ck_assert_str_eq(plan_uses(&fixture, 2), "m3:5+4");
  ck_assert_str_eq(plan_uses(&fixture, 3), "");
  ck_assert_str_eq(plan_uses(&fixture, 4), "ns1:5+3");
  ck_assert_str_eq(plan_uses(&fixture, 5), "web:5+2");
  ck_assert_str_eq(plan_limited(&fixture, 0), "used 5 withheld 0 shadow 0");
  ck_assert_str_eq(plan_limited(&fixture, 1), "used 5 withheld 3 shadow 2");
  ck_assert_str_eq(plan_limited(&fixture, 3), "used 0 withheld 0 shadow 0");
  expect(2, 2, REBAL_ABSENT);
  ck_assert_str_eq(plan_uses(&fixture, 1), "m1:2+0");
  ck_assert_str_eq(plan_limited(&fixture, 1), "used 2 withheld 0 shadow 0");
}
END_TEST

START_TEST(test_a_pace_takes_tokens) {
  const rebal_time then = test_time(PLAN_NOW - 20);
  rebal_limit *pace = plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 9);
  rebal_move move;

  pace->interval_ns = INT64_C(10000000000);
  pace->tokens = 1;
  pace->tokens_at = &then;
  expect(2, 2, REBAL_ABSENT);
  ck_assert_str_eq(plan_limited(&fixture, 0), "used 2 withheld 0 shadow 0 tokens 1");
  expect(5, 3, 0);
  ck_assert_str_eq(plan_uses(&fixture, 0), ":5+-2");
  move = move_of("m1", "m3", 1);
  move.now = NULL;
  ck_assert_int_eq(try_move(&move), REBAL_EINVAL);
  ck_assert_str_eq(fixture.world.err.message, "now is missing");
}
END_TEST

/* Four of five are healthy in m1, nine of ten in all. Others that the budget selects count. */
START_TEST(test_budgets) {
  const struct plan_budget budget = {"ns1/p", "app=web", .min_available = "3"};

  plan_budget(&fixture, &budget);
  expect(5, 1, 0);
  ck_assert_str_eq(plan_uses(&fixture, 0), "m1:5+-4");
  ck_assert_str_eq(rebal_result_text(fixture.rows, REBAL_LIMITED_SUBJECT, 0, NULL), "ns1/p");
  fixture.opts.flags = OVER_CLUSTERS;
  expect(5, 5, REBAL_ABSENT);
  ck_assert_str_eq(plan_uses(&fixture, 0), ":5+1");
}
END_TEST

START_TEST(test_other_workloads_of_a_budget_count) {
  const struct plan_budget budget = {"ns1/p", "app=web", .min_available = "6"};

  plan_budget(&fixture, &budget);
  add("ns1/b", "app=web");
  expect(5, 2, 0);
}
END_TEST

START_TEST(test_two_budgets_grant_nothing) {
  const struct plan_budget first = {"ns1/p", "app=web", .min_available = "0"},
                           second = {"ns1/q", "", .min_available = "0"};

  plan_budget(&fixture, &first);
  plan_budget(&fixture, &second);
  expect(2, 0, 0);
  ck_assert_str_eq(plan_uses(&fixture, 0), "m1:2+2");
  ck_assert_str_eq(plan_limited(&fixture, 0), "used 2 withheld 2 shadow 2");
}
END_TEST

START_TEST(test_what_is_malformed_is_refused) {
  const struct plan_budget wrong = {"ns1/p", "", .min_available = "half"};
  rebal_move move;

  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_SOURCE, "m9", 4);
  move = move_of("m1", "m3", 1);
  ck_assert_int_eq(try_move(&move), REBAL_EINVAL);
  ck_assert_str_eq(fixture.world.err.message, "a limit names cluster m9, which does not exist");
  ck_assert_uint_eq(rebal_result_count(fixture.rows, REBAL_TABLE_TRIED), 0);
  plan_budget(&fixture, &wrong);
  move = move_of("m1", "m3", 1);
  move.n_limits = 0;
  ck_assert_int_eq(try_move(&move), REBAL_EINVAL);
  move.budgets = NULL;
  ck_assert_int_eq(try_move(&move), REBAL_EINVAL);
  move.n_budgets = 0;
  ck_assert_int_eq(try_move(&move), REBAL_OK);
  move.flags = REBAL_PLAN_FLAG_SURGE_GIVEN;
  ck_assert_int_eq(try_move(&move), REBAL_EUNSUPPORTED);
}
END_TEST

static int32_t try_with(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = &fixture.world;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_try(ctx, world->snapshot, world->bindings, user_data, result, NULL) : code;
  if (code != REBAL_OK && result != NULL && rebal_result_count(result, REBAL_TABLE_LIMITED) != 0) {
    code = REBAL_EINVAL; /* what failed left something */
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_every_allocation_may_fail) {
  const struct plan_budget budget = {"ns1/p", "app=web", .max_unavailable = "2"};
  rebal_move move;

  plan_budget(&fixture, &budget);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_NAMESPACE, NULL, 4);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_BINDING, NULL, 4);
  move = move_of("m1", "m3", 3);
  ck_assert_int_eq(try_move(&move), REBAL_OK);
  ck_assert_pstr_eq(test_torture(try_with, &move), NULL);
}
END_TEST

UNIT_CASE(one_move) {
  TCase *cases = tcase_create("one_move");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_without_limits_all_is_granted);
  tcase_add_test(cases, test_each_limit_is_charged_with_the_whole_move);
  tcase_add_test(cases, test_a_pace_takes_tokens);
  tcase_add_test(cases, test_budgets);
  tcase_add_test(cases, test_other_workloads_of_a_budget_count);
  tcase_add_test(cases, test_two_budgets_grant_nothing);
  tcase_add_test(cases, test_what_is_malformed_is_refused);
  tcase_add_test(cases, test_every_allocation_may_fail);
  return cases;
}
