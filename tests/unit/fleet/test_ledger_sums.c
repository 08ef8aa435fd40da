/* SPDX-License-Identifier: MIT */
#include "making.h"

static const struct request big[2] = {{"memory", {INT64_MAX, 0, REBAL_QUANTITY_FORMAT_BINARY_SI}},
                                      {"debt", {INT64_MIN, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI}}};

static rebal_ledger *new_ledger(const rebal_fleet *fleet) {
  rebal_ledger *ledger = NULL;

  ck_assert_int_eq(rebal_ledger_new(fleet, NULL, &ledger, NULL), REBAL_OK);
  return ledger;
}

static void charge(rebal_ledger *ledger, const char *key, uint32_t requirements, int32_t replicas) {
  ck_assert_int_eq(test_charge_set(ledger, key, 0, &requirements, &replicas, 1, NULL), REBAL_OK);
}

static struct rebali_charge charge_of(const rebal_ledger *ledger, const char *name) {
  return rebali_ledger_charge(ledger, 0, rebali_text(name, strlen(name)));
}

/* Sums beyond int64_t are shown saturated, and come back when what was too much is taken away. */
START_TEST(test_saturates_and_recovers) {
  rebal_fleet *fleet = new_fleet();
  rebal_ledger *ledger = new_ledger(fleet);
  uint32_t requirements;

  add_cluster(fleet, "a");
  requirements = requirements_of(fleet, big, 2);
  charge(ledger, "ns/a", requirements, 1);
  charge(ledger, "ns/b", requirements, INT32_MAX);
  ck_assert_int_eq(charge_of(ledger, "memory").amount, INT64_MAX);
  ck_assert_int_eq(charge_of(ledger, "debt").amount, INT64_MIN);
  ck_assert_int_eq(rebali_ledger_pods(ledger, 0), INT64_C(1) << 31);
  charge(ledger, "ns/b", REBAL_NONE, 1);
  ck_assert_int_eq(charge_of(ledger, "memory").amount, INT64_MAX);
  ck_assert_int_eq(charge_of(ledger, "debt").amount, INT64_MIN);
  charge(ledger, "ns/a", REBAL_NONE, 1);
  ck_assert_int_eq(charge_of(ledger, "memory").amount, 0);
  ck_assert_int_eq(charge_of(ledger, "debt").amount, 0);
  ck_assert_int_eq(rebali_ledger_pods(ledger, 0), 2);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

/* Names that no cluster states are charged too. */
START_TEST(test_names_the_fleet_does_not_know) {
  static const struct request requests[3] = {{"gpu", {2, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI}},
                                             {"cpu", {0, 1000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI}},
                                             {"memory", {1, 0, REBAL_QUANTITY_FORMAT_BINARY_SI}}};
  rebal_fleet *fleet = new_fleet();
  rebal_ledger *ledger = new_ledger(fleet);
  uint32_t requirements;

  add_cluster(fleet, "a");
  requirements = requirements_of(fleet, requests, 3);
  charge(ledger, "ns/a", requirements, 3);
  charge(ledger, "ns/b", requirements_of(fleet, requests, 1), 10);
  ck_assert_int_eq(charge_of(ledger, "gpu").amount, 26);
  ck_assert_int_eq(charge_of(ledger, "cpu").amount, 3);
  ck_assert_int_eq(charge_of(ledger, "memory").amount, 3);
  charge(ledger, "ns/a", REBAL_NONE, 0);
  ck_assert_int_eq(charge_of(ledger, "gpu").amount, 20);
  ck_assert_int_eq(charge_of(ledger, "cpu").amount, 0);
  ck_assert_uint_eq(rebali_ledger_names(ledger), 3);
  rebal_ledger_free(ledger);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(ledger_sums) {
  TCase *cases = tcase_create("ledger_sums");
  tcase_add_test(cases, test_saturates_and_recovers);
  tcase_add_test(cases, test_names_the_fleet_does_not_know);
  return cases;
}
