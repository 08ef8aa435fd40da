/* SPDX-License-Identifier: MIT */
/* Defaults that the API server's admission fills in (spec karmada 1.4), and the times of taints. */
#include "manifest/manifest.h"

#include <string.h>

int rebali_lacks_namespace(const json_t *tree) {
  return *rebali_member_text(rebali_member(tree, "metadata"), "namespace") == '\0' &&
         rebali_kind_is_namespaced(rebali_member_text(tree, "kind"));
}

int32_t rebali_admit_namespace(json_t *tree, rebal_error *err) {
  return rebali_lacks_namespace(tree) ? rebali_put_text(rebali_member(tree, "metadata"), "namespace", "default", err)
                                      : REBAL_OK;
}

/* Gives a member a default text when it is absent or empty. */
static int32_t default_text(json_t *map, const char *key, const char *text, rebal_error *err) {
  return *rebali_member_text(map, key) != '\0' ? REBAL_OK : rebali_put_text(map, key, text, err);
}

static int32_t admit_constraint(json_t *constraint, rebal_error *err) {
  int32_t result = REBAL_OK;
  if (!rebali_is_map(constraint)) {
    return REBAL_OK;
  }
  if (*rebali_member_text(constraint, "spreadByLabel") == '\0') {
    result = default_text(constraint, "spreadByField", "cluster", err);
  }
  if (result == REBAL_OK && json_integer_value(rebali_member(constraint, "minGroups")) == 0) {
    result = rebali_put(constraint, "minGroups", json_integer(1), err);
  }
  return result;
}

int32_t rebali_admit_placement(json_t *placement, rebal_error *err) {
  json_t *constraints = rebali_member(placement, "spreadConstraints");
  json_t *scheduling = rebali_member(placement, "replicaScheduling");
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(constraints); i++) {
    result = admit_constraint(json_array_get(constraints, i), err);
  }
  if (result != REBAL_OK || scheduling == NULL) {
    return result;
  }
  result = default_text(scheduling, "replicaSchedulingType", "Divided", err);
  if (result == REBAL_OK && strcmp(rebali_member_text(scheduling, "replicaSchedulingType"), "Divided") == 0) {
    result = default_text(scheduling, "replicaDivisionPreference", "Weighted", err);
  }
  return result;
}

int32_t rebali_admit_failover(json_t *failover, rebal_error *err) {
  json_t *cluster = rebali_member(failover, "cluster");
  json_t *application = rebali_member(failover, "application");
  json_t *conditions = rebali_member(application, "decisionConditions");
  int32_t result = REBAL_OK;
  if (rebali_is_map(cluster)) {
    result = default_text(cluster, "purgeMode", "Gracefully", err);
  }
  if (result == REBAL_OK && rebali_is_map(application)) {
    result = default_text(application, "purgeMode", "Gracefully", err);
  }
  if (result == REBAL_OK && rebali_is_map(application) && rebali_member(application, "gracePeriodSeconds") == NULL &&
      strcmp(rebali_member_text(application, "purgeMode"), "Gracefully") == 0) {
    result = rebali_put(application, "gracePeriodSeconds", json_integer(600), err);
  }
  if (result == REBAL_OK && rebali_is_map(conditions) && rebali_member(conditions, "tolerationSeconds") == NULL) {
    result = rebali_put(conditions, "tolerationSeconds", json_integer(300), err);
  }
  return result;
}

static int is_same_taint(const json_t *left, const json_t *right) {
  static const char *const members[] = {"key", "value", "effect"};
  for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
    if (strcmp(rebali_member_text(left, members[i]), rebali_member_text(right, members[i])) != 0) {
      return 0;
    }
  }
  return 1;
}

/* A taint that was there before keeps its time. */
static int32_t admit_taint(json_t *taint, const json_t *old_taints, const rebal_time *now, rebal_error *err) {
  if (!rebali_is_map(taint) || rebali_member(taint, "timeAdded") != NULL ||
      strcmp(rebali_member_text(taint, "effect"), "NoExecute") != 0) {
    return REBAL_OK;
  }
  for (size_t i = 0; i < json_array_size(old_taints); i++) {
    const json_t *old = json_array_get(old_taints, i);
    if (is_same_taint(taint, old) && rebali_member(old, "timeAdded") != NULL) {
      return rebali_put(taint, "timeAdded", json_incref(rebali_member(old, "timeAdded")), err);
    }
  }
  return rebali_put_time(taint, "timeAdded", now, err);
}

static int32_t admit_cluster(json_t *tree, const json_t *before, const rebal_time *now, rebal_error *err) {
  const json_t *taints = rebali_member(rebali_member(tree, "spec"), "taints");
  const json_t *old = rebali_member(rebali_member(before, "spec"), "taints");
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(taints); i++) {
    result = admit_taint(json_array_get(taints, i), old, now, err);
  }
  return result;
}

int32_t rebali_admit(json_t *tree, const json_t *before, const rebal_time *now, rebal_error *err) {
  const char *kind = rebali_member_text(tree, "kind");
  json_t *spec = rebali_member(tree, "spec");
  int32_t result = REBAL_OK;
  if (strcmp(kind, "Cluster") == 0) {
    return admit_cluster(tree, before, now, err);
  }
  if (strcmp(kind, "PropagationPolicy") != 0 && strcmp(kind, "ClusterPropagationPolicy") != 0) {
    return REBAL_OK;
  }
  result = rebali_admit_placement(rebali_member(spec, "placement"), err);
  return result == REBAL_OK ? rebali_admit_failover(rebali_member(spec, "failover"), err) : result;
}
