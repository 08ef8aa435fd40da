/* SPDX-License-Identifier: MIT */
#include "running.h"

#define LOST "clusterLost: {cluster: m1}\n"
#define BACK "clusterBack: {cluster: m1}\n"
#define FIRST_TAINT(key, effect)                                                        \
  "- {object: {kind: Cluster, name: m1}, field: \"spec.taints[0].key\", equals: \"" key \
  "\"}\n"                                                                               \
  "- {object: {kind: Cluster, name: m1}, field: \"spec.taints[0].effect\", equals: \"" effect "\"}\n"
#define NO_TAINT FIRST_TAINT("", "")

/* A cluster of which nothing is stated has none. */
START_TEST(test_the_condition_ready) {
  rebal_simulation *simulation =
      run_scenario(BASIC STEP("as it was") "expect:\n" NO_TAINT STEP("lost") "after: 5s\n" LOST "expect:\n" FIRST_TAINT(
          "cluster.karmada.io/not-ready", "NoSchedule") STEP("back") "after: 5s\n" BACK "expect:\n" NO_TAINT);
  ck_assert_str_eq(time_of(simulation, "cluster-taints", "cluster.karmada.io/not-ready"), "2024-01-01T00:00:05Z");
  ck_assert_uint_eq(count_rows(simulation, "cluster-taints", ""), 2);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_an_unknown_condition) {
  assert_runs(HEAD(
      "") "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m1}\n"
          "spec: {syncMode: Pull}\n" STEP("lost") LOST
              "expect:\n" FIRST_TAINT("cluster.karmada.io/unreachable", "NoSchedule"));
}
END_TEST

#define TAINT_POLICY                                                                                        \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: ClusterTaintPolicy\nmetadata: {name: evict}\nspec:\n" \
  "  addOnConditions: [{conditionType: Ready, operator: In, statusValues: [\"False\"]}]\n"                  \
  "  removeOnConditions: [{conditionType: Ready, operator: In, statusValues: [\"True\"]}]\n"                \
  "  taints: [{key: down, effect: NoExecute}]\n"

/* A lost cluster is left by all without anybody's doing; the replicas do not come back by themselves. */
START_TEST(test_a_policy_evicts) {
  assert_runs(
      HEAD(EVICTING) CLUSTER("m1") CLUSTER("m2") FOO("3") POLICY("{" DYNAMIC "}") TAINT_POLICY STEP(
          "both") "advance: 1m\nexpect:\n- object: {kind: Deployment, name: foo}\n  placement: {m1: 2, m2: 1}\n"
      STEP("lost") LOST "advance: 1m\nexpect:\n- object: {kind: Deployment, name: foo}\n  placement: {m2: 3}\n"
      STEP("back") BACK
      "advance: 1m\nexpect:\n" NO_TAINT "- object: {kind: Deployment, name: foo}\n  placement: {m2: 3}\n");
}
END_TEST

UNIT_CASE(cluster_taints) {
  TCase *cases = tcase_create("cluster_taints");
  tcase_add_test(cases, test_the_condition_ready);
  tcase_add_test(cases, test_an_unknown_condition);
  tcase_add_test(cases, test_a_policy_evicts);
  return cases;
}
