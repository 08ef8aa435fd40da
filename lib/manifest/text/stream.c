/* SPDX-License-Identifier: MIT */
/* Whole streams for callers who read documents the store knows nothing of. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

static int32_t write_documents(json_t *const *documents, size_t n, uint32_t format, struct rebali_buffer *output) {
  int32_t result = REBAL_OK;
  if (format == REBAL_TEXT_FORMAT_YAML) {
    return rebali_yaml_write(documents, n, 0, output);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = rebali_json_write(documents[i], format == REBAL_TEXT_FORMAT_JSON_PRETTY ? REBALI_WRITE_PRETTY : 0, output);
    rebali_buffer_text(output, "\n");
  }
  return result;
}

static int32_t write_stream(json_t *const *documents, size_t n, uint32_t format, rebal_text *out, rebal_error *err) {
  struct rebali_buffer output = REBALI_BUFFER;
  int32_t result = write_documents(documents, n, format, &output);
  if (result != REBAL_OK) {
    (void)rebali_fail(err, result, -1, "the documents cannot be written: %s", rebal_strerror(result));
  } else if (output.failed) {
    result = rebali_fail_memory(err);
  } else {
    result = rebal_text_append(out, output.bytes != NULL ? output.bytes : "", output.len, err);
  }
  rebali_buffer_dispose(&output);
  return result;
}

static int32_t load_options(const rebal_rewrite_opts *opts, rebal_rewrite_opts *loaded, rebal_error *err) {
  const int32_t result = rebali_options_load(loaded, sizeof *loaded, sizeof *loaded, opts, err);
  if (result != REBAL_OK) {
    return result;
  }
  if ((loaded->flags & ~(uint32_t)REBAL_REWRITE_FLAG_CANONICAL) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "opts: unknown flags");
  }
  loaded->format = loaded->format != 0 ? loaded->format : REBAL_TEXT_FORMAT_JSON;
  return loaded->format <= REBAL_TEXT_FORMAT_YAML
             ? REBAL_OK
             : rebali_fail(err, REBAL_EINVAL, -1, "opts: format is not one of documents");
}

int32_t rebal_manifest_rewrite(const char *text, size_t len, const rebal_rewrite_opts *opts, rebal_text *out,
                               rebal_error *err) {
  rebal_rewrite_opts loaded;
  struct rebali_limits limits;
  json_t **documents = NULL;
  size_t n = 0;
  int32_t result;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  result = load_options(opts, &loaded, err);
  if (result == REBAL_OK) {
    result = rebali_take_stream(&text, &len, "text", err);
  }
  if (result == REBAL_OK) {
    result = rebali_limits_read(loaded.limits, &limits, err);
  }
  if (result == REBAL_OK) {
    result = rebali_text_read(text, len, &limits, &documents, &n, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  if ((loaded.flags & REBAL_REWRITE_FLAG_CANONICAL) != 0) {
    result = rebali_documents_arrange(documents, n, err);
  }
  if (result == REBAL_OK) {
    result = write_stream(documents, n, loaded.format, out, err);
  }
  rebali_documents_free(documents, n);
  return result;
}

int32_t rebal_manifest_locate(const char *text, size_t len, uint32_t document, const char *path, size_t path_len,
                              uint32_t *line, uint32_t *column, rebal_error *err) {
  uint32_t found_line = 0, found_column = 0;
  char *copy;
  int32_t result;
  result = rebali_take_text(&text, &len, "text", err);
  if (result == REBAL_OK) {
    result = rebali_take_text(&path, &path_len, "path", err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  copy = malloc(path_len + 1);
  if (copy == NULL) {
    return rebali_fail_memory(err);
  }
  memcpy(copy, path, path_len);
  copy[path_len] = '\0';
  rebali_path_simplify(copy);
  result = rebali_locate(text, len, document, copy, &found_line, &found_column);
  free(copy);
  if (result != REBAL_OK) {
    return rebali_fail(err, result, -1, "document %u is not there", (unsigned)document);
  }
  if (line != NULL) {
    *line = found_line;
  }
  if (column != NULL) {
    *column = found_column;
  }
  return REBAL_OK;
}
