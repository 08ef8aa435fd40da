/* SPDX-License-Identifier: MIT */
#include "running.h"

/* The application never becomes ready in m1. */
#define FLEET(failover)                       \
  HEAD("members: {m1: {readyAfter: 100h}}\n") \
  CLUSTER("m1") CLUSTER("m2") FOO("3")                                                                         \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: pp}\nspec:\n"        \
  "  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: foo}]\n  propagateDeps: true\n"         \
  "  placement: {clusterTolerations: [], " DYNAMIC "}\n" failover
#define TOLERATING(seconds, mode) \
  "  failover: {application: {decisionConditions: {tolerationSeconds: " seconds "}, purgeMode: " mode "}}\n"
#define PLACED(where) "expect:\n- object: {kind: Deployment, name: foo}\n  placement: " where "\n"

/* Unhealthy since 0: more than 60 seconds have passed only after the pass at 60 s. */
START_TEST(test_evicts_after_the_toleration) {
  rebal_simulation *simulation = run_scenario(FLEET(TOLERATING("60", "Directly")) STEP("a") "at: 59s\n" PLACED(
      "{m1: 2, m2: 1}") STEP("b") "at: 5m\n" PLACED("{m2: 3}"));
  ck_assert_str_eq(time_of(simulation, "application-failover", "spec.clusters: {m1:2, m2:1} -> {m2:1}"),
                   "2024-01-01T00:01:01Z");
  rebal_simulation_free(simulation);
}
END_TEST

/* Replicas that become ready in time are no longer tracked. */
START_TEST(test_recovers) {
  rebal_simulation *simulation = run_scenario(HEAD("readyAfter: 50s\n") CLUSTER("m1") CLUSTER("m2") FOO("3") POLICY(
      "{" DYNAMIC
      "}\n  propagateDeps: true\n  failover: {application: {decisionConditions: {tolerationSeconds: 60}, "
      "purgeMode: Directly}}") STEP("a") "at: 30m\n" PLACED("{m1: 2, m2: 1}"));
  ck_assert_uint_eq(count_rows(simulation, "application-failover", ""), 0);
  rebal_simulation_free(simulation);
}
END_TEST

/* The policy does not enable failover. */
START_TEST(test_off_by_default) {
  assert_runs(FLEET("") STEP("a") "at: 30m\n" PLACED("{m1: 2, m2: 1}"));
}
END_TEST

UNIT_CASE(application_failover) {
  TCase *cases = tcase_create("application_failover");
  tcase_add_test(cases, test_evicts_after_the_toleration);
  tcase_add_test(cases, test_recovers);
  tcase_add_test(cases, test_off_by_default);
  return cases;
}
