/* SPDX-License-Identifier: MIT */
/* Names of resources that the vector form of a request keeps (rebalance-karmada(7) 1.1). */
#include "foundation/foundation.h"

#include <string.h>

static int has_prefix(struct rebali_text text, struct rebali_text prefix) {
  return text.len >= prefix.len && memcmp(text.bytes, prefix.bytes, prefix.len) == 0;
}

static int contains(struct rebali_text text, struct rebali_text part) {
  for (size_t i = 0; i + part.len <= text.len; i++) {
    if (memcmp(text.bytes + i, part.bytes, part.len) == 0) {
      return 1;
    }
  }
  return 0;
}

/* "requests." + name must be a qualified name, which makes the prefix part of name longer by that word. */
int rebali_is_extended_resource(struct rebali_text name) {
  static const char word[] = "requests.";
  char qualified[512];
  const size_t word_len = sizeof word - 1;

  if (memchr(name.bytes, '/', name.len) == NULL || contains(name, REBALI_TEXT("kubernetes.io/")) ||
      has_prefix(name, REBALI_TEXT("requests.")) || name.len > sizeof qualified - word_len) {
    return 0; /* a qualified name has at most 253 + 1 + 63 bytes */
  }
  memcpy(qualified, word, word_len);
  memcpy(qualified + word_len, name.bytes, name.len);
  return rebali_is_qualified_name(rebali_text(qualified, word_len + name.len));
}

int rebali_is_vector_resource(struct rebali_text name) {
  if (name.len == 0) {
    return 0;
  }
  return rebali_text_equal(name, REBALI_TEXT("cpu")) || rebali_text_equal(name, REBALI_TEXT("memory")) ||
         rebali_text_equal(name, REBALI_TEXT("ephemeral-storage")) || has_prefix(name, REBALI_TEXT("hugepages-")) ||
         has_prefix(name, REBALI_TEXT("attachable-volumes-")) || contains(name, REBALI_TEXT("kubernetes.io/")) ||
         rebali_is_extended_resource(name);
}
