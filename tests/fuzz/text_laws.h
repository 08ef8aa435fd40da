/* SPDX-License-Identifier: MIT */
/* What must hold for every text that is read, whatever the format. */
#ifndef TEXT_LAWS_H
#define TEXT_LAWS_H

#include "manifest.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void law(int holds) {
  if (!holds) {
    abort();
  }
}

static inline void check_equal(json_t *const *documents, size_t n, const struct rebali_output *written) {
  const struct rebali_limits wide = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
  json_t **again;
  size_t n_again;
  law(rebali_text_read(written->bytes, written->len, &wide, &again, &n_again, NULL) == REBAL_OK);
  law(n == n_again);
  for (size_t i = 0; i < n; i++) {
    law(json_equal(documents[i], again[i]));
  }
  rebali_documents_free(again, n_again);
}

/*
 * read(write(x)) == x: JSON document by document, compact and pretty, and YAML as one stream. A scalar alone is no JSON
 * text to the reader, which knows JSON by its first bracket.
 */
static inline void check_round_trip(json_t *const *documents, size_t n) {
  struct rebali_output output = {NULL, 0, 0, 0};
  for (size_t i = 0; i < n; i++) {
    const int is_scalar = rebali_number_is_verbatim(documents[i], NULL) || json_is_string(documents[i]) ||
                          json_is_integer(documents[i]) || json_is_boolean(documents[i]);
    for (uint32_t flags = 0; flags < 4 && !is_scalar; flags++) {
      rebali_output_clear(&output);
      law(rebali_json_write(documents[i], flags, &output) == REBAL_OK);
      check_equal(&documents[i], 1, &output);
    }
  }
  rebali_output_clear(&output);
  law(rebali_yaml_write(documents, n, 0, &output) == REBAL_OK);
  check_equal(documents, n, &output);
  rebali_output_dispose(&output);
}

/* The first key or item of each level, down to a scalar: each place must be found. */
static inline void check_places(const char *bytes, size_t len, json_t *const *documents, size_t n) {
  for (size_t i = 0; i < n; i++) {
    struct rebali_path steps[64];
    char path[4096];
    json_t *node = documents[i];
    size_t depth = 0;
    uint32_t line, column;
    while (depth < 64 && (json_object_size(node) > 0 || json_array_size(node) > 0)) {
      const struct rebali_path *parent = depth > 0 ? &steps[depth - 1] : NULL;
      const char *key = json_object_iter_key(json_object_iter(node));
      steps[depth++] = key != NULL ? rebali_path_key(parent, key) : rebali_path_index(parent, 0);
      node = key != NULL ? json_object_get(node, key) : json_array_get(node, 0);
    }
    (void)rebali_path_print(depth > 0 ? &steps[depth - 1] : NULL, path, sizeof path);
    law(rebali_locate(bytes, len, i + 1, path, &line, &column) == REBAL_OK && line > 0 && column > 0);
  }
}

static inline void check_text(const char *bytes, size_t len) {
  const struct rebali_limits limits = {1 << 20, 32, 20000, 2000};
  rebal_error err = REBAL_ERROR_INIT;
  json_t **documents;
  size_t n;
  const int32_t result = rebali_text_read(bytes, len, &limits, &documents, &n, &err);
  if (result != REBAL_OK) {
    law(err.code == result && err.message[0] != '\0');
    return;
  }
  law(n > 0);
  check_round_trip(documents, n);
  check_places(bytes, len, documents, n);
  rebali_documents_free(documents, n);
}

#endif
