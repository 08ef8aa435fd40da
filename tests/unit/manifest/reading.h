/* SPDX-License-Identifier: MIT */
/* Shared by the tests of reading and writing. */
#ifndef READING_H
#define READING_H

#include "manifest/manifest.h"

#include "../unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Compact JSON of each document of a text, a space between; "" when it cannot be read. Released by free(). */
static inline char *read_as_json(const char *text, const struct rebali_limits *limits, rebal_error *err) {
  struct rebali_buffer output = REBALI_BUFFER;
  json_t **documents = NULL;
  size_t n = 0;
  rebali_buffer_text(&output, "");
  if (rebali_text_read(text, strlen(text), limits, &documents, &n, err) == REBAL_OK) {
    for (size_t i = 0; i < n; i++) {
      rebali_buffer_text(&output, i > 0 ? " " : "");
      ck_assert_int_eq(rebali_json_write(documents[i], 0, &output), REBAL_OK);
    }
    rebali_documents_free(documents, n);
  }
  return output.bytes;
}

static inline void assert_reads(const char *text, const char *json) {
  rebal_error err = REBAL_ERROR_INIT;
  char *found = read_as_json(text, NULL, &err);
  ck_assert_msg(strcmp(found, json) == 0, "%s\nread as   %s\ninstead of %s (%s)", text, found, json, err.message);
  free(found);
}

/* A text that must be refused, and where. */
struct refusal {
  const char *text;
  int32_t code;
  uint32_t document, line, column;
  const char *message; /* part of it */
};

static inline void assert_refuses(const struct refusal *refusal, const struct rebali_limits *limits) {
  rebal_error err = REBAL_ERROR_INIT;
  json_t **documents = NULL;
  size_t n = 0;
  const int32_t code = rebali_text_read(refusal->text, strlen(refusal->text), limits, &documents, &n, &err);
  ck_assert_msg(code == refusal->code && err.code == code, "%s: code %d", refusal->text, code);
  ck_assert_ptr_null(documents);
  ck_assert_msg(err.document == refusal->document && err.line == refusal->line && err.column == refusal->column,
                "%s: document %u, line %u, column %u: %s", refusal->text, err.document, err.line, err.column,
                err.message);
  ck_assert_msg(strstr(err.message, refusal->message) != NULL, "%s: %s", refusal->text, err.message);
}

#endif
