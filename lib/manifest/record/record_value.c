/* SPDX-License-Identifier: MIT */
/* Objects of records that are not maps in the API: a number or a text, and raw JSON. */
#include "manifest/manifest.h"

int rebali_object_is_value(uint32_t object) {
  return object == REBAL_OBJECT_INT_OR_TEXT || object == REBAL_OBJECT_RAW;
}

static int32_t read_int_or_text(rebal_builder *builder, const json_t *value, const struct rebali_path *path,
                                rebal_error *err) {
  const char *text;
  size_t len;
  int64_t number;
  int32_t result;
  if (json_is_string(value)) {
    result = rebali_read_text(value, path, &text, &len, err);
    return result != REBAL_OK || builder == NULL ? result
                                                 : rebal_builder_text(builder, REBAL_INT_OR_TEXT_TEXT, text, len, err);
  }
  if (!json_is_integer(value) && !rebali_number_is_verbatim(value, NULL)) {
    return rebali_fail_path(err, REBAL_EPARSE, path, "expected an integer or a text");
  }
  result = rebali_read_integer(value, REBAL_TYPE_INT32, path, &number, err);
  return result != REBAL_OK || builder == NULL ? result
                                               : rebal_builder_i64(builder, REBAL_INT_OR_TEXT_NUMBER, number, err);
}

static int32_t read_raw(rebal_builder *builder, const json_t *value, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  int32_t result;
  if (builder == NULL) {
    return REBAL_OK;
  }
  result = rebali_json_write(value, 0, &text);
  if (result == REBAL_OK) {
    result = rebal_builder_text(builder, REBAL_RAW_JSON, text.bytes, text.len, err);
  } else {
    (void)rebali_fail(err, result, -1, "a value cannot be written as JSON");
  }
  rebali_buffer_dispose(&text);
  return result;
}

int32_t rebali_read_value(rebal_builder *builder, uint32_t object, const json_t *value, const struct rebali_path *path,
                          rebal_error *err) {
  return object == REBAL_OBJECT_RAW ? read_raw(builder, value, err) : read_int_or_text(builder, value, path, err);
}

int32_t rebali_value_tree(const rebal_record *record, uint32_t node, json_t **out, rebal_error *err) {
  const uint32_t child = rebal_record_next(record, node, 0, REBAL_NONE);
  size_t len;
  const char *text = rebal_record_text(record, child, &len);
  switch (rebal_record_field(record, child)) {
    case REBAL_RAW_JSON:
      return rebali_json_text(text, len, out, err);
    case REBAL_INT_OR_TEXT_TEXT:
      *out = json_stringn_nocheck(text, len);
      break;
    case REBAL_INT_OR_TEXT_NUMBER:
      *out = json_integer(rebal_record_i64(record, child));
      break;
    default:
      *out = json_null();
  }
  return *out != NULL ? REBAL_OK : rebali_fail_memory(err);
}
