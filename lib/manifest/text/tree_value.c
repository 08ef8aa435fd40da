/* SPDX-License-Identifier: MIT */
/* Helpers to read and change trees. */
#include "manifest/manifest.h"

#include <string.h>

int rebali_is_map(const json_t *value) {
  return json_is_object(value) && !rebali_number_is_verbatim(value, NULL);
}

const json_t *rebali_present(const json_t *value) {
  return json_is_null(value) ? NULL : value;
}

json_t *rebali_member(const json_t *value, const char *key) {
  json_t *member = rebali_is_map(value) ? json_object_get(value, key) : NULL;
  return json_is_null(member) ? NULL : member;
}

const char *rebali_member_text(const json_t *value, const char *key) {
  const char *text = json_string_value(rebali_member(value, key));
  return text != NULL ? text : "";
}

const json_t *rebali_find_condition(const json_t *conditions, const char *type, size_t *at) {
  for (*at = 0; *at < json_array_size(conditions); ++*at) {
    const json_t *condition = json_array_get(conditions, *at);
    if (strcmp(rebali_member_text(condition, "type"), type) == 0) {
      return condition;
    }
  }
  return NULL;
}

json_t *rebali_copy(const json_t *value) {
  json_t *copy = json_copy((json_t *)(uintptr_t)value);
  /* jansson omits members that it has no memory for. */
  if (copy != NULL &&
      (json_object_size(copy) != json_object_size(value) || json_array_size(copy) != json_array_size(value))) {
    json_decref(copy);
    return NULL;
  }
  return copy;
}

json_t *rebali_map_at(json_t *map, const char *key) {
  json_t *member = rebali_member(map, key);
  if (rebali_is_map(member)) {
    return member;
  }
  member = json_object();
  return json_object_set_new_nocheck(map, key, member) == 0 ? member : NULL;
}

int32_t rebali_put(json_t *map, const char *key, json_t *value, rebal_error *err) {
  return json_object_set_new_nocheck(map, key, value) == 0 ? REBAL_OK : rebali_fail_memory(err);
}

int32_t rebali_put_text(json_t *map, const char *key, const char *text, rebal_error *err) {
  return rebali_put(map, key, json_string_nocheck(text), err);
}

int32_t rebali_put_time(json_t *map, const char *key, const rebal_time *time, rebal_error *err) {
  /* The API keeps whole seconds. */
  const rebal_time whole = {time->seconds, 0, time->is_set};
  char text[64];
  size_t len;
  const int32_t result = rebali_time_format(&whole, text, sizeof text, &len, err);
  return result == REBAL_OK ? rebali_put_text(map, key, text, err) : result;
}

json_t *rebali_time_value(const rebal_time *time) {
  char text[64];
  size_t len;
  return rebali_time_format(time, text, sizeof text, &len, NULL) == REBAL_OK ? json_stringn_nocheck(text, len) : NULL;
}

static int is_folded(const char *left, const char *right) {
  for (; *left != '\0'; left++, right++) {
    const char lower = *left >= 'A' && *left <= 'Z' ? (char)(*left + ('a' - 'A')) : *left;
    if (lower != (*right >= 'A' && *right <= 'Z' ? (char)(*right + ('a' - 'A')) : *right)) {
      return 0;
    }
  }
  return *right == '\0';
}

json_t *rebali_folded_member(const json_t *value, const char *key) {
  json_t *map = rebali_is_map(value) ? (json_t *)(uintptr_t)value : NULL, *member, *found = NULL;
  const char *name; /* jansson's iterators take no const */
  json_object_foreach(map, name, member) {
    if (!json_is_null(member) && is_folded(name, key)) {
      found = member;
    }
  }
  return found;
}

/* Keeps the steps that the place shares with keys; returns their length in keys, including the dot after them. */
static size_t keep_steps(struct rebali_place *place, const char *keys) {
  size_t step = 0, at = 0;
  while (step < place->n_steps && keys[at] != '\0') {
    const char *key = place->steps[step].key;
    const size_t length = strlen(key);
    if (strncmp(keys + at, key, length) != 0 || (keys[at + length] != '.' && keys[at + length] != '\0')) {
      break;
    }
    at += length + (keys[at + length] == '.');
    step++;
  }
  place->n_steps = step;
  return at;
}

int32_t rebali_walk_on(const json_t *tree, const struct rebali_path *root, const char *keys, struct rebali_place *place,
                       rebal_error *err) {
  const size_t len = strlen(keys);
  size_t at = keep_steps(place, keys);
  size_t step = place->n_steps;
  place->value = step > 0 ? place->values[step - 1] : rebali_present(tree);
  place->path = step > 0 ? &place->steps[step - 1] : root;
  if (len >= sizeof place->keys) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the path is too long");
  }
  memcpy(place->keys + at, keys + at, len + 1 - at);
  for (; at < len; step++) {
    char *key = place->keys + at;
    const size_t length = strcspn(key, ".");
    if (step == REBALI_STEPS) {
      return rebali_fail(err, REBAL_EINVAL, -1, "the path has too many steps");
    }
    if (place->value != NULL && !rebali_is_map(place->value)) {
      return rebali_fail_path(err, REBAL_EPARSE, place->path, "expected a map");
    }
    key[length] = '\0';
    place->steps[step] = rebali_path_key(place->path, key);
    place->path = &place->steps[step];
    place->value = place->value != NULL ? rebali_present(json_object_get(place->value, key)) : NULL;
    place->values[step] = place->value;
    place->n_steps = step + 1;
    at += length + 1;
  }
  return REBAL_OK;
}

int32_t rebali_walk(const json_t *tree, const struct rebali_path *root, const char *keys, struct rebali_place *place,
                    rebal_error *err) {
  place->n_steps = 0;
  return rebali_walk_on(tree, root, keys, place, err);
}
