/* SPDX-License-Identifier: MIT */
/* Finds names that a text may be a typo of. */
#include "foundation/near.h"

static char to_small(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#define NEAR_LEN 64

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

static int is_same(char left, char right) {
  return to_small(left) == to_small(right);
}

/* Returns how many letters must be added, dropped, changed or swapped with the next to turn one text into the other. */
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

#define STEM_LEN 15 /* length of names that another version may extend by a word */

int rebali_is_near(struct rebali_text text, struct rebali_text name) {
  const size_t len = text.len, name_len = name.len, shorter = smaller(len, name_len);
  const size_t allowed = name_len > 4 ? 2 : 1; /* short names would be changed too much */
  if (shorter >= STEM_LEN && memcmp(text.bytes, name.bytes, shorter) == 0) {
    return 1;
  }
  if (len > NEAR_LEN || name_len > NEAR_LEN || len > name_len + allowed || name_len > len + allowed) {
    return 0;
  }
  return distance(text.bytes, len, name.bytes, name_len) <= allowed;
}
