/* SPDX-License-Identifier: MIT */
/* The utilization of clusters with a loss: the usage of each resource by bindings and sets. */
#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "../unit.h"

#include <stdio.h>

static const struct test_placement divided = {.scheduling = "Divided/Weighted/AvailableReplicas"};
static const struct test_placement copies = {.scheduling = "Duplicated"};
static const struct test_placement even = {.scheduling = "Divided/Weighted", .weights = "*=1"};

/* Sweeps over all clusters; returns the fullest one with the loss of the first one as text. */
static const char *fullest_without_m1(const struct test_cluster *clusters, size_t n,
                                      const struct test_binding *bindings, size_t n_bindings) {
  static char text[64];
  struct test_world world;
  int64_t cluster;

  test_world_open(&world, NULL);
  for (size_t i = 0; i < n; i++) {
    (void)test_add_cluster(&world, &clusters[i]);
  }
  for (size_t i = 0; i < n_bindings; i++) {
    (void)test_add_binding(&world, NULL, &bindings[i]);
  }
  test_freeze(&world);
  ck_assert_int_eq(rebal_sweep(world.ctx, world.snapshot, world.bindings, NULL, world.result, &world.err), REBAL_OK);
  cluster = rebal_result_i64(world.result, REBAL_SWEPT_FULLEST, NULL)[0];
  (void)snprintf(text, sizeof text, "%s %s %d",
                 cluster == REBAL_ABSENT ? "-" : test_cluster_name(world.snapshot, (uint32_t)cluster),
                 rebal_result_text(world.result, REBAL_SWEPT_RESOURCE, 0, NULL),
                 (int)rebal_result_i64(world.result, REBAL_SWEPT_FULL, NULL)[0]);
  test_world_close(&world);
  return text;
}

/* No cluster counts pods, and none has the requested device, which static weights ignore. */
START_TEST(test_resources_that_are_not_counted) {
  static const struct test_cluster clusters[] = {{"m1", "cpu=10"}, {"m2", "cpu=10"}, {"m3", "cpu=10"}};
  static const struct test_binding binding = {"a/b", .replicas = 6, .request = "cpu=1 example.com/gpu=1",
                                              .placement = &even, .targets = "m1=2 m2=2 m3=2"};

  /* m2 and m3 have three each: one more than the summaries count */
  ck_assert_str_eq(fullest_without_m1(clusters, 3, &binding, 1), "m2 cpu 100");
}
END_TEST

START_TEST(test_clusters_without_amounts) {
  static const struct test_cluster clusters[] = {{"m1"}, {"m2"}};
  static const struct test_binding binding = {"a/b", .replicas = 2, .placement = &even, .targets = "m1=1 m2=1"};

  ck_assert_str_eq(fullest_without_m1(clusters, 2, &binding, 1), "-  0");
}
END_TEST

/* Forty requests, each in a record of its own: one replica each leaves m1 for m2. */
START_TEST(test_many_different_requests) {
  static const struct test_cluster clusters[] = {{"m1", "cpu=1000 pods=100"}, {"m2", "cpu=1000 pods=100"}};
  struct test_binding bindings[40];
  char keys[40][32], requests[40][32];

  for (int i = 0; i < 40; i++) {
    (void)snprintf(keys[i], sizeof keys[i], "a/b%d", i);
    (void)snprintf(requests[i], sizeof requests[i], "cpu=%d", i + 1);
    bindings[i] =
        (struct test_binding){keys[i], .replicas = 1, .request = requests[i], .placement = &divided, .targets = "m1=1"};
  }
  ck_assert_str_eq(fullest_without_m1(clusters, 2, bindings, 40), "m2 cpu 820"); /* 40 x 41 / 2 */
}
END_TEST

/* The replicas of a set with one component are divided, like those of a workload. */
START_TEST(test_a_set_of_one_component_is_divided) {
  static const struct test_cluster clusters[] = {{"m1", "cpu=10 pods=10"}, {"m2", "cpu=10 pods=10"}};
  static const struct test_placement one = {.scheduling = "Divided/Aggregated", .spreads = "cluster:1:1"};
  static const struct test_binding binding = {
      "a/b", .replicas = 3, .request = "cpu=1", .placement = &one, .components = "worker=3", .targets = "m1=3"};
  rebal_compat *gate = test_compat(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  const rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule, .compat = gate};
  const rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts, .schedule = &schedule};
  struct test_world world;

  test_world_open(&world, NULL);
  test_world_fill(&world, clusters, 2, &binding);
  ck_assert_int_eq(rebal_sweep(world.ctx, world.snapshot, world.bindings, &opts, world.result, &world.err), REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_SWEPT_MOVED, NULL)[0], 3);
  ck_assert_int_eq(rebal_result_i64(world.result, REBAL_SWEPT_FULL, NULL)[0], 300);
  test_world_close(&world);
  rebal_compat_free(gate);
}
END_TEST

static int32_t sweep_with(const rebal_allocator *allocator, void *user_data) {
  const struct test_world *world = user_data;
  rebal_compat *gate = test_compat(REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1);
  const rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule, .compat = gate};
  const rebal_sweep_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .flags = REBAL_SWEEP_FLAG_BINDINGS, .schedule = &schedule};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_sweep(ctx, world->snapshot, world->bindings, &opts, result, NULL) : code;
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_compat_free(gate);
  return code;
}

/* Sets that move to another cluster, and copies, which need not be decided again. */
START_TEST(test_no_memory) {
  static const struct test_cluster clusters[] = {{"m1", "cpu=10 pods=100"}, {"m2", "cpu=10 pods=100"}};
  static const struct test_placement one = {.spreads = "cluster:1:1"};
  static const struct test_binding bindings[] = {
      {"a/b", .placement = &one, .components = "driver=1 worker=3", .targets = "m1=0"},
      {"a/c", .replicas = 2, .placement = &copies, .targets = "m1=2 m2=2"},
  };
  struct test_world world;

  for (size_t i = 0; i < 2; i++) {
    test_world_open(&world, NULL);
    (void)test_add_binding(&world, NULL, &bindings[i]);
    for (uint32_t component = 0; i == 0 && component < 2; component++) {
      ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(world.bindings), REBAL_COMPONENT_REQUIREMENTS,
                                           REBAL_NONE, component, test_request_handle(&world, "cpu=1"), NULL),
                       REBAL_OK);
    }
    for (size_t c = 0; c < 2; c++) {
      (void)test_add_cluster(&world, &clusters[c]);
    }
    test_freeze(&world);
    ck_assert_pstr_eq(test_torture(sweep_with, &world), NULL);
    test_world_close(&world);
  }
}
END_TEST

UNIT_CASE(use) {
  TCase *cases = tcase_create("use");
  tcase_add_test(cases, test_resources_that_are_not_counted);
  tcase_add_test(cases, test_clusters_without_amounts);
  tcase_add_test(cases, test_many_different_requests);
  tcase_add_test(cases, test_a_set_of_one_component_is_divided);
  tcase_add_test(cases, test_no_memory);
  return cases;
}
