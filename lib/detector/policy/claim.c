/* SPDX-License-Identifier: MIT */
/* Claims: labels and annotations by which a template and its binding name their policy. */
#include "detector/policy/policy.h"

#include <string.h>

const struct rebali_policy_kind rebali_policy_kinds[2] = {
    {"PropagationPolicy", "OverridePolicy", "propagationpolicy.karmada.io/permanent-id",
     "propagationpolicy.karmada.io/namespace", "propagationpolicy.karmada.io/name",
     "karmada.io/propagation-policy-controller"},
    {"ClusterPropagationPolicy", "ClusterOverridePolicy", "clusterpropagationpolicy.karmada.io/permanent-id", "",
     "clusterpropagationpolicy.karmada.io/name", "karmada.io/cluster-propagation-policy-controller"},
};

const char *rebali_text_of(const json_t *text) {
  const char *found = json_string_value(text);
  return found != NULL ? found : "";
}

const char *rebali_metadata_text(const json_t *object, const char *key) {
  return rebali_member_text(rebali_member(object, "metadata"), key);
}

int rebali_is_deleting(const json_t *object) {
  return rebali_member(rebali_member(object, "metadata"), "deletionTimestamp") != NULL;
}

const json_t *rebali_label(const json_t *object, const char *key) {
  return rebali_member(rebali_member(rebali_member(object, "metadata"), "labels"), key);
}

const json_t *rebali_annotation(const json_t *object, const char *key) {
  return rebali_member(rebali_member(rebali_member(object, "metadata"), "annotations"), key);
}

int rebali_is_policy_kind(const char *kind) {
  return strcmp(kind, rebali_policy_kinds[REBALI_NAMESPACED].name) == 0 ||
         strcmp(kind, rebali_policy_kinds[REBALI_GLOBAL].name) == 0;
}

int rebali_object_is_policy(const struct rebali_object *object) {
  return rebali_is_policy_kind(object->kind) && rebali_group_compare(object->api_version, REBALI_POLICY_API) == 0;
}

int rebali_policy_is_lazy(const json_t *policy) {
  return strcmp(rebali_member_text(rebali_member(policy, "spec"), "activationPreference"), "Lazy") == 0;
}

const char *rebali_claimed_namespace(const json_t *object, const struct rebali_policy_kind *kind) {
  return kind->claimed_namespace[0] != '\0' ? rebali_text_of(rebali_annotation(object, kind->claimed_namespace)) : "";
}

const char *rebali_claimed_name(const json_t *object, const struct rebali_policy_kind *kind) {
  return rebali_text_of(rebali_annotation(object, kind->claimed_name));
}

uint32_t rebali_claimed_policy(const rebal_detector *detector, const json_t *object,
                               const struct rebali_policy_kind *kind) {
  return rebali_store_find_text(detector->store, REBALI_POLICY_API, kind->name, rebali_claimed_namespace(object, kind),
                                rebali_claimed_name(object, kind));
}

/* Replaces a map by a copy; a value that is not a map is removed. Returns 0 without memory. */
static int own_map(json_t *parent, const char *key) {
  const json_t *map = rebali_member(parent, key);
  return !rebali_is_map(map) || json_object_set_new(parent, key, rebali_copy(map)) == 0;
}

json_t *rebali_editable(const json_t *object) {
  json_t *copy = rebali_copy(object);
  json_t *metadata;
  if (copy == NULL || !own_map(copy, "metadata")) {
    json_decref(copy);
    return NULL;
  }
  metadata = rebali_map_at(copy, "metadata");
  if (metadata == NULL || !own_map(metadata, "labels") || !own_map(metadata, "annotations")) {
    json_decref(copy);
    return NULL;
  }
  return copy;
}

int rebali_claim_is_complete(const json_t *object, const struct rebali_policy_kind *kind) {
  return rebali_text_of(rebali_label(object, kind->id))[0] != '\0' && rebali_claimed_name(object, kind)[0] != '\0' &&
         (kind->claimed_namespace[0] == '\0' || rebali_claimed_namespace(object, kind)[0] != '\0');
}

int32_t rebali_claim_put(json_t *object, const json_t *policy, const char *id, rebal_error *err) {
  const struct rebali_policy_kind *kind = rebali_policy_kind_of(policy);
  json_t *metadata = rebali_map_at(object, "metadata");
  json_t *labels = metadata != NULL ? rebali_map_at(metadata, "labels") : NULL;
  json_t *annotations = metadata != NULL ? rebali_map_at(metadata, "annotations") : NULL;
  int32_t result = rebali_put_text(labels, kind->id, id, err);
  if (result == REBAL_OK && kind->claimed_namespace[0] != '\0') {
    result = rebali_put_text(annotations, kind->claimed_namespace, rebali_metadata_text(policy, "namespace"), err);
  }
  return result == REBAL_OK
             ? rebali_put_text(annotations, kind->claimed_name, rebali_metadata_text(policy, "name"), err)
             : result;
}

void rebali_claim_remove(json_t *object, const struct rebali_policy_kind *kind) {
  rebali_key_remove(object, "labels", kind->id);
  rebali_key_remove(object, "annotations", kind->claimed_namespace);
  rebali_key_remove(object, "annotations", kind->claimed_name);
}

int32_t rebali_claim_take_over(json_t *object, const json_t *policy, const char *id, rebal_error *err) {
  const struct rebali_policy_kind *global = &rebali_policy_kinds[REBALI_GLOBAL];
  if (rebali_policy_kind_of(policy) != global && rebali_label(object, global->id) != NULL) {
    rebali_claim_remove(object, global);
  }
  return rebali_claim_put(object, policy, id, err);
}

/* Tests whether the policy already claims the template, as the reference sees it (rebalance-karmada(7) 14.5). */
static int is_claimed(const json_t *template_, const struct rebali_policy_kind *kind, const char *id) {
  const int is_same = strcmp(rebali_text_of(rebali_label(template_, kind->id)), id) == 0;
  if (kind == &rebali_policy_kinds[REBALI_GLOBAL]) {
    return is_same;
  }
  return is_same && json_object_size(rebali_member(rebali_member(template_, "metadata"), "labels")) > 0 &&
         rebali_label(template_, rebali_policy_kinds[REBALI_GLOBAL].id) == NULL;
}

int32_t rebali_claim_template(rebal_detector *detector, uint32_t object, json_t **tree, const json_t *policy,
                              rebal_error *err) {
  char scratch[64];
  const char *id = rebali_policy_id(detector, policy, scratch);
  json_t *claimed;
  int32_t result;
  if (is_claimed(*tree, rebali_policy_kind_of(policy), id)) {
    return REBAL_OK;
  }
  claimed = rebali_editable(*tree);
  result = claimed != NULL ? rebali_claim_take_over(claimed, policy, id, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = rebali_detector_write(detector, object, claimed, *tree, err);
  }
  if (result != REBAL_OK) {
    json_decref(claimed);
    return result;
  }
  json_decref(*tree);
  *tree = claimed;
  return REBAL_OK;
}

int32_t rebali_claim_drop(rebal_detector *detector, uint32_t object, const struct rebali_policy_kind *kind,
                          const char *id, rebal_error *err) {
  json_t *tree = NULL, *cleaned = NULL;
  int32_t result = rebali_store_share(detector->store, object, &tree, err);
  if (result == REBAL_OK && (id == NULL || strcmp(rebali_text_of(rebali_label(tree, kind->id)), id) == 0)) {
    cleaned = rebali_editable(tree);
    if (cleaned == NULL) {
      result = rebali_fail_memory(err);
    } else {
      rebali_claim_remove(cleaned, kind);
      result = rebali_detector_write(detector, object, cleaned, tree, err);
    }
  }
  json_decref(cleaned);
  json_decref(tree);
  return result;
}

int32_t rebali_clean_up(rebal_detector *detector, uint32_t object, const struct rebali_policy_kind *kind,
                        const char *id, rebal_error *err) {
  json_t *template_;
  uint32_t binding = REBAL_NONE;
  int32_t result = rebali_store_share(detector->store, object, &template_, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_find_binding(detector, template_, &binding, NULL, err);
  if (result == REBAL_OK && binding != REBAL_NONE) {
    result = rebali_claim_drop(detector, binding, kind, id, err);
  }
  if (result == REBAL_OK) {
    result = rebali_claim_drop(detector, object, kind, id, err);
  }
  json_decref(template_);
  return result;
}
