/* SPDX-License-Identifier: MIT */
/* Owners, finalizers, keys of labels and annotations, and spec.resource of bindings, in editable objects. */
#include "detector/policy/policy.h"

#include <string.h>

void rebali_key_remove(json_t *object, const char *map_name, const char *key) {
  json_t *metadata = rebali_member(object, "metadata"), *map = rebali_member(metadata, map_name);
  if (key[0] != '\0' && json_object_del(map, key) == 0 && json_object_size(map) == 0) {
    (void)json_object_del(metadata, map_name);
  }
}

int32_t rebali_put_owner(json_t *metadata, const json_t *owner, rebal_error *err) {
  json_t *reference = json_pack("{s:s, s:s, s:s, s:s, s:b, s:b}", "apiVersion", rebali_member_text(owner, "apiVersion"),
                                "kind", rebali_member_text(owner, "kind"), "name", rebali_metadata_text(owner, "name"),
                                "uid", rebali_metadata_text(owner, "uid"), "controller", 1, "blockOwnerDeletion", 1);
  json_t *owners = json_array();
  if (reference == NULL || json_array_append_new(owners, reference) != 0) {
    json_decref(owners);
    return rebali_fail_memory(err);
  }
  return rebali_put(metadata, "ownerReferences", owners, err);
}

int32_t rebali_put_resource(json_t *spec, const json_t *object, int has_uid, rebal_error *err) {
  static const char *const members[] = {"namespace", "name", "uid", "resourceVersion"};
  json_t *resource = rebali_map_at(spec, "resource");
  int32_t result = rebali_put_text(resource, "apiVersion", rebali_member_text(object, "apiVersion"), err);
  if (result == REBAL_OK) {
    result = rebali_put_text(resource, "kind", rebali_member_text(object, "kind"), err);
  }
  for (size_t i = 0; result == REBAL_OK && i < REBALI_COUNT(members); i++) {
    const char *text = rebali_metadata_text(object, members[i]);
    if (text[0] != '\0' && (has_uid || strcmp(members[i], "uid") != 0)) {
      result = rebali_put_text(resource, members[i], text, err);
    }
  }
  return result;
}

size_t rebali_finalizer_find(const json_t *object, const char *finalizer) {
  const json_t *finalizers = rebali_member(rebali_member(object, "metadata"), "finalizers");
  size_t i = 0;
  while (i < json_array_size(finalizers) && strcmp(rebali_text_of(json_array_get(finalizers, i)), finalizer) != 0) {
    i++;
  }
  return i < json_array_size(finalizers) ? i : SIZE_MAX;
}

int32_t rebali_finalizer_put(json_t *object, const char *finalizer, rebal_error *err) {
  json_t *metadata = rebali_map_at(object, "metadata");
  const json_t *old = rebali_member(metadata, "finalizers");
  json_t *finalizers;
  if (rebali_finalizer_find(object, finalizer) != SIZE_MAX) {
    return REBAL_OK;
  }
  finalizers = json_is_array(old) ? json_copy((json_t *)(uintptr_t)old) : json_array();
  if (json_array_append_new(finalizers, json_string(finalizer)) != 0) {
    json_decref(finalizers);
    return rebali_fail_memory(err);
  }
  return rebali_put(metadata, "finalizers", finalizers, err);
}

int32_t rebali_finalizer_remove(json_t *object, const char *finalizer, rebal_error *err) {
  const size_t at = rebali_finalizer_find(object, finalizer);
  json_t *metadata = rebali_member(object, "metadata"), *finalizers;
  if (at == SIZE_MAX) {
    return REBAL_OK;
  }
  finalizers = json_copy(rebali_member(metadata, "finalizers"));
  if (finalizers == NULL) {
    return rebali_fail_memory(err);
  }
  (void)json_array_remove(finalizers, at);
  if (json_array_size(finalizers) > 0) {
    return rebali_put(metadata, "finalizers", finalizers, err);
  }
  json_decref(finalizers);
  (void)json_object_del(metadata, "finalizers");
  return REBAL_OK;
}
