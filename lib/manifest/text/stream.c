/* SPDX-License-Identifier: MIT */
/* Reads and writes whole streams of documents that the store need not know. */
#include "manifest/validate/checks.h"

#include <stdlib.h>
#include <string.h>

/* Source of the documents of a text while they are written. */
struct rewriting {
  const struct rebali_packed *packed;
  int is_canonical;
};

/* Items of a document that is not a List stay unchanged. */
static int are_arranged(const struct rewriting *rewriting, const json_t *document) {
  return rewriting->is_canonical && rebali_is_map(document) && rebali_is_list(document);
}

static int32_t make_document(const void *user, size_t i, json_t **tree, size_t *n_items) {
  const struct rewriting *rewriting = user;
  json_t *given;
  const int32_t result = rebali_packed_document(rewriting->packed, i, &given, NULL);
  *n_items = rewriting->packed->documents[i].n_items;
  if (result != REBAL_OK || !rewriting->is_canonical) {
    *tree = given;
    return result;
  }
  *tree = rebali_canonical(given);
  json_decref(given);
  return *tree != NULL ? REBAL_OK : REBAL_ENOMEM;
}

static int32_t make_item(const void *user, size_t i, const json_t *document, size_t item, json_t **tree) {
  const struct rewriting *rewriting = user;
  json_t *given;
  const int32_t result = rebali_packed_item(rewriting->packed, i, item, &given, NULL);
  if (result != REBAL_OK || !are_arranged(rewriting, document)) {
    *tree = given;
    return result;
  }
  *tree = rebali_canonical_item(document, given);
  json_decref(given);
  return *tree != NULL ? REBAL_OK : REBAL_ENOMEM;
}

static int32_t write_stream(const struct rewriting *rewriting, uint32_t format, rebal_text *out, rebal_error *err) {
  const struct rebali_made_documents made = {rewriting->packed->n, make_document, make_item, rewriting};
  struct rebali_buffer *output = rebali_text_output(out);
  const size_t before = output->len;
  const int32_t result =
      format == REBAL_TEXT_FORMAT_YAML
          ? rebali_yaml_write_made(&made, 0, output)
          : rebali_json_write_made(&made, format == REBAL_TEXT_FORMAT_JSON_PRETTY ? REBALI_WRITE_PRETTY : 0, output);
  if (result != REBAL_OK) {
    (void)rebali_fail(err, result, -1, "the documents cannot be written: %s", rebal_strerror(result));
  }
  return rebali_text_settle(out, before, result, err);
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
  struct rebali_packed packed;
  struct rewriting rewriting = {&packed, 0};
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
    result = rebali_packed_read(&packed, text, len, &limits, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  rewriting.is_canonical = (loaded.flags & REBAL_REWRITE_FLAG_CANONICAL) != 0;
  result = write_stream(&rewriting, loaded.format, out, err);
  rebali_packed_dispose(&packed);
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
    return rebali_fail(err, result, -1, "document %u does not exist", (unsigned)document);
  }
  if (line != NULL) {
    *line = found_line;
  }
  if (column != NULL) {
    *column = found_column;
  }
  return REBAL_OK;
}
