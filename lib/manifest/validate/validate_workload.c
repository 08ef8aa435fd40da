/* SPDX-License-Identifier: MIT */
/*
 * Workloads: reports misspelt members on which a binding's replicas and requirements depend (rebalance-karmada(7) 15.2
 * to
 * 15.4).
 */
#include "foundation/near.h"
#include "manifest/schema/pod_types.h"
#include "manifest/validate/validate.h"

#include <string.h>

/* Above the pod only members that are read are known: others do not matter to this library. */
static const struct workload {
  const char *api_version, *kind;
  const char *counts;   /* members of spec that hold the replicas */
  const char *pod_path; /* from the object to the spec of the pods */
} workloads[] = {
    {"apps/v1", "DaemonSet", "", "spec.template.spec"},
    {"apps/v1", "Deployment", "replicas", "spec.template.spec"},
    {"apps/v1", "ReplicaSet", "replicas", "spec.template.spec"},
    {"apps/v1", "StatefulSet", "replicas", "spec.template.spec"},
    {"apps.kruise.io/v1alpha1", "CloneSet", "replicas", "spec.template.spec"},
    {"apps.kruise.io/v1beta1", "StatefulSet", "replicas", "spec.template.spec"},
    {"batch/v1", "CronJob", "", "spec.jobTemplate.spec.template.spec"},
    {"batch/v1", "Job", "completions parallelism", "spec.template.spec"},
    {"v1", "Pod", "", "spec"},
};

static const struct workload *find_workload(const json_t *tree) {
  const char *api_version = rebali_member_text(tree, "apiVersion"), *kind = rebali_member_text(tree, "kind");
  for (size_t i = 0; i < REBALI_COUNT(workloads); i++) {
    if (strcmp(workloads[i].kind, kind) == 0 && strcmp(workloads[i].api_version, api_version) == 0) {
      return &workloads[i];
    }
  }
  return NULL;
}

/* Reports members of a map that may be typos of a name. */
static void find_slips(struct rebali_check *check, const json_t *map, struct rebali_text name,
                       const struct rebali_path *path) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)map, key, value) {
    const struct rebali_path at = rebali_path_key(path, key);
    const struct rebali_text text = rebali_text(key, strlen(key));
    if (rebali_is_near(text, name) && !rebali_text_equal(text, name)) {
      rebali_find(check, REBAL_FINDING_UNKNOWN_MEMBER, &at, "no such member; did you mean \"%.*s\"?", (int)name.len,
                  name.bytes);
    }
  }
}

static void find_slips_for_all(struct rebali_check *check, const json_t *map, const char *names,
                               const struct rebali_path *path) {
  while (*names != '\0') {
    const size_t len = strcspn(names, " ");
    find_slips(check, map, rebali_text(names, len), path);
    names += len + (names[len] == ' ');
  }
}

static void check_pod(struct rebali_check *check, const json_t *pod, const struct rebali_path *path) {
  struct rebali_pod_member spec;
  if (rebali_pod_type_member(rebali_pod_type, "spec", &spec)) {
    rebali_check_pod_members(check, REBAL_FINDING_UNKNOWN_MEMBER, pod, spec.type, path);
  }
}

/* Recursion is as deep as the row's path has steps. */
static void check_below(struct rebali_check *check, const char *rest, const json_t *value,
                        const struct rebali_path *path) {
  const size_t len = strcspn(rest, ".");
  struct rebali_path at;
  char key[32];
  if (rest[0] == '\0') {
    check_pod(check, value, path);
  } else if (rebali_is_map(value)) {
    memcpy(key, rest, len); /* keys of the table are short */
    key[len] = '\0';
    at = rebali_path_key(path, key);
    find_slips(check, value, rebali_text(key, len), path);
    check_below(check, rest + len + (rest[len] == '.'), rebali_member(value, key), &at);
  }
}

void rebali_check_workload(struct rebali_check *check, const json_t *tree, const struct rebali_path *path) {
  const struct workload *workload = find_workload(tree);
  const struct rebali_path spec = rebali_path_key(path, "spec");
  if (workload != NULL) {
    find_slips_for_all(check, rebali_member(tree, "spec"), workload->counts, &spec);
    check_below(check, workload->pod_path, tree, path);
  }
}
