/* SPDX-License-Identifier: MIT */
/* Collects the status of members (rebalance-karmada(7) 15.5). */
#include "detector/interpret/interpret.h"

#include <string.h>

#define TEMPLATE_GENERATION "resourcetemplate.karmada.io/generation"

/* Returns the status unchanged; it must be a map. */
json_t *rebali_whole_status(struct rebali_interpreting *in, const json_t *object) {
  const json_t *status = json_object_get(object, "status");
  if (status != NULL && !rebali_is_map(status)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "status is not a map");
  }
  return in->result == REBAL_OK ? rebali_share(status) : NULL;
}

/* Returns members of the decoded status as its type encodes them, or NULL without a status. */
static json_t *chosen(struct rebali_interpreting *in, const json_t *object, const char *const *keys, size_t n) {
  const json_t *status = json_object_get(object, "status");
  json_t *decoded, *written, *map;
  if (status != NULL && !rebali_is_map(status)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "status is not a map");
    return NULL;
  }
  decoded = status != NULL ? rebali_decoded(in, in->kind->status_type, status) : NULL;
  written = decoded != NULL ? rebali_encoded(in, in->kind->status_type, decoded) : NULL;
  map = written != NULL ? rebali_new_map(in) : NULL;
  for (size_t i = 0; map != NULL && i < n; i++) {
    rebali_set(in, map, keys[i], rebali_share(json_object_get(written, keys[i])));
  }
  json_decref(decoded);
  json_decref(written);
  return rebali_finished(in, map);
}

#define CHOSEN(in, object, ...)                          \
  chosen(in, object, (const char *const[]){__VA_ARGS__}, \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Adds the generations of the object and of its template, leaving out zeros. Takes the status over. */
static json_t *with_generations(struct rebali_interpreting *in, const json_t *object, json_t *status) {
  const json_t *metadata = rebali_member(object, "metadata");
  const json_t *text = rebali_member(rebali_member(metadata, "annotations"), TEMPLATE_GENERATION);
  const json_t *generation = rebali_member(metadata, "generation");
  int64_t template_generation = 0;
  if (status == NULL) {
    return NULL;
  }
  if (!rebali_integer_parse(rebali_text(json_string_value(text), json_string_length(text)), &template_generation)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "the annotation %s is not an integer", TEMPLATE_GENERATION);
  }
  if (json_integer_value(generation) != 0) {
    rebali_set(in, status, "generation", rebali_share(generation));
  }
  if (template_generation != 0) {
    rebali_set(in, status, "resourceTemplateGeneration", rebali_new_integer(in, template_generation));
  }
  return rebali_finished(in, status);
}

json_t *rebali_deployment_status(struct rebali_interpreting *in, const json_t *object) {
  return with_generations(in, object,
                          CHOSEN(in, object, "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
                                 "unavailableReplicas", "observedGeneration"));
}

json_t *rebali_replica_set_status(struct rebali_interpreting *in, const json_t *object) {
  return with_generations(in, object,
                          CHOSEN(in, object, "replicas", "readyReplicas", "availableReplicas", "observedGeneration"));
}

json_t *rebali_stateful_set_status(struct rebali_interpreting *in, const json_t *object) {
  return with_generations(
      in, object,
      CHOSEN(in, object, "replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"));
}

json_t *rebali_daemon_set_status(struct rebali_interpreting *in, const json_t *object) {
  return with_generations(
      in, object,
      CHOSEN(in, object, "currentNumberScheduled", "desiredNumberScheduled", "numberAvailable", "numberMisscheduled",
             "numberReady", "updatedNumberScheduled", "numberUnavailable", "observedGeneration"));
}

json_t *rebali_service_status(struct rebali_interpreting *in, const json_t *object) {
  return strcmp(rebali_member_text(rebali_member(object, "spec"), "type"), "LoadBalancer") == 0
             ? CHOSEN(in, object, "loadBalancer")
             : NULL;
}

json_t *rebali_job_status(struct rebali_interpreting *in, const json_t *object) {
  return CHOSEN(in, object, "active", "succeeded", "failed", "conditions", "startTime", "completionTime");
}

json_t *rebali_budget_status(struct rebali_interpreting *in, const json_t *object) {
  return CHOSEN(in, object, "disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods", "disruptedPods");
}

json_t *rebali_autoscaler_status(struct rebali_interpreting *in, const json_t *object) {
  json_t *status = CHOSEN(in, object, "currentReplicas", "desiredReplicas");
  rebali_set(in, status, "currentMetrics", json_null());
  return rebali_finished(in, status);
}
