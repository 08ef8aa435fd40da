/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "failing.h"
#include "feeds.h"

#define TEMPLATE "{spec: {containers: [{name: main, image: a}]}}"
#define OTHER_TEMPLATE "{spec: {containers: [{name: main, image: b}]}}"
#define DEMO                                                                           \
  DEPLOYMENT_OF("demo", "uid-demo", "3", OTHER_TEMPLATE)                               \
  REPLICA_SET_OF("demo-new", "uid-new", "2026-01-02T00:00:00Z", "new", OTHER_TEMPLATE) \
  REPLICA_SET_OF("demo-old", "uid-old", "2026-01-01T00:00:00Z", "old", TEMPLATE)
#define DEMO_PODS                                      \
  POD_OF("a", "ReplicaSet", "demo-new", "uid-new", "") \
  POD_OF("b", "ReplicaSet", "demo-old", "uid-old", "") \
  POD_OF("c", "ReplicaSet", "demo-new", "uid-new", "")
#define WS SPREAD_FOR("ws", "apps/v1", "Deployment", "demo", "")

START_TEST(test_pods_are_those_of_the_replica_sets_older_first) {
  struct feeding feeding = feeding_open(DEMO DEMO_PODS WS POD_OF("d", "ReplicaSet", "other", "uid-other", ""));
  assert_rows(&feeding, "ws", "b a c");
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(rebal_spread_feed_pods(feeding.feed)),
                                      REBAL_TABLE_SPREAD_POD, REBAL_NONE),
                    4);
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_a_pod_that_changed_is_read_again_and_no_other) {
  struct feeding feeding = feeding_open(DEMO DEMO_PODS WS);
  const uint32_t before[] = {row_of(&feeding, "a"), row_of(&feeding, "c")};
  feeding_load(&feeding, POD_OF("b", "ReplicaSet", "demo-old", "uid-old", ", labels: {pod-template-hash: old}"));
  ck_assert_str_eq(pod_text(&feeding, "b", REBAL_SPREAD_POD_VERSION), "old");
  ck_assert_uint_eq(row_of(&feeding, "a"), before[0]);
  ck_assert_uint_eq(row_of(&feeding, "c"), before[1]);
  ck_assert_uint_eq(rebal_spread_feed_object(feeding.feed, row_of(&feeding, "b")),
                    find(feeding.store, "Pod", "ns", "b"));
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(feeding.feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE),
                    3);
  assert_rows(&feeding, "ws", "b a c");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_pods_come_go_and_change_owners) {
  struct feeding feeding = feeding_open(DEMO DEMO_PODS WS);
  feeding_load(&feeding, POD_OF("_", "ReplicaSet", "demo-new", "uid-new", ""));
  assert_rows(&feeding, "ws", "b _ a c");
  feeding_delete(&feeding, "Pod", "a");
  assert_rows(&feeding, "ws", "b _ c");
  feeding_load(&feeding, POD_OF("b", "ReplicaSet", "demo-new", "uid-new", ""));
  assert_rows(&feeding, "ws", "_ b c");
  feeding_load(&feeding, POD_OF("b", "ReplicaSet", "other", "uid-other", ""));
  assert_rows(&feeding, "ws", "_ c");
  ck_assert_uint_eq(rebal_spread_feed_object(feeding.feed, UINT32_MAX), REBAL_NONE);
  feeding_close(&feeding);
}
END_TEST

/* Between two updates: the store gives it another id. */
START_TEST(test_what_went_and_came_back_is_present) {
  struct feeding feeding =
      feeding_open(DEMO DEMO_PODS WS "---\n{apiVersion: v1, kind: Node, metadata: {name: node}}\n");
  static const char *const gone[][2] = {
      {"Pod", "a"}, {"ReplicaSet", "demo-old"}, {"WorkloadSpread", "ws"}, {"Deployment", "demo"}};
  for (size_t i = 0; i < COUNT(gone); i++) {
    ck_assert_int_eq(rebal_store_remove(feeding.store, find(feeding.store, gone[i][0], "ns", gone[i][1]), NULL),
                     REBAL_OK);
  }
  ck_assert_int_eq(rebal_store_remove(feeding.store, find(feeding.store, "Node", "", "node"), NULL), REBAL_OK);
  feeding_load(&feeding, DEMO DEMO_PODS WS "---\n{apiVersion: v1, kind: Node, metadata: {name: node}}\n");
  assert_rows(&feeding, "ws", "b a c");
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(feeding.feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE),
                    3);
  feeding_delete(&feeding, "Pod", "a");
  assert_rows(&feeding, "ws", "b c");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_a_deployment_without_replica_sets_owns_pods_itself) {
  struct feeding feeding = feeding_open(DEPLOYMENT_OF("demo", "uid-demo", "3", TEMPLATE)
                                            WS POD_OF("a", "Deployment", "demo", "uid-demo", ""));
  assert_rows(&feeding, "ws", "a");
  feeding_load(&feeding, REPLICA_SET_OF("demo-x", "uid-x", "2026-01-01T00:00:00Z", "x", TEMPLATE));
  assert_rows(&feeding, "ws", "");
  feeding_delete(&feeding, "ReplicaSet", "demo-x");
  assert_rows(&feeding, "ws", "a");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_without_a_workload_or_replicas_there_are_no_pods) {
  struct feeding feeding = feeding_open(DEMO_PODS WS);
  assert_rows(&feeding, "ws", "");
  feeding_load(&feeding, DEMO);
  assert_rows(&feeding, "ws", "b a c");
  feeding_load(&feeding, DEPLOYMENT_OF("demo", "uid-demo", "0", TEMPLATE));
  assert_rows(&feeding, "ws", "");
  feeding_load(&feeding, DEPLOYMENT_OF("demo", "uid-demo", "1", TEMPLATE));
  assert_rows(&feeding, "ws", "b a c");
  feeding_delete(&feeding, "Deployment", "demo");
  assert_rows(&feeding, "ws", "");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_a_workload_that_is_being_deleted_has_no_pods_but_a_job) {
  struct feeding feeding = feeding_open(OBJECT_OF(
      "apps/v1", "ReplicaSet",
      "rs") ", uid: u, deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {replicas: "
            "1}}\n" OBJECT_OF("batch/v1", "Job",
                              "job") ", uid: v, deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {selector: "
                                     "{}}}\n" SPREAD_FOR("rs", "apps/v1", "ReplicaSet", "rs", "") SPREAD_FOR(
                                         "job", "batch/v1", "Job", "job", "") POD_OF("a", "ReplicaSet", "rs", "u", "")
                                            POD_OF("b", "Job", "job", "v", ""));
  assert_rows(&feeding, "rs", "");
  assert_rows(&feeding, "job", "b");
  feeding_close(&feeding);
}
END_TEST

/* The same name in another group or another namespace is another workload. */
START_TEST(test_the_workload_is_that_of_the_group_whatever_the_version) {
  struct feeding feeding = feeding_open(DEMO DEMO_PODS SPREAD_FOR("v1", "apps/v1", "Deployment", "demo", "") SPREAD_FOR(
      "v2", "apps/v2", "Deployment", "demo", "") SPREAD_FOR("mine", "mine/v1", "Deployment", "demo", ""));
  assert_rows(&feeding, "v1", "b a c");
  assert_rows(&feeding, "v2", "b a c");
  assert_rows(&feeding, "mine", "");
  feeding_close(&feeding);
}
END_TEST

#define JOB(rest) OBJECT_OF("batch/v1", "Job", "demo") ", uid: uid-demo}, spec: {parallelism: 0" rest "}}\n"
START_TEST(test_pods_of_a_job_match_its_selector_too) {
  struct feeding feeding =
      feeding_open(JOB(", selector: {matchLabels: {job: demo}}") SPREAD_FOR("ws", "batch/v1", "Job", "demo", "") POD_OF(
          "a", "Job", "demo", "uid-demo", ", labels: {job: demo}") POD_OF("b", "Job", "demo", "uid-demo", ""));
  assert_rows(&feeding, "ws", "a");
  feeding_load(&feeding, POD_OF("b", "Job", "demo", "uid-demo", ", labels: {job: demo}"));
  assert_rows(&feeding, "ws", "a b");
  feeding_load(&feeding, JOB(""));
  assert_rows(&feeding, "ws", "");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_spreads_are_found_by_object_and_by_namespace) {
  struct feeding feeding = feeding_open(SPREAD_FOR("b", "apps/v1", "Deployment", "demo", "")
                                            SPREAD_FOR("a", "apps/v1", "Deployment", "demo", ""));
  const uint32_t object = find(feeding.store, "WorkloadSpread", "ns", "b");
  size_t n;
  rebal_spread *const *spreads = rebal_spread_feed_namespace(feeding.feed, "ns", 2, &n);
  ck_assert_uint_eq(n, 2);
  ck_assert_ptr_eq(spreads[1], rebal_spread_feed_spread(feeding.feed, object));
  ck_assert_str_eq(rebal_spread_subset_name(spreads[1], 1, NULL), "b");
  ck_assert_ptr_null(rebal_spread_feed_namespace(feeding.feed, "n", 1, &n));
  ck_assert_uint_eq(n, 0);
  ck_assert_ptr_null(rebal_spread_feed_namespace(feeding.feed, "ns2", 3, NULL));
  ck_assert_ptr_null(rebal_spread_feed_spread(feeding.feed, UINT32_MAX));
  feeding_delete(&feeding, "WorkloadSpread", "a");
  ck_assert_ptr_eq(*rebal_spread_feed_namespace(feeding.feed, "ns", 2, &n),
                   rebal_spread_feed_spread(feeding.feed, object));
  ck_assert_uint_eq(n, 1);
  feeding_load(&feeding,
               OBJECT_OF("apps.kruise.io/v1alpha1", "WorkloadSpread", "b") "}, spec: {subsets: [{name: c}]}}");
  ck_assert_str_eq(rebal_spread_subset_name(rebal_spread_feed_spread(feeding.feed, object), 0, NULL), "c");
  feeding_close(&feeding);
}
END_TEST

/* Rows of pods only have the labels that some target filter uses. */
START_TEST(test_a_filter_with_new_keys_has_all_pods_read_again) {
  struct feeding feeding =
      feeding_open(DEMO POD_OF("a", "ReplicaSet", "demo-new", "uid-new", ", labels: {tier: web, app: demo}") WS);
  ck_assert_int_eq(pod_number(&feeding, "a", REBAL_SPREAD_POD_LABELS), REBAL_ABSENT);
  feeding_load(&feeding, SPREAD_FOR("ws", "apps/v1", "Deployment", "demo",
                                    ", targetFilter: {selector: {matchLabels: {tier: web}}}"));
  ck_assert_int_ne(pod_number(&feeding, "a", REBAL_SPREAD_POD_LABELS), REBAL_ABSENT);
  assert_rows(&feeding, "ws", "a");
  feeding_close(&feeding);
}
END_TEST

#define BAD_POD(name) \
  POD_OF(name, "ReplicaSet", "demo-new", "uid-new", "}, status: {containerStatuses: [{name: main, restartCount: many}]")
START_TEST(test_an_object_that_cannot_be_read_is_named_and_the_rest_stays) {
  struct feeding feeding = feeding_open(DEMO DEMO_PODS WS);
  rebal_error err = REBAL_ERROR_INIT;
  load(feeding.store, BAD_POD("d"));
  ck_assert_int_eq(rebal_spread_feed_update(feeding.feed, &err), REBAL_EPARSE);
  ck_assert_str_eq(err.message, "Pod ns/d: expected an integer");
  ck_assert_str_eq(err.field, "status.containerStatuses[0].restartCount");
  assert_rows(&feeding, "ws", "b a c");
  ck_assert_int_eq(rebal_spread_feed_update(feeding.feed, NULL), REBAL_EPARSE);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(feeding.feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE),
                    3);
  feeding_delete(&feeding, "Pod", "d");
  feeding_load(&feeding, POD_OF("d", "ReplicaSet", "demo-new", "uid-new", ""));
  assert_rows(&feeding, "ws", "b a c d");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_a_refused_object_keeps_no_other_from_being_read) {
  struct feeding feeding = feeding_open(DEMO DEMO_PODS WS);
  rebal_error err = REBAL_ERROR_INIT;
  load(feeding.store, BAD_POD("_") POD_OF("d", "ReplicaSet", "demo-new", "uid-new", "")
                          SPREAD_FOR("other", "apps/v1", "Deployment", "demo", ""));
  ck_assert_int_eq(rebal_spread_feed_update(feeding.feed, &err), REBAL_EPARSE);
  ck_assert_str_eq(err.message, "Pod ns/_: expected an integer");
  assert_rows(&feeding, "ws", "b a c d");
  assert_rows(&feeding, "other", "b a c d");
  apply(feeding.store, POD_OF("b", "ReplicaSet", "demo-new", "uid-new", ""), NOW);
  load(feeding.store, BAD_POD("e"));
  ck_assert_int_eq(rebal_spread_feed_update(feeding.feed, &err), REBAL_EPARSE);
  ck_assert_str_eq(err.message, "Pod ns/_: expected an integer");
  assert_rows(&feeding, "ws", "a b c d");
  ck_assert_int_eq(rebal_store_remove(feeding.store, find(feeding.store, "Pod", "ns", "_"), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_feed_update(feeding.feed, &err), REBAL_EPARSE);
  ck_assert_str_eq(err.message, "Pod ns/e: expected an integer");
  feeding_delete(&feeding, "Pod", "e");
  feeding_load(&feeding, POD_OF("e", "ReplicaSet", "demo-new", "uid-new", ""));
  assert_rows(&feeding, "ws", "a b c d e");
  feeding_close(&feeding);
}
END_TEST

/* In no cluster, or in one of which nodes were known. */
START_TEST(test_the_nodes_of_the_cluster_are_the_feeds) {
  rebal_store *store = store_new();
  rebal_fleet *fleet = NULL;
  rebal_spread_feed *feed = NULL;
  rebal_snapshot *snapshot = NULL;
  uint32_t cluster, node;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_feed_new(store, fleet, 0, &feed, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, "here", 4, &cluster, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_node(fleet, cluster, "n", 1, &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_feed_new(store, fleet, cluster, &feed, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, cluster), 0);
  rebal_snapshot_unref(snapshot);
  rebal_spread_feed_free(feed);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

/* ---- what calls for a pass ---- */

static void assert_due(const struct feeding *feeding, const char *expected) {
  char found[64] = "";
  size_t len = 0;
  for (uint32_t object = rebal_spread_feed_next_due(feeding->feed); object != REBAL_NONE;
       object = rebal_spread_feed_next_due(feeding->feed)) {
    len += (size_t)snprintf(found + len, sizeof found - len, "%s%s", len > 0 ? " " : "",
                            rebal_store_identity(feeding->store, object, REBAL_IDENTITY_NAME, NULL));
  }
  ck_assert_str_eq(found, expected);
}

#define TWO_SPREADS WS SPREAD_FOR("other", "apps/v1", "Deployment", "other", "")
START_TEST(test_what_changed_calls_for_a_pass_once) {
  struct feeding feeding =
      feeding_open(DEMO DEMO_PODS TWO_SPREADS "---\n{apiVersion: v1, kind: Node, metadata: {name: node}}\n");
  assert_due(&feeding, "other ws");
  assert_due(&feeding, "");
  feeding_load(&feeding, POD_OF("b", "ReplicaSet", "demo-old", "uid-old", ", labels: {pod-template-hash: old}"));
  assert_due(&feeding, "ws");
  feeding_load(&feeding, DEPLOYMENT_OF("other", "uid-other", "3", TEMPLATE));
  feeding_delete(&feeding, "Pod", "b");
  feeding_load(&feeding, DEPLOYMENT_OF("demo", "uid-demo", "1", TEMPLATE));
  assert_due(&feeding, "other ws");
  feeding_load(&feeding, "{apiVersion: v1, kind: Node, metadata: {name: node, labels: {a: b}}}");
  feeding_load(&feeding, POD_OF("x", "ReplicaSet", "mine", "uid-mine", ""));
  assert_due(&feeding, "");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_what_is_gone_calls_for_no_pass) {
  struct feeding feeding = feeding_open(DEMO DEMO_PODS TWO_SPREADS);
  ck_assert_uint_eq(rebal_spread_feed_next_due(feeding.feed), find(feeding.store, "WorkloadSpread", "ns", "other"));
  feeding_load(&feeding, SPREAD_FOR("other", "apps/v1", "Deployment", "demo", "")
                             SPREAD_FOR("third", "apps/v1", "Deployment", "demo", ""));
  feeding_delete(&feeding, "WorkloadSpread", "ws");
  assert_due(&feeding, "other third");
  ck_assert_uint_eq(rebal_spread_feed_next_due(NULL), REBAL_NONE);
  feeding_close(&feeding);
}
END_TEST

/* ---- failing allocations ---- */

/* An update that fails at some request, and one that makes up for it. 0: the first one did not fail. */
static int try_update(const struct feeding *feeding, struct test_allocator *memory, size_t place, int is_in_fleet) {
  int32_t result;
  requests = 0;
  fail_at = is_in_fleet ? 0 : place;
  memory->fail_at = is_in_fleet ? memory->requests + place : 0;
  result = rebal_spread_feed_update(feeding->feed, NULL);
  fail_at = 0;
  memory->fail_at = 0;
  ck_assert(result == REBAL_OK || result == REBAL_ENOMEM);
  feeding_update(feeding);
  return result != REBAL_OK;
}

/* A first update, and a second one after changes, of which one fails at a place. */
static int survives(int is_second, size_t place, int is_in_fleet) {
  struct feeding feeding = {store_of(DEMO DEMO_PODS WS), NULL, NULL, REBAL_NONE};
  struct test_allocator memory;
  int has_failed = 0;
  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebal_fleet_new(&memory.functions, &feeding.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_cluster(feeding.fleet, "here", 4, &feeding.cluster, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_feed_new(feeding.store, feeding.fleet, feeding.cluster, &feeding.feed, NULL), REBAL_OK);
  if (is_second) {
    feeding_update(&feeding);
    assert_rows(&feeding, "ws", "b a c");
    apply(feeding.store,
          POD_OF("b", "ReplicaSet", "demo-new", "uid-new", ", labels: {tier: web}}, spec: {nodeName: node")
              OBJECT_OF("apps.kruise.io/v1beta1", "WorkloadSpread", "wt") "}, spec: {targetFilter: {selector: "
                                                                         "{matchLabels: {tier: web}}}}}\n",
          NOW);
  }
  has_failed = try_update(&feeding, &memory, place, is_in_fleet);
  assert_rows(&feeding, "ws", is_second ? "a b c" : "b a c");
  ck_assert_uint_eq(rebal_spread_feed_next_due(feeding.feed), find(feeding.store, "WorkloadSpread", "ns", "ws"));
  assert_chain(&feeding, "c", "ReplicaSet/demo-new Deployment/demo");
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(feeding.feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE),
                    3);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(feeding.feed->pods), REBAL_TABLE_OWNER, REBAL_NONE), 3);
  feeding_close(&feeding);
  ck_assert_uint_eq(memory.live, 0);
  return has_failed;
}

START_TEST(test_the_next_update_makes_up_for_one_without_memory) {
  const int is_second = _i > 0, is_in_fleet = _i == 2;
  size_t place = 1;
  json_set_alloc_funcs(allocate, free);
  while (survives(is_second, place, is_in_fleet)) {
    place++;
  }
  json_set_alloc_funcs(malloc, free);
  ck_assert_uint_gt(place, is_in_fleet ? 1u : 20u);
}
END_TEST

START_TEST(test_nothing_is_read_without_a_feed) {
  rebal_store *store = store_new();
  rebal_fleet *fleet = NULL;
  rebal_spread_feed *feed = NULL;
  size_t n = 7;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_feed_new(NULL, fleet, 0, &feed, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_new(store, NULL, 0, &feed, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_new(store, fleet, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_feed_update(NULL, NULL), REBAL_EINVAL);
  ck_assert_ptr_null(rebal_spread_feed_pods(NULL));
  ck_assert_ptr_null(rebal_spread_feed_spread(NULL, 0));
  ck_assert_ptr_null(rebal_spread_feed_namespace(NULL, "ns", 2, NULL));
  ck_assert_ptr_null(rebal_spread_feed_namespace(NULL, "ns", 2, &n));
  ck_assert_uint_eq(n, 0);
  ck_assert_uint_eq(rebal_spread_feed_object(NULL, 0), REBAL_NONE);
  rebal_spread_feed_free(NULL);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(spread_feed) {
  TCase *cases = tcase_create("spread_feed");
  tcase_add_test(cases, test_pods_are_those_of_the_replica_sets_older_first);
  tcase_add_test(cases, test_a_pod_that_changed_is_read_again_and_no_other);
  tcase_add_test(cases, test_pods_come_go_and_change_owners);
  tcase_add_test(cases, test_what_went_and_came_back_is_present);
  tcase_add_test(cases, test_a_deployment_without_replica_sets_owns_pods_itself);
  tcase_add_test(cases, test_without_a_workload_or_replicas_there_are_no_pods);
  tcase_add_test(cases, test_a_workload_that_is_being_deleted_has_no_pods_but_a_job);
  tcase_add_test(cases, test_the_workload_is_that_of_the_group_whatever_the_version);
  tcase_add_test(cases, test_pods_of_a_job_match_its_selector_too);
  tcase_add_test(cases, test_spreads_are_found_by_object_and_by_namespace);
  tcase_add_test(cases, test_a_filter_with_new_keys_has_all_pods_read_again);
  tcase_add_test(cases, test_an_object_that_cannot_be_read_is_named_and_the_rest_stays);
  tcase_add_test(cases, test_a_refused_object_keeps_no_other_from_being_read);
  tcase_add_test(cases, test_the_nodes_of_the_cluster_are_the_feeds);
  tcase_add_test(cases, test_what_changed_calls_for_a_pass_once);
  tcase_add_test(cases, test_what_is_gone_calls_for_no_pass);
  tcase_add_loop_test(cases, test_the_next_update_makes_up_for_one_without_memory, 0, 3);
  tcase_add_test(cases, test_nothing_is_read_without_a_feed);
  return cases;
}
