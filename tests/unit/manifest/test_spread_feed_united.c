/* SPDX-License-Identifier: MIT */
#include "failing.h"
#include "uniteds.h"

#include <stdio.h>

static void assert_due(const struct feeding *feeding, const char *expected) {
  char found[64] = "";
  size_t len = 0;
  for (uint32_t object = rebal_spread_feed_next_united_due(feeding->feed); object != REBAL_NONE;
       object = rebal_spread_feed_next_united_due(feeding->feed)) {
    len += (size_t)snprintf(found + len, sizeof found - len, "%s%s", len > 0 ? " " : "",
                            rebal_store_identity(feeding->store, object, REBAL_IDENTITY_NAME, NULL));
  }
  ck_assert_str_eq(found, expected);
}

#define API UNITED_OF("api", "", RESERVING)
#define BELOW WEB_A WEB_B SET_OF("web-a-1", "web-a") PART_OF("p", "apps/v1", "ReplicaSet", "web-a-1", "a")
#define NODE "---\n{apiVersion: v1, kind: Node, metadata: {name: node"
#define SPREAD SPREAD_FOR("ws", "apps/v1", "Deployment", "web-a", "")

START_TEST(test_each_is_due_once_by_name) {
  struct feeding feeding = feeding_open(WEB API BELOW SPREAD);
  assert_due(&feeding, "api web");
  assert_due(&feeding, "");
  ck_assert_uint_eq(rebal_spread_feed_next_due(feeding.feed), find(feeding.store, "WorkloadSpread", "ns", "ws"));
  ck_assert_uint_eq(rebal_spread_feed_next_due(feeding.feed), REBAL_NONE);
  feeding_update(&feeding);
  assert_due(&feeding, "");
  ck_assert_uint_eq(rebal_spread_feed_next_united_due(NULL), REBAL_NONE);
  feeding_close(&feeding);
}
END_TEST

/* Another state of something below a UnitedDeployment, by its kind. */
static const struct {
  const char *text, *due;
} changes[] = {
    {SUBSET_OF("web", "apps/v1", "Deployment", "web-a", "a", ""), "web"},
    {SUBSET_OF("web", "apps.kruise.io/v1alpha1", "CloneSet", "web-b", "b", ""), "web"},
    {SET_OF("web-a-1", "other"), "web"},
    {SET_OF("web-a-2", "web-a"), "web"},
    {PART_OF("p", "apps/v1", "ReplicaSet", "web-a-1", "b"), "web"},
    {PART_OF("q", "apps/v1", "ReplicaSet", "web-a-1", "a"), "web"},
    {PART_OF("r", "apps.kruise.io/v1alpha1", "CloneSet", "web-b", "b"), "web"},
    {SUBSET_OF("api", "apps/v1", "StatefulSet", "api-a", "a", ""), "api"},
    {SUBSET_OF("api", "apps.kruise.io/v1beta1", "StatefulSet", "api-b", "b", ""), "api"},
    {UNITED_OF("web", "", "replicas: 7") UNITED_OF("api", ", labels: {a: b}", RESERVING), "api web"},
    {SUBSET_OF("other", "apps/v1", "Deployment", "other-a", "a", ""), ""},
    {SUBSET_OF("api", "apps/v1", "DaemonSet", "api-c", "c", ""), ""},
    {PART_OF("s", "apps/v1", "ReplicaSet", "other-1", "a"), ""},
    {NODE "}}\n", ""},
    {SPREAD_FOR("ws", "apps/v1", "Deployment", "web-a", ", scheduleStrategy: {}"), ""},
};

START_TEST(test_what_changes_below_one_makes_it_due) {
  struct feeding feeding = feeding_open(WEB API BELOW SPREAD);
  assert_due(&feeding, "api web");
  feeding_load(&feeding, changes[_i].text);
  assert_due(&feeding, changes[_i].due);
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_what_comes_later_is_followed) {
  struct feeding feeding = feeding_open(WEB API);
  assert_due(&feeding, "api web");
  feeding_load(&feeding, WEB_A);
  assert_due(&feeding, "web");
  feeding_load(&feeding, SET_OF("web-a-1", "web-a"));
  assert_due(&feeding, "web");
  feeding_load(&feeding, PART_OF("p", "apps/v1", "ReplicaSet", "web-a-1", "a"));
  assert_due(&feeding, "web");
  feeding_delete(&feeding, "Pod", "p");
  assert_due(&feeding, "web");
  feeding_delete(&feeding, "ReplicaSet", "web-a-1");
  assert_due(&feeding, "web");
  feeding_load(&feeding, PART_OF("p", "apps/v1", "ReplicaSet", "web-a-1", "a"));
  assert_due(&feeding, "");
  feeding_delete(&feeding, "Deployment", "web-a");
  assert_due(&feeding, "web");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_what_is_gone_is_not_due) {
  struct feeding feeding = feeding_open(WEB API BELOW);
  const uint32_t object = find(feeding.store, "UnitedDeployment", "ns", "web");
  feeding_delete(&feeding, "UnitedDeployment", "web");
  assert_due(&feeding, "api");
  feeding_load(&feeding, SUBSET_OF("web", "apps/v1", "Deployment", "web-a", "a", ""));
  assert_due(&feeding, "");
  feeding_load(&feeding, WEB);
  ck_assert_uint_ne(find(feeding.store, "UnitedDeployment", "ns", "web"), object);
  assert_due(&feeding, "web");
  feeding_load(&feeding, WEB_A);
  assert_due(&feeding, "web");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_kinds_of_other_groups_are_none) {
  struct feeding feeding =
      feeding_open(OBJECT_OF("example.com/v1", "UnitedDeployment", "web") ", uid: uid-web}}\n" WEB_A);
  assert_due(&feeding, "");
  feeding_close(&feeding);
}
END_TEST

/* Pods are of a Deployment's ReplicaSets still, not of other workloads that it owns. */
START_TEST(test_a_workload_below_a_deployment_is_not_a_replica_set) {
  struct feeding feeding = feeding_open(
      DEPLOYMENT_OF("demo", "uid-demo", "1", "{}") SPREAD_FOR("ws", "apps/v1", "Deployment", "demo", "")
          OBJECT_OF("apps/v1", "StatefulSet", "below") ", uid: uid-below" OWNED_BY(
              "apps/v1", "Deployment", "demo", "uid-demo") "}}\n" POD_OF("p", "StatefulSet", "below", "uid-below", "")
              POD_OF("q", "Deployment", "demo", "uid-demo", ""));
  assert_rows(&feeding, "ws", "q");
  feeding_close(&feeding);
}
END_TEST

/* An update that fails at a request, and one that makes up for it. 0: the first one did not fail. */
static int survives(size_t place) {
  struct feeding feeding = feeding_open(WEB API BELOW);
  size_t n = 0;
  int32_t result;
  assert_due(&feeding, "api web");
  apply(feeding.store, SET_OF("web-a-2", "web-a") UNITED_OF("last", "", RESERVING), NOW);
  requests = 0;
  fail_at = place;
  result = rebal_spread_feed_update(feeding.feed, NULL);
  fail_at = 0;
  ck_assert(result == REBAL_OK || result == REBAL_ENOMEM);
  feeding_update(&feeding);
  for (uint32_t object = 0; object < 3; object++) { /* once more where which were due is not known any more */
    n += rebal_spread_feed_next_united_due(feeding.feed) != REBAL_NONE;
  }
  ck_assert_uint_eq(n, result == REBAL_OK ? 2 : 3);
  feeding_load(&feeding, PART_OF("q", "apps/v1", "ReplicaSet", "web-a-2", "a"));
  assert_due(&feeding, "web");
  feeding_close(&feeding);
  return result != REBAL_OK;
}

START_TEST(test_the_next_update_makes_up_for_one_without_memory) {
  size_t place = 1;
  json_set_alloc_funcs(allocate, free);
  while (survives(place)) {
    place++;
  }
  json_set_alloc_funcs(malloc, free);
  ck_assert_uint_gt(place, 20u);
}
END_TEST

UNIT_CASE(spread_feed_united) {
  TCase *cases = tcase_create("spread_feed_united");
  tcase_add_test(cases, test_each_is_due_once_by_name);
  tcase_add_loop_test(cases, test_what_changes_below_one_makes_it_due, 0, COUNT(changes));
  tcase_add_test(cases, test_what_comes_later_is_followed);
  tcase_add_test(cases, test_what_is_gone_is_not_due);
  tcase_add_test(cases, test_kinds_of_other_groups_are_none);
  tcase_add_test(cases, test_a_workload_below_a_deployment_is_not_a_replica_set);
  tcase_add_test(cases, test_the_next_update_makes_up_for_one_without_memory);
  return cases;
}
