/* SPDX-License-Identifier: MIT */
/* Syntax of label keys and values; rebalance-karmada(7) 1.1 and 3.1. */
#include "foundation/foundation.h"

#define MAX_NAME 63u
#define MAX_PREFIX 253u

static int is_lower_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static int is_alphanumeric(char c) {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

static int is_name_part(struct rebali_text name) {
  size_t i;

  if (name.len == 0 || name.len > MAX_NAME || !is_alphanumeric(name.bytes[0]) ||
      !is_alphanumeric(name.bytes[name.len - 1])) {
    return 0;
  }
  for (i = 0; i < name.len; i++) {
    const char c = name.bytes[i];

    if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') {
      return 0;
    }
  }
  return 1;
}

/* Checks for labels of lower-case letters, digits and inner dashes, joined by dots. */
static int is_dns_subdomain(struct rebali_text name) {
  char before = '.';
  size_t i;

  if (name.len == 0 || name.len > MAX_PREFIX) {
    return 0;
  }
  for (i = 0; i < name.len; i++) {
    const char c = name.bytes[i];

    if (c == '.' || c == '-') {
      if (before == '.' || (c == '.' && before == '-')) {
        return 0;
      }
    } else if (!is_lower_alphanumeric(c)) {
      return 0;
    }
    before = c;
  }
  return is_lower_alphanumeric(before);
}

int rebali_is_qualified_name(struct rebali_text key) {
  const char *slash = key.len == 0 ? NULL : memchr(key.bytes, '/', key.len);
  size_t prefix;

  if (slash == NULL) {
    return is_name_part(key);
  }
  prefix = (size_t)(slash - key.bytes);
  /* A name part must not contain a second slash. */
  return is_dns_subdomain(rebali_text(key.bytes, prefix)) && is_name_part(rebali_text(slash + 1, key.len - prefix - 1));
}

int rebali_is_label_value(struct rebali_text value) {
  return value.len == 0 || is_name_part(value);
}
