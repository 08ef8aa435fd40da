/* SPDX-License-Identifier: MIT */
/*
 * Scores decide which regions are selected; the rest is filled in the order of clusters (rebalance-karmada(7) 5.5,
 * 5.6).
 */
#include "phases_fixture.h"

#include "../unit.h"

#include <stdio.h>

#define IN(region_, name_, pods_) {name_, "pods=" pods_, .region = region_}

static const struct test_cluster regions[] = {
    IN("A", "a1", "4"), IN("A", "a2", "4"), IN("B", "b1", "6"), IN("C", "c1", "9"), IN("C", "c2", "1"),
};

static const struct {
  const char *spreads;
  const char *scheduling;
  int64_t replicas;
  const char *targets;
  const char *selected;
} rows[] = {
    /* the share of a region is 6: A reaches it with two clusters, B and C with one; ties are broken by name */
    {"region:1:1", "Divided/Aggregated", 6, NULL, "a1"},
    {"region:1:1", "Divided/Aggregated", 9, NULL, "c1"},
    {"region:1:1 cluster:1:2", "Divided/Aggregated", 9, NULL, "c1 c2"},
    {"region:2:2", "Divided/Aggregated", 14, NULL, "a1 c1"},   /* ceil(14 / 2): A 7000, C 7000, B 6000 */
    {"region:2:2", "Divided/Aggregated", 14, "b1=1", "b1 a1"}, /* B has 7 now and 7100 */
    {"region:1:1", "Divided/Aggregated", 6, "b1=1", "b1"},
    {"region:1:1", "Divided/Aggregated", 6, "c2=0", "c2"}, /* C: c2 first, then c1: 6000 + 100 / 2, most of all */
    {"region:1:1 cluster:2:2", "Divided/Aggregated", 9, NULL, "c1 c2"}, /* B alone has too few clusters */
    {"region:1:2 cluster:5:5", "Divided/Aggregated", 9, NULL,
     "failed to select clusters: the number of clusters is less than the cluster spreadConstraint.MinGroups"},
    {"region:1:2 cluster:4:4", "Divided/Aggregated", 9, NULL, "c1 a1 a2 c2"},
    /* Duplicated: clusters that hold all replicas count */
    {"region:1:1", "Duplicated", 5, NULL, "c1"}, /* B and C 1000 each: the larger one */
    {"region:1:1", "Duplicated", 4, NULL, "a1"},
    {"region:1:1", "Duplicated", 9, NULL, "c1"},
    {"region:1:1", "Duplicated", 10, NULL, "a1"}, /* no cluster holds all: scores of 0 */
    {"region:1:1 cluster:1:2", "Duplicated", 4, NULL, "a1 a2"},
};

START_TEST(test_regions) {
  const struct test_placement placement = {.spreads = rows[_i].spreads, .scheduling = rows[_i].scheduling};
  const struct test_binding binding = {
      .replicas = rows[_i].replicas, .request = "", .placement = &placement, .targets = rows[_i].targets};
  struct phases_fixture fixture;

  phases_open(&fixture, regions, 5, &binding);
  phases_run(&fixture, 3);
  ck_assert_str_eq(phases_candidates(&fixture), rows[_i].selected);
  phases_close(&fixture);
}
END_TEST

START_TEST(test_too_many_regions_to_search) {
  struct test_world world;
  char names[21][2][8];
  static const struct test_placement placement = {.spreads = "region:1:2", .scheduling = "Duplicated"};
  const struct test_binding binding = {.replicas = 1, .request = "", .placement = &placement};

  test_world_open(&world, NULL);
  for (int i = 0; i < 21; i++) {
    struct test_cluster cluster = {names[i][0], "pods=5", .region = names[i][1]};

    (void)snprintf(names[i][0], sizeof names[i][0], "m%c", 'a' + i);
    (void)snprintf(names[i][1], sizeof names[i][1], "r%c", 'a' + i);
    (void)test_add_cluster(&world, &cluster);
  }
  (void)test_add_binding(&world, NULL, &binding);
  test_freeze(&world);
  ck_assert_str_eq(test_schedule(&world, NULL, 0),
                   "error: failed to select clusters: 21 regions, but at most 20 can be searched for the best subset");
  test_world_close(&world);
}
END_TEST

UNIT_CASE(select_region) {
  TCase *cases = tcase_create("select_region");

  tcase_add_loop_test(cases, test_regions, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_too_many_regions_to_search);
  return cases;
}
