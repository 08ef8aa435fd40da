/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#define ON(node) "{cluster: m1, node: " node "}\n"

static const struct refusal refusals[] = {
    {NODES_HEAD("") BARE("m1") STEP("s") "cordon: 5\n", REBAL_EPARSE, 3, 15, "cordon", "a map"},
    {NODES_HEAD("") BARE("m1") STEP("s") "cordon: {cluster: m1}\n", REBAL_EPARSE, 3, 15, "cordon.node", "missing"},
    {NODES_HEAD("") BARE("m1") STEP("s") "drain: [{node: a}]\n", REBAL_EPARSE, 3, 15, "drain[0].cluster", "missing"},
    {NODES_HEAD("") BARE("m1") STEP("s") "clusterLost: {cluster: m1}\n" STEP("t") "drain: {cluster: m1, node: a}\n",
     REBAL_ESTATE, 4, 19, "drain", "the cluster is lost"},
    {NODES_HEAD("") BARE("m1") STEP("s") "clusterLost: {cluster: m1, node: a}\n", REBAL_EPARSE, 3, 15,
     "clusterLost.node", "no such"},
    {NODES_HEAD("") BARE("m1") STEP("s") "capacity: {cluster: m1, node: a}\n", REBAL_EPARSE, 3, 15,
     "capacity.allocatable", "missing"},
    {NODES_HEAD("") BARE("m1") STEP("s") "capacity: {cluster: m1, node: a, allocatable: {cpu: x}}\n", REBAL_EPARSE, 3,
     15, "capacity.allocatable", ""},
    {NODES_HEAD("") BARE("m1") STEP("s") "capacity: {cluster: m1, allocatable: {cpu: 1}}\n", REBAL_EINVAL, 3, 15,
     "capacity", "the cluster has nodes"},
    {NODES_HEAD("") BARE("m1") STEP("s") "clusterStatus: {cluster: m1, node: a, status: {}}\n", REBAL_EPARSE, 3, 15,
     "clusterStatus.node", "no such"},
    {NODES_HEAD("") BARE("m1") STEP("s") "clusterStatus: {cluster: m1, status: 5}\n", REBAL_EPARSE, 3, 15,
     "clusterStatus.status", "a map"},
    {NODES_HEAD("") BARE("m1") STEP("s") "clusterStatus: {cluster: m1, status: {resourceSummary: {}}}\n", REBAL_EINVAL,
     3, 15, "clusterStatus", "the cluster has nodes"},
    {HEAD("") CLUSTER("m1") STEP("s")
     "clusterStatus: {cluster: m1, status: {apiEnablements: 5}}\n", REBAL_EPARSE, 3, 15,
     "clusterStatus.status", ""},
    {HEAD("") CLUSTER("m1") STEP("s") "clusterLost: {cluster: m1}\n" STEP("t")
     "clusterStatus: {cluster: m1, status: {}}\n",
     REBAL_ESTATE, 4, 19, "clusterStatus", "the cluster is lost"},
    {NODES_HEAD("") BARE("m1") STEP("s") "cordon: {cluster: m1, node: c}\n", REBAL_ENOTFOUND, 3, 15, "cordon",
     "no such node"},
    {NODES_HEAD("") BARE("m1") STEP("s") "cordon: {cluster: m2, node: a}\n", REBAL_ENOTFOUND, 3, 15, "cordon",
     "no such cluster"},
    {NODES_HEAD("") BARE("m1") CLUSTER("m2") STEP("s") "nodeLost: {cluster: m2, node: a}\n", REBAL_ENOTFOUND, 4, 23,
     "nodeLost", "no such node"},
    {NODES_HEAD("") BARE("m1") STEP("s") "app: {cluster: m1, health: Healthy}\n", REBAL_EPARSE, 3, 15, "app.object",
     "missing"},
    {NODES_HEAD("") BARE("m1") STEP("s") "app: {cluster: m1, health: Fine, object: {}}\n", REBAL_EPARSE, 3, 15,
     "app.health", "Healthy or"},
    {NODES_HEAD("") BARE("m1") STEP("s") "app: {cluster: m1, health: Healthy, object: {kind: Pod, name: p}}\n",
     REBAL_ENOTFOUND, 3, 15, "app", "no such application"},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

START_TEST(test_cordon_and_drain) {
  assert_runs(FOO_IN_M1("3", "400m") STEP("ready") "advance: 10s\n" STEP("cordon") "cordon: " ON("b")
              "expect:\n" PODS("foo", "m1", "ready: 3, nodes: {a: 2, b: 1}") STEP("drain") "drain: " ON("a")
                  "expect:\n"
                  PODS("foo", "m1", "ready: 1, unschedulable: 2, since: 2024-01-01T00:00:10Z, nodes: {b: 1}")
                      STEP("uncordon") "after: 5s\nuncordon: [{cluster: m1, node: a}, {cluster: m1, node: b}]\n"
                      "expect:\n" PODS("foo", "m1", "ready: 1, unschedulable: 0, nodes: {a: 2, b: 1}"));
}
END_TEST

/* Pods of a lost node are not ready. They are evicted after their toleration, unless the node is back before. */
START_TEST(test_a_node_is_lost) {
  assert_runs(FOO_IN_M1("3", "400m") STEP("ready") "advance: 10s\n" STEP("lost") "nodeLost: " ON("a") "expect:\n" PODS(
      "foo", "m1", "ready: 1, unschedulable: 0, nodes: {a: 2, b: 1}")
                  STEP("back") "after: 299s\nnodeBack: " ON("a") "advance: 10s\nexpect:\n" PODS(
                      "foo", "m1", "ready: 3, nodes: {a: 2, b: 1}")
                      STEP("lost again") "nodeLost: " ON("a") "advance: 299s\nexpect:\n" PODS("foo", "m1",
                                                                                              "nodes: {a: 2, b: 1}")
                          STEP("moved") "after: 1s\nexpect:\n" PODS("foo", "m1", "unschedulable: 1, nodes: {b: 2}"));
}
END_TEST

/* Steps that change no state have no effect: pods stay ready, and are not evicted later. */
START_TEST(test_a_node_is_back_or_lost_already) {
  assert_runs(FOO_IN_M1("3", "400m") STEP("ready") "advance: 10s\n" STEP("back") "nodeBack: " ON("a") "expect:\n" PODS(
      "foo", "m1", "ready: 3") STEP("lost") "nodeLost: " ON("a") STEP("again") "after: 299s\nnodeLost: " ON("a")
                  STEP("moved") "after: 1s\nexpect:\n" PODS("foo", "m1", "unschedulable: 1, nodes: {b: 2}"));
}
END_TEST

/* Pods stay on a node that became too small; no pod is placed on it. */
START_TEST(test_capacity) {
  assert_runs(FOO_IN_M1("2", "400m") STEP(
      "less") "capacity: {cluster: m1, node: a, allocatable: {cpu: 100m}}\n"
              "expect:\n" PODS("foo", "m1", "nodes: {a: 2}")
                  FIELD("kind: Cluster, name: m1", "status.resourceSummary.allocatable.cpu", "1100m")
                      STEP("drained") "drain: " ON("a")
                          STEP("uncordoned") "uncordon: " ON("a") "expect:\n" PODS("foo", "m1", "nodes: {b: 2}"));
}
END_TEST

#define ALLOCATED_CPU(value) FIELD("kind: Cluster, name: m1", "status.resourceSummary.allocated.cpu", value)
#define PLACED(counts) "- object: {kind: Deployment, name: foo}\n  placement: {" counts "}\n"

/* The capacity of a cluster without nodes is set directly. */
START_TEST(test_capacity_without_nodes) {
  assert_runs(BASIC STEP("less") "capacity: {cluster: m1, allocatable: {cpu: 100m}}\nscale: {kind: Deployment, "
                                 "name: foo, replicas: 9}\nexpect:\n" PLACED("m1: 2, m2: 7")
                  FIELD("kind: Cluster, name: m1", "status.resourceSummary.allocatable.memory", "1Gi"));
}
END_TEST

/* Pods of bindings are added to the usage by others. */
START_TEST(test_cluster_status_holds_what_others_use) {
  assert_runs(BASIC STEP("others") "clusterStatus: {cluster: m1, status: {resourceSummary: {allocated: {cpu: 500m}}}}\n"
                                   "expect:\n" PLACED("m1: 2, m2: 1") ALLOCATED_CPU("700m")
                  STEP("fewer") "clusterStatus: {cluster: m1, status: {resourceSummary: {allocated: {cpu: 100m}}}}\n"
                                "expect:\n" ALLOCATED_CPU("300m"));
}
END_TEST

#define JOINING                                                                                      \
  "apply: {apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m2}, spec: {syncMode: " \
  "Push}}\n"
#define JOINED                                                                                                       \
  "clusterStatus:\n  cluster: m2\n  status: {apiEnablements: [{groupVersion: apps/v1, resources: [{name: " \
  "deployments, kind: Deployment}]}], resourceSummary: {allocatable: {cpu: \"1\", memory: 1Gi, pods: \"100\"}}}\n"

/* A cluster that has not reported its status gets no replicas. */
START_TEST(test_a_cluster_joins_and_reports_later) {
  assert_runs(HEAD("") CLUSTER("m1") FOO("3") POLICY("{" DYNAMIC "}") STEP("joins")
                  JOINING "expect:\n" PLACED("m1: 3") STEP("scaled")
                      "scale: {kind: Deployment, name: foo, replicas: 4}\nexpect:\n" PLACED("m1: 4")
                          STEP("reports") "after: 10s\n" JOINED STEP("scaled again")
                              "scale: {kind: Deployment, name: foo, replicas: 8}\nexpect:\n" PLACED("m1: 6, m2: 2"));
}
END_TEST

#define HEALTH(value) "app: {cluster: m1, health: " value ", object: {kind: Deployment, name: foo}}\n"
#define READY(n) FIELD(FOO_BINDING, "status.aggregatedStatus[0].status.readyReplicas", n)

/* The same with nodes and without. */
static const char *const fragile[] = {
    FOO_IN_M1("2", "400m"),
    HEAD("") CLUSTER("m1") WORKLOAD("foo", "2", "400m", "") TO("foo", "m1"),
};

START_TEST(test_health) {
  char text[8192];
  (void)snprintf(text, sizeof text, "%s%s", fragile[_i],
                 STEP("ready") "advance: 10s\nexpect:\n" READY("2") STEP("fails")
                     HEALTH("Unhealthy") "expect:\n" READY("0")
                         FIELD(FOO_BINDING, "status.aggregatedStatus[0].health", "Unhealthy") STEP("and again")
                             HEALTH("Unhealthy") "advance: 1h\nexpect:\n" READY("0")
                                 STEP("recovers") "after: 1h\n" HEALTH("Healthy") "expect:\n" READY("0")
                                     STEP("did") "after: 10s\nexpect:\n" READY("2"));
  assert_runs(text);
}
END_TEST

#define CONDITION(status, reason)                                         \
  FIELD("kind: Cluster, name: m1", "status.conditions[0].status", status) \
  FIELD("kind: Cluster, name: m1", "status.conditions[0].reason", reason)
#define SCALED(n)                                                                             \
  "apply: {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: {replicas: " n \
  ", template: {spec: "                                                                       \
  "{containers: [{name: c, resources: {requests: {cpu: 400m}}}]}}}}\n"

/* Its pods stay as last assigned, whatever is assigned meanwhile; when it is back, it follows. */
START_TEST(test_a_cluster_is_lost) {
  char text[8192];
  (void)snprintf(text, sizeof text, "%s%s", fragile[_i],
                 STEP("lost") "after: 5s\nclusterLost: {cluster: m1}\nexpect:\n" READY("0") CONDITION(
                     "False", "ClusterNotReachable") STEP("time") "after: 1h\n" SCALED("3") "expect:\n" READY("0")
                     FIELD(FOO_BINDING, "status.aggregatedStatus[0].status.replicas", "2")
                         STEP("back") "clusterBack: {cluster: m1}\nadvance: 10s\nexpect:\n" READY("3")
                             CONDITION("True", "ClusterReady"));
  assert_runs(text);
}
END_TEST

START_TEST(test_a_cluster_that_pulls_is_lost) {
  assert_runs(HEAD(
      "") "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m1}\n"
          "spec: {syncMode: Pull}\nstatus: {conditions: [{type: Ready, status: \"True\"}, {type: Other, "
          "status: \"True\"}]}\n" STEP("lost") "clusterLost: {cluster: m1}\nexpect:\n" FIELD(
              "kind: Cluster, name: m1", "status.conditions[0].type", "Other")
                  FIELD("kind: Cluster, name: m1", "status.conditions[1].status", "Unknown"));
}
END_TEST

/* A lost cluster reports nothing about what is assigned to it. */
START_TEST(test_work_for_a_lost_cluster) {
  assert_runs(HEAD("") CLUSTER("m1") STEP("lost") "clusterLost: {cluster: m1}\n" STEP(
      "work") "apply:\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo, uid: a}, spec: {replicas: 2}}\n"
              "- {apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p}, spec: "
              "{resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}], placement: {clusterTolerations: "
              "[{operator: Exists}]}}}\nadvance: "
              "1m\nexpect:\n" FIELD(FOO_BINDING, "status.aggregatedStatus[0].health", "Unknown")
                  STEP("back") "clusterBack: {cluster: m1}\nadvance: 10s\nexpect:\n" READY("2"));
}
END_TEST

/* Once the cluster is back, its nodes are drained like others. */
START_TEST(test_a_drain_after_the_loss) {
  assert_runs(FOO_IN_M1("1", "400m") STEP("lost") "clusterLost: {cluster: m1}\n" STEP(
      "back") "after: 1m\nclusterBack: {cluster: m1}\nexpect:\n" PODS("foo", "m1", "nodes: {a: 1}")
                  STEP("drained") "drain: " ON("a") "expect:\n" PODS("foo", "m1", "nodes: {b: 1}"));
}
END_TEST

/* A cluster that is registered again is not lost, and reports nothing of what ran in the lost one. */
START_TEST(test_a_lost_cluster_is_registered_anew) {
  rebal_simulation *simulation = run_scenario(
      NODES_HEAD("") BARE("m1") BARE("m2") WORKLOAD("foo", "2", "400m", "") TO("foo", "m1, m2")
          STEP("lost") "after: 1m\nclusterLost: {cluster: m1}\n"
          STEP("gone") "delete: {kind: Cluster, name: m1}\nadvance: 1m\n"
          STEP("anew") "apply: {apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m1}, spec: "
                       "{syncMode: Push}}\nexpect:\n"
          FIELD("kind: Cluster, name: m1", "status.resourceSummary.allocatable.cpu", "2")
          STEP("drained") "drain: " ON("a"));
  ck_assert_uint_eq(count_rows(simulation, "members", "deleted on"), 0);
  ck_assert_uint_eq(count_rows(simulation, "scenario", "drained"), 2);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(member_steps) {
  TCase *cases = tcase_create("member_steps");
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  tcase_add_test(cases, test_cordon_and_drain);
  tcase_add_test(cases, test_a_node_is_lost);
  tcase_add_test(cases, test_a_node_is_back_or_lost_already);
  tcase_add_test(cases, test_capacity);
  tcase_add_test(cases, test_capacity_without_nodes);
  tcase_add_test(cases, test_cluster_status_holds_what_others_use);
  tcase_add_test(cases, test_a_cluster_joins_and_reports_later);
  tcase_add_loop_test(cases, test_health, 0, (int)COUNT(fragile));
  tcase_add_loop_test(cases, test_a_cluster_is_lost, 0, (int)COUNT(fragile));
  tcase_add_test(cases, test_a_cluster_that_pulls_is_lost);
  tcase_add_test(cases, test_work_for_a_lost_cluster);
  tcase_add_test(cases, test_a_drain_after_the_loss);
  tcase_add_test(cases, test_a_lost_cluster_is_registered_anew);
  return cases;
}
