/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

static int32_t check_size(uint32_t size, size_t first, rebal_error *err) {
  return size >= first && size <= REBALI_STRUCTURE_MAX
             ? REBAL_OK
             : rebali_fail(err, REBAL_EABI, -1, "struct_size %lu is not supported", (unsigned long)size);
}

int32_t rebali_options_load(void *dst, size_t known, size_t first, const void *src, rebal_error *err) {
  const unsigned char *bytes = src;
  uint32_t size;
  size_t i;
  int32_t code;

  memset(dst, 0, known);
  if (src == NULL) {
    return REBAL_OK;
  }
  memcpy(&size, src, sizeof size);
  code = check_size(size, first, err);
  if (code != REBAL_OK) {
    return code;
  }
  /* Members that this library does not know must have their default. */
  for (i = known; i < size; i++) {
    if (bytes[i] != 0) {
      return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "the member at byte %lu is newer than this library",
                         (unsigned long)i);
    }
  }
  memcpy(dst, src, size < known ? size : known);
  return REBAL_OK;
}

int32_t rebali_structure_check(const void *out, size_t first, rebal_error *err) {
  uint32_t size;

  memcpy(&size, out, sizeof size);
  return check_size(size, first, err);
}

void rebali_structure_fill(void *out, const void *filled, size_t known) {
  uint32_t size;

  memcpy(&size, out, sizeof size);
  memcpy(out, filled, size < known ? size : known);
  memcpy(out, &size, sizeof size);
  if (size > known) {
    memset((unsigned char *)out + known, 0, size - known);
  }
}
