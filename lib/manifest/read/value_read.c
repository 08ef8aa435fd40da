/* SPDX-License-Identifier: MIT */
/* Reads single values: types and ranges as the reference's decoder requires them. */
#include "manifest/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int32_t rebali_fail_path(rebal_error *err, int32_t code, const struct rebali_path *path, const char *message) {
  char field[sizeof err->field];
  (void)rebali_path_print(path, field, sizeof field);
  rebali_fail(err, code, -1, "%s", message);
  rebali_fail_field(err, field);
  return code;
}

int32_t rebali_read_text(const json_t *value, const struct rebali_path *path, const char **text, size_t *len,
                         rebal_error *err) {
  if (!json_is_string(value)) {
    return rebali_fail_path(err, REBAL_EPARSE, path, "expected a text");
  }
  *text = json_string_value(value);
  *len = json_string_length(value);
  return REBAL_OK;
}

/* Returns 1 for the text of an integer, including one too long for 64 bits. */
static int is_integer_text(const char *text) {
  if (*text == '-') {
    text++;
  }
  return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static int32_t check_range(int64_t value, uint32_t type, const struct rebali_path *path, rebal_error *err) {
  if (type == REBAL_TYPE_COUNT32 && value < 0) {
    return rebali_fail_path(err, REBAL_ERANGE, path, "expected a number that is not negative");
  }
  if (type != REBAL_TYPE_INT64 && (value > INT32_MAX || value < INT32_MIN)) {
    return rebali_fail_path(err, REBAL_ERANGE, path, "the number does not fit 32 bits");
  }
  return REBAL_OK;
}

static int32_t read_boolean(const json_t *value, const struct rebali_path *path, int64_t *out, rebal_error *err) {
  if (!json_is_boolean(value)) {
    return rebali_fail_path(err, REBAL_EPARSE, path, "expected true or false");
  }
  *out = json_is_true(value);
  return REBAL_OK;
}

int32_t rebali_read_integer(const json_t *value, uint32_t type, const struct rebali_path *path, int64_t *out,
                            rebal_error *err) {
  const char *text;
  if (type == REBAL_TYPE_BOOLEAN) {
    return read_boolean(value, path, out, err);
  }
  if (rebali_number_is_verbatim(value, &text) && is_integer_text(text)) {
    return rebali_fail_path(err, REBAL_ERANGE, path, "the number does not fit 64 bits");
  }
  if (!json_is_integer(value)) {
    return rebali_fail_path(err, REBAL_EPARSE, path, "expected an integer");
  }
  *out = json_integer_value(value);
  return check_range(*out, type, path, err);
}

int32_t rebali_read_quantity(const json_t *value, const struct rebali_path *path, rebal_quantity *out,
                             rebal_error *err) {
  char digits[32];
  const char *text = json_string_value(value);
  size_t len = json_string_length(value);
  if (json_is_null(value)) {
    text = "0";
    len = 1;
  } else if (json_is_integer(value)) {
    len = (size_t)snprintf(digits, sizeof digits, "%" PRId64, (int64_t)json_integer_value(value));
    text = digits;
  } else if (rebali_number_is_verbatim(value, &text)) {
    len = strlen(text);
  }
  if (text == NULL || rebali_quantity_parse(text, len, out, NULL) != REBAL_OK) {
    return rebali_fail_path(err, REBAL_EPARSE, path, "expected a quantity such as 500m or 2Gi");
  }
  return REBAL_OK;
}

int32_t rebali_read_time(const json_t *value, const struct rebali_path *path, rebal_time *out, rebal_error *err) {
  if (!json_is_string(value) ||
      rebali_time_parse(json_string_value(value), json_string_length(value), out, NULL) != REBAL_OK) {
    return rebali_fail_path(err, REBAL_EPARSE, path, "expected a time such as 2026-03-14T09:00:00Z");
  }
  return REBAL_OK;
}

int32_t rebali_read_list(const json_t *value, const struct rebali_path *path, rebal_error *err) {
  return json_is_array(value) ? REBAL_OK : rebali_fail_path(err, REBAL_EPARSE, path, "expected a list");
}

int32_t rebali_read_map(const json_t *value, const struct rebali_path *path, rebal_error *err) {
  return rebali_is_map(value) ? REBAL_OK : rebali_fail_path(err, REBAL_EPARSE, path, "expected a map");
}
