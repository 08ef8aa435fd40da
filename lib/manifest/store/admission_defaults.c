/* SPDX-License-Identifier: MIT */
/*
 * Changes made by the API server's admission: namespaces, defaults (rebalance-karmada(7) 1.4, 14.9), and times of
 * taints.
 */
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

/* A taint that already existed keeps its time. */
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

/* ---- policies (rebalance-karmada(7) 14.9) ---- */

static int selects_imports(const json_t *spec) {
  const json_t *selectors = rebali_member(spec, "resourceSelectors");
  for (size_t i = 0; i < json_array_size(selectors); i++) {
    const json_t *selector = json_array_get(selectors, i);
    if (strcmp(rebali_member_text(selector, "kind"), "ServiceImport") == 0 &&
        rebali_group_compare(rebali_member_text(selector, "apiVersion"), "multicluster.x-k8s.io/v1alpha1") == 0) {
      return 1;
    }
  }
  return 0;
}

int32_t rebali_admitted_policy_spec(const json_t *policy, json_t **out, rebal_error *err) {
  const json_t *given = rebali_member(policy, "spec");
  json_t *spec = json_object(), *value;
  const char *name;
  int32_t result = spec != NULL ? REBAL_OK : rebali_fail_memory(err);
  json_object_foreach((json_t *)(uintptr_t)given, name, value) {
    if (result == REBAL_OK && strcmp(name, "resourceSelectors") != 0) {
      result = rebali_put(spec, name, json_deep_copy(value), err);
    }
  }
  if (result == REBAL_OK) {
    result = rebali_fill_defaults(&rebali_shapes[REBALI_SHAPE_POLICY_SPEC], spec, err);
  }
  if (result == REBAL_OK && selects_imports(given)) {
    result = rebali_put(spec, "propagateDeps", json_true(), err);
  }
  if (result != REBAL_OK) {
    json_decref(spec);
    spec = NULL;
  }
  *out = spec;
  return result;
}

/* Sets the policy's namespace in selectors of a PropagationPolicy. */
static int32_t admit_selectors(json_t *spec, const char *namespace_, rebal_error *err) {
  const json_t *selectors = rebali_member(spec, "resourceSelectors");
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(selectors); i++) {
    json_t *selector = json_array_get(selectors, i);
    if (rebali_is_map(selector) && rebali_member_text(selector, "namespace")[0] == '\0') {
      result = rebali_put_text(selector, "namespace", namespace_, err);
    }
  }
  return result;
}

static int32_t admit_policy(json_t *tree, rebal_error *err) {
  const char *namespace_ = rebali_member_text(rebali_member(tree, "metadata"), "namespace");
  json_t *spec = rebali_member(tree, "spec");
  int32_t result = rebali_fill_defaults(&rebali_shapes[REBALI_SHAPE_POLICY_SPEC], spec, err);
  if (result == REBAL_OK && rebali_is_map(spec) && selects_imports(spec)) {
    result = rebali_put(spec, "propagateDeps", json_true(), err);
  }
  return result == REBAL_OK && namespace_[0] != '\0' ? admit_selectors(spec, namespace_, err) : result;
}

/* ---- templates ---- */

/* Members of a template's spec that default to 1. */
static const struct {
  const char *group, *kind, *member;
} ones[] = {{"apps", "Deployment", "replicas"},         {"apps", "StatefulSet", "replicas"},
            {"apps", "ReplicaSet", "replicas"},         {"batch", "Job", "parallelism"},
            {"apps.kruise.io", "CloneSet", "replicas"}, {"apps.kruise.io", "StatefulSet", "replicas"}};

int32_t rebali_admitted_template(const json_t *template_, json_t **out, rebal_error *err) {
  const json_t *spec = rebali_member(template_, "spec");
  const char *api_version = rebali_member_text(template_, "apiVersion"), *member = NULL;
  const size_t len = rebali_group_len(api_version);
  json_t *own;
  for (size_t i = 0; i < REBALI_COUNT(ones); i++) {
    if (strcmp(rebali_member_text(template_, "kind"), ones[i].kind) == 0 && strlen(ones[i].group) == len &&
        memcmp(api_version, ones[i].group, len) == 0) {
      member = ones[i].member;
    }
  }
  if (member == NULL || rebali_member(spec, member) != NULL || (spec != NULL && !rebali_is_map(spec))) {
    *out = json_incref((json_t *)(uintptr_t)template_);
    return REBAL_OK;
  }
  *out = rebali_copy(template_);
  own = spec != NULL ? rebali_copy(spec) : json_object();
  if (rebali_put(*out, "spec", own, err) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return rebali_put(own, member, json_integer(1), err);
}

/* ---- objects ---- */

int32_t rebali_admit(json_t *tree, const json_t *before, const rebal_time *now, rebal_error *err) {
  const char *kind = rebali_member_text(tree, "kind");
  if (strcmp(kind, "Cluster") == 0) {
    return admit_cluster(tree, before, now, err);
  }
  if (strcmp(kind, "PropagationPolicy") != 0 && strcmp(kind, "ClusterPropagationPolicy") != 0) {
    return REBAL_OK;
  }
  return admit_policy(tree, err);
}
