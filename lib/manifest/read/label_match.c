/* SPDX-License-Identifier: MIT */
/* Matches label selectors against the labels of an object. */
#include "manifest/manifest.h"

#include <string.h>

static int contains(const json_t *values, const char *text) {
  for (size_t i = 0; i < json_array_size(values); i++) {
    const char *value = json_string_value(json_array_get(values, i));
    if (value != NULL && strcmp(value, text) == 0) {
      return 1;
    }
  }
  return 0;
}

/* An expression that Kubernetes would refuse matches nothing. */
static int expression_matches(const json_t *expression, const json_t *labels) {
  const char *operator= rebali_member_text(expression, "operator");
  const json_t *values = rebali_member(expression, "values");
  const json_t *label = rebali_member(labels, rebali_member_text(expression, "key"));
  const char *text = json_string_value(label);
  if (strcmp(operator, "Exists") == 0) {
    return json_array_size(values) == 0 && text != NULL;
  }
  if (strcmp(operator, "DoesNotExist") == 0) {
    return json_array_size(values) == 0 && text == NULL;
  }
  if (json_array_size(values) == 0) {
    return 0;
  }
  if (strcmp(operator, "In") == 0) {
    return text != NULL && contains(values, text);
  }
  return strcmp(operator, "NotIn") == 0 && (text == NULL || !contains(values, text));
}

int rebali_selector_matches(const json_t *selector, const json_t *labels) {
  const json_t *expressions = rebali_member(selector, "matchExpressions");
  const char *key;
  json_t *value;
  json_object_foreach(rebali_member(selector, "matchLabels"), key, value) {
    const char *label = json_string_value(rebali_member(labels, key));
    const char *wanted = json_is_null(value) ? "" : json_string_value(value);
    if (label == NULL || wanted == NULL || strcmp(label, wanted) != 0) {
      return 0;
    }
  }
  for (size_t i = 0; i < json_array_size(expressions); i++) {
    if (!expression_matches(json_array_get(expressions, i), labels)) {
      return 0;
    }
  }
  return 1;
}
