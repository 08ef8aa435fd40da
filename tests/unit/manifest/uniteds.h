/* SPDX-License-Identifier: MIT */
/* tests/unit/manifest/uniteds.h - UnitedDeployments of the namespace ns, their workloads and pods. */
#ifndef UNITEDS_H
#define UNITEDS_H

#include "admissions.h"

#define UNITED_OF(name, metadata, spec) \
  OBJECT_OF("apps.kruise.io/v1beta1", "UnitedDeployment", name) ", uid: uid-" name metadata "}, spec: {" spec "}}\n"
#define SUBSET_OF(united, version, kind, name, subset, rest)          \
  OBJECT_OF(version, kind, name)                                      \
  ", uid: uid-" name ", labels: {apps.kruise.io/subset-name: " subset \
  "}" OWNED_BY("apps.kruise.io/v1beta1", "UnitedDeployment", united, "uid-" united) "}" rest "}\n"
#define SET_OF(name, deployment)           \
  OBJECT_OF("apps/v1", "ReplicaSet", name) \
  ", uid: uid-" name OWNED_BY("apps/v1", "Deployment", deployment, "uid-" deployment) "}}\n"
#define PART_OF(name, version, kind, owner, subset)                   \
  OBJECT_OF("v1", "Pod", name)                                        \
  ", uid: uid-" name ", labels: {apps.kruise.io/subset-name: " subset \
  "}" OWNED_BY(version, kind, owner, "uid-" owner) "}}\n"
/* Adaptive with a reserve: all pods of its subsets get a label. */
#define RESERVING                                                                                                \
  "replicas: 6, topology: {subsets: [{name: a, maxReplicas: 4}, {name: b}], scheduleStrategy: {type: Adaptive, " \
  "adaptive: {reserveUnschedulablePods: true}}}"
#define WEB UNITED_OF("web", "", RESERVING)
#define WEB_A SUBSET_OF("web", "apps/v1", "Deployment", "web-a", "a", ", spec: {replicas: 2}, status: {replicas: 2}")
#define WEB_B \
  SUBSET_OF("web", "apps.kruise.io/v1alpha1", "CloneSet", "web-b", "b", ", spec: {replicas: 2}, status: {replicas: 2}")

#endif
