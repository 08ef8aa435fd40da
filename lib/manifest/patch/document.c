/* SPDX-License-Identifier: MIT */
/* Parsed documents held by callers. */
#include "manifest/patch/document.h"

#include <stdlib.h>
#include <string.h>

/* Returns 1 if the text is null: a reader of streams skips such documents. */
static int is_null_text(const char *text, size_t len) {
  static const char blanks[] = " \t\r\n";
  while (len > 0 && memchr(blanks, text[len - 1], 4) != NULL) {
    len--;
  }
  while (len > 0 && memchr(blanks, *text, 4) != NULL) {
    text++;
    len--;
  }
  return len == 4 && memcmp(text, "null", 4) == 0;
}

int32_t rebali_document_tree(const char *text, size_t len, const struct rebali_limits *limits, json_t **out,
                             rebal_error *err) {
  json_t **documents = NULL;
  size_t n = 0;
  int32_t result;
  if (len <= limits->bytes && is_null_text(text, len)) { /* its reader refuses a longer text */
    *out = json_null();
    return REBAL_OK;
  }
  result = rebali_text_read(text, len, limits, &documents, &n, err);
  if (result == REBAL_OK && n != 1) {
    result = rebali_fail(err, REBAL_EPARSE, -1, "expected one document, the text has %zu", n);
  }
  if (result == REBAL_OK) {
    *out = documents[0];
    n = 0;
  }
  rebali_documents_free(documents, n);
  return result;
}

int32_t rebali_document_new(json_t *tree, rebal_document **out, rebal_error *err) {
  rebal_document *document = malloc(sizeof *document);
  if (document == NULL) {
    json_decref(tree);
    return rebali_fail_memory(err);
  }
  document->tree = tree;
  *out = document;
  return REBAL_OK;
}

int32_t rebali_take_document(const char **text, size_t *len, const char *what, const rebal_manifest_limits *limits,
                             struct rebali_limits *loaded, json_t **out, rebal_error *err) {
  int32_t result = rebali_take_stream(text, len, what, err);
  if (result == REBAL_OK) {
    result = rebali_limits_read(limits, loaded, err);
  }
  return result == REBAL_OK ? rebali_document_tree(*text, *len, loaded, out, err) : result;
}

int32_t rebal_document_read(const char *text, size_t len, const rebal_manifest_limits *limits, rebal_document **out,
                            rebal_error *err) {
  struct rebali_limits loaded;
  json_t *tree;
  int32_t result;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  result = rebali_take_document(&text, &len, "text", limits, &loaded, &tree, err);
  return result == REBAL_OK ? rebali_document_new(tree, out, err) : result;
}

int32_t rebal_document_write(const rebal_document *document, uint32_t format, rebal_text *out, rebal_error *err) {
  if (document == NULL || out == NULL || format < REBAL_TEXT_FORMAT_JSON || format > REBAL_TEXT_FORMAT_YAML) {
    return rebali_fail(err, REBAL_EINVAL, -1, "document, out and a format for documents are needed");
  }
  return rebali_tree_write(document->tree, format, out, err);
}

void rebal_document_free(rebal_document *document) {
  if (document == NULL) {
    return;
  }
  json_decref(document->tree);
  free(document);
}
