/* SPDX-License-Identifier: MIT */
/* Reads texts as trees and detects their format. */
#include "manifest/manifest.h"

static int32_t read_as(struct rebali_source *source, const struct rebali_source_kind *kind,
                       struct rebali_tree_sink *sink, rebal_error *err) {
  int32_t result = rebali_source_open(source, kind, err);
  if (result == REBAL_OK) {
    result = rebali_tree_stream(source, sink, err);
  }
  kind->close(source);
  return result;
}

/*
 * '{' and '[' start JSON as well as YAML in flow style. If both readers fail, the error of the one that got further is
 * reported; at the same place, that of JSON.
 */
static int32_t read_either(struct rebali_source *source, struct rebali_tree_sink *sink, rebal_error *err) {
  rebal_error as_json = REBAL_ERROR_INIT, as_yaml = REBAL_ERROR_INIT;
  int32_t result = read_as(source, &rebali_source_json, sink, &as_json);
  const rebal_error *reported = &as_json;
  if (result == REBAL_EPARSE) {
    sink->restart(sink);
    result = read_as(source, &rebali_source_yaml, sink, &as_yaml);
    if (result != REBAL_EPARSE || as_yaml.where > as_json.where) {
      reported = &as_yaml;
    } else {
      result = as_json.code;
    }
  }
  if (result == REBAL_OK) {
    return REBAL_OK;
  }
  (void)rebali_fail(err, result, -1, "%s", reported->message);
  rebali_fail_at(err, reported->where, reported->document, reported->line, reported->column);
  return result;
}

int32_t rebali_text_stream(const char *bytes, size_t len, const struct rebali_limits *limits,
                           struct rebali_tree_sink *sink, rebal_error *err) {
  struct rebali_source source;
  int32_t result = rebali_source_prepare(&source, bytes, len, limits, err);
  if (result != REBAL_OK) {
    return result;
  }
  if (rebali_source_is_json(&source)) {
    result = read_either(&source, sink, err);
  } else {
    result = read_as(&source, &rebali_source_yaml, sink, err);
  }
  if (result == REBAL_OK && source.documents == 0) {
    result = rebali_fail(err, REBAL_EPARSE, -1, "no document found");
  }
  return result;
}
