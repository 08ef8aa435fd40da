/* SPDX-License-Identifier: MIT */
/* Capacity vectors in the cache: kept, brought up to date, charged, and what happens without memory. */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../../support/allocator.h"
#include "../unit.h"

static struct test_world world;
static uint32_t request;

static void setup(void) {
  static const struct test_cluster clusters[] = {
      {"m1", "cpu=4 pods=10"},
      {"m2", "cpu=8 pods=10"},
      {"m3", "cpu=8 pods=10", .models = "0:cpu=1", .modelings = "0=3"},
  };

  test_world_open(&world, NULL);
  for (size_t i = 0; i < REBALI_COUNT(clusters); i++) {
    (void)test_add_cluster(&world, &clusters[i]);
  }
  request = test_request_handle(&world, "cpu=1");
  test_freeze(&world);
}

static void teardown(void) {
  test_world_close(&world);
}

static uint64_t entries(void) {
  uint64_t count;

  rebal_ctx_cache_size(world.ctx, NULL, &count);
  return count;
}

START_TEST(test_one_entry_for_a_request_and_a_gate) {
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_RESOURCE_MODELS, 0);
  const rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, compat, NULL};

  ck_assert_int_eq(estimate_in(&world, request, NULL, 2), 3);
  ck_assert_uint_eq(entries(), 1);
  ck_assert_int_eq(estimate_in(&world, request, NULL, 2), 3);
  ck_assert_uint_eq(entries(), 1);
  ck_assert_int_eq(estimate_in(&world, request, &opts, 2), 8);
  ck_assert_uint_eq(entries(), 2);
  ck_assert_int_eq(estimate_in(&world, REBAL_NONE, NULL, 2), 10);
  ck_assert_uint_eq(entries(), 3);
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_a_warm_vector_follows_the_fleet) {
  static const struct test_cluster bigger = {"m1", "cpu=6 pods=10"};
  static const struct test_cluster fourth = {"m4", "cpu=1 pods=10"};
  rebal_snapshot *old = rebal_snapshot_ref(world.snapshot);

  ck_assert_int_eq(estimate_in(&world, request, NULL, 0), 4);
  test_set_cluster(&world, 0, &bigger);
  (void)test_add_cluster(&world, &fourth);
  test_freeze(&world);
  ck_assert_int_eq(estimate_in(&world, request, NULL, 0), 6);
  ck_assert_int_eq(estimate_in(&world, request, NULL, 3), 1);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(world.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE,
                                      &(const uint32_t){0}, 1, NULL),
                   REBAL_OK);
  test_freeze(&world);
  ck_assert_int_eq(estimate_in(&world, request, NULL, 0), 8);
  rebal_snapshot_unref(world.snapshot);
  world.snapshot = old; /* back to the first one */
  ck_assert_int_eq(estimate_in(&world, request, NULL, 0), 4);
}
END_TEST

START_TEST(test_a_resource_named_later) {
  static const struct test_cluster with_gpu = {"m2", "example.com/gpu=2 pods=10"};
  const uint32_t gpu = test_request_handle(&world, "example.com/gpu=1");

  test_freeze(&world);
  ck_assert_int_eq(estimate_in(&world, gpu, NULL, 1), 0);
  test_set_cluster(&world, 1, &with_gpu);
  test_freeze(&world);
  ck_assert_int_eq(estimate_in(&world, gpu, NULL, 1), 2);
  ck_assert_int_eq(estimate_in(&world, gpu, NULL, 0), 0);
}
END_TEST

START_TEST(test_an_empty_fleet) {
  struct test_world empty;
  rebal_ledger *ledger = NULL;
  rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, NULL, NULL};

  test_world_open(&empty, NULL);
  test_freeze(&empty);
  ck_assert_int_eq(rebal_ledger_new(empty.fleet, NULL, &ledger, NULL), REBAL_OK);
  opts.ledger = ledger;
  ck_assert_int_eq(rebal_estimate(empty.ctx, empty.snapshot, REBAL_NONE, &opts, empty.result, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(empty.result, REBAL_TABLE_ESTIMATE), 0);
  rebal_ledger_free(ledger);
  test_world_close(&empty);
}
END_TEST

START_TEST(test_a_ledger_leaves_the_cached_vector_alone) {
  rebal_ledger *ledger = NULL;
  rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, NULL, NULL};

  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  opts.ledger = ledger;
  test_charge(ledger, "a/b", 1, request, 3);
  ck_assert_int_eq(estimate_in(&world, request, &opts, 0), 4);
  ck_assert_int_eq(estimate_in(&world, request, &opts, 1), 5);
  ck_assert_int_eq(estimate_in(&world, request, &opts, 2), 3); /* models of a cluster that is not charged are fine */
  ck_assert_int_eq(estimate_in(&world, request, NULL, 1), 8);
  test_charge(ledger, "a/b", 2, request, 1);
  ck_assert_int_eq(estimate_in(&world, request, &opts, 2), 2);    /* one of the three nodes is taken */
  ck_assert_int_eq(estimate_in(&world, REBAL_NONE, &opts, 2), 9); /* without requirements models are not looked at */
  rebal_ledger_free(ledger);
}
END_TEST

static int32_t estimate_cold_and_warm(const rebal_allocator *allocator, void *user_data) {
  const rebal_ledger *ledger = user_data;
  const rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, NULL, ledger};
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  for (int i = 0; i < 2 && code == REBAL_OK; i++) {
    code = rebal_estimate(ctx, world.snapshot, request, &opts, result, NULL);
    if (code == REBAL_ENOMEM && rebal_estimate(ctx, world.snapshot, request, &opts, result, NULL) == REBAL_OK) {
      size_t n;

      ck_assert_int_eq(rebal_result_i64(result, REBAL_ESTIMATE_REPLICAS, &n)[1], 6);
    }
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  rebal_ledger *ledger = NULL;

  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  test_charge(ledger, "a/b", 1, request, 2);
  ck_assert_pstr_eq(test_torture(estimate_cold_and_warm, ledger), NULL);
  rebal_ledger_free(ledger);
}
END_TEST

UNIT_CASE(vector) {
  TCase *cases = tcase_create("vector");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_one_entry_for_a_request_and_a_gate);
  tcase_add_test(cases, test_a_warm_vector_follows_the_fleet);
  tcase_add_test(cases, test_a_resource_named_later);
  tcase_add_test(cases, test_an_empty_fleet);
  tcase_add_test(cases, test_a_ledger_leaves_the_cached_vector_alone);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
