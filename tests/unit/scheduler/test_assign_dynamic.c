/* SPDX-License-Identifier: MIT */
/* The dynamic strategies: the measured answers of rebalance-karmada(7) 7.11, and the notes of 7.6 and 12.1. */
#include "phases_fixture.h"

#include "../unit.h"

#define A .request = "", .placement = &aggregated
#define D .request = "", .placement = &dynamic_weight
#define FRESH .triggered_at = 2, .scheduled_at = 1
#define THREE "m1=10 m2=5 m3=3"
#define LACKING(what, count)                                                                         \
  "unschedulable: failed to assign replicas: failed to " what ": Clusters available replicas " count \
  " are not enough to schedule."

static const struct {
  const char *pods;
  struct test_binding binding;
  const char *answer;
} rows[] = {
    {THREE, {.replicas = 12, A}, "m1:8 m2:4"},
    {THREE, {.replicas = 8, A}, "m1:8"},
    {THREE, {.replicas = 18, A}, "m1:10 m2:5 m3:3"},
    {THREE, {.replicas = 19, A}, LACKING("scale up", "18")},
    {THREE, {.replicas = 12, D}, "m1:7 m2:3 m3:2"},
    {THREE, {.replicas = 12, D, .uid = "b"}, "m1:7 m2:3 m3:2"},
    {THREE, {.replicas = 4, A, .targets = "m3=2"}, "m3:4"},
    {THREE, {.replicas = 6, A, .targets = "m3=2"}, "m1:3 m3:3"},
    {THREE, {.replicas = 4, A, .targets = "m2=1 m3=2 m1=0"}, "m2:2 m3:2"},
    {THREE, {.replicas = 6, D, .targets = "m3=2"}, "m1:2 m2:1 m3:3"},
    {THREE, {.replicas = 4, A, .targets = "m1=3 m2=3 m3=3"}, "m1:2 m2:2"},
    {THREE, {.replicas = 4, D, .targets = "m1=3 m2=3 m3=3"}, "m1:2 m2:1 m3:1"},
    {THREE, {.replicas = 4, D, .targets = "m1=3 m2=3 m3=3", .uid = "b"}, "m1:1 m2:1 m3:2"},
    {THREE, {.replicas = 9, D, .targets = "m3=9", FRESH}, "m1:3 m2:2 m3:4"},
    {THREE, {.replicas = 9, A, .targets = "m3=9", FRESH}, "m3:9"},
    {THREE, {.replicas = 9, D, .targets = "m3=9 m1=0"}, "m3:9"},
    {THREE, {.replicas = 9, D, .targets = "m9=9"}, "m1:5 m2:2 m3:2"},
    {THREE, {.replicas = 9, D, .targets = "?=9"}, "m1:5 m2:2 m3:2"},
    {THREE, {.replicas = 6, A, .targets = "?=3 m3=2 ?=1"}, "m1:3 m3:3"},
    {"m1=5 m2=4 m3=3 m4=9", {.replicas = 8, A, .targets = "m3=1 m2=1 m1=1"}, "m1:6 m2:1 m3:1"},
    {THREE, {.replicas = 0, D, .targets = "m1=3"}, ""},
    {THREE, {.replicas = 0, .placement = &dynamic_weight, .targets = "m1=3"}, "m1:0 m2:0 m3:0"},
    {THREE, {.replicas = 7, D, .targets = "m1=2 m1=3"}, "m1:4 m2:1"},
    {THREE, {.replicas = 9, D, .targets = "m2=4 m1=5"}, "m2:4 m1:5"}, /* nothing to do: the order stays */
    {"m1=0 m2=0", {.replicas = 9, D, .targets = "m2=9"}, "m2:9"},     /* a full cluster keeps what it has */
    {"m1=0 m2=0", {.replicas = 9, A, .targets = "m2=8"}, LACKING("scale up", "0")},
    {"m1=0 m2=0", {.replicas = 9, D, .targets = "m2=8", FRESH}, LACKING("do fresh scale", "8")},
    {"m1=0 m2=0", {.replicas = 3, D, .targets = "m2=8"}, "m2:3"}, /* shrinking needs no capacity */
    {"m1=6 m2=3", {.replicas = 9, A}, "m1:6 m2:3"},
    {THREE, {.replicas = 3, D, .targets = "m1=2 m2=-1"}, "m1:3"}, /* 0 in the end: not listed */
};

START_TEST(test_assignments) {
  ck_assert_str_eq(schedule_pods(rows[_i].pods, &rows[_i].binding, NULL), rows[_i].answer);
}
END_TEST

#define TWO_FULL "m1=2147483646 m2=2147483646"

/* With the reference's 32-bit sums, then with true sums. */
static const struct {
  const char *pods;
  struct test_binding binding;
  const char *wrapped;
  const char *exact;
} sums[] = {
    {TWO_FULL, {.replicas = 5, D}, LACKING("scale up", "-4"), "m1:3 m2:2"},
    {TWO_FULL " m3=2147483646", {.replicas = 5, D}, "m1:2 m2:2 m3:1", "m1:2 m2:2 m3:1"},
    /* scaled to zero, fresh: the sum of 2^31 - 1 for each candidate */
    {"m1=1 m2=1", {.replicas = 0, D, FRESH}, LACKING("do fresh scale", "-2"), ""},
    {"m1=1 m2=1 m3=1", {.replicas = 0, D, FRESH}, "", ""},
    /* 2^31 + 4 are missing: the reference divides a negative number */
    {"m1=9", {.replicas = INT32_MAX, D, .targets = "m1=-5"}, "", LACKING("scale up", "9")},
};

START_TEST(test_wrapping_sums) {
  ck_assert_str_eq(schedule_pods(sums[_i].pods, &sums[_i].binding, with_option(REBAL_OPTION_INT32_WRAP, 1)),
                   sums[_i].wrapped);
  ck_assert_str_eq(schedule_pods(sums[_i].pods, &sums[_i].binding, NULL), sums[_i].exact);
}
END_TEST

/* Raising the total never lowers a cluster (karmada #6735, #6793): each step starts from the answer before. */
START_TEST(test_growth_lowers_none) {
  static const struct test_placement *const placements[] = {&aggregated, &dynamic_weight};
  char targets[128] = "";
  int before[3] = {0, 0, 0};

  for (int replicas = 1; replicas <= 18; replicas++) {
    const struct test_binding binding = {.replicas = replicas,
                                         .request = "",
                                         .placement = placements[_i % 2],
                                         .uid = _i < 2 ? "a" : "b",
                                         .targets = targets};
    int sum = 0;

    strcpy(targets, schedule_pods("m1=18 m2=18 m3=18", &binding, NULL));
    for (int i = 0; i < 3; i++) {
      char name[] = "m0:";
      const char *at;
      int now;

      name[1] = (char)('1' + i);
      at = strstr(targets, name);
      now = at == NULL ? 0 : atoi(at + 3);
      ck_assert_int_ge(now, before[i]);
      before[i] = now;
      sum += now;
    }
    ck_assert_int_eq(sum, replicas);
    for (char *at = targets; *at != '\0'; at++) {
      *at = *at == ':' ? '=' : *at;
    }
  }
}
END_TEST

/* Clusters with more in use than available never scale without end (KubeAdmiral #96). */
START_TEST(test_negative_capacity_is_none) {
  static const struct test_cluster clusters[] = {{"m1", "pods=5 cpu=1", "pods=9 cpu=4"}, {"m2", "pods=3 cpu=9"}};
  static const struct test_binding rows_of_capacity[] = {{.replicas = 3, A}, {.replicas = 4, D}};
  static const char *const answers[] = {"m2:3", LACKING("scale up", "3")};

  ck_assert_str_eq(schedule_clusters(clusters, 2, &rows_of_capacity[_i], NULL), answers[_i]);
}
END_TEST

UNIT_CASE(assign_dynamic) {
  TCase *cases = tcase_create("assign_dynamic");

  tcase_add_loop_test(cases, test_assignments, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_wrapping_sums, 0, (int)REBALI_COUNT(sums));
  tcase_add_loop_test(cases, test_growth_lowers_none, 0, 4);
  tcase_add_loop_test(cases, test_negative_capacity_is_none, 0, 2);
  return cases;
}
