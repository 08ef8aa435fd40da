/* SPDX-License-Identifier: MIT */
/* Any text through the reader, as users give it. */
#include "text_laws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  check_text((const char *)data, size);
  return 0;
}
