/* SPDX-License-Identifier: MIT */
#include "watches.h"

#define LIST "/api/v1/pods?limit=500"
#define WATCH(version) "/api/v1/pods?watch=1&resourceVersion=" version "&allowWatchBookmarks=true&timeoutSeconds=300"
#define TWO PAGE("10", "", POD("a", "1") "," POD("b", "2"))

/* One request and its answer. */
struct turn {
  const char *request;
  const char *body;
  int32_t status;
  int32_t ended; /* what rebal_watch_end() returns */
};

/* Turns, the request after them, and what the store holds then. */
static const struct {
  struct turn turns[5];
  const char *next;
  const char *store;
  int32_t is_synced;
} scripts[] = {
    {{{LIST, TWO, 200, REBAL_OK}}, WATCH("10"), "a=1 b=2", 1},
    {{{LIST, PAGE("10", "", ""), 200, REBAL_OK}}, WATCH("10"), "", 1},
    /* pages */
    {{{LIST, PAGE("10", "to/k=", POD("a", "1")), 200, REBAL_OK}}, LIST "&continue=to%2Fk%3D", "a=1", 0},
    {{{LIST, PAGE("10", "t", POD("a", "1")), 200, REBAL_OK},
      {LIST "&continue=t", PAGE("10", "", POD("b", "2")), 200, REBAL_OK}},
     WATCH("10"),
     "a=1 b=2",
     1},
    /* events */
    {{{LIST, TWO, 200, REBAL_OK},
      {WATCH("10"),
       EVENT("ADDED", POD("c", "11")) EVENT("MODIFIED", POD("a", "12")) EVENT("DELETED", POD("b", "13"))
           EVENT("BOOKMARK", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"20\"}}"),
       200, REBAL_OK}},
     WATCH("20"),
     "a=12 c=11",
     1},
    /* an older version is kept as the server sends it */
    {{{LIST, TWO, 200, REBAL_OK}, {WATCH("10"), EVENT("MODIFIED", POD("b", "1")), 200, REBAL_OK}},
     WATCH("1"),
     "a=1 b=1",
     1},
    /* events that are cut off are sent again */
    {{{LIST, TWO, 200, REBAL_OK},
      {WATCH("10"), EVENT("DELETED", POD("a", "11")) "\r\n\n{\"type\":\"DELETED\",\"object\":" POD("b", "12"), 200,
       REBAL_OK}},
     WATCH("11"),
     "b=2",
     1},
    {{{LIST, TWO, 200, REBAL_OK}, {WATCH("10"), "", 200, REBAL_OK}}, WATCH("10"), "a=1 b=2", 1},
    /* versions that the server no longer has: a list, and objects that it lacks are removed at its end */
    {{{LIST, TWO, 200, REBAL_OK},
      {WATCH("10"), EVENT("ADDED", POD("c", "11")) EVENT("ERROR", STATUS("410", "Expired")), 200, REBAL_OK}},
     LIST,
     "a=1 b=2 c=11",
     1},
    {{{LIST, TWO, 200, REBAL_OK},
      {WATCH("10"), EVENT("ERROR", STATUS("410", "Gone")), 200, REBAL_OK},
      {LIST, PAGE("30", "t", POD("b", "22")), 200, REBAL_OK}},
     LIST "&continue=t",
     "a=1 b=22",
     1},
    {{{LIST, TWO, 200, REBAL_OK},
      {WATCH("10"), STATUS("410", "Gone") "\n", 410, REBAL_OK},
      {LIST, PAGE("30", "t", POD("b", "22")), 200, REBAL_OK},
      {LIST "&continue=t", PAGE("30", "", POD("d", "4")), 200, REBAL_OK}},
     WATCH("30"),
     "b=22 d=4",
     1},
    {{{LIST, PAGE("10", "t", POD("a", "1")), 200, REBAL_OK},
      {LIST "&continue=t", STATUS("410", "Expired"), 410, REBAL_OK},
      {LIST, PAGE("30", "", POD("b", "2")), 200, REBAL_OK}},
     WATCH("30"),
     "b=2",
     1},
    {{{LIST, STATUS("410", "Expired"), 410, REBAL_EAGAIN}}, LIST, "", 0},
    {{{LIST, TWO, 200, REBAL_OK},
      {WATCH("10"),
       EVENT("ERROR",
             "{\"kind\":\"Status\",\"code\":504,\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":"
             "\"ResourceVersionTooLarge\"}]}}"),
       200, REBAL_OK}},
     LIST,
     "a=1 b=2",
     1},
    /* the server fails: the same request again */
    {{{LIST, "<html>", 502, REBAL_EAGAIN}, {LIST, "", 429, REBAL_EAGAIN}, {LIST, "", 0, REBAL_EAGAIN}}, LIST, "", 0},
    {{{LIST, PAGE("10", "t", POD("a", "1")), 200, REBAL_OK}, {LIST "&continue=t", "", 503, REBAL_EAGAIN}},
     LIST "&continue=t",
     "a=1",
     0},
    {{{LIST, TWO, 200, REBAL_OK},
      {WATCH("10"), EVENT("ADDED", POD("c", "11")), 0, REBAL_EAGAIN},
      {WATCH("11"), EVENT("ERROR", STATUS("500", "InternalError")) EVENT("ADDED", POD("d", "12")), 200, REBAL_EAGAIN}},
     WATCH("11"),
     "a=1 b=2 c=11",
     1},
    /* the server refuses: from the start */
    {{{LIST, TWO, 200, REBAL_OK}, {WATCH("10"), STATUS("403", "Forbidden") "\n", 403, REBAL_EAGAIN}},
     LIST,
     "a=1 b=2",
     1},
    {{{LIST, PAGE("10", "t", POD("a", "1")), 200, REBAL_OK}, {LIST "&continue=t", "", 400, REBAL_EAGAIN}},
     LIST,
     "a=1",
     0},
    /* answers that cannot be used */
    {{{LIST, "{\"kind\":\"PodList\",\"items\":[" POD("a", "1") "]}", 200, REBAL_EPARSE}}, LIST, "", 0},
    {{{LIST, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[" POD("a", "1"), 200, REBAL_EPARSE}}, LIST, "", 0},
    {{{LIST, "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":{}}", 200, REBAL_EPARSE}}, LIST, "", 0},
    {{{LIST, TWO TWO, 200, REBAL_EPARSE}, {LIST, "", 200, REBAL_EPARSE}, {LIST, "[]", 200, REBAL_EPARSE}}, LIST, "", 0},
    {{{LIST, PAGE("10", "", POD("a", "1") "," POD("a", "2")), 200, REBAL_EEXIST}}, LIST, "", 0},
    {{{LIST, STATUS("200", ""), 200, REBAL_EAGAIN}}, LIST, "", 0},
};

/* Plays a script, each answer in pieces of at most so many bytes. */
static void play(size_t script, size_t piece) {
  rebal_store *store = store_new();
  rebal_watch *watch = watch_of(store, "v1", "Pod", "", "");
  for (const struct turn *turn = scripts[script].turns; turn->request != NULL; turn++) {
    const size_t len = strlen(turn->body);
    assert_request(watch, turn->request);
    for (size_t at = 0; at < len; at += piece) {
      (void)rebal_watch_feed(watch, turn->body + at, len - at < piece ? len - at : piece, NULL);
    }
    ck_assert_int_eq(rebal_watch_end(watch, turn->status, NULL), turn->ended);
  }
  assert_request(watch, scripts[script].next);
  assert_store(store, scripts[script].store);
  ck_assert_int_eq(rebal_watch_is_synced(watch), scripts[script].is_synced);
  rebal_watch_free(watch);
  rebal_store_free(store);
}

START_TEST(test_requests_follow_answers) {
  static const size_t pieces[] = {SIZE_MAX, 1, 2, 3, 7, 64};
  for (size_t i = 0; i < COUNT(pieces); i++) {
    play((size_t)_i, pieces[i] == SIZE_MAX ? 4096 : pieces[i]);
  }
}
END_TEST

START_TEST(test_events_are_cut_anywhere) {
  static const char events[] =
      EVENT("ADDED", POD("c", "11")) EVENT("MODIFIED", POD("a", "12")) EVENT("DELETED", POD("b", "13"));
  for (size_t cut = 0; cut <= sizeof events - 1; cut++) {
    rebal_store *store = store_new();
    rebal_watch *watch = watch_of(store, "v1", "Pod", "", "");
    ck_assert_int_eq(answer(watch, 200, TWO), REBAL_OK);
    ck_assert_int_eq(rebal_watch_feed(watch, events, cut, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_watch_feed(watch, events + cut, sizeof events - 1 - cut, NULL), REBAL_OK);
    assert_store(store, "a=12 c=11");
    rebal_watch_free(watch);
    rebal_store_free(store);
  }
}
END_TEST

static const struct {
  const char *api_version, *kind, *namespace_, *labels;
  const char *request;
} requests[] = {
    {"v1", "Pod", "kube-system", "", "/api/v1/namespaces/kube-system/pods?limit=500"},
    {"v1", "Node", "", "", "/api/v1/nodes?limit=500"},
    {"work.karmada.io/v1alpha2", "ResourceBinding", "x", "",
     "/apis/work.karmada.io/v1alpha2/namespaces/x/resourcebindings?limit=500"},
    {"apps/v1", "Deployment", "", "app=web,tier in (a,b)",
     "/apis/apps/v1/deployments?limit=500&labelSelector=app%3Dweb%2Ctier%20in%20%28a%2Cb%29"},
};

START_TEST(test_paths_and_selectors) {
  rebal_store *store = store_new();
  rebal_watch *watch =
      watch_of(store, requests[_i].api_version, requests[_i].kind, requests[_i].namespace_, requests[_i].labels);
  assert_request(watch, requests[_i].request);
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_options_are_in_each_request) {
  rebal_watch_opts opts = {sizeof opts, 2, 60, 0, "", 0, "a", 1, "spec.nodeName=n", 15};
  rebal_store *store = store_new();
  rebal_watch *watch = NULL;
  ck_assert_int_eq(rebal_watch_new(store, "v1", 2, "Pod", 3, &opts, &watch, NULL), REBAL_OK);
  assert_request(watch, "/api/v1/pods?limit=2&labelSelector=a&fieldSelector=spec.nodeName%3Dn");
  ck_assert_int_eq(answer(watch, 200, TWO), REBAL_OK);
  assert_request(watch,
                 "/api/v1/pods?watch=1&resourceVersion=10&allowWatchBookmarks=true&timeoutSeconds=60"
                 "&labelSelector=a&fieldSelector=spec.nodeName%3Dn");
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_kinds_without_a_plural_are_added) {
  rebal_store *store = store_new();
  rebal_watch *watch = watch_of(store, "stable.example.com/v1", "CronTab", "", "");
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_watch_request(watch, text, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_store_add_resource(store, "CronTab.stable.example.com", 26, "crontabs", 8, 1, NULL), REBAL_OK);
  assert_request(watch, "/apis/stable.example.com/v1/crontabs?limit=500");
  rebal_watch_free(watch);
  watch = watch_of(store, "v1", "Node", "x", "");
  ck_assert_int_eq(rebal_watch_request(watch, text, NULL), REBAL_EINVAL);
  rebal_watch_free(watch);
  rebal_text_free(text);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_limits_hold_for_pages_and_events) {
  rebal_manifest_limits limits = {sizeof limits, 0, 300, 0, 0};
  char long_text[400];
  rebal_store *store = NULL;
  rebal_watch *watch;
  memset(long_text, ' ', sizeof long_text - 1);
  long_text[sizeof long_text - 1] = '\0';
  ck_assert_int_eq(rebal_store_new(&limits, &store, NULL), REBAL_OK);
  watch = watch_of(store, "v1", "Pod", "", "");
  ck_assert_int_eq(feed(watch, long_text), REBAL_ELIMIT);
  ck_assert_int_eq(feed(watch, TWO), REBAL_OK); /* dropped */
  ck_assert_int_eq(rebal_watch_end(watch, 200, NULL), REBAL_ELIMIT);
  ck_assert_int_eq(answer(watch, 200, PAGE("10", "", "")), REBAL_OK);
  long_text[200] = '\0';
  ck_assert_int_eq(feed(watch, long_text), REBAL_OK);
  ck_assert_int_eq(feed(watch, long_text), REBAL_ELIMIT);
  ck_assert_int_eq(feed(watch, EVENT("ADDED", POD("a", "11"))), REBAL_OK); /* dropped */
  ck_assert_int_eq(rebal_watch_end(watch, 200, NULL), REBAL_ELIMIT);
  assert_request(watch, WATCH("10"));
  assert_store(store, "");
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_an_answer_is_dropped_by_the_next_request) {
  rebal_store *store = store_new();
  rebal_watch *watch = watch_of(store, "v1", "Pod", "", "");
  ck_assert_int_eq(feed(watch, "{\"kind\":"), REBAL_OK);
  assert_request(watch, LIST);
  ck_assert_int_eq(answer(watch, 200, TWO), REBAL_OK);
  ck_assert_int_eq(feed(watch, "{\"type\":"), REBAL_OK);
  assert_request(watch, WATCH("10"));
  ck_assert_int_eq(feed(watch, EVENT("DELETED", POD("a", "11"))), REBAL_OK);
  assert_store(store, "b=2");
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_the_server_is_quoted) {
  rebal_store *store = store_new();
  rebal_watch *watch = watch_of(store, "v1", "Pod", "", "");
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(feed(watch, STATUS("429", "TooManyRequests")), REBAL_OK);
  ck_assert_int_eq(rebal_watch_end(watch, 429, &err), REBAL_EAGAIN);
  ck_assert_str_eq(err.message, "HTTP status 429: no luck");
  ck_assert_int_eq(feed(watch, "<html>"), REBAL_OK);
  ck_assert_int_eq(rebal_watch_end(watch, 503, &err), REBAL_EAGAIN);
  ck_assert_str_eq(err.message, "HTTP status 503");
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_wrong_arguments) {
  static char long_text[70000];
  rebal_watch_opts opts = {.struct_size = sizeof opts};
  rebal_store *store = store_new();
  rebal_watch *watch = NULL;
  memset(long_text, 'x', sizeof long_text);
  ck_assert_int_eq(rebal_watch_new(NULL, "v1", 2, "Pod", 3, NULL, &watch, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_watch_new(store, NULL, 2, "Pod", 3, NULL, &watch, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_watch_new(store, "v1", 2, "Pod", 0, NULL, &watch, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_watch_new(store, "v1", 2, "Pod", 3, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_watch_new(store, "v1", 2, "P\0d", 3, NULL, &watch, NULL), REBAL_EINVAL);
  opts.label_selector_len = 1;
  ck_assert_int_eq(rebal_watch_new(store, "v1", 2, "Pod", 3, &opts, &watch, NULL), REBAL_EINVAL);
  opts.label_selector = long_text;
  opts.label_selector_len = sizeof long_text;
  ck_assert_int_eq(rebal_watch_new(store, "v1", 2, "Pod", 3, &opts, &watch, NULL), REBAL_ELIMIT);
  opts = (rebal_watch_opts){.struct_size = sizeof opts, .reserved0 = 9};
  ck_assert_int_eq(rebal_watch_new(store, "v1", 2, "Pod", 3, &opts, &watch, NULL), REBAL_EINVAL);
  opts.struct_size = 4;
  ck_assert_int_eq(rebal_watch_new(store, "v1", 2, "Pod", 3, &opts, &watch, NULL), REBAL_EABI);
  ck_assert_ptr_null(watch);
  ck_assert_int_eq(rebal_watch_request(NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_watch_feed(NULL, "", 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_watch_end(NULL, 200, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_watch_is_synced(NULL), 0);
  rebal_watch_free(NULL);
  ck_assert_int_eq(rebal_watch_new(store, "v1", 2, "Pod", 3, NULL, &watch, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_watch_feed(watch, NULL, 1, NULL), REBAL_EINVAL);
  rebal_watch_free(watch);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(watch) {
  TCase *cases = tcase_create("watch");
  tcase_add_loop_test(cases, test_requests_follow_answers, 0, (int)COUNT(scripts));
  tcase_add_test(cases, test_events_are_cut_anywhere);
  tcase_add_loop_test(cases, test_paths_and_selectors, 0, (int)COUNT(requests));
  tcase_add_test(cases, test_options_are_in_each_request);
  tcase_add_test(cases, test_kinds_without_a_plural_are_added);
  tcase_add_test(cases, test_limits_hold_for_pages_and_events);
  tcase_add_test(cases, test_an_answer_is_dropped_by_the_next_request);
  tcase_add_test(cases, test_the_server_is_quoted);
  tcase_add_test(cases, test_wrong_arguments);
  return cases;
}
