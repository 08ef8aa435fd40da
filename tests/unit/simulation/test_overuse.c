/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#define SMALL(name, cpu)                                                                \
  "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name \
  "}\nspec: {syncMode: Push}\nstatus:\n" APIS "  resourceSummary: {allocatable: {cpu: " cpu ", pods: 9}}\n"
#define ONE(name, cpu) WORKLOAD(name, "1", cpu, "") TO(name, "m1")
#define OTHERS(amounts) "clusterStatus: {cluster: m1, status: {resourceSummary: {allocated: " amounts "}}}\n"
#define BEYOND "is used beyond its capacity"
#define WITHIN "is within its capacity again"
#define ABSENT "expect: [{object: {kind: Pod, name: p}, absent: true}]\n"

static const char *end_of(const rebal_simulation *simulation, rebal_text **log) {
  const char *end;
  ck_assert_int_eq(rebal_text_new(log, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_simulation_write(simulation, REBAL_LOG_FORMAT_TABLE, *log, NULL), REBAL_OK);
  end = strstr(rebal_text_bytes(*log, NULL), "\nexpectations: ");
  ck_assert_ptr_nonnull(end);
  return strchr(end + 1, '\n') + 1;
}

static void assert_end(const rebal_simulation *simulation, uint64_t n, const char *expected) {
  rebal_text *log = NULL;
  ck_assert_uint_eq(summary_of(simulation).overused, n);
  ck_assert_str_eq(end_of(simulation, &log), expected);
  rebal_text_free(log);
}

/* Two that are scheduled at once; what was beyond the capacity stays in the summary when a pod is gone. */
START_TEST(test_rows_and_the_summary) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") SMALL("m1", "1") SMALL("m2", "1") ONE("a", "700m") ONE("b", "600m")
                       STEP("gone") "delete: {kind: Deployment, name: b}\n" ABSENT);
  ck_assert_uint_eq(count_rows(simulation, "members", BEYOND), 1);
  ck_assert_uint_eq(count_rows(simulation, "members", WITHIN), 1);
  assert_end(simulation, 1, "used beyond capacity: m1 (cpu 1300m of 1)\n");
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_a_full_cluster_is_not_beyond_it) {
  static const char text[] = HEAD("") SMALL("m1", "1") ONE("a", "600m") ONE("b", "400m") STEP("s") ABSENT;
  rebal_simulation *simulation = run_scenario(text);
  ck_assert_uint_eq(count_rows(simulation, "members", BEYOND), 0);
  assert_end(simulation, 0, "");
  rebal_simulation_free(simulation);
}
END_TEST

/* Each amount has a row, and others in the cluster count. */
START_TEST(test_each_amount_has_a_row) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") SMALL("m1", "1") ONE("a", "700m") STEP("others") OTHERS("{cpu: 2, pods: 20}") ABSENT
                       STEP("less") "capacity: {cluster: m1, allocatable: {cpu: 2}}\n" ABSENT);
  ck_assert_uint_eq(count_rows(simulation, "members", BEYOND), 2);
  assert_end(simulation, 1, "used beyond capacity: m1 (cpu 2700m of 2, pods 21 of 9)\n");
  rebal_simulation_free(simulation);
}
END_TEST

/* Pods that no node takes are not ready, and count. */
START_TEST(test_members_with_nodes) {
  rebal_simulation *simulation =
      run_scenario(NODES_HEAD("") BARE("m1") ONE("a", "800m") WORKLOAD("b", "2", "800m", "") TO("b", "m1")
                       STEP("s") "advance: 1h\nexpect:\n" PODS("b", "m1", "ready: 1, unschedulable: 1")
                           FIELD("kind: ResourceBinding, name: b-deployment", "status.aggregatedStatus[0].health",
                                 "Unhealthy") FIELD("kind: ResourceBinding, name: b-deployment",
                                                    "status.aggregatedStatus[0].status.readyReplicas", "1"));
  assert_end(simulation, 1, "used beyond capacity: m1 (cpu 2400m of 2)\n");
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_nodes_that_are_counted) {
  rebal_simulation *simulation = run_scenario(
      HEAD("") "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m1}\nspec: "
               "{resourceModels: [{grade: 0, ranges: [{name: cpu, min: 1, max: 2}]}]}\nstatus:\n" APIS
               "  resourceSummary: {allocatable: {cpu: 9, pods: 9}, allocatableModelings: "
               "[{grade: 0, count: 2}]}\n" WORKLOAD(
                   "a", "4", "800m", "") TO("a", "m1") STEP("s") ABSENT
                   STEP("fewer") "scale: {kind: Deployment, name: a, replicas: 3}\n" ABSENT);
  ck_assert_uint_eq(count_rows(simulation, "members", BEYOND), 2);
  assert_end(simulation, 1, "used beyond capacity: m1 (1 pod that no node of its resource models takes)\n");
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(overuse) {
  TCase *cases = tcase_create("overuse");
  tcase_add_test(cases, test_rows_and_the_summary);
  tcase_add_test(cases, test_a_full_cluster_is_not_beyond_it);
  tcase_add_test(cases, test_each_amount_has_a_row);
  tcase_add_test(cases, test_members_with_nodes);
  tcase_add_test(cases, test_nodes_that_are_counted);
  return cases;
}
