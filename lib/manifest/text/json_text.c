/* SPDX-License-Identifier: MIT */
/* JSON inside texts where the reference accepts only JSON: a text that only YAML can read is unparsable. */
#include "manifest/manifest.h"

#include <string.h>

/* Reads a text that is one map or list. */
static int32_t read_container(const char *text, size_t len, json_t **out, rebal_error *err) {
  struct rebali_source source;
  json_t **documents = NULL;
  size_t n = 0;
  int32_t result = rebali_source_prepare(&source, text, len, NULL, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (!rebali_source_is_json(&source)) {
    return rebali_fail(err, REBAL_EPARSE, -1, "expected a JSON value");
  }
  result = rebali_source_open(&source, &rebali_source_json, err);
  if (result == REBAL_OK) {
    result = rebali_tree_read(&source, &documents, &n, err);
  }
  rebali_source_json.close(&source);
  if (result == REBAL_OK && n != 1) {
    result = rebali_fail(err, REBAL_EPARSE, -1, "expected one JSON value");
  }
  if (result == REBAL_OK) {
    *out = json_incref(documents[0]);
  }
  if (documents != NULL) {
    rebali_documents_free(documents, n);
  }
  return result;
}

/* The reader accepts scalars only within a list. */
static int32_t read_scalar(const char *text, size_t len, json_t **out, rebal_error *err) {
  struct rebali_buffer listed = REBALI_BUFFER;
  json_t *list = NULL;
  int32_t result;
  rebali_buffer_text(&listed, "[");
  rebali_buffer_append(&listed, text, len);
  rebali_buffer_text(&listed, "]");
  result = listed.failed ? rebali_fail_memory(err) : read_container(listed.bytes, listed.len, &list, err);
  rebali_buffer_dispose(&listed);
  if (result == REBAL_OK && json_array_size(list) != 1) {
    result = rebali_fail(err, REBAL_EPARSE, -1, "expected one JSON value");
  }
  if (result == REBAL_OK) {
    *out = json_incref(json_array_get(list, 0));
  }
  json_decref(list);
  return result;
}

int32_t rebali_json_text(const char *text, size_t len, json_t **out, rebal_error *err) {
  const size_t blanks = strspn(text, " \t\r\n");
  const int is_container = text[blanks] == '{' || text[blanks] == '[';
  return is_container ? read_container(text, len, out, err) : read_scalar(text, len, out, err);
}
