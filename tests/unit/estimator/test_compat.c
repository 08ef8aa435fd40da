/* SPDX-License-Identifier: MIT */
/* Where the reference's estimates surprise its users and are mirrored (rebalance-karmada(7) 6.3, 6.4, 6.7). */
#include "estimating.h"

#include "estimator/estimator.h"

#include "../unit.h"

/* Sets of a single pod. */
static int64_t sets_of_one(const struct test_cluster *cluster, const char *request, const rebal_estimate_opts *opts) {
  const struct test_component one = {request, 1};

  return estimate_set(cluster, &one, 1, opts);
}

/* 6.3: a summary that names no pods offers none. */
START_TEST(test_a_summary_without_pods_offers_nothing) {
  static const struct test_cluster silent = {"m", "cpu=10"}, stating = {"m", "cpu=10 pods=7"};

  ck_assert_int_eq(estimate_one(&silent, "cpu=1", NULL), 0);
  ck_assert_int_eq(estimate_one(&silent, NULL, NULL), 0);
  ck_assert_int_eq(estimate_one(&stating, NULL, NULL), 7);
}
END_TEST

/* 6.3: pods beyond int32 wrap by option only. */
START_TEST(test_pods_beyond_int32_wrap_by_option) {
  static const struct test_cluster cluster = {"m", "pods=5000000000"};
  rebal_compat *compat = test_compat(REBAL_OPTION_INT32_WRAP, 1);
  const rebal_estimate_opts opts = {.struct_size = sizeof opts, .compat = compat};

  ck_assert_int_eq(estimate_one(&cluster, NULL, NULL), INT32_MAX);
  ck_assert_int_eq(estimate_one(&cluster, NULL, &opts), 705032704);
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_numbers_beyond_int32) {
  const struct rebali_rules saturates = {.wrap = 0}, wraps = {.wrap = 1};

  ck_assert_int_eq(rebali_rules_cast(&saturates, INT64_MIN), INT32_MIN);
  ck_assert_int_eq(rebali_rules_cast(&saturates, -7), -7);
  ck_assert_int_eq(rebali_rules_cast(&saturates, INT64_C(1) << 31), INT32_MAX);
  ck_assert_int_eq(rebali_rules_cast(&wraps, (INT64_C(1) << 32) - 7), -7);
  ck_assert_int_eq(rebali_rules_cast(&wraps, INT64_C(1) << 31), INT32_MIN);
}
END_TEST

#define MODELLED "m", "cpu=10 nvidia.com/gpu=10 foo=10 pods=100", .models = "1:cpu=1 2:cpu=2", .modelings = "1=2 2=1"

/* 6.3.1: a resource that no model has is missing, even if the summary has it; names of no scalar are ignored. */
START_TEST(test_what_is_not_modelled_is_missing) {
  static const struct test_cluster cluster = {MODELLED};

  ck_assert_int_eq(estimate_one(&cluster, "cpu=1", NULL), 4);
  ck_assert_int_eq(estimate_one(&cluster, "nvidia.com/gpu=1", NULL), 0);
  ck_assert_int_eq(estimate_one(&cluster, "foo=1", NULL), 100);
}
END_TEST

/* 6.3.1, 12.2: model nodes are charged with what is promised whatever the gate; the summary is not. */
START_TEST(test_promises_fill_model_nodes_with_the_gate_shut) {
  static const struct test_cluster cluster = {MODELLED}, plain = {"n", "cpu=10 pods=100"};
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0);
  rebal_estimate_opts opts = {.struct_size = sizeof opts, .compat = compat};
  rebal_ledger *ledger = NULL;
  const struct test_component promised = {"cpu=1", 3};
  struct test_world world;
  uint32_t request, ids[2];

  test_world_open(&world, NULL);
  ids[0] = test_add_cluster(&world, &cluster);
  ids[1] = test_add_cluster(&world, &plain);
  request = test_request_handle(&world, "cpu=1");
  test_freeze(&world);
  ck_assert_int_eq(rebal_ledger_new(world.fleet, NULL, &ledger, NULL), REBAL_OK);
  for (size_t i = 0; i < 2; i++) {
    charge_set(&world, ledger, "ns/a", ids[i], &promised, 1);
  }
  opts.ledger = ledger;
  ck_assert_int_eq(estimate_in(&world, request, &opts, 0), 1);
  ck_assert_int_eq(estimate_in(&world, request, &opts, 1), 10);
  rebal_ledger_free(ledger);
  rebal_compat_free(compat);
  test_world_close(&world);
}
END_TEST

/* 6.4: sets are counted in the notation the user wrote; replicas of the same request are not. */
START_TEST(test_sets_depend_on_the_notation_of_amounts) {
  static const struct test_cluster binary = {"m", "memory=16Gi pods=100"}, decimal = {"m", "memory=16G pods=100"};

  ck_assert_int_eq(sets_of_one(&binary, "memory=1Gi", NULL), 16);
  ck_assert_int_eq(sets_of_one(&binary, "memory=1000M", NULL), 0);
  ck_assert_int_eq(sets_of_one(&decimal, "memory=1Gi", NULL), 100);
  ck_assert_int_eq(estimate_one(&binary, "memory=1000M", NULL), 17);
}
END_TEST

/* 6.4: a quotient beyond int32 is negative by option only. */
START_TEST(test_sets_beyond_int32_wrap_by_option) {
  static const struct test_cluster cluster = {"m", "memory=68719476736 pods=100"};
  rebal_compat *compat = test_compat(REBAL_OPTION_INT32_WRAP, 1);
  const rebal_estimate_opts opts = {.struct_size = sizeof opts, .compat = compat};

  ck_assert_int_eq(sets_of_one(&cluster, "memory=700m", NULL), 100);
  ck_assert_int_eq(sets_of_one(&cluster, "memory=700m", &opts), -613566757);
  rebal_compat_free(compat);
}
END_TEST

/* 6.7: first fit in the order of the components; a set that does not fit ends the count. */
START_TEST(test_sets_depend_on_the_order_of_components) {
  static const struct test_cluster cluster = {"m", "cpu=5 pods=20", .models = "1:cpu=4 2:cpu=1",
                                              .modelings = "1=1 2=1"};
  static const struct test_component large_first[] = {{"cpu=4", 1}, {"cpu=1", 1}};
  static const struct test_component small_first[] = {{"cpu=1", 1}, {"cpu=4", 1}};

  ck_assert_int_eq(estimate_set(&cluster, large_first, 2, NULL), 1);
  ck_assert_int_eq(estimate_set(&cluster, small_first, 2, NULL), 0);
}
END_TEST

UNIT_CASE(compat) {
  TCase *cases = tcase_create("compat");

  tcase_add_test(cases, test_a_summary_without_pods_offers_nothing);
  tcase_add_test(cases, test_pods_beyond_int32_wrap_by_option);
  tcase_add_test(cases, test_numbers_beyond_int32);
  tcase_add_test(cases, test_what_is_not_modelled_is_missing);
  tcase_add_test(cases, test_promises_fill_model_nodes_with_the_gate_shut);
  tcase_add_test(cases, test_sets_depend_on_the_notation_of_amounts);
  tcase_add_test(cases, test_sets_beyond_int32_wrap_by_option);
  tcase_add_test(cases, test_sets_depend_on_the_order_of_components);
  return cases;
}
