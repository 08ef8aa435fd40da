/* SPDX-License-Identifier: MIT */
/* Which resource limits an estimate. */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define NODES .models = "0:cpu=2,memory=1Gi 1:cpu=4,memory=8Gi", .modelings = "0=2 1=1"

static const struct {
  struct test_cluster cluster;
  const char *request;
  int32_t held; /* replicas of the same request in the ledger */
  const char *limit;
} rows[] = {
    {{"m"}, "cpu=1", 0, "resource summary"},
    {{"m", "cpu=9"}, "cpu=1", 0, "pods"},
    {{"m", "cpu=9 pods=5"}, NULL, 0, "pods"},
    {{"m", "cpu=9 pods=5"}, "", 0, "pods"},
    {{"m", "cpu=9 pods=5"}, "cpu=2", 0, "cpu"},
    {{"m", "cpu=9 pods=5"}, "cpu=1", 0, "pods"},
    {{"m", "cpu=5 pods=5"}, "cpu=1", 0, "pods"},                  /* among equals pods */
    {{"m", "cpu=5 memory=5 pods=9"}, "memory=1 cpu=1", 0, "cpu"}, /* then by name */
    {{"m", "cpu=5 memory=4 pods=9"}, "memory=1 cpu=1", 0, "memory"},
    {{"m", "cpu=5 pods=9"}, "foo=1 cpu=1", 0, "foo"},
    {{"m", "cpu=9 pods=90"}, "cpu=1", 9, "cpu"},
    {{"m", "cpu=99 pods=9"}, "cpu=1", 9, "pods"},
    {{"m", "pods=9223372036854775807"}, "", 0, ""},
    {{"m", "pods=9223372036854775807 cpu=1E"}, "cpu=1", 0, ""},
    {{"m", "cpu=1 pods=99", NODES}, "cpu=1", 0, "cpu"},
    {{"m", "cpu=1 pods=8", NODES}, "cpu=1", 0, "pods"},
    {{"m", "cpu=1 pods=99", NODES}, "memory=1Gi", 0, "memory"},
    {{"m", "cpu=1 pods=999", NODES}, "cpu=1m", 0, "pods"},                     /* of the nodes: 110 each */
    {{"m", "cpu=1 pods=99", NODES}, "cpu=1 memory=1Gi", 0, "resource models"}, /* memory on two nodes, cpu on one */
    {{"m", "cpu=1 pods=99", NODES}, "example.com/x=1", 0, "example.com/x"},
    {{"m", "cpu=1 pods=99", NODES}, "cpu=1", 8, "cpu"},
    {{"m", "cpu=9 pods=99", NODES}, NULL, 0, "pods"},
    {{"m", "cpu=1 pods=99", NODES}, "cpu=0 memory=1Gi", 0, "memory"},
    {{"m", "cpu=5 pods=9", .models = "0:cpu=1"}, "cpu=1", 0, "cpu"}, /* nodes are not counted by them */
};

static struct test_world world;

static void setup(void) {
  test_world_open(&world, NULL);
}

static void teardown(void) {
  test_world_close(&world);
}

static int32_t limit(rebal_ctx *ctx, uint32_t request, const rebal_compat *compat, const rebal_ledger *ledger,
                     struct rebali_text *out) {
  int32_t code = rebali_ctx_begin(ctx, NULL);

  if (code == REBAL_OK) {
    code = rebali_estimate_limit(ctx, world.snapshot, 0, request, compat, ledger, out, NULL);
    rebali_ctx_end(ctx);
  }
  return code;
}

START_TEST(test_limits) {
  struct rebali_text found;
  rebal_ledger *ledger = NULL;
  uint32_t request;

  (void)test_add_cluster(&world, &rows[_i].cluster);
  request = test_request_handle(&world, rows[_i].request);
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  test_charge(ledger, "ns/a", 0, request, rows[_i].held);
  ck_assert_int_eq(limit(world.ctx, request, NULL, ledger, &found), REBAL_OK);
  ck_assert_uint_eq(found.len, strlen(rows[_i].limit));
  ck_assert_int_eq(memcmp(found.bytes, rows[_i].limit, found.len), 0);
  rebal_ledger_free(ledger);
}
END_TEST

static const struct {
  struct test_cluster cluster;
  const char *request;
  int32_t held;
  uint32_t gate;
  const char *open, *shut;
} gates[] = {
    {{"m", "cpu=9 pods=10"}, "cpu=1", 10, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, "pods", "cpu"},
    {{"m", "cpu=1 pods=999", NODES},
     "cpu=1 memory=1Gi",
     0,
     REBAL_OPTION_GATE_RESOURCE_MODELS,
     "resource models",
     "memory"},
};

START_TEST(test_gates) {
  rebal_ledger *ledger = NULL;
  uint32_t request;

  (void)test_add_cluster(&world, &gates[_i].cluster);
  request = test_request_handle(&world, gates[_i].request);
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  test_charge(ledger, "ns/a", 0, request, gates[_i].held);
  for (int is_open = 0; is_open < 2; is_open++) {
    rebal_compat *compat = test_compat(gates[_i].gate, is_open);
    struct rebali_text found;

    ck_assert_int_eq(limit(world.ctx, request, compat, ledger, &found), REBAL_OK);
    ck_assert_mem_eq(found.bytes, is_open ? gates[_i].open : gates[_i].shut, found.len);
    ck_assert_uint_eq(found.len, strlen(is_open ? gates[_i].open : gates[_i].shut));
    rebal_compat_free(compat);
  }
  rebal_ledger_free(ledger);
}
END_TEST

static int32_t query(const rebal_allocator *allocator, void *user_data) {
  const uint32_t *request = user_data;
  struct rebali_text found;
  rebal_ctx *ctx = NULL;
  int32_t code = rebal_ctx_new(allocator, NULL, &ctx, NULL);

  code = code == REBAL_OK ? limit(ctx, *request, NULL, NULL, &found) : code;
  rebal_ctx_free(ctx);
  return code;
}

START_TEST(test_out_of_memory) {
  static const struct test_cluster cluster = {"m", "cpu=1 pods=99", NODES};
  uint32_t request;

  (void)test_add_cluster(&world, &cluster);
  request = test_request_handle(&world, "cpu=1 memory=1Gi");
  test_freeze(&world);
  ck_assert_pstr_eq(test_torture(query, &request), NULL);
}
END_TEST

UNIT_CASE(limiting_resource) {
  TCase *cases = tcase_create("limiting_resource");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_limits, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_gates, 0, (int)REBALI_COUNT(gates));
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
