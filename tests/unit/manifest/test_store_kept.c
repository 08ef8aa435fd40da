/* SPDX-License-Identifier: MIT */
#include "stores.h"

#include <stdlib.h>

static json_t *share(rebal_store *store, uint32_t object) {
  json_t *tree = NULL;
  ck_assert_int_eq(rebali_store_share(store, object, &tree, NULL), REBAL_OK);
  return tree;
}

START_TEST(test_a_tree_is_kept_until_its_object_changes) {
  rebal_store *store = store_of("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {k: v}}");
  const rebal_time now = time_of(NOW);
  json_t *first = share(store, 0), *second = share(store, 0), *third;
  ck_assert_ptr_eq(first, second);
  ck_assert_int_eq(rebal_store_patch(store, 0, "{data: {k: w}}", 14, &now, NULL), REBAL_OK);
  third = share(store, 0);
  ck_assert_ptr_ne(first, third);
  ck_assert_str_eq(rebali_member_text(rebali_member(first, "data"), "k"), "v");
  ck_assert_str_eq(rebali_member_text(rebali_member(third, "data"), "k"), "w");
  ck_assert_int_eq(rebal_store_remove(store, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_store_share(store, 0, &second, NULL), REBAL_ENOTFOUND);
  ck_assert_ptr_null(second);
  json_decref(first);
  json_decref(first);
  json_decref(third);
  rebal_store_free(store);
}
END_TEST

/* Twenty of a megabyte are more than are kept; each is read right all the same. */
START_TEST(test_large_objects_evict_each_other) {
  enum { LEN = 1 << 20, N = 20 };
  rebal_store *store = store_new();
  char *text = malloc(LEN + 200);
  ck_assert_ptr_nonnull(text);
  for (int i = 0; i < N; i++) {
    const int start = snprintf(
        text, 200, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"n%d\"},\"data\":{\"k\":\"", i);
    memset(text + start, 'a' + i, LEN);
    memcpy(text + start + LEN, "\"}}", 4);
    load(store, text);
  }
  for (uint32_t i = 0; i < 2 * N; i++) {
    char *found = member_of(store, i % N, "data.k");
    ck_assert_uint_eq(strlen(found), LEN);
    ck_assert_int_eq(found[0], (int)('a' + i % N));
    free(found);
    ck_assert_uint_le(store->kept_bytes, (size_t)16 << 20);
  }
  free(text);
  rebal_store_free(store);
}
END_TEST

/* What is read in passing is not kept, what is kept is used. */
START_TEST(test_a_visit_keeps_nothing) {
  rebal_store *store = store_of("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {k: v}}");
  json_t *visited = NULL, *kept;
  ck_assert_int_eq(rebali_store_visit(store, 0, &visited, NULL), REBAL_OK);
  ck_assert_uint_eq(store->kept_bytes, 0);
  ck_assert_str_eq(rebali_member_text(rebali_member(visited, "data"), "k"), "v");
  json_decref(visited);
  kept = share(store, 0);
  ck_assert_uint_gt(store->kept_bytes, 0);
  ck_assert_int_eq(rebali_store_visit(store, 0, &visited, NULL), REBAL_OK);
  ck_assert_ptr_eq(visited, kept);
  json_decref(visited);
  json_decref(kept);
  ck_assert_int_eq(rebali_store_visit(store, 1, &visited, NULL), REBAL_ENOTFOUND);
  ck_assert_ptr_null(visited);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(store_kept) {
  TCase *cases = tcase_create("store_kept");
  tcase_add_test(cases, test_a_tree_is_kept_until_its_object_changes);
  tcase_add_test(cases, test_a_visit_keeps_nothing);
  tcase_add_test(cases, test_large_objects_evict_each_other);
  return cases;
}
