/* SPDX-License-Identifier: MIT */
/* Filling the caller's error structure, which only ever grows at its end. */
#include "manifest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Callers who know less than the first release, or nothing, are left alone. */
static int is_usable(const rebal_error *err) {
  return err != NULL && err->struct_size >= sizeof(rebal_error);
}

/* Texts of the input stand in messages; where they did not fit, no part of a character is left at the end. */
static void trim(char *text) {
  text[rebali_utf8_check(text, strlen(text))] = '\0';
}

int32_t rebali_manifest_fail(rebal_error *err, int32_t code, const char *format, ...) {
  va_list arguments;
  if (!is_usable(err)) {
    return code;
  }
  err->code = code;
  err->field[0] = '\0';
  rebali_manifest_fail_at(err, -1, 0, 0, 0);
  va_start(arguments, format);
  (void)vsnprintf(err->message, sizeof err->message, format, arguments);
  va_end(arguments);
  trim(err->message);
  return code;
}

int32_t rebali_manifest_fail_memory(rebal_error *err) {
  return rebali_manifest_fail(err, REBAL_ENOMEM, "out of memory");
}

int32_t rebali_take_text(const char **text, size_t *len, const char *what, rebal_error *err) {
  if (*text == NULL && *len > 0) {
    return rebali_manifest_fail(err, REBAL_EINVAL, "%s is NULL", what);
  }
  *text = *text != NULL ? *text : "";
  *len = *len == REBAL_TERMINATED ? strlen(*text) : *len;
  return *len <= PTRDIFF_MAX ? REBAL_OK : rebali_manifest_fail(err, REBAL_ELIMIT, "%s is too long", what);
}

int32_t rebali_take_id(const char **id, size_t *len, rebal_error *err) {
  const int32_t result = rebali_take_text(id, len, "id", err);
  if (result != REBAL_OK) {
    return result;
  }
  return rebali_utf8_check(*id, *len) == *len ? REBAL_OK
                                              : rebali_manifest_fail(err, REBAL_EINVAL, "id is not valid UTF-8");
}

size_t rebali_text_len(uint64_t len) {
  if (len == UINT64_MAX || len == REBAL_TERMINATED) { /* SIZE_MAX, where that is less, too */
    return REBAL_TERMINATED;
  }
  return len < SIZE_MAX ? (size_t)len : SIZE_MAX - 1;
}

void rebali_manifest_fail_at(rebal_error *err, int64_t where, uint32_t document, uint32_t line, uint32_t column) {
  if (!is_usable(err)) {
    return;
  }
  err->where = where;
  err->document = document;
  err->line = line;
  err->column = column;
  err->reserved0 = 0;
}

void rebali_manifest_fail_field(rebal_error *err, const char *field) {
  if (!is_usable(err)) {
    return;
  }
  (void)snprintf(err->field, sizeof err->field, "%s", field);
  trim(err->field);
}
