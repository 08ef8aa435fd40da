/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

static int64_t value_at(const struct rebali_pages *pages, uint32_t row, int64_t absent) {
  const int64_t *cell = rebali_pages_get(pages, row);

  return cell == NULL ? absent : *cell;
}

static void write_at(const rebal_allocator *allocator, struct rebali_pages *pages, uint32_t row, int64_t value) {
  const int64_t absent = -1;
  int64_t *cell = rebali_pages_edit(allocator, pages, row, &absent);

  ck_assert_ptr_nonnull(cell);
  *cell = value;
}

START_TEST(test_new_pages_are_absent) {
  struct test_allocator memory;
  struct rebali_pages pages = {NULL, sizeof(int64_t)};

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_ptr_null(rebali_pages_get(&pages, 0));
  write_at(&memory.functions, &pages, 600, 5);
  ck_assert_ptr_null(rebali_pages_get(&pages, 0));
  ck_assert_ptr_null(rebali_pages_get(&pages, UINT32_MAX));
  ck_assert_int_eq(value_at(&pages, 600, -2), 5);
  ck_assert_int_eq(value_at(&pages, 512, -2), -1);
  ck_assert_int_eq(value_at(&pages, 767, -2), -1);
  rebali_pages_drop(&memory.functions, &pages);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_only_the_changed_page_is_copied) {
  struct test_allocator memory;
  struct rebali_pages pages = {NULL, sizeof(int64_t)};
  struct rebali_pages shared;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  write_at(&memory.functions, &pages, 0, 1);
  write_at(&memory.functions, &pages, 300, 2);
  shared = rebali_pages_share(&pages);
  write_at(&memory.functions, &pages, 300, 3);
  ck_assert_int_eq(value_at(&shared, 300, -2), 2);
  ck_assert_int_eq(value_at(&pages, 300, -2), 3);
  ck_assert_ptr_eq(rebali_pages_get(&shared, 0), rebali_pages_get(&pages, 0));
  ck_assert_ptr_ne(rebali_pages_get(&shared, 300), rebali_pages_get(&pages, 300));
  rebali_pages_drop(&memory.functions, &pages);
  ck_assert_int_eq(value_at(&shared, 0, -2), 1);
  rebali_pages_drop(&memory.functions, &shared);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

START_TEST(test_sole_owner_writes_in_place) {
  struct test_allocator memory;
  struct rebali_pages pages = {NULL, sizeof(int64_t)};
  struct rebali_pages shared;
  const void *place;
  size_t requests;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  write_at(&memory.functions, &pages, 7, 1);
  shared = rebali_pages_share(&pages);
  rebali_pages_drop(&memory.functions, &shared);
  place = rebali_pages_get(&pages, 7);
  requests = memory.requests;
  write_at(&memory.functions, &pages, 7, 2);
  ck_assert_ptr_eq(rebali_pages_get(&pages, 7), place);
  ck_assert_uint_eq(memory.requests, requests);
  rebali_pages_drop(&memory.functions, &pages);
}
END_TEST

/* A failed edit leaves both owners as they were. */
START_TEST(test_failed_edit_changes_nothing) {
  const int64_t absent = -1;
  struct test_allocator memory;
  size_t fail;

  for (fail = 1; fail <= 2; fail++) {
    struct rebali_pages pages = {NULL, sizeof(int64_t)};
    struct rebali_pages shared;

    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    write_at(&memory.functions, &pages, 7, 1);
    shared = rebali_pages_share(&pages);
    memory.fail_at = memory.requests + fail;
    ck_assert_ptr_null(rebali_pages_edit(&memory.functions, &pages, 7, &absent));
    ck_assert_int_eq(value_at(&pages, 7, -2), 1);
    ck_assert_int_eq(value_at(&shared, 7, -2), 1);
    rebali_pages_drop(&memory.functions, &shared);
    rebali_pages_drop(&memory.functions, &pages);
    ck_assert_uint_eq(memory.live, 0);
  }
}
END_TEST

UNIT_CASE(pages) {
  TCase *cases = tcase_create("pages");
  tcase_add_test(cases, test_new_pages_are_absent);
  tcase_add_test(cases, test_only_the_changed_page_is_copied);
  tcase_add_test(cases, test_sole_owner_writes_in_place);
  tcase_add_test(cases, test_failed_edit_changes_nothing);
  return cases;
}
