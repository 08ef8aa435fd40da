/* SPDX-License-Identifier: MIT */
#include "detecting.h"

#define SKIPPED_API REBAL_DETECTOR_OUTCOME_API
#define SKIPPED_NAMESPACE REBAL_DETECTOR_OUTCOME_NAMESPACE

/* namespaces NULL: the default. */
static const struct {
  const char *namespaces, *apis, *object;
  uint32_t why;
} rows[] = {
    {NULL, "", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: default}}", 0},
    {NULL, "", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: kube-system}}",
     SKIPPED_NAMESPACE},
    {NULL, "", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: my-kube-x}}", 0},
    {NULL, "", "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: karmada-es-m1}}", SKIPPED_NAMESPACE},
    {NULL, "", "{apiVersion: work.karmada.io/v1alpha2, kind: X, metadata: {name: a}}", SKIPPED_API},
    {NULL, "", "{apiVersion: search.karmada.io/v1alpha1, kind: X, metadata: {name: a}}", 0},
    {NULL, "", "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: a}}", SKIPPED_API},
    {NULL, "", "{apiVersion: coordination.k8s.io/v1beta1, kind: Lease, metadata: {name: a}}", 0},
    {NULL, "", "{apiVersion: v1, kind: Event, metadata: {name: a}}", SKIPPED_API},
    {"a|default", "", "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: another}}", SKIPPED_NAMESPACE},
    {"a|default", "", "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: kube-system}}", 0},
    {"", "", "{apiVersion: v1, kind: Namespace, metadata: {name: a}}", SKIPPED_NAMESPACE},
    {"x[[:digit:]]{1,2}", "", "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: x12}}", SKIPPED_NAMESPACE},
    {"none", "",
     "{apiVersion: v1, kind: ConfigMap, metadata: {name: extension-apiserver-authentication, "
     "namespace: kube-system}}",
     SKIPPED_NAMESPACE},
    {NULL, "apps", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}", SKIPPED_API},
    {NULL, "apps/v1beta1;batch/v1", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}}", 0},
    {NULL, "apps/v1beta1;batch/v1", "{apiVersion: batch/v1, kind: Job, metadata: {name: a}}", SKIPPED_API},
    {NULL, "apps/v1/Deployment,StatefulSet", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}}",
     SKIPPED_API},
    {NULL, "apps/v1/Deployment,StatefulSet", "{apiVersion: apps/v1, kind: statefulset, metadata: {name: a}}", 0},
    {NULL, "v1/Secret,ConfigMap", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", SKIPPED_API},
    {NULL, "v1beta1/x", "{apiVersion: v1beta1/x, kind: X, metadata: {name: a}}",
     0}, /* read as a kind of the core group */
    {NULL, "foo;", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}", SKIPPED_API},
};

START_TEST(test_rows) {
  struct rebali_skipped skipped = {NULL, 0, NULL};
  rebal_store *store = store_of(rows[_i].object);
  json_t *tree;
  ck_assert_int_eq(rebali_skipped_open(&skipped, rows[_i].namespaces != NULL ? &rows[_i].namespaces : NULL, 1,
                                       rows[_i].apis, strlen(rows[_i].apis), NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebali_store_open(store, rebal_store_next(store, "", 0, REBAL_NONE), &tree, NULL), REBAL_OK);
  ck_assert_uint_eq(rebali_skipped_why(&skipped, tree), rows[_i].why);
  json_decref(tree);
  rebali_skipped_close(&skipped);
  rebal_store_free(store);
}
END_TEST

/* More are in test_expression.c. */
static const char *const foreign[] = {"\\d", "a**", "("};

START_TEST(test_expressions) {
  struct rebali_skipped skipped = {NULL, 0, NULL};
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebali_skipped_open(&skipped, &foreign[_i], 1, "", 0, &err), REBAL_EUNSUPPORTED);
  ck_assert_ptr_nonnull(strstr(err.message, foreign[_i]));
  rebali_skipped_close(&skipped);
}
END_TEST

START_TEST(test_malformed) {
  struct rebali_skipped skipped = {NULL, 0, NULL};
  const char *missing = NULL;
  ck_assert_int_eq(rebali_skipped_open(&skipped, NULL, 0, "a/b/c/d", 7, NULL), REBAL_EINVAL);
  rebali_skipped_close(&skipped);
  skipped = (struct rebali_skipped){NULL, 0, NULL};
  ck_assert_int_eq(rebali_skipped_open(&skipped, NULL, 0, "a\0b", 3, NULL), REBAL_EINVAL);
  rebali_skipped_close(&skipped);
  skipped = (struct rebali_skipped){NULL, 0, NULL};
  ck_assert_int_eq(rebali_skipped_open(&skipped, &missing, 1, "", 0, NULL), REBAL_EINVAL);
  rebali_skipped_close(&skipped);
}
END_TEST

UNIT_CASE(skipped) {
  TCase *cases = tcase_create("skipped");
  tcase_add_loop_test(cases, test_rows, 0, (int)COUNT(rows));
  tcase_add_loop_test(cases, test_expressions, 0, (int)COUNT(foreign));
  tcase_add_test(cases, test_malformed);
  return cases;
}
