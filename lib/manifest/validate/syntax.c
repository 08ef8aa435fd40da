/* SPDX-License-Identifier: MIT */
/* Required forms of texts: labels, names of objects. */
#include "manifest/validate/checks.h"

#include <string.h>

static int is_small(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static char to_small(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int is_alphanumeric(char c) {
  return is_small(to_small(c));
}

int rebali_is_name_pattern(const char *text) {
  const size_t len = strlen(text);
  if (len == 0 || !is_alphanumeric(text[0]) || !is_alphanumeric(text[len - 1])) {
    return 0;
  }
  for (size_t i = 0; i < len; i++) {
    if (!is_alphanumeric(text[i]) && strchr("_.-", text[i]) == NULL) {
      return 0;
    }
  }
  return 1;
}

static int is_name_part(const char *text) {
  return strlen(text) <= 63 && rebali_is_name_pattern(text);
}

/* [a-z0-9-], no dash at either end. */
static int is_dns_part(const char *text, size_t len) {
  if (len == 0 || !is_small(text[0]) || !is_small(text[len - 1])) {
    return 0;
  }
  for (size_t i = 0; i < len; i++) {
    if (!is_small(text[i]) && text[i] != '-') {
      return 0;
    }
  }
  return 1;
}

int rebali_is_dns_label(const char *text, size_t max_len) {
  return strlen(text) <= max_len && is_dns_part(text, strlen(text));
}

int rebali_is_subdomain_pattern(const char *text, size_t len) {
  const char *end = text + len;
  for (;;) {
    const char *dot = memchr(text, '.', (size_t)(end - text));
    if (!is_dns_part(text, (size_t)((dot != NULL ? dot : end) - text))) {
      return 0;
    }
    if (dot == NULL) {
      return 1;
    }
    text = dot + 1;
  }
}

static int is_subdomain(const char *text, size_t len) {
  return len <= 253 && rebali_is_subdomain_pattern(text, len);
}

int rebali_is_dns_subdomain(const char *text) {
  return is_subdomain(text, strlen(text));
}

int rebali_is_key_form(const char *text) {
  const char *slash = strchr(text, '/');
  if (slash == NULL) {
    return is_name_part(text);
  }
  return is_subdomain(text, (size_t)(slash - text)) && is_name_part(slash + 1);
}

int rebali_is_value_form(const char *text) {
  return text[0] == '\0' || is_name_part(text);
}

int rebali_is_listed(const char *text, const char *list) {
  const size_t len = strlen(text);
  while (*list != '\0') {
    const size_t next = strcspn(list, " ");
    if (next == len && memcmp(list, text, len) == 0) {
      return 1;
    }
    list += list[next] == ' ' ? next + 1 : next;
  }
  return 0;
}
