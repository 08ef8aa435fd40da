/* SPDX-License-Identifier: MIT */
#include "watches.h"

START_TEST(test_sets_grow) {
  struct rebali_id_set set = {NULL, 0};
  ck_assert_int_eq(rebali_id_set_has(&set, 0), 0);
  rebali_id_set_remove(&set, 7);
  rebali_id_set_clear(&set);
  for (uint32_t id = 0; id < 1000; id += 3) {
    ck_assert_int_eq(rebali_id_set_add(&set, id, NULL), REBAL_OK);
  }
  rebali_id_set_remove(&set, 6);
  for (uint32_t id = 0; id < 2000; id++) {
    ck_assert_int_eq(rebali_id_set_has(&set, id), id < 1000 && id % 3 == 0 && id != 6);
  }
  rebali_id_set_clear(&set);
  ck_assert_int_eq(rebali_id_set_has(&set, 3), 0);
  free(set.words);
}
END_TEST

/* A store with objects beside those of the watch, and what is left of it after a list of "a" alone. */
static const struct {
  const char *store;
  const char *namespace_, *labels;
  const char *left;
} lists[] = {
    {"{apiVersion: v1, kind: Pod, metadata: {name: old, namespace: x}}", "", "", "a=1"},
    {"{apiVersion: v1, kind: Pod, metadata: {name: old, namespace: x}}", "x", "", "a=1"},
    {"{apiVersion: v1, kind: Pod, metadata: {name: old, namespace: zoo}}", "x", "", "a=1 old="},
    {"{apiVersion: v1, kind: Secret, metadata: {name: old, namespace: x}}", "", "", "a=1 old="},
    {"{apiVersion: metrics.k8s.io/v1, kind: Pod, metadata: {name: old, namespace: x}}", "", "", "a=1 old="},
    /* with a selector only the server can evaluate it */
    {"{apiVersion: v1, kind: Pod, metadata: {name: old, namespace: x}}", "", "app=a", "a=1 old="},
};

START_TEST(test_a_list_removes_what_it_would_hold) {
  rebal_store *store = store_of(lists[_i].store);
  rebal_watch *watch = watch_of(store, "v1", "Pod", lists[_i].namespace_, lists[_i].labels);
  ck_assert_int_eq(answer(watch, 200, PAGE("10", "", POD("a", "1"))), REBAL_OK);
  assert_store(store, lists[_i].left);
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

/* Two watches of one kind: each removes what it brought, also of a list that was never complete. */
START_TEST(test_watches_with_selectors_keep_to_their_own) {
  rebal_store *store = store_new();
  rebal_watch *left = watch_of(store, "v1", "Pod", "", "app=left");
  rebal_watch *right = watch_of(store, "v1", "Pod", "", "app=right");
  ck_assert_int_eq(answer(left, 200, PAGE("10", "t", POD("a", "1") "," POD("b", "2"))), REBAL_OK);
  ck_assert_int_eq(answer(right, 200, PAGE("10", "", POD("c", "3"))), REBAL_OK);
  ck_assert_int_eq(answer(left, 410, ""), REBAL_OK);
  ck_assert_int_eq(answer(left, 200, PAGE("20", "", POD("b", "2"))), REBAL_OK);
  assert_store(store, "b=2 c=3");
  ck_assert_int_eq(answer(left, 200, EVENT("ADDED", POD("d", "21"))), REBAL_OK);
  ck_assert_int_eq(answer(left, 410, ""), REBAL_OK);
  ck_assert_int_eq(answer(left, 200, PAGE("30", "", "")), REBAL_OK);
  assert_store(store, "c=3");
  rebal_watch_free(left);
  rebal_watch_free(right);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(watch_seen) {
  TCase *cases = tcase_create("watch_seen");
  tcase_add_test(cases, test_sets_grow);
  tcase_add_loop_test(cases, test_a_list_removes_what_it_would_hold, 0, (int)COUNT(lists));
  tcase_add_test(cases, test_watches_with_selectors_keep_to_their_own);
  return cases;
}
