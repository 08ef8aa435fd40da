/* SPDX-License-Identifier: MIT */
#include "running.h"

#define DUPLICATED(affinity) HEAD("") CLUSTER("m1") CLUSTER("m2") FOO("1") POLICY("{" affinity "}")
#define RELABEL                                                                           \
  STEP("label")                                                                           \
  "apply: {apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m2, " \
  "labels: {tier: gold}}, "                                                               \
  "spec: {syncMode: Push}}\nexpect:\n- object: {kind: Deployment, name: foo}\n  placement: "

/* A duplicated workload reacts to a cluster's labels (rebalance-karmada(7) 2.3, row 4). */
START_TEST(test_cluster_that_matches_now) {
  assert_runs(DUPLICATED("clusterAffinity: {labelSelector: {matchLabels: {tier: gold}}}") RELABEL "{m2: 1}\n");
}
END_TEST

START_TEST(test_cluster_that_does_not_match) {
  rebal_simulation *simulation = run_scenario(DUPLICATED("clusterAffinity: {clusterNames: [m1]}") RELABEL "{m1: 1}\n");
  ck_assert_uint_eq(count_rows(simulation, "scheduler", "left as it is"), 0);
  ck_assert_uint_eq(count_rows(simulation, "scheduler", "event Normal ScheduleBindingSucceed"), 4);
  rebal_simulation_free(simulation);
}
END_TEST

/* A new cluster alone enqueues nothing. */
START_TEST(test_new_cluster) {
  assert_runs(DUPLICATED("") STEP(
      "join") "apply: {apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, "
              "metadata: {name: m3}, spec: {syncMode: Push}}\nadvance: 1h\nexpect:\n"
              "- object: {kind: Deployment, name: foo}\n  placement: {m1: 1, m2: 1}\n");
}
END_TEST

UNIT_CASE(scheduler_queue) {
  TCase *cases = tcase_create("scheduler_queue");
  tcase_add_test(cases, test_cluster_that_matches_now);
  tcase_add_test(cases, test_cluster_that_does_not_match);
  tcase_add_test(cases, test_new_cluster);
  return cases;
}
