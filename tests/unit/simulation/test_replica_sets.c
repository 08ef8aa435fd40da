/* SPDX-License-Identifier: MIT */
#include "owning.h"

#define ROLL(image, more) APPLY("apps/v1", "Deployment", "foo", "replicas: 4, " more TEMPLATE(image))
#define AT(time, what) STEP("at " time) "at: " time "\nexpect:\n" OWN_PODS("Deployment", "foo", what)

/* A quarter of 4 more and a quarter less: at no time fewer than 3 ready or more than 5 there. */
START_TEST(test_rolling_update) {
  assert_runs(
      OWN_HEAD("") DEPLOYMENT("foo", "replicas: 4, " TEMPLATE("a")) AT("10s", "ready: 4, " BY_IMAGE("a: 4"))
          STEP("roll") ROLL("b", "") "expect:\n" OWN_PODS("Deployment", "foo", "ready: 3, " BY_IMAGE("a: 3, b: 2"))
              AT("19s", "ready: 3, " BY_IMAGE("a: 3, b: 2")) AT("20s", "ready: 3, " BY_IMAGE("a: 1, b: 4"))
                  AT("30s", "ready: 4, " BY_IMAGE("b: 4")) STEP("back") ROLL(
                      "a", "") "advance: 20s\nexpect:\n" OWN_PODS("Deployment", "foo", "ready: 4, " BY_IMAGE("a: 4")));
}
END_TEST

START_TEST(test_limits) {
  assert_runs(
      OWN_HEAD("") DEPLOYMENT("foo", "replicas: 4, " TEMPLATE("a")) AT("10s", "ready: 4") STEP("roll")
          ROLL("b", "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}, ") "expect:\n" OWN_PODS(
              "Deployment", "foo", "ready: 3, " BY_IMAGE("a: 3, b: 1"))
              STEP("faster") "after: 5s\n" ROLL("b",
                                                "strategy: {rollingUpdate: {maxSurge: \"100%\", maxUnavailable: "
                                                "\"50%\"}}, ") "expect:\n" OWN_PODS("Deployment", "foo",
                                                                                    "ready: 2, " BY_IMAGE(
                                                                                        "a: 2, b: 4")));
}
END_TEST

/* All go before one comes. */
START_TEST(test_recreate) {
  assert_runs(OWN_HEAD("") DEPLOYMENT("foo", "replicas: 4, strategy: {type: Recreate}, " TEMPLATE("a"))
                  AT("10s", "ready: 4") STEP("roll") ROLL("b", "strategy: {type: Recreate}, ") "expect:\n" OWN_PODS(
                      "Deployment", "foo", "ready: 0, " BY_IMAGE("b: 4")));
}
END_TEST

START_TEST(test_paused_and_scaled) {
  assert_runs(OWN_HEAD("") DEPLOYMENT("foo", "replicas: 2, " TEMPLATE("a")) STEP("up") SCALE("Deployment", "foo", "4")
                  "advance: 10s\nexpect:\n" OWN_PODS("Deployment", "foo", "ready: 4")
                      "- {object: {kind: Deployment, name: foo}, field: status.availableReplicas, equals: 4}\n"
                      "- {object: {kind: Deployment, name: foo}, field: status.updatedReplicas, equals: 4}\n"
                      STEP("down") SCALE("Deployment", "foo", "1") "expect:\n" OWN_PODS("Deployment", "foo", "ready: 1")
                          STEP("paused") ROLL("b", "paused: true, ")
                              "advance: 1m\nexpect:\n" OWN_PODS("Deployment", "foo", BY_IMAGE("a: 1")));
}
END_TEST

/* Those of a former template that are not ready go first, but no more than new ones are not ready. */
START_TEST(test_former_ones_that_are_not_ready) {
  assert_runs(OWN_HEAD("readyAfter: 1h\n") DEPLOYMENT("foo", "replicas: 4, " TEMPLATE("a")) STEP("roll")
                  ROLL("b", "") "expect:\n" OWN_PODS("Deployment", "foo", BY_IMAGE("a: 3, b: 2")));
}
END_TEST

#define SET_OF_A_CLUSTER                                                                                               \
  "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: foo-abc, uid: foo-abc, labels: {app: a, "              \
  "pod-template-hash: abc}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: foo, uid: foo, "           \
  "controller: true}]}\nspec: {replicas: 2, selector: {matchLabels: {app: a, pod-template-hash: abc}}, template: "     \
  "{metadata: {labels: {app: a, pod-template-hash: abc}}, spec: {containers: [{name: c, image: a}]}}}\n"
#define BY_HASH(counts) "by: 'metadata.labels[\"pod-template-hash\"]', counts: {" counts "}"

/* One that comes out of a cluster is known by its template: its hash is of another's making. */
START_TEST(test_set_of_a_cluster) {
  assert_runs(OWN_HEAD("") DEPLOYMENT("foo", "replicas: 2, " TEMPLATE("a"))
                  SET_OF_A_CLUSTER AT("10s", "ready: 2, " BY_HASH("abc: 2")));
}
END_TEST

UNIT_CASE(replica_sets) {
  TCase *cases = tcase_create("replica_sets");
  tcase_add_test(cases, test_rolling_update);
  tcase_add_test(cases, test_limits);
  tcase_add_test(cases, test_recreate);
  tcase_add_test(cases, test_set_of_a_cluster);
  tcase_add_test(cases, test_paused_and_scaled);
  tcase_add_test(cases, test_former_ones_that_are_not_ready);
  return cases;
}
