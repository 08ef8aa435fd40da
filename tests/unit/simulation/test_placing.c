/* SPDX-License-Identifier: MIT */
#include "noding.h"

#define CLASS(name, number) \
  "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: " name "}\nvalue: " number "\n"

/* The room of lower priorities is taken, and their pods wait; equals are left alone. */
START_TEST(test_preemption) {
  assert_runs(FOO_IN_M1("2", "900m") CLASS("high", "1000") STEP("foo") "advance: 10s\nexpect:\n" PODS(
      "foo", "m1", "ready: 2") STEP("bar and baz") "apply:\n"
      "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: bar, uid: bar}, spec: {replicas: 1, template: "
      "{spec: {priorityClassName: high, containers: [{name: c, resources: {requests: {cpu: 500m}}}]}}}}\n"
      "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: baz, uid: baz}, spec: {replicas: 1, template: "
      "{spec: {priority: 0, containers: [{name: c, resources: {requests: {cpu: 500m}}}]}}}}\n"
      "- {apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: bars}, spec: "
      "{resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}], placement: {clusterAffinity: {clusterNames: "
      "[m1]}}}}\n"
      "expect:\n" PODS("bar", "m1", "nodes: {a: 1}")
          PODS("foo", "m1", "ready: 1, unschedulable: 1, since: \"2024-01-01T00:00:10Z\", nodes: {b: 1}")
              PODS("baz", "m1", "nodes: {a: 1}"));
}
END_TEST

/* The priority is what the class said when they came; other pods of the class come with another one. */
START_TEST(test_a_class_changes) {
  assert_runs(NODES_HEAD("") BARE("m1") CLASS("high", "1000") WORKLOAD("foo", "2", "900m", "priorityClassName: high, ")
                  TO("foo", "m1") STEP("ready") "advance: 10s\nexpect:\n" PODS("foo", "m1", "ready: 2") STEP(
                      "class") "apply: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, "
                               "value: 5}\n" STEP("touched") "after: 1s\ncordon: {cluster: m1, node: a}\n"
                               "apply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo, labels: {a: b}}, "
                               "spec: {replicas: 3, template: {spec: {priorityClassName: high, containers: [{name: c, "
                               "resources: {requests: {cpu: 900m}}}]}}}}\nexpect:\n" PODS("foo", "m1",
                      "ready: 2, unschedulable: 1"));
}
END_TEST

/* No number wraps: what is beyond the largest priority goes before what is below. */
START_TEST(test_priorities_beyond_32_bits) {
  assert_runs(NODES_HEAD("") BARE("m1") WORKLOAD("foo", "2", "900m", "priority: 4294967296, ") TO("foo", "m1")
                  WORKLOAD("bar", "1", "900m", "priority: 7, ") TO("bar", "m1") STEP("s") "expect:\n" PODS(
                      "foo", "m1", "unschedulable: 0") PODS("bar", "m1", "unschedulable: 1"));
}
END_TEST

/* Labels and taints of nodes are looked at as the member's scheduler does. */
START_TEST(test_claims) {
  static const char text[] = HEAD(
      "members:\n  m1:\n    nodes:\n    - {name: w, count: 2, allocatable: {cpu: 4, pods: 9}}\n"
      "    - {name: gpu, labels: {pool: gpu}, taints: [{key: gpu, effect: NoSchedule}], allocatable: {cpu: 4, pods: "
      "1}}\n") BARE("m1") WORKLOAD("foo", "2", "100m", "nodeSelector: {pool: gpu}, tolerations: [{operator: Exists}], ")
      TO("foo", "m1") WORKLOAD("bar", "1", "100m", "nodeSelector: {pool: gpu}, ") TO("bar", "m1")
          WORKLOAD("baz", "1", "4", "") TO("baz", "m1")
              STEP("s") "expect:\n" PODS("foo", "m1", "nodes: {gpu: 1}, unschedulable: 1")
                  PODS("bar", "m1", "unschedulable: 1") PODS("baz", "m1", "nodes: {w-1: 1}");
  assert_runs(text);
}
END_TEST

/* A cluster that goes takes its pods along; one that comes again begins with none. */
START_TEST(test_a_cluster_goes_and_comes) {
  assert_runs(FOO_IN_M1("2", "400m") STEP("gone") "delete: {kind: Cluster, name: m1}\n" STEP(
      "deleted") "delete: {kind: Deployment, name: foo}\nexpect:\n- {object: {kind: Cluster, name: m1}, absent: true}\n"
                 STEP("again") "apply:\n- {apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: "
                               "m1}, spec: {syncMode: Push}}\nexpect:\n"
                     FIELD("kind: Cluster, name: m1", "status.resourceSummary.allocatable.cpu", "2"));
}
END_TEST

UNIT_CASE(placing) {
  TCase *cases = tcase_create("placing");
  tcase_add_test(cases, test_preemption);
  tcase_add_test(cases, test_a_class_changes);
  tcase_add_test(cases, test_priorities_beyond_32_bits);
  tcase_add_test(cases, test_claims);
  tcase_add_test(cases, test_a_cluster_goes_and_comes);
  return cases;
}
