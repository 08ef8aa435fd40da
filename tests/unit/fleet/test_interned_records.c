/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

START_TEST(test_kinds) {
  ck_assert_uint_eq(rebali_store_kind(REBAL_OBJECT_LABELS), 0);
  ck_assert_uint_eq(rebali_store_kind(REBAL_OBJECT_CONDITIONS), REBALI_KINDS - 1);
  ck_assert_uint_eq(rebali_store_kind(REBAL_OBJECT_PAIR), REBALI_KINDS);
  ck_assert_uint_eq(rebali_store_kind(REBAL_OBJECT_NONE), REBALI_KINDS);
}
END_TEST

START_TEST(test_columns) {
  struct test_allocator memory;
  struct rebali_store *store = NULL;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebali_store_new(&memory.functions, &store), REBAL_OK);
  ck_assert_int_eq(store->columns[REBAL_CLUSTER_REGION % 256].absent, REBAL_NONE);
  ck_assert_uint_eq(store->columns[REBAL_CLUSTER_REGION % 256].kind, REBALI_KINDS);
  ck_assert_int_eq(store->columns[REBAL_CLUSTER_ZONES % 256].absent, REBAL_NONE);
  ck_assert_uint_eq(store->columns[REBAL_CLUSTER_ZONES % 256].kind, rebali_store_kind(REBAL_OBJECT_TEXTS));
  ck_assert_int_eq(store->columns[REBAL_CLUSTER_DELETING % 256].absent, 0);
  ck_assert_uint_eq(store->columns[REBAL_CLUSTER_DELETING % 256].kind, REBALI_KINDS);
  ck_assert_ptr_eq(rebali_store_ref(store), store);
  rebali_store_unref(store);
  ck_assert_uint_gt(memory.live, 0);
  rebali_store_unref(store);
  ck_assert_uint_eq(memory.live, 0);
  rebali_store_unref(NULL);
}
END_TEST

START_TEST(test_known_resources) {
  rebal_fleet *fleet = new_fleet();

  ck_assert_uint_eq(rebali_store_resource(fleet->store, REBALI_TEXT("cpu")), REBAL_NONE);
  ck_assert_uint_eq(resource_of(fleet, "memory"), 0);
  ck_assert_uint_eq(resource_of(fleet, "cpu"), 1);
  ck_assert_uint_eq(rebali_store_resource(fleet->store, REBALI_TEXT("cpu")), 1);
  ck_assert_uint_eq(rebali_store_known(&fleet->store->known_resources), 2);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(interned_records) {
  TCase *cases = tcase_create("interned_records");
  tcase_add_test(cases, test_kinds);
  tcase_add_test(cases, test_columns);
  tcase_add_test(cases, test_known_resources);
  return cases;
}
