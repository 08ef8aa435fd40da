/* SPDX-License-Identifier: MIT */
/* Reads values in documents in place. */
#include "manifest/patch/document.h"

#include <string.h>

/* A plain key is looked up; longer or quoted keys are compared with every key. */
#define KEY_MAX 63

/* jansson's functions take no const. */
static json_t *tree_of(const rebal_value *value) {
  return (json_t *)(uintptr_t)value;
}

static const rebal_value *value_of(const json_t *tree) {
  return (const rebal_value *)rebali_present(tree);
}

/* Returns the list item of a step such as [12], and the length of the step. */
static const json_t *step_into_list(const json_t *list, const char *path, size_t *len) {
  const size_t digits = strspn(path + 1, "0123456789");
  size_t index = 0;
  *len = digits + 2;
  if (path[0] != '[' || digits == 0 || digits > 9 || path[digits + 1] != ']') {
    return NULL;
  }
  for (size_t i = 1; i <= digits; i++) {
    index = index * 10 + (size_t)(path[i] - '0');
  }
  return rebali_present(json_array_get(list, index));
}

/* Returns the length of the plain key at the start of a step; 0 if it is not plain. */
static size_t plain_key(const char *path, int is_first, char *key) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-0123456789";
  const size_t dot = path[0] == '.' && !is_first, len = strspn(path + dot, letters);
  if (len == 0 || len > KEY_MAX || (path[dot + len] != '\0' && strchr(".[", path[dot + len]) == NULL)) {
    return 0;
  }
  memcpy(key, path + dot, len);
  key[len] = '\0';
  return dot + len;
}

static const json_t *step_into_map(const json_t *map, const char *path, int is_first, size_t *len) {
  char plain[KEY_MAX + 1];
  const char *key;
  json_t *value;
  *len = plain_key(path, is_first, plain);
  if (*len > 0 && rebali_path_match_key(path, is_first, plain) == *len) {
    return rebali_present(json_object_get(map, plain));
  }
  json_object_foreach((json_t *)(uintptr_t)map, key, value) {
    *len = rebali_path_match_key(path, is_first, key);
    if (*len > 0) {
      return rebali_present(value);
    }
  }
  return NULL;
}

const json_t *rebali_value_at(const json_t *value, const char *path) {
  int is_first = 1;
  while (value != NULL && *path != '\0') {
    size_t len = 0;
    if (json_is_array(value)) {
      value = step_into_list(value, path, &len);
    } else {
      value = rebali_is_map(value) ? step_into_map(value, path, is_first, &len) : NULL;
    }
    path += value != NULL ? len : 0;
    is_first = 0;
  }
  return value;
}

int32_t rebal_store_document(const rebal_store *store, uint32_t object, rebal_document **out, rebal_error *err) {
  json_t *tree;
  int32_t result;
  if (store == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and out are needed");
  }
  if (!rebali_store_has(store, object)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  }
  /* Cached trees are not part of the store's contents. */
  result = rebali_store_share((rebal_store *)(uintptr_t)store, object, &tree, err);
  return result == REBAL_OK ? rebali_document_new(tree, out, err) : result;
}

const rebal_value *rebal_document_value(const rebal_document *document, const char *path) {
  return document != NULL && path != NULL ? value_of(rebali_value_at(document->tree, path)) : NULL;
}

uint32_t rebal_value_kind(const rebal_value *value) {
  const json_t *tree = tree_of(value);
  return tree == NULL            ? REBAL_VALUE_KIND_NONE
         : json_is_string(tree)  ? REBAL_VALUE_KIND_TEXT
         : json_is_array(tree)   ? REBAL_VALUE_KIND_LIST
         : json_is_boolean(tree) ? REBAL_VALUE_KIND_BOOLEAN
         : rebali_is_map(tree)   ? REBAL_VALUE_KIND_MAP
                                 : REBAL_VALUE_KIND_NUMBER;
}

size_t rebal_value_count(const rebal_value *value) {
  const uint32_t kind = rebal_value_kind(value);
  return kind == REBAL_VALUE_KIND_MAP    ? json_object_size(tree_of(value))
         : kind == REBAL_VALUE_KIND_LIST ? json_array_size(tree_of(value))
                                         : 0;
}

const rebal_value *rebal_value_member(const rebal_value *map, const char *key) {
  return map != NULL && key != NULL && rebali_is_map(tree_of(map)) ? value_of(json_object_get(tree_of(map), key))
                                                                   : NULL;
}

const char *rebal_value_next_key(const rebal_value *map, const char *previous) {
  void *member;
  if (rebal_value_kind(map) != REBAL_VALUE_KIND_MAP) {
    return NULL;
  }
  member = previous == NULL ? json_object_iter(tree_of(map))
                            : json_object_iter_next(tree_of(map), json_object_iter_at(tree_of(map), previous));
  return json_object_iter_key(member);
}

const rebal_value *rebal_value_item(const rebal_value *list, size_t i) {
  return value_of(json_array_get(tree_of(list), i));
}

const char *rebal_value_text(const rebal_value *value, size_t *len) {
  const char *text = json_string_value(tree_of(value));
  if (len != NULL) {
    *len = text != NULL ? json_string_length(tree_of(value)) : 0;
  }
  return text != NULL ? text : "";
}

int32_t rebal_value_integer(const rebal_value *value, int64_t *out) {
  const json_t *tree = tree_of(value);
  if (out == NULL || (!json_is_integer(tree) && !json_is_boolean(tree))) {
    return 0;
  }
  *out = json_is_integer(tree) ? (int64_t)json_integer_value(tree) : json_is_true(tree);
  return 1;
}

int32_t rebali_value_append(const json_t *value, rebal_text *out, rebal_error *err) {
  return json_is_string(value) ? rebal_text_append(out, json_string_value(value), json_string_length(value), err)
                               : rebali_tree_write(value, REBAL_TEXT_FORMAT_JSON, out, err);
}

int32_t rebal_value_write(const rebal_value *value, rebal_text *out, rebal_error *err) {
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  return value != NULL ? rebali_value_append(tree_of(value), out, err) : REBAL_OK;
}
