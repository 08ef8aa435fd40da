/* SPDX-License-Identifier: MIT */
#include "feeds.h"

#define REPLICA_SET OBJECT_OF("apps/v1", "ReplicaSet", "rs") ", uid: u}, spec: {replicas: 3}}\n"
#define MATCHED(text) ", annotations: {apps.kruise.io/matched-workloadspread: '" text "'}"
#define ON_NODE "}, spec: {nodeName: node"
#define WITH(subsets)                                                        \
  OBJECT_OF("apps.kruise.io/v1beta1", "WorkloadSpread", "ws")                \
  "}, spec: {targetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: rs}, " \
  "subsets: [" subsets "]}}\n"
#define ZONE(zone) "patch: {metadata: {labels: {zone: " zone "}}}"

/* The bits of a pod, the lowest subset first; "" without words. */
static void assert_bits(const struct feeding *feeding, const char *pod, const char *wanted) {
  struct rebali_fed_spread *fed = rebali_feed_find(feeding->feed, find(feeding->store, "WorkloadSpread", "ns", "ws"));
  const size_t row = row_of(feeding, pod);
  const uint64_t *words;
  uint64_t stride;
  char found[65] = "";
  ck_assert_int_eq(rebali_feed_unchanged(feeding->feed, fed, &words, &stride, NULL), REBAL_OK);
  for (size_t i = 0; words != NULL && wanted[i] != '\0'; i++) {
    found[i] = (words[row * stride + i / 64] >> i % 64 & 1) != 0 ? '1' : '0';
    found[i + 1] = '\0';
  }
  ck_assert_msg(strcmp(found, wanted) == 0, "%s: %s instead of %s", pod, found, wanted);
  ck_assert((words == NULL) == (stride == 0));
}

START_TEST(test_bits_mark_patches_that_leave_a_pod_as_it_is) {
  struct feeding feeding =
      feeding_open(REPLICA_SET WITH("{name: a, " ZONE("a") "}, {name: b}, {name: c, " ZONE("b") "}")
                       POD_OF("p", "ReplicaSet", "rs", "u", ", labels: {zone: a}" ON_NODE)
                           POD_OF("q", "ReplicaSet", "rs", "u", ", labels: {zone: b}" ON_NODE));
  assert_bits(&feeding, "p", "100");
  assert_bits(&feeding, "q", "001");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_pods_without_a_node_or_with_a_subset_are_not_judged) {
  struct feeding feeding = feeding_open(
      REPLICA_SET WITH("{name: a, patch: {}}") POD_OF("pending", "ReplicaSet", "rs", "u", "")
          POD_OF("mine", "ReplicaSet", "rs", "u", MATCHED("{\"name\":\"ws\",\"subset\":\"a\"}") ON_NODE)
              POD_OF("others", "ReplicaSet", "rs", "u", MATCHED("{\"name\":\"no\",\"subset\":\"a\"}") ON_NODE)
                  POD_OF("nobodys", "ReplicaSet", "rs", "u", MATCHED("{\"name\":\"ws\"}") ON_NODE)
                      POD_OF("odd", "ReplicaSet", "rs", "u", MATCHED("{") ON_NODE));
  assert_bits(&feeding, "pending", "0");
  assert_bits(&feeding, "mine", "0");
  assert_bits(&feeding, "others", "1");
  assert_bits(&feeding, "nobodys", "1");
  assert_bits(&feeding, "odd", "1");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_answers_follow_the_patches_and_the_pods) {
  struct feeding feeding =
      feeding_open(REPLICA_SET WITH("{name: a}") POD_OF("p", "ReplicaSet", "rs", "u", ", labels: {zone: a}" ON_NODE));
  assert_bits(&feeding, "p", "");
  feeding_load(&feeding, WITH("{name: a, " ZONE("a") "}"));
  assert_bits(&feeding, "p", "1");
  feeding_load(&feeding, POD_OF("p", "ReplicaSet", "rs", "u", ", labels: {zone: b}" ON_NODE));
  assert_bits(&feeding, "p", "0");
  feeding_load(&feeding, WITH("{name: a, " ZONE("b") "}"));
  assert_bits(&feeding, "p", "1");
  feeding_close(&feeding);
}
END_TEST

/* The feed is not updated after the deletion. */
START_TEST(test_a_deleted_pod_is_not_judged) {
  struct feeding feeding = feeding_open(REPLICA_SET WITH("{name: a, patch: {}}") POD_OF(
      "p", "ReplicaSet", "rs", "u", ON_NODE) POD_OF("q", "ReplicaSet", "rs", "u", ON_NODE));
  const uint32_t gone = row_of(&feeding, "p");
  struct rebali_fed_spread *fed = rebali_feed_find(feeding.feed, find(feeding.store, "WorkloadSpread", "ns", "ws"));
  const uint64_t *words;
  uint64_t stride;
  ck_assert_int_eq(rebal_store_remove(feeding.store, find(feeding.store, "Pod", "ns", "p"), NULL), REBAL_OK);
  assert_bits(&feeding, "q", "1");
  ck_assert_int_eq(rebali_feed_unchanged(feeding.feed, fed, &words, &stride, NULL), REBAL_OK);
  ck_assert_uint_eq(words[gone * stride], 0);
  feeding_close(&feeding);
}
END_TEST

/* A row is used for one pod after another. */
START_TEST(test_answers_are_those_of_the_pod_that_has_the_row) {
  struct feeding feeding = feeding_open(REPLICA_SET WITH("{name: a, " ZONE("a") "}")
                                            POD_OF("p", "ReplicaSet", "rs", "u", ", labels: {zone: a}" ON_NODE));
  for (int i = 0; i < 4; i++) {
    assert_bits(&feeding, "p", i % 2 == 0 ? "1" : "0");
    feeding_load(&feeding, i % 2 == 0 ? POD_OF("p", "ReplicaSet", "rs", "u", ", labels: {zone: b}" ON_NODE)
                                      : POD_OF("p", "ReplicaSet", "rs", "u", ", labels: {zone: a}" ON_NODE));
  }
  feeding_close(&feeding);
}
END_TEST

/* A new status of the object leaves the patches as they are. */
START_TEST(test_answers_stay_while_the_subsets_do) {
  struct feeding feeding = feeding_open(REPLICA_SET WITH("{name: a, " ZONE("a") "}")
                                            POD_OF("p", "ReplicaSet", "rs", "u", ", labels: {zone: a}" ON_NODE)
                                                POD_OF("q", "ReplicaSet", "rs", "u", ", labels: {zone: a}" ON_NODE));
  const uint32_t object = find(feeding.store, "WorkloadSpread", "ns", "ws");
  const rebal_time now = time_of(NOW);
  const char *patch = "{status: {observedGeneration: 7}}";
  assert_bits(&feeding, "p", "1");
  ck_assert_int_eq(rebal_store_patch(feeding.store, object, patch, strlen(patch), &now, NULL), REBAL_OK);
  feeding_update(&feeding);
  assert_bits(&feeding, "q", "1");
  ck_assert_uint_eq(rebali_unchanged_merges(rebali_feed_find(feeding.feed, object)->unchanged), 1);
  feeding_close(&feeding);
}
END_TEST

UNIT_CASE(spread_feed_unchanged) {
  TCase *cases = tcase_create("spread_feed_unchanged");
  tcase_add_test(cases, test_bits_mark_patches_that_leave_a_pod_as_it_is);
  tcase_add_test(cases, test_pods_without_a_node_or_with_a_subset_are_not_judged);
  tcase_add_test(cases, test_answers_follow_the_patches_and_the_pods);
  tcase_add_test(cases, test_a_deleted_pod_is_not_judged);
  tcase_add_test(cases, test_answers_are_those_of_the_pod_that_has_the_row);
  tcase_add_test(cases, test_answers_stay_while_the_subsets_do);
  return cases;
}
