/* SPDX-License-Identifier: MIT */
/* Kinds of workloads that are not built in: the white list of the ConfigMap kruise-configuration. */
#include "manifest/spread/kruise.h"

#include <string.h>

static const char *const kind_members[] = {"Group", "Version", "Kind", "replicasPath"};

static int32_t refuse(const char *name, const char *expected, rebal_error *err) {
  return rebali_fail(err, REBAL_EPARSE, -1, "%s of the white list is not a %s", name, expected);
}

/* Returns a member that is a list, NULL if there is none. */
static int32_t find_list(const json_t *map, const char *name, const json_t **out, rebal_error *err) {
  *out = rebali_folded_member(map, name);
  return *out == NULL || json_is_array(*out) ? REBAL_OK : refuse(name, "list", err);
}

static int32_t read_kind(const json_t *entry, json_t *out, rebal_error *err) {
  int32_t result = out == NULL                                   ? rebali_fail_memory(err)
                   : json_is_null(entry) || rebali_is_map(entry) ? REBAL_OK
                                                                 : refuse("an entry", "map", err);
  for (size_t i = 0; result == REBAL_OK && i < sizeof kind_members / sizeof kind_members[0]; i++) {
    json_t *member = rebali_folded_member(entry, kind_members[i]);
    if (member != NULL) {
      result = json_is_string(member) ? rebali_put(out, kind_members[i], json_incref(member), err)
                                      : refuse(kind_members[i], "text", err);
    }
  }
  return result;
}

/* Reads the entries of a list, and those below them if depth is 1. */
static int32_t read_kinds(const json_t *map, const char *name, int depth, json_t *out, rebal_error *err) {
  const json_t *entries;
  json_t *kinds = json_array();
  int32_t result = find_list(map, name, &entries, err);
  if (result == REBAL_OK) {
    result = kinds != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(entries); i++) {
    const json_t *entry = json_array_get(entries, i);
    json_t *kind = json_object();
    result = read_kind(entry, kind, err);
    if (result == REBAL_OK && depth > 0) {
      result = read_kinds(entry, "subResources", depth - 1, kind, err);
    }
    if (result != REBAL_OK) {
      json_decref(kind);
    } else if (json_array_append_new(kinds, kind) != 0) {
      result = rebali_fail_memory(err);
    }
  }
  if (result != REBAL_OK || json_array_size(kinds) == 0) {
    json_decref(kinds);
    return result;
  }
  return rebali_put(out, name, kinds, err);
}

int32_t rebali_white_list_tree(const char *text, size_t len, json_t **out, rebal_error *err) {
  json_t *read = NULL, *list = json_object();
  int32_t result = list != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK && len > 0) {
    result = rebali_json_text(text, len, &read, err);
  }
  if (result == REBAL_OK && read != NULL && !json_is_null(read) && !rebali_is_map(read)) {
    result = refuse("the text", "map", err);
  }
  if (result == REBAL_OK) {
    result = read_kinds(read, "workloads", 1, list, err);
  }
  json_decref(read);
  if (result != REBAL_OK) {
    json_decref(list);
    return result;
  }
  *out = list;
  return REBAL_OK;
}

/* Returns the text in a ConfigMap, NULL if it is another ConfigMap or has no text; it lives as long as the tree. */
static const json_t *text_in(const json_t *config) {
  const json_t *text = rebali_member(rebali_member(config, "data"), REBALI_WHITE_LIST);
  const char *name = rebali_member_text(rebali_member(config, "metadata"), "name");
  return strcmp(name, "kruise-configuration") == 0 && json_string_length(text) > 0 ? text : NULL;
}

int32_t rebali_white_list_find(rebal_store *store, json_t **out, rebal_error *err) {
  static const char kind[] = "ConfigMap";
  uint32_t object = rebal_store_next(store, kind, sizeof kind - 1, REBAL_NONE);
  for (; object != REBAL_NONE; object = rebal_store_next(store, kind, sizeof kind - 1, object)) {
    json_t *config;
    const json_t *text;
    int32_t result = rebali_store_share(store, object, &config, err);
    if (result != REBAL_OK) {
      return result;
    }
    text = text_in(config);
    if (text != NULL) {
      result = rebali_white_list_tree(json_string_value(text), json_string_length(text), out, err);
    }
    json_decref(config);
    if (text != NULL) {
      return result;
    }
  }
  return rebali_white_list_tree("", 0, out, err);
}
