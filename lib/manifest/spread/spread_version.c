/* SPDX-License-Identifier: MIT */
/* WorkloadSpread v1alpha1, which spells two members of a subset differently (rebalance-workloadspread(7) 1.1). */
#include "manifest/validate/validate.h"

#include <string.h>

static const struct rebali_spread_names stored = {"requiredNodeSelector", "preferredNodeSelector"};
static const struct rebali_spread_names first = {"requiredNodeSelectorTerm", "preferredNodeSelectorTerms"};

int rebali_is_spread(const json_t *tree) {
  return strcmp(rebali_member_text(tree, "kind"), "WorkloadSpread") == 0 &&
         strncmp(rebali_member_text(tree, "apiVersion"), "apps.kruise.io/", 15) == 0;
}

const struct rebali_spread_names *rebali_spread_names(const char *api_version) {
  return strcmp(api_version, "apps.kruise.io/v1alpha1") == 0 ? &first : &stored;
}

/* Renames a member of a copy. */
static int32_t rename_member(json_t *map, const char *from, const char *to, rebal_error *err) {
  json_t *value = json_object_get(map, from);
  int32_t result = REBAL_OK;
  if (value != NULL) {
    result = rebali_put(map, to, json_incref(value), err);
    (void)json_object_del(map, from);
  }
  return result;
}

static int32_t rename_subset(const json_t *subset, json_t **out, rebal_error *err) {
  json_t *copy = rebali_copy(subset);
  int32_t result = copy != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK && rebali_is_map(copy)) {
    result = rename_member(copy, first.required, stored.required, err);
  }
  if (result == REBAL_OK && rebali_is_map(copy)) {
    result = rename_member(copy, first.preferred, stored.preferred, err);
  }
  if (result != REBAL_OK) {
    json_decref(copy);
    return result;
  }
  *out = copy;
  return REBAL_OK;
}

static int32_t rename_subsets(const json_t *subsets, json_t **out, rebal_error *err) {
  json_t *list = json_array();
  int32_t result = list != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(subsets); i++) {
    json_t *subset = NULL;
    result = rename_subset(json_array_get(subsets, i), &subset, err);
    if (result == REBAL_OK && json_array_append_new(list, subset) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  if (result != REBAL_OK) {
    json_decref(list);
    return result;
  }
  *out = list;
  return REBAL_OK;
}

int32_t rebali_spread_stored(json_t *tree, json_t **out, rebal_error *err) {
  json_t *spec = rebali_member(tree, "spec"), *subsets = rebali_member(spec, "subsets"), *renamed, *copy, *inner;
  int32_t result;
  if (rebali_spread_names(rebali_member_text(tree, "apiVersion")) == &stored || !json_is_array(subsets)) {
    *out = json_incref(tree);
    return REBAL_OK;
  }
  result = rename_subsets(subsets, &renamed, err);
  if (result != REBAL_OK) {
    return result;
  }
  inner = rebali_copy(spec);
  copy = rebali_copy(tree);
  result = rebali_put(inner, "subsets", renamed, err);
  if (result == REBAL_OK) {
    result = rebali_put(copy, "spec", json_incref(inner), err);
  }
  json_decref(inner);
  if (result != REBAL_OK) {
    json_decref(copy);
    return result;
  }
  *out = copy;
  return REBAL_OK;
}
