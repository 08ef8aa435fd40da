/* SPDX-License-Identifier: MIT */
/* Value types as a strategic merge patch distinguishes them, and its failures in the words of the reference. */
#include "manifest/patch/strategic.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum rebali_value_type rebali_value_type(const json_t *value) {
  switch (json_typeof(value)) {
    case JSON_OBJECT:
      return rebali_number_is_verbatim(value, NULL) ? REBALI_VALUE_DECIMAL : REBALI_VALUE_MAP;
    case JSON_ARRAY:
      return REBALI_VALUE_LIST;
    case JSON_STRING:
      return REBALI_VALUE_TEXT;
    case JSON_INTEGER:
      return REBALI_VALUE_INTEGER;
    case JSON_TRUE:
    case JSON_FALSE:
      return REBALI_VALUE_BOOLEAN;
    default:
      return REBALI_VALUE_NULL;
  }
}

const char *rebali_directive_name(const char *key, const char *prefix) {
  const size_t len = strlen(prefix);
  return strncmp(key, prefix, len) == 0 ? key + len : NULL;
}

/* ---- values as the reference prints them ---- */

/* A message holds no more than this. */
#define PRINTED_MAX 256

static void print_value(const json_t *value, struct rebali_buffer *out);

static void print_list(const json_t *list, struct rebali_buffer *out) {
  rebali_buffer_text(out, "[");
  for (size_t i = 0; i < json_array_size(list) && out->len < PRINTED_MAX; i++) {
    rebali_buffer_text(out, i > 0 ? " " : "");
    print_value(json_array_get(list, i), out);
  }
  rebali_buffer_text(out, "]");
}

static void print_map(const json_t *map, struct rebali_buffer *out) {
  const char **keys;
  size_t n;
  if (rebali_object_keys(map, REBALI_WRITE_SORTED, &keys, &n) != REBAL_OK) {
    out->failed = 1;
    return;
  }
  rebali_buffer_text(out, "map[");
  for (size_t i = 0; i < n && out->len < PRINTED_MAX; i++) {
    rebali_buffer_text(out, i > 0 ? " " : "");
    rebali_buffer_text(out, keys[i]);
    rebali_buffer_text(out, ":");
    print_value(json_object_get(map, keys[i]), out);
  }
  rebali_buffer_text(out, "]");
  free(keys);
}

static void print_value(const json_t *value, struct rebali_buffer *out) {
  switch (rebali_value_type(value)) {
    case REBALI_VALUE_MAP:
      print_map(value, out);
      break;
    case REBALI_VALUE_LIST:
      print_list(value, out);
      break;
    case REBALI_VALUE_TEXT:
      rebali_buffer_append(out, json_string_value(value), json_string_length(value));
      break;
    case REBALI_VALUE_NULL:
      rebali_buffer_text(out, "<nil>");
      break;
    default: /* numbers and booleans as in JSON */
      (void)rebali_json_write(value, 0, out);
  }
}

static const char *printed(const json_t *value, struct rebali_buffer *out) {
  print_value(value, out);
  return out->bytes != NULL ? out->bytes : "";
}

static const char *const type_names[] = {
    [REBALI_VALUE_NULL] = "<nil>",
    [REBALI_VALUE_BOOLEAN] = "bool",
    [REBALI_VALUE_INTEGER] = "int64",
    [REBALI_VALUE_DECIMAL] = "float64",
    [REBALI_VALUE_TEXT] = "string",
    [REBALI_VALUE_LIST] = "[]interface {}",
    [REBALI_VALUE_MAP] = "map[string]interface {}",
};

/* ---- failures ---- */

int32_t rebali_refuse(const struct rebali_path *path, rebal_error *err, const char *format, ...) {
  char message[sizeof err->message];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return rebali_fail_path(err, REBAL_EINVAL, path, message);
}

int32_t rebali_refuse_type(const char *expected, const json_t *value, const struct rebali_path *path,
                           rebal_error *err) {
  return rebali_refuse(path, err, "expected a %s, but received a %s", expected, type_names[rebali_value_type(value)]);
}

int32_t rebali_refuse_directive(const json_t *map, const struct rebali_path *path, rebal_error *err) {
  const json_t *directive = json_object_get(map, REBALI_DIRECTIVE);
  const enum rebali_value_type type = rebali_value_type(directive);
  struct rebali_buffer value = REBALI_BUFFER, whole = REBALI_BUFFER;
  if (type < REBALI_VALUE_TEXT) { /* a verb for texts got another type */
    rebali_buffer_text(&value, "%!s(");
    rebali_buffer_text(&value, type != REBALI_VALUE_NULL ? type_names[type] : "");
    rebali_buffer_text(&value, type != REBALI_VALUE_NULL ? "=" : "");
  }
  print_value(directive, &value);
  rebali_buffer_text(&value, type < REBALI_VALUE_TEXT ? ")" : "");
  (void)rebali_refuse(path, err, "unknown patch type: %s in map: %s", value.bytes != NULL ? value.bytes : "",
                      printed(map, &whole));
  rebali_buffer_dispose(&value);
  rebali_buffer_dispose(&whole);
  return REBAL_EINVAL;
}

int32_t rebali_refuse_map(const json_t *map, const char *key, const struct rebali_path *path, rebal_error *err) {
  struct rebali_buffer whole = REBALI_BUFFER;
  (void)rebali_refuse(path, err, "map: %s does not contain declared merge key: %s", printed(map, &whole), key);
  rebali_buffer_dispose(&whole);
  return REBAL_EINVAL;
}

int32_t rebali_refuse_order(const json_t *patch, const json_t *order, const struct rebali_path *path,
                            rebal_error *err) {
  struct rebali_buffer left = REBALI_BUFFER, right = REBALI_BUFFER;
  (void)rebali_refuse(path, err, "The order in patch list:\n%s\n doesn't match $setElementOrder list:\n%s\n",
                      printed(patch, &left), printed(order, &right));
  rebali_buffer_dispose(&left);
  rebali_buffer_dispose(&right);
  return REBAL_EINVAL;
}

int32_t rebali_refuse_mixture(const json_t *left, const json_t *right, const struct rebali_path *path,
                              rebal_error *err) {
  struct rebali_buffer first = REBALI_BUFFER, second = REBALI_BUFFER;
  const char *text = printed(left, &first);
  if (right == NULL) {
    (void)rebali_refuse(path, err, "list element types are not identical: [%s]", text);
  } else {
    (void)rebali_refuse(path, err, "list element types are not identical: [%s %s]", text, printed(right, &second));
  }
  rebali_buffer_dispose(&first);
  rebali_buffer_dispose(&second);
  return REBAL_EINVAL;
}

int32_t rebali_refuse_scalar_map(const struct rebali_path *path, rebal_error *err) {
  return rebali_refuse(path, err, "merging an object in json but data type is not struct, instead is: map");
}
