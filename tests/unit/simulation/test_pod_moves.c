/* SPDX-License-Identifier: MIT */
#include "noding.h"

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

/* A scenario, and rows it has: exactly once each. */
static const struct {
  const char *text;
  const char *rows[3][2]; /* change and reason */
} scenarios[] = {
    {FOO_IN_M1("3", "400m") STEP("s"),
     {{"m1: 2 pods to node a", "the first node that may take them and has room"},
      {"m1: 1 pod to node b", "the first node that may take them and has room"}}},
    {FOO_IN_M1("3", "400m") STEP("s") "drain: {cluster: m1, node: a}\n",
     {{"m1: 2 pods deleted on node a", "the node is drained"},
      {"m1: 1 of 3 pods unschedulable", "no node of the member has room for them, or may take them"}}},
    {FOO_IN_M1("3", "400m") STEP("s") "taint: {cluster: m1, node: a, taint: \"k:NoExecute\"}\n",
     {{"m1: 2 pods evicted from node a", "its NoExecute taints are not tolerated, or no longer"}}},
    {FOO_IN_M1("3", "400m") STEP("s") FOO_OF("1", "400m"),
     {{"m1: 1 pod deleted on node a", "fewer replicas are wanted"},
      {"m1: 1 pod deleted on node b", "fewer replicas are wanted"}}},
    {FOO_IN_M1("2", "400m") STEP("s") FOO_OF("2", "600m"),
     {{"m1: 2 pods deleted on node a", "their template is another one"},
      {"m1: 1 pod to node a", "the first node that may take them and has room"},
      {"m1: 1 pod to node b", "the first node that may take them and has room"}}},
    {FOO_IN_M1("3", "400m") BARE("m2") STEP("s") MOVED("m2"), {LEFT(2, "s", "a"), LEFT(1, "", "b")}},
    {NODES_HEAD("") BARE("m1") BARE("m2") WORKLOAD("foo", "3", "400m", "") TO("foo", "m1, m2")
         STEP("s") "delete: {kind: Cluster, name: m1}\n",
     {LEFT(2, "s", "a"), LEFT(1, "", "b")}},
    {NODES_HEAD(EVICTING "") BARE("m1") BARE("m2") WORKLOAD("foo", "3", "400m", "") TO("foo", "m1, m2")
         STEP("s") "after: 1m\ntaint: {cluster: m1, taint: \"k:NoExecute\"}\nadvance: 1m\n",
     {LEFT(2, "s", "a"), LEFT(1, "", "b")}},
    {FOO_IN_M1("3", "900m") STEP("s") "capacity: {cluster: m1, node: a, allocatable: {cpu: 2}}\n",
     {{"m1: 1 of 3 pods unschedulable", "no node of the member has room for them, or may take them"},
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

/* Who lost its room, who took it, and where the other pod goes then. */
START_TEST(test_preemption) {
  static const char *const rows[][2] = {
      {"m1: 1 pod preempted on node a", "ResourceBinding default/bar-deployment has a higher priority"},
      {"m1: 1 pod to node b", "the first node that may take them and has room"}};
  static const char *const taken[] = {"m1: 1 pod to node a", "pods with lower priorities made room there"};
  rebal_simulation *simulation = run(NODES_HEAD("") BARE("m1") WORKLOAD("foo", "1", "900m", "") TO("foo", "m1") STEP(
      "bar") "cordon: {cluster: m1, node: b}\napply:\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: "
             "bar, uid: bar}, spec: {replicas: 1, template: {spec: {priority: 7, containers: [{name: c, resources: "
             "{requests: {cpu: 900m}}}]}}}}\n- {apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, "
             "metadata: {name: bar}, spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: "
             "bar}], placement: {clusterAffinity: {clusterNames: [m1]}}}}\n" STEP(
                 "room") "uncordon: {cluster: m1, node: b}\n");
  ck_assert_uint_eq(count_exactly(simulation, FOO_ROW, rows[0]), 1);
  ck_assert_uint_eq(count_exactly(simulation, FOO_ROW, rows[1]), 1);
  ck_assert_uint_eq(count_exactly(simulation, "ResourceBinding default/bar-deployment", taken), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* Pods that go with their binding have no rows of their own. */
START_TEST(test_gone) {
  rebal_simulation *simulation = run(FOO_IN_M1(
      "3", "400m") STEP("s") "delete: {kind: Deployment, name: foo}\n"
                             "taint: {cluster: m1, node: a, taint: \"k:NoExecute\"}\n");
  ck_assert_uint_eq(count_rows(simulation, "members", "deleted on"), 0);
  ck_assert_uint_eq(count_rows(simulation, "members", "evicted from"), 0);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(pod_moves) {
  TCase *cases = tcase_create("pod_moves");
  tcase_add_loop_test(cases, test_rows, 0, (int)COUNT(scenarios));
  tcase_add_test(cases, test_preemption);
  tcase_add_test(cases, test_gone);
  return cases;
}
