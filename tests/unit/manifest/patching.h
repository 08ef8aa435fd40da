/* SPDX-License-Identifier: MIT */
/* Shared by the tests of patches. */
#ifndef PATCHING_H
#define PATCHING_H

#include "manifest/patch/document.h"
#include "reading.h"

static inline rebal_document *document_of(const char *text) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_document *document = NULL;
  const int32_t code = rebal_document_read(text, strlen(text), NULL, &document, &err);
  ck_assert_msg(code == REBAL_OK, "%s: %s", text, err.message);
  return document;
}

/* Compact JSON; released by free(). */
static inline char *text_of(const rebal_document *document) {
  struct rebali_buffer output = REBALI_BUFFER;
  ck_assert_int_eq(rebali_json_write(document->tree, 0, &output), REBAL_OK);
  return output.bytes;
}

static inline void assert_document(const rebal_document *document, const char *expected, const char *why) {
  rebal_document *wanted = document_of(expected);
  char *found = text_of(document), *text = text_of(wanted);
  ck_assert_msg(strcmp(found, text) == 0, "%s\n  gave       %s\n  instead of %s", why, found, text);
  free(found);
  free(text);
  rebal_document_free(wanted);
}

/* A patch and what it makes, all in flow YAML. after NULL: refused with code, the message and the field. */
struct patching {
  const char *before, *patch, *after, *message, *field;
};

/* Text to text, where parts of the object may be changed in their places, gives what objects give. */
static inline void assert_text_patch(const struct patching *row, const rebal_document *patch, uint32_t kind,
                                     const rebal_document *out) {
  rebal_text *text;
  const char *bytes;
  char *expected = out != NULL ? text_of(out) : NULL;
  int32_t code;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  code = rebal_manifest_patch(row->before, strlen(row->before), NULL, patch, kind, REBAL_TEXT_FORMAT_JSON, text, NULL);
  bytes = rebal_text_bytes(text, NULL);
  ck_assert_msg((code == REBAL_OK) == (out != NULL), "%s: %d", row->patch, code);
  ck_assert_msg(strcmp(bytes, expected != NULL ? expected : "") == 0, "%s: %s, but %s", row->patch, bytes, expected);
  free(expected);
  rebal_text_free(text);
}

static inline void assert_patch(const struct patching *row, uint32_t kind, int32_t code) {
  rebal_document *before = document_of(row->before), *patch = document_of(row->patch), *after = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t result = rebal_document_patch(before, patch, kind, &after, &err);
  ck_assert_msg(result == (row->after != NULL ? REBAL_OK : code), "%s: %d %s", row->patch, result, err.message);
  if (row->after != NULL) {
    assert_document(after, row->after, row->patch);
  } else {
    ck_assert_int_eq(err.code, code);
    ck_assert_str_eq(err.message, row->message);
    ck_assert_str_eq(err.field, row->field != NULL ? row->field : "");
  }
  assert_document(before, row->before, "the original");
  assert_document(patch, row->patch, "the patch");
  assert_text_patch(row, patch, kind, after);
  rebal_document_free(after);
  rebal_document_free(patch);
  rebal_document_free(before);
}

/* What a difference is, and that it makes after of before. */
static inline void assert_diff(const char *before, const char *after, uint32_t kind, const char *expected) {
  rebal_document *old = document_of(before), *new = document_of(after), *diff, *again;
  ck_assert_int_eq(rebal_document_diff(old, new, kind, &diff, NULL), REBAL_OK);
  assert_document(diff, expected, after);
  ck_assert_int_eq(rebal_document_patch(old, diff, kind, &again, NULL), REBAL_OK);
  ck_assert(json_equal(again->tree, new->tree));
  rebal_document_free(old);
  rebal_document_free(new);
  rebal_document_free(diff);
  rebal_document_free(again);
}

#endif
