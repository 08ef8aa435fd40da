/* SPDX-License-Identifier: MIT */
#include "watches.h"

START_TEST(test_items_get_what_a_list_leaves_out) {
  rebal_store *store = store_new();
  rebal_watch *watch = watch_of(store, "v1", "Pod", "", "");
  ck_assert_int_eq(answer(watch, 200, PAGE("10", "", POD("a", "1"))), REBAL_OK);
  assert_written(store, 0, REBAL_TEXT_FORMAT_JSON,
                 "{\"metadata\":{\"name\":\"a\",\"namespace\":\"x\",\"resourceVersion\":\"1\"},\"apiVersion\":\"v1\","
                 "\"kind\":\"Pod\"}");
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_a_refused_item_keeps_the_object_of_the_store) {
  rebal_store *store = store_of("{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: x}}");
  rebal_watch *watch = watch_of(store, "v1", "Pod", "", "");
  rebal_error err = REBAL_ERROR_INIT;
  static const char page[] =
      PAGE("10", "",
           POD("a", "1") ",{\"metadata\":{\"name\":\"b\",\"namespace\":\"x\"},\"spec\":{\"tolerations\":1}},7," POD(
               "c", "3"));
  ck_assert_int_eq(rebal_watch_feed(watch, page, sizeof page - 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_watch_end(watch, 200, &err), REBAL_EPARSE);
  ck_assert_str_eq(err.message, "Pod x/b: expected a list");
  assert_store(store, "a=1 b= c=3");
  ck_assert_int_eq(rebal_watch_is_synced(watch), 1);
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_huge_lists_come_page_by_page) {
  enum { PAGES = 20, ITEMS = 500 };
  rebal_store *store = store_new();
  rebal_watch *watch = watch_of(store, "v1", "Pod", "", "");
  char text[256];
  for (int page = 0; page < PAGES; page++) {
    (void)snprintf(text, sizeof text, "{\"metadata\":{\"resourceVersion\":\"9\",\"continue\":\"%s\"},\"items\":[",
                   page + 1 < PAGES ? "more" : "");
    ck_assert_int_eq(feed(watch, text), REBAL_OK);
    for (int i = 0; i < ITEMS; i++) {
      (void)snprintf(text, sizeof text, "%s{\"metadata\":{\"name\":\"p%d-%d\",\"namespace\":\"x\"}}", i > 0 ? "," : "",
                     page, i);
      ck_assert_int_eq(feed(watch, text), REBAL_OK);
    }
    ck_assert_int_eq(feed(watch, "]}"), REBAL_OK);
    ck_assert_int_eq(rebal_watch_is_synced(watch), 0);
    ck_assert_int_eq(rebal_watch_end(watch, 200, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebal_watch_is_synced(watch), 1);
  ck_assert_uint_eq(rebal_store_count(store), (size_t)PAGES * ITEMS);
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(watch_page) {
  TCase *cases = tcase_create("watch_page");
  tcase_add_test(cases, test_items_get_what_a_list_leaves_out);
  tcase_add_test(cases, test_a_refused_item_keeps_the_object_of_the_store);
  tcase_add_test(cases, test_huge_lists_come_page_by_page);
  return cases;
}
