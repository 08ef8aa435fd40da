/* SPDX-License-Identifier: MIT */
#include "stores.h"

#define CLUSTER                                                                                                    \
  "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m1, generation: 1, resourceVersion: " \
  "\"7\"}, spec: {region: a, zones: [x]}, status: {old: {a: 1, b: 2}}}"

static int32_t patch(rebal_store *store, const char *text, rebal_error *err) {
  const rebal_time now = time_of(NOW);
  return rebal_store_patch(store, find(store, "Cluster", "", "m1"), text, strlen(text), &now, err);
}

static void assert_field(rebal_store *store, const char *path, const char *value) {
  assert_member(store, find(store, "Cluster", "", "m1"), path, value);
}

START_TEST(test_patch_merges) {
  rebal_store *store = store_of(CLUSTER);
  ck_assert_int_eq(patch(store, "{status: {old: {a: null, c: 3}, new: [1]}}", NULL), REBAL_OK);
  assert_field(store, "status", "{\"old\":{\"b\":2,\"c\":3},\"new\":[1]}");
  assert_field(store, "metadata.generation", "1");
  assert_field(store, "metadata.resourceVersion", "8");
  ck_assert_int_eq(patch(store, "{spec: {zones: [v, w]}}", NULL), REBAL_OK);
  assert_field(store, "spec", "{\"region\":\"a\",\"zones\":[\"v\",\"w\"]}");
  assert_field(store, "metadata.generation", "2");
  ck_assert_int_eq(patch(store, "{spec: {region: a}}", NULL), REBAL_OK);
  assert_field(store, "metadata.resourceVersion", "9");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_patch_is_admitted) {
  rebal_store *store = store_of(CLUSTER);
  ck_assert_int_eq(patch(store, "{spec: {taints: [{key: k, effect: NoExecute}]}}", NULL), REBAL_OK);
  assert_field(store, "spec.taints[0].timeAdded", NOW);
  rebal_store_free(store);
}
END_TEST

static const struct {
  const char *text;
  int32_t code;
} refusals[] = {
    {"{metadata: {name: m2}}", REBAL_EINVAL},
    {"{kind: Pod}", REBAL_EINVAL},
    {"[1]", REBAL_EPARSE},
    {"{", REBAL_EPARSE},
    {"{spec: {taints: 5}}", REBAL_EPARSE},
    {"a: 1\n---\nb: 1", REBAL_EPARSE},
};

START_TEST(test_patch_is_all_or_nothing) {
  rebal_store *store = store_of(CLUSTER);
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(patch(store, refusals[_i].text, &err), refusals[_i].code);
  ck_assert_int_eq(err.code, refusals[_i].code);
  assert_field(store, "metadata.resourceVersion", "7");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_patch_needs_an_object) {
  rebal_store *store = store_new();
  ck_assert_int_eq(patch(store, "{}", NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_store_patch(store, 0, "{}", 2, NULL, NULL), REBAL_EINVAL);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(store_patch) {
  TCase *cases = tcase_create("store_patch");
  tcase_add_test(cases, test_patch_merges);
  tcase_add_test(cases, test_patch_is_admitted);
  tcase_add_loop_test(cases, test_patch_is_all_or_nothing, 0, (int)COUNT(refusals));
  tcase_add_test(cases, test_patch_needs_an_object);
  return cases;
}
