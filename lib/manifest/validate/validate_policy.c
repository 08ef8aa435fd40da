/* SPDX-License-Identifier: MIT */
/*
 * The resource selectors of policies: those that admission refuses, and those that match no object
 * (rebalance-karmada(7) 14.2).
 */
#include "manifest/validate/validate.h"

#include <string.h>

/* A selector of a policy's list. */
struct selector {
  struct rebali_check *check;
  const json_t *tree;
  const struct rebali_path *path;
  const char *own; /* the namespace of the policy; NULL: it applies to all namespaces */
};

static void find_nothing(const struct selector *selector, const char *member, const char *reason) {
  const struct rebali_path at = rebali_path_key(selector->path, member);
  rebali_find(selector->check, REBAL_FINDING_MATCHES_NOTHING, &at, "the selector matches nothing: %s", reason);
}

static void check_namespace(const struct selector *selector) {
  const char *namespace_ = rebali_member_text(selector->tree, "namespace");
  const struct rebali_resource *resource = rebali_resource_find(NULL, rebali_member_text(selector->tree, "apiVersion"),
                                                                rebali_member_text(selector->tree, "kind"));
  const int is_cluster_scoped = resource != NULL && !resource->is_namespaced;
  if (is_cluster_scoped && selector->own != NULL) {
    find_nothing(selector, "kind", "objects without a namespace are for a ClusterPropagationPolicy");
  } else if (is_cluster_scoped && namespace_[0] != '\0') {
    find_nothing(selector, "namespace", "objects of the kind have no namespace");
  } else if (selector->own != NULL && namespace_[0] != '\0' && strcmp(namespace_, selector->own) != 0) {
    find_nothing(selector, "namespace", "a PropagationPolicy is for objects of its own namespace");
  }
}

static void check_labels(const struct selector *selector) {
  const struct rebali_path at = rebali_path_key(selector->path, "labelSelector");
  const json_t *labels = rebali_member(selector->tree, "labelSelector");
  if (labels != NULL && *rebali_member_text(selector->tree, "name") != '\0') {
    rebali_find(selector->check, REBAL_FINDING_LABELS_UNREAD, &at, "beside a name it is ignored");
  } else {
    rebali_rule_label_selector(selector->check, labels, &at);
  }
}

static void check_selector(const struct selector *selector) {
  const struct rebali_path at = rebali_path_key(selector->path, "apiVersion");
  if (rebali_is_never_propagated(rebali_member_text(selector->tree, "apiVersion"),
                                 rebali_member_text(selector->tree, "kind"))) {
    rebali_find(selector->check, REBAL_FINDING_NOT_PROPAGATED, &at,
                "the selector matches nothing: it is of an API that is not propagated");
    return;
  }
  rebali_check_selected_kind(selector->check, selector->tree, selector->path);
  check_namespace(selector);
  check_labels(selector);
}

static void check_preemption(const struct selector *selector) {
  const struct rebali_path at = rebali_path_key(selector->path, "name");
  if (*rebali_member_text(selector->tree, "name") == '\0') {
    rebali_find(selector->check, REBAL_FINDING_PREEMPTION_NAME, &at,
                "with preemption Always each selector needs a name");
  }
}

void rebali_rule_selectors(struct rebali_check *check, const json_t *spec, const struct rebali_path *path) {
  const struct rebali_path list = rebali_path_key(path, "resourceSelectors");
  const json_t *selectors = rebali_member(spec, "resourceSelectors"), *policy = check->tree;
  const char *own = rebali_member_text(rebali_member(policy, "metadata"), "namespace");
  const int is_namespaced = strcmp(rebali_member_text(policy, "kind"), "PropagationPolicy") == 0;
  const int is_always = strcmp(rebali_member_text(spec, "preemption"), "Always") == 0;
  for (size_t i = 0; i < json_array_size(selectors); i++) {
    const struct rebali_path at = rebali_path_index(&list, i);
    const struct selector selector = {check, json_array_get(selectors, i), &at,
                                      !is_namespaced   ? NULL
                                      : own[0] != '\0' ? own
                                                       : REBALI_DEFAULT_NAMESPACE};
    if (is_always) {
      check_preemption(&selector);
    }
    check_selector(&selector);
  }
}
