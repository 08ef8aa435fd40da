/* SPDX-License-Identifier: MIT */
/* Errors, formatted text, growing arrays. */
#include "simulation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts of the scenario stand in messages; where they did not fit, no part of a character is left at the end. */
void rebali_trim(char *text, size_t capacity) {
  size_t len = strlen(text), back = 0;
  unsigned char first;
  if (len + 1 < capacity) {
    return;
  }
  while (back < 3 && back < len && ((unsigned char)text[len - 1 - back] & 0xC0) == 0x80) {
    back++;
  }
  first = back < len ? (unsigned char)text[len - 1 - back] : 0;
  if (first >= 0xC0) {
    text[len - 1 - back] = '\0';
  }
}

int32_t rebali_report(rebal_error *err, int32_t code, const char *format, ...) {
  va_list arguments;
  if (err == NULL || err->struct_size < sizeof *err) {
    return code;
  }
  err->code = code;
  err->where = -1;
  err->document = err->line = err->column = err->reserved0 = 0;
  err->field[0] = '\0';
  va_start(arguments, format);
  (void)vsnprintf(err->message, sizeof err->message, format, arguments);
  va_end(arguments);
  rebali_trim(err->message, sizeof err->message);
  return code;
}

int32_t rebali_report_memory(rebal_error *err) {
  return rebali_report(err, REBAL_ENOMEM, "out of memory");
}

int32_t rebali_print(rebal_text *out, rebal_error *err, const char *format, ...) {
  char small[256];
  char *bytes = small;
  va_list arguments;
  int len;
  int32_t code;
  va_start(arguments, format);
  len = vsnprintf(small, sizeof small, format, arguments);
  va_end(arguments);
  if (len < 0) {
    return rebali_report(err, REBAL_EINVAL, "a text cannot be formatted");
  }
  if ((size_t)len >= sizeof small) {
    bytes = malloc((size_t)len + 1);
    if (bytes == NULL) {
      return rebali_report_memory(err);
    }
    va_start(arguments, format);
    (void)vsnprintf(bytes, (size_t)len + 1, format, arguments);
    va_end(arguments);
  }
  code = rebal_text_append(out, bytes, (size_t)len, err);
  if (bytes != small) {
    free(bytes);
  }
  return code;
}

char *rebali_bytes_copy(const char *bytes, size_t len) {
  char *copy = len < SIZE_MAX ? malloc(len + 1) : NULL;
  if (copy == NULL) {
    return NULL;
  }
  if (len > 0) {
    memcpy(copy, bytes, len);
  }
  copy[len] = '\0';
  return copy;
}

int32_t rebali_items_reserve(void **items, size_t n, size_t *capacity, size_t size, rebal_error *err) {
  const size_t wanted = *capacity > 0 ? *capacity * 2 : 8;
  void *grown;
  if (n < *capacity) {
    return REBAL_OK;
  }
  if (wanted < *capacity || wanted > SIZE_MAX / size) {
    return rebali_report_memory(err);
  }
  grown = realloc(*items, wanted * size);
  if (grown == NULL) {
    return rebali_report_memory(err);
  }
  *items = grown;
  *capacity = wanted;
  return REBAL_OK;
}
