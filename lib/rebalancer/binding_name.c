/* SPDX-License-Identifier: MIT */
#include "rebalancer/rebalancer.h"

/* Letters in names and kinds of the API are ASCII; other bytes are kept. */
static char lower(char byte) {
  return (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte);
}

/* bytes must have space for both texts and the hyphen. */
static void write_name(char *bytes, struct rebali_text name, struct rebali_text kind) {
  size_t i;

  for (i = 0; i < name.len; i++) {
    bytes[i] = name.bytes[i] == ':' ? '.' : lower(name.bytes[i]);
  }
  bytes[name.len] = '-';
  for (i = 0; i < kind.len; i++) {
    bytes[name.len + 1 + i] = lower(kind.bytes[i]);
  }
}

/* Does not overflow: no text is longer than REBALI_TEXT_MAX. */
static size_t name_length(struct rebali_text name, struct rebali_text kind) {
  return name.len + 1 + kind.len;
}

struct rebali_text rebali_binding_name(struct rebali_arena *arena, struct rebali_text name, struct rebali_text kind) {
  const size_t len = name_length(name, kind);
  char *bytes = rebali_arena_allocate(arena, len, 1);

  if (bytes == NULL) {
    return rebali_text(NULL, 0);
  }
  write_name(bytes, name, kind);
  return rebali_text(bytes, len);
}

int32_t rebal_binding_name(const char *resource_name, size_t name_len, const char *kind, size_t kind_len, char *buffer,
                           size_t capacity, size_t *len, rebal_error *err) {
  struct rebali_text name, kind_text;
  size_t needed;
  int32_t code = rebali_text_take(resource_name, name_len, "the name", &name, err);

  if (code == REBAL_OK) {
    code = rebali_text_take(kind, kind_len, "the kind", &kind_text, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if (len == NULL || (buffer == NULL && capacity != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is missing", len == NULL ? "len" : "buffer");
  }
  needed = name_length(name, kind_text);
  *len = needed;
  if (capacity == 0) {
    return REBAL_OK;
  }
  if (capacity < needed) {
    return rebali_fail(err, REBAL_ERANGE, -1, "the buffer is too small");
  }
  write_name(buffer, name, kind_text);
  if (capacity > needed) {
    buffer[needed] = '\0';
  }
  return REBAL_OK;
}
