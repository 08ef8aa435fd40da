/* SPDX-License-Identifier: MIT */
/* Text to trees: which format is it? */
#include "manifest.h"

#include <stdlib.h>

void rebali_documents_free(json_t **documents, size_t n) {
  for (size_t i = 0; i < n; i++) {
    json_decref(documents[i]);
  }
  free(documents);
}

static int32_t read_as(struct rebali_source *source, const struct rebali_source_kind *kind, json_t ***documents,
                       size_t *n, rebal_error *err) {
  int32_t result = rebali_source_open(source, kind, err);
  if (result == REBAL_OK) {
    result = rebali_tree_read(source, documents, n, err);
  }
  kind->close(source);
  return result;
}

/*
 * '{' and '[' begin JSON as well as YAML in flow style. What is neither is reported by the reader that came further;
 * at the same place JSON has the word.
 */
static int32_t read_either(struct rebali_source *source, json_t ***documents, size_t *n, rebal_error *err) {
  rebal_error as_json = REBAL_ERROR_INIT, as_yaml = REBAL_ERROR_INIT;
  int32_t result = read_as(source, &rebali_source_json, documents, n, &as_json);
  const rebal_error *told = &as_json;
  if (result == REBAL_EPARSE) {
    result = read_as(source, &rebali_source_yaml, documents, n, &as_yaml);
    if (result != REBAL_EPARSE || as_yaml.where > as_json.where) {
      told = &as_yaml;
    } else {
      result = as_json.code;
    }
  }
  if (result == REBAL_OK) {
    return REBAL_OK;
  }
  (void)rebali_manifest_fail(err, result, "%s", told->message);
  rebali_manifest_fail_at(err, told->where, told->document, told->line, told->column);
  return result;
}

int32_t rebali_text_read(const char *bytes, size_t len, const struct rebali_limits *limits, json_t ***documents,
                         size_t *n, rebal_error *err) {
  struct rebali_source source;
  json_t **found = NULL;
  size_t n_found = 0;
  int32_t result = rebali_source_prepare(&source, bytes, len, limits, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (rebali_source_is_json(&source)) {
    result = read_either(&source, &found, &n_found, err);
  } else {
    result = read_as(&source, &rebali_source_yaml, &found, &n_found, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  if (n_found == 0) {
    rebali_documents_free(found, n_found);
    return rebali_manifest_fail(err, REBAL_EPARSE, "no document found");
  }
  *documents = found;
  *n = n_found;
  return REBAL_OK;
}
