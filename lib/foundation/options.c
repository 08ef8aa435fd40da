/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

int32_t rebali_options_load(void *dst, size_t known, size_t first, const void *src, rebal_error *err) {
  const unsigned char *bytes = src;
  uint32_t size;
  size_t i;

  memset(dst, 0, known);
  if (src == NULL) {
    return REBAL_OK;
  }
  memcpy(&size, src, sizeof size);
  if (size < first || size > REBALI_STRUCTURE_MAX) {
    return rebali_fail(err, REBAL_EABI, -1, "struct_size %lu is not one this library knows", (unsigned long)size);
  }
  /* A newer caller may speak only through members this library knows: the rest must be at its default. */
  for (i = known; i < size; i++) {
    if (bytes[i] != 0) {
      return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "the member at byte %lu is newer than this library",
                         (unsigned long)i);
    }
  }
  memcpy(dst, src, size < known ? size : known);
  return REBAL_OK;
}
