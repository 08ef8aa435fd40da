/* SPDX-License-Identifier: MIT */
/* Scenarios whose own cluster runs workloads, for the tests of this folder. */
#ifndef OWNING_H
#define OWNING_H

#include "running.h"

#define OWN_HEAD(more) HEAD("workloads: {}\n" more)
/* The selector and the template of a workload. */
#define TEMPLATE(image)                                                                                        \
  "selector: {matchLabels: {app: a}}, template: {metadata: {labels: {app: a}}, spec: {containers: [{name: c, " \
  "image: " image "}]}}"
#define OBJECT(api, kind, name, spec) \
  "---\napiVersion: " api "\nkind: " kind "\nmetadata: {name: " name ", uid: " name "}\nspec: {" spec "}\n"
#define DEPLOYMENT(name, spec) OBJECT("apps/v1", "Deployment", name, spec)
#define REPLICA_SET(name, spec) OBJECT("apps/v1", "ReplicaSet", name, spec)
#define STATEFUL_SET(name, spec) OBJECT("apps/v1", "StatefulSet", name, spec)
#define CLONE_SET(name, spec) OBJECT("apps.kruise.io/v1alpha1", "CloneSet", name, spec)
#define OWN_NODE(name, cpu)                                                                         \
  "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name "}\nstatus: {allocatable: {cpu: \"" cpu \
  "\", pods: \"10\"}}\n"
/* The same for the apply of a step. */
#define APPLY(api, kind, name, spec) \
  "apply: {apiVersion: " api ", kind: " kind ", metadata: {name: " name "}, spec: {" spec "}}\n"
#define SCALE(kind, name, replicas) "scale: {kind: " kind ", name: " name ", replicas: " replicas "}\n"
#define OWN_PODS(kind, name, what) "- object: {kind: " kind ", name: " name "}\n  pods: {" what "}\n"
#define BY_IMAGE(counts) "by: \"spec.containers[0].image\", counts: {" counts "}"
#define BY_NAME(counts) "by: metadata.name, counts: {" counts "}"
#define BY_NODE(counts) "by: spec.nodeName, counts: {" counts "}"
#define POD_IS_GONE(name) "- {object: {kind: Pod, name: " name "}, absent: true}\n"

#endif
