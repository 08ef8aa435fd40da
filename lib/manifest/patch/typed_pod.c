/* SPDX-License-Identifier: MIT */
/* Reduces a patched pod to what an API server keeps: it is read and written by its types. */
#include "manifest/spread/kruise.h"

/* Returns 1 if a value has neither null members nor directives at any depth. */
static int is_typed(const json_t *value) {
  json_t *walked = (json_t *)(uintptr_t)value, *member; /* jansson's iterators take no const */
  const char *key;
  for (size_t i = 0; i < json_array_size(value); i++) {
    if (!is_typed(json_array_get(value, i))) {
      return 0;
    }
  }
  json_object_foreach(walked, key, member) {
    if (json_is_null(member) || *key == '$' || !is_typed(member)) {
      return 0;
    }
  }
  return 1;
}

json_t *rebali_typed(const json_t *value) {
  json_t *walked = (json_t *)(uintptr_t)value, *member, *copy;
  const char *key;
  int failed = 0;
  if (is_typed(value)) {
    return json_incref(walked);
  }
  copy = json_is_array(value) ? json_array() : json_object();
  for (size_t i = 0; !failed && i < json_array_size(value); i++) {
    failed = json_array_append_new(copy, rebali_typed(json_array_get(value, i)));
  }
  json_object_foreach(walked, key, member) {
    if (!failed && !json_is_null(member) && *key != '$') {
      failed = json_object_set_new_nocheck(copy, key, rebali_typed(member));
    }
  }
  if (failed) {
    json_decref(copy);
    return NULL;
  }
  return copy;
}
