/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

static const struct {
  const char *bytes;
  size_t good;
} texts[] = {
    {"", 0},
    {"a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z", 11},
    {"a\xC0\x80", 1}, /* overlong */
    {"\xC1\xBF", 0},
    {"\xE0\x9F\xBF", 0},
    {"\xED\xA0\x80", 0}, /* surrogate */
    {"\xF0\x8F\xBF\xBF", 0},
    {"\xF4\x90\x80\x80", 0}, /* beyond U+10FFFF */
    {"\xF4\x8F\xBF\xBF", 4},
    {"\xF5\x80\x80\x80", 0},
    {"a\x80", 1},
    {"a\xC3", 1},
    {"a\xE2\x82", 1},
    {"a\xF0\x9F\x98", 1},
    {"\xE2\x82z", 0},
};

START_TEST(test_utf8_check) {
  ck_assert_uint_eq(rebali_utf8_check(texts[_i].bytes, strlen(texts[_i].bytes)), texts[_i].good);
}
END_TEST

static const struct {
  uint32_t character;
  const char *bytes;
} characters[] = {
    {0x41, "A"},
    {0x7F, "\x7F"},
    {0x80, "\xC2\x80"},
    {0x7FF, "\xDF\xBF"},
    {0x800, "\xE0\xA0\x80"},
    {0xFFFF, "\xEF\xBF\xBF"},
    {0x10000, "\xF0\x90\x80\x80"},
    {0x10FFFF, "\xF4\x8F\xBF\xBF"},
};

START_TEST(test_utf8_encode) {
  char bytes[4];
  const size_t len = rebali_utf8_encode(characters[_i].character, bytes);
  ck_assert_uint_eq(len, strlen(characters[_i].bytes));
  ck_assert_mem_eq(bytes, characters[_i].bytes, len);
}
END_TEST

#define LINES "a\xC3\xA9\n\r\nb\rc\n"

static const struct {
  size_t offset;
  int in_characters;
  size_t byte;
  uint32_t line, column;
} offsets[] = {
    {0, 0, 0, 1, 1}, {1, 0, 1, 1, 2}, {3, 0, 3, 1, 3}, {4, 0, 4, 2, 1}, {6, 0, 6, 3, 1},   {7, 0, 7, 3, 2},
    {8, 0, 8, 4, 1}, {2, 1, 3, 1, 3}, {3, 1, 4, 2, 1}, {6, 1, 7, 3, 2}, {99, 0, 10, 5, 1}, {99, 1, 10, 5, 1},
};

START_TEST(test_utf8_position) {
  const struct rebali_position position =
      rebali_position_find(LINES, strlen(LINES), offsets[_i].offset, offsets[_i].in_characters);
  ck_assert_uint_eq(position.byte, offsets[_i].byte);
  ck_assert_uint_eq(position.line, offsets[_i].line);
  ck_assert_uint_eq(position.column, offsets[_i].column);
}
END_TEST

/* Nothing follows that would make it the first half of a line's end. */
START_TEST(test_utf8_position_after_a_last_return) {
  const struct rebali_position position = rebali_position_find("a\r", 2, 2, 0);

  ck_assert_uint_eq(position.byte, 2);
  ck_assert_uint_eq(position.line, 2);
  ck_assert_uint_eq(position.column, 1);
}
END_TEST

UNIT_CASE(utf8) {
  TCase *cases = tcase_create("utf8");
  tcase_add_loop_test(cases, test_utf8_check, 0, (int)REBALI_COUNT(texts));
  tcase_add_loop_test(cases, test_utf8_encode, 0, (int)REBALI_COUNT(characters));
  tcase_add_loop_test(cases, test_utf8_position, 0, (int)REBALI_COUNT(offsets));
  tcase_add_test(cases, test_utf8_position_after_a_last_return);
  return cases;
}
