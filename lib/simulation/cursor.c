/* SPDX-License-Identifier: MIT */
/* Walking over JSON that the library itself wrote: compact, well formed, one line. */
#include "simulation.h"

#include <stdio.h>
#include <string.h>

struct rebali_slice rebali_slice(const char *text) {
  return (struct rebali_slice){text, strlen(text)};
}

int rebali_slice_is(struct rebali_slice slice, const char *text) {
  return slice.len == strlen(text) && (slice.len == 0 || memcmp(slice.bytes, text, slice.len) == 0);
}

enum rebali_json_kind rebali_cursor_kind(struct rebali_slice value) {
  if (value.len == 0 || value.bytes[0] == 'n') {
    return REBALI_JSON_ABSENT;
  }
  switch (value.bytes[0]) {
    case '{':
      return REBALI_JSON_MAP;
    case '[':
      return REBALI_JSON_LIST;
    case '"':
      return REBALI_JSON_STRING;
    case 't':
    case 'f':
      return REBALI_JSON_BOOLEAN;
    default:
      return REBALI_JSON_NUMBER;
  }
}

/* The place of the quote that closes a string whose bytes start at at; len or beyond when there is none. */
static size_t find_quote(const char *text, size_t at, size_t len) {
  while (at < len && text[at] != '"') {
    at += text[at] == '\\' ? 2 : 1;
  }
  return at;
}

/* Length of the value at the start of text: to its closing bracket or quote, else to the next comma or bracket. */
static size_t value_length(const char *text, size_t len) {
  size_t depth = 0;
  for (size_t i = 0; i < len; i++) {
    const char c = text[i];
    if (c == '"') {
      i = find_quote(text, i + 1, len);
      if (i < len && depth == 0) {
        return i + 1;
      }
    } else if (c == '{' || c == '[') {
      depth++;
    } else if (c == '}' || c == ']') {
      if (depth == 0) {
        return i;
      }
      if (--depth == 0) {
        return i + 1;
      }
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return len;
}

/* The value that starts behind the opening bracket or the last comma; *at moves behind the comma that follows it. */
static struct rebali_slice take(struct rebali_slice from, size_t *at) {
  struct rebali_slice value = {from.bytes + *at, value_length(from.bytes + *at, from.len - *at)};
  *at += value.len;
  if (*at < from.len && from.bytes[*at] == ',') {
    ++*at;
  }
  return value;
}

/* Steps over the opening bracket; 0 when nothing is left. */
static int is_more(struct rebali_slice from, size_t *at) {
  if (*at == 0) {
    *at = 1;
  }
  return *at + 1 < from.len;
}

int rebali_cursor_member(struct rebali_slice map, size_t *at, struct rebali_slice *key, struct rebali_slice *value) {
  if (rebali_cursor_kind(map) != REBALI_JSON_MAP || !is_more(map, at)) {
    return 0;
  }
  key->bytes = map.bytes + *at + 1;
  key->len = value_length(map.bytes + *at, map.len - *at) - 2;
  *at += key->len + 3; /* both quotes and the colon */
  *value = take(map, at);
  return 1;
}

int rebali_cursor_item(struct rebali_slice list, size_t *at, struct rebali_slice *item) {
  if (rebali_cursor_kind(list) != REBALI_JSON_LIST || !is_more(list, at)) {
    return 0;
  }
  *item = take(list, at);
  return 1;
}

struct rebali_slice rebali_cursor_find(struct rebali_slice map, const char *key) {
  struct rebali_slice name, value;
  size_t at = 0;
  while (rebali_cursor_member(map, &at, &name, &value)) {
    if (rebali_slice_is(name, key) && rebali_cursor_kind(value) != REBALI_JSON_ABSENT) {
      return value;
    }
  }
  return (struct rebali_slice){NULL, 0};
}

static uint32_t read_hex(const char *digits) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; i++) {
    const char c = digits[i];
    number = number << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return number;
}

static size_t encode(uint32_t character, char *bytes) {
  if (character < 0x80) {
    bytes[0] = (char)character;
    return 1;
  }
  if (character < 0x800) {
    bytes[0] = (char)(0xC0 | character >> 6);
    bytes[1] = (char)(0x80 | (character & 0x3F));
    return 2;
  }
  if (character < 0x10000) {
    bytes[0] = (char)(0xE0 | character >> 12);
    bytes[1] = (char)(0x80 | (character >> 6 & 0x3F));
    bytes[2] = (char)(0x80 | (character & 0x3F));
    return 3;
  }
  bytes[0] = (char)(0xF0 | character >> 18);
  bytes[1] = (char)(0x80 | (character >> 12 & 0x3F));
  bytes[2] = (char)(0x80 | (character >> 6 & 0x3F));
  bytes[3] = (char)(0x80 | (character & 0x3F));
  return 4;
}

/* The escape behind a backslash: its length in the text, and the bytes it stands for. */
static size_t unescape(const char *text, size_t len, char *bytes, size_t *n) {
  static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
  const char *found = strchr(letters, text[0]);
  uint32_t character;
  size_t used = 5;
  *n = 1;
  if (text[0] != 'u' || len < 5) {
    bytes[0] = found != NULL ? meanings[found - letters] : text[0];
    return 1;
  }
  character = read_hex(text + 1);
  if (character >= 0xD800 && character < 0xDC00 && len >= 11) {
    character = 0x10000 + ((character - 0xD800) << 10) + (read_hex(text + 7) - 0xDC00);
    used = 11;
  }
  *n = encode(character, bytes);
  return used;
}

int32_t rebali_cursor_text(struct rebali_slice value, rebal_text *out, rebal_error *err) {
  const size_t end = value.len - 1;
  size_t at = 1;
  int32_t code = REBAL_OK;
  if (rebali_cursor_kind(value) != REBALI_JSON_STRING) {
    return rebal_text_append(out, value.bytes, value.len, err);
  }
  while (code == REBAL_OK && at < end) {
    const char *escape = memchr(value.bytes + at, '\\', end - at);
    const size_t plain = escape != NULL ? (size_t)(escape - value.bytes) - at : end - at;
    char bytes[4];
    size_t n = 0;
    code = rebal_text_append(out, value.bytes + at, plain, err);
    at += plain;
    if (code == REBAL_OK && escape != NULL) {
      at += 1 + unescape(escape + 1, end - at - 1, bytes, &n);
      code = rebal_text_append(out, bytes, n, err);
    }
  }
  return code;
}

int rebali_cursor_reads(struct rebali_slice value, struct rebali_slice text) {
  size_t at = 1, n = 0;
  if (rebali_cursor_kind(value) != REBALI_JSON_STRING) {
    return 0;
  }
  while (at < value.len - 1) {
    char bytes[4] = {value.bytes[at++]};
    size_t len = 1;
    if (bytes[0] == '\\') {
      at += unescape(value.bytes + at, value.len - 1 - at, bytes, &len);
    }
    if (text.len - n < len || memcmp(text.bytes + n, bytes, len) != 0) {
      return 0;
    }
    n += len;
  }
  return n == text.len;
}

char *rebali_cursor_copy(struct rebali_slice value) {
  rebal_text *text = NULL;
  char *copy = NULL;
  size_t len;
  if (rebal_text_new(&text, NULL) == REBAL_OK && rebali_cursor_text(value, text, NULL) == REBAL_OK) {
    const char *bytes = rebal_text_bytes(text, &len);
    copy = rebali_bytes_copy(bytes, len);
  }
  rebal_text_free(text);
  return copy;
}

int rebali_cursor_integer(struct rebali_slice value, int64_t *out) {
  const int is_negative = value.len > 0 && value.bytes[0] == '-';
  int64_t number = 0;
  if (value.len == (size_t)is_negative) {
    return 0;
  }
  for (size_t i = (size_t)is_negative; i < value.len; i++) {
    const int digit = value.bytes[i] - '0';
    if (digit < 0 || digit > 9 || number > (INT64_MAX - digit) / 10) {
      return 0;
    }
    number = number * 10 + digit;
  }
  *out = is_negative ? -number : number;
  return 1;
}

int32_t rebali_quote(struct rebali_slice text, rebal_text *out, rebal_error *err) {
  size_t start = 0;
  int32_t code = rebal_text_append(out, "\"", 1, err);
  for (size_t i = 0; code == REBAL_OK && i < text.len; i++) {
    const unsigned char c = (unsigned char)text.bytes[i];
    char escape[8];
    if (c >= 0x20 && c != '"' && c != '\\') {
      continue;
    }
    if (c >= 0x20) {
      (void)snprintf(escape, sizeof escape, "\\%c", c);
    } else {
      (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
    }
    code = rebal_text_append(out, text.bytes + start, i - start, err);
    if (code == REBAL_OK) {
      code = rebal_text_append(out, escape, strlen(escape), err);
    }
    start = i + 1;
  }
  if (code == REBAL_OK) {
    code = rebal_text_append(out, text.len > 0 ? text.bytes + start : "", text.len - start, err);
  }
  return code == REBAL_OK ? rebal_text_append(out, "\"", 1, err) : code;
}
