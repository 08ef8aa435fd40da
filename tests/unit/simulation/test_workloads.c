/* SPDX-License-Identifier: MIT */
#include "owning.h"

/* Without workloads in the head nothing runs but what bindings bring. */
START_TEST(test_off) {
  assert_runs(HEAD("") REPLICA_SET("rs", "replicas: 3, " TEMPLATE("a")) STEP("s") "advance: 1m\nexpect:\n" POD_IS_GONE(
      "rs-aaaaa") "- {object: {kind: ReplicaSet, name: rs}, field: status, equals: \"\"}\n");
}
END_TEST

/* What a workload owned goes with it, through its ReplicaSets, and what stood on a node with that. */
START_TEST(test_garbage) {
  rebal_simulation *simulation =
      run_scenario(OWN_HEAD("") OWN_NODE("n1", "1") OWN_NODE("n2", "1") DEPLOYMENT("foo", "replicas: 2, " TEMPLATE("a"))
                       REPLICA_SET("rs", "replicas: 3, " TEMPLATE("a")) STEP("a") "advance: 1m\nexpect:\n" OWN_PODS(
                           "Deployment", "foo", "ready: 2") STEP("b") "delete: {kind: Deployment, name: foo}\n"
                                                                      "expect:\n" OWN_PODS("ReplicaSet", "rs",
                                                                                           "ready: 3, "
                                                                                           "" BY_NODE("n1: 3"))
                           STEP("c") "delete: {kind: Node, name: n1}\nexpect:\n" OWN_PODS(
                               "ReplicaSet", "rs", "ready: 0, " BY_NODE("n2: 3"))
                               STEP("d") "delete: {kind: Pod, name: rs-aaaad}\nadvance: 10s\n"
                                         "expect:\n" OWN_PODS("ReplicaSet", "rs", "ready: 3") POD_IS_GONE("rs-aaaad"));
  ck_assert_uint_eq(count_rows(simulation, "garbage-collector", "2 pods deleted: foo-"), 1);
  ck_assert_uint_eq(count_rows(simulation, "garbage-collector", "3 pods deleted: rs-aaaaa, rs-aaaab, rs-aaaac"), 1);
  ck_assert_uint_eq(count_rows(simulation, "scenario", "1 pod deleted: rs-aaaad"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* Another kind has pods as a ReplicaSet does, when the head names it. */
START_TEST(test_other_kinds) {
  assert_runs(HEAD("workloads: {kinds: [GameServer]}\n")
                  OBJECT("example.io/v1", "GameServer", "g", "replicas: 2, " TEMPLATE("a"))
                      OBJECT("example.io/v1", "Other", "o", "replicas: 2, " TEMPLATE("a"))
                          STEP("s") "advance: 1m\nexpect:\n" OWN_PODS("GameServer", "g", "ready: 2")
                              OWN_PODS("Other", "o", "ready: 0"));
}
END_TEST

START_TEST(test_refusals) {
  static const struct refusal refusals[] = {
      {HEAD("workloads: 1\n"), REBAL_EPARSE, 1, 4, "workloads", "expected a map"},
      {HEAD("workloads: {nodes: 1}\n"), REBAL_EPARSE, 1, 4, "workloads.nodes", "no such member"},
      {HEAD("workloads: {kinds: Foo}\n"), REBAL_EPARSE, 1, 4, "workloads.kinds", "expected a list"},
      {HEAD("workloads: {kinds: [1]}\n"), REBAL_EPARSE, 1, 4, "workloads.kinds", "names of kinds"},
      {OWN_HEAD("") STEP("s") "scale: {kind: A, name: a}\n", REBAL_EPARSE, 2, 8, "scale.replicas", "missing"},
      {OWN_HEAD("") STEP("s") "scale: {kind: A, name: a, replicas: -1}\n", REBAL_EPARSE, 2, 8, "scale.replicas",
       "not negative"},
      {OWN_HEAD("") STEP("s") "scale: {kind: A, name: a, replicas: 1}\n", REBAL_ENOTFOUND, 2, 8, "scale",
       "no such object"},
      {HEAD("") STEP("s") "apply: {apiVersion: v1, kind: Node, metadata: {name: n}, status: {}}\n", REBAL_EPARSE, 2, 7,
       "apply.status", "sets no status"},
  };
  for (size_t i = 0; i < COUNT(refusals); i++) {
    assert_refused(&refusals[i]);
  }
}
END_TEST

#define STATUS(kind, object, path, value) \
  "- {object: {kind: " kind ", name: " object "}, field: status." path ", equals: " value "}\n"
#define COUNTS(kind, object, replicas, ready, updated)                                     \
  STATUS(kind, object, "replicas", replicas) STATUS(kind, object, "readyReplicas", ready)  \
  STATUS(kind, object, "availableReplicas", ready) STATUS(kind, object, "updatedReplicas", updated)

/* Those of the template alone are updated, whichever of its ReplicaSets has the others. */
START_TEST(test_deployment) {
#define ROLLED(image) APPLY("apps/v1", "Deployment", "d", "replicas: 3, " TEMPLATE(image))
  assert_runs(OWN_HEAD("") DEPLOYMENT("d", "replicas: 3, " TEMPLATE("a")) STEP("new") "expect:\n"
      COUNTS("Deployment", "d", "3", "0", "3") STEP("ready") "advance: 1m\nexpect:\n"
      COUNTS("Deployment", "d", "3", "3", "3") STATUS("Deployment", "d", "observedGeneration", "1") STEP("update")
      ROLLED("b") "expect:\n" COUNTS("Deployment", "d", "4", "3", "1")
      STATUS("Deployment", "d", "observedGeneration", "2") STEP("done") "advance: 10m\nexpect:\n"
      COUNTS("Deployment", "d", "3", "3", "3"));
}
END_TEST

START_TEST(test_clone_set) {
#define KEPT(image) \
  APPLY("apps.kruise.io/v1alpha1", "CloneSet", "c", "replicas: 3, updateStrategy: {partition: 2}, " TEMPLATE(image))
  assert_runs(OWN_HEAD("") CLONE_SET("c", "replicas: 3, " TEMPLATE("a")) STEP("ready") "advance: 1m\nexpect:\n"
      COUNTS("CloneSet", "c", "3", "3", "3") STEP("update") KEPT("b") "expect:\n"
      COUNTS("CloneSet", "c", "3", "2", "1") STEP("kept") "advance: 1m\nexpect:\n"
      COUNTS("CloneSet", "c", "3", "3", "1"));
}
END_TEST

/* One that ended is none of its replicas; other members of the status stay. */
START_TEST(test_ended) {
  assert_runs(OWN_HEAD("") "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: r, uid: r}\n"
      "spec: {replicas: 2, " TEMPLATE("a") "}\nstatus: {replicas: 9, fullyLabeledReplicas: 8}\n"
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: ended, ownerReferences: [{apiVersion: apps/v1, "
      "kind: ReplicaSet, name: r, uid: r, controller: true}]}\nspec: {nodeName: node-0, containers: [{name: c}]}\n"
      "status: {phase: Succeeded, conditions: [{type: Ready, status: \"True\"}]}\n"
      STEP("s") "expect:\n" COUNTS("ReplicaSet", "r", "2", "0", "2")
      STATUS("ReplicaSet", "r", "fullyLabeledReplicas", "8"));
}
END_TEST

/* The same counts are not written again. */
START_TEST(test_unchanged) {
  rebal_simulation *simulation =
      run_scenario(OWN_HEAD("") STATEFUL_SET("w", TEMPLATE("a")) STEP("s") "advance: 1m\nexpect:\n"
                       COUNTS("StatefulSet", "w", "1", "1", "1"));
  const uint32_t workload = rebal_store_find(simulation->server.store, "StatefulSet", 11, "default", 7, "w", 1);
  struct rebali_own *own = &simulation->own;
  const uint64_t changes = rebal_store_change_count(simulation->server.store);
  ck_assert_int_eq(rebali_workload_report(own, workload, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_store_change_count(simulation->server.store), changes);
  rebali_pods_of(own, workload)->n = 0;
  ck_assert_int_eq(rebali_workload_report(own, workload, NULL), REBAL_OK);
  ck_assert_uint_gt(rebal_store_change_count(simulation->server.store), changes);
  ck_assert_int_eq(rebali_field_number(&simulation->server, workload, "status.updatedReplicas", -1), 0);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(workloads) {
  TCase *cases = tcase_create("workloads");
  tcase_add_test(cases, test_off);
  tcase_add_test(cases, test_garbage);
  tcase_add_test(cases, test_other_kinds);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_deployment);
  tcase_add_test(cases, test_clone_set);
  tcase_add_test(cases, test_ended);
  tcase_add_test(cases, test_unchanged);
  return cases;
}
