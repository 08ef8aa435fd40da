/* SPDX-License-Identifier: MIT */
#include "watches.h"

#define NODE(name, version, rest) "{\"metadata\":{\"name\":\"" name "\",\"resourceVersion\":\"" version "\"}" rest "}"
#define NODES "{\"metadata\":{\"resourceVersion\":\"10\"},\"items\":[" NODE("m", "1", "") "]}"

/* Events that are refused: the store keeps what it has, and the events around them are taken. */
static const struct {
  const char *event;
  int32_t code;
  const char *message;
} refused[] = {
    {EVENT("MODIFIED", NODE("m", "12", ",\"spec\":{\"taints\":{}}")), REBAL_EPARSE, "Node /m: expected a list"},
    {EVENT("ADDED", "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"resourceVersion\":\"12\"}}"), REBAL_EPARSE,
     "Node /p: expected v1 Node"},
    {EVENT("ADDED", "{\"apiVersion\":\"v2\",\"metadata\":{\"name\":\"p\",\"resourceVersion\":\"12\"}}"), REBAL_EPARSE,
     "Node /p: expected v1 Node"},
    {EVENT("ADDED", "{\"metadata\":{\"resourceVersion\":\"12\"}}"), REBAL_EPARSE, "Node /: the object has no name"},
    {EVENT("SYNCED", "{\"metadata\":{\"resourceVersion\":\"12\"}}"), REBAL_EPARSE,
     "expected an event, got type \"SYNCED\""},
};

START_TEST(test_refused_objects_do_not_end_a_watch) {
  rebal_store *store = store_new();
  rebal_watch *watch = watch_of(store, "v1", "Node", "", "");
  rebal_error err = REBAL_ERROR_INIT;
  char events[1024];
  ck_assert_int_eq(answer(watch, 200, NODES), REBAL_OK);
  (void)snprintf(events, sizeof events, "%s%s%s", EVENT("ADDED", NODE("a", "11", "")), refused[_i].event,
                 EVENT("ADDED", NODE("z", "13", "")));
  ck_assert_int_eq(rebal_watch_feed(watch, events, strlen(events), &err), refused[_i].code);
  ck_assert_str_eq(err.message, refused[_i].message);
  assert_store(store, "a=11 m=1 z=13");
  ck_assert_int_eq(rebal_watch_end(watch, 200, NULL), REBAL_OK);
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

/* Lines that are no events: nothing after them is read, and the watch resumes before them. */
static const char *const broken[] = {
    "{\"type\":\"ADDED\"}\n",
    "{\"type\":\"ADDED\",\"object\":[]}\n",
    "{\"object\":" NODE("n", "12", "") "}\n",
    "[]\n",
    "{\n",
    "kind: Node\n",
    "\xff\n",
    "{}{}\n",
};

START_TEST(test_malformed_lines_end_a_watch) {
  rebal_store *store = store_new();
  rebal_watch *watch = watch_of(store, "v1", "Node", "", "");
  rebal_error fed = REBAL_ERROR_INIT, ended = REBAL_ERROR_INIT;
  char events[1024];
  ck_assert_int_eq(answer(watch, 200, NODES), REBAL_OK);
  (void)snprintf(events, sizeof events, "%s%s%s", EVENT("ADDED", NODE("a", "11", "")), broken[_i],
                 EVENT("ADDED", NODE("z", "13", "")));
  ck_assert_int_eq(rebal_watch_feed(watch, events, strlen(events), &fed), REBAL_EPARSE);
  ck_assert_int_eq(rebal_watch_end(watch, 200, &ended), REBAL_EPARSE);
  ck_assert_str_eq(fed.message, ended.message);
  assert_store(store, "a=11 m=1");
  assert_request(watch, "/api/v1/nodes?watch=1&resourceVersion=11&allowWatchBookmarks=true&timeoutSeconds=300");
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_changes_are_noted_once) {
  rebal_store *store = store_new();
  rebal_watch *watch = watch_of(store, "v1", "Node", "", "");
  uint64_t changes;
  ck_assert_int_eq(answer(watch, 200, NODES), REBAL_OK);
  changes = rebal_store_change_count(store);
  ck_assert_int_eq(feed(watch, EVENT("MODIFIED", NODE("m", "1", "")) EVENT("DELETED", NODE("none", "9", ""))),
                   REBAL_OK);
  ck_assert_uint_eq(rebal_store_change_count(store), changes);
  ck_assert_int_eq(feed(watch, EVENT("MODIFIED", NODE("m", "2", ""))), REBAL_OK);
  ck_assert_uint_eq(rebal_store_change_count(store), changes + 1);
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(watch_event) {
  TCase *cases = tcase_create("watch_event");
  tcase_add_loop_test(cases, test_refused_objects_do_not_end_a_watch, 0, (int)COUNT(refused));
  tcase_add_loop_test(cases, test_malformed_lines_end_a_watch, 0, (int)COUNT(broken));
  tcase_add_test(cases, test_changes_are_noted_once);
  return cases;
}
