/* SPDX-License-Identifier: MIT */
/*
 * The applied-placement annotation: the placement of the last scheduling pass as JSON (rebalance-karmada(7) 2.3, 2.6).
 */
#include "manifest/manifest.h"

#include <string.h>

/* The value null is an empty placement. */
static int32_t read_json(const char *text, json_t **tree, rebal_error *err) {
  json_t *value = NULL;
  int32_t result = rebali_json_text(text, strlen(text), &value, err);
  if (json_is_null(value)) {
    value = json_object();
    result = value != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  if (result == REBAL_OK && !rebali_is_map(value)) {
    result = rebali_fail(err, REBAL_EPARSE, -1, "expected one JSON object");
  }
  if (result != REBAL_OK) {
    json_decref(value);
    value = NULL;
  }
  *tree = value;
  return result;
}

int32_t rebali_applied_read(const char *text, int64_t *state, json_t **tree, rebal_error *err) {
  int32_t result;
  *tree = NULL;
  *state = REBAL_ANNOTATION_ABSENT;
  if (text == NULL || *text == '\0') {
    return REBAL_OK;
  }
  result = read_json(text, tree, NULL); /* an unreadable annotation is a result, not an error */
  if (result == REBAL_ENOMEM) {
    return rebali_fail_memory(err);
  }
  if (result == REBAL_OK && rebali_read_object(NULL, REBAL_OBJECT_PLACEMENT, *tree, NULL, NULL) != REBAL_OK) {
    json_decref(*tree);
    *tree = NULL;
  }
  *state = *tree != NULL ? REBAL_ANNOTATION_PRESENT : REBAL_ANNOTATION_UNPARSABLE;
  return REBAL_OK;
}

static int texts_are_equal(const json_t *left, const json_t *right) {
  const char *left_text = left != NULL ? json_string_value(left) : "";
  const char *right_text = right != NULL ? json_string_value(right) : "";
  return left_text != NULL && right_text != NULL && strcmp(left_text, right_text) == 0;
}

static int lists_are_equal(const struct rebali_field *field, const json_t *left, const json_t *right) {
  if (json_array_size(left) != json_array_size(right)) {
    return 0;
  }
  for (size_t i = 0; i < json_array_size(left); i++) {
    const json_t *left_item = rebali_present(json_array_get(left, i));
    const json_t *right_item = rebali_present(json_array_get(right, i));
    if (field->type == REBAL_TYPE_OBJECT ? !rebali_strictly_equal(field->child, left_item, right_item)
                                         : !texts_are_equal(left_item, right_item)) {
      return 0;
    }
  }
  return 1;
}

static int maps_are_equal(const json_t *left, const json_t *right) {
  const char *key;
  json_t *value;
  if (json_object_size(left) != json_object_size(right)) {
    return 0;
  }
  json_object_foreach((json_t *)(uintptr_t)left, key, value) {
    const json_t *other = json_object_get(right, key);
    if (other == NULL || !texts_are_equal(rebali_present(value), rebali_present(other))) {
      return 0;
    }
  }
  return 1;
}

/* left and right are NULL where absent. Placements hold texts, integers, objects, lists, and maps of texts. */
static int fields_are_equal(const struct rebali_field *field, const json_t *left, const json_t *right) {
  const int is_single = field->cardinality == REBAL_CARDINALITY_ONE;
  if (is_single && field->type == REBAL_TYPE_TEXT) {
    return texts_are_equal(left, right);
  }
  if (is_single && rebali_field_zero(field) != REBALI_ZERO_DISTINCT) {
    return field->type == REBAL_TYPE_OBJECT ? rebali_strictly_equal(field->child, left, right)
                                            : json_integer_value(left) == json_integer_value(right);
  }
  if (left == NULL || right == NULL) {
    return left == right;
  }
  if (field->cardinality == REBAL_CARDINALITY_LIST) {
    return lists_are_equal(field, left, right);
  }
  if (field->cardinality == REBAL_CARDINALITY_MAP) {
    return maps_are_equal(left, right);
  }
  return field->type == REBAL_TYPE_OBJECT ? rebali_strictly_equal(field->child, left, right)
                                          : json_integer_value(left) == json_integer_value(right);
}

int rebali_strictly_equal(uint32_t object, const json_t *left, const json_t *right) {
  size_t n;
  const struct rebali_field *fields = rebali_schema_fields(object, &n);
  for (size_t i = 0; i < n; i++) {
    if (!fields_are_equal(&fields[i], rebali_member(left, fields[i].name), rebali_member(right, fields[i].name))) {
      return 0;
    }
  }
  return 1;
}

int32_t rebali_applied_write(const rebal_record *placement, struct rebali_buffer *output, rebal_error *err) {
  json_t *tree = NULL;
  int32_t result = rebali_record_tree(placement, 0, REBAL_OBJECT_PLACEMENT, &tree, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_json_write(tree, 0, output);
  json_decref(tree);
  return result == REBAL_OK ? result : rebali_fail(err, result, -1, "the placement cannot be written");
}
