/* SPDX-License-Identifier: MIT */
/* A text read as events: common parts of both formats. */
#include "manifest/manifest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

int32_t rebali_source_prepare(struct rebali_source *source, const char *bytes, size_t len,
                              const struct rebali_limits *limits, rebal_error *err) {
  size_t bad;
  memset(source, 0, sizeof *source);
  source->limits = rebali_limits_load(limits);
  if (bytes == NULL && len > 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "text is NULL");
  }
  if (len > source->limits.bytes) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "text of %zu bytes is larger than the limit of %zu", len,
                       source->limits.bytes);
  }
  if (len >= 3 && memcmp(bytes, BYTE_ORDER_MARK, 3) == 0) {
    source->skipped = 3;
  }
  source->bytes = bytes != NULL ? bytes + source->skipped : "";
  source->len = len - source->skipped;
  bad = rebali_utf8_check(source->bytes, source->len);
  if (bad == source->len) {
    return REBAL_OK;
  }
  source->kind = &rebali_source_json; /* counts in bytes */
  return rebali_source_fail(source, bad, err, REBAL_EPARSE, "not valid UTF-8");
}

int rebali_source_is_json(const struct rebali_source *source) {
  size_t at = 0;
  while (at < source->len && memchr(" \t\r\n", source->bytes[at], 4) != NULL) {
    at++;
  }
  return at < source->len && (source->bytes[at] == '{' || source->bytes[at] == '[');
}

int32_t rebali_source_open(struct rebali_source *source, const struct rebali_source_kind *kind, rebal_error *err) {
  source->kind = kind;
  source->nodes = 0;
  source->depth = 0;
  source->documents = 0;
  source->state = NULL;
  return kind->open(source, err);
}

int32_t rebali_source_count(struct rebali_source *source, const struct rebali_event *event, rebal_error *err) {
  const int is_null = event->kind == REBALI_EVENT_SCALAR && event->scalar == REBALI_SCALAR_NULL;
  if (event->kind == REBALI_EVENT_MAP_END || event->kind == REBALI_EVENT_LIST_END) {
    source->depth--;
    return REBAL_OK;
  }
  if (source->depth == 0 && !is_null && source->documents < UINT32_MAX) {
    source->documents++;
  }
  if (++source->nodes > source->limits.nodes) {
    return rebali_source_fail(source, event->offset, err, REBAL_ELIMIT, "more than %zu values", source->limits.nodes);
  }
  if (event->kind != REBALI_EVENT_MAP_START && event->kind != REBALI_EVENT_LIST_START) {
    return REBAL_OK;
  }
  if (++source->depth > source->limits.depth) {
    return rebali_source_fail(source, event->offset, err, REBAL_ELIMIT, "nested deeper than %zu levels",
                              source->limits.depth);
  }
  return REBAL_OK;
}

int32_t rebali_source_fail(const struct rebali_source *source, size_t offset, rebal_error *err, int32_t code,
                           const char *format, ...) {
  char message[sizeof err->message];
  struct rebali_position position;
  va_list arguments;
  if (err == NULL) {
    return code;
  }
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  position = rebali_position_find(source->bytes, source->len, offset, source->kind->in_characters);
  (void)rebali_fail(err, code, -1, "%s", message);
  rebali_fail_at(err, (int64_t)(position.byte + source->skipped), source->documents + (source->depth == 0 ? 1 : 0),
                 position.line, position.column);
  return code;
}
