/* SPDX-License-Identifier: MIT */
#include "running.h"

#define APPLIED(more, workload)                                                                             \
  "apply:\n  apiVersion: apps.karmada.io/v1alpha1\n  kind: WorkloadRebalancer\n"                           \
  "  metadata: {name: demo}\n  spec: {" more                                                                \
  "workloads: [{apiVersion: apps/v1, kind: Deployment, namespace: default, name: " workload "}]}\n"
#define REBALANCER(more, workload) STEP("rebalance") "after: 30s\n" APPLIED(more, workload)
#define DEMO "- object: {kind: WorkloadRebalancer, name: demo}\n  "

START_TEST(test_missing_binding) {
  assert_runs(BASIC REBALANCER("", "bar") "expect:\n" DEMO
                                          "field: status.observedWorkloads[0].reason\n"
                                          "  equals: ReferencedBindingNotFound\n" DEMO
                                          "field: status.observedWorkloads[0].result\n  equals: Failed\n");
}
END_TEST

/*
 * The delete carries the version read before the status was written: the second run deletes (rebalance-karmada(7) 9.2).
 */
START_TEST(test_no_time_to_live) {
  rebal_simulation *simulation = run_scenario(
      BASIC REBALANCER("ttlSecondsAfterFinished: 0, ", "foo") "advance: 1s\nexpect:\n" DEMO "absent: true\n");
  ck_assert_uint_eq(count_rows(simulation, "rebalancer", "run again after a pause"), 1);
  ck_assert_str_eq(time_of(simulation, "rebalancer", "deleted"), "2024-01-01T00:00:30.005Z");
  rebal_simulation_free(simulation);
}
END_TEST

/* Each failure doubles the pause: an edit within the first one is run at once, and its delete fails as well. */
START_TEST(test_pauses_double) {
  rebal_simulation *simulation = run_scenario(BASIC REBALANCER(
      "ttlSecondsAfterFinished: 0, ",
      "foo") STEP("edit") "after: 2ms\n" APPLIED("ttlSecondsAfterFinished: 0, ", "bar") "advance: 1s\nexpect:\n" DEMO
                                                                                    "absent: true\n");
  ck_assert_uint_eq(count_rows(simulation, "rebalancer", "run again after a pause"), 2);
  ck_assert_str_eq(time_of(simulation, "rebalancer", "deleted"), "2024-01-01T00:00:30.012Z");
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_time_to_live) {
  rebal_simulation *simulation = run_scenario(BASIC REBALANCER(
      "ttlSecondsAfterFinished: 60, ", "foo") "advance: 59s\nexpect:\n" DEMO
                                              "field: status.finishTime\n  equals: \"2024-01-01T00:00:30Z\"\n" STEP(
                                                  "later") "after: 1s\nexpect:\n" DEMO "absent: true\n");
  ck_assert_str_eq(time_of(simulation, "rebalancer", "deleted"), "2024-01-01T00:01:30Z");
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(rebalancers) {
  TCase *cases = tcase_create("rebalancers");
  tcase_add_test(cases, test_missing_binding);
  tcase_add_test(cases, test_no_time_to_live);
  tcase_add_test(cases, test_pauses_double);
  tcase_add_test(cases, test_time_to_live);
  return cases;
}
