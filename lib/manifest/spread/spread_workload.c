/* SPDX-License-Identifier: MIT */
/*
 * The replicas of a WorkloadSpread's workload, for admission and for the controller
 * (rebalance-workloadspread(7) 2.6).
 */
#include "manifest/spread/kruise.h"

#include <string.h>

/* ---- kinds ---- */

/* Paths to the replicas of built-in kinds; versions matter for admission only. */
static const struct {
  const char *api_version, *kind, *path;
} built_in[] = {
    {"apps/v1", "Deployment", "spec.replicas"},
    {"apps/v1", "ReplicaSet", "spec.replicas"},
    {"apps/v1", "StatefulSet", "spec.replicas"},
    {"batch/v1", "Job", "spec.parallelism"},
    {"apps.kruise.io/v1alpha1", "CloneSet", "spec.replicas"},
    {"apps.kruise.io/v1alpha1", "StatefulSet", "spec.replicas"},
    {"apps.kruise.io/v1beta1", "StatefulSet", "spec.replicas"},
};

static const char *version_in(const char *api_version) {
  const char *slash = strchr(api_version, '/');
  return slash != NULL ? slash + 1 : api_version;
}

/* Returns NULL if the kind is not built in. any_version: only its group must match. */
static const char *built_in_path(const char *api_version, const char *kind, int any_version) {
  for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++) {
    const char *built_in_version = built_in[i].api_version;
    if (strcmp(built_in[i].kind, kind) == 0 && (any_version ? rebali_group_compare(built_in_version, api_version) == 0
                                                            : strcmp(built_in_version, api_version) == 0)) {
      return built_in[i].path;
    }
  }
  return NULL;
}

/* Returns the first white list entry of this group and kind, and of this version if it matters; NULL: none. */
static const json_t *white_entry(const json_t *white_list, const char *api_version, const char *kind, int any_version) {
  const json_t *entries = rebali_member(white_list, "workloads");
  const size_t len = rebali_group_len(api_version);
  for (size_t i = 0; i < json_array_size(entries); i++) {
    const json_t *entry = json_array_get(entries, i);
    const char *group = rebali_member_text(entry, "Group");
    if (strlen(group) == len && strncmp(group, api_version, len) == 0 &&
        strcmp(rebali_member_text(entry, "Kind"), kind) == 0 &&
        (any_version || strcmp(rebali_member_text(entry, "Version"), version_in(api_version)) == 0)) {
      return entry;
    }
  }
  return NULL;
}

/* ---- replicas ---- */

/* Returns 1 if a limit is in percent: only then does admission need replicas. */
static int has_percent(const json_t *spec, const char *member) {
  const json_t *subsets = rebali_member(spec, "subsets");
  for (size_t i = 0; i < json_array_size(subsets); i++) {
    const char *limit = rebali_member_text(json_array_get(subsets, i), member);
    if (*limit != '\0' && limit[strlen(limit) - 1] == '%') {
      return 1;
    }
  }
  return 0;
}

static const json_t *filter_paths(const json_t *spec) {
  const json_t *paths = rebali_member(rebali_member(spec, "targetFilter"), "replicasPathList");
  return json_array_size(paths) > 0 ? paths : NULL;
}

#define UNSTATED 1 /* the API server's default for a workload without replicas */

/* Reads the number at a path of a typed object; absent if there is none. */
static int32_t number_at(const json_t *workload, const char *path, int32_t absent) {
  int32_t value;
  return rebali_path_value(workload, path, &value, NULL) == REBAL_OK ? value : absent;
}

int32_t rebali_admission_replicas(const json_t *spec, const json_t *workload, const json_t *white_list, int32_t *out,
                                  rebal_error *err) {
  const json_t *target = rebali_member(spec, "targetRef"), *paths = filter_paths(spec), *entry;
  const char *api_version = rebali_member_text(target, "apiVersion"), *kind = rebali_member_text(target, "kind");
  const char *path;
  const int must_know = has_percent(spec, "maxReplicas");
  *out = 0;
  if (target == NULL || !(must_know || has_percent(spec, "minReplicas")) ||
      strcmp(rebali_member_text(workload, "apiVersion"), api_version) != 0) {
    return REBAL_OK; /* also without a workload; one of another version is not found */
  }
  if (paths != NULL && must_know) {
    return rebali_path_sum(workload, paths, out, err);
  }
  if (paths != NULL) {
    /* A minimum counts only with an option, and never causes a refusal. */
    return rebali_path_sum(workload, paths, out, NULL) == REBAL_ENOMEM ? rebali_fail_memory(err) : REBAL_OK;
  }
  path = built_in_path(api_version, kind, 0);
  if (path != NULL) {
    *out = number_at(workload, path, UNSTATED);
  } else {
    entry = white_entry(white_list, api_version, kind, 1);
    *out = number_at(workload, entry != NULL ? rebali_member_text(entry, "replicasPath") : "", 0);
  }
  return REBAL_OK;
}

int32_t rebali_workload_replicas(const json_t *spec, const json_t *workload) {
  const json_t *target = rebali_member(spec, "targetRef");
  const char *path = built_in_path(rebali_member_text(target, "apiVersion"), rebali_member_text(target, "kind"), 1);
  if (workload == NULL) {
    return 0;
  }
  return path != NULL ? number_at(workload, path, UNSTATED) : number_at(workload, "spec.replicas", -1);
}

int32_t rebali_path_replicas(const json_t *spec, const json_t *workload, const json_t *white_list, int *has_paths,
                             int32_t *out, rebal_error *err) {
  const json_t *target = rebali_member(spec, "targetRef"), *paths = filter_paths(spec), *entry;
  *out = 0;
  *has_paths = 1;
  if (paths != NULL) {
    return workload != NULL ? rebali_path_sum(workload, paths, out, err) : REBAL_OK;
  }
  entry = white_entry(white_list, rebali_member_text(target, "apiVersion"), rebali_member_text(target, "kind"), 0);
  *has_paths = entry != NULL;
  return entry != NULL && workload != NULL
             ? rebali_path_value(workload, rebali_member_text(entry, "replicasPath"), out, err)
             : REBAL_OK;
}
