/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#define CLASS(name, number) \
  "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: " name "}\nvalue: " number "\n"

/* Pods with lower priorities are preempted and wait; pods with equal ones stay. */
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

/* Pods have the priority that their class had when they were created; later pods get the new one. */
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

/* Numbers do not wrap: a priority above the maximum precedes lower ones. */
START_TEST(test_priorities_beyond_32_bits) {
  assert_runs(NODES_HEAD("") BARE("m1") WORKLOAD("foo", "2", "900m", "priority: 4294967296, ") TO("foo", "m1")
                  WORKLOAD("bar", "1", "900m", "priority: 7, ") TO("bar", "m1") STEP("s") "expect:\n" PODS(
                      "foo", "m1", "unschedulable: 0") PODS("bar", "m1", "unschedulable: 1"));
}
END_TEST

/* Labels and taints of nodes are examined as the member's scheduler does. */
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

/* A cluster that is deleted loses its pods; one that is created again starts without pods. */
START_TEST(test_a_cluster_goes_and_comes) {
  assert_runs(FOO_IN_M1("2", "400m") STEP("gone") "delete: {kind: Cluster, name: m1}\n" STEP(
      "deleted") "delete: {kind: Deployment, name: foo}\nexpect:\n- {object: {kind: Cluster, name: m1}, absent: true}\n"
                 STEP("again") "apply:\n- {apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: "
                               "m1}, spec: {syncMode: Push}}\nexpect:\n"
                     FIELD("kind: Cluster, name: m1", "status.resourceSummary.allocatable.cpu", "2"));
}
END_TEST

#define FOO_ROW "ResourceBinding default/foo-deployment"
#define FOO_OF(replicas, cpu)                                                                        \
  "apply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: {replicas: " replicas \
  ", template: {spec: {containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}}}}\n"

#define MOVED(cluster)                                                                                      \
  "apply: {apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: foo}, spec: "  \
  "{resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: foo}], placement: {clusterAffinity: " \
  "{clusterNames: [" cluster "]}}}}\n"
#define LEFT(n, s, node) \
  { "m1: " #n " pod" s " deleted on node " node, "their binding left the cluster" }

/* A scenario, and rows that its log must have exactly once each. */
static const struct {
  const char *text;
  const char *rows[3][2]; /* change and reason */
} scenarios[] = {
    {FOO_IN_M1("3", "400m") STEP("s"),
     {{"m1: 2 pods to node a", "the first node that may take them and has capacity"},
      {"m1: 1 pod to node b", "the first node that may take them and has capacity"}}},
    {FOO_IN_M1("3", "400m") STEP("s") "drain: {cluster: m1, node: a}\n",
     {{"m1: 2 pods deleted on node a", "the node is drained"},
      {"m1: 1 of 3 pods unschedulable", "no node of the member may take them and has capacity"}}},
    {FOO_IN_M1("3", "400m") STEP("s") "taint: {cluster: m1, node: a, taint: \"k:NoExecute\"}\n",
     {{"m1: 2 pods evicted from node a", "its NoExecute taints are not tolerated, or no longer"}}},
    {FOO_IN_M1("3", "400m") STEP("s") FOO_OF("1", "400m"),
     {{"m1: 2 pods deleted on node a", "fewer replicas are wanted"}}},
    {FOO_IN_M1("2", "400m") STEP("s") FOO_OF("2", "600m"),
     {{"m1: 2 pods deleted on node a", "their template is another one"},
      {"m1: 1 pod to node a", "the first node that may take them and has capacity"},
      {"m1: 1 pod to node b", "the first node that may take them and has capacity"}}},
    {FOO_IN_M1("3", "400m") BARE("m2") STEP("s") MOVED("m2"), {LEFT(2, "s", "a"), LEFT(1, "", "b")}},
    {NODES_HEAD("") BARE("m1") BARE("m2") WORKLOAD("foo", "3", "400m", "") TO("foo", "m1, m2")
         STEP("s") "delete: {kind: Cluster, name: m1}\n",
     {LEFT(2, "s", "a"), LEFT(1, "", "b")}},
    {NODES_HEAD(EVICTING "") BARE("m1") BARE("m2") WORKLOAD("foo", "3", "400m", "") TO("foo", "m1, m2")
         STEP("s") "after: 1m\ntaint: {cluster: m1, taint: \"k:NoExecute\"}\nadvance: 1m\n",
     {LEFT(2, "s", "a"), LEFT(1, "", "b")}},
    {FOO_IN_M1("3", "900m") STEP("s") "capacity: {cluster: m1, node: a, allocatable: {cpu: 2}}\n",
     {{"m1: 1 of 3 pods unschedulable", "no node of the member may take them and has capacity"},
      {"m1: 0 of 3 pods unschedulable", "all of them have a node, or are gone"}}},
};

static size_t count_exactly(const rebal_simulation *simulation, const char *object, const char *const row[2]) {
  size_t n = 0;
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    n += strcmp(log_entry(simulation, i).object, object) == 0 &&
         strcmp(log_entry(simulation, i).change, row[0]) == 0 &&
         strcmp(log_entry(simulation, i).reason, row[1]) == 0;
  }
  return n;
}

static rebal_simulation *run(const char *text) {
  rebal_simulation *simulation = new_simulation(NULL);
  ck_assert_int_eq(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, NULL, NULL),
                   REBAL_OK);
  return simulation;
}

START_TEST(test_rows) {
  rebal_simulation *simulation = run(scenarios[_i].text);
  for (size_t i = 0; i < COUNT(scenarios[_i].rows) && scenarios[_i].rows[i][0] != NULL; i++) {
    ck_assert_msg(count_exactly(simulation, FOO_ROW, scenarios[_i].rows[i]) == 1, "%s: %zu times",
                  scenarios[_i].rows[i][0], count_exactly(simulation, FOO_ROW, scenarios[_i].rows[i]));
  }
  rebal_simulation_free(simulation);
}
END_TEST

/* The log names the pod that was preempted, the one that preempted it, and the node that the former gets later. */
START_TEST(test_preemption_is_reported) {
  static const char *const rows[][2] = {
      {"m1: 1 pod preempted on node a", "ResourceBinding default/bar-deployment has a higher priority"},
      {"m1: 1 pod to node b", "the first node that may take them and has capacity"}};
  static const char *const taken[] = {"m1: 1 pod to node a", "pods with lower priorities were preempted there"};
  rebal_simulation *simulation = run(NODES_HEAD("") BARE("m1") WORKLOAD("foo", "1", "900m", "") TO("foo", "m1") STEP(
      "bar") "cordon: {cluster: m1, node: b}\napply:\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: "
             "bar, uid: bar}, spec: {replicas: 1, template: {spec: {priority: 7, containers: [{name: c, resources: "
             "{requests: {cpu: 900m}}}]}}}}\n- {apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, "
             "metadata: {name: bar}, spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: "
             "bar}], placement: {clusterAffinity: {clusterNames: [m1]}}}}\n" STEP(
                 "capacity") "uncordon: {cluster: m1, node: b}\n");
  ck_assert_uint_eq(count_exactly(simulation, FOO_ROW, rows[0]), 1);
  ck_assert_uint_eq(count_exactly(simulation, FOO_ROW, rows[1]), 1);
  ck_assert_uint_eq(count_exactly(simulation, "ResourceBinding default/bar-deployment", taken), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* Pods that are deleted with their binding have no rows of their own. */
START_TEST(test_gone) {
  rebal_simulation *simulation = run(FOO_IN_M1(
      "3", "400m") STEP("s") "delete: {kind: Deployment, name: foo}\n"
                             "taint: {cluster: m1, node: a, taint: \"k:NoExecute\"}\n");
  ck_assert_uint_eq(count_rows(simulation, "members", "deleted on"), 0);
  ck_assert_uint_eq(count_rows(simulation, "members", "evicted from"), 0);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(placing) {
  TCase *cases = tcase_create("placing");
  tcase_add_test(cases, test_preemption);
  tcase_add_test(cases, test_a_class_changes);
  tcase_add_test(cases, test_priorities_beyond_32_bits);
  tcase_add_test(cases, test_claims);
  tcase_add_test(cases, test_a_cluster_goes_and_comes);
  tcase_add_loop_test(cases, test_rows, 0, (int)COUNT(scenarios));
  tcase_add_test(cases, test_preemption_is_reported);
  tcase_add_test(cases, test_gone);
  return cases;
}
