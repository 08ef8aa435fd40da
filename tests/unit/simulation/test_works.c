/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

/* Ready a while after they got their node; what is wanted less goes from those without one first. */
START_TEST(test_pods_of_a_work) {
  assert_runs(FOO_IN_M1("5", "400m") STEP("start") "expect:\n" PODS(
      "foo", "m1", "ready: 0, unschedulable: 1, since: 2024-01-01T00:00:00Z, nodes: {a: 2, b: 2}")
                  FIELD(FOO_BINDING, "status.aggregatedStatus[0].status.readyReplicas", "0") STEP(
                      "ready") "after: 10s\nexpect:\n" PODS("foo", "m1", "ready: 4, unschedulable: 1")
                      FIELD(FOO_BINDING, "status.aggregatedStatus[0].status.readyReplicas", "4")
                          FIELD(FOO_BINDING, "status.aggregatedStatus[0].health", "Unhealthy") STEP("less")
                              "apply:\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: "
                              "{replicas: 4, template: {spec: {containers: [{name: c, resources: {requests: {cpu: "
                              "400m}}}]}}}}\nexpect:\n" PODS("foo", "m1", "ready: 4, unschedulable: 0")
                                  FIELD(FOO_BINDING, "status.aggregatedStatus[0].health", "Healthy"));
}
END_TEST

/* Another template is other pods, all at once. */
START_TEST(test_another_template) {
  assert_runs(FOO_IN_M1("2", "400m") STEP("ready") "advance: 10s\nexpect:\n" PODS("foo", "m1", "ready: 2") STEP(
      "larger") "apply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: {replicas: 2, template: "
                "{spec: {containers: [{name: c, resources: {requests: {cpu: 600m}}}]}}}}\nexpect:\n" PODS(
                    "foo", "m1", "ready: 0, nodes: {a: 1, b: 1}"));
}
END_TEST

START_TEST(test_pods_go_with_their_workload) {
  assert_runs(
      FOO_IN_M1("3", "400m") WORKLOAD("bar", "2", "900m", "") TO("bar", "m1")
          STEP("foo first") "expect:\n" PODS("foo", "m1", "nodes: {a: 2, b: 1}") PODS("bar", "m1", "unschedulable: 2")
              STEP("gone") "delete: {kind: Deployment, name: foo}\nexpect:\n" PODS("bar", "m1", "nodes: {a: 1, b: 1}"));
}
END_TEST

/* Replicas that wait count once they did so for longer. */
START_TEST(test_pending_replicas) {
  rebal_simulation *simulation =
      run_scenario(FOO_IN_M1("3", "900m") STEP("s") "expect:\n" PODS("foo", "m1", "unschedulable: 1"));
  const uint32_t binding = rebali_next_binding(&simulation->server, REBAL_NONE);
  const struct rebali_work *work = rebali_work_find(&simulation->members, binding, "m1");
  rebal_time before = simulation->server.now;
  ck_assert_int_eq(rebali_work_waiting(work, &before), 0);
  before.nanos = 1;
  ck_assert_int_eq(rebali_work_waiting(work, &before), 1);
  rebali_member_find(&simulation->members, "m1")->is_lost = 1;
  ck_assert_int_eq(rebali_work_waiting(work, &before), REBAL_FITS_FAILED);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_pending_is_reported) {
  rebal_simulation *simulation = run_scenario(FOO_IN_M1("3", "900m") STEP(
      "s") "capacity: {cluster: m1, node: a, allocatable: {cpu: 2}}\nexpect:\n" PODS("foo", "m1", "unschedulable: 0"));
  ck_assert_uint_eq(count_rows(simulation, "members", "m1: 1 of 3 pods unschedulable"), 1);
  ck_assert_uint_eq(count_rows(simulation, "members", "m1: 0 of 3 pods unschedulable"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* Whoever has no nodes that are known has no opinion, and counts pods that came together as one. */
START_TEST(test_counted_pods) {
  static const char text[] =
      BASIC STEP("s") "advance: 10s\n" STEP("t") "scale: {kind: Deployment, name: foo, replicas: 9}\nexpect:\n"
                                                 "- {object: {kind: Deployment, name: foo}, placement: {m1: 5, m2: 4}}"
                                                 "\n";
  rebal_simulation *simulation = run_scenario(text);
  const uint32_t binding = rebali_next_binding(&simulation->server, REBAL_NONE);
  const struct rebali_work *work = rebali_work_find(&simulation->members, binding, "m1");
  ck_assert_int_eq(rebali_work_waiting(work, &simulation->server.now), REBAL_FITS_NO_OPINION);
  ck_assert_uint_eq(work->pods.n, 2);
  ck_assert_int_eq(rebali_pods_count(&work->pods), work->replicas);
  ck_assert_int_eq(rebali_pods_ready(&work->pods), work->ready);
  ck_assert_int_gt(work->replicas, work->ready);
  rebal_simulation_free(simulation);
}
END_TEST

/* The limit of the head, and of the caller; no pod is made before a member would have more. */
START_TEST(test_limit_of_the_head) {
  static const char text[] = HEAD("maxPods: 30\nmembers: {m1: {nodes: [{name: a, allocatable: {pods: 1000}}]}}\n")
      BARE("m1") FOO("31") POLICY("{clusterAffinity: {clusterNames: [m1]}}");
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_simulation_load(simulation, text, strlen(text), &err), REBAL_ELIMIT);
  ck_assert_str_eq(err.message, "m1: a member with nodes has at most 30 pods (maxPods)");
  rebal_simulation_free(simulation);
}
END_TEST

#define MANY(replicas) \
  "apply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: {replicas: " replicas "}}\n"

/* As many as a member may have: steps by the square of them would not end before the runner does. */
START_TEST(test_many_go) {
  static const char text[] =
      HEAD("members: {m1: {nodes: [{name: a, count: 100, allocatable: {pods: 1000}}]}}\n") BARE("m1") FOO("0")
          POLICY("{clusterAffinity: {clusterNames: [m1]}}") STEP("up") MANY("100000") STEP("down") MANY("1");
  rebal_simulation *simulation = new_simulation(NULL);
  int32_t more;
  ck_assert_int_eq(rebal_simulation_load(simulation, text, strlen(text), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_simulation_step(simulation, &more, NULL), REBAL_OK);
  ck_assert_uint_eq(rebali_member_find(&simulation->members, "m1")->n_pods, 100000);
  ck_assert_int_eq(rebal_simulation_step(simulation, &more, NULL), REBAL_OK);
  ck_assert_uint_eq(rebali_member_find(&simulation->members, "m1")->n_pods, 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* Whose pods are too many, at the start or in a step, has a place. */
START_TEST(test_too_many) {
  static const struct refusal refusals[] = {
      {FOO_IN_M1("100001", "1m"), REBAL_ELIMIT, 1, 1, "", "m1: a member with nodes has at most 100000 pods"},
      {FOO_IN_M1("1", "1m") STEP("s") MANY("100001"), REBAL_ELIMIT, 5, 25, "", "m1: a member with nodes has at most"},
  };
  for (size_t i = 0; i < COUNT(refusals); i++) {
    assert_refused(&refusals[i]);
  }
}
END_TEST

UNIT_CASE(works) {
  TCase *cases = tcase_create("works");
  tcase_add_test(cases, test_pods_of_a_work);
  tcase_add_test(cases, test_another_template);
  tcase_add_test(cases, test_pods_go_with_their_workload);
  tcase_add_test(cases, test_pending_replicas);
  tcase_add_test(cases, test_pending_is_reported);
  tcase_add_test(cases, test_counted_pods);
  tcase_add_test(cases, test_limit_of_the_head);
  tcase_add_test(cases, test_many_go);
  tcase_add_test(cases, test_too_many);
  return cases;
}
