/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

int32_t rebali_text_take_within(const char *bytes, uint64_t len, size_t longest, const char *what,
                                struct rebali_text *out, rebal_error *err) {
  const int is_terminated = len == UINT64_MAX || len == REBAL_TERMINATED;

  if (bytes == NULL && len != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is missing", what);
  }
  len = is_terminated ? strlen(bytes) : len;
  if (len > longest) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "%s is longer than %zu bytes", what, longest);
  }
  *out = rebali_text(bytes == NULL ? "" : bytes, (size_t)len);
  return REBAL_OK;
}

int32_t rebali_text_take(const char *bytes, uint64_t len, const char *what, struct rebali_text *out, rebal_error *err) {
  return rebali_text_take_within(bytes, len, REBALI_TEXT_MAX, what, out, err);
}

int rebali_text_compare(struct rebali_text left, struct rebali_text right) {
  const size_t shorter = left.len < right.len ? left.len : right.len;
  const int order = shorter == 0 ? 0 : memcmp(left.bytes, right.bytes, shorter);

  if (order != 0) {
    return order < 0 ? -1 : 1;
  }
  return (left.len > right.len) - (left.len < right.len);
}
