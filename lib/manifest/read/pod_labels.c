/* SPDX-License-Identifier: MIT */
/* Reads the labels of a workload's pods from its template in the store: only budgets need them. */
#include "manifest/manifest.h"

#include <string.h>

/* Returns the pod template of a workload; NULL if it has none. */
static const json_t *pod_of(const json_t *workload, const char *kind) {
  const json_t *spec = rebali_member(workload, "spec");
  if (strcmp(kind, "Pod") == 0) {
    return workload;
  }
  if (strcmp(kind, "CronJob") == 0) {
    spec = rebali_member(rebali_member(spec, "jobTemplate"), "spec");
  }
  return rebali_member(spec, "template");
}

/* Labels that are not a map of texts are treated as unknown. */
static int32_t set_labels(const struct rebali_sink *sink, const json_t *labels, rebal_error *err) {
  const rebal_record *record;
  uint32_t handle;
  int32_t result = rebali_read_record(sink->builder, REBAL_OBJECT_LABELS, labels, NULL, &record, err);
  if (result != REBAL_OK) {
    return result == REBAL_ENOMEM ? result : REBAL_OK;
  }
  result = rebal_fleet_intern(sink->fleet, record, &handle, err);
  return result == REBAL_OK ? rebali_sink_i64(sink, REBAL_BINDING_POD_LABELS, handle, err) : result;
}

static int32_t read_labels(rebal_store *store, const struct rebali_sink *sink, uint32_t object, const char *kind,
                           rebal_error *err) {
  const json_t *pod, *labels;
  json_t *workload, *none = json_object();
  int32_t result = none != NULL ? rebali_store_share(store, object, &workload, err) : rebali_fail_memory(err);
  if (result != REBAL_OK) {
    json_decref(none);
    return result;
  }
  pod = pod_of(workload, kind);
  labels = rebali_member(rebali_member(pod, "metadata"), "labels");
  if (pod != NULL) {
    result = set_labels(sink, labels != NULL ? labels : none, err);
  }
  json_decref(none);
  json_decref(workload);
  return result;
}

int32_t rebali_pod_labels_read(rebal_store *store, const struct rebali_sink *sink, const json_t *binding,
                               rebal_error *err) {
  static const char budget[] = "PodDisruptionBudget";
  const json_t *resource = rebali_member(rebali_member(binding, "spec"), "resource");
  const char *kind = rebali_member_text(resource, "kind");
  uint32_t object;
  if (rebal_store_next(store, budget, sizeof budget - 1, REBAL_NONE) == REBAL_NONE) {
    return REBAL_OK;
  }
  object = rebali_store_find_text(store, json_string_value(rebali_member(resource, "apiVersion")), kind,
                                  rebali_member_text(resource, "namespace"), rebali_member_text(resource, "name"));
  return object != REBAL_NONE ? read_labels(store, sink, object, kind, err) : REBAL_OK;
}
