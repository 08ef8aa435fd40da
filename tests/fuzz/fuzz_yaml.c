/* SPDX-License-Identifier: MIT */
/* Any text through the reader, as users give it; what the fast reader of YAML takes, libyaml reads alike. */
#include "text_laws.h"

static int32_t read_by(const struct rebali_source_kind *kind, const char *bytes, size_t len, json_t ***documents,
                       size_t *n) {
  const struct rebali_limits limits = {1 << 20, 32, 20000, 2000};
  struct rebali_source source;
  int32_t result = rebali_source_prepare(&source, bytes, len, &limits, NULL);
  if (result != REBAL_OK) {
    return result;
  }
  result = rebali_source_open(&source, kind, NULL);
  if (result == REBAL_OK) {
    result = rebali_tree_read(&source, documents, n, NULL);
  }
  kind->close(&source);
  return result;
}

static void compare_readers(const char *bytes, size_t len) {
  json_t **fast = NULL, **plain = NULL;
  size_t n_fast = 0, n_plain = 0;
  if (read_by(&rebali_source_yaml_lines, bytes, len, &fast, &n_fast) != REBAL_OK) {
    return;
  }
  law(read_by(&rebali_source_yaml, bytes, len, &plain, &n_plain) == REBAL_OK && n_fast == n_plain);
  for (size_t i = 0; i < n_fast; i++) {
    law(json_equal(fast[i], plain[i]));
  }
  rebali_documents_free(fast, n_fast);
  rebali_documents_free(plain, n_plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  compare_readers((const char *)data, size);
  check_text((const char *)data, size);
  return 0;
}
