/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#include <stdlib.h>

#define TWO(replicas, more)                                                                           \
  HEAD("members: {m1: {nodes: [" NODE("a") ", " NODE("b") "]}, m2: {nodes: [" NODE("a") "]}}\n" more) \
  BARE("m1") BARE("m2") WORKLOAD("foo", replicas, "600m", "") POLICY("{" DYNAMIC "}")
#define PLACED(where) "expect:\n- object: {kind: Deployment, name: foo}\n  placement: " where "\n"
#define SCALED(n)                                                                             \
  "apply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: {replicas: " n \
  ", template: {spec: "                                                                       \
  "{containers: [{name: c, resources: {requests: {cpu: 600m}}}]}}}}\n"

/* By its summary m1 has capacity for three replicas, by its nodes for one on each. */
START_TEST(test_estimators_examine_nodes) {
  assert_runs(TWO("4", "") STEP("s") PLACED("{m1: 3, m2: 1}"));
  assert_runs(TWO("4", "options: {enableSchedulerEstimator: true}\n") STEP("s") PLACED("{}"));
  assert_runs(TWO("3", "options: {enableSchedulerEstimator: true}\n") STEP("s") PLACED("{m1: 2, m2: 1}"));
}
END_TEST

/* Running pods are subtracted; cordoned nodes do not count. */
START_TEST(test_estimators_see_changes) {
  assert_runs(TWO("3", "options: {enableSchedulerEstimator: true}\n") STEP(
      "s") "delete: {kind: Deployment, name: foo}\n" STEP("cordoned") "cordon: {cluster: m1, node: a}\n" SCALED("2")
                  PLACED("{m1: 1, m2: 1}") STEP("more") "uncordon: {cluster: m1, node: a}\n" STEP("scaled") SCALED("3")
                      PLACED("{m1: 2, m2: 1}"));
}
END_TEST

/* A deleted cluster has no estimator any more; the estimators of the others still belong to their clusters. */
START_TEST(test_a_cluster_is_gone) {
  assert_runs(TWO("1", "options: {enableSchedulerEstimator: true}\n") STEP("m1 is left") PLACED("{m1: 1}")
                  STEP("deleted") "delete: {kind: Deployment, name: foo}\n" STEP(
                      "gone") "delete: {kind: Cluster, name: m1}\n" STEP("again") SCALED("1") PLACED("{m2: 1}"));
}
END_TEST

/* The estimator of an unreachable cluster fails, which is not the same as having no estimator. */
START_TEST(test_a_cluster_is_lost) {
  rebal_simulation *simulation =
      run_scenario(TWO("1", "options: {enableSchedulerEstimator: true}\n") STEP("s") PLACED("{m1: 1}"));
  const uint32_t binding = rebali_next_binding(&simulation->server, REBAL_NONE);
  rebal_estimator answers;
  for (int32_t is_lost = 0; is_lost < 2; is_lost++) {
    int32_t *fits = NULL;
    uint32_t m1, m2;
    rebali_member_find(&simulation->members, "m1")->is_lost = is_lost;
    ck_assert_int_eq(rebali_feed(&simulation->core, &binding, 1, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_members_estimate(&simulation->members, &answers, &fits, NULL), REBAL_OK);
    m1 = rebal_snapshot_find_cluster(simulation->core.snapshot, "m1", 2);
    m2 = rebal_snapshot_find_cluster(simulation->core.snapshot, "m2", 2);
    ck_assert_int_eq(fits[m1], is_lost ? REBAL_FITS_FAILED : 1);
    ck_assert_int_eq(fits[m2], 1);
    free(fits);
  }
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(estimates) {
  TCase *cases = tcase_create("estimates");
  tcase_add_test(cases, test_estimators_examine_nodes);
  tcase_add_test(cases, test_estimators_see_changes);
  tcase_add_test(cases, test_a_cluster_is_gone);
  tcase_add_test(cases, test_a_cluster_is_lost);
  return cases;
}
