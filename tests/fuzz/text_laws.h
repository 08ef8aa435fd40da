/* SPDX-License-Identifier: MIT */
/* Laws of every text that is read, whatever the format. */
#ifndef TEXT_LAWS_H
#define TEXT_LAWS_H

#include "law.h"
#include "manifest/validate/checks.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void check_equal(json_t *const *documents, size_t n, const struct rebali_buffer *written) {
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
 * read(write(x)) == x: JSON document by document, compact and pretty, and YAML as one stream. The reader does not take
 * a single scalar as JSON, which it recognizes by the first bracket.
 */
static inline void check_round_trip(json_t *const *documents, size_t n) {
  struct rebali_buffer output = REBALI_BUFFER;
  for (size_t i = 0; i < n; i++) {
    const int is_scalar = rebali_number_is_verbatim(documents[i], NULL) || json_is_string(documents[i]) ||
                          json_is_integer(documents[i]) || json_is_boolean(documents[i]);
    for (uint32_t flags = 0; flags < 4 && !is_scalar; flags++) {
      rebali_buffer_clear(&output);
      law(rebali_json_write(documents[i], flags, &output) == REBAL_OK);
      check_equal(&documents[i], 1, &output);
    }
  }
  rebali_buffer_clear(&output);
  law(rebali_yaml_write(documents, n, 0, &output) == REBAL_OK);
  check_equal(documents, n, &output);
  rebali_buffer_dispose(&output);
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

/* The canonical form means the same, and is its own canonical form. */
static inline void check_canonical(const char *bytes, size_t len, json_t *const *documents, size_t n) {
  const rebal_manifest_limits wide = {sizeof wide, UINT32_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX};
  const rebal_rewrite_opts opts = {.struct_size = sizeof opts,
                                   .flags = REBAL_REWRITE_FLAG_CANONICAL,
                                   .format = REBAL_TEXT_FORMAT_YAML,
                                   .limits = &wide};
  rebal_text *first, *second;
  law(rebal_text_new(&first, NULL) == REBAL_OK && rebal_text_new(&second, NULL) == REBAL_OK);
  for (size_t i = 0; i < n; i++) {
    json_t *canonical = rebali_canonical(documents[i]);
    law(json_equal(documents[i], canonical));
    json_decref(canonical);
  }
  if (rebal_manifest_rewrite(bytes, len, &opts, first, NULL) == REBAL_OK) {
    uint32_t line = 1;
    const char *text = rebal_text_bytes(first, &len);
    law(rebal_manifest_rewrite(text, len, &opts, second, NULL) == REBAL_OK);
    law(strcmp(text, rebal_text_bytes(second, NULL)) == 0);
    law(rebal_manifest_find_comment(text, len, &wide, &line, NULL, NULL) == REBAL_OK && line == 0);
  }
  rebal_text_free(first);
  rebal_text_free(second);
}

/* Every finding has a place in the text; objects of known kinds without an error can be loaded. */
static inline void check_findings(const char *bytes, size_t len, json_t *const *documents, size_t n) {
  rebal_findings *findings;
  rebal_store *store;
  int is_known = 1;
  law(rebal_manifest_validate(bytes, len, NULL, &findings, NULL) == REBAL_OK);
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    rebal_finding_row row = {.struct_size = sizeof row};
    law(rebal_findings_read(findings, i, &row, NULL) == REBAL_OK);
    law(row.document > 0 && row.document <= n && row.line > 0 && row.column > 0);
    law(row.message[0] != '\0' && rebal_enum_name(REBAL_ENUM_FINDING, row.code, NULL) != NULL);
  }
  for (size_t i = 0; i < n; i++) {
    is_known &= rebali_kind_of(documents[i]) != NULL;
  }
  if (is_known && rebal_findings_count(findings, REBAL_SEVERITY_ERROR) == 0) {
    law(rebal_store_new(NULL, &store, NULL) == REBAL_OK);
    law(rebal_store_load(store, bytes, len, NULL) == REBAL_OK);
    rebal_store_free(store);
  }
  rebal_findings_free(findings);
}

/* The object of a store equals the tree, with the namespace that admission sets. */
static inline void check_object(const rebal_store *store, uint32_t object, json_t *tree) {
  struct rebali_buffer output = REBALI_BUFFER;
  law(rebali_admit_namespace(store, tree, NULL) == REBAL_OK && rebali_json_write(tree, 0, &output) == REBAL_OK);
  law(rebali_store_has(store, object) && strcmp(output.bytes, store->objects[object].text) == 0);
  rebali_buffer_dispose(&output);
}

/* Objects that are read one by one are those of the documents read whole, in their order. */
static inline void check_objects(const char *bytes, size_t len, json_t *const *documents, size_t n) {
  rebal_store *store;
  uint32_t object = 0;
  law(rebal_store_new(NULL, &store, NULL) == REBAL_OK);
  if (rebal_store_load(store, bytes, len, NULL) == REBAL_OK) {
    for (size_t i = 0; i < n; i++) {
      json_t *tree = json_deep_copy(documents[i]), *items = rebali_member(tree, "items");
      const int is_list = rebali_is_list(tree);
      for (size_t k = 0; is_list && k < json_array_size(items); k++) {
        law(rebali_list_complete(tree, json_array_get(items, k), NULL) == REBAL_OK);
        check_object(store, object++, json_array_get(items, k));
      }
      if (!is_list) {
        check_object(store, object++, tree);
      }
      json_decref(tree);
    }
    law(rebal_store_count(store) == object);
  }
  rebal_store_free(store);
}

/* Every document as a patch of the one before it. */
static inline void check_patches(json_t *const *documents, size_t n, const struct rebali_limits *limits) {
  for (size_t i = 1; i < n; i++) {
    json_t *tree = json_deep_copy(documents[i - 1]);
    rebal_error err = REBAL_ERROR_INIT;
    const int32_t result = rebali_json_patch(&tree, documents[i], limits, &err);
    law(result == REBAL_OK || (err.code == result && err.message[0] != '\0'));
    json_decref(tree);
  }
}

/* A record of a document, of a kind by its length: it is read again from its own tree, or the error has a place. */
static inline void check_record(const char *bytes, size_t len) {
  const uint32_t object = (uint32_t)(len % 128);
  rebal_builder *builders[2];
  const rebal_record *first, *second;
  rebal_error err = REBAL_ERROR_INIT;
  json_t *tree;
  law(rebal_builder_new(NULL, &builders[0], NULL) == REBAL_OK);
  law(rebal_builder_new(NULL, &builders[1], NULL) == REBAL_OK);
  if (rebal_manifest_read_record(bytes, len, object, NULL, builders[0], &first, &err) == REBAL_OK) {
    law(rebali_record_tree_as_is(first, &tree, NULL) == REBAL_OK);
    law(rebali_read_record(builders[1], object, tree, NULL, &second, NULL) == REBAL_OK);
    law(rebal_record_equal(first, second));
    json_decref(tree);
  } else {
    law(err.message[0] != '\0' && (err.field[0] == '\0' || err.line > 0));
  }
  rebal_builder_free(builders[0]);
  rebal_builder_free(builders[1]);
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
  check_canonical(bytes, len, documents, n);
  check_findings(bytes, len, documents, n);
  check_objects(bytes, len, documents, n);
  check_record(bytes, len);
  check_patches(documents, n, &limits);
  rebali_documents_free(documents, n);
}

#endif
