/* SPDX-License-Identifier: MIT */
/* How the API server's errors name an object. */
#include "manifest/manifest.h"

#include <string.h>

void rebali_append_subject(struct rebali_buffer *output, const char *api_version, const char *kind, const char *name) {
  const char *slash = strchr(api_version, '/');
  for (const char *c = kind; *c != '\0'; c++) {
    const char lower = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    rebali_buffer_append(output, &lower, 1);
  }
  rebali_buffer_text(output, "s");
  if (slash != NULL) {
    rebali_buffer_text(output, ".");
    rebali_buffer_append(output, api_version, (size_t)(slash - api_version));
  }
  rebali_buffer_text(output, " \"");
  rebali_buffer_text(output, name);
  rebali_buffer_text(output, "\"");
}
