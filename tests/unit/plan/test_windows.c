/* SPDX-License-Identifier: MIT */
/* How much other charges may change the capacity without deciding a binding again. */
#include "lose.h"

#include <stdio.h>

static const struct test_cluster clusters[] = {
    {"x", "cpu=20 pods=1000"},
    {"u1", "cpu=12 pods=100", .region = "us"},
    {"e1", "cpu=10 pods=100", .region = "eu"},
    {"e2", "cpu=9 pods=100", .region = "eu"},
    {"big", "pods=3000000000", .region = "ap"},
};
#define MORE_CLUSTERS 16 /* without a summary */

static const struct test_affinity x_or_u1 = {.clusters = "x u1"}, x_or_e1 = {.clusters = "x e1"},
                                  x_or_big = {.clusters = "x big"}, u1_or_e1 = {.clusters = "u1 e1"},
                                  u1_or_big = {.clusters = "u1 big"}, all_three = {.clusters = "u1 e1 e2"},
                                  in_eu = {.clusters = "e1 e2"};
static const struct test_affinity then_e1 = {.clusters = "e1"}, then_e2 = {.clusters = "e2"};
/* Tiers without a name: candidates of the second one come last, and are not a tier of the assignment. */
static const struct test_affinity u1_then_e1 = {.clusters = "u1", .overflow = &then_e1, .n_overflow = 1},
                                  u1_e1_then_e2 = {.clusters = "u1 e1", .overflow = &then_e2, .n_overflow = 1};
static const struct test_placement to_u1 = {.scheduling = "Divided/Aggregated", .affinity = &x_or_u1},
                                   to_e1 = {.scheduling = "Divided/Aggregated", .affinity = &x_or_e1},
                                   to_big = {.scheduling = "Divided/Aggregated", .affinity = &x_or_big};

static int64_t cell(const struct test_world *world, uint32_t column, size_t row) {
  return rebal_result_i64(world->result, column, NULL)[row];
}

#define ONE "cluster:1:1"
#define REGION "region:1:1 cluster:1:2"
#define COPIES "Duplicated"
#define STATIC "Divided/Weighted"
#define AGGREGATED "Divided/Aggregated"

/* Without x three replicas go to u1 (or to that of before), before the binding of this case is examined. */
static const struct {
  const struct test_placement *before;
  struct test_placement placement;
  int64_t replicas;
  const char *targets;
  uint32_t option;  /* set to 1 */
  int is_preferred; /* e1 is, by a score of the caller as high as that of a target */
  int64_t decided, affected;
} cases[] = {
    /* copies: a target is selected whatever fits; without a target the cluster with the most capacity */
    {&to_u1, {.affinity = &u1_or_e1, .scheduling = COPIES, .spreads = ONE}, 2, "u1=2", 0, 0, 1, 1},
    {&to_u1, {.affinity = &u1_or_e1, .scheduling = COPIES, .spreads = ONE}, 2, "", 0, 0, 2, 2},
    {&to_u1, {.affinity = &u1_or_e1, .scheduling = COPIES, .spreads = REGION}, 2, "u1=2", 0, 0, 2, 1},
    /* static weights: targets that hold all replicas are not exchanged, unless capacity limits weights */
    {&to_u1, {.affinity = &u1_or_e1, .scheduling = STATIC, .weights = "", .spreads = ONE}, 4, "u1=4", 0, 0, 1, 1},
    {&to_u1, {.affinity = &u1_or_e1, .scheduling = STATIC, .weights = "", .spreads = ONE}, 4, "u1=2", 0, 0, 2, 1},
    {&to_u1, {.affinity = &u1_or_e1, .scheduling = STATIC, .weights = "", .spreads = ONE}, 4, "u1=4", 0, 1, 2, 1},
    {&to_u1,
     {.affinity = &u1_or_e1, .scheduling = STATIC, .weights = "", .spreads = ONE},
     4,
     "u1=4",
     REBAL_OPTION_STATIC_WEIGHT_CAPACITY,
     0,
     2,
     1},
    /* another cluster may have the score of a target */
    {&to_u1, {.affinity = &u1_or_e1, .scheduling = AGGREGATED, .spreads = ONE}, 4, "u1=4", 0, 0, 1, 1},
    {&to_u1, {.affinity = &u1_or_e1, .scheduling = AGGREGATED, .spreads = ONE}, 4, "u1=4", 0, 1, 2, 1},
    /* there are fewer slots than targets */
    {&to_u1, {.affinity = &u1_or_e1, .scheduling = AGGREGATED, .spreads = ONE}, 4, "u1=4 e1=1", 0, 0, 2, 1},
    /* of all clusters */
    {&to_u1, {.scheduling = AGGREGATED, .spreads = ONE}, 4, "u1=4", 0, 0, 1, 1},
    {&to_u1, {.scheduling = COPIES, .spreads = ONE}, 2, "u1=2", 0, 0, 1, 1},
    {&to_u1, {.scheduling = COPIES, .spreads = ONE}, 2, "", 0, 0, 2, 2},
    /* tiers */
    {&to_u1, {.terms = &u1_then_e1, .n_terms = 1, .scheduling = AGGREGATED, .spreads = ONE}, 4, "u1=4", 0, 1, 1, 1},
    /* a region keeps its score as long as capacity is left, unless its first clusters are of two tiers */
    {&to_e1, {.affinity = &all_three, .scheduling = AGGREGATED, .spreads = REGION}, 12, "u1=12", 0, 0, 1, 1},
    {&to_e1,
     {.terms = &u1_e1_then_e2, .n_terms = 1, .scheduling = AGGREGATED, .spreads = REGION},
     12,
     "u1=12",
     0,
     0,
     2,
     1},
    /* regions */
    {&to_u1,
     {.affinity = &all_three, .scheduling = AGGREGATED, .spreads = "region:1:1 cluster:0:2"},
     4,
     "e1=4",
     0,
     0,
     1,
     1},
    /* big has no limit that could be stated */
    {&to_big, {.affinity = &u1_or_big, .scheduling = AGGREGATED, .spreads = REGION}, 4, "u1=4", 0, 0, 2, 1},
};

static void open_world(struct test_world *world, size_t i) {
  const char *const request = cases[i].before == &to_big ? NULL : "cpu=1";
  const struct test_binding bindings[] = {
      {"a/b", .replicas = 3, .request = request, .placement = cases[i].before, .targets = "x=3"},
      {"a/c", .replicas = cases[i].replicas, .request = request, .placement = &cases[i].placement,
       .targets = cases[i].targets}};

  test_world_open(world, NULL);
  for (size_t c = 0; c < sizeof clusters / sizeof clusters[0]; c++) {
    (void)test_add_cluster(world, &clusters[c]);
  }
  for (int c = 0; c < MORE_CLUSTERS; c++) {
    char name[32];

    (void)snprintf(name, sizeof name, "f%d", c);
    (void)test_add_cluster(world, &(struct test_cluster){name});
  }
  (void)test_add_binding(world, NULL, &bindings[0]);
  (void)test_add_binding(world, NULL, &bindings[1]);
  test_freeze(world);
}

START_TEST(test_who_is_decided_anew) {
  static const int64_t scores[] = {0, 0, 100};
  rebal_compat *compat = test_compat(cases[_i].option, 1);
  const rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule,
                                        .compat = compat,
                                        .extra_score = cases[_i].is_preferred ? scores : NULL,
                                        .extra_clusters = cases[_i].is_preferred ? 3 : 0};
  struct test_world world;

  open_world(&world, (size_t)_i);
  lose(&world, 0, &schedule);
  ck_assert_int_eq(cell(&world, REBAL_SWEPT_DECIDED, 0), cases[_i].decided);
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_AFFECTED), (size_t)cases[_i].affected);
  test_world_close(&world);
  rebal_compat_free(compat);
}
END_TEST

/* If a cluster without a summary may state amounts, or one has models, there are no windows. */
START_TEST(test_amounts_that_are_hidden) {
  static const struct test_cluster modelled = {"m1", .allocatable = "cpu=10 pods=100", .models = "0:cpu=0 1:cpu=2",
                                               .modelings = "1=5"};
  static const struct test_placement elsewhere = {.scheduling = AGGREGATED, .affinity = &in_eu};
  static const struct test_binding bindings[] = {
      {"a/b", .replicas = 3, .request = "cpu=1", .placement = &to_u1, .targets = "x=3"},
      {"a/c", .replicas = 2, .request = "cpu=1", .placement = &elsewhere, .targets = "e1=1"}};
  struct test_world world;

  for (int i = 0; i < 3; i++) {
    test_world_open(&world, NULL);
    for (size_t c = 0; c < sizeof clusters / sizeof clusters[0]; c++) {
      (void)test_add_cluster(&world, &clusters[c]);
    }
    (void)test_add_binding(&world, NULL, &bindings[0]);
    (void)test_add_binding(&world, NULL, &bindings[1]);
    if (i == 2) {
      (void)test_add_cluster(&world, &modelled);
    } else if (i == 1) {
      ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_HAS_SUMMARY, REBAL_NONE,
                                           test_cluster_id(&world, "big"), 0, NULL),
                       REBAL_OK);
    }
    test_freeze(&world);
    lose(&world, 0, NULL);
    ck_assert_int_eq(cell(&world, REBAL_SWEPT_DECIDED, 0), i == 0 ? 1 : 2);
    ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_AFFECTED), 1);
    test_world_close(&world);
  }
}
END_TEST

UNIT_CASE(windows) {
  TCase *tests = tcase_create("windows");
  tcase_add_loop_test(tests, test_who_is_decided_anew, 0, sizeof cases / sizeof cases[0]);
  tcase_add_test(tests, test_amounts_that_are_hidden);
  return tests;
}
