/* SPDX-License-Identifier: MIT */
#include "stores.h"

static const struct {
  const char *api_version, *kind, *plural;
} resources[] = {
    {"v1", "Pod", "pods"},
    {"v2", "Endpoints", "endpoints"},
    {"apps/v1", "StatefulSet", "statefulsets"},
    {"apps.kruise.io/v1beta1", "StatefulSet", "statefulsets"},
    {"policy.karmada.io/v1alpha1", "PropagationPolicy", "propagationpolicies"},
    {"cluster.karmada.io/v1alpha1", "Cluster", "clusters"},
    {"cluster.x-k8s.io/v1beta1", "Cluster", NULL},
    {"v1", "Deployment", NULL},
    {"app/v1", "Deployment", NULL},
    {"", "", NULL},
};

START_TEST(test_plurals_go_by_group_and_kind) {
  const struct rebali_resource *found = rebali_resource_find(NULL, resources[_i].api_version, resources[_i].kind);
  ck_assert_pstr_eq(found != NULL ? found->plural : NULL, resources[_i].plural);
}
END_TEST

START_TEST(test_groups_are_compared_without_versions) {
  ck_assert_uint_eq(rebali_group_len("apps/v1"), 4);
  ck_assert_uint_eq(rebali_group_len("v1"), 0);
  ck_assert_int_eq(rebali_group_compare("apps/v1", "apps/v1beta1"), 0);
  ck_assert_int_eq(rebali_group_compare("v1", "v2"), 0);
  ck_assert_int_lt(rebali_group_compare("v1", "apps/v1"), 0);
  ck_assert_int_lt(rebali_group_compare("app/v1", "apps/v1"), 0);
  ck_assert_int_gt(rebali_group_compare("batch/v1", "apps/v1"), 0);
}
END_TEST

static int32_t add(rebal_store *store, const char *kind, const char *plural) {
  return rebal_store_add_resource(store, kind, strlen(kind), plural, strlen(plural), 1, NULL);
}

START_TEST(test_added_resources_come_first) {
  static char long_name[REBALI_NAME_MAX + 2];
  rebal_store *store = store_new();
  const struct rebali_resource *found;
  ck_assert_int_eq(add(store, "CronTab.stable.example.com", "crontabs"), REBAL_OK);
  ck_assert_int_eq(add(store, "Pod", "seas"), REBAL_OK);
  ck_assert_int_eq(add(store, "Pod.", "seals"), REBAL_OK);
  found = rebali_resource_find(store, "stable.example.com/v1", "CronTab");
  ck_assert_str_eq(found->plural, "crontabs");
  ck_assert_str_eq(found->group, "stable.example.com");
  ck_assert_int_eq(found->is_namespaced, 1);
  ck_assert_str_eq(rebali_resource_find(store, "v1", "Pod")->plural, "seals");
  ck_assert_ptr_null(rebali_resource_find(store, "v1", "CronTab"));
  memset(long_name, 'x', sizeof long_name - 1);
  ck_assert_int_eq(add(store, long_name, "x"), REBAL_ELIMIT);
  ck_assert_int_eq(add(store, "X", long_name), REBAL_ELIMIT);
  ck_assert_int_eq(add(store, ".x", "x"), REBAL_EINVAL);
  ck_assert_int_eq(add(store, "", "x"), REBAL_EINVAL);
  ck_assert_int_eq(add(store, "X", ""), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_add_resource(store, "X\0", 2, "x", 1, 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_add_resource(NULL, "X", 1, "x", 1, 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_add_resource(store, NULL, 1, "x", 1, 0, NULL), REBAL_EINVAL);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(resources) {
  TCase *cases = tcase_create("resources");
  tcase_add_loop_test(cases, test_plurals_go_by_group_and_kind, 0, (int)COUNT(resources));
  tcase_add_test(cases, test_groups_are_compared_without_versions);
  tcase_add_test(cases, test_added_resources_come_first);
  return cases;
}
