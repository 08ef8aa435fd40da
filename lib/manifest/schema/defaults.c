/* SPDX-License-Identifier: MIT */
/* Defaults that the API server's admission sets (members.def; rebalance-karmada(7) 1.4). */
#include "manifest/schema/kinds.h"

#include <string.h>

static const struct value {
  enum rebali_shape_id shape;
  const char *name;
  const char *text; /* NULL: the number */
  int64_t number;
  const char *other; /* NULL, or the member whose text must equal wanted */
  const char *wanted;
} defaults[] = {
#define REBALI_TEXT_DEFAULT(shape, name, value, other, wanted) {REBALI_SHAPE_##shape, name, value, 0, other, wanted},
#define REBALI_NUMBER_DEFAULT(shape, name, value, other, wanted) \
  {REBALI_SHAPE_##shape, name, NULL, value, other, wanted},
#include "manifest/schema/members.def"
};

enum { DEFAULTS = sizeof defaults / sizeof defaults[0] };

/* Returns 1 if the map lacks the default's member. */
static int applies(const struct value *value, const json_t *map) {
  const json_t *given = rebali_member(map, value->name);
  if (value->other != NULL && strcmp(rebali_member_text(map, value->other), value->wanted) != 0) {
    return 0;
  }
  if (value->text != NULL) {
    return *rebali_member_text(map, value->name) == '\0';
  }
  return given == NULL ||
         ((rebali_shape_member(&rebali_shapes[value->shape], value->name)->flags & REBALI_POINTER) == 0 &&
          json_integer_value(given) == 0);
}

static const struct value *default_of(enum rebali_shape_id shape, const json_t *map, const char *name) {
  for (size_t i = 0; i < DEFAULTS; i++) {
    if (defaults[i].shape == shape && strcmp(defaults[i].name, name) == 0 && applies(&defaults[i], map)) {
      return &defaults[i];
    }
  }
  return NULL;
}

const char *rebali_text_or_default(enum rebali_shape_id shape, const json_t *map, const char *name) {
  const struct value *value = default_of(shape, map, name);
  return value != NULL ? value->text : rebali_member_text(map, name);
}

int64_t rebali_number_or_default(enum rebali_shape_id shape, const json_t *map, const char *name) {
  const struct value *value = default_of(shape, map, name);
  return value != NULL ? value->number : json_integer_value(rebali_member(map, name));
}

static int32_t fill_map(const struct rebali_shape *shape, json_t *map, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < DEFAULTS; i++) {
    const struct value *value = &defaults[i];
    if (&rebali_shapes[value->shape] == shape && applies(value, map)) {
      result = value->text != NULL ? rebali_put_text(map, value->name, value->text, err)
                                   : rebali_put(map, value->name, json_integer(value->number), err);
    }
  }
  return result;
}

/* Recursion is as deep as the shape. */
int32_t rebali_fill_defaults(const struct rebali_shape *shape, json_t *tree, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(tree); i++) {
    result = rebali_fill_defaults(shape, json_array_get(tree, i), err);
  }
  if (result != REBAL_OK || !rebali_is_map(tree)) {
    return result;
  }
  result = fill_map(shape, tree, err);
  for (size_t i = 0; result == REBAL_OK && i < shape->n; i++) {
    if (shape->members[i].child != NULL) {
      result = rebali_fill_defaults(shape->members[i].child, rebali_member(tree, shape->members[i].name), err);
    }
  }
  return result;
}
