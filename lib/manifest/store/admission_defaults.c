/* SPDX-License-Identifier: MIT */
/* What the API server's admission changes: namespaces, defaults (spec karmada 1.4), and the times of taints. */
#include "manifest/schema/kinds.h"

#include <string.h>

int rebali_lacks_namespace(const rebal_store *store, const json_t *tree) {
  return *rebali_member_text(rebali_member(tree, "metadata"), "namespace") == '\0' &&
         rebali_kind_is_namespaced(store, rebali_member_text(tree, "apiVersion"), rebali_member_text(tree, "kind"));
}

int32_t rebali_admit_namespace(const rebal_store *store, json_t *tree, rebal_error *err) {
  return rebali_lacks_namespace(store, tree)
             ? rebali_put_text(rebali_member(tree, "metadata"), "namespace", REBALI_DEFAULT_NAMESPACE, err)
             : REBAL_OK;
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
  if (strcmp(kind, "Cluster") == 0) {
    return admit_cluster(tree, before, now, err);
  }
  if (strcmp(kind, "PropagationPolicy") != 0 && strcmp(kind, "ClusterPropagationPolicy") != 0) {
    return REBAL_OK;
  }
  return rebali_fill_defaults(&rebali_shapes[REBALI_SHAPE_POLICY_SPEC], rebali_member(tree, "spec"), err);
}
