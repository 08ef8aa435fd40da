/* SPDX-License-Identifier: MIT */
/* The reader of JSON without that of YAML; jansson accepts the same texts. */
#include "text_laws.h"

#include <string.h>

static int32_t read_json(const char *bytes, size_t len, json_t ***documents, size_t *n) {
  const struct rebali_limits limits = {1 << 20, 32, 20000, 2000};
  struct rebali_source source;
  int32_t result = rebali_source_prepare(&source, bytes, len, &limits, NULL);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_source_open(&source, &rebali_source_json, NULL);
  if (result == REBAL_OK) {
    result = rebali_tree_read(&source, documents, n, NULL);
  }
  rebali_source_json.close(&source);
  return result;
}

/* Left out: numbers, which jansson rounds; NUL, which it skips after a word; the byte order mark, which it refuses. */
static int is_comparable(const char *bytes, size_t len) {
  return len > 0 && memchr(bytes, '\0', len) == NULL && memchr(bytes, 0xEF, len) == NULL &&
         strpbrk(bytes, "0123456789") == NULL;
}

static void compare_with_jansson(const char *bytes, size_t len, json_t *const *documents, size_t n, int32_t result) {
  json_t *theirs = json_loadb(bytes, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
  if (theirs != NULL && result != REBAL_ELIMIT) {
    law(result == REBAL_OK && (json_is_null(theirs) ? n == 0 : n == 1 && json_equal(documents[0], theirs)));
  }
  if (theirs == NULL && result == REBAL_OK) {
    law(n != 1 || strstr(bytes, "null") != NULL);
  }
  json_decref(theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  json_t **documents = NULL;
  size_t n = 0;
  int32_t result;
  if (text == NULL) {
    return 0;
  }
  if (size > 0) {
    memcpy(text, data, size);
  }
  text[size] = '\0';
  result = read_json(text, size, &documents, &n);
  if (is_comparable(text, size)) {
    compare_with_jansson(text, size, documents, n, result);
  }
  if (result == REBAL_OK && n > 0) {
    check_round_trip(documents, n);
  }
  if (result == REBAL_OK) {
    rebali_documents_free(documents, n);
  }
  free(text);
  return 0;
}
