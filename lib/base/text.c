/* SPDX-License-Identifier: MIT */
#include "base/base.h"

int rebali_text_compare(struct rebali_text left, struct rebali_text right) {
  const size_t shorter = left.len < right.len ? left.len : right.len;
  const int order = shorter == 0 ? 0 : memcmp(left.bytes, right.bytes, shorter);

  if (order != 0) {
    return order < 0 ? -1 : 1;
  }
  return (left.len > right.len) - (left.len < right.len);
}
