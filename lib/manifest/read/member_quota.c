/* SPDX-License-Identifier: MIT */
/* Reads the ResourceQuotas of a member cluster, all at once (rebalance-karmada(7) 6.5.4). */
#include "manifest/manifest.h"

#include <string.h>

/* Paths in the object of the fields of a QUOTA. */
static const char *const paths[] = {"metadata.namespace", "spec.scopes", "status.hard", "status.used"};

/* Expressions of a scope selector have a scope name where those of labels have a key. */
static int32_t take_expressions(const json_t *list, json_t *out, rebal_error *err) {
  int32_t result = out != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(list); i++) {
    json_t *expression = rebali_copy(json_array_get(list, i));
    json_t *scope = rebali_member(expression, "scopeName");
    result = json_array_append_new(out, expression) == 0 ? REBAL_OK : rebali_fail_memory(err);
    if (result == REBAL_OK && scope != NULL) {
      result = rebali_put(expression, "key", json_incref(scope), err);
    }
  }
  return result;
}

static int32_t take_scope_selector(const json_t *tree, json_t *quota, rebal_error *err) {
  struct rebali_place place;
  json_t *list;
  int32_t result = rebali_walk(tree, NULL, "spec.scopeSelector.matchExpressions", &place, err);
  if (result != REBAL_OK || place.value == NULL) {
    return result;
  }
  list = json_array();
  result = take_expressions(place.value, list, err);
  if (result != REBAL_OK) {
    json_decref(list);
    return result;
  }
  return rebali_put(quota, "spec.scopeSelector.matchExpressions", list, err);
}

/* Appends an object to the list in the form of a QUOTA. */
static int32_t take_quota(const json_t *tree, json_t *list, rebal_error *err) {
  json_t *quota = json_object();
  int32_t result = json_array_append_new(list, quota) == 0 ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < sizeof paths / sizeof paths[0]; i++) {
    struct rebali_place place;
    result = rebali_walk(tree, NULL, paths[i], &place, err);
    if (result == REBAL_OK && place.value != NULL) {
      result = rebali_put(quota, paths[i], json_incref((json_t *)(uintptr_t)place.value), err);
    }
  }
  return result == REBAL_OK ? take_scope_selector(tree, quota, err) : result;
}

static int32_t take_quotas(rebal_store *member, json_t *list, rebal_error *err) {
  int32_t result = list != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (uint32_t object = rebal_store_next(member, "ResourceQuota", 13, REBAL_NONE);
       result == REBAL_OK && object != REBAL_NONE; object = rebal_store_next(member, "ResourceQuota", 13, object)) {
    json_t *tree;
    if (strcmp(member->objects[object].api_version, "v1") == 0) {
      result = rebali_store_share(member, object, &tree, err);
      if (result == REBAL_OK) {
        result = take_quota(tree, list, err);
      }
      json_decref(tree);
    }
  }
  return result;
}

int32_t rebali_quotas_feed(const struct rebali_sink *sink, rebal_store *member, rebal_error *err) {
  json_t *list = json_array();
  json_t *quotas = json_pack("{s:O}", "items", list);
  const rebal_record *record;
  int32_t result = quotas != NULL ? take_quotas(member, list, err) : rebali_fail_memory(err);
  if (result == REBAL_OK) {
    result = rebali_read_record(sink->builder, REBAL_OBJECT_QUOTAS, quotas, NULL, &record, err);
  }
  json_decref(quotas);
  json_decref(list);
  return result == REBAL_OK ? rebal_fleet_set_quotas(sink->fleet, sink->cluster, record, err) : result;
}
