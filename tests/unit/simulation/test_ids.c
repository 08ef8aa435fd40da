/* SPDX-License-Identifier: MIT */
#include "running.h"

static rebal_simulation *with_objects(void) {
  static const char text[] =
      "{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: x}}\n---\n"
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: z}}\n---\n"
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: x}}\n---\n"
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: bb, namespace: x}}\n";
  rebal_simulation *simulation = new_simulation(NULL);
  ck_assert_int_eq(rebal_store_load(simulation->server.store, text, strlen(text), NULL), REBAL_OK);
  return simulation;
}

static void assert_ids(const struct rebali_ids *ids, const uint32_t *expected, size_t n) {
  ck_assert_uint_eq(ids->n, n);
  for (size_t i = 0; i < n; i++) {
    ck_assert_uint_eq(ids->list[i], expected[i]);
  }
}

START_TEST(test_ids_are_sorted_as_the_store_is_and_unique) {
  static const uint32_t expected[] = {3, 2, 1, 0};
  rebal_simulation *simulation = with_objects();
  struct rebali_ids ids = {NULL, 0, 0};
  for (uint32_t i = 0; i < 12; i++) {
    ck_assert_int_eq(rebali_ids_add(&ids, i % 4, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebali_ids_sort(&simulation->server, &ids, NULL), REBAL_OK);
  assert_ids(&ids, expected, 4);
  rebali_ids_dispose(&ids);
  ck_assert_int_eq(rebali_ids_sort(&simulation->server, &ids, NULL), REBAL_OK);
  ck_assert_uint_eq(ids.n, 0);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_changes_are_taken_once) {
  static const uint32_t all[] = {3, 2, 1, 0}, rest[] = {2};
  rebal_simulation *simulation = with_objects();
  struct rebali_ids ids;
  uint64_t since = 0;
  ck_assert_int_eq(rebali_changes_take(&simulation->server, &since, &ids, NULL), REBAL_OK);
  assert_ids(&ids, all, 4);
  rebali_ids_dispose(&ids);
  ck_assert_int_eq(rebali_changes_take(&simulation->server, &since, &ids, NULL), REBAL_OK);
  ck_assert_uint_eq(ids.n, 0);
  rebali_ids_dispose(&ids);
  ck_assert_int_eq(rebal_store_remove(simulation->server.store, 2, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_changes_take(&simulation->server, &since, &ids, NULL), REBAL_OK);
  assert_ids(&ids, rest, 1);
  ck_assert_int_eq(rebali_exists(&simulation->server, 2), 0);
  ck_assert_int_eq(rebali_exists(&simulation->server, 1), 1);
  rebali_ids_dispose(&ids);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_both_kinds_of_binding_are_bindings) {
  static const char *const kinds[] = {"ResourceBinding", "ClusterResourceBinding", "Deployment"};
  for (size_t i = 0; i < COUNT(kinds); i++) {
    rebal_simulation *simulation = new_simulation(NULL);
    char text[200];
    (void)snprintf(text, sizeof text, "{apiVersion: %s, kind: %s, metadata: {name: a}}",
                   i < 2 ? "work.karmada.io/v1alpha2" : "apps/v1", kinds[i]);
    ck_assert_int_eq(rebal_store_load(simulation->server.store, text, strlen(text), NULL), REBAL_OK);
    ck_assert_int_eq(rebali_object_is_binding(&simulation->server, 0), i < 2);
    rebal_simulation_free(simulation);
  }
}
END_TEST

UNIT_CASE(ids) {
  TCase *cases = tcase_create("ids");
  tcase_add_test(cases, test_ids_are_sorted_as_the_store_is_and_unique);
  tcase_add_test(cases, test_changes_are_taken_once);
  tcase_add_test(cases, test_both_kinds_of_binding_are_bindings);
  return cases;
}
