/* SPDX-License-Identifier: MIT */
/* Which policy takes a workload. */
#include "manifest.h"

#include <string.h>

static int contains(const json_t *values, const char *text) {
  for (size_t i = 0; i < json_array_size(values); i++) {
    const char *value = json_string_value(json_array_get(values, i));
    if (value != NULL && strcmp(value, text) == 0) {
      return 1;
    }
  }
  return 0;
}

/* An expression that Kubernetes would refuse matches nothing. */
static int expression_matches(const json_t *expression, const json_t *labels) {
  const char *operator= rebali_member_text(expression, "operator");
  const json_t *values = rebali_member(expression, "values");
  const json_t *label = rebali_member(labels, rebali_member_text(expression, "key"));
  const char *text = json_string_value(label);
  if (strcmp(operator, "Exists") == 0) {
    return json_array_size(values) == 0 && text != NULL;
  }
  if (strcmp(operator, "DoesNotExist") == 0) {
    return json_array_size(values) == 0 && text == NULL;
  }
  if (json_array_size(values) == 0) {
    return 0;
  }
  if (strcmp(operator, "In") == 0) {
    return text != NULL && contains(values, text);
  }
  return strcmp(operator, "NotIn") == 0 && (text == NULL || !contains(values, text));
}

static int selector_matches(const json_t *selector, const json_t *labels) {
  const json_t *expressions = rebali_member(selector, "matchExpressions");
  const char *key;
  json_t *value;
  json_object_foreach(rebali_member(selector, "matchLabels"), key, value) {
    const char *label = json_string_value(rebali_member(labels, key));
    const char *wanted = json_is_null(value) ? "" : json_string_value(value);
    if (label == NULL || wanted == NULL || strcmp(label, wanted) != 0) {
      return 0;
    }
  }
  for (size_t i = 0; i < json_array_size(expressions); i++) {
    if (!expression_matches(json_array_get(expressions, i), labels)) {
      return 0;
    }
  }
  return 1;
}

enum rank { RANK_NONE = 0, RANK_ALL = 1, RANK_LABELS = 2, RANK_NAME = 3 };

static enum rank rank_selector(const json_t *selector, const json_t *policy_namespace, const json_t *workload) {
  const json_t *metadata = rebali_member(workload, "metadata");
  const char *name = rebali_member_text(selector, "name");
  const char *wanted = rebali_member_text(selector, "namespace");
  if (wanted[0] == '\0' && policy_namespace != NULL) {
    wanted = json_string_value(policy_namespace);
  }
  if (strcmp(rebali_member_text(selector, "apiVersion"), rebali_member_text(workload, "apiVersion")) != 0 ||
      strcmp(rebali_member_text(selector, "kind"), rebali_member_text(workload, "kind")) != 0 ||
      (wanted[0] != '\0' && strcmp(wanted, rebali_member_text(metadata, "namespace")) != 0)) {
    return RANK_NONE;
  }
  if (name[0] != '\0') {
    return strcmp(name, rebali_member_text(metadata, "name")) == 0 ? RANK_NAME : RANK_NONE;
  }
  if (rebali_member(selector, "labelSelector") == NULL) {
    return RANK_ALL;
  }
  return selector_matches(rebali_member(selector, "labelSelector"), rebali_member(metadata, "labels")) ? RANK_LABELS
                                                                                                       : RANK_NONE;
}

static enum rank rank_policy(const json_t *policy, const json_t *workload) {
  const json_t *selectors = rebali_member(rebali_member(policy, "spec"), "resourceSelectors");
  const json_t *metadata = rebali_member(policy, "metadata");
  const json_t *own = rebali_member(metadata, "namespace");
  enum rank best = RANK_NONE;
  if (rebali_member(metadata, "deletionTimestamp") != NULL) {
    return RANK_NONE;
  }
  if (own != NULL &&
      strcmp(json_string_value(own), rebali_member_text(rebali_member(workload, "metadata"), "namespace")) != 0) {
    return RANK_NONE;
  }
  for (size_t i = 0; i < json_array_size(selectors); i++) {
    const enum rank rank = rank_selector(json_array_get(selectors, i), own, workload);
    best = rank > best ? rank : best;
  }
  return best;
}

static const json_t *find_of_kind(const rebal_store *store, const char *kind, const json_t *workload) {
  const json_t *best = NULL;
  enum rank best_rank = RANK_NONE;
  int64_t best_priority = 0;
  /* In the order of names, so that the first of equals stays. */
  for (uint32_t id = rebal_store_next(store, kind, strlen(kind), REBAL_NONE); id != REBAL_NONE;
       id = rebal_store_next(store, kind, strlen(kind), id)) {
    const json_t *policy = rebali_store_tree(store, id);
    const enum rank rank = rank_policy(policy, workload);
    const int64_t priority = json_integer_value(rebali_member(rebali_member(policy, "spec"), "priority"));
    if (rank == RANK_NONE || rank < best_rank || (rank == best_rank && priority <= best_priority)) {
      continue;
    }
    best = policy;
    best_rank = rank;
    best_priority = priority;
  }
  return best;
}

const json_t *rebali_policy_find(const rebal_store *store, const json_t *workload) {
  const json_t *policy = NULL;
  if (*rebali_member_text(rebali_member(workload, "metadata"), "namespace") != '\0') {
    policy = find_of_kind(store, "PropagationPolicy", workload);
  }
  return policy != NULL ? policy : find_of_kind(store, "ClusterPropagationPolicy", workload);
}
