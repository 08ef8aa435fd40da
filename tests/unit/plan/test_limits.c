/* SPDX-License-Identifier: MIT */
#include "plan_fixture.h"

#include "../unit.h"

static void assert_moves(struct plan_fixture *fixture, const char *const moves[4]) {
  ck_assert_int_eq(plan_make(fixture), REBAL_OK);
  for (size_t i = 0; i < 4; i++) {
    ck_assert_str_eq(plan_moves(fixture, i), moves[i]);
  }
}

#define ALL "m1-m3:4 m2-m4:4"

static const struct {
  int32_t scope;
  const char *subject;
  int64_t replicas;
  const char *moves[4];
  const char *limited, *uses;
} scopes[] = {
    {REBAL_LIMIT_SCOPE_TOTAL, NULL, 0, {"", "", "", ""}, "used 0 withheld 32 shadow 32", ""},
    {REBAL_LIMIT_SCOPE_TOTAL, NULL, 13, {ALL, "m1-m3:4 m2-m4:1", "", ""}, "used 13 withheld 19 shadow 19", ":13+0"},
    {REBAL_LIMIT_SCOPE_TOTAL, NULL, 32, {ALL, ALL, ALL, ALL}, "used 32 withheld 0 shadow 0", ":32+0"},
    {REBAL_LIMIT_SCOPE_SOURCE,
     NULL,
     5,
     {ALL, "m1-m3:1 m2-m4:1", "", ""},
     "used 10 withheld 22 shadow 22",
     "m1:5+0 m2:5+0"},
    {REBAL_LIMIT_SCOPE_SOURCE,
     "m1",
     5,
     {ALL, "m1-m3:1 m2-m4:4", "m2-m4:4", "m2-m4:4"},
     "used 5 withheld 11 shadow 11",
     "m1:5+0"},
    {REBAL_LIMIT_SCOPE_SOURCE, "m3", 0, {ALL, ALL, ALL, ALL}, "used 0 withheld 0 shadow 0", ""},
    {REBAL_LIMIT_SCOPE_TARGET,
     NULL,
     5,
     {ALL, "m1-m3:1 m2-m4:1", "", ""},
     "used 10 withheld 22 shadow 22",
     "m3:5+0 m4:5+0"},
    {REBAL_LIMIT_SCOPE_TARGET,
     "m4",
     7,
     {ALL, "m1-m3:4 m2-m4:3", "m1-m3:4", "m1-m3:4"},
     "used 7 withheld 9 shadow 9",
     "m4:7+0"},
    {REBAL_LIMIT_SCOPE_NAMESPACE,
     NULL,
     9,
     {ALL, "m1-m3:1", ALL, ALL},
     "used 25 withheld 7 shadow 7",
     "ns1:9+0 ns2:8+1 :8+1"},
    {REBAL_LIMIT_SCOPE_NAMESPACE, "ns1", 3, {"m1-m3:3", "", ALL, ALL}, "used 3 withheld 13 shadow 13", "ns1:3+0"},
    {REBAL_LIMIT_SCOPE_NAMESPACE, "", 3, {ALL, ALL, ALL, "m1-m3:3"}, "used 3 withheld 5 shadow 5", ":3+0"},
    {REBAL_LIMIT_SCOPE_NAMESPACE, "ns9", 0, {ALL, ALL, ALL, ALL}, "used 0 withheld 0 shadow 0", ""},
    {REBAL_LIMIT_SCOPE_BINDING,
     NULL,
     5,
     {"m1-m3:4 m2-m4:1", "m1-m3:4 m2-m4:1", "m1-m3:4 m2-m4:1", "m1-m3:4 m2-m4:1"},
     "used 20 withheld 12 shadow 12",
     "ns1/a:5+0 ns1/b:5+0 ns2/a:5+0 a:5+0"},
    {REBAL_LIMIT_SCOPE_BINDING, "ns1/a", 2, {"m1-m3:2", ALL, ALL, ALL}, "used 2 withheld 6 shadow 6", "ns1/a:2+0"},
    {REBAL_LIMIT_SCOPE_BINDING, "a", 2, {ALL, ALL, ALL, "m1-m3:2"}, "used 2 withheld 6 shadow 6", "a:2+0"},
    {REBAL_LIMIT_SCOPE_BINDING, "ns1", 0, {ALL, ALL, ALL, ALL}, "used 0 withheld 0 shadow 0", ""},
    {REBAL_LIMIT_SCOPE_BINDING, "ns1-a", 0, {ALL, ALL, ALL, ALL}, "used 0 withheld 0 shadow 0", ""},
};

START_TEST(test_each_scope) {
  struct plan_fixture fixture;

  plan_open_movable(&fixture);
  (void)plan_limit(&fixture, scopes[_i].scope, scopes[_i].subject, scopes[_i].replicas);
  assert_moves(&fixture, scopes[_i].moves);
  ck_assert_str_eq(plan_limited(&fixture, 0), scopes[_i].limited);
  ck_assert_str_eq(plan_uses(&fixture, 0), scopes[_i].uses);
  plan_close(&fixture);
}
END_TEST

/* Labels "tier": web, web, unknown, "" - and a limit on each value, on one, on the one without bytes. */
static const struct {
  const char *subject;
  int64_t replicas;
  const char *moves[4];
  const char *limited, *uses;
} labels[] = {
    {NULL, 9, {ALL, "m1-m3:1", ALL, ALL}, "used 17 withheld 7 shadow 7", "web:9+0 :8+1"},
    {"web", 3, {"m1-m3:3", "", ALL, ALL}, "used 3 withheld 13 shadow 13", "web:3+0"},
    {"", 3, {ALL, ALL, ALL, "m1-m3:3"}, "used 3 withheld 5 shadow 5", ":3+0"},
    {"db", 0, {ALL, ALL, ALL, ALL}, "used 0 withheld 0 shadow 0", ""},
};

START_TEST(test_values_of_a_label) {
  struct plan_fixture fixture;
  rebal_limit *limit;

  plan_open_movable(&fixture);
  plan_set_labels(&fixture, 0, "tier=web");
  plan_set_labels(&fixture, 1, "app=x tier=web");
  plan_set_labels(&fixture, 3, "tier=");
  limit = plan_limit(&fixture, REBAL_LIMIT_SCOPE_LABEL, labels[_i].subject, labels[_i].replicas);
  limit->label = "tier";
  limit->label_len = 4;
  assert_moves(&fixture, labels[_i].moves);
  ck_assert_str_eq(plan_limited(&fixture, 0), labels[_i].limited);
  ck_assert_str_eq(plan_uses(&fixture, 0), labels[_i].uses);
  plan_close(&fixture);
}
END_TEST

START_TEST(test_limits_together) {
  struct plan_fixture fixture;

  plan_open_movable(&fixture);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TOTAL, NULL, 12);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TARGET, "m3", 6);
  (void)plan_limit(&fixture, REBAL_LIMIT_SCOPE_TARGET, "m4", 6);
  assert_moves(&fixture, (const char *const[]){ALL, "m1-m3:2 m2-m4:2", "", ""});
  ck_assert_str_eq(plan_limited(&fixture, 0), "used 12 withheld 16 shadow 0");
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_LIMITED_BY, 1), 1);
  ck_assert_int_eq(plan_cell(&fixture, REBAL_PLANNED_LIMITED_BY, 2), 0);
  plan_close(&fixture);
}
END_TEST

UNIT_CASE(limits) {
  TCase *cases = tcase_create("limits");

  tcase_add_loop_test(cases, test_each_scope, 0, sizeof scopes / sizeof scopes[0]);
  tcase_add_loop_test(cases, test_values_of_a_label, 0, sizeof labels / sizeof labels[0]);
  tcase_add_test(cases, test_limits_together);
  return cases;
}
