/* SPDX-License-Identifier: MIT */
/* JSON merge patches (RFC 7396). Recursion is as deep as the patch, whose depth its reader has limited. */
#include "manifest/manifest.h"

int32_t rebali_merge(json_t *map, const json_t *patch, rebal_error *err) {
  const char *key;
  json_t *value;
  int32_t result = REBAL_OK;
  json_object_foreach((json_t *)(uintptr_t)patch, key, value) {
    json_t *member = rebali_member(map, key);
    if (json_is_null(value)) {
      (void)json_object_del(map, key);
    } else if (rebali_is_map(value)) {
      member = rebali_is_map(member) ? rebali_copy(member) : json_object();
      result = rebali_put(map, key, member, err);
      if (result == REBAL_OK) {
        result = rebali_merge(member, value, err);
      }
    } else {
      result = rebali_put(map, key, json_incref(value), err);
    }
    if (result != REBAL_OK) {
      return result;
    }
  }
  return REBAL_OK;
}
