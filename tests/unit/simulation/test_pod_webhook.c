/* SPDX-License-Identifier: MIT */
#include "spreading.h"

#define CLASS(name, number) \
  "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: " name "}\nvalue: " number "\n"
#define NAMED(more) "replicas: 1, template: {metadata: {labels: {app: a}}, spec: {" more "containers: [{name: c}]}}"
#define POD_HAS(path, value) "- {object: {kind: Pod, name: rs-aaaaa}, field: " path ", equals: \"" value "\"}\n"

START_TEST(test_numbers) {
  assert_runs(OWN_HEAD("") CLASS("high", "7") REPLICA_SET("rs", NAMED("priorityClassName: high, "))
                  STEP("s") "expect:\n" POD_HAS("spec.priority", "7"));
  assert_runs(OWN_HEAD("") CLASS("high", "7") REPLICA_SET("rs", NAMED(""))
                  STEP("s") "expect:\n" POD_HAS("spec.priority", "0"));
  assert_runs(OWN_HEAD("") REPLICA_SET("rs", NAMED("priority: 3, "))
                  STEP("s") "expect:\n" POD_HAS("spec.priority", "3"));
}
END_TEST

/* A priority that differs from that of the class, and a class that does not exist, refuse all pods. */
START_TEST(test_refused_priorities) {
  static const char *const claims[] = {
      OWN_HEAD("") CLASS("high", "7") REPLICA_SET("rs", NAMED("priorityClassName: high, priority: 8, "))
          STEP("s") "expect:\n" POD_IS_GONE("rs-aaaaa"),
      OWN_HEAD("") CLASS("high", "7") REPLICA_SET("rs", NAMED("priorityClassName: low, "))
          STEP("s") "expect:\n" POD_IS_GONE("rs-aaaaa")};
  static const char *const refusals[] = {
      "the integer value of priority (8) must not be provided in pod spec; priority admission controller computed 7 "
      "from the given PriorityClass name",
      "no PriorityClass with name low was found"};
  for (size_t i = 0; i < COUNT(claims); i++) {
    rebal_simulation *simulation = run_scenario(claims[i]);
    ck_assert_uint_ge(count_reasons(simulation, "workloads", refusals[i]), 1);
    rebal_simulation_free(simulation);
  }
}
END_TEST

/* Each pod sees the ones before it; subsets that were passed over are reported; a deleted pod frees its place. */
START_TEST(test_subsets) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") SPREAD(OF_CLONE_SET, "", "{name: a, maxReplicas: 1}, {name: b, maxReplicas: 2}")
          CLONE_SET("cs", "replicas: 4, " TEMPLATE("i")) STEP("s") "expect:\n" IN_SUBSETS("CloneSet",
              "a: 1, b: 2, none: 1")
              "- {object: {kind: Pod, name: cs-aaaaa}, field: metadata.generateName, equals: \"\"}\n" STEP(
                  "one goes") "delete: {kind: Pod, name: cs-aaaaa}\nexpect:\n" IN_SUBSETS("CloneSet",
                                                                                          "a: 1, b: 2, none: 1"));
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod created in subset a: cs-aaaaa"), 1);
  ck_assert_uint_eq(count_rows(simulation, "workloads", "2 pods created in subset b: cs-aaaab, cs-aaaac"), 1);
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod created in no subset: cs-aaaad"), 1);
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod created in subset a: cs-aaaae"), 1);
  ck_assert_uint_eq(count_reasons(simulation, "workloads", "4 wanted; a is full, b is full"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* A pod without a name is recorded by an id, which its annotation holds. */
START_TEST(test_generated_names) {
  rebal_simulation *simulation =
      run_scenario(OWN_HEAD("") SPREAD(OF_REPLICA_SET, "", "{name: a, maxReplicas: 2}") REPLICA_SET(
          "cs", "replicas: 2, " TEMPLATE("i")) STEP("s") "advance: 1m\nexpect:\n" IN_SUBSETS("ReplicaSet", "a: 2")
                       SPREAD_FIELD("status.subsetStatuses[0].replicas", "2")
                           SPREAD_FIELD("status.subsetStatuses[0].creatingPods", ""));
  rebal_store *store = rebal_simulation_store(simulation);
  const uint32_t pod = rebal_store_find(store, "Pod", 3, "default", 7, "cs-aaaab", 8);
  static const char path[] = "metadata.annotations[\"apps.kruise.io/matched-workloadspread\"]";
  rebal_text *found = NULL;
  ck_assert_int_eq(rebal_text_new(&found, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_text(store, pod, path, sizeof path - 1, found, NULL), REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(found, NULL), "{\"name\":\"ws\",\"subset\":\"a\",\"uid\":\"uid-cs-aaaab\"}");
  rebal_text_free(found);
  rebal_simulation_free(simulation);
}
END_TEST

/* A patch that cannot be merged refuses the pod, reported once for each try; admission has seen no workload yet. */
START_TEST(test_refused) {
  rebal_simulation *simulation =
      run_scenario(OWN_HEAD("") SPREAD(OF_CLONE_SET, "", "{name: a, patch: {spec: {containers: [{image: x}]}}}")
                       STEP("s") APPLY("apps.kruise.io/v1alpha1", "CloneSet", "cs", "replicas: 1, " TEMPLATE("i"))
                           "expect:\n" OWN_PODS("CloneSet", "cs", "ready: 0") POD_IS_GONE("cs-aaaaa"));
  ck_assert_uint_ge(count_rows(simulation, "workloads", "a pod was refused"), 1);
  ck_assert_uint_ge(count_reasons(simulation, "workloads", "name"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* Deletions by the scenario and by workloads are admitted too; a deleted WorkloadSpread has no effect. */
START_TEST(test_without_a_spread) {
  assert_runs(OWN_HEAD("") SPREAD(OF_CLONE_SET, "", "{name: a, maxReplicas: 1}, {name: b}") CLONE_SET(
      "cs", "replicas: 2, " TEMPLATE("i")) STEP("gone") "delete: {kind: WorkloadSpread, name: ws}\n" STEP("more")
                  SCALE("CloneSet", "cs", "4") "expect:\n" IN_SUBSETS("CloneSet", "a: 1, b: 1, none: 2") STEP("less")
                      SCALE("CloneSet", "cs", "1") "expect:\n" IN_SUBSETS("CloneSet", "a: 1"));
}
END_TEST

UNIT_CASE(pod_webhook) {
  TCase *cases = tcase_create("pod_webhook");
  tcase_add_test(cases, test_numbers);
  tcase_add_test(cases, test_refused_priorities);
  tcase_add_test(cases, test_subsets);
  tcase_add_test(cases, test_generated_names);
  tcase_add_test(cases, test_refused);
  tcase_add_test(cases, test_without_a_spread);
  return cases;
}
