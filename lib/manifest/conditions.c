/* SPDX-License-Identifier: MIT */
/* Conditions of a status, which belong to several writers and are told apart by type. */
#include "kinds.h"

#include <string.h>

/* Index of the condition with the same type in a list, or the size of the list. */
static size_t find_condition(const json_t *list, const json_t *condition) {
  size_t i = 0;
  while (i < json_array_size(list) &&
         strcmp(rebali_member_text(json_array_get(list, i), "type"), rebali_member_text(condition, "type")) != 0) {
    i++;
  }
  return i;
}

int32_t rebali_conditions_merge(const json_t *tree, json_t *patch, rebal_error *err) {
  json_t *status = rebali_member(patch, "status");
  const json_t *news = rebali_member(status, "conditions");
  const json_t *olds = rebali_member(rebali_member(tree, "status"), "conditions");
  json_t *merged;
  int32_t result = REBAL_OK;
  if (news == NULL || !json_is_array(olds)) {
    return REBAL_OK;
  }
  merged = rebali_copy(olds);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(news); i++) {
    json_t *condition = json_array_get(news, i);
    const size_t at = find_condition(merged, condition);
    json_t *target = at < json_array_size(merged) ? rebali_copy(json_array_get(merged, at)) : json_object();
    int failed;
    result = target != NULL ? rebali_merge(target, condition, err) : rebali_manifest_fail_memory(err);
    failed =
        at < json_array_size(merged) ? json_array_set_new(merged, at, target) : json_array_append_new(merged, target);
    if (result == REBAL_OK && failed) {
      result = rebali_manifest_fail_memory(err);
    }
  }
  if (result == REBAL_OK) {
    return rebali_put(status, "conditions", merged, err);
  }
  json_decref(merged);
  return result;
}
