/* SPDX-License-Identifier: MIT */
#include "stores.h"

static const char two[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\",\"namespace\":\"x\"}}\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"x\"}}\n";

static void patch(rebal_store *store, uint32_t object, const char *text) {
  const rebal_time now = time_of(NOW);
  ck_assert_int_eq(rebal_store_patch(store, object, text, strlen(text), &now, NULL), REBAL_OK);
}

START_TEST(test_every_change_counts) {
  rebal_store *store = store_of(two);
  uint64_t since;
  ck_assert_uint_eq(rebal_store_changes(store), 2);
  ck_assert_uint_eq(rebal_store_next_changed(store, 0, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_store_next_changed(store, 0, 0), 1);
  ck_assert_uint_eq(rebal_store_next_changed(store, 0, 1), REBAL_NONE);
  since = rebal_store_changes(store);
  ck_assert_uint_eq(rebal_store_next_changed(store, since, REBAL_NONE), REBAL_NONE);
  patch(store, 1, "{data: {k: v}}");
  patch(store, 1, "{data: {k: w}}");
  ck_assert_uint_eq(rebal_store_changes(store), since + 2);
  ck_assert_uint_eq(rebal_store_next_changed(store, since, REBAL_NONE), 1);
  ck_assert_uint_eq(rebal_store_next_changed(store, since + 1, REBAL_NONE), 1);
  ck_assert_uint_eq(rebal_store_next_changed(store, since + 2, REBAL_NONE), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_next_changed(store, since, 1), REBAL_NONE);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_what_stays_the_same_is_no_change) {
  rebal_store *store = store_of(two);
  const uint64_t since = rebal_store_changes(store);
  patch(store, 0, "{metadata: {name: b}}");
  ck_assert_uint_eq(rebal_store_changes(store), since);
  assert_member(store, 0, "metadata.name", "b");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_a_deleted_object_has_changed_and_has_no_text) {
  rebal_store *store = store_of(two);
  const uint64_t since = rebal_store_changes(store);
  size_t len = 1;
  ck_assert_int_eq(rebal_store_delete(store, 0, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_store_next_changed(store, since, REBAL_NONE), 0);
  ck_assert_str_eq(rebal_store_text(store, 0, "kind", 4, &len), "");
  ck_assert_uint_eq(len, 0);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_nonsense_is_nothing) {
  rebal_store *store = store_of(two);
  ck_assert_uint_eq(rebal_store_changes(NULL), 0);
  ck_assert_uint_eq(rebal_store_next_changed(NULL, 0, REBAL_NONE), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_next_changed(store, 0, 2), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_next_changed(store, UINT64_MAX, REBAL_NONE), REBAL_NONE);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(store_changes) {
  TCase *cases = tcase_create("store_changes");
  tcase_add_test(cases, test_every_change_counts);
  tcase_add_test(cases, test_what_stays_the_same_is_no_change);
  tcase_add_test(cases, test_a_deleted_object_has_changed_and_has_no_text);
  tcase_add_test(cases, test_nonsense_is_nothing);
  return cases;
}
