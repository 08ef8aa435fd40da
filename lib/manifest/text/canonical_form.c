/* SPDX-License-Identifier: MIT */
/* The canonical form of documents. */
#include "manifest/validate/checks.h"

#include <string.h>

static json_t *arrange(const struct rebali_shape *shape, const json_t *tree);

static json_t *arrange_list(const struct rebali_shape *shape, const json_t *list) {
  json_t *copy = json_array();
  for (size_t i = 0; copy != NULL && i < json_array_size(list); i++) {
    if (json_array_append_new(copy, arrange(shape, json_array_get(list, i))) != 0) {
      json_decref(copy);
      return NULL;
    }
  }
  return copy;
}

/* Returns a new reference to a member's value in canonical form. */
static json_t *arrange_value(const struct rebali_object_member *member, json_t *value) {
  if (member != NULL && member->child != NULL && json_is_array(value)) {
    return arrange_list(member->child, value);
  }
  return member != NULL && member->child != NULL ? arrange(member->child, value) : json_incref(value);
}

static int put_arranged(json_t *copy, const struct rebali_object_member *member, const char *key, json_t *value) {
  return json_object_set_new_nocheck(copy, key, arrange_value(member, value));
}

static json_t *arrange(const struct rebali_shape *shape, const json_t *tree) {
  json_t *copy, *value;
  const char *key;
  int failed = 0;
  if (!rebali_is_map(tree)) {
    return json_incref((json_t *)(uintptr_t)tree);
  }
  copy = json_object();
  for (size_t i = 0; i < shape->n; i++) {
    value = json_object_get(tree, shape->members[i].name);
    failed |= value != NULL && put_arranged(copy, &shape->members[i], shape->members[i].name, value) != 0;
  }
  json_object_foreach((json_t *)(uintptr_t)tree, key, value) {
    failed |= rebali_shape_member(shape, key) == NULL && put_arranged(copy, NULL, key, value) != 0;
  }
  if (failed) {
    json_decref(copy);
    return NULL;
  }
  return copy;
}

static json_t *arrange_object(const json_t *tree) {
  const struct rebali_kind *kind = rebali_kind_of(tree);
  return arrange(kind != NULL ? kind->shape : &rebali_shapes[REBALI_SHAPE_COMMON_OBJECT], tree);
}

json_t *rebali_canonical_item(const json_t *list, json_t *item) {
  json_t *whole = rebali_is_map(item) ? rebali_copy(item) : NULL;
  const struct rebali_kind *kind;
  if (!rebali_is_map(item)) {
    return json_incref(item);
  }
  if (whole == NULL || rebali_list_complete(list, whole, NULL) != REBAL_OK) {
    json_decref(whole);
    return NULL;
  }
  kind = rebali_kind_of(whole);
  json_decref(whole);
  return arrange(kind != NULL ? kind->shape : &rebali_shapes[REBALI_SHAPE_COMMON_OBJECT], item);
}

json_t *rebali_canonical(const json_t *tree) {
  json_t *copy = arrange_object(tree), *items;
  const json_t *given = rebali_is_map(tree) && rebali_is_list(tree) ? rebali_member(tree, "items") : NULL;
  if (copy == NULL || !json_is_array(given)) {
    return copy;
  }
  items = json_array();
  for (size_t i = 0; i < json_array_size(given); i++) {
    if (json_array_append_new(items, rebali_canonical_item(tree, json_array_get(given, i))) != 0) {
      json_decref(items);
      items = NULL;
    }
  }
  if (json_object_set_new_nocheck(copy, "items", items) != 0) {
    json_decref(copy);
    return NULL;
  }
  return copy;
}
