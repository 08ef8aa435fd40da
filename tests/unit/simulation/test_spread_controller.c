/* SPDX-License-Identifier: MIT */
#include "spreading.h"

#define ZONE(zone) "requiredNodeSelector: {matchExpressions: [{key: zone, operator: In, values: [" zone "]}]}"
#define ZONED(name, cpu)                                                             \
  "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {zone: " name \
  "}}\nstatus: {allocatable: {cpu: \"" cpu "\", pods: \"10\"}}\n"
#define REQUESTING(spec)                                                                        \
  spec "selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: " \
       "{containers: [{name: c, resources: {requests: {cpu: \"1\"}}}]}}"

/* The deletion cost of a pod depends on its subset; with lower limits the surplus pods are deleted first. */
START_TEST(test_costs) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") SPREAD(OF_CLONE_SET, "", "{name: a, maxReplicas: 2}, {name: b}")
          CLONE_SET("cs", "replicas: 3, " TEMPLATE("i")) STEP("s") "advance: 10s\nexpect:\n"
              BY_COST("CloneSet", "'200': 2, '100': 1") STEP("limit")
          "apply: {apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: ws}, spec: "
          "{targetRef: " OF_CLONE_SET
          ", subsets: [{name: a, maxReplicas: 1}, {name: b}]}}\nexpect:\n"
              BY_COST("CloneSet", "'200': 1, '-100': 1, '100': 1")
                  STEP("less") SCALE("CloneSet", "cs", "2") "expect:\n" IN_SUBSETS("CloneSet", "a: 1, b: 1"));
  ck_assert_uint_eq(count_rows(simulation, "workload-spread", "1 pod with deletion cost -100: cs-aaaaa"), 1);
  ck_assert_uint_eq(count_reasons(simulation, "workload-spread", "beyond the limit of its subset"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* Pods that existed before the WorkloadSpread get the subset of their node. */
START_TEST(test_adoption) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") ZONED("a", "1") ZONED("b", "9") CLONE_SET("cs", REQUESTING("replicas: 3, ")) STEP("no spread")
          "advance: 10s\nexpect:\n" IN_SUBSETS("CloneSet", "none: 3") STEP("adopted")
          "apply: {apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: ws}, spec: "
          "{targetRef: " OF_CLONE_SET
          ", subsets: [{name: a, maxReplicas: 2, " ZONE("a") "}, {name: b, " ZONE("b") "}]}}\nexpect:\n"
              IN_SUBSETS("CloneSet", "a: 1, b: 2") BY_COST("CloneSet", "'200': 1, '100': 2"));
  ck_assert_uint_eq(count_rows(simulation, "workload-spread", "adopted by subset a, with deletion cost 200"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* Pods that wait too long are deleted. Their subset is closed, and opened again after five minutes. */
START_TEST(test_stuck) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") ZONED("a", "1") ZONED("b", "9")
          SPREAD(OF_CLONE_SET, ADAPTIVE, "{name: a, maxReplicas: 2, " ZONE("a") "}, {name: b, " ZONE("b") "}")
              CLONE_SET("cs", REQUESTING("replicas: 3, ")) STEP("waits") "advance: 10s\nexpect:\n" OWN_PODS(
                  "CloneSet", "cs", "by: subset, counts: {a: 2, b: 1}, unschedulable: 1")
                  STEP("moved") "after: 1s\nexpect:\n" IN_SUBSETS("CloneSet", "a: 1, b: 2")
                      SPREAD_FIELD("status.subsetStatuses[0].conditions[0].status", "False")
                          STEP("closed") "after: 300s\nexpect:\n" SPREAD_FIELD(
                              "status.subsetStatuses[0].conditions[0].status", "False")
                              STEP("open") "after: 1s\nexpect:\n" SPREAD_FIELD(
                                  "status.subsetStatuses[0].conditions[0].status", "True"));
  ck_assert_str_eq(time_of(simulation, "workload-spread", "subset a is unschedulable"), "2024-01-01T00:00:11Z");
  ck_assert_str_eq(time_of(simulation, "workload-spread", "1 pod deleted: cs-aaaab"), "2024-01-01T00:00:11Z");
  ck_assert_str_eq(time_of(simulation, "workload-spread", "subset a is schedulable again"), "2024-01-01T00:05:12Z");
  ck_assert_uint_eq(count_reasons(simulation, "workloads", "a is unschedulable"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* A pass that would write the present values writes nothing: a minute later there is no other row. */
START_TEST(test_rests) {
  rebal_simulation *simulation =
      run_scenario(OWN_HEAD("") SPREAD(OF_CLONE_SET, "", "{name: a, maxReplicas: 2}, {name: b}") CLONE_SET(
          "cs", "replicas: 3, " TEMPLATE("i")) STEP("s") "advance: 1h\nexpect:\n" IN_SUBSETS("CloneSet", "a: 2, b: 1"));
  ck_assert_str_eq(last_time_of(simulation, "workload-spread", ""), "2024-01-01T00:00:00Z");
  ck_assert_str_eq(last_time_of(simulation, "pod-webhook", ""), "2024-01-01T00:00:00Z");
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(spread_controller) {
  TCase *cases = tcase_create("spread_controller");
  tcase_add_test(cases, test_costs);
  tcase_add_test(cases, test_adoption);
  tcase_add_test(cases, test_stuck);
  tcase_add_test(cases, test_rests);
  return cases;
}
