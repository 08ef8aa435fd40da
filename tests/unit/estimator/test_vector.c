/* SPDX-License-Identifier: MIT */
/* Capacity vectors in the cache: kept, updated, charged, and out of memory. */
#include "estimating.h"

#include "estimator/fast/fits.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

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
  ck_assert_int_eq(estimate_in(&world, REBAL_NONE, &opts, 2), 9); /* without requirements models are ignored */
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

/* ---- many rows --------------------------------------------------------------------------------------------------- */

#define ROWS 400u /* an eighth counts as few */

/* Sets clusters "r007" and so on to a number of cpus. */
static void set_clusters(struct test_world *some, uint32_t first, uint32_t end, uint32_t cpu) {
  for (uint32_t i = first; i < end; i++) {
    char name[16], amounts[40];
    uint32_t id;

    (void)snprintf(name, sizeof name, "r%03u", (unsigned int)i);
    (void)snprintf(amounts, sizeof amounts, "cpu=%u pods=1000", (unsigned int)cpu);
    (void)rebal_fleet_add_cluster(some->fleet, name, strlen(name), &id, NULL); /* it may exist */
    test_set_cluster(some, test_cluster_id(some, name), &(struct test_cluster){.name = name, .allocatable = amounts});
  }
  test_freeze(some);
}

static int32_t begin(rebal_ctx *ctx, struct test_world *some, uint32_t handle, struct rebali_fits *fits) {
  ck_assert_int_eq(rebali_ctx_begin(ctx, NULL), REBAL_OK);
  return rebali_estimate_rows(ctx, some->snapshot, handle, NULL, NULL, fits, NULL);
}

static void open_rows(struct test_world *some, uint32_t *handle) {
  test_world_open(some, NULL);
  *handle = test_request_handle(some, "cpu=1");
  set_clusters(some, 0, ROWS, 10);
}

/* Rows in the middle of a page, when the rows before belong to another page: the page's models count. */
START_TEST(test_models_on_a_later_page) {
  const uint32_t modelled = REBALI_PAGE_ROWS + 70;
  struct test_cluster cluster = {"r326", "cpu=10 pods=1000", .models = "0:cpu=3", .modelings = "0=2"};
  struct test_world many;
  struct rebali_fits fits;
  uint32_t handle;

  open_rows(&many, &handle);
  ck_assert_int_eq(begin(many.ctx, &many, handle, &fits), REBAL_OK);
  rebali_ctx_end(many.ctx);
  test_set_cluster(&many, modelled, &cluster);
  set_clusters(&many, 0, 4, 20);
  set_clusters(&many, modelled + 1, modelled + 9, 30);
  ck_assert_int_eq(begin(many.ctx, &many, handle, &fits), REBAL_OK);
  ck_assert_int_eq(rebali_fits_all(&fits), REBAL_OK);
  ck_assert_int_eq(rebali_fits_of(&fits, 3), 20);
  ck_assert_int_eq(rebali_fits_of(&fits, 4), 10);
  ck_assert_int_eq(rebali_fits_of(&fits, modelled), 6);
  ck_assert_int_eq(rebali_fits_of(&fits, modelled + 8), 30);
  rebali_ctx_end(many.ctx);
  test_world_close(&many);
}
END_TEST

/* Many rows change, few of them are wanted, and others are in order: the order is then rebuilt. */
static int32_t change_in_order(rebal_ctx *ctx, struct test_world *many, uint32_t handle) {
  static const uint64_t wanted[REBALI_BITSET_WORDS(ROWS)] = {(UINT64_C(1) << 40) - 1};
  struct rebali_fits fits;
  const uint64_t *keys = NULL;
  size_t n = 0;
  int32_t code;

  set_clusters(many, 0, ROWS, 10);
  code = begin(ctx, many, handle, &fits);
  code = code == REBAL_OK ? rebali_fits_best(&fits, 0, 9, &keys, &n) : code;
  code = code == REBAL_OK ? rebali_fits_best(&fits, 1, 9, &keys, &n) : code;
  rebali_ctx_end(ctx);
  set_clusters(many, 0, 40, 50);
  if (code == REBAL_OK) {
    code = begin(ctx, many, handle, &fits);
    code = code == REBAL_OK ? rebali_fits_catch_up(&fits, wanted, 40) : code;
    ck_assert(code != REBAL_OK || fits.replicas[39] == 50);
    code = code == REBAL_OK ? rebali_fits_best(&fits, 1, 41, &keys, &n) : code;
    ck_assert(code != REBAL_OK || (n >= 41 && rebali_ranking_value(keys[39]) == 50));
    ck_assert(code != REBAL_OK || rebali_ranking_value(keys[40]) == 10);
    rebali_ctx_end(ctx);
  }
  set_clusters(many, 50, 57, 60);
  if (code == REBAL_OK) { /* few rows, which are repaired at once, in both orders */
    code = begin(ctx, many, handle, &fits);
    code = code == REBAL_OK ? rebali_fits_best(&fits, 0, 7, &keys, &n) : code;
    ck_assert(code != REBAL_OK || (n >= 7 && rebali_ranking_value(keys[6]) == 60));
    code = code == REBAL_OK ? rebali_fits_best(&fits, 1, 7, &keys, &n) : code;
    ck_assert(code != REBAL_OK || (n >= 7 && rebali_ranking_value(keys[6]) == 60));
    rebali_ctx_end(ctx);
  }
  set_clusters(many, 50, 240, 70);
  if (code == REBAL_OK) { /* too many to repair one by one */
    code = begin(ctx, many, handle, &fits);
    code = code == REBAL_OK ? rebali_fits_best(&fits, 1, 190, &keys, &n) : code;
    ck_assert(code != REBAL_OK || (n >= 190 && rebali_ranking_value(keys[189]) == 70 && fits.replicas[239] == 70));
    rebali_ctx_end(ctx);
  }
  return code;
}

struct orders {
  struct test_world many;
  uint32_t handle;
};

static int32_t order_in_scarcity(const rebal_allocator *allocator, void *user_data) {
  struct orders *orders = user_data;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? change_in_order(ctx, &orders->many, orders->handle) : code;
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_changes_of_what_is_in_order) {
  struct orders orders;

  open_rows(&orders.many, &orders.handle);
  ck_assert_pstr_eq(test_torture(order_in_scarcity, &orders), NULL);
  test_world_close(&orders.many);
}
END_TEST

/* More changes than rows, some of them new rows; then few changes, with which the public call catches up. */
static int32_t renew_in_scarcity(const rebal_allocator *allocator, void *user_data) {
  struct test_world some;
  rebal_result *result = NULL;
  rebal_ctx *ctx = NULL;
  uint32_t handle;
  int32_t code;

  (void)user_data;
  test_world_open(&some, NULL);
  handle = test_request_handle(&some, "cpu=1");
  set_clusters(&some, 0, 10, 1);
  code = rebal_ctx_new(allocator, NULL, &ctx, NULL);
  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  for (uint32_t i = 0; i < 3 && code == REBAL_OK; i++) {
    code = rebal_estimate(ctx, some.snapshot, handle, NULL, result, NULL);
    ck_assert(code != REBAL_OK || rebal_result_i64(result, REBAL_ESTIMATE_REPLICAS, NULL)[9] == 1 + i);
    set_clusters(&some, 0, 40, 9);
    set_clusters(&some, i == 0 ? 0 : 5, 40, 2 + i);
  }
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  test_world_close(&some);
  return code;
}

START_TEST(test_more_changes_than_rows) {
  ck_assert_pstr_eq(test_torture(renew_in_scarcity, NULL), NULL);
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
  tcase_add_test(cases, test_models_on_a_later_page);
  tcase_add_test(cases, test_changes_of_what_is_in_order);
  tcase_add_test(cases, test_more_changes_than_rows);
  return cases;
}
