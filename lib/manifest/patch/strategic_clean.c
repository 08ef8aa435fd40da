/* SPDX-License-Identifier: MIT */
/*
 * Cleans values of a patch that have no counterpart in the original of what only directs the merge
 * (rebalance-workloadspread(7) 9.3).
 */
#include "manifest/patch/strategic.h"

static int is_left_out(const json_t *value, int without_nulls) {
  return (without_nulls && json_is_null(value)) || json_object_get(value, REBALI_DIRECTIVE) != NULL;
}

/* Returns 1 if nothing at or below a value is omitted. Only null members of maps are; a list keeps its nulls. */
static int is_clean(const json_t *value, int without_nulls) {
  json_t *walked = (json_t *)(uintptr_t)value, *member; /* jansson's iterators take no const */
  const char *key;
  for (size_t i = 0; i < json_array_size(value); i++) {
    const json_t *item = json_array_get(value, i);
    if (is_left_out(item, 0) || !is_clean(item, without_nulls)) {
      return 0;
    }
  }
  json_object_foreach(walked, key, member) {
    if (is_left_out(member, without_nulls) || !is_clean(member, without_nulls)) {
      return 0;
    }
  }
  return 1;
}

/* The value itself must not be one to omit; NULL without memory. */
static json_t *cleaned(const json_t *value, int without_nulls) {
  json_t *walked = (json_t *)(uintptr_t)value, *member, *copy;
  const char *key;
  int failed = 0;
  if (is_clean(value, without_nulls)) {
    return json_incref(walked);
  }
  copy = json_is_array(value) ? json_array() : json_object();
  for (size_t i = 0; !failed && i < json_array_size(value); i++) {
    if (!is_left_out(json_array_get(value, i), 0)) {
      failed = json_array_append_new(copy, cleaned(json_array_get(value, i), without_nulls));
    }
  }
  json_object_foreach(walked, key, member) {
    if (!failed && !is_left_out(member, without_nulls)) {
      failed = json_object_set_new_nocheck(copy, key, cleaned(member, without_nulls));
    }
  }
  if (failed) {
    json_decref(copy);
    return NULL;
  }
  return copy;
}

static int32_t clean(const json_t *value, int without_nulls, json_t **out, rebal_error *err) {
  *out = NULL;
  if (is_left_out(value, without_nulls)) {
    return REBAL_OK;
  }
  *out = cleaned(value, without_nulls);
  return *out != NULL ? REBAL_OK : rebali_fail_memory(err);
}

int32_t rebali_strategic_clean(const json_t *value, json_t **out, rebal_error *err) {
  return clean(value, 1, out, err);
}

int32_t rebali_strategic_strip(const json_t *value, json_t **out, rebal_error *err) {
  return clean(value, 0, out, err);
}
