/* SPDX-License-Identifier: MIT */
#include "stores.h"

static const char two[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\",\"namespace\":\"x\"}}\n"
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"x\"}}\n";

START_TEST(test_objects_are_found_by_kind_namespace_and_name) {
  rebal_store *store = store_of(two);
  ck_assert_uint_eq(rebal_store_count(store), 2);
  ck_assert_uint_eq(find(store, "ConfigMap", "x", "b"), 0);
  ck_assert_uint_eq(find(store, "ConfigMap", "x", "a"), 1);
  ck_assert_uint_eq(find(store, "ConfigMap", "", "a"), REBAL_NONE);
  ck_assert_uint_eq(find(store, "Secret", "x", "a"), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_find(store, "ConfigMapX", 9, "xy", 1, "ab", 1), 1);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_next_walks_by_kind_namespace_name) {
  rebal_store *store = store_of(two);
  uint32_t object;
  load(store, "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: a}}");
  load(store, "{apiVersion: v1, kind: ConfigMap, metadata: {name: z, namespace: a}}");
  object = rebal_store_next(store, "ConfigMap", 9, REBAL_NONE);
  ck_assert_uint_eq(object, 3);
  object = rebal_store_next(store, "ConfigMap", 9, object);
  ck_assert_uint_eq(object, 1);
  object = rebal_store_next(store, "ConfigMap", 9, object);
  ck_assert_uint_eq(object, 0);
  ck_assert_uint_eq(rebal_store_next(store, "ConfigMap", 9, object), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_next(store, "", 0, object), 2);
  ck_assert_uint_eq(rebal_store_next(store, "Config", 6, REBAL_NONE), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_next(store, "Secret", 6, 99), REBAL_NONE);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_removed_objects_are_gone_and_their_ids_are_not_used_again) {
  rebal_store *store = store_of(two);
  ck_assert_int_eq(rebal_store_remove(store, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_remove(store, 0, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_store_remove(store, 7, NULL), REBAL_ENOTFOUND);
  ck_assert_uint_eq(rebal_store_count(store), 1);
  ck_assert_uint_eq(find(store, "ConfigMap", "x", "b"), REBAL_NONE);
  load(store, "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: x}}");
  ck_assert_uint_eq(find(store, "ConfigMap", "x", "b"), 2);
  /* The walk over a kind continues from a deleted object. */
  ck_assert_uint_eq(rebal_store_next(store, "ConfigMap", 9, 1), 2);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_limits_are_checked) {
  rebal_manifest_limits limits = {sizeof limits, 0, 40, 0, 0};
  rebal_store *store = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_store_new(&limits, &store, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_load(store, two, strlen(two), &err), REBAL_ELIMIT);
  ck_assert_uint_eq(rebal_store_count(store), 0);
  rebal_store_free(store);
  limits.struct_size = 3;
  ck_assert_int_eq(rebal_store_new(&limits, &store, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_store_new(NULL, NULL, NULL), REBAL_EINVAL);
  rebal_store_free(NULL);
}
END_TEST

START_TEST(test_many_objects_keep_their_order) {
  rebal_store *store = store_new();
  char text[128], name[16];
  uint32_t object = REBAL_NONE;
  for (int i = 0; i < 50; i++) {
    (void)snprintf(text, sizeof text, "{apiVersion: v1, kind: Node, metadata: {name: n%02d}}", (i * 37) % 50);
    load(store, text);
  }
  for (int i = 0; i < 50; i++) {
    (void)snprintf(name, sizeof name, "n%02d", i);
    object = rebal_store_next(store, "Node", 4, object);
    assert_member(store, object, "metadata.name", name);
  }
  ck_assert_uint_eq(rebal_store_next(store, "Node", 4, object), REBAL_NONE);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_kinds_of_other_groups_are_other_objects) {
  rebal_store *store = store_of("{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: b}}");
  load(store, "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: b}}");
  load(store, "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: c}}");
  ck_assert_uint_eq(find(store, "Cluster", "", "b"), 1);
  ck_assert_uint_eq(find(store, "Cluster.cluster.x-k8s.io", "", "b"), 0);
  ck_assert_uint_eq(find(store, "Cluster.cluster.karmada.io", "", "b"), 1);
  ck_assert_uint_eq(find(store, "Cluster.", "", "b"), REBAL_NONE);
  ck_assert_uint_eq(rebal_store_next(store, "Cluster", 7, 1), 0);
  ck_assert_uint_eq(rebal_store_next(store, "Cluster.cluster.karmada.io", 26, REBAL_NONE), 1);
  ck_assert_uint_eq(rebal_store_next(store, "Cluster.cluster.karmada.io", 26, 1), 2);
  ck_assert_uint_eq(rebal_store_next(store, "Cluster.cluster.x-k8s.io", 24, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_store_next(store, "Cluster.cluster.x-k8s.io", 24, 0), REBAL_NONE);
  ck_assert_int_eq(rebal_store_remove(store, 0, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_store_next(store, "Cluster", 7, 1), 2);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(store) {
  TCase *cases = tcase_create("store");
  tcase_add_test(cases, test_objects_are_found_by_kind_namespace_and_name);
  tcase_add_test(cases, test_next_walks_by_kind_namespace_name);
  tcase_add_test(cases, test_removed_objects_are_gone_and_their_ids_are_not_used_again);
  tcase_add_test(cases, test_limits_are_checked);
  tcase_add_test(cases, test_many_objects_keep_their_order);
  tcase_add_test(cases, test_kinds_of_other_groups_are_other_objects);
  return cases;
}
