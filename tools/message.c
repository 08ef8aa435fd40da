/* SPDX-License-Identifier: MIT */
/* Prints lines to standard error. */
#include "rebalancectl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int is_control(const char *bytes, size_t len, size_t *size) {
  const unsigned char first = (unsigned char)bytes[0];
  *size = 1;
  if (first < 0x20 || first == 0x7F) {
    return 1;
  }
  /* U+0080 to U+009F, which some terminals obey as well. */
  if (first == 0xC2 && len > 1 && (unsigned char)bytes[1] >= 0x80 && (unsigned char)bytes[1] < 0xA0) {
    *size = 2;
    return 1;
  }
  return 0;
}

char *escaped(const char *text) {
  size_t len = strlen(text), size;
  char *copy = malloc(4 * len + 1), *at = copy;
  if (copy == NULL) {
    return NULL;
  }
  for (; len > 0; text += size, len -= size) {
    if (!is_control(text, len, &size)) {
      *at++ = *text;
    } else {
      for (size_t i = 0; i < size; i++) {
        at += snprintf(at, 5, "\\x%02x", (unsigned)(unsigned char)text[i]);
      }
    }
  }
  *at = '\0';
  return copy;
}

void complain(const char *format, ...) {
  va_list arguments;
  char *line = NULL, *shown = NULL;
  int len;
  va_start(arguments, format);
  len = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (len >= 0) {
    line = malloc((size_t)len + 1);
  }
  if (line != NULL) {
    va_start(arguments, format);
    (void)vsnprintf(line, (size_t)len + 1, format, arguments);
    va_end(arguments);
    shown = escaped(line);
  }
  progress_hide();
  (void)fputs(shown != NULL ? shown : "rebalancectl: out of memory", stderr);
  (void)fputc('\n', stderr);
  progress_show();
  free(shown);
  free(line);
}

enum status complain_of_file(const char *file, const rebal_error *err) {
  const char *const colon = err->field[0] != '\0' ? ": " : "";
  if (err->line != 0) {
    complain("%s:%u:%u: %s%s%s", file, (unsigned)err->line, (unsigned)err->column, err->field, colon, err->message);
  } else {
    complain("%s: %s%s%s", file, err->field, colon, err->message);
  }
  return STATUS_INPUT;
}

enum status complain_of_call(const rebal_error *err) {
  return complain_of_file("rebalancectl", err);
}

enum status complain_of_memory(void) {
  complain("rebalancectl: out of memory");
  return STATUS_INPUT;
}
