/* SPDX-License-Identifier: MIT */
#include "spreading.h"

#define START OWN_HEAD("") CLONE_SET("cs", "replicas: 1, " TEMPLATE("i"))
#define BEGUN START SPREAD(OF_CLONE_SET, "", "{name: a, maxReplicas: 1}, {name: b}")
#define APPLIED \
  "apply:\n  apiVersion: apps.kruise.io/v1beta1\n  kind: WorkloadSpread\n  metadata: {name: ws}\n  spec:\n"
#define A_SUBSET "    subsets: [{name: a, maxReplicas: 1}, {name: b}]\n"
#define UNITED                                                                         \
  "apiVersion: apps.kruise.io/v1alpha1, kind: UnitedDeployment, metadata: {name: u}, " \
  "spec: {replicas: 1, " TEMPLATE("i") ", topology: {subsets: [{name: a, replicas: 7}, {name: b, replicas: 7}]}}"

#define TWO_GROUPS                                                                                              \
  "{clusterAffinities: [{affinityName: a, clusterNames: [m1]}, {affinityName: a, clusterNames: [m2]}], " DYNAMIC "}"
#define A_POLICY                                                                                            \
  "apply:\n  apiVersion: policy.karmada.io/v1alpha1\n  kind: PropagationPolicy\n  metadata: {name: pp}\n" \
  "  spec:\n    resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: foo}]\n    placement: "

static const struct refusal refusals[] = {
    {HEAD("") POLICY(TWO_GROUPS), REBAL_EINVAL, 2, 10, "spec.placement.clusterAffinities[1].affinityName",
     "admission refuses it: "},
    {START SPREAD(OF_CLONE_SET, "", "{name: a, maxReplicas: -4}"), REBAL_EINVAL, 3, 16,
     "spec.subsets[0].maxReplicas", "admission refuses it: "},
    {BEGUN STEP("s") APPLIED "    targetRef: " OF_CLONE_SET "\n    subsets: [{name: a, maxReplicas: -4}, {name: b}]\n",
     REBAL_EINVAL, 4, 26, "apply.spec.subsets[0].maxReplicas", "admission refuses it: "},
    {BEGUN STEP("s") APPLIED "    targetRef: " OF_REPLICA_SET "\n" A_SUBSET, REBAL_EINVAL, 4, 25,
     "apply.spec.targetRef", "change TargetReference is not permitted"},
    {BEGUN STEP("s") "apply: [{apiVersion: v1, kind: List, items: [{" UNITED "}]}]\n", REBAL_EINVAL, 4, 20,
     "apply[0].items[0].spec.topology.subsets", "admission refuses it: "},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

#define PATIENT(head)                                                                                              \
  OWN_HEAD(head) CLONE_SET("cs", "replicas: 1, " TEMPLATE("i"))                                                    \
      SPREAD(OF_CLONE_SET, "  scheduleStrategy: {type: Adaptive, adaptive: {rescheduleCriticalSeconds: 300}}\n", \
             "{name: a, maxReplicas: 1}, {name: b}")

/* An option of the head decides which seconds are accepted. */
START_TEST(test_long_wait) {
  static const struct refusal refusal = {PATIENT(""), REBAL_EINVAL, 3, 16,
                                         "spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds", "> 295 is not"};
  rebal_simulation *simulation = new_simulation(NULL);
  static const char text[] = PATIENT("options: {compat: {spread-long-wait: true}}\n");
  rebal_error err = REBAL_ERROR_INIT;
  assert_refused(&refusal);
  ck_assert_msg(rebal_simulation_load(simulation, text, sizeof text - 1, &err) == REBAL_OK, "%s", err.message);
  rebal_simulation_free(simulation);
}
END_TEST

/* A step may apply the same again or make a permitted change. Without workloads everything is accepted. */
START_TEST(test_taken) {
  rebal_simulation *simulation = new_simulation(NULL);
  static const char text[] = HEAD("") SPREAD(OF_CLONE_SET, "", "{name: a, maxReplicas: -4}");
  ck_assert_int_eq(rebal_simulation_load(simulation, text, sizeof text - 1, NULL), REBAL_OK);
  rebal_simulation_free(simulation);
  assert_runs(BEGUN STEP("again") APPLIED "    targetRef: " OF_CLONE_SET "\n" A_SUBSET STEP("more") APPLIED
                  "    targetRef: " OF_CLONE_SET "\n    subsets: [{name: a, maxReplicas: 2}, {name: b}]\n"
                  "expect:\n" SPREAD_FIELD("spec.subsets[0].maxReplicas", "2"));
}
END_TEST

/* A step that expects a refusal goes on, and what it applied changes nothing. */
START_TEST(test_expected_refusals) {
  rebal_simulation *simulation;
  assert_runs(BEGUN STEP("s") "refused: \"change TargetReference is not permitted\"\n" APPLIED
                              "    targetRef: " OF_REPLICA_SET "\n" A_SUBSET STEP("t")
                                  "expect:\n" SPREAD_FIELD("spec.targetRef.kind", "CloneSet"));
  simulation = run_scenario(BASIC STEP("new") "refused: \"\"\n" A_POLICY TWO_GROUPS
                            "\n" STEP("old") "expect:\n- object: {kind: ResourceBinding, name: foo-deployment}\n"
                            "  field: spec.placement.clusterAffinities\n  equals: \"\"\n");
  ck_assert_uint_eq(count_rows(simulation, "expect", "as expected: refused"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* An object that is accepted, or refused for another reason, fails the expectation. */
START_TEST(test_unexpected_answers) {
  static const char text[] = BASIC STEP("taken") "refused: \"\"\n" A_POLICY "{" DYNAMIC "}\n" STEP("other")
      "refused: something else\n" A_POLICY TWO_GROUPS "\n";
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  ck_assert_int_eq(
      rebal_simulation_run(simulation, text, sizeof text - 1, REBAL_LOG_FORMAT_TABLE, NULL, &summary, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(summary.failed, 2);
  ck_assert_uint_eq(count_rows(simulation, "expect", "found accepted"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(admission) {
  TCase *cases = tcase_create("admission");
  tcase_add_loop_test(cases, test_refusals, 0, COUNT(refusals));
  tcase_add_test(cases, test_long_wait);
  tcase_add_test(cases, test_taken);
  tcase_add_test(cases, test_expected_refusals);
  tcase_add_test(cases, test_unexpected_answers);
  return cases;
}
