/* SPDX-License-Identifier: MIT */
/* Texts passed to public functions. */
#include "manifest/manifest.h"

static int32_t take(const char **text, size_t *len, size_t longest, const char *what, rebal_error *err) {
  struct rebali_text taken;
  const int32_t code = rebali_text_take_within(*text, *len, longest, what, &taken, err);

  if (code == REBAL_OK) {
    *text = taken.bytes;
    *len = taken.len;
  }
  return code;
}

int32_t rebali_take_text(const char **text, size_t *len, const char *what, rebal_error *err) {
  return take(text, len, REBALI_TEXT_MAX, what, err);
}

int32_t rebali_take_stream(const char **text, size_t *len, const char *what, rebal_error *err) {
  return take(text, len, PTRDIFF_MAX, what, err);
}

int32_t rebali_take_id(const char **id, size_t *len, rebal_error *err) {
  const int32_t code = rebali_take_text(id, len, "id", err);
  if (code != REBAL_OK) {
    return code;
  }
  return rebali_utf8_check(*id, *len) == *len ? REBAL_OK : rebali_fail(err, REBAL_EINVAL, -1, "id is not valid UTF-8");
}

size_t rebali_text_len(uint64_t len) {
  if (len == UINT64_MAX || len == REBAL_TERMINATED) { /* SIZE_MAX, if that is less, too */
    return REBAL_TERMINATED;
  }
  return len < SIZE_MAX ? (size_t)len : SIZE_MAX - 1;
}
