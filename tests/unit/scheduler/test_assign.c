/* SPDX-License-Identifier: MIT */
/*
 * Strategies without history: the measured answers of rebalance-karmada(7) 7.11, and when nothing is assigned (7.1,
 * 12.1).
 */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

static const struct test_placement one_to_three = {.scheduling = "Divided/Weighted", .weights = "m1=1 m2=3"};
static const struct test_placement one_to_two = {.scheduling = "Divided/Weighted", .weights = "m1=1 m2=2"};
static const struct test_placement zeros = {.scheduling = "Divided/Weighted", .weights = "m1=0 m2=0 m3=0"};
static const struct test_placement negative = {.scheduling = "Divided/Weighted", .weights = "m1=-1 m2=2"};
static const struct test_placement huge = {.scheduling = "Divided/Weighted", .weights = "*=4611686018427387904"};
static const struct test_placement no_list = {.scheduling = "Divided/Weighted", .weights = ""};
static const struct test_placement overlapping = {.scheduling = "Divided/Weighted", .weights = "*=1 m2+m3=2 m3=5 m2=1"};
static const struct test_placement no_preference = {.scheduling = "Divided"};
static const struct test_placement odd_type = {.scheduling = "Odd/Weighted"};
static const struct test_placement no_scheduling = {0};
static const struct test_placement both = {.scheduling = "Divided/Weighted/AvailableReplicas", .weights = "m1=1"};

#define THREE "m1=10 m2=5 m3=3"
#define UNSUPPORTED(type, preference)                                                                       \
  "error: failed to assign replicas: unsupported replica scheduling strategy, replicaSchedulingType: " type \
  ", replicaDivisionPreference: " preference ", please try another scheduling strategy"

static const struct {
  const char *pods;
  struct test_binding binding;
  const char *answer;
} rows[] = {
    {THREE, {.replicas = 9, .request = "", .placement = &one_to_three}, "m1:2 m2:7"},
    {THREE, {.replicas = 10, .request = "", .placement = &one_to_two}, "m1:3 m2:7"},
    {THREE, {.replicas = 10, .request = "", .placement = &zeros}, "m1:4 m2:3 m3:3"},
    {THREE, {.replicas = 10, .request = "", .placement = &zeros, .uid = "b"}, "m1:3 m2:3 m3:4"},
    {THREE, {.replicas = 4, .request = "", .placement = &equal_weight}, "m1:2 m2:1 m3:1"},
    {THREE, {.replicas = 4, .request = "", .placement = &equal_weight, .uid = "b"}, "m1:1 m2:1 m3:2"},
    {THREE, {.replicas = 6, .request = "", .placement = &negative}, "m2:6"},
    {"m1=1 m2=1 m3=1 m4=1", {.replicas = 6, .request = "", .placement = &huge}, "m1:2 m2:2 m3:1 m4:1"},
    {THREE, {.replicas = 4, .request = "", .placement = &no_list}, "m1:2 m2:1 m3:1"},
    {THREE, {.replicas = 8, .request = "", .placement = &overlapping}, "m1:1 m2:2 m3:5"},
    {THREE, {.replicas = 2, .request = "", .placement = &equal_weight}, "m1:1 m2:1"},
    {"m1=0 m2=0", {.replicas = 2, .request = "", .placement = &equal_weight}, "m1:1 m2:1"}, /* ignores capacity */
    {THREE, {.replicas = 9, .request = "", .placement = &one_to_three, .targets = "m3=9"}, "m1:2 m2:7"},
    {THREE, {.replicas = 3, .request = "", .placement = &duplicated}, "m1:3 m2:3 m3:3"},
    {THREE, {.replicas = 3, .request = "", .placement = &no_scheduling}, "m1:3 m2:3 m3:3"},
    {THREE, {.replicas = 0, .request = "", .placement = &duplicated}, ""},
    {THREE, {.replicas = 0, .placement = &duplicated}, "m1:0 m2:0 m3:0"},
    {THREE, {.replicas = 3, .placement = &duplicated, .targets = "m3=3"}, "m3:3 m1:3 m2:3"}, /* order of 5.2 */
    {THREE, {.replicas = 0, .placement = &no_preference}, "m1:0 m2:0 m3:0"},
    {THREE, {.replicas = 4, .components = "a=2 b=2", .placement = &aggregated}, "m1:0 m2:0 m3:0"},
    {THREE, {.replicas = 4, .components = "a=4", .placement = &aggregated}, "m1:4"},
    {THREE, {.replicas = 5, .request = "", .placement = &no_preference}, UNSUPPORTED("Divided", "")},
    {THREE, {.replicas = 5, .request = "", .placement = &odd_type}, UNSUPPORTED("Odd", "Weighted")},
    {THREE, {.replicas = 12, .request = "", .placement = &both}, "m1:7 m2:3 m3:2"}, /* the list is ignored */
};

START_TEST(test_assignments) {
  ck_assert_str_eq(schedule_pods(rows[_i].pods, &rows[_i].binding, NULL), rows[_i].answer);
}
END_TEST

START_TEST(test_negative_replicas_are_refused_at_the_door) {
  struct test_world world;
  uint32_t row;

  test_world_open(&world, NULL);
  ck_assert_int_eq(
      rebal_cells_add(rebal_bindings_cells(world.bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_bindings_cells(world.bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, row, -5, NULL),
      REBAL_ERANGE);
  test_world_close(&world);
}
END_TEST

START_TEST(test_a_long_strategy_is_named_in_full) {
  char type[600];
  char answer[2000];
  const struct test_placement placement = {.scheduling = type};
  const struct test_binding binding = {.replicas = 5, .request = "", .placement = &placement};

  memset(type, 'x', sizeof type - 1);
  type[sizeof type - 1] = '\0';
  (void)snprintf(answer, sizeof answer, UNSUPPORTED("%s", ""), type);
  ck_assert_str_eq(schedule_pods(THREE, &binding, NULL), answer);
}
END_TEST

START_TEST(test_too_many_seats) {
  const struct test_binding binding = {.replicas = 10000001, .request = "", .placement = &equal_weight};

  ck_assert_str_eq(schedule_pods(THREE, &binding, NULL),
                   "error: failed to assign replicas: 10000001 replicas, but at most 10000000 are divided");
}
END_TEST

UNIT_CASE(assign) {
  TCase *cases = tcase_create("assign");

  tcase_add_loop_test(cases, test_assignments, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_negative_replicas_are_refused_at_the_door);
  tcase_add_test(cases, test_a_long_strategy_is_named_in_full);
  tcase_add_test(cases, test_too_many_seats);
  return cases;
}
