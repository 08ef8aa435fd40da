/* SPDX-License-Identifier: MIT */
/* What the owners of pods report: how many there are, are ready, are made of the template. */
#include "workloads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct counts {
  int64_t replicas, ready, updated;
  const char *revision; /* of the template, or NULL */
};

/* Writes them when they are not what the object says. */
static int32_t write_counts(rebal_simulation *simulation, uint32_t object, const struct counts *counts,
                            rebal_error *err) {
  rebal_text *patch = simulation->workloads->text;
  const int64_t generation = rebali_field_integer(simulation, object, "metadata.generation");
  char *before = rebali_field_copy(simulation, object, "status");
  int32_t code = before != NULL ? REBAL_OK : rebali_fail_memory(err);
  const char *after = "";
  rebal_text_reset(patch);
  if (code == REBAL_OK) {
    code = rebali_print(patch, err,
                        "{\"status\":{\"observedGeneration\":%" PRId64 ",\"replicas\":%" PRId64
                        ",\"readyReplicas\":%" PRId64 ",\"availableReplicas\":%" PRId64 ",\"updatedReplicas\":%" PRId64,
                        generation, counts->replicas, counts->ready, counts->ready, counts->updated);
  }
  if (code == REBAL_OK && counts->revision != NULL) {
    code = rebali_print_text(patch, err, ",\"updateRevision\":", rebali_slice(counts->revision));
  }
  if (code == REBAL_OK) {
    code = rebali_print(patch, err, "}}");
  }
  if (code == REBAL_OK) {
    after = rebal_text_bytes(patch, NULL) + strlen("{\"status\":");
  }
  if (code == REBAL_OK && (strncmp(before, after, strlen(before)) != 0 || strlen(after) != strlen(before) + 1)) {
    code = rebali_patch_quietly(simulation, object, err);
  }
  free(before);
  return code;
}

/* Pods of these have the label of a revision. */
static int has_revisions(rebal_simulation *simulation, uint32_t workload) {
  return rebali_field_is(simulation, workload, "kind", "CloneSet") ||
         rebali_field_is(simulation, workload, "kind", "StatefulSet");
}

int32_t rebali_workload_report(rebal_simulation *simulation, uint32_t workload, const struct rebali_owned_pods *pods,
                               rebal_error *err) {
  char revision[64];
  struct counts counts = {0, 0, 0, has_revisions(simulation, workload) ? revision : NULL};
  rebali_revision_of(simulation, workload, revision);
  for (size_t i = 0; i < pods->n; i++) {
    const struct rebali_owned_pod *pod = &pods->list[i];
    if (rebali_pod_is_of(pod, workload)) {
      counts.replicas++;
      counts.ready += pod->is_ready;
      counts.updated += counts.revision == NULL || strcmp(pod->revision, counts.revision) == 0;
    }
  }
  return write_counts(simulation, workload, &counts, err);
}

int32_t rebali_deployment_report(rebal_simulation *simulation, uint32_t deployment, rebal_error *err) {
  struct counts counts = {0, 0, 0, NULL};
  char hash[11];
  rebali_template_hash(rebali_field(simulation, deployment, "spec.template"), hash);
  for (uint32_t set = rebali_next_of(simulation, "ReplicaSet", REBAL_NONE); set != REBAL_NONE;
       set = rebali_next_of(simulation, "ReplicaSet", set)) {
    if (rebali_is_controlled(simulation, set, deployment)) {
      const int64_t replicas = rebali_field_integer(simulation, set, "status.replicas");
      counts.replicas += replicas;
      counts.ready += rebali_field_integer(simulation, set, "status.readyReplicas");
      counts.updated += rebali_field_is(simulation, set, "metadata.labels[\"pod-template-hash\"]", hash) ? replicas : 0;
    }
  }
  return write_counts(simulation, deployment, &counts, err);
}
