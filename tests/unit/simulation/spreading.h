/* SPDX-License-Identifier: MIT */
/* WorkloadSpreads of a CloneSet, for the tests of this folder. */
#ifndef SPREADING_H
#define SPREADING_H

#include "owning.h"

#define SPREAD(kind, more, subsets)                                                                                \
  "---\napiVersion: apps.kruise.io/v1beta1\nkind: WorkloadSpread\nmetadata: {name: ws}\nspec:\n  targetRef: " kind \
  "\n" more "  subsets: [" subsets "]\n"
#define OF_CLONE_SET "{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: cs}"
#define OF_REPLICA_SET "{apiVersion: apps/v1, kind: ReplicaSet, name: cs}"
#define ADAPTIVE "  scheduleStrategy: {type: Adaptive, adaptive: {rescheduleCriticalSeconds: 10}}\n"
#define COST "\"metadata.annotations[\\\"controller.kubernetes.io/pod-deletion-cost\\\"]\""
#define IN_SUBSETS(kind, counts) OWN_PODS(kind, "cs", "by: subset, counts: {" counts "}")
#define BY_COST(kind, counts) OWN_PODS(kind, "cs", "by: " COST ", counts: {" counts "}")
#define SPREAD_FIELD(path, value) \
  "- {object: {kind: WorkloadSpread, name: ws}, field: \"" path "\", equals: \"" value "\"}\n"

/* Counts the rows of a controller whose reason contains a text. */
static inline size_t count_reasons(const rebal_simulation *simulation, const char *controller, const char *reason) {
  size_t n = 0;
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    n += strcmp(log_entry(simulation, i).controller, controller) == 0 &&
         strstr(log_entry(simulation, i).reason, reason) != NULL;
  }
  return n;
}

#endif
