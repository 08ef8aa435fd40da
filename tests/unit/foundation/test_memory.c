/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../../support/allocator.h"
#include "../unit.h"

START_TEST(test_no_allocator_is_the_malloc_family) {
  rebal_allocator allocator;
  unsigned char *block;

  ck_assert_int_eq(rebali_allocator_load(&allocator, NULL, NULL), REBAL_OK);
  ck_assert_uint_eq(allocator.struct_size, sizeof allocator);
  block = allocator.allocate(allocator.user_data, 10);
  ck_assert_ptr_nonnull(block);
  memset(block, 1, 10);
  block = allocator.reallocate(allocator.user_data, block, 1000);
  ck_assert_ptr_nonnull(block);
  ck_assert_uint_eq(block[9], 1);
  allocator.release(allocator.user_data, block);
  allocator.release(allocator.user_data, NULL);
}
END_TEST

START_TEST(test_given_allocator_is_copied) {
  struct test_allocator memory;
  rebal_allocator allocator;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_allocator_load(&allocator, &memory.functions, NULL), REBAL_OK);
  ck_assert_mem_eq(&allocator, &memory.functions, sizeof allocator);
}
END_TEST

START_TEST(test_incomplete_allocator_is_refused) {
  struct test_allocator memory;
  rebal_allocator allocator;
  rebal_allocator given;
  rebal_error err = REBAL_ERROR_INIT;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  given = memory.functions;
  given.allocate = NULL;
  ck_assert_int_eq(rebali_allocator_load(&allocator, &given, &err), REBAL_EINVAL);
  ck_assert_int_eq(err.code, REBAL_EINVAL);
  given = memory.functions;
  given.reallocate = NULL;
  ck_assert_int_eq(rebali_allocator_load(&allocator, &given, NULL), REBAL_EINVAL);
  given = memory.functions;
  given.release = NULL;
  ck_assert_int_eq(rebali_allocator_load(&allocator, &given, NULL), REBAL_EINVAL);
  given = memory.functions;
  given.reserved0 = 1;
  ck_assert_int_eq(rebali_allocator_load(&allocator, &given, NULL), REBAL_EINVAL);
  given = memory.functions;
  given.struct_size = 8;
  ck_assert_int_eq(rebali_allocator_load(&allocator, &given, NULL), REBAL_EABI);
}
END_TEST

START_TEST(test_allocate_refuses_nothing_and_overflow) {
  struct test_allocator memory;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_ptr_null(rebali_allocate(&memory.functions, 0, 8));
  ck_assert_ptr_null(rebali_allocate(&memory.functions, 8, 0));
  ck_assert_ptr_null(rebali_allocate(&memory.functions, SIZE_MAX / 8 + 1, 8));
  ck_assert_ptr_null(rebali_allocate_zero(&memory.functions, SIZE_MAX / 8 + 1, 8));
  ck_assert_uint_eq(memory.requests, 0);
}
END_TEST

START_TEST(test_allocate_zero_is_zero) {
  struct test_allocator memory;
  uint64_t *block;
  size_t i;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  block = rebali_allocate_zero(&memory.functions, 100, sizeof *block);
  ck_assert_ptr_nonnull(block);
  for (i = 0; i < 100; i++) {
    ck_assert_uint_eq(block[i], 0);
  }
  rebali_release(&memory.functions, block);
  rebali_release(&memory.functions, NULL);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_reserve_doubles_and_keeps) {
  struct test_allocator memory;
  uint32_t *array = NULL;
  size_t capacity = 0;
  uint32_t i;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  for (i = 0; i < 1000; i++) {
    ck_assert_int_eq(rebali_reserve(&memory.functions, &array, &capacity, (size_t)i + 1, sizeof *array), REBAL_OK);
    array[i] = i;
  }
  for (i = 0; i < 1000; i++) {
    ck_assert_uint_eq(array[i], i);
  }
  ck_assert_uint_eq(capacity, 1024);
  ck_assert_uint_eq(memory.requests, 8);
  rebali_release(&memory.functions, array);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_reserve_gives_what_is_wanted_when_more_than_double) {
  struct test_allocator memory;
  uint32_t *array = NULL;
  size_t capacity = 0;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_reserve(&memory.functions, &array, &capacity, 0, sizeof *array), REBAL_OK);
  ck_assert_ptr_null(array);
  ck_assert_int_eq(rebali_reserve(&memory.functions, &array, &capacity, 100, sizeof *array), REBAL_OK);
  ck_assert_uint_eq(capacity, 100);
  rebali_release(&memory.functions, array);
}
END_TEST

START_TEST(test_failed_reserve_changes_nothing) {
  struct test_allocator memory;
  uint32_t *array = NULL;
  uint32_t *before;
  size_t capacity = 0;

  test_allocator_init(&memory, 2, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_reserve(&memory.functions, &array, &capacity, 1, sizeof *array), REBAL_OK);
  before = array;
  ck_assert_int_eq(rebali_reserve(&memory.functions, &array, &capacity, 9, sizeof *array), REBAL_ENOMEM);
  ck_assert_int_eq(rebali_reserve(&memory.functions, &array, &capacity, SIZE_MAX / 2, sizeof *array), REBAL_ENOMEM);
  ck_assert_ptr_eq(array, before);
  ck_assert_uint_eq(capacity, 8);
  ck_assert_int_eq(rebali_reserve(&memory.functions, &array, &capacity, 9, sizeof *array), REBAL_OK);
  ck_assert_uint_eq(capacity, 16);
  rebali_release(&memory.functions, array);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

UNIT_CASE(memory) {
  TCase *cases = tcase_create("memory");
  tcase_add_test(cases, test_no_allocator_is_the_malloc_family);
  tcase_add_test(cases, test_given_allocator_is_copied);
  tcase_add_test(cases, test_incomplete_allocator_is_refused);
  tcase_add_test(cases, test_allocate_refuses_nothing_and_overflow);
  tcase_add_test(cases, test_allocate_zero_is_zero);
  tcase_add_test(cases, test_reserve_doubles_and_keeps);
  tcase_add_test(cases, test_reserve_gives_what_is_wanted_when_more_than_double);
  tcase_add_test(cases, test_failed_reserve_changes_nothing);
  return cases;
}
