/* SPDX-License-Identifier: MIT */
/* Judges the health of kinds that scripts interpret (rebalance-karmada(7) 15.4). */
#include "detector/interpret/interpret.h"

#include <string.h>

static json_t *verdict(const struct rebali_interpreting *in, int is_healthy) {
  return in->result != REBAL_OK ? NULL : is_healthy ? json_true() : json_false();
}

/* ---- Kruise ---- */

/* Two absent generations are equal. */
static int is_observed(struct rebali_interpreting *in, const json_t *object) {
  return rebali_lua_equal(rebali_lua_at(in, object, "status.observedGeneration"),
                          rebali_lua_at(in, object, "metadata.generation"));
}

json_t *rebali_generation_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *status = rebali_lua_get(in, object, "status"), *replicas;
  if (!is_observed(in, object)) {
    return verdict(in, 0);
  }
  replicas = rebali_lua_at(in, object, "spec.replicas");
  if (replicas != NULL && rebali_lua_less(in, rebali_lua_get(in, status, "updatedReplicas"), replicas)) {
    return verdict(in, 0);
  }
  return verdict(in, !rebali_lua_less(in, rebali_lua_get(in, status, "availableReplicas"),
                                      rebali_lua_get(in, status, "updatedReplicas")));
}

json_t *rebali_united_deployment_health(struct rebali_interpreting *in, const json_t *object) {
  return rebali_lua_get(in, object, "status") == NULL || rebali_lua_get(in, object, "spec") == NULL
             ? verdict(in, 0)
             : rebali_generation_health(in, object);
}

json_t *rebali_lua_daemon_set_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *status = rebali_lua_get(in, object, "status");
  if (!is_observed(in, object) || rebali_lua_less(in, rebali_lua_get(in, status, "updatedNumberScheduled"),
                                                  rebali_lua_get(in, status, "desiredNumberScheduled"))) {
    return verdict(in, 0);
  }
  return verdict(in, !rebali_lua_less(in, rebali_lua_get(in, status, "numberAvailable"),
                                      rebali_lua_get(in, status, "updatedNumberScheduled")));
}

static int is_zero(const json_t *value) {
  double number;
  return rebali_lua_is_number(value) && rebali_lua_to_number(value, &number) && !(number < 0) && !(number > 0);
}

json_t *rebali_broadcast_job_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *status = rebali_lua_get(in, object, "status");
  const int is_desired = !is_zero(rebali_lua_get(in, status, "desired"));
  return verdict(
      in, is_desired && is_zero(rebali_lua_get(in, status, "failed")) &&
              !(is_zero(rebali_lua_get(in, status, "succeeded")) && is_zero(rebali_lua_get(in, status, "active"))));
}

json_t *rebali_sidecar_set_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *status = rebali_lua_get(in, object, "status"), *matched;
  if (status == NULL) {
    return verdict(in, 0);
  }
  matched = rebali_lua_get(in, status, "matchedPods");
  return verdict(
      in, matched == NULL || is_zero(matched) || rebali_lua_equal(rebali_lua_get(in, status, "updatedPods"), matched));
}

/* ---- conditions ---- */

/* Tests whether there is a condition of a type and status, with one of the reasons if some are given. */
static int has_condition(struct rebali_interpreting *in, const json_t *object, const char *type, const char *status,
                         const char *reasons) {
  const json_t *conditions = rebali_lua_list(in, rebali_lua_find(in, object, "status.conditions"));
  for (size_t i = 0; i < json_array_size(conditions); i++) {
    const json_t *condition = json_array_get(conditions, i);
    if (rebali_lua_is_text(rebali_lua_get(in, condition, "type"), type) &&
        rebali_lua_is_text(rebali_lua_get(in, condition, "status"), status) &&
        (reasons == NULL || rebali_lua_is_one_of(rebali_lua_get(in, condition, "reason"), reasons))) {
      return 1;
    }
  }
  return 0;
}

json_t *rebali_true_condition_health(struct rebali_interpreting *in, const json_t *object) {
  return verdict(in, has_condition(in, object, in->kind->health_words, "True", NULL));
}

json_t *rebali_ready_health(struct rebali_interpreting *in, const json_t *object) {
  return verdict(in, has_condition(in, object, "Ready", "True", in->kind->health_words));
}

json_t *rebali_kyverno_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *ready = rebali_lua_find(in, object, "status.ready");
  if (ready == NULL) {
    return rebali_ready_health(in, object);
  }
  if (!json_is_boolean(ready)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "status.ready is not a boolean");
  }
  return verdict(in, json_is_true(ready));
}

json_t *rebali_not_failed_health(struct rebali_interpreting *in, const json_t *object) {
  return verdict(in, rebali_lua_find(in, object, "status.conditions") != NULL &&
                         !has_condition(in, object, "Failed", "True", NULL));
}

json_t *rebali_begun_health(struct rebali_interpreting *in, const json_t *object) {
  return verdict(in, json_array_size(rebali_lua_list(in, rebali_lua_find(in, object, "status.conditions"))) > 0 &&
                         !has_condition(in, object, "Failed", "True", NULL));
}

json_t *rebali_ray_cluster_health(struct rebali_interpreting *in, const json_t *object) {
  return verdict(in, has_condition(in, object, "HeadPodReady", "True", NULL) &&
                         has_condition(in, object, "RayClusterProvisioned", "True", NULL) &&
                         !has_condition(in, object, "RayClusterReplicaFailure", "True", NULL));
}

/* ---- phases ---- */

json_t *rebali_phase_health(struct rebali_interpreting *in, const json_t *object) {
  return verdict(in, rebali_lua_is_one_of(rebali_lua_find(in, object, "status.state.phase"), in->kind->health_words));
}

json_t *rebali_workflow_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *phase = rebali_lua_find(in, object, "status.phase");
  return verdict(
      in, phase != NULL && !rebali_lua_is_text(phase, "") && !rebali_lua_is_one_of(phase, in->kind->health_words));
}

json_t *rebali_ray_job_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *deployed = rebali_lua_find(in, object, "status.jobDeploymentStatus");
  return verdict(in, rebali_lua_is_text(deployed, "Running") ||
                         (rebali_lua_is_text(deployed, "Complete") &&
                          rebali_lua_is_text(rebali_lua_find(in, object, "status.jobStatus"), "SUCCEEDED")));
}

json_t *rebali_spark_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *state = rebali_lua_find(in, object, "status.applicationState.state");
  return verdict(in, state != NULL && !rebali_lua_is_text(state, "FAILED"));
}

json_t *rebali_notebook_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *state = rebali_lua_find(in, object, "status.containerState");
  const json_t *waiting = rebali_lua_find(in, state, "waiting");
  const json_t *ended = rebali_lua_find(in, state, "terminated"), *code;
  if (rebali_lua_find(in, state, "running") != NULL) {
    return verdict(in, 1);
  }
  if (waiting != NULL) {
    return verdict(in, rebali_lua_is_text(rebali_lua_get(in, waiting, "reason"), "ContainerCreating"));
  }
  if (ended == NULL) {
    return verdict(in, 0);
  }
  code = rebali_lua_get(in, ended, "exitCode");
  return verdict(in, !rebali_lua_is_one_of(rebali_lua_get(in, ended, "reason"), in->kind->health_words) &&
                         (code == NULL || is_zero(code)));
}

static int names(const json_t *text, const char *part) {
  return json_is_string(text) && strstr(json_string_value(text), part) != NULL;
}

/* A job whose containers cannot start counts as started. */
json_t *rebali_flink_health(struct rebali_interpreting *in, const json_t *object) {
  const json_t *job = rebali_lua_find(in, object, "status.jobStatus");
  const json_t *error = rebali_lua_find(in, object, "status.error"), *state;
  if (job == NULL) {
    return verdict(in, rebali_lua_is_text(rebali_lua_find(in, object, "status.jobManagerDeploymentStatus"), "READY") &&
                           rebali_lua_is_text(rebali_lua_find(in, object, "status.lifecycleState"), "STABLE"));
  }
  state = rebali_lua_get(in, job, "state");
  return verdict(in, !rebali_lua_is_one_of(state, in->kind->health_words) || names(error, "ErrImagePull") ||
                         names(error, "CrashLoopBackOff"));
}
