/* SPDX-License-Identifier: MIT */
/* Forms that texts must have: labels, names of objects; and which names are near. */
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

/* [a-z0-9-], at both ends no dash. */
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

#define NEAR_LEN 64

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static int is_same(char left, char right) {
  return to_small(left) == to_small(right);
}

/* Letters added, dropped, changed or swapped with the next on the way from one text to the other. */
static size_t distance(const char *left, size_t left_len, const char *right, size_t right_len) {
  size_t rows[3][NEAR_LEN + 1];
  for (size_t i = 0; i <= left_len; i++) {
    size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= right_len; j++) {
      if (i == 0) {
        row[j] = j;
        continue;
      }
      row[j] = smaller(above[j - 1] + !is_same(left[i - 1], right[j - 1]), smaller(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && is_same(left[i - 1], right[j - 2]) && is_same(left[i - 2], right[j - 1])) {
        row[j] = smaller(row[j], before[j - 2] + 1);
      }
    }
  }
  return rows[left_len % 3][right_len];
}

#define STEM_LEN 15 /* of names that another version has with a word more */

int rebali_is_near(const char *text, const char *name) {
  const size_t len = strlen(text), name_len = strlen(name), shorter = len < name_len ? len : name_len;
  const size_t allowed = name_len > 4 ? 2 : 1; /* of short names little would be left */
  if (shorter >= STEM_LEN && strncmp(text, name, shorter) == 0) {
    return 1;
  }
  if (len > NEAR_LEN || name_len > NEAR_LEN || len > name_len + allowed || name_len > len + allowed) {
    return 0;
  }
  return distance(text, len, name, name_len) <= allowed;
}
