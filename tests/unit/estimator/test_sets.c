/* SPDX-License-Identifier: MIT */
/* Component sets by summaries and models, and charges of a ledger beside them (rebalance-karmada(7) 6.4, 6.6, 6.7). */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define BASE "cpu=10 memory=16Gi pods=100", "cpu=1500m memory=4Gi pods=10", "cpu=500m pods=5"
#define NODES_1_4 .models = "0:cpu=1 1:cpu=4", .modelings = "1=1 0=1"
#define NODES_4_1 .models = "0:cpu=4 1:cpu=1", .modelings = "1=1 0=1"

static const struct {
  struct test_cluster cluster;
  struct test_component components[3];
  size_t n;
  int64_t sets;
} rows[] = {
    {{"m", BASE}, {{NULL, 0}}, 0, 85},                      /* no request: the free pods */
    {{"m", BASE}, {{"cpu=1", 0}, {"cpu=1", 0}}, 2, 85},     /* components without replicas request nothing either */
    {{"m", BASE}, {{"cpu=1", 2}, {"cpu=500m", 4}}, 2, 2},   /* 8 cpu, 4 a set */
    {{"m", BASE}, {{NULL, 30}, {"", 12}}, 2, 2},            /* 85 pods, 42 a set */
    {{"m", BASE}, {{"cpu=1", 1}, {"memory=4Gi", 1}}, 2, 3}, /* each resource is summed over all components */
    {{"m", BASE}, {{"foo=0", 1}}, 1, 85},
    {{"m", BASE}, {{"foo=1n", 1}}, 1, 0}, /* counted in thousandths, rounded up */
    {{"m", BASE}, {{"cpu=-1", 1}, {"cpu=2", 1}}, 2, 8},
    {{"m", BASE}, {{"cpu=-3", 1}, {"cpu=2", 1}}, 2, 42},
    {{"m", "memory=0 pods=9", "memory=-4Gi"}, {{"memory=1Gi", 1}}, 1, 4}, /* a left operand of zero takes the format */
    {{"m", "memory=4294967296 pods=9"}, {{"memory=1Gi", 1}}, 1, 9},       /* thousandths by units: 4000 times */
    {{"m", "memory=1 pods=9", "memory=-4Gi"}, {{"memory=4Gi", 1}}, 1, 9}, /* else the left one's stays */
    {{"m", "pods=9223372036854775807 cpu=9223372036854775807"}, {{"cpu=1", INT32_MAX}}, 1, 4294967},
    {{"m", "pods=9223372036854775807"}, {{NULL, INT32_MAX}, {NULL, INT32_MAX}}, 2, INT32_MAX},
    /* First fit of components in their order: nodes of 1 and 4 cpu, or 4 and 1. */
    {{"m", "cpu=9 pods=99", NODES_4_1}, {{"cpu=1", 1}, {"cpu=3", 1}}, 2, 1},
    {{"m", "cpu=9 pods=99", NODES_4_1}, {{"cpu=4", 1}, {"cpu=1", 1}}, 2, 1},
    {{"m", "cpu=9 pods=99", NODES_4_1}, {{"cpu=1", 1}, {"cpu=4", 1}}, 2, 0},
    {{"m", "cpu=9 pods=99", NODES_1_4}, {{"cpu=1", 1}, {"cpu=4", 1}}, 2, 1},
    {{"m", "cpu=2 pods=99", NODES_1_4}, {{"cpu=1", 1}}, 1, 2},   /* the summary counts beside the models */
    {{"m", "cpu=9 pods=2", NODES_1_4}, {{"cpu=100m", 1}}, 1, 2}, /* and so do its pods */
    {{"m", "cpu=999 pods=9999", .models = "0:cpu=1 1:cpu=2", .modelings = "1=3 0=9"}, {{"cpu=500m", 4}}, 1, 7},
    {{"m", "pods=9223372036854775807 cpu=1E", .models = "0:cpu=8", .modelings = "0=9223372036854775807"},
     {{"cpu=1", 3}, {"cpu=2", 1}},
     2,
     INT32_MAX},
};

START_TEST(test_sets) {
  ck_assert_int_eq(estimate_set(&rows[_i].cluster, rows[_i].components, rows[_i].n, NULL), rows[_i].sets);
}
END_TEST

/* Two bindings hold sets in the cluster, the first in the order of keys is the second here; what fits beside them. */
static const struct {
  struct test_cluster cluster;
  struct test_component held[2][2];
  const char *request; /* of replicas, and of a set of one such component */
  int64_t replicas, sets;
  int64_t unprotected, unprotected_sets; /* without the gate */
} charges[] = {
    /* In bulk: replicas by pods and amounts, sets as written. */
    {{"m", "cpu=10 memory=16Gi pods=100"}, {{{"cpu=1", 2}, {"memory=1Gi", 3}}}, "cpu=1", 8, 8, 10, 10},
    {{"m", "cpu=10 memory=16Gi pods=100"}, {{{"cpu=1", 2}, {"memory=1Gi", 3}}}, "memory=1Gi", 13, 13, 16, 16},
    {{"m", "cpu=10 memory=16Gi pods=100"}, {{{"memory=8G", 1}}}, "memory=1Gi", 8, 0, 16, 16},
    {{"m", "cpu=10 pods=100"}, {{{NULL, 60}, {NULL, 30}}, {{"", 5}}}, "", 5, 5, 100, 100},
    {{"m", "cpu=10 pods=100"}, {{{NULL, 60}}, {{"", 40}}}, "", 0, 0, 100, 100},
    {{"m", "cpu=10 pods=100"}, {{{"gpu=1", 1}}}, "gpu=1", 0, 0, 0, 0},
    {{"m", "cpu=10 pods=100"}, {{{"pods=7", 3}}}, NULL, 76, 97, 100, 100}, /* pods by name are a plain amount */
    /* On model nodes, where the gate does not matter. */
    {{"m", "cpu=99 pods=99", NODES_1_4}, {{{"cpu=1", 1}}}, "cpu=1", 4, 4, 4, 4},
    {{"m", "cpu=99 pods=99", NODES_1_4}, {{{"cpu=4", 1}}, {{"cpu=1", 1}}}, "cpu=1", 0, 0, 0, 0},
    /* The order of keys decides: the key of 1 cpu comes first and takes the large node, 4 cpu then find none. */
    {{"m", "cpu=99 pods=99", NODES_4_1}, {{{"cpu=4", 1}}, {{"cpu=1", 1}}}, "cpu=1", 4, 4, 4, 4},
    {{"m", "cpu=99 pods=99", NODES_4_1}, {{{"cpu=4", 1}}, {{"cpu=1", 1}}}, "cpu=3", 1, 1, 1, 1},
    {{"m", "cpu=99 pods=99", NODES_4_1}, {{{"cpu=1", 1}}, {{"cpu=4", 1}}}, "cpu=1", 0, 0, 0, 0},
    /* A set that does not fit stays as far as it was placed; its other components are not placed. */
    {{"m", "cpu=99 pods=99", NODES_4_1}, {{{"cpu=3", 2}, {"cpu=1", 2}}}, "cpu=1", 2, 2, 2, 2},
    {{"m", "cpu=99 pods=99", NODES_1_4}, {{{"gpu=1", 1}, {"cpu=1", 1}}}, "cpu=1", 4, 4, 4, 4},
    {{"m", "cpu=99 pods=99", NODES_1_4}, {{{"example.com/x=1", 1}, {"cpu=1", 1}}}, "cpu=1", 5, 5, 5, 5},
};

static struct test_world world;

static void setup(void) {
  test_world_open(&world, NULL);
}

static void teardown(void) {
  test_world_close(&world);
}

START_TEST(test_what_is_held) {
  static const char *const keys[2] = {"ns/b", "ns/a"};
  const struct test_component one = {charges[_i].request, 1};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0);
  rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, NULL, NULL};
  rebal_ledger *ledger = NULL;
  uint32_t request;

  (void)test_add_cluster(&world, &charges[_i].cluster);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  for (size_t i = 0; i < 2; i++) {
    charge_set(&world, ledger, keys[i], 0, charges[_i].held[i], 2);
  }
  request = test_request_handle(&world, one.request);
  test_freeze(&world);
  opts.ledger = ledger;
  ck_assert_int_eq(estimate_in(&world, request, &opts, 0), charges[_i].replicas);
  ck_assert_int_eq(estimate_set_in(&world, &one, 1, &opts, 0), charges[_i].sets);
  opts.compat = compat;
  ck_assert_int_eq(estimate_in(&world, request, &opts, 0), charges[_i].unprotected);
  ck_assert_int_eq(estimate_set_in(&world, &one, 1, &opts, 0), charges[_i].unprotected_sets);
  rebal_compat_free(compat);
  rebal_ledger_free(ledger);
}
END_TEST

/* A grade of 2^31 nodes and billions of held replicas: nodes are never examined one by one. */
START_TEST(test_large_holdings_take_no_time) {
  static const struct test_cluster cluster = {"m", "cpu=1E pods=1E", .models = "0:cpu=4 1:cpu=8",
                                              .modelings = "0=2147483648 1=2147483648"};
  static const struct test_component held[2] = {{"cpu=1", INT32_MAX}, {"cpu=3", INT32_MAX}};
  static const struct test_component requested[2] = {{"cpu=1", 4}, {"cpu=2", 2}};
  rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, NULL, NULL};
  rebal_ledger *ledger = NULL;

  (void)test_add_cluster(&world, &cluster);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  charge_set(&world, ledger, "ns/a", 0, held, 2);
  charge_set(&world, ledger, "ns/b", 0, held, 1);
  test_freeze(&world);
  opts.ledger = ledger;
  ck_assert_int_eq(estimate_set_in(&world, requested, 2, NULL, 0), INT32_MAX);
  ck_assert_int_eq(estimate_set_in(&world, requested, 2, &opts, 0), 1879048192);
  rebal_ledger_free(ledger);
}
END_TEST

START_TEST(test_warm_vectors_follow_the_fleet) {
  static const struct test_cluster clusters[2] = {{"m1", "cpu=8 pods=10"}, {"m2", "cpu=8 pods=10", NODES_1_4}};
  static const struct test_cluster bigger = {"m1", "cpu=16 example.com/x=3 pods=10"};
  static const struct test_component requested[2] = {{"cpu=1", 1}, {"cpu=3", 1}};
  static const struct test_component later = {"example.com/x=1", 1};
  uint64_t entries;

  (void)test_add_cluster(&world, &clusters[0]);
  (void)test_add_cluster(&world, &clusters[1]);
  test_freeze(&world);
  ck_assert_int_eq(estimate_set_in(&world, requested, 2, NULL, 0), 2);
  ck_assert_int_eq(estimate_set_in(&world, requested, 2, NULL, 1), 1);
  rebal_ctx_cache_size(world.ctx, NULL, &entries);
  ck_assert_uint_eq(entries, 1);
  ck_assert_int_eq(estimate_set_in(&world, requested, 1, NULL, 0), 8);
  ck_assert_int_eq(estimate_in(&world, 0, NULL, 0), 8); /* a set of one replica is a different query than a replica */
  ck_assert_int_eq(estimate_set_in(&world, &later, 1, NULL, 0), 0);
  rebal_ctx_cache_size(world.ctx, NULL, &entries);
  ck_assert_uint_eq(entries, 4);
  test_set_cluster(&world, 0, &bigger);
  test_freeze(&world);
  ck_assert_int_eq(estimate_set_in(&world, requested, 2, NULL, 0), 4);
  ck_assert_int_eq(estimate_set_in(&world, &later, 1, NULL, 0), 3);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE,
                                      &(const uint32_t){0}, 1, NULL),
                   REBAL_OK);
  test_freeze(&world);
  ck_assert_int_eq(estimate_set_in(&world, requested, 2, NULL, 0), 1); /* m2 is first by name now */
}
END_TEST

struct torture {
  const rebal_ledger *ledger;
  uint32_t requirements[2];
};

static int32_t estimate_cold_and_warm(const rebal_allocator *allocator, void *user_data) {
  static const int32_t replicas[2] = {1, 2};
  const struct torture *torture = user_data;
  const rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, NULL, torture->ledger};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  for (int i = 0; i < 2 && code == REBAL_OK; i++) {
    code = rebal_estimate_sets(ctx, world.snapshot, torture->requirements, replicas, 2, &opts, result, NULL);
    if (code == REBAL_ENOMEM &&
        rebal_estimate_sets(ctx, world.snapshot, torture->requirements, replicas, 2, &opts, result, NULL) == REBAL_OK) {
      ck_assert_int_eq(rebal_result_i64(result, REBAL_ESTIMATE_REPLICAS, NULL)[1], 4);
    }
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  static const struct test_cluster clusters[2] = {
      {"m1", BASE}, {"m2", "cpu=99 pods=999", .models = "0:cpu=2 1:cpu=4", .modelings = "0=3 1=3"}};
  static const struct test_component held[2] = {{"cpu=1", 3}, {"cpu=3 example.com/x=0", 2}};
  struct torture torture;
  rebal_ledger *ledger = NULL;

  (void)test_add_cluster(&world, &clusters[0]);
  (void)test_add_cluster(&world, &clusters[1]);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  charge_set(&world, ledger, "ns/a", 1, held, 2);
  torture.ledger = ledger;
  torture.requirements[0] = test_request_handle(&world, "cpu=1");
  torture.requirements[1] = test_request_handle(&world, "cpu=500m");
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(estimate_cold_and_warm, &torture), NULL);
  rebal_ledger_free(ledger);
}
END_TEST

UNIT_CASE(sets) {
  TCase *cases = tcase_create("sets");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_sets, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_what_is_held, 0, (int)REBALI_COUNT(charges));
  tcase_add_test(cases, test_large_holdings_take_no_time);
  tcase_add_test(cases, test_warm_vectors_follow_the_fleet);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
