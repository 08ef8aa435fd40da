/* SPDX-License-Identifier: MIT */
#include "workloadspread/text_numbers.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

struct fixture {
  rebal_allocator memory;
  struct rebali_arena arena;
  struct rebali_text_numbers numbers;
};

static void open_fixture(struct fixture *fixture) {
  ck_assert_int_eq(rebali_allocator_load(&fixture->memory, NULL, NULL), REBAL_OK);
  rebali_arena_init(&fixture->arena, &fixture->memory, 0);
  fixture->numbers = rebali_text_numbers(&fixture->arena);
}

static uint32_t add(struct fixture *fixture, const char *text) {
  uint32_t number = REBAL_NONE;

  ck_assert_int_eq(rebali_text_numbers_add(&fixture->numbers, rebali_text(text, strlen(text)), &number), REBAL_OK);
  return number;
}

START_TEST(test_words_are_numbered_as_they_come) {
  struct fixture fixture;

  open_fixture(&fixture);
  ck_assert_uint_eq(rebali_text_numbers_find(&fixture.numbers, REBALI_TEXT("a")), REBAL_NONE);
  ck_assert_uint_eq(add(&fixture, "b"), 0);
  ck_assert_uint_eq(add(&fixture, ""), 1);
  ck_assert_uint_eq(add(&fixture, "b"), 0);
  ck_assert_uint_eq(add(&fixture, "a"), 2);
  ck_assert_uint_eq(rebali_text_numbers_find(&fixture.numbers, REBALI_TEXT("")), 1);
  ck_assert_uint_eq(rebali_text_numbers_find(&fixture.numbers, REBALI_TEXT("ab")), REBAL_NONE);
  ck_assert_uint_eq(rebali_text_numbers_find(&fixture.numbers, REBALI_TEXT("a")), 2);
  rebali_arena_dispose(&fixture.arena);
}
END_TEST

START_TEST(test_many_words) {
  enum { MANY = 5000 };
  static char texts[MANY][12];
  struct fixture fixture;

  open_fixture(&fixture);
  for (uint32_t i = 0; i < MANY; i++) {
    (void)snprintf(texts[i], sizeof texts[i], "word-%u", (unsigned)i);
    ck_assert_uint_eq(add(&fixture, texts[i]), i);
  }
  for (uint32_t i = 0; i < MANY; i++) {
    ck_assert_uint_eq(rebali_text_numbers_find(&fixture.numbers, rebali_text(texts[i], strlen(texts[i]))), i);
    ck_assert(rebali_text_equal(fixture.numbers.texts[i], rebali_text(texts[i], strlen(texts[i]))));
  }
  ck_assert_uint_eq(fixture.numbers.n, MANY);
  rebali_arena_dispose(&fixture.arena);
}
END_TEST

static int32_t add_some(const rebal_allocator *memory, void *user_data) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzabc";
  struct rebali_arena arena;
  struct rebali_text_numbers numbers;
  int32_t code = REBAL_OK;
  uint32_t number;

  (void)user_data;
  rebali_arena_init(&arena, memory, 0);
  numbers = rebali_text_numbers(&arena);
  for (size_t i = 0; code == REBAL_OK && i + 1 < sizeof letters; i++) {
    code = rebali_text_numbers_add(&numbers, rebali_text(letters, i), &number);
  }
  rebali_arena_dispose(&arena);
  return code;
}

START_TEST(test_words_without_memory) {
  ck_assert_pstr_eq(test_torture(add_some, NULL), NULL);
}
END_TEST

/* Two words that have the compared bits of the hash in common, where numbers are little-endian. */
START_TEST(test_words_of_one_hash) {
  struct fixture fixture;

  open_fixture(&fixture);
  ck_assert_uint_eq(add(&fixture, "web-0121097"), 0);
  ck_assert_uint_eq(rebali_text_numbers_find(&fixture.numbers, REBALI_TEXT("web-1127207")), REBAL_NONE);
  ck_assert_uint_eq(add(&fixture, "web-1127207"), 1);
  ck_assert_uint_eq(rebali_text_numbers_find(&fixture.numbers, REBALI_TEXT("web-0121097")), 0);
  ck_assert_uint_eq(rebali_text_numbers_find(&fixture.numbers, REBALI_TEXT("web-1127207")), 1);
  rebali_arena_dispose(&fixture.arena);
}
END_TEST

UNIT_CASE(text_numbers) {
  TCase *cases = tcase_create("text_numbers");

  tcase_add_test(cases, test_words_are_numbered_as_they_come);
  tcase_add_test(cases, test_many_words);
  tcase_add_test(cases, test_words_without_memory);
  tcase_add_test(cases, test_words_of_one_hash);
  return cases;
}
