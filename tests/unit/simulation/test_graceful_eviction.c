/* SPDX-License-Identifier: MIT */
#include "running.h"

#define FLEET(options, ready)                                                        \
  HEAD("readyAfter: " ready "\noptions: {enableNoExecuteTaintEviction: true" options \
       "}\n"                                                                         \
       "")                                                                           \
  CLUSTER("m1") CLUSTER("m2") FOO("3") POLICY("{" DYNAMIC "}")
#define TAINT STEP("t") "after: 1m\ntaint: {cluster: m1, taint: \"k:NoExecute\"}\n"
#define TASKS(first)                                                                                              \
  "- object: {kind: ResourceBinding, name: foo-deployment}\n  field: spec.gracefulEvictionTasks[0].fromCluster\n" \
  "  equals: " first "\n"

START_TEST(test_ends_when_healthy) {
  rebal_simulation *simulation =
      run_scenario(FLEET("", "10s") TAINT "expect:\n" TASKS("m1") STEP("later") "after: 10s\nexpect:\n" TASKS("\"\""));
  ck_assert_str_eq(time_of(simulation, "graceful-eviction", "-> none"), "2024-01-01T00:01:10Z");
  ck_assert_uint_eq(count_rows(simulation, "graceful-eviction", "Evict from cluster m1 succeed."), 2);
  rebal_simulation_free(simulation);
}
END_TEST

/* Time ends no task at the level repaired, a replacement does, how late it may be. */
START_TEST(test_a_late_replacement) {
  rebal_simulation *simulation =
      run_scenario(FLEET(", level: repaired, gracefulEvictionTimeout: 20s", "1m") TAINT "expect:\n" TASKS("m1") STEP(
          "later") "after: 2m\nexpect:\n" TASKS("\"\""));
  size_t i = 0;
  while (strstr(log_entry(simulation, i).change, "-> none") == NULL ||
         strcmp(log_entry(simulation, i).controller,
                "graceful-eviction") != 0) {
    ck_assert_uint_lt(++i, summary_of(simulation).log_rows);
  }
  ck_assert_str_eq(log_entry(simulation, i).time, "2024-01-01T00:02:00Z");
  ck_assert_str_eq(log_entry(simulation, i).reason,
                   "every cluster in spec.clusters reports Healthy, the task has done its work");
  rebal_simulation_free(simulation);
}
END_TEST

/* At exactly creation + timeout the task is kept and no timer is set: the next change finds it overdue. */
START_TEST(test_ends_after_the_timeout) {
  rebal_simulation *simulation =
      run_scenario(FLEET(", gracefulEvictionTimeout: 20s", "1h") TAINT "advance: 20s\nexpect:\n" TASKS("m1")
                       STEP("touch") "after: 1s\nuntaint: {cluster: m1, taint: k}\nexpect:\n" TASKS("\"\""));
  size_t i = 0;
  while (strcmp(log_entry(simulation, i).reason,
                "the time of a task is over") != 0) {
    ck_assert_uint_lt(++i, summary_of(simulation).log_rows);
  }
  rebal_simulation_free(simulation);
}
END_TEST

#define READY(index, n)                                                                                     \
  "- object: {kind: ResourceBinding, name: foo-deployment}\n  field: status.aggregatedStatus[" index "]." \
  "status.readyReplicas\n  equals: " n "\n"

/* The level keeps what is evicted, and no more: ready replicas that a new schedule moves go at once. */
START_TEST(test_a_reschedule_does_not_wait) {
  assert_runs(HEAD("options: {level: repaired}\n") CLUSTER("m1") FOO("3") POLICY("{" DYNAMIC "}") STEP("ready")
                  "advance: 10s\nexpect:\n" READY("0", "3") STEP("join") "apply: {apiVersion: "
                  "cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m2}, spec: {syncMode: Push}}\n"
                  "clusterStatus: {cluster: m2, status: {apiEnablements: [{groupVersion: apps/v1, resources: [{name: "
                  "deployments, kind: Deployment}]}], resourceSummary: {allocatable: {cpu: \"9\", memory: 9Gi, pods: "
                  "\"100\"}}}}\n" STEP("rebalance") "after: 10s\napply: {apiVersion: apps.karmada.io/v1alpha1, kind: "
                  "WorkloadRebalancer, metadata: {name: r}, spec: {workloads: [{apiVersion: apps/v1, kind: Deployment, "
                  "name: foo, namespace: default}]}}\nexpect:\n" READY("0", "0"));
}
END_TEST

UNIT_CASE(graceful_eviction) {
  TCase *cases = tcase_create("graceful_eviction");
  tcase_add_test(cases, test_a_reschedule_does_not_wait);
  tcase_add_test(cases, test_ends_when_healthy);
  tcase_add_test(cases, test_a_late_replacement);
  tcase_add_test(cases, test_ends_after_the_timeout);
  return cases;
}
