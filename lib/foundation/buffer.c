/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include <stdarg.h>
#include <stdio.h>

void rebali_buffer_init(struct rebali_buffer *buffer, const rebal_allocator *allocator) {
  *buffer = (struct rebali_buffer){NULL, 0, 0, 0, allocator};
}

char *rebali_buffer_reserve(struct rebali_buffer *buffer, size_t len) {
  if (buffer->failed || len > SIZE_MAX - 1 - buffer->len ||
      rebali_reserve(buffer->allocator, &buffer->bytes, &buffer->capacity, buffer->len + len + 1, 1) != REBAL_OK) {
    buffer->failed = 1;
    return NULL;
  }
  return buffer->bytes + buffer->len;
}

void rebali_buffer_append(struct rebali_buffer *buffer, const char *bytes, size_t len) {
  char *end = rebali_buffer_reserve(buffer, len);

  if (end == NULL) {
    return;
  }
  if (len != 0) {
    memcpy(end, bytes, len);
  }
  buffer->len += len;
  end[len] = '\0';
}

void rebali_buffer_text(struct rebali_buffer *buffer, const char *text) {
  rebali_buffer_append(buffer, text, strlen(text));
}

void rebali_buffer_append_i64(struct rebali_buffer *buffer, int64_t value) {
  char digits[20]; /* 19 digits and a sign */
  size_t start = sizeof digits;
  uint64_t magnitude = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;

  do {
    digits[--start] = (char)('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude != 0);
  if (value < 0) {
    digits[--start] = '-';
  }
  rebali_buffer_append(buffer, digits + start, sizeof digits - start);
}

void rebali_buffer_format_list(struct rebali_buffer *buffer, const char *format, va_list arguments) {
  const size_t left = buffer->capacity - buffer->len;
  va_list again;
  int needed;

  va_copy(again, arguments);
  needed = vsnprintf(left > 0 ? buffer->bytes + buffer->len : NULL, left, format, arguments);
  if (needed < 0) {
    buffer->failed = 1;
  } else if ((size_t)needed < left && !buffer->failed) {
    buffer->len += (size_t)needed;
  } else {
    char *end = rebali_buffer_reserve(buffer, (size_t)needed);

    if (end != NULL) {
      (void)vsnprintf(end, (size_t)needed + 1, format, again);
      buffer->len += (size_t)needed;
    }
  }
  va_end(again);
}

void rebali_buffer_format(struct rebali_buffer *buffer, const char *format, ...) {
  va_list arguments;

  va_start(arguments, format);
  rebali_buffer_format_list(buffer, format, arguments);
  va_end(arguments);
}

void rebali_buffer_clear(struct rebali_buffer *buffer) {
  buffer->len = 0;
  buffer->failed = 0;
}

void rebali_buffer_dispose(struct rebali_buffer *buffer) {
  rebali_release(buffer->allocator, buffer->bytes);
  rebali_buffer_init(buffer, buffer->allocator);
}

int32_t rebali_text_give(struct rebali_text text, char *buffer, size_t capacity, size_t *len, rebal_error *err) {
  if (len == NULL || (buffer == NULL && capacity != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is missing", len == NULL ? "len" : "buffer");
  }
  *len = text.len;
  if (capacity == 0) {
    return REBAL_OK;
  }
  if (capacity < text.len) {
    return rebali_fail(err, REBAL_ERANGE, -1, "the buffer is too small");
  }
  if (text.len != 0) {
    memcpy(buffer, text.bytes, text.len);
  }
  if (capacity > text.len) {
    buffer[text.len] = '\0';
  }
  return REBAL_OK;
}
