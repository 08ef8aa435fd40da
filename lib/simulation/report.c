/* SPDX-License-Identifier: MIT */
/* Formatted text, copies. */
#include "simulation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    return rebali_fail(err, REBAL_EINVAL, -1, "a text cannot be formatted");
  }
  if ((size_t)len >= sizeof small) {
    bytes = malloc((size_t)len + 1);
    if (bytes == NULL) {
      return rebali_fail_memory(err);
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
