/* SPDX-License-Identifier: MIT */
/* Estimates by nodes follow the fleet. */
#include "estimating.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

static const rebal_estimate_opts by_nodes = {(uint32_t)sizeof(rebal_estimate_opts), REBAL_ESTIMATE_FLAG_NODES, NULL,
                                             NULL};

static struct test_world world;
static uint32_t requirements;

static void open_world(void) {
  test_world_open(&world, NULL);
  for (size_t i = 0; i < 3; i++) {
    (void)test_add_cluster(&world, &(struct test_cluster){(const char *[]){"m1", "m2", "m3"}[i], "cpu=90 pods=90"});
  }
  requirements = test_request_handle(&world, "cpu=1 @d=s");
}

static void close_world(void) {
  test_world_close(&world);
}

static void set_node(uint32_t cluster, uint32_t number, const char *allocatable, const char *labels) {
  char name[24];

  (void)snprintf(name, sizeof name, "n%lu", (unsigned long)number);
  (void)test_set_node(&world, cluster, &(struct test_node){name, allocatable, labels});
}

/* Checks replicas and sets of two components, from the warm context and from a new one. */
static void expect(size_t row, int64_t replicas, int64_t sets) {
  const struct test_component pair[] = {{"cpu=1 @d=s", 1}, {"cpu=1 @d=s", 1}};
  rebal_ctx *warm = world.ctx;

  test_freeze(&world);
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(estimate_in(&world, requirements, &by_nodes, row), replicas);
    ck_assert_int_eq(estimate_set_in(&world, pair, 2, &by_nodes, row), sets);
    world.ctx = i == 0 ? test_context(NULL, 0, 0) : world.ctx;
  }
  rebal_ctx_free(world.ctx);
  world.ctx = warm;
}

START_TEST(test_clusters_without_nodes_have_no_opinion) {
  set_node(1, 0, "cpu=2 pods=2", "d=s");
  expect(0, REBAL_FITS_NO_OPINION, REBAL_FITS_NO_OPINION);
  expect(1, 2, 1);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 2, 1, NULL),
                   REBAL_OK);
  expect(2, 0, 0); /* known to have none */
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 1, 0, NULL),
                   REBAL_OK);
  expect(1, REBAL_FITS_NO_OPINION, REBAL_FITS_NO_OPINION);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 1, 1, NULL),
                   REBAL_OK);
  expect(1, 2, 1);
  ck_assert_int_eq(estimate_in(&world, requirements, NULL, 1), 90); /* summaries ignore nodes */
}
END_TEST

START_TEST(test_changes_of_nodes) {
  for (uint32_t i = 0; i < 200; i++) {
    set_node(0, i, "cpu=2 pods=9", i % 2 == 0 ? "d=s" : "d=h");
  }
  expect(0, 200, 100);
  set_node(0, 70, "cpu=7 pods=9", "d=s");
  expect(0, 205, 102);
  set_node(0, 70, "cpu=7 pods=9", "d=h");
  expect(0, 198, 99);
  set_node(0, 199, "cpu=7 pods=9", "d=s");
  set_node(0, 0, "cpu=7 pods=0", "d=s");
  expect(0, 203, 101);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_NODE, 0, &(const uint32_t){199}, 1, NULL),
      REBAL_OK);
  expect(0, 196, 98);
  set_node(0, 300, "cpu=4 pods=9", "d=s"); /* of a row that did not exist */
  expect(0, 200, 100);
}
END_TEST

START_TEST(test_nodes_listed_anew) {
  for (uint32_t i = 0; i < 200; i++) {
    set_node(0, i, "cpu=2 pods=9", "d=s");
  }
  expect(0, 400, 200);
  ck_assert_int_eq(rebal_fleet_clear_nodes(world.fleet, 0, NULL), REBAL_OK);
  set_node(0, 5, "cpu=3 pods=9", "d=s");
  expect(0, 3, 1);
  ck_assert_int_eq(rebal_fleet_clear_nodes(world.fleet, 0, NULL), REBAL_OK);
  expect(0, REBAL_FITS_NO_OPINION, REBAL_FITS_NO_OPINION);
  for (uint32_t i = 0; i < 150; i++) {
    set_node(0, i, "cpu=1 pods=9", "d=s");
  }
  expect(0, 150, 75);
}
END_TEST

START_TEST(test_clusters_come_and_go) {
  set_node(1, 0, "cpu=2 pods=2", "d=s");
  expect(1, 2, 1);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE,
                                      &(const uint32_t){1}, 1, NULL),
                   REBAL_OK);
  expect(1, REBAL_FITS_NO_OPINION, REBAL_FITS_NO_OPINION); /* m3 */
  ck_assert_uint_eq(rebal_result_count(world.result, REBAL_TABLE_ESTIMATE), 2);
  (void)test_add_cluster(&world, &(struct test_cluster){"m2"});
  expect(1, REBAL_FITS_NO_OPINION, REBAL_FITS_NO_OPINION);
  set_node(1, 0, "cpu=5 pods=4", "d=s");
  expect(1, 4, 2);
  (void)test_add_cluster(&world, &(struct test_cluster){"m0"});
  set_node(3, 0, "cpu=5 pods=5", "d=s");
  expect(0, 5, 2);
  expect(2, 4, 2);
}
END_TEST

START_TEST(test_an_unknown_resource) {
  uint32_t gpu;

  set_node(0, 0, "pods=2 cpu=9", "d=s");
  gpu = test_request_handle(&world, "example.com/gpu=1");
  test_freeze(&world);
  ck_assert_int_eq(estimate_in(&world, gpu, &by_nodes, 0), 0);
  set_node(0, 0, "pods=2 cpu=9 example.com/gpu=7", "d=s");
  test_freeze(&world);
  ck_assert_int_eq(estimate_in(&world, gpu, &by_nodes, 0), 2);
}
END_TEST

/* Snapshots in between do not matter: one leaf is examined, and no memory is allocated. */
START_TEST(test_many_snapshots_in_between) {
  rebal_ctx *const first = world.ctx;
  struct test_allocator memory;
  size_t requests = 0;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  world.ctx = test_context(&memory.functions, 0, 0);
  for (uint32_t i = 0; i < 200; i++) {
    set_node(0, i, "cpu=2 pods=9", "d=s");
  }
  test_freeze(&world);
  for (uint32_t i = 0; i < 5; i++) {
    ck_assert_int_eq(estimate_in(&world, requirements, &by_nodes, 0), i == 0 ? 400 : 402);
    ck_assert(i == 0 || memory.requests == requests);
    requests = memory.requests;
    for (uint32_t k = 0; k < 7; k++) {
      set_node(0, 70, k < 6 ? "cpu=1 pods=9" : "cpu=4 pods=9", "d=s");
      test_freeze(&world);
    }
  }
  rebal_ctx_free(world.ctx);
  world.ctx = first;
}
END_TEST

/* A cluster that changed in several snapshots is placed once, in the last one. */
START_TEST(test_sets_after_many_snapshots) {
  set_node(0, 0, "cpu=4 pods=9", "d=s");
  set_node(1, 0, "cpu=8 pods=9", "d=s");
  expect(0, 4, 2);
  for (uint32_t i = 0; i < 5; i++) {
    set_node(0, 0, i % 2 == 0 ? "cpu=6 pods=9" : "cpu=5 pods=9", "d=s");
    test_freeze(&world);
  }
  expect(0, 6, 3);
  expect(1, 8, 4);
}
END_TEST

START_TEST(test_fingerprints_distinguish_nodes_and_summaries) {
  const rebal_estimate_opts plain = {(uint32_t)sizeof plain, REBAL_ESTIMATE_FLAG_FINGERPRINT, NULL, NULL};
  const rebal_estimate_opts nodes = {(uint32_t)sizeof nodes,
                                     REBAL_ESTIMATE_FLAG_FINGERPRINT | REBAL_ESTIMATE_FLAG_NODES, NULL, NULL};
  uint64_t signs[2][2];

  test_freeze(&world);
  for (size_t i = 0; i < 2; i++) {
    (void)estimate_in(&world, requirements, i == 0 ? &plain : &nodes, 0);
    ck_assert_int_eq(rebal_result_fingerprint(world.result, &signs[i][0], &signs[i][1], NULL), REBAL_OK);
  }
  ck_assert(signs[0][0] != signs[1][0] || signs[0][1] != signs[1][1]);
}
END_TEST

UNIT_CASE(node_vector) {
  TCase *cases = tcase_create("node_vector");

  tcase_add_checked_fixture(cases, open_world, close_world);
  tcase_add_test(cases, test_clusters_without_nodes_have_no_opinion);
  tcase_add_test(cases, test_changes_of_nodes);
  tcase_add_test(cases, test_nodes_listed_anew);
  tcase_add_test(cases, test_clusters_come_and_go);
  tcase_add_test(cases, test_an_unknown_resource);
  UNIT_ADD_COUNTING(cases, test_many_snapshots_in_between);
  tcase_add_test(cases, test_sets_after_many_snapshots);
  tcase_add_test(cases, test_fingerprints_distinguish_nodes_and_summaries);
  return cases;
}
