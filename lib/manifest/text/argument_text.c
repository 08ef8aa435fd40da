/* SPDX-License-Identifier: MIT */
/* Texts that public functions are given. */
#include "manifest/manifest.h"

#include <string.h>

static int32_t take(const char **text, size_t *len, size_t longest, const char *what, rebal_error *err) {
  if (*text == NULL && *len > 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is NULL", what);
  }
  *text = *text != NULL ? *text : "";
  *len = *len == REBAL_TERMINATED ? strlen(*text) : *len;
  return *len <= longest ? REBAL_OK : rebali_fail(err, REBAL_ELIMIT, -1, "%s is too long", what);
}

int32_t rebali_take_text(const char **text, size_t *len, const char *what, rebal_error *err) {
  return take(text, len, REBALI_TEXT_MAX, what, err);
}

int32_t rebali_take_stream(const char **text, size_t *len, const char *what, rebal_error *err) {
  return take(text, len, PTRDIFF_MAX, what, err);
}

int32_t rebali_take_id(const char **id, size_t *len, rebal_error *err) {
  const int32_t result = rebali_take_text(id, len, "id", err);
  if (result != REBAL_OK) {
    return result;
  }
  return rebali_utf8_check(*id, *len) == *len ? REBAL_OK : rebali_fail(err, REBAL_EINVAL, -1, "id is not valid UTF-8");
}

size_t rebali_text_len(uint64_t len) {
  if (len == UINT64_MAX || len == REBAL_TERMINATED) { /* SIZE_MAX, where that is less, too */
    return REBAL_TERMINATED;
  }
  return len < SIZE_MAX ? (size_t)len : SIZE_MAX - 1;
}
