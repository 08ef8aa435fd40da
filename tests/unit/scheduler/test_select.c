/* SPDX-License-Identifier: MIT */
/*
 * Which clusters are selected: the measured answers of rebalance-karmada(7) 7.11; when constraints are ignored (5.1,
 * 5.3).
 */
#include "phases_fixture.h"

#include "../unit.h"

/* Clusters a and b are in use; available: a40 b30 c60 d10 e55. */
static const struct test_cluster five[] = {
    {"a", "pods=40", .region = "R1"}, {"b", "pods=30", .region = "R1"}, {"c", "pods=60", .region = "R2"},
    {"d", "pods=10", .region = "R2"}, {"e", "pods=55", .region = "R3"},
};

#define CLUSTERS "the number of clusters is less than the cluster spreadConstraint.MinGroups"

static const struct {
  const char *spreads;
  const char *scheduling;
  const char *weights;
  int64_t replicas;
  const char *selected;
} rows[] = {
    {NULL, "Divided/Aggregated", NULL, 80, "a b c e d"},
    {"cluster:1:2", "Divided/Aggregated", NULL, 80, "a c"},
    {"cluster:1:2", "Divided/Aggregated", NULL, 100, "a c"},
    {"cluster:1:2", "Divided/Aggregated", NULL, 116,
     "failed to select clusters: no enough resource when selecting 2 clusters"},
    {"cluster:1:2", "Duplicated", NULL, 80, "a b"},
    {"cluster:1", "Divided/Aggregated", NULL, 80,
     "failed to select clusters: no enough resource when selecting 0 clusters"},
    {"cluster:6:6", "Divided/Aggregated", NULL, 80,
     "failed to select clusters: the number of feasible clusters is less than spreadConstraint.MinGroups"},
    {"cluster:6:6", "Duplicated", NULL, 80,
     "failed to select clusters: the number of feasible clusters is less than spreadConstraint.MinGroups"},
    {"region:2:2 cluster:2:3", "Divided/Aggregated", NULL, 80, "a c b"},
    {"region:2:2 cluster:2:3", "Duplicated", NULL, 30, "a c b"},
    {"region:1:3 cluster:4:5", "Divided/Aggregated", NULL, 80, "a c b d"},
    {"region:1 cluster:1:5", "Divided/Aggregated", NULL, 80, "failed to select clusters: " CLUSTERS},
    {"region:2:2", "Divided/Aggregated", NULL, 80, "a c"},
    {"region:3:3 cluster:1:2", "Divided/Aggregated", NULL, 80, "a c e"}, /* more than the requested clusters */
    {"region:4:4 cluster:1:4", "Divided/Aggregated", NULL, 80,
     "failed to select clusters: the number of feasible region is less than spreadConstraint.MinGroups"},
    {"region:4:4 cluster:1:4", "Duplicated", NULL, 80,
     "failed to select clusters: the number of feasible region is less than spreadConstraint.MinGroups"},
    /* staticIgnore */
    {"cluster:1:2", "Divided/Weighted", NULL, 80, "a b c e d"},
    {"cluster:1:2", "Divided/Weighted", "a=1", 80, "a b c e d"},
    {"cluster:1:2", "Divided/Weighted", "", 80, "a c"}, /* static, yet not ignored */
    {"cluster:1:2", "Divided/Weighted/AvailableReplicas", "a=1", 80, "a c"},
    {"cluster:1:2", "Divided", NULL, 80, "a c"},
    /* the last of a field, and fields that select nothing */
    {"cluster:6:6 cluster:1:1", "Duplicated", NULL, 80, "a"},
    {"region:3:3 region:1:1 cluster:1:1", "Duplicated", NULL, 1, "a"},
    {"rack:1:1", "Duplicated", NULL, 80,
     "failed to select clusters: just support cluster and region spread constraint"},
    {"rack:1:1 cluster:1:1", "Duplicated", NULL, 80, "a"},
    {"cluster::2", "Duplicated", NULL, 80, "a b"},
    {"region:0:1 cluster:1:5", "Divided/Aggregated", NULL, 80, "a b"}, /* a minimum of 0 scores as 1 */
};

START_TEST(test_selections) {
  const struct test_placement placement = {
      .spreads = rows[_i].spreads, .scheduling = rows[_i].scheduling, .weights = rows[_i].weights};
  const struct test_binding binding = {
      .replicas = rows[_i].replicas, .request = "", .placement = &placement, .targets = "a=0 b=0"};
  struct phases_fixture fixture;

  phases_open(&fixture, five, 5, &binding);
  phases_run(&fixture, 3);
  ck_assert_str_eq(phases_candidates(&fixture), rows[_i].selected);
  phases_close(&fixture);
}
END_TEST

START_TEST(test_no_maximum_selects_nothing) {
  static const struct test_placement placement = {.scheduling = "Duplicated", .spreads = "cluster:1"};
  static const struct test_binding binding = {.replicas = 1, .request = "", .placement = &placement};

  ck_assert_str_eq(schedule_clusters(five, 5, &binding, NULL),
                   "error: failed to assign replicas: no clusters available to schedule");
}
END_TEST

START_TEST(test_other_properties_only_filter) {
  static const struct test_cluster zoned[] = {
      {"a", "pods=4", .zones = "z", .provider = "p"}, {"b", "pods=4", .zones = "z", .provider = "p"}, {"c", "pods=4"}};
  static const struct test_placement placement = {.scheduling = "Duplicated",
                                                  .spreads = "zone:1:1 provider:1:1 cluster:1:9"};
  static const struct test_placement alone = {.scheduling = "Duplicated", .spreads = "zone:1:1"};
  struct test_binding binding = {.replicas = 1, .request = "", .placement = &placement};

  ck_assert_str_eq(schedule_clusters(zoned, 3, &binding, NULL), "a:1 b:1");
  binding.placement = &alone;
  ck_assert_str_eq(schedule_clusters(zoned, 3, &binding, NULL),
                   "error: failed to select clusters: just support cluster and region spread constraint");
}
END_TEST

UNIT_CASE(select) {
  TCase *cases = tcase_create("select");

  tcase_add_loop_test(cases, test_selections, 0, (int)REBALI_COUNT(rows));
  tcase_add_test(cases, test_no_maximum_selects_nothing);
  tcase_add_test(cases, test_other_properties_only_filter);
  return cases;
}
