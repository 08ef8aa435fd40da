/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../../support/allocator.h"
#include "../unit.h"

#include <stdio.h>

#define MANY 5000u

static size_t name_of(uint32_t number, char *name, size_t capacity) {
  return (size_t)snprintf(name, capacity, "cluster-%u", (unsigned)number);
}

START_TEST(test_equal_bytes_get_equal_ids) {
  struct test_allocator memory;
  struct rebali_intern *intern = NULL;
  uint32_t id = 99;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_intern_new(&memory.functions, &intern), REBAL_OK);
  ck_assert_uint_eq(rebali_intern_count(intern), 0);
  ck_assert_uint_eq(rebali_intern_find(intern, "a", 1), REBALI_NONE);
  ck_assert_int_eq(rebali_intern_add(intern, "a", 1, &id), REBAL_OK);
  ck_assert_uint_eq(id, 0);
  ck_assert_int_eq(rebali_intern_add(intern, "b", 1, &id), REBAL_OK);
  ck_assert_uint_eq(id, 1);
  ck_assert_int_eq(rebali_intern_add(intern, "a", 1, &id), REBAL_OK);
  ck_assert_uint_eq(id, 0);
  ck_assert_int_eq(rebali_intern_add(intern, NULL, 0, &id), REBAL_OK);
  ck_assert_uint_eq(id, 2);
  ck_assert_int_eq(rebali_intern_add(intern, "a\0", 2, &id), REBAL_OK);
  ck_assert_uint_eq(id, 3);
  ck_assert_uint_eq(rebali_intern_find(intern, "", 0), 2);
  ck_assert_uint_eq(rebali_intern_find(intern, "c", 1), REBALI_NONE);
  ck_assert_uint_eq(rebali_intern_count(intern), 4);
  rebali_intern_free(intern);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_entries_never_move) {
  struct test_allocator memory;
  struct rebali_intern *intern = NULL;
  const char **places = malloc(MANY * sizeof *places);
  char name[32];
  uint32_t id;
  uint32_t i;

  ck_assert_ptr_nonnull(places);
  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_intern_new(&memory.functions, &intern), REBAL_OK);
  for (i = 0; i < MANY; i++) {
    ck_assert_int_eq(rebali_intern_add(intern, name, name_of(i, name, sizeof name), &id), REBAL_OK);
    ck_assert_uint_eq(id, i);
    places[i] = rebali_intern_get(intern, i).bytes;
    ck_assert_uint_eq((uintptr_t)places[i] % sizeof(uint64_t), 0);
  }
  for (i = 0; i < MANY; i++) {
    const size_t len = name_of(i, name, sizeof name);

    ck_assert_uint_eq(rebali_intern_find(intern, name, len), i);
    ck_assert_ptr_eq(rebali_intern_get(intern, i).bytes, places[i]);
    ck_assert_uint_eq(rebali_intern_get(intern, i).len, len);
    ck_assert_str_eq(places[i], name);
  }
  ck_assert_uint_eq(rebali_intern_find(intern, "cluster-", 8), REBALI_NONE);
  rebali_intern_free(intern);
  ck_assert_uint_eq(memory.live, 0);
  free(places);
}
END_TEST

START_TEST(test_free_gives_all_back) {
  struct test_allocator memory;
  struct rebali_intern *intern = NULL;
  uint32_t id;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_intern_new(&memory.functions, &intern), REBAL_OK);
  ck_assert_int_eq(rebali_intern_add(intern, "kept", 4, &id), REBAL_OK);
  ck_assert_uint_gt(memory.live, 0);
  ck_assert_str_eq(rebali_intern_get(intern, id).bytes, "kept");
  rebali_intern_free(intern);
  ck_assert_uint_eq(memory.live, 0);
  rebali_intern_free(NULL);
}
END_TEST

static int32_t add_many(const rebal_allocator *allocator, void *user_data) {
  struct rebali_intern *intern = NULL;
  int32_t code = rebali_intern_new(allocator, &intern);
  char name[32];
  uint32_t id;
  uint32_t i;

  (void)user_data;
  for (i = 0; code == REBAL_OK && i < 300; i++) {
    code = rebali_intern_add(intern, name, name_of(i, name, sizeof name), &id);
  }
  rebali_intern_free(intern);
  return code;
}

START_TEST(test_every_allocation_may_fail) {
  ck_assert_pstr_eq(test_torture(add_many, NULL), NULL);
}
END_TEST

/* Each add that allocates fails once and is tried again: no name is lost or doubled. */
START_TEST(test_failed_add_changes_nothing) {
  struct test_allocator memory;
  struct rebali_intern *intern = NULL;
  char name[32];
  uint32_t id;
  uint32_t i;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_intern_new(&memory.functions, &intern), REBAL_OK);
  for (i = 0; i < 1000; i++) {
    const size_t len = name_of(i, name, sizeof name);

    memory.fail_at = memory.requests + 1;
    if (rebali_intern_add(intern, name, len, &id) == REBAL_ENOMEM) {
      ck_assert_uint_eq(rebali_intern_find(intern, name, len), REBALI_NONE);
      ck_assert_uint_eq(rebali_intern_count(intern), i);
      ck_assert_int_eq(rebali_intern_add(intern, name, len, &id), REBAL_OK);
    }
    ck_assert_uint_eq(id, i);
  }
  for (i = 0; i < 1000; i++) {
    ck_assert_uint_eq(rebali_intern_find(intern, name, name_of(i, name, sizeof name)), i);
  }
  rebali_intern_free(intern);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

/* Two texts of one hash, where numbers are little-endian. */
START_TEST(test_texts_of_one_hash) {
  struct test_allocator memory;
  struct rebali_intern *intern = NULL;
  uint32_t id = 99;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_intern_new(&memory.functions, &intern), REBAL_OK);
  ck_assert_int_eq(rebali_intern_add(intern, "ns/web-142110", 13, &id), REBAL_OK);
  ck_assert_uint_eq(rebali_intern_find(intern, "ns/web-179918", 13), REBALI_NONE);
  ck_assert_int_eq(rebali_intern_add(intern, "ns/web-179918", 13, &id), REBAL_OK);
  ck_assert_uint_eq(id, 1);
  ck_assert_uint_eq(rebali_intern_find(intern, "ns/web-142110", 13), 0);
  rebali_intern_free(intern);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

UNIT_CASE(intern) {
  TCase *cases = tcase_create("intern");
  tcase_add_test(cases, test_equal_bytes_get_equal_ids);
  tcase_add_test(cases, test_entries_never_move);
  tcase_add_test(cases, test_free_gives_all_back);
  tcase_add_test(cases, test_every_allocation_may_fail);
  tcase_add_test(cases, test_failed_add_changes_nothing);
  tcase_add_test(cases, test_texts_of_one_hash);
  return cases;
}
