/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../../support/allocator.h"
#include "../unit.h"

static void expect_text(const struct rebali_buffer *buffer, const char *text) {
  ck_assert_int_eq(buffer->failed, 0);
  ck_assert_uint_eq(buffer->len, strlen(text));
  ck_assert_mem_eq(buffer->bytes, text, buffer->len);
}

START_TEST(test_pieces_follow_each_other) {
  struct test_allocator memory;
  struct rebali_buffer buffer;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_buffer_init(&buffer, &memory.functions);
  rebali_buffer_append(&buffer, "cluster(s) ", 11);
  rebali_buffer_append(&buffer, NULL, 0);
  rebali_buffer_append_i64(&buffer, 42);
  rebali_buffer_format(&buffer, " of %d {%.*s}", 7, 3, "abcdef");
  rebali_buffer_format(&buffer, "%s", "");
  expect_text(&buffer, "cluster(s) 42 of 7 {abc}");
  rebali_buffer_dispose(&buffer);
  ck_assert_uint_eq(memory.live, 0);
  ck_assert_uint_eq(buffer.len, 0);
}
END_TEST

static const struct {
  int64_t value;
  const char *text;
} numbers[] = {
    {0, "0"},
    {7, "7"},
    {-7, "-7"},
    {1000, "1000"},
    {INT64_MAX, "9223372036854775807"},
    {INT64_MIN, "-9223372036854775808"},
};

START_TEST(test_numbers_are_decimal) {
  struct test_allocator memory;
  struct rebali_buffer buffer;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_buffer_init(&buffer, &memory.functions);
  rebali_buffer_append_i64(&buffer, numbers[_i].value);
  expect_text(&buffer, numbers[_i].text);
  rebali_buffer_dispose(&buffer);
}
END_TEST

START_TEST(test_failure_sticks) {
  struct test_allocator memory;
  struct rebali_buffer buffer;

  test_allocator_init(&memory, 2, TEST_FAIL_ONCE);
  rebali_buffer_init(&buffer, &memory.functions);
  rebali_buffer_append(&buffer, "12345678", 8);
  rebali_buffer_append(&buffer, "9", 1);
  ck_assert_int_eq(buffer.failed, 1);
  rebali_buffer_append(&buffer, "9", 1);
  rebali_buffer_append_i64(&buffer, 9);
  rebali_buffer_format(&buffer, "%d", 9);
  ck_assert_int_eq(buffer.failed, 1);
  ck_assert_uint_eq(buffer.len, 8);
  ck_assert_uint_eq(memory.requests, 2);
  rebali_buffer_dispose(&buffer);
  ck_assert_uint_eq(memory.live, 0);
  ck_assert_int_eq(buffer.failed, 0);
}
END_TEST

START_TEST(test_impossible_length_fails) {
  struct test_allocator memory;
  struct rebali_buffer buffer;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_buffer_init(&buffer, &memory.functions);
  rebali_buffer_append(&buffer, "a", 1);
  rebali_buffer_append(&buffer, "a", SIZE_MAX);
  ck_assert_int_eq(buffer.failed, 1);
  rebali_buffer_dispose(&buffer);
}
END_TEST

static int32_t write_lines(const rebal_allocator *allocator, void *user_data) {
  struct rebali_buffer buffer;
  int32_t code;
  int i;

  (void)user_data;
  rebali_buffer_init(&buffer, allocator);
  for (i = 0; i < 50; i++) {
    rebali_buffer_format(&buffer, "line %d: ", i);
    rebali_buffer_append_i64(&buffer, i * INT64_C(1000000007));
    rebali_buffer_append(&buffer, "\n", 1);
  }
  code = buffer.failed ? REBAL_ENOMEM : REBAL_OK;
  rebali_buffer_dispose(&buffer);
  return code;
}

START_TEST(test_every_allocation_may_fail) {
  ck_assert_pstr_eq(test_torture(write_lines, NULL), NULL);
}
END_TEST

START_TEST(test_terminated_from_malloc) {
  struct rebali_buffer buffer = REBALI_BUFFER;

  for (int i = 0; i < 1000; i++) {
    rebali_buffer_append(&buffer, "abc", 3);
  }
  ck_assert_uint_eq(buffer.len, 3000);
  ck_assert_uint_eq(strlen(buffer.bytes), 3000);
  rebali_buffer_clear(&buffer);
  rebali_buffer_text(&buffer, "kept");
  rebali_buffer_append(&buffer, NULL, 0);
  ck_assert_str_eq(buffer.bytes, "kept");
  rebali_buffer_append(&buffer, "", SIZE_MAX);
  ck_assert_int_eq(buffer.failed, 1);
  rebali_buffer_text(&buffer, "ignored");
  ck_assert_str_eq(buffer.bytes, "kept");
  rebali_buffer_dispose(&buffer);
  ck_assert_ptr_null(buffer.bytes);
}
END_TEST

START_TEST(test_give_terminates_when_there_is_space) {
  char bytes[8];
  size_t len = 0;

  memset(bytes, 'x', sizeof bytes);
  ck_assert_int_eq(rebali_text_give(REBALI_TEXT("100m"), bytes, 5, &len, NULL), REBAL_OK);
  ck_assert_uint_eq(len, 4);
  ck_assert_str_eq(bytes, "100m");
  memset(bytes, 'x', sizeof bytes);
  ck_assert_int_eq(rebali_text_give(REBALI_TEXT("100m"), bytes, 4, &len, NULL), REBAL_OK);
  ck_assert_mem_eq(bytes, "100mx", 5);
  ck_assert_int_eq(rebali_text_give(rebali_text(NULL, 0), bytes, 4, &len, NULL), REBAL_OK);
  ck_assert_uint_eq(len, 0);
  ck_assert_str_eq(bytes, "");
}
END_TEST

START_TEST(test_give_returns_the_length_it_needs) {
  rebal_error err = REBAL_ERROR_INIT;
  char bytes[4] = "xyz";
  size_t len = 0;

  ck_assert_int_eq(rebali_text_give(REBALI_TEXT("100m"), NULL, 0, &len, &err), REBAL_OK);
  ck_assert_uint_eq(len, 4);
  len = 0;
  ck_assert_int_eq(rebali_text_give(REBALI_TEXT("100m"), bytes, 3, &len, &err), REBAL_ERANGE);
  ck_assert_uint_eq(len, 4);
  ck_assert_str_eq(bytes, "xyz");
  ck_assert_int_eq(err.code, REBAL_ERANGE);
}
END_TEST

START_TEST(test_give_needs_its_arguments) {
  char bytes[4];
  size_t len;

  ck_assert_int_eq(rebali_text_give(REBALI_TEXT("1"), bytes, 4, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_text_give(REBALI_TEXT("1"), NULL, 4, &len, NULL), REBAL_EINVAL);
}
END_TEST

UNIT_CASE(buffer) {
  TCase *cases = tcase_create("buffer");
  tcase_add_test(cases, test_pieces_follow_each_other);
  tcase_add_loop_test(cases, test_numbers_are_decimal, 0, (int)REBALI_COUNT(numbers));
  tcase_add_test(cases, test_failure_sticks);
  tcase_add_test(cases, test_impossible_length_fails);
  tcase_add_test(cases, test_every_allocation_may_fail);
  tcase_add_test(cases, test_terminated_from_malloc);
  tcase_add_test(cases, test_give_terminates_when_there_is_space);
  tcase_add_test(cases, test_give_returns_the_length_it_needs);
  tcase_add_test(cases, test_give_needs_its_arguments);
  return cases;
}
