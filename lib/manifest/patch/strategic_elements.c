/* SPDX-License-Identifier: MIT */
/* Elements of lists with their keys, and lists of elements. */
#include "manifest/patch/strategic.h"

#include <stdlib.h>

int32_t rebali_element_key(struct rebali_element *element, const char *key, const struct rebali_path *path,
                           rebal_error *err) {
  const enum rebali_value_type type = rebali_value_type(element->value);
  element->key = element->value;
  if (key != NULL && type != REBALI_VALUE_MAP) {
    return rebali_refuse_type("map[string]interface {}", element->value, path, err);
  }
  if (key != NULL) {
    element->key = json_object_get(element->value, key);
  }
  if (element->key == NULL) {
    return rebali_refuse_map(element->value, key, path, err);
  }
  if (json_is_array(element->key) || rebali_is_map(element->key)) {
    return key != NULL ? rebali_refuse(path, err, "the merge key %s is not a scalar", key)
                       : rebali_refuse(path, err, "cannot merge lists without merge key for string");
  }
  return REBAL_OK;
}

int32_t rebali_elements_load(const json_t *list, const char *key, const struct rebali_path *path,
                             struct rebali_elements *out, rebal_error *err) {
  const size_t n = json_array_size(list);
  int32_t result = REBAL_OK;
  out->n = 0;
  out->at = n < SIZE_MAX / sizeof *out->at ? malloc((n > 0 ? n : 1) * sizeof *out->at) : NULL;
  if (out->at == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    const struct rebali_path at = rebali_path_index(path, i);
    out->at[i] = (struct rebali_element){json_array_get(list, i), NULL, i};
    result = rebali_element_key(&out->at[i], key, &at, err);
    out->n = i + 1;
  }
  return result;
}

static int32_t check_types(const json_t *list, const json_t *left, const json_t *right, const struct rebali_path *path,
                           enum rebali_value_type *type, rebal_error *err) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const enum rebali_value_type found = rebali_value_type(json_array_get(list, i));
    if (found == REBALI_VALUE_LIST && *type == REBALI_VALUE_NULL) {
      return rebali_refuse(path, err, "lists of lists are not supported");
    }
    if (found == REBALI_VALUE_NULL || (*type != REBALI_VALUE_NULL && *type != found)) {
      return rebali_refuse_mixture(left, right, path, err);
    }
    *type = found;
  }
  return REBAL_OK;
}

int32_t rebali_list_type(const json_t *left, const json_t *right, const struct rebali_path *path,
                         enum rebali_value_type *type, rebal_error *err) {
  int32_t result;
  *type = REBALI_VALUE_NULL;
  result = check_types(left, left, right, path, type, err);
  return result == REBAL_OK ? check_types(right, left, right, path, type, err) : result;
}

static int32_t write_items(const struct rebali_elements *items, json_t **out, rebal_error *err) {
  json_t *list = json_array();
  int failed = list == NULL;
  for (size_t i = 0; !failed && i < items->n; i++) {
    failed = json_array_append(list, items->at[i].value);
  }
  if (failed) {
    json_decref(list);
    return rebali_fail_memory(err);
  }
  *out = list;
  return REBAL_OK;
}

static int is_same(const struct rebali_elements *items, const json_t *list) {
  size_t i = 0;
  if (items->n != json_array_size(list)) {
    return 0;
  }
  while (i < items->n && items->at[i].value == json_array_get(list, i)) {
    i++;
  }
  return i == items->n;
}

int32_t rebali_elements_put(const struct rebali_elements *items, const json_t *list, json_t **out, rebal_error *err) {
  if (list == NULL || !is_same(items, list)) {
    return write_items(items, out, err);
  }
  *out = json_incref((json_t *)(uintptr_t)list);
  return REBAL_OK;
}

/* Keeps the items that are not in an index. */
static void keep_others(struct rebali_elements *items, const struct rebali_index *gone) {
  size_t n = 0;
  for (size_t i = 0; i < items->n; i++) {
    if (rebali_index_find(gone, items->at[i].key, 0) == gone->elements->n) {
      items->at[n++] = items->at[i];
    }
  }
  items->n = n;
}

int32_t rebali_strategic_delete(const json_t *list, const json_t *scalars, const struct rebali_path *path, json_t **out,
                                rebal_error *err) {
  struct rebali_elements gone = {NULL, 0}, items = {NULL, 0};
  struct rebali_index index = {&gone, NULL};
  enum rebali_value_type type;
  int32_t result = rebali_list_type(list, scalars, path, &type, err);
  if (result == REBAL_OK) {
    result = rebali_elements_load(scalars, NULL, path, &gone, err);
  }
  if (result == REBAL_OK) {
    result = rebali_elements_load(list, NULL, path, &items, err);
  }
  if (result == REBAL_OK) {
    result = rebali_index_open(&index, &gone, err);
  }
  if (result == REBAL_OK) {
    keep_others(&items, &index);
    result = rebali_elements_put(&items, list, out, err);
  }
  rebali_index_close(&index);
  free(gone.at);
  free(items.at);
  return result;
}
