/* SPDX-License-Identifier: MIT */
#include "running.h"

#define LOST "taint: {cluster: m1, taint: \"k:NoExecute\"}\nadvance: 1m\n"
#define PLACED(where) "expect:\n- object: {kind: Deployment, name: foo}\n  placement: " where "\n"
#define ONE_CLUSTER HEAD(EVICTING) CLUSTER("m1") FOO("3") POLICY("{" DYNAMIC "}")

static void assert_owned(const char *scenario, const char *controller, const char *change, const char *reason) {
  rebal_simulation *simulation = run_scenario(scenario);
  size_t n = 0;
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    if (strncmp(log_entry(simulation, i).reason, reason, strlen(reason)) == 0) {
      ck_assert_uint_eq(log_entry(simulation, i).kind, REBAL_LOG_KIND_NOTE);
      ck_assert_str_eq(log_entry(simulation, i).controller, controller);
      ck_assert_str_eq(log_entry(simulation, i).object,
                       "ResourceBinding default/foo-deployment");
      ck_assert_str_eq(log_entry(simulation, i).change, change);
      n++;
    }
  }
  ck_assert_uint_eq(n, 1);
  rebal_simulation_free(simulation);
}

START_TEST(test_each_is_reported_once) {
  assert_owned(HEAD("options: {enableNoExecuteTaintEviction: true, noExecuteTaintEvictionPurgeMode: Directly}\n")
                   CLUSTER("m1") CLUSTER("m2") FOO("3") POLICY("{" DYNAMIC "}") STEP("s") LOST PLACED("{m2: 3}"),
               "taint-manager", "breach: 2 replicas go from m1", "purges-directly: see rebalance-compat(7)");
  assert_owned(HEAD("") CLUSTER("m1") FOO("3") POLICY("{" DYNAMIC "}")
                   STEP("s") "delete: {kind: Cluster, name: m1}\n" PLACED("{}"),
               "scheduler", "breach: 3 replicas go from m1", "no-fit-clears: ");
  assert_owned(HEAD(EVICTING) CLUSTER("m1") CLUSTER("m2") FOO("15") POLICY("{" DYNAMIC "}")
                   STEP("s") "taint: {cluster: m1, taint: \"k:NoExecute\"}\n" PLACED("{m2: 7}"),
               "scheduler", "breach: 8 replicas have no cluster", "keeps-shrunken: ");
}
END_TEST

START_TEST(test_none_where_all_is_well) {
  rebal_simulation *simulation = run_scenario(BASIC STEP("s") "advance: 1h\n" PLACED("{m1: 2, m2: 1}"));
  ck_assert_uint_eq(count_rows(simulation, "scheduler", "breach: "), 0);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(core) {
  TCase *cases = tcase_create("core");
  tcase_add_test(cases, test_each_is_reported_once);
  tcase_add_test(cases, test_none_where_all_is_well);
  return cases;
}
