/* SPDX-License-Identifier: MIT */
/* JSON patches (RFC 6902), applied to trees. */
#include "manifest/validate/checks.h"

#include <stdlib.h>
#include <string.h>

struct patch {
  json_t *tree; /* a private copy, changed below */
  const struct rebali_limits *limits;
  size_t copied; /* nodes added by operations */
  const json_t *operation;
  size_t index; /* of the operation */
  rebal_error *err;
};

static int32_t refuse(const struct patch *patch, int32_t code, const char *why) {
  return rebali_fail(patch->err, code, -1, "operation %zu: %s", patch->index, why);
}

/* ---- pointers (RFC 6901) ---- */

/* The target of a pointer: the parent's member or item; parent NULL: the whole tree. */
struct place {
  json_t *parent;
  char *key;    /* of a map */
  size_t index; /* of a list */
  size_t depth; /* of the value below the root */
};

/* Unescapes ~0 and ~1 in the step at text, len bytes long; returns 0 for another "~". */
static int unescape(const char *text, size_t len, char *out) {
  for (size_t i = 0; i < len; i++) {
    if (text[i] == '~') {
      i++;
      if (i == len || (text[i] != '0' && text[i] != '1')) {
        return 0;
      }
      *out++ = text[i] == '0' ? '~' : '/';
    } else {
      *out++ = text[i];
    }
  }
  *out = '\0';
  return 1;
}

/* "-" is the end of the list; leading zeros are refused. */
static int read_index(const char *key, size_t size, size_t *out) {
  size_t index = 0;
  if (strcmp(key, "-") == 0) {
    *out = size;
    return 1;
  }
  if (key[0] == '\0' || (key[0] == '0' && key[1] != '\0') || strlen(key) > 9) {
    return 0;
  }
  for (; *key != '\0'; key++) {
    if (*key < '0' || *key > '9') {
      return 0;
    }
    index = index * 10 + (size_t)(*key - '0');
  }
  *out = index;
  return index <= size;
}

/*
 * Returns the value of a step below value, place->parent; NULL if there is none. *is_parent: 1 if one could be added.
 */
static json_t *take_step(json_t *value, struct place *place, int *is_parent) {
  place->parent = value;
  place->depth++;
  *is_parent = 1;
  if (rebali_is_map(value)) {
    return json_object_get(value, place->key);
  }
  *is_parent = json_is_array(value) && read_index(place->key, json_array_size(value), &place->index);
  return *is_parent ? json_array_get(value, place->index) : NULL;
}

/*
 * place->key is allocated for the longest step and must be freed whatever the result. *value is NULL if the last step
 * leads to nothing yet.
 */
static int32_t find_place(const struct patch *patch, const char *pointer, struct place *place, json_t **value) {
  *place = (struct place){NULL, malloc(strlen(pointer) + 1), 0, 0};
  *value = patch->tree;
  if (place->key == NULL) {
    return rebali_fail_memory(patch->err);
  }
  while (*pointer != '\0') {
    const size_t len = strcspn(pointer + 1, "/");
    int is_parent;
    if (*pointer != '/' || !unescape(pointer + 1, len, place->key)) {
      return refuse(patch, REBAL_EPARSE, "a path begins with / and has no ~ but ~0 and ~1");
    }
    if (strcmp(place->key, REBALI_NUMBER_KEY) == 0) { /* no reader accepts this key, and it would print any text */
      return refuse(patch, REBAL_EINVAL, "the key \"\\u0001\" is reserved");
    }
    pointer += len + 1;
    *value = take_step(*value, place, &is_parent);
    if (!is_parent || (*value == NULL && *pointer != '\0')) {
      return refuse(patch, REBAL_EINVAL, "its path leads nowhere");
    }
  }
  return REBAL_OK;
}

/* ---- values ---- */

/* Counts the nodes of a value and the depth they would have. */
static int32_t measure(struct patch *patch, const json_t *value, size_t depth) {
  const char *key;
  json_t *member;
  int32_t result = REBAL_OK;
  if (++patch->copied > patch->limits->aliases || depth > patch->limits->depth) {
    return refuse(patch, REBAL_ELIMIT, "the object becomes too large or too deep");
  }
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(value); i++) {
    result = measure(patch, json_array_get(value, i), depth + 1);
  }
  json_object_foreach((json_t *)(uintptr_t)value, key, member) {
    if (result == REBAL_OK) {
      result = measure(patch, member, depth + 1);
    }
  }
  return result;
}

/* Puts a copy of a value in a place; is_new: inserts into lists, else replaces the value. */
static int32_t put(struct patch *patch, const struct place *place, const json_t *value, int is_new) {
  int32_t result = measure(patch, value, place->depth + 1);
  json_t *copy = result == REBAL_OK ? json_deep_copy(value) : NULL;
  int failed;
  if (result != REBAL_OK) {
    return result;
  }
  if (copy == NULL) {
    return rebali_fail_memory(patch->err);
  }
  if (place->parent == NULL) {
    json_decref(patch->tree);
    patch->tree = copy;
    return REBAL_OK;
  }
  if (json_is_object(place->parent)) {
    failed = json_object_set_new_nocheck(place->parent, place->key, copy);
  } else if (is_new) {
    failed = json_array_insert_new(place->parent, place->index, copy);
  } else {
    failed = json_array_set_new(place->parent, place->index, copy);
  }
  return failed ? rebali_fail_memory(patch->err) : REBAL_OK;
}

static int32_t take_out(const struct patch *patch, const struct place *place) {
  if (place->parent == NULL) {
    return refuse(patch, REBAL_EINVAL, "the whole object cannot be removed");
  }
  if (json_is_object(place->parent)) {
    (void)json_object_del(place->parent, place->key);
  } else {
    (void)json_array_remove(place->parent, place->index);
  }
  return REBAL_OK;
}

/* ---- operations ---- */

enum kind { ADD, REMOVE, REPLACE, MOVE, COPY, TEST, KINDS };

static const char *const names[KINDS] = {"add", "remove", "replace", "move", "copy", "test"};

/* Returns a member of the operation that must be a text; NULL if it is not. */
static const char *text_of(const struct patch *patch, const char *member) {
  return json_string_value(json_object_get(patch->operation, member));
}

static int32_t act(struct patch *patch, enum kind kind, const struct place *place, const json_t *there,
                   const json_t *value) {
  if (kind != ADD && kind != MOVE && kind != COPY && there == NULL) {
    return refuse(patch, kind == TEST ? REBAL_EMISMATCH : REBAL_EINVAL, "its path leads nowhere");
  }
  switch (kind) {
    case REMOVE:
      return take_out(patch, place);
    case REPLACE:
      return put(patch, place, value, 0);
    case TEST:
      return json_equal(there, value) ? REBAL_OK : refuse(patch, REBAL_EMISMATCH, "the value differs");
    default:
      return put(patch, place, value, 1);
  }
}

/* value: from the operation, or from its source. */
static int32_t act_at(struct patch *patch, enum kind kind, const json_t *value) {
  struct place place;
  json_t *there;
  int32_t result = find_place(patch, text_of(patch, "path"), &place, &there);
  if (result == REBAL_OK) {
    result = act(patch, kind, &place, there, value);
  }
  free(place.key);
  return result;
}

/* Carries out move and copy. */
static int32_t act_from(struct patch *patch, enum kind kind) {
  const char *from = text_of(patch, "from"), *path = text_of(patch, "path");
  const size_t len = from != NULL ? strlen(from) : 0;
  struct place place;
  json_t *value;
  int32_t result;
  if (from == NULL) {
    return refuse(patch, REBAL_EPARSE, "\"from\" is missing");
  }
  if (kind == MOVE && strncmp(path, from, len) == 0 && (path[len] == '/' || len == 0)) {
    return refuse(patch, REBAL_EINVAL, "nothing moves into itself");
  }
  result = find_place(patch, from, &place, &value);
  if (result == REBAL_OK && value == NULL) {
    result = refuse(patch, REBAL_EINVAL, "\"from\" leads nowhere");
  }
  if (result != REBAL_OK || (kind == MOVE && strcmp(path, from) == 0)) { /* already in place */
    free(place.key);
    return result;
  }
  value = json_incref(value);
  if (kind == MOVE) {
    result = take_out(patch, &place);
  }
  free(place.key);
  if (result == REBAL_OK) {
    result = act_at(patch, kind, value);
  }
  json_decref(value);
  return result;
}

static int32_t carry_out(struct patch *patch) {
  const char *name = text_of(patch, "op");
  const json_t *value = json_object_get(patch->operation, "value");
  unsigned kind = 0;
  while (name != NULL && kind < KINDS && strcmp(names[kind], name) != 0) {
    kind++;
  }
  if (!rebali_is_map(patch->operation) || name == NULL || kind == KINDS) {
    return refuse(patch, REBAL_EPARSE, "\"op\" is none of add, remove, replace, move, copy, test");
  }
  if (text_of(patch, "path") == NULL) {
    return refuse(patch, REBAL_EPARSE, "\"path\" is missing");
  }
  if (kind == MOVE || kind == COPY) {
    return act_from(patch, (enum kind)kind);
  }
  if (kind != REMOVE && value == NULL) {
    return refuse(patch, REBAL_EPARSE, "\"value\" is missing");
  }
  return act_at(patch, (enum kind)kind, value);
}

int32_t rebali_json_patch(json_t **tree, const json_t *operations, const struct rebali_limits *limits,
                          rebal_error *err) {
  struct patch patch = {*tree, limits, 0, NULL, 0, err};
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(operations); i++) {
    patch.operation = json_array_get(operations, i);
    patch.index = i;
    result = carry_out(&patch);
  }
  *tree = patch.tree;
  return result;
}
