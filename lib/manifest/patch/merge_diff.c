/* SPDX-License-Identifier: MIT */
/* The JSON merge patch (RFC 7396) between two trees. */
#include "manifest/patch/document.h"

/* Returns 1 if a value holds null at any depth of maps: a merge patch takes null for "remove". */
static int has_null(const json_t *value) {
  json_t *walked = (json_t *)(uintptr_t)value, *member; /* jansson's iterators take no const */
  const char *key;
  json_object_foreach(walked, key, member) {
    if (json_is_null(member) || has_null(member)) {
      return 1;
    }
  }
  return 0;
}

static int32_t put_value(json_t *patch, const char *key, const json_t *value, rebal_error *err) {
  if (json_is_null(value) || has_null(value)) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a JSON merge patch cannot set a member to null");
  }
  return rebali_put(patch, key, json_incref((json_t *)(uintptr_t)value), err);
}

static int32_t put_member(json_t *patch, const char *key, const json_t *before, const json_t *after, rebal_error *err) {
  json_t *inner;
  int32_t result;
  if (before != NULL && (before == after || json_equal(before, after))) {
    return REBAL_OK;
  }
  if (!rebali_is_map(before) || !rebali_is_map(after)) {
    return put_value(patch, key, after, err);
  }
  result = rebali_merge_diff(before, after, &inner, err);
  return result == REBAL_OK ? rebali_put(patch, key, inner, err) : result;
}

static int32_t put_members(json_t *patch, const json_t *before, const json_t *after, rebal_error *err) {
  json_t *old = (json_t *)(uintptr_t)before, *new = (json_t *)(uintptr_t)after, *value;
  const char *key;
  json_object_foreach(old, key, value) {
    if (json_object_get(after, key) == NULL && rebali_put(patch, key, json_null(), err) != REBAL_OK) {
      return REBAL_ENOMEM;
    }
  }
  json_object_foreach(new, key, value) {
    const int32_t result = put_member(patch, key, json_object_get(before, key), value, err);
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}

int32_t rebali_merge_diff(const json_t *before, const json_t *after, json_t **out, rebal_error *err) {
  json_t *patch;
  int32_t result;
  if (!rebali_is_map(before) || !rebali_is_map(after)) {
    if (has_null(after)) {
      return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a JSON merge patch cannot set a member to null");
    }
    *out = json_incref((json_t *)(uintptr_t)after);
    return REBAL_OK;
  }
  patch = json_object();
  if (patch == NULL) {
    return rebali_fail_memory(err);
  }
  result = put_members(patch, before, after, err);
  if (result != REBAL_OK) {
    json_decref(patch);
    return result;
  }
  *out = patch;
  return REBAL_OK;
}
