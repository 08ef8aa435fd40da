/* SPDX-License-Identifier: MIT */
/* Objects that a WorkloadSpread depends on: its workload, other WorkloadSpreads, the white list of kinds. */
#include "manifest/spread/kruise.h"
#include "manifest/validate/validate.h"

#include <string.h>

int rebali_group_of(const char *api_version, char *group) {
  const char *slash = strchr(api_version, '/');
  const size_t len = slash != NULL ? (size_t)(slash - api_version) : 0;
  group[0] = '\0';
  if (len >= REBALI_GROUP_SIZE || (slash != NULL && strchr(slash + 1, '/') != NULL)) {
    return 0;
  }
  memcpy(group, api_version, len);
  group[len] = '\0';
  return 1;
}

int32_t rebali_beside_open(struct rebali_beside *beside, int is_whole, rebal_error *err) {
  *beside = (struct rebali_beside){json_object(), json_object(), json_object(), NULL, 0, is_whole};
  return beside->workloads != NULL && beside->spreads != NULL && beside->targets != NULL ? REBAL_OK
                                                                                         : rebali_fail_memory(err);
}

void rebali_beside_close(struct rebali_beside *beside) {
  json_decref(beside->workloads);
  json_decref(beside->spreads);
  json_decref(beside->targets);
  json_decref(beside->white_list);
}

/* ---- keys ---- */

static const char *namespace_of(const json_t *tree) {
  const char *name = rebali_member_text(rebali_member(tree, "metadata"), "namespace");
  return name[0] != '\0' ? name : REBALI_DEFAULT_NAMESPACE;
}

static const char *name_of(const json_t *tree) {
  return rebali_member_text(rebali_member(tree, "metadata"), "name");
}

/* Builds a key of four texts; no valid one holds a line break. NULL without memory. */
static const char *key_of(struct rebali_buffer *key, const char *kind, const char *group, const char *namespace_,
                          const char *name) {
  const char *const parts[] = {kind, group, namespace_, name};
  rebali_buffer_clear(key);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    rebali_buffer_text(key, parts[i]);
    rebali_buffer_text(key, "\n");
  }
  return key->failed ? NULL : key->bytes;
}

/* NULL: without memory, or no targetRef. An invalid group counts as empty. */
static const char *target_key(struct rebali_buffer *key, const json_t *spread) {
  const json_t *target = rebali_member(rebali_member(spread, "spec"), "targetRef");
  char group[REBALI_GROUP_SIZE];
  if (target == NULL) {
    return NULL;
  }
  (void)rebali_group_of(rebali_member_text(target, "apiVersion"), group);
  return key_of(key, rebali_member_text(target, "kind"), group, namespace_of(spread),
                rebali_member_text(target, "name"));
}

/* ---- adding ---- */

static int32_t add_spread(struct rebali_beside *beside, const json_t *tree, rebal_error *err) {
  struct rebali_buffer output = REBALI_BUFFER;
  const char *key = target_key(&output, tree);
  json_t *names = key != NULL ? json_object_get(beside->spreads, key) : NULL;
  int32_t result = output.failed ? rebali_fail_memory(err) : REBAL_OK;
  if (key != NULL && names == NULL) {
    names = json_array();
    result = rebali_put(beside->spreads, key, names, err);
  }
  if (result == REBAL_OK && key != NULL && json_array_append_new(names, json_string_nocheck(name_of(tree))) != 0) {
    result = rebali_fail_memory(err);
  }
  if (result == REBAL_OK && key != NULL) {
    const json_t *target = rebali_member(rebali_member(tree, "spec"), "targetRef");
    key =
        key_of(&output, rebali_member_text(target, "kind"), "", namespace_of(tree), rebali_member_text(target, "name"));
    result = key != NULL ? rebali_put(beside->targets, key, json_true(), err) : rebali_fail_memory(err);
  }
  rebali_buffer_dispose(&output);
  return result;
}

static int32_t add_workload(struct rebali_beside *beside, json_t *tree, rebal_error *err) {
  struct rebali_buffer output = REBALI_BUFFER;
  char group[REBALI_GROUP_SIZE];
  int32_t result = REBAL_OK;
  if (rebali_group_of(rebali_member_text(tree, "apiVersion"), group)) {
    const char *key = key_of(&output, rebali_member_text(tree, "kind"), group, namespace_of(tree), name_of(tree));
    if (key == NULL || json_object_get(beside->workloads, key) == NULL) {
      result = key == NULL ? rebali_fail_memory(err) : rebali_put(beside->workloads, key, json_incref(tree), err);
    }
  }
  rebali_buffer_dispose(&output);
  return result;
}

/* Makes the entries of a white list members by group and kind; the first of each is used. */
static int32_t fill_white_list(json_t *members, const json_t *list, rebal_error *err) {
  const json_t *entries = rebali_member(list, "workloads");
  struct rebali_buffer output = REBALI_BUFFER;
  int32_t result = members != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(entries); i++) {
    const json_t *entry = json_array_get(entries, i);
    const char *key = key_of(&output, rebali_member_text(entry, "Kind"), rebali_member_text(entry, "Group"), "", "");
    if (key == NULL) {
      result = rebali_fail_memory(err);
    } else if (json_object_get(members, key) == NULL) {
      result = rebali_put(members, key, json_string_nocheck(rebali_member_text(entry, "replicasPath")), err);
    }
  }
  rebali_buffer_dispose(&output);
  return result;
}

/* The first ConfigMap that has one is used. */
static int32_t add_white_list(struct rebali_beside *beside, const json_t *tree, rebal_error *err) {
  const json_t *text = rebali_member(rebali_member(tree, "data"), REBALI_WHITE_LIST);
  json_t *list = NULL;
  int32_t result;
  if (beside->white_list != NULL || strcmp(name_of(tree), "kruise-configuration") != 0 ||
      json_string_length(text) == 0) {
    return REBAL_OK;
  }
  result = rebali_white_list_tree(json_string_value(text), json_string_length(text), &list, NULL);
  if (result == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  beside->is_unreadable = result != REBAL_OK;
  beside->white_list = json_object();
  result = fill_white_list(beside->white_list, list, err);
  json_decref(list);
  return result;
}

static int is_workload(const char *kind) {
  return rebali_is_listed(kind, "CloneSet Deployment ReplicaSet Job StatefulSet");
}

int32_t rebali_beside_add(struct rebali_beside *beside, json_t *tree, rebal_error *err) {
  const char *kind = rebali_member_text(tree, "kind");
  if (rebali_is_spread(tree)) {
    return rebali_kind_of(tree) != NULL ? add_spread(beside, tree, err) : REBAL_OK;
  }
  if (is_workload(kind)) {
    return add_workload(beside, tree, err);
  }
  return strcmp(kind, "ConfigMap") == 0 ? add_white_list(beside, tree, err) : REBAL_OK;
}

int32_t rebali_beside_note(struct rebali_beside *beside, json_t *tree, int is_second, rebal_error *err) {
  struct rebali_buffer output = REBALI_BUFFER;
  const char *kind = rebali_member_text(tree, "kind"), *key;
  int32_t result = REBAL_OK;
  if (is_workload(kind) != is_second) {
    return REBAL_OK;
  }
  if (!is_second) {
    return rebali_beside_add(beside, tree, err);
  }
  key = key_of(&output, kind, "", namespace_of(tree), name_of(tree));
  if (key == NULL) {
    result = rebali_fail_memory(err);
  } else if (json_object_get(beside->targets, key) != NULL) {
    result = rebali_beside_add(beside, tree, err);
  }
  rebali_buffer_dispose(&output);
  return result;
}

/* ---- queries: without memory nothing is found ---- */

const json_t *rebali_beside_workload(const struct rebali_beside *beside, const char *kind, const char *group,
                                     const char *namespace_, const char *name) {
  struct rebali_buffer output = REBALI_BUFFER;
  const char *key = key_of(&output, kind, group, namespace_[0] != '\0' ? namespace_ : REBALI_DEFAULT_NAMESPACE, name);
  const json_t *found = key != NULL ? json_object_get(beside->workloads, key) : NULL;
  rebali_buffer_dispose(&output);
  return found;
}

const char *rebali_beside_rival(const struct rebali_beside *beside, const json_t *spread) {
  struct rebali_buffer output = REBALI_BUFFER;
  const char *key = target_key(&output, spread);
  const json_t *names = key != NULL ? json_object_get(beside->spreads, key) : NULL;
  const char *found = NULL;
  for (size_t i = 0; found == NULL && i < json_array_size(names); i++) {
    const char *name = json_string_value(json_array_get(names, i));
    found = strcmp(name, name_of(spread)) != 0 ? name : NULL;
  }
  rebali_buffer_dispose(&output);
  return found;
}

const char *rebali_beside_path(const struct rebali_beside *beside, const char *api_version, const char *kind) {
  struct rebali_buffer output = REBALI_BUFFER;
  char group[REBALI_GROUP_SIZE];
  const char *key = rebali_group_of(api_version, group) ? key_of(&output, kind, group, "", "") : NULL;
  const char *path = key != NULL ? json_string_value(json_object_get(beside->white_list, key)) : NULL;
  rebali_buffer_dispose(&output);
  return path;
}
