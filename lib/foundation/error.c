/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include <stdarg.h>
#include <stdio.h>

/* The structure has not grown since its first release, so a smaller size is invalid. */
static int is_usable(const rebal_error *err) {
  return err != NULL && err->struct_size >= sizeof(rebal_error) && err->struct_size <= REBALI_STRUCTURE_MAX;
}

/* The message contains texts of the caller and may be truncated: removes all that is not UTF-8. */
static void trim(char *text, size_t capacity) {
  const size_t len = rebali_utf8_check(text, strlen(text));

  memset(text + len, 0, capacity - len);
}

int32_t rebali_fail(rebal_error *err, int32_t code, int64_t where, const char *format, ...) {
  va_list arguments;

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
  if (vsnprintf(err->message, sizeof err->message, format, arguments) < 0) {
    err->message[0] = '\0';
  }
  va_end(arguments);
  trim(err->message, sizeof err->message);
  return code;
}

void rebali_fail_at(rebal_error *err, int64_t where, uint32_t document, uint32_t line, uint32_t column) {
  if (is_usable(err)) {
    err->where = where;
    err->document = document;
    err->line = line;
    err->column = column;
  }
}

void rebali_fail_field(rebal_error *err, const char *field) {
  if (is_usable(err)) {
    (void)snprintf(err->field, sizeof err->field, "%s", field);
    trim(err->field, sizeof err->field);
  }
}
