/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdalign.h>

START_TEST(test_blocks_are_aligned_and_apart) {
  struct test_allocator memory;
  struct rebali_arena arena;
  unsigned char *blocks[300];
  size_t i;
  size_t j;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 0);
  for (i = 0; i < REBALI_COUNT(blocks); i++) {
    blocks[i] = rebali_arena_allocate(&arena, i, 3);
    ck_assert_ptr_nonnull(blocks[i]);
    ck_assert_uint_eq((uintptr_t)blocks[i] % alignof(max_align_t), 0);
    memset(blocks[i], (int)(i % 251), i * 3);
  }
  for (i = 0; i < REBALI_COUNT(blocks); i++) {
    for (j = 0; j < i * 3; j++) {
      ck_assert_uint_eq(blocks[i][j], i % 251);
    }
  }
  ck_assert_uint_ge(arena.used, 300 * 299 / 2 * 3);
  ck_assert_uint_lt(memory.requests, 10);
  rebali_arena_dispose(&arena);
  ck_assert_uint_eq(memory.live, 0);
  ck_assert_uint_eq(arena.used, 0);
}
END_TEST

START_TEST(test_reset_keeps_the_largest_chunk) {
  struct test_allocator memory;
  struct rebali_arena arena;
  int round;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 0);
  ck_assert_ptr_nonnull(rebali_arena_allocate(&arena, 1, 100));
  ck_assert_ptr_nonnull(rebali_arena_allocate(&arena, 1, 100000));
  rebali_arena_reset(&arena);
  ck_assert_uint_eq(arena.used, 0);
  ck_assert_uint_eq(memory.live, 1);
  memory.requests = 0;
  for (round = 0; round < 3; round++) {
    ck_assert_ptr_nonnull(rebali_arena_allocate(&arena, 1, 100000));
    rebali_arena_reset(&arena);
  }
  ck_assert_uint_eq(memory.requests, 0);
  rebali_arena_dispose(&arena);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_reset_of_an_empty_arena_is_harmless) {
  struct test_allocator memory;
  struct rebali_arena arena;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 0);
  rebali_arena_reset(&arena);
  rebali_arena_dispose(&arena);
  rebali_arena_dispose(&arena);
  ck_assert_uint_eq(memory.requests, 0);
}
END_TEST

START_TEST(test_repeated_work_ends_without_allocations) {
  struct test_allocator memory;
  struct rebali_arena arena;
  int round;
  int i;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 0);
  for (round = 0; round < 6; round++) {
    memory.requests = 0;
    for (i = 0; i < 1000; i++) {
      ck_assert_ptr_nonnull(rebali_arena_allocate(&arena, 1, 100));
    }
    rebali_arena_reset(&arena);
  }
  ck_assert_uint_eq(memory.requests, 0);
  rebali_arena_dispose(&arena);
}
END_TEST

START_TEST(test_limit_stops_and_reset_gives_it_back) {
  struct test_allocator memory;
  struct rebali_arena arena;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 1024);
  ck_assert_ptr_nonnull(rebali_arena_allocate(&arena, 1, 1000));
  ck_assert_ptr_null(rebali_arena_allocate(&arena, 1, 100));
  ck_assert_ptr_null(rebali_arena_text(&arena, rebali_text("0123456789012345678901234567890", 31)).bytes);
  rebali_arena_reset(&arena);
  ck_assert_ptr_nonnull(rebali_arena_allocate(&arena, 1, 1024));
  ck_assert_ptr_null(rebali_arena_allocate(&arena, 1, 1));
  rebali_arena_dispose(&arena);
}
END_TEST

START_TEST(test_impossible_sizes_fail) {
  struct test_allocator memory;
  struct rebali_arena arena;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 0);
  ck_assert_ptr_null(rebali_arena_allocate(&arena, 1, SIZE_MAX - alignof(max_align_t)));
  ck_assert_ptr_nonnull(rebali_arena_allocate(&arena, 1, 1));
  ck_assert_ptr_null(rebali_arena_allocate(&arena, SIZE_MAX, 1));
  ck_assert_ptr_null(rebali_arena_allocate(&arena, SIZE_MAX / 4, 8));
  ck_assert_ptr_null(rebali_arena_allocate(&arena, 1, SIZE_MAX - 64));
  ck_assert_ptr_null(rebali_arena_text(&arena, rebali_text("", SIZE_MAX)).bytes);
  rebali_arena_dispose(&arena);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_nothing_is_a_block_too) {
  struct test_allocator memory;
  struct rebali_arena arena;
  void *first;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 0);
  first = rebali_arena_allocate(&arena, 0, 8);
  ck_assert_ptr_nonnull(first);
  ck_assert_ptr_nonnull(rebali_arena_allocate_zero(&arena, 8, 0));
  ck_assert_ptr_ne(rebali_arena_allocate(&arena, 1, 1), first);
  rebali_arena_dispose(&arena);
}
END_TEST

START_TEST(test_zero_is_zero_after_reuse) {
  struct test_allocator memory;
  struct rebali_arena arena;
  unsigned char *block;
  size_t i;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 0);
  block = rebali_arena_allocate(&arena, 1, 64);
  memset(block, 0x5A, 64);
  rebali_arena_reset(&arena);
  block = rebali_arena_allocate_zero(&arena, 8, 8);
  for (i = 0; i < 64; i++) {
    ck_assert_uint_eq(block[i], 0);
  }
  rebali_arena_dispose(&arena);
}
END_TEST

START_TEST(test_text_is_a_terminated_copy) {
  struct test_allocator memory;
  struct rebali_arena arena;
  char source[] = "member1";
  struct rebali_text copy;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 0);
  copy = rebali_arena_text(&arena, rebali_text(source, 6));
  source[0] = 'x';
  ck_assert_uint_eq(copy.len, 6);
  ck_assert_str_eq(copy.bytes, "member");
  copy = rebali_arena_text(&arena, rebali_text(NULL, 0));
  ck_assert_uint_eq(copy.len, 0);
  ck_assert_str_eq(copy.bytes, "");
  rebali_arena_dispose(&arena);
}
END_TEST

static int32_t fill(const rebal_allocator *allocator, void *user_data) {
  struct rebali_arena arena;
  int32_t code = REBAL_OK;
  int i;

  (void)user_data;
  rebali_arena_init(&arena, allocator, 0);
  for (i = 0; i < 400 && code == REBAL_OK; i++) {
    if (rebali_arena_text(&arena, REBALI_TEXT("a text of some length")).bytes == NULL ||
        rebali_arena_allocate_zero(&arena, 5, 33) == NULL) {
      code = REBAL_ENOMEM;
    }
  }
  rebali_arena_dispose(&arena);
  return code;
}

START_TEST(test_every_allocation_may_fail) {
  ck_assert_pstr_eq(test_torture(fill, NULL), NULL);
}
END_TEST

static size_t draw(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (size_t)(*state >> 33);
}

START_TEST(test_short_way_is_the_long_way) {
  struct test_allocator memory, plain_memory;
  struct rebali_arena arena, plain;
  uint64_t state = 1;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  test_allocator_init(&plain_memory, 0, TEST_FAIL_ONCE);
  rebali_arena_init(&arena, &memory.functions, 100000);
  rebali_arena_init(&plain, &plain_memory.functions, 100000);
  for (size_t i = 0; i < unit_rounds(1000000); i++) {
    const size_t count = draw(&state) % 50, size = draw(&state) % 50;
    void *block = rebali_arena_allocate(&arena, count, size);

    if ((block == NULL) != (rebali_arena_allocate_any(&plain, count, size) == NULL) || arena.used != plain.used ||
        arena.left != plain.left || memory.requests != plain_memory.requests) {
      ck_abort_msg("request %zu: %zu times %zu", i, count, size);
    }
    if (block == NULL) {
      rebali_arena_reset(&arena);
      rebali_arena_reset(&plain);
    }
  }
  rebali_arena_dispose(&arena);
  rebali_arena_dispose(&plain);
}
END_TEST

UNIT_CASE(arena) {
  TCase *cases = tcase_create("arena");
  UNIT_ADD_COUNTING(cases, test_blocks_are_aligned_and_apart);
  tcase_add_test(cases, test_reset_keeps_the_largest_chunk);
  tcase_add_test(cases, test_reset_of_an_empty_arena_is_harmless);
  UNIT_ADD_COUNTING(cases, test_repeated_work_ends_without_allocations);
  tcase_add_test(cases, test_limit_stops_and_reset_gives_it_back);
  tcase_add_test(cases, test_impossible_sizes_fail);
  tcase_add_test(cases, test_nothing_is_a_block_too);
  tcase_add_test(cases, test_zero_is_zero_after_reuse);
  tcase_add_test(cases, test_text_is_a_terminated_copy);
  tcase_set_timeout(cases, UNIT_TWIN_SECONDS);
  tcase_add_test(cases, test_short_way_is_the_long_way);
  tcase_add_test(cases, test_every_allocation_may_fail);
  return cases;
}
