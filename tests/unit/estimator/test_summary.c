/* SPDX-License-Identifier: MIT */
/* Free pods and resources of the summary (rebalance-karmada(7) 6.3), with and without charges of a ledger (6.6). */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../unit.h"

static const struct {
  struct test_cluster cluster;
  const char *request;
  int64_t replicas;
} rows[] = {
    {{"m", "pods=10", "pods=4", "pods=7"}, NULL, 0},
    {{"m", "pods=10", "pods=4", "pods=6"}, NULL, 0},
    {{"m", "pods=10500m"}, NULL, 11}, /* rounded away from zero, each part alone */
    {{"m", "pods=10", "pods=500m"}, NULL, 9},
    {{"m", NULL, "pods=-5"}, NULL, 5}, /* a missing amount counts as 0 */
    {{"m", "pods=10", NULL, "cpu=1"}, "cpu=1", 0},
    {{"m", "cpu=4 pods=10", "cpu=3600m"}, "cpu=1", 0}, /* 0.4 passes the first check and then fits 0 times */
    {{"m", "cpu=4 pods=10", "cpu=3600m"}, "cpu=100m", 4},
    {{"m", "cpu=4 pods=10"}, "cpu=-1", 10},
    {{"m", "cpu=4 pods=10"}, "cpu=1n", 10},
    {{"m", "storage=4 pods=10"}, "storage=2", 2}, /* any name counts, unlike in the vector form */
    {{"m", "memory=1.5Gi pods=10", "memory=0.1Gi"}, "memory=500Mi", 2},
    {{"m", "memory=9223372036854775807 pods=10", "memory=-9223372036854775807"}, "memory=9223372036854775807", 1},
    {{"m", "pods=9223372036854775807", "pods=-9223372036854775807"}, NULL, INT32_MAX},
    {{"m", "pods=2147483648"}, NULL, INT32_MAX},
    {{"m", "pods=10", .deleting = 1}, NULL, 10},
};

START_TEST(test_summaries) {
  ck_assert_int_eq(estimate_one(&rows[_i].cluster, rows[_i].request, NULL), rows[_i].replicas);
}
END_TEST

/* Charges of another binding in the cluster, and what fits beside them. */
static const struct {
  const char *held;
  int32_t replicas;
  const char *request;
  int64_t fits; /* into cpu=10 memory=16Gi pods=100 storage=10 */
} charges[] = {
    {NULL, 40, NULL, 60},
    {NULL, 100, NULL, 0},
    {"", 40, "", 60},
    {"cpu=100m", 40, "cpu=1", 6},
    {"cpu=1500u", 3, "cpu=1", 9}, /* 2m each */
    {"cpu=1", 10, "cpu=1m", 0},
    {"cpu=11", 1, "cpu=1m", 0},
    {"memory=1500m", 2, "memory=16Gi", 0}, /* in whole units: 4 bytes are gone */
    {"memory=1500m", 2, "memory=8Gi", 1},
    {"cpu=1", 5, "memory=4Gi", 4},
    {"foo=1", 5, "cpu=1", 10},
    {"foo=1", 5, "foo=1", 0},
    {"pods=3", 10, NULL, 60},     /* ten pods, and thirty requested by name */
    {"pods=3", 10, "pods=2", 30}, /* a request for pods counts both */
    {"cpu=1", 30, "pods=2", 35},
    {"storage=3", 2, "storage=2", 2},
};

START_TEST(test_what_is_spent_counts_as_allocating) {
  static const struct test_cluster cluster = {"m", "cpu=10 memory=16Gi pods=100 storage=10"};
  struct test_world world;
  rebal_ledger *ledger = NULL;
  rebal_estimate_opts opts = {(uint32_t)sizeof opts, 0, NULL, NULL};
  uint32_t wanted;

  test_world_open(&world, NULL);
  (void)test_add_cluster(&world, &cluster);
  wanted = test_request_handle(&world, charges[_i].request);
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  test_charge(ledger, "a/b", 0, test_request_handle(&world, charges[_i].held), charges[_i].replicas);
  opts.ledger = ledger;
  ck_assert_int_eq(estimate_in(&world, wanted, &opts, 0), charges[_i].fits);
  rebal_ledger_free(ledger);
  test_world_close(&world);
}
END_TEST

UNIT_CASE(summary) {
  TCase *cases = tcase_create("summary");

  tcase_add_loop_test(cases, test_summaries, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_what_is_spent_counts_as_allocating, 0, (int)REBALI_COUNT(charges));
  return cases;
}
