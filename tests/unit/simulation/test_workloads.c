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
      {HEAD("workloads: 1\n"), REBAL_EPARSE, 1, 4, "workloads", "a map is expected"},
      {HEAD("workloads: {nodes: 1}\n"), REBAL_EPARSE, 1, 4, "workloads.nodes", "no such member"},
      {HEAD("workloads: {kinds: Foo}\n"), REBAL_EPARSE, 1, 4, "workloads.kinds", "a list is expected"},
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

UNIT_CASE(workloads) {
  TCase *cases = tcase_create("workloads");
  tcase_add_test(cases, test_off);
  tcase_add_test(cases, test_garbage);
  tcase_add_test(cases, test_other_kinds);
  tcase_add_test(cases, test_refusals);
  return cases;
}
