/* SPDX-License-Identifier: MIT */
#include "feeds.h"

#define DEPLOYMENT(name) OBJECT_OF("apps/v1", "Deployment", name) ", uid: uid-" name "}}\n"
#define REPLICA_SET(owner) \
  OBJECT_OF("apps/v1", "ReplicaSet", "rs") OWNED_BY("apps/v1", "Deployment", owner, "uid-" owner) "}}\n"

START_TEST(test_a_chain_ends_without_a_controller_or_object) {
  struct feeding feeding = feeding_open(DEPLOYMENT("demo") REPLICA_SET("demo") POD_OF(
      "a", "ReplicaSet", "rs", "u", "") POD_OF("b", "ReplicaSet", "gone", "u", "") OBJECT_OF("v1", "Pod", "c") "}}\n");
  assert_chain(&feeding, "a", "ReplicaSet/rs Deployment/demo");
  assert_chain(&feeding, "b", "ReplicaSet/gone?");
  assert_chain(&feeding, "c", "");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_chains_follow_the_store) {
  struct feeding feeding = feeding_open(POD_OF("a", "ReplicaSet", "rs", "u", ""));
  assert_chain(&feeding, "a", "ReplicaSet/rs?");
  feeding_load(&feeding, REPLICA_SET("demo"));
  assert_chain(&feeding, "a", "ReplicaSet/rs Deployment/demo?");
  feeding_load(&feeding, DEPLOYMENT("other") REPLICA_SET("other"));
  assert_chain(&feeding, "a", "ReplicaSet/rs Deployment/other");
  feeding_delete(&feeding, "Deployment", "other");
  assert_chain(&feeding, "a", "ReplicaSet/rs Deployment/other?");
  feeding_delete(&feeding, "ReplicaSet", "rs");
  assert_chain(&feeding, "a", "ReplicaSet/rs?");
  feeding_close(&feeding);
}
END_TEST

/* A read by another version finds nothing; another namespace has another object. */
START_TEST(test_an_owner_is_read_by_its_version_in_the_namespace) {
  struct feeding feeding = feeding_open(DEPLOYMENT("demo") OBJECT_OF("v1", "Pod", "a") OWNED_BY(
      "apps/v2", "Deployment", "demo",
      "u") "}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: away" OWNED_BY("apps/v1", "Deployment",
                                                                                               "demo", "u") "}}\n");
  const uint32_t away = feeding.feed->fed[find(feeding.store, "Pod", "away", "b")].row;
  const int64_t owner =
      rebal_cells_get_i64(rebal_pods_const_cells(feeding.feed->pods), REBAL_SPREAD_POD_CONTROLLER, REBAL_NONE, away);
  assert_chain(&feeding, "a", "Deployment/demo?");
  ck_assert_int_eq(
      rebal_cells_get_i64(rebal_pods_const_cells(feeding.feed->pods), REBAL_OWNER_STATE, REBAL_NONE, (uint32_t)owner),
      REBAL_OWNER_STATE_MISSING);
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_a_circle_is_a_circle) {
  struct feeding feeding = feeding_open(OBJECT_OF("apps/v1", "ReplicaSet", "x") OWNED_BY(
      "apps/v1", "ReplicaSet", "x", "u") "}}\n" POD_OF("a", "ReplicaSet", "x", "u", ""));
  const int64_t owner = pod_number(&feeding, "a", REBAL_SPREAD_POD_CONTROLLER);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_pods_const_cells(feeding.feed->pods), REBAL_OWNER_CONTROLLER, REBAL_NONE,
                                       (uint32_t)owner),
                   owner);
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_only_the_controller_is_climbed_to) {
  struct feeding feeding = feeding_open(OBJECT_OF(
      "v1", "Pod", "a") ", ownerReferences: [{apiVersion: v1, kind: A, name: x, uid: u}, {apiVersion: v1, "
                        "kind: B, name: z, uid: v, controller: true}]}}\n");
  assert_chain(&feeding, "a", "B/z?");
  feeding_close(&feeding);
}
END_TEST

/* ReplicaSets come and go with each rollout: their rows do not stay. */
START_TEST(test_rows_that_nothing_leads_to_go) {
  struct feeding feeding =
      feeding_open(DEPLOYMENT("demo") REPLICA_SET("demo") POD_OF("a", "ReplicaSet", "rs", "u", ""));
  char text[512];
  for (int i = 0; i < 1000; i++) {
    snprintf(text, sizeof text, POD_OF("b", "ReplicaSet", "rs-%d", "u", ""), i);
    feeding_load(&feeding, text);
  }
  ck_assert_uint_lt(rebal_cells_count(rebal_pods_const_cells(feeding.feed->pods), REBAL_TABLE_OWNER, REBAL_NONE), 300);
  assert_chain(&feeding, "a", "ReplicaSet/rs Deployment/demo");
  assert_chain(&feeding, "b", "ReplicaSet/rs-999?");
  feeding_close(&feeding);
}
END_TEST

/* As after an update for which memory did not suffice. */
START_TEST(test_broken_rows_are_made_anew) {
  struct feeding feeding =
      feeding_open(DEPLOYMENT("demo") REPLICA_SET("demo") POD_OF("a", "ReplicaSet", "rs", "u", ""));
  feeding.feed->are_owners_broken = 1;
  feeding_update(&feeding);
  assert_chain(&feeding, "a", "ReplicaSet/rs Deployment/demo");
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(feeding.feed->pods), REBAL_TABLE_OWNER, REBAL_NONE), 2);
  ck_assert_uint_eq(rebal_cells_count(rebal_pods_const_cells(feeding.feed->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE),
                    1);
  feeding_close(&feeding);
}
END_TEST

UNIT_CASE(spread_owner) {
  TCase *cases = tcase_create("spread_owner");
  tcase_add_test(cases, test_a_chain_ends_without_a_controller_or_object);
  tcase_add_test(cases, test_chains_follow_the_store);
  tcase_add_test(cases, test_an_owner_is_read_by_its_version_in_the_namespace);
  tcase_add_test(cases, test_a_circle_is_a_circle);
  tcase_add_test(cases, test_only_the_controller_is_climbed_to);
  tcase_add_test(cases, test_rows_that_nothing_leads_to_go);
  tcase_add_test(cases, test_broken_rows_are_made_anew);
  return cases;
}
