/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#include <stdio.h>

/* Grades of at least 0, 1 and 4 cpu. */
#define MODELS                                                                           \
  "resourceModels: [{grade: 0, ranges: [{name: cpu, min: 0, max: 1}]}, {grade: 1, "      \
  "ranges: [{name: cpu, min: 1, max: 4}]}, {grade: 2, ranges: [{name: cpu, min: 4, max: 9}]}]"
#define MODELED(counts, models, status)                                                                          \
  "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m1}\nspec: {" models            \
  "}\nstatus:\n" APIS "  resourceSummary: {allocatable: {cpu: 100, pods: 1000}, allocatableModelings: [" counts \
  "]" status "}\n"
#define COUNTS(zero, one, two) "{grade: 0, count: " zero "}, {grade: 1, count: " one "}, {grade: 2, count: " two "}"
#define GRADE(place, key, value)                                                                                   \
  "- object: {kind: Cluster, name: m1}\n  field: status.resourceSummary.allocatableModelings[" place "]." key      \
  "\n  equals: " value "\n"
#define HAS(zero, one, two) GRADE("0", "count", zero) GRADE("1", "count", one) GRADE("2", "count", two)
#define SEEN(step, done, zero, one, two) STEP(step) done "expect:\n" HAS(zero, one, two)
#define SCALE(replicas) "scale: {kind: Deployment, name: foo, replicas: " replicas "}\n"
#define APP(name, replicas, cpu) WORKLOAD(name, replicas, cpu, "") TO(name, "m1")

/* The first node that holds a pod takes it; what is left of it is of another grade. */
START_TEST(test_pods_take_nodes_and_give_them_back) {
  assert_runs(HEAD("") MODELED(COUNTS("1", "2", "3"), MODELS, "") APP("foo", "3", "800m")
                  SEEN("placed", "", "3", "1", "2") SEEN("fewer", SCALE("1"), "2", "1", "3")
                      SEEN("gone", "delete: {kind: Deployment, name: foo}\n", "1", "2", "3"));
}
END_TEST

/* A pod without requests takes no more than its place. */
START_TEST(test_pods_without_requests) {
  assert_runs(HEAD("") MODELED(COUNTS("0", "0", "2"), MODELS, "") APP("foo", "109", "0")
                  SEEN("placed", "", "0", "0", "2") SEEN("full", SCALE("110"), "0", "0", "1"));
}
END_TEST

START_TEST(test_the_cluster_states_them_anew) {
  assert_runs(HEAD("") MODELED(COUNTS("0", "0", "2"), MODELS, "") APP("foo", "1", "2") STEP("placed") "expect:\n" HAS(
      "0", "1", "1") STEP("anew") "clusterStatus: {cluster: m1, status: {resourceSummary: {allocatableModelings: ["
                                  "{grade: 2, count: 5}]}}}\nexpect:\n" HAS("0", "1", "4")
                  STEP("others") "clusterStatus: {cluster: m1, status: {resourceSummary: {allocated: {cpu: 7}}}}\n"
                                 "expect:\n" HAS("0", "1", "4") FIELD("kind: Cluster, name: m1",
                                                                      "status.resourceSummary.allocated.cpu", "9"));
}
END_TEST

/* Estimators use the summary in these cases; the counts stay as they were stated. */
START_TEST(test_counts_that_mean_nothing_stay) {
  assert_runs(HEAD("") MODELED("{grade: 2, count: 3}, {grade: 2, count: -1}", MODELS, "") APP("foo", "1", "2")
                  STEP("negative") "expect:\n" GRADE("0", "count", "3") GRADE("1", "count", "-1"));
  assert_runs(HEAD("") MODELED("{grade: 2, count: 3}", "syncMode: Push", "") APP("foo", "1", "2")
                  STEP("no models") "expect:\n" GRADE("0", "count", "3"));
  assert_runs(HEAD("") MODELED("", MODELS, "") APP("foo", "1", "2") STEP("no counts") "expect:\n" GRADE("0", "count",
                                                                                                       "\"\""));
}
END_TEST

/* Two entries of one grade are one count; grades that no model has are not reported. */
START_TEST(test_grades_are_summed_up) {
  assert_runs(HEAD("") MODELED("{grade: 2, count: 3}, {grade: 2, count: 1}, {grade: 7, count: 9}", MODELS, "")
                  APP("foo", "1", "100m") STEP("placed") "expect:\n" GRADE("2", "count", "3") GRADE("1", "count", "1")
                      GRADE("3", "grade", "\"\""));
}
END_TEST

/* Nodes of the head are graded by what their pods leave; a full node ends the count. */
START_TEST(test_nodes_that_are_known) {
#define TWO                                                                             \
  "members: {m1: {nodes: [{name: a, allocatable: {cpu: 2, pods: 2}}, {name: b, allocatable: {cpu: 5, pods: 9}}]}}\n"
#define ONE_POD "capacity: {cluster: m1, node: a, allocatable: {pods: 1}}\n"
  assert_runs(HEAD(TWO) MODELED("", MODELS, "") APP("foo", "0", "1500m") SEEN("empty", "", "0", "1", "1")
                  SEEN("one", SCALE("1"), "1", "0", "1") SEEN("full", ONE_POD, "0", "0", "0"));
}
END_TEST

/* Many nodes cost no more than the pods on them; pods that are too many end the run. */
START_TEST(test_sizes) {
  const struct refusal many = {HEAD("maxPods: 3\n") MODELED(COUNTS("0", "0", "9"), MODELS, "") APP("foo", "4", "1"),
                               REBAL_ELIMIT, 1, 1, "", "at most 3 pods"};
  const struct refusal large = {HEAD("maxPods: 3\n") MODELED(COUNTS("0", "2", "2"), MODELS, "") APP("foo", "2", "1"),
                                REBAL_ELIMIT, 1, 1, "", "at most 3 nodes"};
  assert_runs(HEAD("") MODELED(COUNTS("0", "0", "9000000000"), MODELS, "") APP("foo", "2", "4") STEP(
      "placed") "expect:\n" HAS("2", "0", "8999999998"));
  assert_refused(&many);
  assert_refused(&large);
}
END_TEST

START_TEST(test_the_log_reports_it) {
  rebal_simulation *simulation = run_scenario(HEAD("") MODELED(COUNTS("0", "0", "1"), MODELS, "") APP("foo", "1", "2")
                                                  SEEN("placed", "", "0", "1", "0"));
  ck_assert_uint_eq(count_rows(simulation, "members", "nodes by grade: {0:0, 1:0, 2:1} -> {0:0, 1:1, 2:0}"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(resource_models) {
  TCase *cases = tcase_create("resource_models");
  tcase_add_test(cases, test_pods_take_nodes_and_give_them_back);
  tcase_add_test(cases, test_pods_without_requests);
  tcase_add_test(cases, test_the_cluster_states_them_anew);
  tcase_add_test(cases, test_counts_that_mean_nothing_stay);
  tcase_add_test(cases, test_grades_are_summed_up);
  tcase_add_test(cases, test_nodes_that_are_known);
  tcase_add_test(cases, test_sizes);
  tcase_add_test(cases, test_the_log_reports_it);
  return cases;
}
