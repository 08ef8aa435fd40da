/* SPDX-License-Identifier: MIT */
/* Reads JSON (RFC 8259) as events: a sequence of values, with or without white space between. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

enum expected { EXPECT_VALUE, EXPECT_FIRST_ITEM, EXPECT_FIRST_KEY, EXPECT_KEY, EXPECT_COMMA };

struct reader {
  size_t at; /* byte */
  enum expected expected;
  uint64_t maps[REBALI_DEPTH_MAX / 64 + 1]; /* a bit for each depth: set for a map */
  struct rebali_buffer text;                /* of the current string, if it has escapes */
};

static int is_in_map(const struct reader *reader, size_t depth) {
  return (int)(reader->maps[depth / 64] >> (depth % 64) & 1);
}

static int32_t open_reader(struct rebali_source *source, rebal_error *err) {
  source->state = calloc(1, sizeof(struct reader));
  return source->state != NULL ? REBAL_OK : rebali_fail_memory(err);
}

static void close_reader(struct rebali_source *source) {
  struct reader *reader = source->state;
  if (reader != NULL) {
    rebali_buffer_dispose(&reader->text);
  }
  free(reader);
  source->state = NULL;
}

/* Returns the byte at an offset, 0 at the end: a NUL byte is illegal anywhere, so the two cannot be confused. */
static char peek(const struct rebali_source *source, size_t at) {
  return at < source->len ? source->bytes[at] : '\0';
}

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(const struct rebali_source *source, struct reader *reader) {
  while (reader->at < source->len && is_blank(source->bytes[reader->at])) {
    reader->at++;
  }
}

/* Fails at an offset, or at the end of a truncated text. */
static int32_t fail(const struct rebali_source *source, size_t at, rebal_error *err, const char *message) {
  return rebali_source_fail(source, at, err, REBAL_EPARSE, "%s", at < source->len ? message : "unexpected end of text");
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads the four digits after \u; returns -1 if they are missing. */
static int32_t read_hex(const struct rebali_source *source, size_t at) {
  int32_t value = 0;
  for (size_t i = 0; i < 4; i++) {
    const int digit = hex_digit(peek(source, at + i));
    if (digit < 0) {
      return -1;
    }
    value = value * 16 + digit;
  }
  return value;
}

/* Reads \uXXXX, or two of them for a surrogate pair; *at is after the 'u'. */
static int32_t read_unicode(const struct rebali_source *source, struct reader *reader, size_t *at, rebal_error *err) {
  int32_t character = read_hex(source, *at);
  char bytes[4];
  const size_t start = *at - 2;
  *at += 4;
  if (character < 0) {
    return fail(source, *at <= source->len ? start : source->len, err, "\\u needs four hexadecimal digits");
  }
  if (character == 0) {
    return fail(source, start, err, "\\u0000 is not supported");
  }
  if (character >= 0xD800 && character < 0xDC00 && peek(source, *at) == '\\' && peek(source, *at + 1) == 'u') {
    const int32_t low = read_hex(source, *at + 2);
    if (low >= 0xDC00 && low < 0xE000) {
      character = 0x10000 + (character - 0xD800) * 0x400 + (low - 0xDC00);
      *at += 6;
    }
  }
  if (character >= 0xD800 && character < 0xE000) {
    return fail(source, start, err, "half of a surrogate pair");
  }
  rebali_buffer_append(&reader->text, bytes, rebali_utf8_encode((uint32_t)character, bytes));
  return REBAL_OK;
}

static int32_t read_escape(const struct rebali_source *source, struct reader *reader, size_t *at, rebal_error *err) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  const char letter = peek(source, *at + 1);
  const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
  *at += 2;
  if (letter == 'u') {
    return read_unicode(source, reader, at, err);
  }
  if (found == NULL) {
    return fail(source, *at - 1 < source->len ? *at - 2 : source->len, err, "unknown escape");
  }
  rebali_buffer_append(&reader->text, &meanings[found - letters], 1);
  return REBAL_OK;
}

/* Sets a bit for each of eight bytes that is below 0x20, '"' or '\\'; bits after the first one may be wrong. */
static uint64_t special_bytes(uint64_t eight) {
  static const uint64_t ones = UINT64_C(0x0101010101010101), high = UINT64_C(0x8080808080808080);
  const uint64_t quote = eight ^ ones * '"', backslash = eight ^ ones * '\\';
  return ((eight - ones * 0x20) | (quote - ones) | (backslash - ones)) & ~eight & high;
}

/* Returns the length of the run of characters that need no processing. */
static size_t plain_run(const struct rebali_source *source, size_t at) {
  const char *const start = source->bytes + at, *const end = source->bytes + source->len;
  const char *c = start;
  for (uint64_t eight; (size_t)(end - c) >= sizeof eight; c += sizeof eight) {
    memcpy(&eight, c, sizeof eight);
    if (special_bytes(eight) != 0) {
      break;
    }
  }
  while (c < end && (unsigned char)*c >= 0x20 && *c != '"' && *c != '\\') {
    c++;
  }
  return (size_t)(c - start);
}

/* Reads the rest of a string from an escape on; leaves *at at the closing quote. */
static int32_t read_escaped(const struct rebali_source *source, struct reader *reader, size_t *at, rebal_error *err) {
  while (peek(source, *at) != '"') {
    size_t run;
    if (peek(source, *at) != '\\') {
      return fail(source, *at, err, "control character in a string");
    }
    if (read_escape(source, reader, at, err) != REBAL_OK) {
      return REBAL_EPARSE;
    }
    run = plain_run(source, *at);
    rebali_buffer_append(&reader->text, source->bytes + *at, run);
    *at += run;
  }
  return reader->text.failed ? rebali_fail_memory(err) : REBAL_OK;
}

/* Reads the string whose opening quote is at reader->at; leaves that after the closing quote. */
static int32_t read_string(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  struct reader *reader = source->state;
  size_t at = reader->at + 1;
  event->scalar = REBALI_SCALAR_STRING;
  event->text = source->bytes + at;
  event->len = plain_run(source, at);
  at += event->len;
  if (peek(source, at) != '"') {
    int32_t result;
    rebali_buffer_clear(&reader->text);
    rebali_buffer_append(&reader->text, event->text, event->len);
    result = read_escaped(source, reader, &at, err);
    if (result != REBAL_OK) {
      return result;
    }
    event->text = reader->text.bytes;
    event->len = reader->text.len;
  }
  reader->at = at + 1;
  return REBAL_OK;
}

static size_t skip_digits(const struct rebali_source *source, size_t at) {
  while (peek(source, at) >= '0' && peek(source, at) <= '9') {
    at++;
  }
  return at;
}

/* Moves *at past digits, of which there must be at least one. */
static int pass_digits(const struct rebali_source *source, size_t *at) {
  const size_t start = *at;
  *at = skip_digits(source, start);
  return *at > start;
}

static int pass_number(const struct rebali_source *source, size_t *at) {
  if (peek(source, *at) == '-') {
    ++*at;
  }
  if (peek(source, *at) == '0') {
    ++*at;
  } else if (!pass_digits(source, at)) {
    return 0;
  }
  if (peek(source, *at) == '.') {
    ++*at;
    if (!pass_digits(source, at)) {
      return 0;
    }
  }
  if (peek(source, *at) != 'e' && peek(source, *at) != 'E') {
    return 1;
  }
  ++*at;
  if (peek(source, *at) == '+' || peek(source, *at) == '-') {
    ++*at;
  }
  return pass_digits(source, at);
}

static int is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static int32_t read_number(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  struct reader *reader = source->state;
  size_t at = reader->at;
  if (!pass_number(source, &at) || is_word_character(peek(source, at))) {
    return fail(source, at, err, "malformed number");
  }
  event->text = source->bytes + reader->at;
  event->len = at - reader->at;
  reader->at = at;
  rebali_number_classify(event);
  return REBAL_OK;
}

static int32_t read_word(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  static const struct {
    const char *text;
    enum rebali_scalar scalar;
  } words[] = {{"null", REBALI_SCALAR_NULL}, {"true", REBALI_SCALAR_TRUE}, {"false", REBALI_SCALAR_FALSE}};
  struct reader *reader = source->state;
  size_t len = 0;
  while (is_word_character(peek(source, reader->at + len))) {
    len++;
  }
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (strlen(words[i].text) != len || memcmp(words[i].text, source->bytes + reader->at, len) != 0) {
      continue;
    }
    event->scalar = words[i].scalar;
    event->text = words[i].text;
    event->len = len;
    reader->at += len;
    return REBAL_OK;
  }
  return fail(source, reader->at + len < source->len ? reader->at : source->len, err, "expected a value");
}

/* Counts the event, and records the type of the opened bracket. */
static int32_t open_bracket(struct rebali_source *source, struct rebali_event *event, int is_map, rebal_error *err) {
  struct reader *reader = source->state;
  int32_t result;
  event->kind = is_map ? REBALI_EVENT_MAP_START : REBALI_EVENT_LIST_START;
  result = rebali_source_count(source, event, err);
  if (result != REBAL_OK) {
    return result;
  }
  reader->maps[source->depth / 64] &= ~(UINT64_C(1) << (source->depth % 64));
  reader->maps[source->depth / 64] |= (uint64_t)is_map << (source->depth % 64);
  reader->expected = is_map ? EXPECT_FIRST_KEY : EXPECT_FIRST_ITEM;
  reader->at++;
  return REBAL_OK;
}

static int32_t close_bracket(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  struct reader *reader = source->state;
  event->kind = is_in_map(reader, source->depth) ? REBALI_EVENT_MAP_END : REBALI_EVENT_LIST_END;
  reader->at++;
  reader->expected = source->depth > 1 ? EXPECT_COMMA : EXPECT_VALUE;
  return rebali_source_count(source, event, err);
}

static int32_t read_value(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  struct reader *reader = source->state;
  const char c = peek(source, reader->at);
  int32_t result;
  if (c == '{' || c == '[') {
    return open_bracket(source, event, c == '{', err);
  }
  reader->expected = source->depth > 0 ? EXPECT_COMMA : EXPECT_VALUE;
  if (c == '"') {
    result = read_string(source, event, err);
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    result = read_number(source, event, err);
  } else {
    result = read_word(source, event, err);
  }
  return result == REBAL_OK ? rebali_source_count(source, event, err) : result;
}

static int32_t read_key(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  struct reader *reader = source->state;
  int32_t result;
  if (peek(source, reader->at) != '"') {
    return fail(source, reader->at, err, "expected a key in double quotes");
  }
  result = read_string(source, event, err);
  if (result != REBAL_OK) {
    return result;
  }
  skip_blanks(source, reader);
  if (peek(source, reader->at) != ':') {
    return fail(source, reader->at, err, "expected ':'");
  }
  reader->at++;
  reader->expected = EXPECT_VALUE;
  return rebali_source_count(source, event, err);
}

/* After a value within brackets: a comma or the closing bracket must follow. Returns 1 after a comma. */
static int pass_comma(const struct rebali_source *source, struct reader *reader) {
  if (reader->expected != EXPECT_COMMA || peek(source, reader->at) != ',') {
    return 0;
  }
  reader->at++;
  skip_blanks(source, reader);
  reader->expected = is_in_map(reader, source->depth) ? EXPECT_KEY : EXPECT_VALUE;
  return 1;
}

static int32_t next_event(struct rebali_source *source, struct rebali_event *event, rebal_error *err) {
  struct reader *reader = source->state;
  skip_blanks(source, reader);
  *event = (struct rebali_event){.kind = REBALI_EVENT_SCALAR, .offset = reader->at};
  if (source->depth == 0 && reader->at == source->len) {
    event->kind = REBALI_EVENT_END;
    return REBAL_OK;
  }
  if (pass_comma(source, reader)) {
    event->offset = reader->at;
  } else if (reader->expected != EXPECT_VALUE && source->depth > 0) {
    const int is_map = is_in_map(reader, source->depth);
    if (peek(source, reader->at) == (is_map ? '}' : ']')) {
      return close_bracket(source, event, err);
    }
    if (reader->expected == EXPECT_COMMA) {
      return fail(source, reader->at, err, is_map ? "expected ',' or '}'" : "expected ',' or ']'");
    }
  }
  if (reader->expected == EXPECT_KEY || reader->expected == EXPECT_FIRST_KEY) {
    return read_key(source, event, err);
  }
  return read_value(source, event, err);
}

const struct rebali_source_kind rebali_source_json = {open_reader, next_event, close_reader, 0};
