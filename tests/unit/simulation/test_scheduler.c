/* SPDX-License-Identifier: MIT */
#include "running.h"

#define SCALE(replicas)                                                                                         \
  STEP("scale")                                                                                                 \
  "after: 7s\napply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: {replicas: " replicas \
  ", template: {spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}}}\n"
#define CONDITION(value)                                                                                     \
  "expect:\n- object: {kind: ResourceBinding, name: foo-deployment}\n  field: status.conditions[0].reason\n" \
  "  equals: " value "\n"

/* 20 fit; one that does not leaves the pool at the first check, every 30 s, after more than 5 minutes. */
START_TEST(test_unschedulable_is_tried_again) {
  rebal_simulation *simulation =
      run_scenario(BASIC SCALE("21") CONDITION("Unschedulable") STEP("wait") "after: 6m\n" CONDITION("Unschedulable"));
  size_t n = 0, last = 0;
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    if (strstr(log_entry(simulation, i).change,
               "ScheduleBindingFailed") != NULL) {
      n++;
      last = i;
    }
  }
  ck_assert_uint_eq(n, 4); /* twice, on the binding and on the workload */
  ck_assert_str_eq(log_entry(simulation, last).time, "2024-01-01T00:05:30Z");
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_no_cluster_fits) {
  rebal_simulation *simulation = run_scenario(HEAD("") CLUSTER("m1") FOO("3") POLICY(
      "{clusterAffinity: {clusterNames: [m9]}, " DYNAMIC "}") STEP("wait") "advance: 1h\n" CONDITION("NoClusterFit"));
  ck_assert_uint_eq(count_rows(simulation, "scheduler", "ScheduleBindingFailed"), 2);
  rebal_simulation_free(simulation);
}
END_TEST

#define POLICY_OF_ZOO                                                                                     \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: zoo}\nspec:\n" \
  "  schedulePriority: {priorityClassSource: KubePriorityClass, priorityClassName: high}\n"              \
  "  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: zoo}]\n  placement: {" DYNAMIC "}\n"
#define ZOO_OF_HIGH                                                                                                \
  "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: zoo, uid: a}\nspec: {replicas: 1, template: {}}\n" \
  "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100\n"

START_TEST(test_higher_priority_first) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") CLUSTER("m1") FOO("3") ZOO_OF_HIGH POLICY("{" DYNAMIC "}") POLICY_OF_ZOO STEP("s")
                   "expect:\n- object: {kind: Deployment, name: zoo}\n  placement: {m1: 1}\n");
  size_t i = 0;
  while (strcmp(log_entry(simulation, i).controller, "scheduler") != 0) {
    ck_assert_uint_lt(++i, summary_of(simulation).log_rows);
  }
  ck_assert_str_eq(log_entry(simulation, i).object,
                   "ResourceBinding default/zoo-deployment");
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(scheduler) {
  TCase *cases = tcase_create("scheduler");
  tcase_add_test(cases, test_unschedulable_is_tried_again);
  tcase_add_test(cases, test_no_cluster_fits);
  tcase_add_test(cases, test_higher_priority_first);
  return cases;
}
