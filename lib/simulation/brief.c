/* SPDX-License-Identifier: MIT */
/* Fields in the short notation people use: {member1:2, member2:1}. */
#include "simulation.h"

#include <string.h>

/*
 * A format says what is written of each item of a list: @name stands for the text of that member (dots lead deeper),
 * ?name and !name for the same with a space or an equals sign before it when it is there, anything else for itself.
 */
static int32_t write_member(struct rebali_slice item, const char *path, size_t len, char mark, rebal_text *out,
                            rebal_error *err) {
  while (len > 0) {
    const char *dot = memchr(path, '.', len);
    const size_t step = dot != NULL ? (size_t)(dot - path) : len;
    char key[40];
    if (step >= sizeof key) {
      return REBAL_OK;
    }
    memcpy(key, path, step);
    key[step] = '\0';
    item = rebali_cursor_find(item, key);
    path += step + (dot != NULL);
    len -= step + (dot != NULL);
  }
  if (item.len == 0) {
    return REBAL_OK;
  }
  if (mark != '@') {
    const int32_t code = rebal_text_append(out, mark == '?' ? " " : "=", 1, err);
    if (code != REBAL_OK) {
      return code;
    }
  }
  return rebali_cursor_text(item, out, err);
}

static int32_t write_item(const char *format, struct rebali_slice item, rebal_text *out, rebal_error *err) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.";
  int32_t code = REBAL_OK;
  while (code == REBAL_OK && *format != '\0') {
    const size_t plain = strcspn(format, "@?!");
    size_t name;
    code = rebal_text_append(out, format, plain, err);
    format += plain;
    if (code != REBAL_OK || *format == '\0') {
      return code;
    }
    name = strspn(format + 1, letters);
    code = write_member(item, format + 1, name, *format, out, err);
    format += 1 + name;
  }
  return code;
}

int32_t rebali_brief(const char *format, struct rebali_slice value, rebal_text *out, rebal_error *err) {
  struct rebali_slice item;
  size_t at = 0;
  int32_t code;
  if (format == NULL || rebali_cursor_kind(value) != REBALI_JSON_LIST) {
    return rebal_text_append(out, value.len > 0 ? value.bytes : "", value.len, err);
  }
  if (!rebali_cursor_item(value, &at, &item)) {
    return REBAL_OK;
  }
  at = 0;
  code = rebal_text_append(out, "{", 1, err);
  for (size_t i = 0; code == REBAL_OK && rebali_cursor_item(value, &at, &item); i++) {
    if (i > 0) {
      code = rebal_text_append(out, ", ", 2, err);
    }
    if (code == REBAL_OK) {
      code = write_item(format, item, out, err);
    }
  }
  return code == REBAL_OK ? rebal_text_append(out, "}", 1, err) : code;
}
