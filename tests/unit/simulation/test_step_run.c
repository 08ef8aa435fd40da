/* SPDX-License-Identifier: MIT */
#include "running.h"

static const struct refusal refusals[] = {
    {HEAD("") CLUSTER("m1") STEP("s") "after: 5s\n" STEP("t") "at: 4s\n", REBAL_ERANGE, 4, 19, "at", "the previous"},
    {HEAD("") STEP("s") "taint: {cluster: m1, taint: \"k:NoExecute\"}\n", REBAL_ENOTFOUND, 2, 7, "taint.cluster",
     "cluster"},
    {HEAD("") CLUSTER("m1") STEP("s") "untaint: {cluster: m1, taint: k}\n", REBAL_ENOTFOUND, 3, 15, "untaint.taint",
     "no such taint"},
    {HEAD("") STEP("s") "delete: {kind: Pod, name: p}\n", REBAL_ENOTFOUND, 2, 7, "delete", "no such object"},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

#define TAINTS(value)                                                                             \
  "expect:\n- object: {kind: Cluster, name: m1}\n  field: spec.taints[0].value\n  equals: " value \
  "\n"                                                                                            \
  "- object: {kind: Cluster, name: m1}\n  field: spec.taints[1].key\n  equals: "

START_TEST(test_taints) {
  assert_runs(HEAD("") CLUSTER("m1")
              STEP("one") "taint: {cluster: m1, taint: \"a=1:NoSchedule\"}\n" TAINTS("\"1\"") "\"\"\n"
              STEP("two") "taint: {cluster: m1, taint: \"b:NoExecute\"}\n" TAINTS("\"1\"") "b\n"
              STEP("other value") "taint: {cluster: m1, taint: \"a=2:NoSchedule\"}\n" TAINTS("\"\"") "a\n"
              STEP("by key") "untaint: {cluster: m1, taint: b}\n" TAINTS("\"2\"") "\"\"\n"
              STEP("by all") "untaint: {cluster: m1, taint: \"a=2:NoSchedule\"}\n" TAINTS("\"\"") "\"\"\n");
}
END_TEST

#define BINDING_FIELD(path, value) \
  "- object: {kind: ResourceBinding, name: foo-deployment}\n  field: " path "\n  equals: " value "\n"
#define SUSPEND(scheduling)                                                                                \
  "patch: {kind: ResourceBinding, name: foo-deployment, merge: {spec: {suspension: {scheduling: " scheduling "}}}}\n"

#define REBALANCER                                                                         \
  "apply: {apiVersion: apps.karmada.io/v1alpha1, kind: WorkloadRebalancer, metadata: {name: again}, " \
  "spec: {workloads: [{apiVersion: apps/v1, kind: Deployment, name: foo, namespace: default}]}}\n"

/* A person stops the scheduling of one binding, and lets it go on. */
START_TEST(test_patch_of_a_binding) {
  assert_runs(BASIC STEP("stop") SUSPEND("true") "capacity: {cluster: m1, allocatable: {cpu: 0}}\n"
              STEP("rebalance") "after: 10s\n" REBALANCER "expect:\n" BINDING_FIELD("spec.clusters[0].replicas", "2")
              STEP("go on") "after: 10s\n" SUSPEND("null") "expect:\n" BINDING_FIELD("spec.clusters[0].replicas", "1"));
}
END_TEST

START_TEST(test_patch_of_other_objects) {
  static const struct refusal missing = {HEAD("") STEP("s") "patch: {kind: Job, name: j, merge: {}}\n",
                                         REBAL_ENOTFOUND, 2, 7, "patch", "no such object"};
  static const struct refusal wrong = {BASIC STEP("s")
                                           "patch: {kind: Deployment, name: foo, merge: {metadata: {labels: 5}}}\n",
                                       REBAL_EPARSE, 6, 35, "patch.merge.metadata.labels", ""};
  assert_runs(BASIC STEP("s") "patch: {kind: Deployment, name: foo, merge: {spec: {replicas: 4}}}\nexpect:\n"
                              "- object: {kind: Deployment, name: foo}\n  field: metadata.generation\n  equals: 2\n"
                  BINDING_FIELD("spec.replicas", "4"));
  assert_refused(&missing);
  assert_refused(&wrong);
}
END_TEST

START_TEST(test_delete_takes_the_binding) {
  rebal_simulation *simulation = run_scenario(BASIC STEP(
      "s") "delete: {kind: Deployment, namespace: default, name: foo}\nexpect:\n"
           "- object: {kind: ResourceBinding, name: foo-deployment}\n  absent: true\n");
  ck_assert_uint_eq(count_rows(simulation, "garbage-collector", "deleted"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_times_of_steps) {
  rebal_simulation *simulation = new_simulation(NULL);
  static const char text[] =
      HEAD("") STEP("a") "after: 10s\nadvance: 5s\n" STEP("b") "at: 1m\n" STEP("c") "at: \"2024-01-01T00:02:00Z\"\n";
  static const int64_t wanted[] = {15, 60, 120};
  int32_t more;
  ck_assert_int_eq(rebal_simulation_load(simulation, text, strlen(text), NULL), REBAL_OK);
  for (size_t i = 0; i < COUNT(wanted); i++) {
    ck_assert_int_eq(rebal_simulation_step(simulation, &more, NULL), REBAL_OK);
    ck_assert_int_eq(more, 1);
    ck_assert_int_eq(summary_of(simulation).now.seconds - INT64_C(1704067200), wanted[i]);
  }
  ck_assert_int_eq(rebal_simulation_step(simulation, &more, NULL), REBAL_OK);
  ck_assert_int_eq(more, 0);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(step_run) {
  TCase *cases = tcase_create("step_run");
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  tcase_add_test(cases, test_taints);
  tcase_add_test(cases, test_patch_of_a_binding);
  tcase_add_test(cases, test_patch_of_other_objects);
  tcase_add_test(cases, test_delete_takes_the_binding);
  tcase_add_test(cases, test_times_of_steps);
  return cases;
}
