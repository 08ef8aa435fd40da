/* SPDX-License-Identifier: MIT */
/* Text that grows. */
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

/* By doubling. */
static int grow(struct rebali_output *output, size_t len) {
  size_t capacity = output->capacity != 0 ? output->capacity : 64;
  char *bytes;
  if (output->failed || len > SIZE_MAX / 4 - output->len) {
    output->failed = 1;
    return 0;
  }
  while (capacity <= output->len + len) { /* below SIZE_MAX / 4, so that doubling does not wrap */
    capacity *= 2;
  }
  bytes = realloc(output->bytes, capacity);
  if (bytes == NULL) {
    output->failed = 1;
    return 0;
  }
  output->bytes = bytes;
  output->capacity = capacity;
  return 1;
}

char *rebali_output_reserve(struct rebali_output *output, size_t len) {
  const int has_room = !output->failed && len < output->capacity - output->len;
  return has_room || grow(output, len) ? output->bytes + output->len : NULL;
}

void rebali_output_append(struct rebali_output *output, const char *bytes, size_t len) {
  if (rebali_output_reserve(output, len) == NULL) {
    return;
  }
  if (len > 0) {
    memcpy(output->bytes + output->len, bytes, len);
  }
  output->len += len;
  output->bytes[output->len] = '\0';
}

void rebali_output_text(struct rebali_output *output, const char *text) {
  rebali_output_append(output, text, strlen(text));
}

void rebali_output_clear(struct rebali_output *output) {
  output->len = 0;
  output->failed = 0;
}

void rebali_output_dispose(struct rebali_output *output) {
  free(output->bytes);
  *output = (struct rebali_output){NULL, 0, 0, 0};
}
