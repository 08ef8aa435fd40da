/* SPDX-License-Identifier: MIT */
/*
 * Merges conditions of a status, which belong to several writers and are identified by type, and maps that are
 * replaced.
 */
#include "manifest/validate/checks.h"

#include <string.h>

/* Returns the index of the item with the same text in its key member, or the size of the list. */
static size_t find_item(const json_t *list, const json_t *item, const char *key) {
  size_t i = 0;
  while (i < json_array_size(list) &&
         strcmp(rebali_member_text(json_array_get(list, i), key), rebali_member_text(item, key)) != 0) {
    i++;
  }
  return i;
}

static int32_t merge_conditions(const json_t *olds, json_t *map, rebal_error *err);

/* Merges one new item into the list. */
static int32_t merge_item(json_t *list, json_t *item, const char *key, rebal_error *err) {
  const size_t at = find_item(list, item, key), n = json_array_size(list);
  const json_t *there = json_array_get(list, at);
  json_t *target = at < n ? rebali_copy(there) : json_object();
  int32_t result = target != NULL ? merge_conditions(there, item, err) : rebali_fail_memory(err);
  int failed;
  if (result == REBAL_OK) {
    result = rebali_merge(target, item, err);
  }
  failed = at < n ? json_array_set_new(list, at, target) : json_array_append_new(list, target);
  return result == REBAL_OK && failed ? rebali_fail_memory(err) : result;
}

/* Replaces the new list by the old one with the new items merged into it. */
static int32_t merge_list(const json_t *olds, json_t *map, const char *member, const char *key, rebal_error *err) {
  const json_t *news = rebali_member(map, member);
  json_t *merged;
  int32_t result;
  if (news == NULL || !json_is_array(olds)) {
    return REBAL_OK;
  }
  merged = rebali_copy(olds);
  result = merged != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(news); i++) {
    result = merge_item(merged, json_array_get(news, i), key, err);
  }
  if (result == REBAL_OK) {
    return rebali_put(map, member, merged, err);
  }
  json_decref(merged);
  return result;
}

static int32_t merge_conditions(const json_t *olds, json_t *map, rebal_error *err) {
  return merge_list(rebali_member(olds, "conditions"), map, "conditions", "type", err);
}

/* Unsets the names of the old map that the new one lacks. */
static int32_t unset_missing(const json_t *olds, json_t *news, rebal_error *err) {
  const char *name;
  json_t *value;
  int32_t result = REBAL_OK;
  json_object_foreach((json_t *)(uintptr_t)olds, name, value) {
    if (result == REBAL_OK && json_is_object(news) && rebali_member(news, name) == NULL) {
      result = rebali_put(news, name, json_null(), err);
    }
  }
  return result;
}

int32_t rebali_conditions_merge(const struct rebali_action_row *action, const json_t *tree, json_t *patch,
                                rebal_error *err) {
  const json_t *before = rebali_member(tree, "status");
  json_t *status = rebali_member(patch, "status");
  int32_t result = merge_conditions(before, status, err);
  if (result == REBAL_OK && action->payload_object == REBAL_OBJECT_UNITED_STATUS) {
    result = merge_list(rebali_member(before, "subsetStatuses"), status, "subsetStatuses", "name", err);
  }
  if (result == REBAL_OK && (action->replaces & REBAL_REPLACES_OVERALL_USED) != 0) {
    result = unset_missing(rebali_member(before, "overallUsed"), rebali_member(status, "overallUsed"), err);
  }
  return result;
}
