/* SPDX-License-Identifier: MIT */
#include "owning.h"

#define NEEDS(more)                                        \
  "template: {metadata: {labels: {app: a}}, spec: {" more \
  "containers: [{name: c, resources: {requests: {cpu: 600m}}}]}}"
#define RS(name, what) "expect:\n" OWN_PODS("ReplicaSet", name, what)

/*
 * Without nodes all pods fit into one; with nodes only those that fit are placed, and the others wait for more nodes.
 */
START_TEST(test_nodes) {
  rebal_simulation *
      simulation = run_scenario(OWN_HEAD("") REPLICA_SET("rs", "replicas: 2, " NEEDS("")) STEP("one for all")
          RS("rs", BY_NODE("node-0: 2")) STEP(
          "nodes") "apply:\n"
                   "- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 1, pods: "
                   "9}}}\n" SCALE("ReplicaSet", "rs", "3") RS("rs", "unschedulable: 2, " BY_NODE("n1: 1, none: 2"))
                       STEP(
                       "another") "after: 1m\napply:\n"
                                  "- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: 2, "
                                  "pods: 9}}}\n"
                                  "advance: 9s\n" RS("rs", "ready: 1, unschedulable: 0, " BY_NODE("n1: 1, n2: 2"))
                                      STEP("ready") "after: 1s\n" RS("rs", "ready: 3"));
  ck_assert_str_eq(time_of(simulation, "pod-scheduler", "2 pods unschedulable"), "2024-01-01T00:00:00Z");
  rebal_simulation_free(simulation);
}
END_TEST

/* The node constraints of a pod are kept; the pod with the highest priority is placed first. */
START_TEST(test_claims) {
  assert_runs(OWN_HEAD("") "---\napiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {zone: a}}\n"
                           "status: {allocatable: {cpu: \"1\", pods: \"9\"}}\n"
                           "---\napiVersion: v1\nkind: Node\nmetadata: {name: b}\n"
                           "spec: {taints: [{key: k, effect: NoSchedule}]}\n"
                           "status: {allocatable: {cpu: \"1\", pods: \"9\"}}\n" REPLICA_SET("low", "replicas: 1, "
                               NEEDS(""))
                  REPLICA_SET("tolerant", "replicas: 1, "
                      NEEDS("tolerations: [{operator: Exists}], nodeSelector: {zone: b}, "))
                      REPLICA_SET("z-high", "replicas: 1, " NEEDS("priority: 5, nodeSelector: {zone: a}, ")) STEP("s")
                          RS("z-high", BY_NODE("a: 1")) OWN_PODS("ReplicaSet", "low", "unschedulable: 1")
                              OWN_PODS("ReplicaSet", "tolerant", "unschedulable: 1") STEP("label") "apply:\n"
                  "- {apiVersion: v1, kind: Node, metadata: {name: b, labels: {zone: b}}, spec: {taints: [{key: k, "
                  "effect: NoSchedule}]}}\n" RS("tolerant", BY_NODE("b: 1")) OWN_PODS("ReplicaSet", "low",
                      "unschedulable: 1"));
}
END_TEST

/* A pod becomes ready after the time in the head, counted from its placement. */
START_TEST(test_ready_after) {
  assert_runs(OWN_HEAD("readyAfter: 3m\n") REPLICA_SET("rs", "replicas: 1, " NEEDS("")) STEP("a") "after: 179s\n"
                  RS("rs", "ready: 0") STEP("b") "after: 1s\n" RS("rs", "ready: 1")
                  "- {object: {kind: Pod, name: rs-aaaaa}, field: \"status.conditions[1].lastTransitionTime\", "
                  "equals: \"2024-01-01T00:03:00Z\"}\n"
                  "- {object: {kind: Pod, name: rs-aaaaa}, field: status.phase, equals: Running}\n");
}
END_TEST

UNIT_CASE(pod_scheduler) {
  TCase *cases = tcase_create("pod_scheduler");
  tcase_add_test(cases, test_nodes);
  tcase_add_test(cases, test_claims);
  tcase_add_test(cases, test_ready_after);
  return cases;
}
