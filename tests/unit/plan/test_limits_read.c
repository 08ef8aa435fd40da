/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "m3+m4=1"};

static const rebal_time bad_time = {0, 2000000000, 1};

static const struct {
  rebal_limit limit;
  int32_t code;
  const char *message;
} wrong[] = {
    {{.scope = 0}, REBAL_EINVAL, "there is no scope 0"},
    {{.scope = REBAL_LIMIT_SCOPE_BUDGET}, REBAL_EINVAL, "there is no scope 7"},
    {{.scope = REBAL_LIMIT_SCOPE_TOTAL, .replicas = -1}, REBAL_ERANGE, "a limit allows a negative number of replicas"},
    {{.scope = REBAL_LIMIT_SCOPE_LABEL}, REBAL_EINVAL, "a label belongs to a limit of the scope label"},
    {{.scope = REBAL_LIMIT_SCOPE_TOTAL, .label = "app", .label_len = 3},
     REBAL_EINVAL,
     "a label belongs to a limit of the scope label"},
    {{.scope = REBAL_LIMIT_SCOPE_TOTAL, .subject = "m1", .subject_len = 2},
     REBAL_EINVAL,
     "a limit of the scope total has no subject"},
    {{.scope = REBAL_LIMIT_SCOPE_SOURCE, .subject = "m9", .subject_len = 2},
     REBAL_EINVAL,
     "a limit names cluster m9, which does not exist"},
    {{.scope = REBAL_LIMIT_SCOPE_TARGET, .subject = "", .subject_len = 0},
     REBAL_EINVAL,
     "a limit names cluster , which does not exist"},
    {{.scope = REBAL_LIMIT_SCOPE_BINDING, .subject = NULL, .subject_len = 2}, REBAL_EINVAL, "subject is missing"},
    {{.scope = REBAL_LIMIT_SCOPE_TOTAL, .interval_ns = -1},
     REBAL_ERANGE,
     "a pace needs an interval above 0 and at most as many tokens as its burst"},
    {{.scope = REBAL_LIMIT_SCOPE_TOTAL, .interval_ns = 1, .tokens = -1},
     REBAL_ERANGE,
     "a pace needs an interval above 0 and at most as many tokens as its burst"},
    {{.scope = REBAL_LIMIT_SCOPE_TOTAL, .interval_ns = 1, .replicas = 2, .tokens = 3},
     REBAL_ERANGE,
     "a pace needs an interval above 0 and at most as many tokens as its burst"},
    {{.scope = REBAL_LIMIT_SCOPE_SOURCE, .interval_ns = 1}, REBAL_EINVAL, "a pace needs one subject"},
};

START_TEST(test_wrong_limits_are_refused) {
  struct plan_fixture fixture;

  plan_open_movable(&fixture);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 1);
  *plan_limit(&fixture, 0, NULL, 0) = wrong[_i].limit;
  fixture.limits[1].struct_size = (uint32_t)sizeof(rebal_limit);
  ck_assert_int_eq(plan_make(&fixture), wrong[_i].code);
  ck_assert_str_eq(fixture.world.err.message, wrong[_i].message);
  ck_assert_ptr_null(fixture.plan);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_missing_limits) {
  struct plan_fixture fixture;

  plan_open_movable(&fixture);
  fixture.opts.n_limits = 2;
  fixture.limits[0] = (rebal_limit){.struct_size = (uint32_t)sizeof(rebal_limit), .scope = REBAL_LIMIT_SCOPE_TOTAL};
  fixture.limit_list[0] = &fixture.limits[0];
  ck_assert_int_eq(plan_make(&fixture), REBAL_EINVAL);
  ck_assert_str_eq(fixture.world.err.message, "a limit is NULL");
  ck_assert_int_eq(fixture.world.err.where, 1);
  fixture.opts.limits = NULL;
  ck_assert_int_eq(plan_make(&fixture), REBAL_EINVAL);
  ck_assert_int_eq(fixture.world.err.where, 0);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_limits_have_a_size) {
  struct plan_fixture fixture;

  plan_open_movable(&fixture);
  plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 1)->struct_size = 8;
  ck_assert_int_eq(plan_make(&fixture), REBAL_EABI);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_times_of_tokens_are_checked) {
  struct plan_fixture fixture;
  rebal_limit *pace;

  plan_open_movable(&fixture);
  pace = plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 1);
  pace->interval_ns = 1;
  pace->tokens_at = &bad_time;
  ck_assert_int_eq(plan_make(&fixture), REBAL_ERANGE);
  plan_close(&fixture);
}
END_TEST

/* ---- pace -------------------------------------------------------------------------------------------------------- */

#define SECOND INT64_C(1000000000)

/* A plan with a pace of one replica in ten seconds and a burst of 5; its state is that of the plan before. */
static const char *pace_on(struct plan_fixture *fixture, int64_t tokens, int64_t tokens_at, int64_t now) {
  static rebal_time at;
  rebal_limit *pace;

  fixture->opts.n_limits = 0;
  fixture->now = test_time(now);
  pace = plan_limit(fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 5);
  pace->interval_ns = 10 * SECOND;
  pace->tokens = tokens;
  at = test_time(tokens_at);
  pace->tokens_at = tokens_at == 0 ? NULL : &at;
  ck_assert_int_eq(plan_make(fixture), REBAL_OK);
  return plan_limited(fixture, 0);
}

static int64_t tokens_at(const struct plan_fixture *fixture) {
  rebal_time at;

  rebal_result_time(fixture->rows, REBAL_LIMITED_TOKENS_AT, 0, &at);
  return at.is_set ? at.seconds : 0;
}

START_TEST(test_tokens_come_and_go) {
  struct plan_fixture fixture;

  plan_open_movable(&fixture);
  ck_assert_str_eq(pace_on(&fixture, 0, 0, 1000), "used 5 withheld 27 shadow 27 tokens 0");
  ck_assert_int_eq(tokens_at(&fixture), 1000);
  ck_assert_str_eq(pace_on(&fixture, 0, 1000, 1009), "used 0 withheld 32 shadow 32 tokens 0");
  ck_assert_int_eq(tokens_at(&fixture), 1000);
  ck_assert_str_eq(pace_on(&fixture, 0, 1000, 1019), "used 1 withheld 31 shadow 31 tokens 0");
  ck_assert_int_eq(tokens_at(&fixture), 1010);
  ck_assert_str_eq(pace_on(&fixture, 2, 1010, 1020), "used 3 withheld 29 shadow 29 tokens 0");
  ck_assert_int_eq(tokens_at(&fixture), 1020);
  /* It is full at 1060; what comes later is lost. */
  ck_assert_str_eq(pace_on(&fixture, 0, 1010, 1069), "used 5 withheld 27 shadow 27 tokens 0");
  ck_assert_int_eq(tokens_at(&fixture), 1069);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_REPLICAS, 0), 5);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_tokens_are_kept_when_nothing_moves) {
  const struct test_binding still = {.key = "ns/a", .replicas = 1, .placement = &even, .targets = "m3=1"};
  struct plan_fixture fixture;

  plan_open(&fixture, "m3=10 m4=10");
  (void)plan_add(&fixture, &still);
  ck_assert_str_eq(pace_on(&fixture, 3, 1000, 1015), "used 0 withheld 0 shadow 0 tokens 4");
  ck_assert_int_eq(tokens_at(&fixture), 1010);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_a_clock_that_goes_back_adds_nothing) {
  struct plan_fixture fixture;

  plan_open_movable(&fixture);
  ck_assert_str_eq(pace_on(&fixture, 2, 2000, 1000), "used 2 withheld 30 shadow 30 tokens 0");
  ck_assert_int_eq(tokens_at(&fixture), 2000);
  plan_close(&fixture);
}
END_TEST

/* A time that is not set is none: the burst is whole. */
START_TEST(test_tokens_of_no_time) {
  static const rebal_time unset = {0, 0, 0};
  struct plan_fixture fixture;
  rebal_limit *limit;

  plan_open_movable(&fixture);
  limit = plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 3);
  limit->interval_ns = INT64_C(1000000000);
  limit->tokens = 1;
  limit->tokens_at = &unset;
  ck_assert_int_eq(plan_make(&fixture), REBAL_OK);
  ck_assert_str_eq(plan_moves(&fixture, 0), "m1-m3:3");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_LIMITED_TOKENS, 0), 0);
  plan_close(&fixture);
}
END_TEST

/* Each number alone, and both together. */
START_TEST(test_more_limits_than_there_is_memory_for) {
  struct plan_fixture fixture;

  plan_open_movable(&fixture);
  fixture.opts.n_limits = UINT64_MAX;
  ck_assert_int_eq(plan_make(&fixture), REBAL_ENOMEM);
  fixture.opts.n_budgets = 1;
  ck_assert_int_eq(plan_make(&fixture), REBAL_ENOMEM);
  ck_assert_ptr_null(fixture.plan);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(limits_read) {
  TCase *cases = tcase_create("limits_read");

  tcase_add_loop_test(cases, test_wrong_limits_are_refused, 0, sizeof wrong / sizeof wrong[0]);
  tcase_add_test(cases, test_missing_limits);
  tcase_add_test(cases, test_limits_have_a_size);
  tcase_add_test(cases, test_times_of_tokens_are_checked);
  tcase_add_test(cases, test_tokens_come_and_go);
  tcase_add_test(cases, test_tokens_are_kept_when_nothing_moves);
  tcase_add_test(cases, test_a_clock_that_goes_back_adds_nothing);
  tcase_add_test(cases, test_tokens_of_no_time);
  tcase_add_test(cases, test_more_limits_than_there_is_memory_for);
  return cases;
}
