/* SPDX-License-Identifier: MIT */
/* The width of a text in columns of a terminal, independent of the locale. */
#include "rebalancectl.h"

#include <string.h>

struct range {
  uint32_t first, last;
};

/* Combining marks, and characters of width 0. */
static const struct range narrowest[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A},   {0x064B, 0x065F}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},   {0x20D0, 0x20FF}, {0x302A, 0x302D},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF},
};

/* East Asian wide and fullwidth characters, and emoji. */
static const struct range widest[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF}, {0xA000, 0xA4CF},
    {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

static int is_within(const struct range *ranges, size_t n, uint32_t character) {
  for (size_t i = 0; i < n; i++) {
    if (character >= ranges[i].first && character <= ranges[i].last) {
      return 1;
    }
  }
  return 0;
}

/* Reads the character at *at and moves *at after it. Bytes that are not UTF-8 count one each. */
static uint32_t next_character(const char **at) {
  static const struct {
    unsigned char mask, lead, bits, more;
  } forms[] = {{0xE0, 0xC0, 0x1F, 1}, {0xF0, 0xE0, 0x0F, 2}, {0xF8, 0xF0, 0x07, 3}};
  const unsigned char *bytes = (const unsigned char *)*at;
  *at += 1;
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    uint32_t character = bytes[0] & forms[i].bits;
    size_t n = 1;
    if ((bytes[0] & forms[i].mask) != forms[i].lead) {
      continue;
    }
    for (; n <= forms[i].more && (bytes[n] & 0xC0) == 0x80; n++) {
      character = character << 6 | (bytes[n] & 0x3FU);
    }
    if (n <= forms[i].more) {
      break;
    }
    *at += forms[i].more;
    return character;
  }
  return bytes[0];
}

size_t text_width(const char *text) {
  size_t width = 0;
  while (*text != '\0') {
    uint32_t character;
    if (*text >= ' ' && *text <= '~') { /* the usual case */
      width++;
      text++;
      continue;
    }
    character = next_character(&text);
    if (!is_within(narrowest, sizeof narrowest / sizeof narrowest[0], character)) {
      width += is_within(widest, sizeof widest / sizeof widest[0], character) ? 2 : 1;
    }
  }
  return width;
}
