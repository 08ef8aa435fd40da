/* SPDX-License-Identifier: MIT */
/* Static weights: growth lowers no cluster, and the option that keeps them within the available capacity. */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_placement one_to_three = {.scheduling = "Divided/Weighted", .weights = "m1=1 m2=3"};
static const struct test_placement zeros = {.scheduling = "Divided/Weighted", .weights = "m1=0 m2=0 m3=0"};

#define LACKING(count) \
  "unschedulable: failed to assign replicas: Clusters available replicas " count " are not enough to schedule."

static const struct {
  const char *pods;
  struct test_binding binding;
  const char *by_weight;
  const char *within;
} rows[] = {
    /* even spread that respects capacity (karmada #4805) */
    {"m1=10 m2=2 m3=10", {.replicas = 12, .placement = &equal_weight}, "m1:4 m2:4 m3:4", "m1:5 m2:2 m3:5"},
    {"m1=9 m2=9 m3=9", {.replicas = 8, .placement = &one_to_three}, "m1:2 m2:6", "m1:2 m2:6"}, /* enough capacity */
    {"m1=9 m2=4 m3=9", {.replicas = 8, .placement = &one_to_three}, "m1:2 m2:6", "m1:4 m2:4"},
    {"m1=9 m2=0 m3=9", {.replicas = 8, .placement = &one_to_three}, "m1:2 m2:6", "m1:8"},
    {"m1=2 m2=4 m3=9", {.replicas = 8, .placement = &one_to_three}, "m1:2 m2:6", LACKING("6")}, /* m3 has no weight */
    {"m1=2 m2=1 m3=9", {.replicas = 8, .placement = &zeros}, "m1:3 m2:3 m3:2", "m1:2 m2:1 m3:5"},
    {"m1=2 m2=1 m3=1", {.replicas = 8, .placement = &zeros}, "m1:3 m2:3 m3:2", LACKING("4")},
    /* replicas that a cluster holds count as available there */
    {"m1=1 m2=0 m3=9", {.replicas = 6, .placement = &one_to_three, .targets = "m2=3"}, "m1:2 m2:4", LACKING("4")},
    {"m1=3 m2=0 m3=9", {.replicas = 6, .placement = &one_to_three, .targets = "m2=3"}, "m1:2 m2:4", "m1:3 m2:3"},
    {"m1=2147483647 m2=2147483647",
     {.replicas = 4, .placement = &equal_weight, .targets = "m1=9"},
     "m1:2 m2:2",
     "m1:2 m2:2"},
    {"m1=0 m2=0", {.replicas = 0, .placement = &equal_weight}, "", ""},
};

START_TEST(test_capacity) {
  struct test_binding binding = rows[_i].binding;

  binding.request = "";
  ck_assert_str_eq(schedule_pods(rows[_i].pods, &binding, NULL), rows[_i].by_weight);
  ck_assert_str_eq(schedule_pods(rows[_i].pods, &binding, with_option(REBAL_OPTION_STATIC_WEIGHT_CAPACITY, 1)),
                   rows[_i].within);
}
END_TEST

static void read_shares(const char *answer, int *shares) {
  for (int i = 0; i < 3; i++) {
    char name[] = "m0:";
    const char *at;

    name[1] = (char)('1' + i);
    at = strstr(answer, name);
    shares[i] = at == NULL ? 0 : atoi(at + 3);
  }
}

static const char *const weights[] = {"m1=1 m2=1 m3=1", "m1=1 m2=2 m3=3", "m1=5 m2=3 m3=1", "m1=53 m2=24 m3=23"};

/* Raising the total never lowers a cluster (karmada #6735, #6793), whatever the order of ties. */
START_TEST(test_growth_lowers_none) {
  const struct test_placement placement = {.scheduling = "Divided/Weighted", .weights = weights[_i / 4]};
  struct test_binding binding = {.request = "", .placement = &placement, .uid = _i % 2 == 0 ? "a" : "b"};
  const rebal_schedule_opts *opts = _i % 4 < 2 ? NULL : with_option(REBAL_OPTION_STATIC_WEIGHT_CAPACITY, 1);
  int before[3] = {0, 0, 0};

  for (binding.replicas = 1; binding.replicas <= 40; binding.replicas++) {
    int now[3];

    read_shares(schedule_pods("m1=7 m2=30 m3=9", &binding, opts), now);
    ck_assert_int_eq(now[0] + now[1] + now[2], (int)binding.replicas);
    for (int i = 0; i < 3; i++) {
      ck_assert_int_ge(now[i], before[i]);
      before[i] = now[i];
    }
  }
}
END_TEST

UNIT_CASE(assign_static) {
  TCase *cases = tcase_create("assign_static");

  tcase_add_loop_test(cases, test_capacity, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_growth_lowers_none, 0, (int)(4 * REBALI_COUNT(weights)));
  return cases;
}
