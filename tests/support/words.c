/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_wrong(const char *what, struct test_word word) {
  fprintf(stderr, "test table: %s: %.*s\n", what, (int)word.len, word.text);
  abort();
}

struct test_word test_word(const char *text) {
  return (struct test_word){text == NULL ? "" : text, text == NULL ? 0 : strlen(text)};
}

struct test_word test_cut(struct test_word *word, char separator) {
  const char *at = memchr(word->text, separator, word->len);
  struct test_word after = {"", 0};

  if (at != NULL) {
    after = (struct test_word){at + 1, word->len - (size_t)(at + 1 - word->text)};
    word->len = (size_t)(at - word->text);
  }
  return after;
}

int test_next(struct test_word *rest, char separator, struct test_word *out) {
  if (rest->len == 0) {
    return 0;
  }
  *out = *rest;
  *rest = test_cut(out, separator);
  return 1;
}

int64_t test_number(struct test_word word) {
  char digits[32];
  char *end;
  long long value;

  if (word.len == 0 || word.len >= sizeof digits) {
    test_wrong("no number", word);
  }
  memcpy(digits, word.text, word.len);
  digits[word.len] = '\0';
  value = strtoll(digits, &end, 10);
  if (*end != '\0') {
    test_wrong("no number", word);
  }
  return value;
}
