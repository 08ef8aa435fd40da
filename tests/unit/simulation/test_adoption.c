/* SPDX-License-Identifier: MIT */
#include "owning.h"

/* A pod of the scenario, with its labels and other members of its metadata. */
#define LONE(name, labels, more)                                                                    \
  "{apiVersion: v1, kind: Pod, metadata: {name: " name ", labels: {" labels "}" more "}, spec: {" \
  "nodeName: node-0, containers: [{name: c, image: a}]}}\n"
#define SET(counts) "expect:\n" OWN_PODS("ReplicaSet", "rs", BY_NAME(counts))
#define RELABEL(pod, label) "patch: {kind: Pod, name: " pod ", merge: {metadata: {labels: {app: " label "}}}}\n"

/* The pod is adopted and counts; pods with other labels, in another namespace, finished or owned are not adopted. */
START_TEST(test_adopted) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") REPLICA_SET("rs", "replicas: 2, " TEMPLATE("a")) "---\n" LONE("lone", "app: a", "") "---\n" LONE(
          "other", "app: b", "") "---\n" LONE("away", "app: a", ", namespace: elsewhere") "---\n"
      "{apiVersion: v1, kind: Pod, metadata: {name: done, labels: {app: a}}, status: {phase: Failed}}\n"
      "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: m, uid: m}}\n---\n" LONE("owned", "app: a",
          ", ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: m, uid: m, controller: true}]")
          STEP("s") SET("lone: 1, rs-aaaaa: 1") "- {object: {kind: Pod, name: lone}, field: "
                                                "\"metadata.ownerReferences[0].name\", equals: rs}\n"
                                                "- {object: {kind: ReplicaSet, name: rs}, field: status.replicas, "
                                                "equals: 2}\n");
  ck_assert_uint_eq(count_rows(simulation, "workloads", "adopted"), 1);
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod adopted: lone"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* One pod too many: the adopted one is not ready, so it is deleted first. */
START_TEST(test_adopted_and_deleted) {
  assert_runs(OWN_HEAD("") REPLICA_SET("rs", "replicas: 2, " TEMPLATE("a")) STEP("wait") "advance: 10s\n" SET(
      "rs-aaaaa: 1, rs-aaaab: 1") STEP("s") "apply: " LONE("lone", "app: a", "") SET("rs-aaaaa: 1, rs-aaaab: 1")
                  POD_IS_GONE("lone"));
}
END_TEST

/* A reference to the ReplicaSet that is not the controller becomes the controller; other references stay. */
START_TEST(test_owner_that_does_not_control) {
  assert_runs(OWN_HEAD("") REPLICA_SET("rs", "replicas: 1, " TEMPLATE("a")) "---\n" LONE(
      "lone", "app: a",
      ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: rs}, "
      "{apiVersion: v1, kind: ConfigMap, name: m, uid: m}]") STEP("s") SET("lone: 1")
                  "- {object: {kind: Pod, name: lone}, field: \"metadata.ownerReferences[0].uid\", equals: m}\n"
                  "- {object: {kind: Pod, name: lone}, field: \"metadata.ownerReferences[1].controller\", equals: "
                  "true}\n");
}
END_TEST

/* A pod whose labels no longer match is released and keeps running; it is adopted again when its labels match. */
START_TEST(test_released) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") REPLICA_SET("rs", "replicas: 2, " TEMPLATE("a")) STEP("wait") "advance: 10s\n" SET(
          "rs-aaaaa: 1, rs-aaaab: 1") STEP("out") RELABEL("rs-aaaaa", "debug") SET("rs-aaaab: 1, rs-aaaac: 1")
          "- {object: {kind: Pod, name: rs-aaaaa}, field: metadata.labels.app, equals: debug}\n"
          STEP("gone") "delete: {kind: Pod, name: rs-aaaab}\nadvance: 10s\n" SET("rs-aaaac: 1, rs-aaaad: 1")
              STEP("back") RELABEL("rs-aaaaa", "a") "advance: 1m\n" SET("rs-aaaaa: 1, rs-aaaad: 1"));
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod released: rs-aaaaa"), 1);
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod adopted: rs-aaaaa"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* The API refuses such selectors. Pods made from the template are kept. Without a selector no pod is adopted. */
START_TEST(test_selectors_that_do_not_match) {
  static const char *const selectors[] = {"selector: {matchLabels: {app: b}}, ", ""};
  char scenario[2048];
  for (size_t i = 0; i < COUNT(selectors); i++) {
    (void)snprintf(scenario, sizeof scenario,
                   OWN_HEAD("") REPLICA_SET("rs", "replicas: 1, %stemplate: {metadata: {labels: {app: a}}}")
                   "---\n" LONE("lone", "app: a", "") STEP("s") "advance: 1h\n" SET("rs-aaaaa: 1"),
                   selectors[i]);
    assert_runs(scenario);
  }
}
END_TEST

/* The specification has no adoption for other kinds of Kubernetes and OpenKruise: they adopt no pods. */
START_TEST(test_other_kinds) {
  assert_runs(OWN_HEAD("") CLONE_SET("cs", "replicas: 1, " TEMPLATE("a")) OBJECT(
      "batch/v1", "Job", "j", TEMPLATE("a")) "---\n" LONE("lone", "app: a", "") STEP("s") "expect:\n"
                  OWN_PODS("CloneSet", "cs", BY_NAME("cs-aaaaa: 1")) OWN_PODS("Job", "j", BY_NAME("j-aaaaa: 1"))
                  "- {object: {kind: Pod, name: lone}, field: metadata.labels.app, equals: a}\n");
}
END_TEST

UNIT_CASE(adoption) {
  TCase *cases = tcase_create("adoption");
  tcase_add_test(cases, test_adopted);
  tcase_add_test(cases, test_adopted_and_deleted);
  tcase_add_test(cases, test_owner_that_does_not_control);
  tcase_add_test(cases, test_released);
  tcase_add_test(cases, test_selectors_that_do_not_match);
  tcase_add_test(cases, test_other_kinds);
  return cases;
}
