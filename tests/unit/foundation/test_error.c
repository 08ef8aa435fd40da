/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

#define CAPACITY sizeof(((rebal_error *)NULL)->message)

START_TEST(test_fail_fills_every_member) {
  rebal_error err = REBAL_ERROR_INIT;

  err.document = 1;
  err.line = 2;
  err.column = 3;
  memcpy(err.field, "spec", 5);
  ck_assert_int_eq(rebali_fail(&err, REBAL_ERANGE, 7, "row %d", 7), REBAL_ERANGE);
  ck_assert_int_eq(err.code, REBAL_ERANGE);
  ck_assert_int_eq(err.where, 7);
  ck_assert_uint_eq(err.document + err.line + err.column, 0);
  ck_assert_str_eq(err.field, "");
  ck_assert_str_eq(err.message, "row 7");
  ck_assert_uint_eq(err.struct_size, sizeof err);
}
END_TEST

START_TEST(test_fail_without_error_returns_the_code) {
  ck_assert_int_eq(rebali_fail(NULL, REBAL_EINVAL, -1, "not read"), REBAL_EINVAL);
  ck_assert_int_eq(rebali_fail_memory(NULL), REBAL_ENOMEM);
}
END_TEST

START_TEST(test_fail_memory_reports_it) {
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebali_fail_memory(&err), REBAL_ENOMEM);
  ck_assert_int_eq(err.code, REBAL_ENOMEM);
  ck_assert_int_eq(err.where, -1);
  ck_assert_str_eq(err.message, "out of memory");
}
END_TEST

static const uint32_t impossible_sizes[] = {0, 4, (uint32_t)sizeof(rebal_error) - 1, REBALI_STRUCTURE_MAX + 1,
                                            UINT32_MAX};

START_TEST(test_impossible_size_stays_untouched) {
  rebal_error err = REBAL_ERROR_INIT;
  rebal_error before;

  err.struct_size = impossible_sizes[_i];
  before = err;
  ck_assert_int_eq(rebali_fail(&err, REBAL_EINVAL, 1, "message"), REBAL_EINVAL);
  ck_assert_mem_eq(&err, &before, sizeof err);
}
END_TEST

START_TEST(test_larger_size_is_honoured) {
  struct {
    rebal_error err;
    unsigned char newer[16];
  } larger;

  memset(&larger, 0x5A, sizeof larger);
  larger.err.struct_size = (uint32_t)sizeof larger;
  ck_assert_int_eq(rebali_fail(&larger.err, REBAL_EINVAL, 1, "message"), REBAL_EINVAL);
  ck_assert_str_eq(larger.err.message, "message");
  ck_assert_uint_eq(larger.newer[0], 0x5A);
  ck_assert_uint_eq(larger.newer[15], 0x5A);
}
END_TEST

START_TEST(test_long_message_is_cut_and_terminated) {
  rebal_error err = REBAL_ERROR_INIT;

  (void)rebali_fail(&err, REBAL_EINVAL, -1, "%0400d", 1);
  ck_assert_uint_eq(strlen(err.message), CAPACITY - 1);
}
END_TEST

/* A character and the number of its bytes. */
static const struct {
  const char *text;
  size_t len;
} characters[] = {{"a", 1}, {"\xC3\xA9", 2}, {"\xE2\x82\xAC", 3}, {"\xF0\x9F\x98\x80", 4}};

START_TEST(test_cut_never_splits_a_character) {
  const size_t len = characters[_i].len;
  size_t padding;

  for (padding = 0; padding < 4; padding++) {
    rebal_error err = REBAL_ERROR_INIT;
    char text[CAPACITY + 8] = {0};
    const size_t start = CAPACITY - 1 - padding;
    const size_t kept = padding >= len ? len : 0;

    memset(text, 'x', start);
    memcpy(text + start, characters[_i].text, len);
    memset(text + start + len, 'y', 4);
    (void)rebali_fail(&err, REBAL_EINVAL, -1, "%s", text);
    ck_assert_uint_eq(strlen(err.message), kept == 0 ? start : CAPACITY - 1);
    ck_assert_int_eq(strncmp(err.message, text, start + kept), 0);
  }
}
END_TEST

/* A message that quotes bytes that are not UTF-8 ends before them. */
START_TEST(test_cut_of_stray_continuation_bytes) {
  rebal_error err = REBAL_ERROR_INIT;
  char text[CAPACITY + 8] = {0};

  memset(text, 0x80, CAPACITY + 4);
  (void)rebali_fail(&err, REBAL_EINVAL, -1, "%s", text);
  ck_assert_str_eq(err.message, "");
  (void)rebali_fail(&err, REBAL_EINVAL, -1, "id \x80 is invalid");
  ck_assert_str_eq(err.message, "id ");
}
END_TEST

START_TEST(test_place_and_field) {
  rebal_error err = REBAL_ERROR_INIT;
  char text[1000];

  (void)rebali_fail(&err, REBAL_EPARSE, -1, "bad %s", "thing");
  rebali_fail_at(&err, 5, 1, 2, 3);
  rebali_fail_field(&err, "spec.replicas");
  ck_assert_str_eq(err.message, "bad thing");
  ck_assert_str_eq(err.field, "spec.replicas");
  ck_assert_int_eq(err.where, 5);
  ck_assert_uint_eq(err.document, 1);
  ck_assert_uint_eq(err.line, 2);
  ck_assert_uint_eq(err.column, 3);
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  rebali_fail_field(&err, text);
  ck_assert_uint_eq(strlen(err.field), sizeof err.field - 1);
  memcpy(text + sizeof err.field - 2, "\xC3\xA9", 2);
  rebali_fail_field(&err, text);
  ck_assert_uint_eq(strlen(err.field), sizeof err.field - 2);
  (void)rebali_fail_memory(&err);
  ck_assert_str_eq(err.field, "");
  ck_assert_int_eq(err.where, -1);
  ck_assert_uint_eq(err.line, 0);
  err = (rebal_error)REBAL_ERROR_INIT;
  err.struct_size = 8;
  rebali_fail_at(&err, 5, 1, 2, 3);
  rebali_fail_field(&err, "a");
  ck_assert_str_eq(err.field, "");
  ck_assert_uint_eq(err.line, 0);
}
END_TEST

UNIT_CASE(error) {
  TCase *cases = tcase_create("error");
  tcase_add_test(cases, test_fail_fills_every_member);
  tcase_add_test(cases, test_fail_without_error_returns_the_code);
  tcase_add_test(cases, test_fail_memory_reports_it);
  tcase_add_loop_test(cases, test_impossible_size_stays_untouched, 0, (int)REBALI_COUNT(impossible_sizes));
  tcase_add_test(cases, test_larger_size_is_honoured);
  tcase_add_test(cases, test_long_message_is_cut_and_terminated);
  tcase_add_loop_test(cases, test_cut_never_splits_a_character, 0, (int)REBALI_COUNT(characters));
  tcase_add_test(cases, test_cut_of_stray_continuation_bytes);
  tcase_add_test(cases, test_place_and_field);
  return cases;
}
