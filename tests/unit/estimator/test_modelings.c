/* SPDX-License-Identifier: MIT */
/* Counts of nodes by grade (rebalance-karmada(7) 6.8), rule by rule. */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

static struct test_world world;
static uint32_t cluster;
static uint32_t resources[3]; /* pods, cpu, memory */

/* Opens a world with a cluster that has models and known nodes. */
static void open_world(const char *models) {
  static const char *const names[3] = {"pods", "cpu", "memory"};
  const struct test_cluster one = {"m", .models = models};

  test_world_open(&world, NULL);
  cluster = test_add_cluster(&world, &one);
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_fleet_cells(world.fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, cluster, 1, NULL),
      REBAL_OK);
  for (size_t i = 0; i < 3; i++) {
    ck_assert_int_eq(rebal_fleet_resource_id(world.fleet, names[i], strlen(names[i]), &resources[i], NULL), REBAL_OK);
  }
}

static rebal_quantity milli(int64_t n) {
  return (rebal_quantity){n / 1000, (int32_t)(n % 1000) * 1000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
}

/* All amounts are in thousandths. */
static uint32_t add_node(const char *name, int64_t pods, int64_t cpu, int64_t memory) {
  const rebal_quantity amounts[3] = {milli(pods), milli(cpu), milli(memory)};
  uint32_t node;

  ck_assert_int_eq(rebal_fleet_add_node(world.fleet, cluster, name, strlen(name), &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_node_amounts(world.fleet, cluster, node, resources, amounts, 3, NULL), REBAL_OK);
  return node;
}

/* Adds a pod of one container to a node; 0: it requests nothing. */
static uint32_t add_pod(uint32_t node, int64_t micro_cpu) {
  const rebal_quantity amount = {0, (int32_t)micro_cpu * 1000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const int64_t place = node;
  const rebal_record *record = NULL;
  int64_t cell;
  uint32_t handle, row;

  rebal_builder_start(world.builder, REBAL_OBJECT_POD_RESOURCES, NULL);
  if (micro_cpu != 0) {
    rebal_builder_begin(world.builder, REBAL_POD_RESOURCES_CONTAINERS, NULL);
    rebal_builder_begin(world.builder, REBAL_CONTAINER_RESOURCES_REQUESTS, NULL);
    rebal_builder_text(world.builder, REBAL_AMOUNT_NAME, "cpu", 3, NULL);
    rebal_builder_quantity(world.builder, REBAL_AMOUNT_QUANTITY, &amount, NULL);
    rebal_builder_end(world.builder, NULL);
    rebal_builder_end(world.builder, NULL);
  }
  ck_assert_int_eq(rebal_builder_finish(world.builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(world.fleet, record, &handle, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(rebal_fleet_cells(world.fleet), REBAL_TABLE_POD, cluster, &row, 1, NULL), REBAL_OK);
  cell = handle;
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(world.fleet), REBAL_POD_RESOURCES, cluster, &row, &cell, 1, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_cells_put_i64(rebal_fleet_cells(world.fleet), REBAL_POD_NODE, cluster, &row, &place, 1, NULL),
                   REBAL_OK);
  return row;
}

/* Freezes the world and returns grades and counts as "0=1 1=2". */
static const char *modeled(void) {
  static char text[128];
  size_t n;
  size_t len = 0;
  const int64_t *grades, *counts;

  test_freeze(&world);
  ck_assert_int_eq(rebal_model_nodes(world.ctx, world.snapshot, cluster, world.result, NULL), REBAL_OK);
  grades = rebal_result_i64(world.result, REBAL_MODELED_GRADE, &n);
  counts = rebal_result_i64(world.result, REBAL_MODELED_COUNT, &n);
  text[0] = '\0';
  for (size_t i = 0; i < n; i++) {
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%d=%d", i > 0 ? " " : "", (int)grades[i], (int)counts[i]);
  }
  return text;
}

START_TEST(test_each_node_has_a_grade) {
  open_world("0:cpu=0,memory=0 1:cpu=1,memory=4 2:cpu=2,memory=16");
  ck_assert_str_eq(modeled(), "0=0 1=0 2=0");
  (void)add_node("a", 10000, 1000, 4000);  /* exactly the bounds of 1 */
  (void)add_node("b", 10000, 8000, 15000); /* its smallest amount decides */
  (void)add_node("c", 10000, 999, 64000);
  (void)add_node("d", 10000, 2000, 16000);
  (void)add_node("e", 0, 2000, 16000);      /* without pods it is not full */
  (void)add_node("f", 10000, -1000, 16000); /* below the first one */
  ck_assert_str_eq(modeled(), "0=1 1=2 2=2");
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_NODE, cluster, &(const uint32_t){3}, 1, NULL),
      REBAL_OK);
  ck_assert_str_eq(modeled(), "0=1 1=2 2=1");
  test_world_close(&world);
}
END_TEST

START_TEST(test_what_pods_use_is_missing) {
  uint32_t row;
  const int64_t terminal = 1;

  open_world("5:cpu=0 5:cpu=1 9:cpu=2");
  (void)add_node("a", 10000, 2000, 0);
  (void)add_node("b", 10000, 2000, 0);
  row = add_pod(0, 1000);
  ck_assert_str_eq(modeled(), "5=0 5=1 9=1");
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(world.fleet), REBAL_POD_TERMINAL, cluster, &row, &terminal, 1, NULL),
      REBAL_OK);
  ck_assert_str_eq(modeled(), "5=0 5=0 9=2");
  test_world_close(&world);
}
END_TEST

START_TEST(test_a_full_node_ends_the_count) {
  uint32_t row, node;

  open_world("0:cpu=0 1:cpu=4");
  (void)add_node("a", 10000, 4000, 0);
  node = add_node("b", 1000, 4000, 0);
  (void)add_node("c", 10000, 4000, 0);
  ck_assert_str_eq(modeled(), "0=0 1=3");
  row = add_pod(1, 0);
  ck_assert_str_eq(modeled(), "0=0 1=1");
  /* added again, it is last and already has its pod */
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_NODE, cluster, &node, 1, NULL),
                   REBAL_OK);
  ck_assert_str_eq(modeled(), "0=0 1=2");
  (void)add_node("b", 1000, 4000, 0);
  (void)add_node("d", 1000, 4000, 0);
  ck_assert_str_eq(modeled(), "0=0 1=2");
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_POD, cluster, &row, 1, NULL),
                   REBAL_OK);
  ck_assert_str_eq(modeled(), "0=0 1=4");
  test_world_close(&world);
}
END_TEST

START_TEST(test_amounts_are_rounded_before) {
  open_world("0:cpu=0 1:cpu=1");
  (void)add_node("a", 10000, 1001, 0);
  (void)add_pod(0, 500);
  ck_assert_str_eq(modeled(), "0=0 1=1"); /* half a thousandth counts as one, and 1 is left */
  (void)add_pod(0, 500);
  ck_assert_str_eq(modeled(), "0=1 1=0"); /* together they request one, but each is rounded alone */
  test_world_close(&world);
}
END_TEST

START_TEST(test_models_that_cannot_be_used) {
  static const char *const models[] = {NULL, "", "0:cpu=0 1:cpu=1,memory=1"};

  open_world(models[_i]);
  (void)add_node("a", 10000, 2000, 0);
  ck_assert_str_eq(modeled(), "");
  test_world_close(&world);
}
END_TEST

START_TEST(test_names_are_those_of_the_first_model) {
  open_world("0:example.com/x=0 1:cpu=4");
  (void)add_node("a", 10000, 4000, 0);
  ck_assert_str_eq(modeled(), "0=0 1=1"); /* the second one does not request x */
  test_world_close(&world);
}
END_TEST

/* A node's free amount underflows: the node matches no model. */
START_TEST(test_less_than_can_be_counted) {
  const rebal_quantity least = {INT64_MIN, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const uint32_t cpu = 1;

  open_world("0:cpu=0 1:cpu=1");
  (void)add_node("a", 10000, 2000, 0);
  (void)add_node("b", 10000, 2000, 0);
  ck_assert_int_eq(
      rebal_fleet_put_node_amounts(world.fleet, cluster, resources[cpu], &(const uint32_t){0}, &least, 1, NULL),
      REBAL_OK);
  (void)add_pod(0, 1000);
  ck_assert_str_eq(modeled(), "0=0 1=1");
  test_world_close(&world);
}
END_TEST

/* Every model is listed, and no node matches one. */
START_TEST(test_models_without_ranges) {
  open_world("3: 7:");
  (void)add_node("a", 10000, 2000, 0);
  ck_assert_str_eq(modeled(), "3=0 7=0");
  test_world_close(&world);
}
END_TEST

START_TEST(test_refusals) {
  static const struct test_cluster other = {"n"};
  uint32_t unknown;

  open_world("0:cpu=0");
  unknown = test_add_cluster(&world, &other);
  test_freeze(&world);
  ck_assert_int_eq(rebal_model_nodes(world.ctx, world.snapshot, unknown, world.result, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_model_nodes(world.ctx, world.snapshot, unknown + 1, world.result, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebali_ctx_begin(world.ctx, NULL), REBAL_OK); /* another call has not ended yet */
  ck_assert_int_eq(rebal_model_nodes(world.ctx, world.snapshot, cluster, world.result, NULL), REBAL_ESTATE);
  rebali_ctx_end(world.ctx);
  ck_assert_int_eq(rebal_model_nodes(world.ctx, world.snapshot, cluster, world.result, NULL), REBAL_OK);
  test_world_close(&world);
}
END_TEST

static int32_t model_in_scarcity(const rebal_allocator *allocator, void *user_data) {
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  (void)user_data;
  if (code == REBAL_OK) {
    code = rebal_result_new(allocator, &result, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_model_nodes(ctx, world.snapshot, cluster, result, NULL);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  open_world("0:cpu=0,memory=0 1:cpu=1,memory=4 2:cpu=2,memory=16");
  for (uint32_t i = 0; i < 200; i++) {
    char name[16];

    (void)snprintf(name, sizeof name, "n%u", (unsigned)i);
    (void)add_node(name, 1000, i * 100, i * 100);
  }
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(model_in_scarcity, NULL), NULL);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(modelings) {
  TCase *cases = tcase_create("modelings");

  tcase_add_test(cases, test_each_node_has_a_grade);
  tcase_add_test(cases, test_what_pods_use_is_missing);
  tcase_add_test(cases, test_a_full_node_ends_the_count);
  tcase_add_test(cases, test_amounts_are_rounded_before);
  tcase_add_loop_test(cases, test_models_that_cannot_be_used, 0, 3);
  tcase_add_test(cases, test_names_are_those_of_the_first_model);
  tcase_add_test(cases, test_less_than_can_be_counted);
  tcase_add_test(cases, test_models_without_ranges);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
