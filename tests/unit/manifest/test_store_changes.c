/* SPDX-License-Identifier: MIT */
#include "stores.h"

static const char two[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\",\"namespace\":\"x\"}}\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"x\"}}\n";

static void patch(rebal_store *store, uint32_t object, const char *text) {
  const rebal_time now = time_of(NOW);
  ck_assert_int_eq(rebal_store_patch(store, object, text, strlen(text), &now, NULL), REBAL_OK);
}

/* Ids of what changed after a number of changes, and the number of the last one. */
static void assert_changed(const rebal_store *store, uint64_t seen, const char *expected) {
  char found[64] = "";
  size_t len = 0;
  for (uint32_t id = rebal_store_next_changed(store, &seen); id != REBAL_NONE;
       id = rebal_store_next_changed(store, &seen)) {
    len += (size_t)snprintf(found + len, sizeof found - len, "%s%u", len > 0 ? " " : "", (unsigned)id);
  }
  ck_assert_str_eq(found, expected);
  ck_assert_uint_eq(seen, rebal_store_change_count(store));
}

START_TEST(test_every_change_counts) {
  rebal_store *store = store_of(two);
  assert_changed(store, 0, "0 1");
  ck_assert_uint_eq(rebal_store_change_count(store), 2);
  assert_changed(store, 2, "");
  patch(store, 1, "{data: {k: v}}");
  patch(store, 1, "{data: {k: w}}");
  ck_assert_uint_eq(rebal_store_change_count(store), 4);
  assert_changed(store, 2, "1");
  assert_changed(store, 3, "1");
  assert_changed(store, 4, "");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_changes_come_in_their_order) {
  rebal_store *store = store_of(two);
  patch(store, 1, "{data: {k: v}}");
  patch(store, 0, "{data: {k: v}}");
  assert_changed(store, 0, "1 0");
  assert_changed(store, 3, "0");
  patch(store, 1, "{data: {k: w}}");
  assert_changed(store, 0, "0 1");
  rebal_store_free(store);
}
END_TEST

/* The log of changes holds few entries for each object: what it drops was followed by another change of the object. */
START_TEST(test_many_changes_of_few_objects) {
  rebal_store *store = store_of(two);
  for (uint32_t i = 0; i < 1000; i++) {
    char text[32];
    (void)snprintf(text, sizeof text, "{data: {k: v%u}}", (unsigned)i);
    patch(store, i % 3 == 0, text);
  }
  ck_assert_uint_eq(rebal_store_change_count(store), 1002);
  assert_changed(store, 0, "0 1");
  assert_changed(store, 1001, "1");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_what_stays_the_same_is_not_a_change) {
  rebal_store *store = store_of(two);
  const uint64_t since = rebal_store_change_count(store);
  patch(store, 0, "{metadata: {name: b}}");
  ck_assert_uint_eq(rebal_store_change_count(store), since);
  assert_member(store, 0, "metadata.name", "b");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_a_deleted_object_has_changed_and_has_no_text) {
  rebal_store *store = store_of(two);
  size_t len = 1;
  ck_assert_int_eq(rebal_store_remove(store, 0, NULL), REBAL_OK);
  assert_changed(store, 2, "0");
  ck_assert_str_eq(rebal_store_identity(store, 0, REBAL_IDENTITY_KIND, &len), "");
  ck_assert_uint_eq(len, 0);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_nonsense_is_nothing) {
  rebal_store *store = store_of(two);
  uint64_t seen = UINT64_MAX;
  ck_assert_uint_eq(rebal_store_change_count(NULL), 0);
  ck_assert_uint_eq(rebal_store_next_changed(NULL, &seen), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_next_changed(store, NULL), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_next_changed(store, &seen), REBAL_NONE);
  ck_assert_uint_eq(seen, UINT64_MAX);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(store_changes) {
  TCase *cases = tcase_create("store_changes");
  tcase_add_test(cases, test_every_change_counts);
  tcase_add_test(cases, test_changes_come_in_their_order);
  tcase_add_test(cases, test_many_changes_of_few_objects);
  tcase_add_test(cases, test_what_stays_the_same_is_not_a_change);
  tcase_add_test(cases, test_a_deleted_object_has_changed_and_has_no_text);
  tcase_add_test(cases, test_nonsense_is_nothing);
  return cases;
}
