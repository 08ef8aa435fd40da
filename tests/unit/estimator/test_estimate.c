/* SPDX-License-Identifier: MIT */
/* The public calls, and the measured answers of rebalance-karmada(7) 6.7.1. */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../unit.h"

#define BASE "cpu=10 memory=16Gi pods=100", "cpu=1500m memory=4Gi pods=10", "cpu=500m pods=5"
#define MODELS .models = "0:cpu=0,memory=0 1:cpu=1,memory=4Gi 2:cpu=2,memory=16Gi", .modelings = "0=3 1=2 2=1"

static const struct {
  struct test_cluster cluster;
  const char *request;
  int64_t replicas;
  int64_t sets; /* of one component with one replica */
} golden[] = {
    {{"m"}, "cpu=1", 0, 0},
    {{"m"}, NULL, 0, 0},
    {{"m", BASE}, NULL, 85, 85},
    {{"m", BASE}, "", 85, 85},
    {{"m", BASE}, "cpu=0", 85, 85},
    {{"m", BASE}, "cpu=500m memory=1Gi", 12, 12},
    {{"m", BASE}, "memory=1000M", 12, 0},
    {{"m", BASE}, "memory=1073741824", 12, 0},
    {{"m", BASE}, "foo=1", 0, 0},
    {{"m", BASE}, "pods=2", 42, 42},
    {{"m", "cpu=10"}, "cpu=1", 0, 0},
    {{"m", "cpu=10"}, NULL, 0, 0},
    {{"m", "cpu=1 pods=100", "cpu=600m"}, "cpu=100m", 4, 4},
    {{"m", "cpu=1 pods=100", "cpu=1400m"}, "cpu=100m", 0, 0},
    {{"m", "memory=16G pods=100"}, "memory=1Gi", 14, 100},
    {{"m", BASE, MODELS}, "cpu=500m", 8, 8},
    {{"m", BASE, MODELS}, "cpu=500m memory=3Gi", 6, 4},
    {{"m", BASE, MODELS}, "nvidia.com/gpu=1", 0, 0},
    {{"m", BASE, MODELS}, "foo=1", 85, 0},
    {{"m", BASE, MODELS}, "ephemeral-storage=1", 0, 0},
    {{"m", BASE, MODELS}, "", 85, 85},
    {{"m", BASE, MODELS}, NULL, 85, 85},
    {{"m", BASE, .modelings = "0=3 1=2 2=1"}, "cpu=500m", 16, 16},
    {{"m", BASE, .models = "1:cpu=1", .modelings = "0=3 1=-2 2=1"}, "cpu=500m", 16, 16},
    {{"m", BASE, .models = "1:cpu=1"}, "cpu=500m", 16, 16},
};

START_TEST(test_golden_estimates) {
  const struct test_component one = {golden[_i].request, 1};

  ck_assert_int_eq(estimate_one(&golden[_i].cluster, golden[_i].request, NULL), golden[_i].replicas);
  ck_assert_int_eq(estimate_set(&golden[_i].cluster, &one, 1, NULL), golden[_i].sets);
}
END_TEST

/* The reference keeps the low 32 bits of a number; the library saturates unless an option enables the same. */
static const struct {
  struct test_cluster cluster;
  const char *request;
  int64_t wrapped, wrapped_sets, replicas, sets;
} beyond[] = {
    {{"m", "pods=5000000000"}, NULL, 705032704, 705032704, INT32_MAX, INT32_MAX},
    {{"m", "pods=2147483648"}, NULL, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX},
    {{"m", "pods=4294967296"}, "", 0, 0, INT32_MAX, INT32_MAX},
    {{"m", "memory=68719476736 pods=110"}, "memory=350m", 110, -1227133514, 110, 110},
};

START_TEST(test_numbers_that_wrap) {
  rebal_compat *compat = test_compat(REBAL_OPTION_INT32_WRAP, 1);
  const rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, compat, NULL};
  const struct test_component one = {beyond[_i].request, 1};

  ck_assert_int_eq(estimate_one(&beyond[_i].cluster, beyond[_i].request, &opts), beyond[_i].wrapped);
  ck_assert_int_eq(estimate_set(&beyond[_i].cluster, &one, 1, &opts), beyond[_i].wrapped_sets);
  ck_assert_int_eq(estimate_one(&beyond[_i].cluster, beyond[_i].request, NULL), beyond[_i].replicas);
  ck_assert_int_eq(estimate_set(&beyond[_i].cluster, &one, 1, NULL), beyond[_i].sets);
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_clusters_come_by_name) {
  static const struct test_cluster clusters[] = {{"c", "pods=3"}, {"a", "pods=1"}, {"b", "pods=2"}};
  struct test_world world;
  size_t n;
  const int64_t *ids;

  test_world_open(&world, NULL);
  for (size_t i = 0; i < 3; i++) {
    (void)test_add_cluster(&world, &clusters[i]);
  }
  (void)test_cluster_id(&world, "absent");
  test_freeze(&world);
  for (size_t i = 0; i < 3; i++) {
    ck_assert_int_eq(estimate_in(&world, REBAL_NONE, NULL, i), (int64_t)i + 1);
  }
  ids = rebal_result_i64(world.result, REBAL_ESTIMATE_CLUSTER, &n);
  ck_assert_uint_eq(n, 3);
  ck_assert_str_eq(test_cluster_name(world.snapshot, (uint32_t)ids[0]), "a");
  ck_assert_str_eq(test_cluster_name(world.snapshot, (uint32_t)ids[2]), "c");
  test_world_close(&world);
}
END_TEST

START_TEST(test_models_can_be_switched_off) {
  static const struct test_cluster cluster = {"m", BASE, MODELS};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_RESOURCE_MODELS, 0);
  const rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, compat, NULL};

  ck_assert_int_eq(estimate_one(&cluster, "cpu=500m", &opts), 16);
  rebal_compat_free(compat);
}
END_TEST

static struct test_world worlds[2];

static void setup(void) {
  static const struct test_cluster cluster = {"m", "pods=7"};

  for (size_t i = 0; i < 2; i++) {
    test_world_open(&worlds[i], NULL);
    (void)test_add_cluster(&worlds[i], &cluster);
    test_freeze(&worlds[i]);
  }
}

static void teardown(void) {
  test_world_close(&worlds[0]);
  test_world_close(&worlds[1]);
}

static int32_t call(rebal_snapshot *snapshot, uint32_t requirements, const rebal_estimate_opts *opts) {
  return rebal_estimate(worlds[0].ctx, snapshot, requirements, opts, worlds[0].result, &worlds[0].err);
}

START_TEST(test_refused_arguments) {
  rebal_estimate_opts opts = {(uint32_t)sizeof opts, 4, NULL, NULL};
  rebal_ledger *ledger = NULL;

  ck_assert_int_eq(call(NULL, REBAL_NONE, NULL), REBAL_EINVAL);
  ck_assert_int_eq(call(worlds[0].snapshot, 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(call(worlds[0].snapshot, REBAL_NONE, &opts), REBAL_EUNSUPPORTED);
  opts.flags = 0;
  opts.struct_size = 3;
  ck_assert_int_eq(call(worlds[0].snapshot, REBAL_NONE, &opts), REBAL_EABI);
  opts.struct_size = (uint32_t)sizeof opts;
  ck_assert_int_eq(rebal_ledger_new(worlds[1].fleet, NULL, &ledger, NULL), REBAL_OK);
  opts.ledger = ledger;
  ck_assert_int_eq(call(worlds[0].snapshot, REBAL_NONE, &opts), REBAL_EMISMATCH);
  ck_assert_int_eq(rebal_estimate(NULL, worlds[0].snapshot, REBAL_NONE, NULL, worlds[0].result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_estimate(worlds[0].ctx, worlds[0].snapshot, REBAL_NONE, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(estimate_in(&worlds[0], REBAL_NONE, NULL, 0), 7);
  rebal_ledger_free(ledger);
}
END_TEST

START_TEST(test_refused_sets) {
  const uint32_t requirements[2] = {REBAL_NONE, 0};
  const int32_t replicas[2] = {1, -1};
  struct test_world *world = &worlds[0];

  ck_assert_int_eq(rebal_estimate_sets(world->ctx, world->snapshot, NULL, replicas, 1, NULL, world->result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_estimate_sets(world->ctx, world->snapshot, requirements, NULL, 1, NULL, world->result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_estimate_sets(world->ctx, world->snapshot, requirements, replicas, 2, NULL, world->result, &world->err),
      REBAL_EINVAL);
  ck_assert_int_eq(world->err.where, 1);
  ck_assert_int_eq(test_request_handle(world, "cpu=1"), 0);
  test_freeze(world);
  ck_assert_int_eq(
      rebal_estimate_sets(world->ctx, world->snapshot, requirements, replicas, 2, NULL, world->result, &world->err),
      REBAL_ERANGE);
  ck_assert_int_eq(world->err.where, 1);
  ck_assert_int_eq(rebal_estimate_sets(world->ctx, world->snapshot, NULL, NULL, 0, NULL, world->result, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(world->result, REBAL_ESTIMATE_REPLICAS, NULL)[0], 7);
}
END_TEST

START_TEST(test_wrong_namespaces) {
  rebal_estimate_opts opts = {.struct_size = sizeof opts, .namespace_len = 1};
  struct test_world *world = &worlds[0];

  ck_assert_int_eq(rebal_estimate(world->ctx, world->snapshot, REBAL_NONE, &opts, world->result, NULL), REBAL_EINVAL);
  opts.namespace_ = "n";
  opts.namespace_len = (uint64_t)INT32_MAX + 1;
  ck_assert_int_eq(rebal_estimate(world->ctx, world->snapshot, REBAL_NONE, &opts, world->result, NULL), REBAL_ELIMIT);
  opts.namespace_len = 1;
  ck_assert_int_eq(rebal_estimate(world->ctx, world->snapshot, REBAL_NONE, &opts, world->result, NULL), REBAL_OK);
}
END_TEST

UNIT_CASE(estimate) {
  TCase *cases = tcase_create("estimate");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_golden_estimates, 0, (int)REBALI_COUNT(golden));
  tcase_add_loop_test(cases, test_numbers_that_wrap, 0, (int)REBALI_COUNT(beyond));
  tcase_add_test(cases, test_clusters_come_by_name);
  tcase_add_test(cases, test_models_can_be_switched_off);
  tcase_add_test(cases, test_refused_arguments);
  tcase_add_test(cases, test_refused_sets);
  tcase_add_test(cases, test_wrong_namespaces);
  return cases;
}
