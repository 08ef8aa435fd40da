/* SPDX-License-Identifier: MIT */
/* UTF-8 and positions in a text. */
#include "foundation/foundation.h"

#include <string.h>

/* Lead bytes, the range of the second byte (which excludes overlong forms and surrogates), and the length. */
static const struct lead {
  unsigned char first, last, second_first, second_last, length;
} leads[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

/* Returns the length of the well-formed multi-byte sequence at the start, 0 if there is none. */
static size_t sequence_length(const unsigned char *bytes, size_t len) {
  for (size_t i = 0; i < sizeof leads / sizeof leads[0]; i++) {
    const struct lead *lead = &leads[i];
    if (bytes[0] < lead->first || bytes[0] > lead->last) {
      continue;
    }
    if (len < lead->length || bytes[1] < lead->second_first || bytes[1] > lead->second_last) {
      return 0;
    }
    for (size_t k = 2; k < lead->length; k++) {
      if ((bytes[k] & 0xC0) != 0x80) {
        return 0;
      }
    }
    return lead->length;
  }
  return 0;
}

size_t rebali_utf8_check(const char *bytes, size_t len) {
  const unsigned char *text = (const unsigned char *)bytes;
  size_t at = 0;
  while (at < len) {
    uint64_t eight;
    size_t length;
    if (len - at >= sizeof eight) { /* eight ASCII bytes at once: most texts have no others */
      memcpy(&eight, text + at, sizeof eight);
      if ((eight & UINT64_C(0x8080808080808080)) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    length = text[at] < 0x80 ? 1 : sequence_length(text + at, len - at);
    if (length == 0) {
      break;
    }
    at += length;
  }
  return at;
}

size_t rebali_utf8_encode(uint32_t character, char *bytes) {
  static const unsigned char marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
  const size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
  for (size_t i = length - 1; i > 0; i--) {
    bytes[i] = (char)(0x80 | (character & 0x3F));
    character >>= 6;
  }
  bytes[0] = (char)((length > 1 ? marks[length] : 0u) | character);
  return length;
}

struct rebali_position rebali_position_find(const char *bytes, size_t len, size_t offset, int in_characters) {
  struct rebali_position position = {0, 1, 1};
  size_t characters = 0;
  while (position.byte < len && (in_characters ? characters : position.byte) < offset) {
    const unsigned char byte = (unsigned char)bytes[position.byte++];
    const int is_last = position.byte == len || ((unsigned char)bytes[position.byte] & 0xC0) != 0x80;
    if (!is_last) {
      continue;
    }
    characters++;
    position.column++;
    if (byte == '\n' || (byte == '\r' && (position.byte == len || bytes[position.byte] != '\n'))) {
      position.line++;
      position.column = 1;
    }
  }
  return position;
}
