/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include <stdarg.h>
#include <stdio.h>

/* The structure has not grown since its first release, so no smaller size can be a caller's. */
static int is_usable(const rebal_error *err) {
  return err != NULL && err->struct_size >= sizeof(rebal_error) && err->struct_size <= REBALI_STRUCTURE_MAX;
}

/* A message cut at the end of its array must not end inside a UTF-8 sequence. It is far longer than one sequence. */
static void drop_partial_character(char *message, size_t len) {
  size_t lead = len;
  size_t continuation = 0;
  unsigned char first;
  size_t expected;

  while (continuation < 3 && ((unsigned char)message[lead - 1] & 0xC0u) == 0x80u) {
    lead--;
    continuation++;
  }
  first = (unsigned char)message[lead - 1];
  expected = first >= 0xF0u ? 3 : first >= 0xE0u ? 2 : first >= 0xC0u ? 1 : 0;
  if (expected > continuation) {
    message[lead - 1] = '\0';
  }
}

int32_t rebali_fail(rebal_error *err, int32_t code, int64_t where, const char *format, ...) {
  va_list arguments;
  int written;

  if (!is_usable(err)) {
    return code;
  }
  err->code = code;
  err->where = where;
  err->document = 0;
  err->line = 0;
  err->column = 0;
  err->reserved0 = 0;
  memset(err->field, 0, sizeof err->field);
  memset(err->message, 0, sizeof err->message);
  va_start(arguments, format);
  written = vsnprintf(err->message, sizeof err->message, format, arguments);
  va_end(arguments);
  if (written < 0) {
    err->message[0] = '\0';
  } else if ((size_t)written >= sizeof err->message) {
    drop_partial_character(err->message, sizeof err->message - 1);
  }
  return code;
}
