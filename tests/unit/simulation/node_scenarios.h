/* SPDX-License-Identifier: MIT */
/* Scenarios with nodes, for the tests of this folder. */
#ifndef NODE_SCENARIOS_H
#define NODE_SCENARIOS_H

#include "running.h"

/* m1 has nodes a and b with 1 cpu each; the nodes of m2 are unknown. */
#define NODE(name) "{name: " name ", allocatable: {cpu: \"1\", pods: \"10\"}}"
#define NODES_HEAD(more) HEAD("members: {m1: {nodes: [" NODE("a") ", " NODE("b") "]}}\n" more)
#define BARE(name)                                                                      \
  "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name \
  "}\nspec: {syncMode: Push}\nstatus:\n" APIS
/* A Deployment whose pods request that much cpu; more: a priority, or "". */
#define WORKLOAD(name, replicas, cpu, more)                                                                           \
  "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " name ", uid: " name "}\nspec: {replicas: " replicas \
  ", template: {spec: {" more "containers: [{name: c, resources: {requests: {cpu: " cpu "}}}]}}}\n"
#define TO(name, cluster)                                                                        \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: " name \
  "}\nspec:\n"                                                                                   \
  "  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: " name                    \
  "}]\n"                                                                                         \
  "  placement: {clusterAffinity: {clusterNames: [" cluster "]}}\n"
#define PODS(name, cluster, what) \
  "- object: {kind: Deployment, name: " name "}\n  pods: {cluster: " cluster ", " what "}\n"
/* foo in m1, Duplicated: its replicas are assigned whatever the capacity of the member. */
#define FOO_IN_M1(replicas, cpu) NODES_HEAD("") BARE("m1") WORKLOAD("foo", replicas, cpu, "") TO("foo", "m1")
#define FIELD(object, path, value) "- object: {" object "}\n  field: " path "\n  equals: \"" value "\"\n"
#define FOO_BINDING "kind: ResourceBinding, name: foo-deployment"

#endif
