/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#define ALLOCATED(cluster, resource, amount)                                                          \
  "- object: {kind: Cluster, name: " cluster "}\n  field: status.resourceSummary.allocated." resource \
  "\n  equals: " amount "\n"

START_TEST(test_pods_take_and_release_capacity) {
  assert_runs(BASIC STEP("placed") "expect:\n" ALLOCATED("m1", "cpu", "200m") ALLOCATED("m1", "pods", "\"2\"")
                  ALLOCATED("m2", "cpu", "100m")
                      STEP("gone") "delete: {kind: Deployment, name: foo}\nexpect:\n" ALLOCATED("m1", "cpu", "\"0\"")
                          ALLOCATED("m2", "pods", "\"0\""));
}
END_TEST

START_TEST(test_what_the_scenario_sets_counts_too) {
  assert_runs(HEAD(
      "") "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m1}\nspec: {}\n"
          "status:\n" APIS
          "  resourceSummary: {allocatable: {cpu: 2, pods: 9}, allocated: {cpu: 1, "
          "memory: 1Gi}}\n" FOO("3") POLICY("{" DYNAMIC "}") STEP("s") "expect:\n" ALLOCATED("m1", "cpu", "1300m")
                  ALLOCATED("m1", "memory", "1Gi") ALLOCATED("m1", "pods", "\"3\""));
}
END_TEST

START_TEST(test_others_in_a_member_with_nodes) {
  assert_runs(NODES_HEAD("") BARE("m1") "  resourceSummary: {allocated: {cpu: 1500m, gpu: 1}}\n" WORKLOAD(
      "foo", "2", "400m", "") TO("foo", "m1") STEP("s") "expect:\n" ALLOCATED("m1", "cpu", "2300m")
                  ALLOCATED("m1", "gpu", "\"1\"") ALLOCATED("m1", "pods", "\"2\"")
                      STEP("gone") "delete: {kind: Deployment, name: foo}\nexpect:\n" ALLOCATED("m1", "cpu", "1500m")
                          ALLOCATED("m1", "gpu", "\"1\""));
}
END_TEST

START_TEST(test_null_is_not_an_amount) {
  assert_runs(HEAD(
      "") "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m1}\nspec: {}\n"
          "status:\n" APIS
          "  resourceSummary: {allocatable: {cpu: 2, pods: 9}, allocated: {cpu: 1, "
          "memory: null}}\n" FOO("3") POLICY("{" DYNAMIC "}") STEP("s") "expect:\n" ALLOCATED("m1", "cpu", "1300m")
                  ALLOCATED("m1", "memory", "\"0\""));
}
END_TEST

START_TEST(test_deleted_cluster_goes_when_empty) {
  rebal_simulation *simulation = run_scenario(BASIC STEP(
      "delete") "after: 30s\ndelete: {kind: Cluster, name: m1}\nexpect:\n"
                "- object: {kind: Cluster, name: m1}\n  absent: true\n"
                "- object: {kind: Deployment, name: foo}\n  placement: {m2: 3}\n");
  ck_assert_uint_eq(count_rows(simulation, "scenario", "metadata.deletionTimestamp"), 1);
  ck_assert_uint_eq(count_rows(simulation, "members", "deleted"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(cluster_status) {
  TCase *cases = tcase_create("cluster_status");
  tcase_add_test(cases, test_pods_take_and_release_capacity);
  tcase_add_test(cases, test_what_the_scenario_sets_counts_too);
  tcase_add_test(cases, test_others_in_a_member_with_nodes);
  tcase_add_test(cases, test_null_is_not_an_amount);
  tcase_add_test(cases, test_deleted_cluster_goes_when_empty);
  return cases;
}
