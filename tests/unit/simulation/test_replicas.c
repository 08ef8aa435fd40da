/* SPDX-License-Identifier: MIT */
#include "owning.h"

/* Only the order distinguishes pods; names are not used again. */
START_TEST(test_replica_set) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") REPLICA_SET("rs", "replicas: 3, " TEMPLATE("a")) STEP("s") "advance: 10s\nexpect:\n"
          OWN_PODS("ReplicaSet", "rs", "ready: 3, " BY_NAME("rs-aaaaa: 1, rs-aaaab: 1, rs-aaaac: 1"))
              STEP("less") SCALE("ReplicaSet", "rs", "1") "expect:\n" OWN_PODS("ReplicaSet", "rs",
                  BY_NAME("rs-aaaac: 1"))
                  STEP("more") SCALE("ReplicaSet", "rs", "28") "expect:\n"
                  "- {object: {kind: Pod, name: rs-aaabd}, field: \"metadata.ownerReferences[0].name\", equals: rs}\n"
                  "- {object: {kind: Pod, name: rs-aaabd}, field: metadata.generateName, equals: rs-}\n"
                  "- {object: {kind: ReplicaSet, name: rs}, field: status.replicas, equals: 28}\n"
                  "- {object: {kind: ReplicaSet, name: rs}, field: status.readyReplicas, equals: 1}\n"
                      POD_IS_GONE("rs-aaaab"));
  ck_assert_uint_eq(count_rows(simulation, "workloads", "2 pods deleted: rs-aaaaa, rs-aaaab"), 1);
  ck_assert_uint_eq(count_rows(simulation, "workloads", "27 pods created: rs-aaaad, rs-aaaae, rs-aaaaf and 24 more"),
                    1);
  rebal_simulation_free(simulation);
}
END_TEST

#define COSTLY(name, uid, cost)                                                                             \
  "- {apiVersion: v1, kind: Pod, metadata: {labels: {app: a}, name: " name                                   \
  ", annotations: {controller.kubernetes.io/pod-deletion-cost: "                                            \
  "\"" cost                                                                                                 \
  "\"}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: rs, controller: true}]}, " \
  "spec: {nodeName: node-0, containers: [{name: c, image: a}]}}\n"

/* The cheapest of the ready ones is deleted; one that is not ready is deleted before it. */
START_TEST(test_costs) {
  assert_runs(OWN_HEAD("") REPLICA_SET("rs", "replicas: 3, " TEMPLATE("a"))
                  STEP("wait") "advance: 10s\nexpect:\n" OWN_PODS("ReplicaSet", "rs", "ready: 3")
                      STEP("costs") "apply:\n" COSTLY("rs-aaaaa", "pod-1", "-5") COSTLY("rs-aaaac", "pod-3", "7")
                          SCALE("ReplicaSet", "rs", "2") "expect:\n" POD_IS_GONE("rs-aaaaa") STEP("more")
                              SCALE("ReplicaSet", "rs", "3") "expect:\n" OWN_PODS("ReplicaSet", "rs", "ready: 2")
                                  STEP("less") SCALE("ReplicaSet", "rs", "2") "expect:\n" POD_IS_GONE("rs-aaaad")
                                      STEP("least") SCALE("ReplicaSet", "rs", "1") "expect:\n" POD_IS_GONE("rs-aaaab"));
}
END_TEST

START_TEST(test_job) {
  assert_runs(OWN_HEAD("") OBJECT("batch/v1", "Job", "j", "parallelism: 5, completions: 3, " TEMPLATE("a")) OBJECT(
      "batch/v1", "Job", "k", TEMPLATE("a")) STEP("s") "advance: 10s\nexpect:\n" OWN_PODS("Job", "j", "ready: 3")
                  OWN_PODS("Job", "k", BY_NAME("k-aaaaa: 1"))
                      STEP("stop") APPLY("batch/v1", "Job", "j", "parallelism: 5, completions: 3, suspend: true, "
                          TEMPLATE("a")) "expect:\n" POD_IS_GONE("j-aaaaa") POD_IS_GONE("j-aaaac"));
}
END_TEST

#define UPDATE(image, more) \
  APPLY("apps.kruise.io/v1alpha1", "CloneSet", "cs", "replicas: 5, updateStrategy: {" more "}, " TEMPLATE(image))
#define CLONES(what) "expect:\n" OWN_PODS("CloneSet", "cs", what)

/* A fifth of them at once, unless the partition keeps them. */
START_TEST(test_clone_set) {
  assert_runs(OWN_HEAD("") CLONE_SET("cs", "replicas: 5, " TEMPLATE("a")) STEP("wait") "advance: 10s\n" CLONES(
      "ready: 5") STEP("kept") UPDATE("b", "partition: 5") CLONES(BY_IMAGE("a: 5")) STEP("update")
                  UPDATE("b", "partition: 2") CLONES("ready: 4, " BY_IMAGE("a: 4, b: 1"))
                      STEP("ready") "advance: 10s\n" CLONES("ready: 4, " BY_IMAGE("a: 3, b: 2"))
                          STEP("done") "advance: 1m\n" CLONES("ready: 5, " BY_IMAGE("a: 2, b: 3")) STEP("surge")
                              UPDATE("b", "maxSurge: 1, maxUnavailable: 0") CLONES("ready: 5, " BY_IMAGE("a: 2, b: 4"))
                                  STEP("end") "advance: 1m\n" CLONES("ready: 5, " BY_IMAGE("b: 5")));
}
END_TEST

#define MARK(pod) \
  "patch: {kind: Pod, name: " pod ", merge: {metadata: {labels: {apps.kruise.io/specified-delete: \"no\"}}}}\n"

/* A marked pod is deleted without a surplus, as far as maxUnavailable permits, and is replaced. */
START_TEST(test_marked_clones) {
  rebal_simulation *simulation = run_scenario(
      OWN_HEAD("") CLONE_SET("cs", "replicas: 5, " TEMPLATE("a")) STEP("wait") "advance: 10s\n" CLONES("ready: 5")
          STEP("one") MARK("cs-aaaab") CLONES("ready: 4, " BY_NAME(
              "cs-aaaaa: 1, cs-aaaac: 1, cs-aaaad: 1, cs-aaaae: 1, cs-aaaaf: 1"))
              STEP("another") MARK("cs-aaaaa") CLONES("ready: 4") "- {object: {kind: Pod, name: cs-aaaaa}, field: "
                                                                  "metadata.name, equals: cs-aaaaa}\n"
                  STEP("later") "advance: 10s\n" CLONES("ready: 4, " BY_NAME(
                      "cs-aaaac: 1, cs-aaaad: 1, cs-aaaae: 1, cs-aaaaf: 1, cs-aaaag: 1"))
                      STEP("listed") "advance: 10s\n" APPLY("apps.kruise.io/v1alpha1", "CloneSet", "cs",
                          "replicas: 5, scaleStrategy: {podsToDelete: [cs-aaaag]}, " TEMPLATE("a"))
                          CLONES("ready: 5") POD_IS_GONE("cs-aaaag"));
  ck_assert_uint_eq(count_rows(simulation, "workloads", "1 pod deleted: cs-aaaab"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* With maxSurge its replacement is created before it is deleted. */
START_TEST(test_surge_for_marked) {
  assert_runs(OWN_HEAD("") CLONE_SET(
      "cs", "replicas: 2, updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}, " TEMPLATE("a"))
                  STEP("wait") "advance: 10s\n" CLONES("ready: 2") STEP("mark") MARK("cs-aaaaa")
                      CLONES("ready: 2, " BY_NAME("cs-aaaaa: 1, cs-aaaab: 1, cs-aaaac: 1"))
                          STEP("gone") "advance: 10s\n" CLONES("ready: 2, " BY_NAME("cs-aaaab: 1, cs-aaaac: 1")));
}
END_TEST

/* No pod may be unavailable: the marked one stays. With a surplus only it is deleted, though others are cheaper. */
START_TEST(test_marked_and_surplus) {
  assert_runs(OWN_HEAD("") CLONE_SET("cs", "replicas: 3, updateStrategy: {maxUnavailable: 0}, " TEMPLATE("a"))
                  STEP("wait") "advance: 10s\n" CLONES("ready: 3") STEP("mark") MARK("cs-aaaab") "advance: 1h\n"
                      CLONES("ready: 3, " BY_NAME("cs-aaaaa: 1, cs-aaaab: 1, cs-aaaac: 1"))
                          STEP("less") SCALE("CloneSet", "cs", "2") CLONES(BY_NAME("cs-aaaaa: 1, cs-aaaac: 1")));
}
END_TEST

/* A hook keeps a pod until its label is removed; until then it is not replaced. */
START_TEST(test_held_clone) {
  assert_runs(OWN_HEAD("") CLONE_SET("cs",
                                     "replicas: 2, updateStrategy: {maxUnavailable: 1}, "
                                     "lifecycle: {preDelete: {labelsHandler: {hold: \"1\"}}}, selector: {matchLabels: "
                                     "{app: a}}, template: {metadata: {labels: {app: a, hold: \"1\"}}, spec: "
                                     "{containers: [{name: c, image: a}]}}")
                  STEP("wait") "advance: 10s\n" CLONES("ready: 2") STEP("mark") MARK("cs-aaaaa") "advance: 1m\n"
                      CLONES(BY_NAME("cs-aaaaa: 1, cs-aaaab: 1"))
                  "- {object: {kind: Pod, name: cs-aaaaa}, field: "
                  "'metadata.labels[\"lifecycle.apps.kruise.io/state\"]', equals: PreparingDelete}\n"
                  STEP("free") "patch: {kind: Pod, name: cs-aaaaa, merge: {metadata: {labels: {hold: null}}}}\n"
                      CLONES(BY_NAME("cs-aaaab: 1, cs-aaaac: 1")));
}
END_TEST

/* This many may be starting at a time, whatever the value of minReadySeconds. */
START_TEST(test_scale_strategy) {
  assert_runs(OWN_HEAD("") CLONE_SET(
      "cs", "replicas: 5, minReadySeconds: 3600, scaleStrategy: {maxUnavailable: \"30%\"}, " TEMPLATE("a"))
                  STEP("first") CLONES(BY_IMAGE("a: 2")) STEP("second") "advance: 10s\n"
                      CLONES("ready: 2, " BY_IMAGE("a: 4")) STEP("third") "advance: 10s\n"
                          CLONES("ready: 4, " BY_IMAGE("a: 5")));
}
END_TEST

#define ROLL(replicas, more) \
  APPLY("apps.kruise.io/v1beta1", "CloneSet", "cs", \
        "replicas: " replicas ", updateStrategy: {rollingUpdate: {" more "}}, " TEMPLATE("b")) "advance: 10m\n"

/* Rounded up, but never to all; members of v1beta1 are nested one level deeper; a paused update replaces no pod. */
START_TEST(test_partition) {
  assert_runs(OWN_HEAD("") OBJECT("apps.kruise.io/v1beta1", "CloneSet", "cs", "replicas: 5, " TEMPLATE("a"))
                  STEP("wait") "advance: 10s\n" CLONES("ready: 5")
                  STEP("all") ROLL("5", "partition: 100%") CLONES("ready: 5, " BY_IMAGE("a: 5"))
                  STEP("paused") ROLL("5", "paused: true") CLONES("ready: 5, " BY_IMAGE("a: 5"))
                  STEP("nearly all") ROLL("5", "partition: 99%") CLONES("ready: 5, " BY_IMAGE("a: 4, b: 1"))
                  STEP("half") ROLL("5", "partition: 50%") CLONES("ready: 5, " BY_IMAGE("a: 3, b: 2"))
                  STEP("one more") ROLL("6", "paused: true, maxSurge: 1") CLONES("ready: 6, " BY_IMAGE("a: 3, b: 3"))
                  STEP("none") ROLL("6", "partition: 0%") CLONES("ready: 6, " BY_IMAGE("b: 6")));
}
END_TEST

#define OWNED(kind, api, owner, pod)                                                          \
  "---\napiVersion: v1\nkind: Pod\nmetadata: {labels: {app: a}, name: " pod ", uid: " pod                      \
  ", ownerReferences: [{apiVersion: " api ", kind: " kind ", name: " owner ", uid: " owner    \
  ", controller: true}]}\nspec: {nodeName: node-0, containers: [{name: c, image: a}]}\n"

/* The name of a pod of the scenario is not used again. */
START_TEST(test_names_of_others) {
  assert_runs(OWN_HEAD("") REPLICA_SET("rs", "replicas: 3, " TEMPLATE("a"))
                  OWNED("ReplicaSet", "apps/v1", "rs", "rs-aaaab")
                  STEP("s") "expect:\n" OWN_PODS("ReplicaSet", "rs", BY_NAME("rs-aaaaa: 1, rs-aaaab: 1, rs-aaaac: 1")));
}
END_TEST

/* Pods without a label belong to the first template of a CloneSet without a revision, and to no other. */
START_TEST(test_unlabelled) {
  assert_runs(OWN_HEAD("") CLONE_SET("cs", "replicas: 2, " TEMPLATE("a"))
                  OWNED("CloneSet", "apps.kruise.io/v1alpha1", "cs", "cs-a")
                      OWNED("CloneSet", "apps.kruise.io/v1alpha1", "cs", "cs-b") STEP("kept") "advance: 1m\nexpect:\n"
                          OWN_PODS("CloneSet", "cs", BY_NAME("cs-a: 1, cs-b: 1"))
                          "- {object: {kind: CloneSet, name: cs}, field: status.updatedReplicas, equals: 2}\n"
                              STEP("update") APPLY("apps.kruise.io/v1alpha1", "CloneSet", "cs", "replicas: 2, "
                                  TEMPLATE("b")) "advance: 1m\nexpect:\n" OWN_PODS("CloneSet", "cs", BY_IMAGE("b: 2")));
}
END_TEST

UNIT_CASE(replicas) {
  TCase *cases = tcase_create("replicas");
  tcase_add_test(cases, test_replica_set);
  tcase_add_test(cases, test_costs);
  tcase_add_test(cases, test_job);
  tcase_add_test(cases, test_clone_set);
  tcase_add_test(cases, test_marked_clones);
  tcase_add_test(cases, test_surge_for_marked);
  tcase_add_test(cases, test_marked_and_surplus);
  tcase_add_test(cases, test_held_clone);
  tcase_add_test(cases, test_scale_strategy);
  tcase_add_test(cases, test_partition);
  tcase_add_test(cases, test_names_of_others);
  tcase_add_test(cases, test_unlabelled);
  return cases;
}
