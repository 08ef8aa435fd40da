/* SPDX-License-Identifier: MIT */
#include "making.h"

static const struct request big[2] = {{"memory", {INT64_MAX, 0, REBAL_FORMAT_BINARY_SI}},
                                      {"debt", {INT64_MIN, 0, REBAL_FORMAT_DECIMAL_SI}}};

static rebal_ledger *new_ledger(const rebal_fleet *fleet) {
  rebal_ledger *ledger = NULL;

  ck_assert_int_eq(rebal_ledger_new(fleet, NULL, &ledger, NULL), REBAL_OK);
  return ledger;
}

static void charge(rebal_ledger *ledger, const char *key, uint32_t requirements, int32_t replicas) {
  ck_assert_int_eq(
      rebal_ledger_charge(ledger, key, strlen(key), 0, requirements, replicas, NULL, NULL), REBAL_OK);
}

/* Sums beyond int64_t are shown saturated, and come back when what was too much is taken away. */
START_TEST(test_saturates_and_recovers) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t memory = resource_of(fleet, "memory");
  const uint32_t debt = resource_of(fleet, "debt");
  rebal_ledger *ledger = new_ledger(fleet);
  const struct rebali_charge *charges;
  uint32_t requirements;
  int64_t pods = 0;
  size_t n = 0;

  add_cluster(fleet, "a");
  requirements = requirements_of(fleet, big, 2);
  charge(ledger, "ns/a", requirements, 1);
  charge(ledger, "ns/b", requirements, INT32_MAX);
  charges = rebali_ledger_charges(ledger, 0, &n, &pods);
  ck_assert_uint_eq(n, 2);
  ck_assert_uint_eq(charges[0].resource, memory);
  ck_assert_uint_eq(charges[1].resource, debt);
  ck_assert_int_eq(charges[0].amount, INT64_MAX);
  ck_assert_int_eq(charges[1].amount, INT64_MIN);
  ck_assert_int_eq(pods, INT64_C(1) << 31);
  charge(ledger, "ns/b", REBAL_NONE, 1);
  charges = rebali_ledger_charges(ledger, 0, &n, &pods);
  ck_assert_int_eq(charges[0].amount, INT64_MAX);
  ck_assert_int_eq(charges[1].amount, INT64_MIN);
  charge(ledger, "ns/a", REBAL_NONE, 1);
  rebali_ledger_charges(ledger, 0, &n, &pods);
  ck_assert_uint_eq(n, 0);
  ck_assert_int_eq(pods, 2);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

/* A name that the fleet learns later gets its id then; the order is that of the ids. */
START_TEST(test_names_learnt_later) {
  static const struct request requests[4] = {{"a", {1, 0, 1}}, {"b", {2, 0, 1}}, {"c", {3, 0, 1}}, {"d", {4, 0, 1}}};
  rebal_fleet *fleet = new_fleet();
  rebal_ledger *ledger = new_ledger(fleet);
  const struct rebali_charge *charges;
  int64_t pods = 0;
  size_t n = 0;

  add_cluster(fleet, "x");
  resource_of(fleet, "c");
  charge(ledger, "ns/a", requirements_of(fleet, requests, 4), 1);
  charges = rebali_ledger_charges(ledger, 0, &n, &pods);
  ck_assert_uint_eq(n, 4);
  ck_assert_uint_eq(charges[0].resource, 0);
  ck_assert_int_eq(charges[0].amount, 3);
  ck_assert_uint_eq(charges[1].resource, REBAL_NONE);
  ck_assert_uint_eq(charges[3].resource, REBAL_NONE);
  resource_of(fleet, "d");
  resource_of(fleet, "a");
  charges = rebali_ledger_charges(ledger, 0, &n, &pods);
  ck_assert_uint_eq(n, 4);
  ck_assert(charges[0].resource == 0 && charges[0].amount == 3);
  ck_assert(charges[1].resource == 1 && charges[1].amount == 4);
  ck_assert(charges[2].resource == 2 && charges[2].amount == 1);
  ck_assert(charges[3].resource == REBAL_NONE && charges[3].amount == 2);
  charge(ledger, "ns/b", requirements_of(fleet, requests, 3), 10);
  charges = rebali_ledger_charges(ledger, 0, &n, &pods);
  ck_assert_uint_eq(n, 4);
  ck_assert_int_eq(charges[0].amount, 33);
  ck_assert_int_eq(charges[1].amount, 4);
  ck_assert_int_eq(charges[2].amount, 11);
  ck_assert_int_eq(charges[3].amount, 22);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(ledger_sums) {
  TCase *cases = tcase_create("ledger_sums");
  tcase_add_test(cases, test_saturates_and_recovers);
  tcase_add_test(cases, test_names_learnt_later);
  return cases;
}
