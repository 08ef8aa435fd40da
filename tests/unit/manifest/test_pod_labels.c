/* SPDX-License-Identifier: MIT */
#include "stores.h"

#include <stdio.h>

#define BINDING(kind)                                                                                    \
  "{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: b, namespace: shop}, " \
  "spec: {resource: {apiVersion: x/v1, kind: " kind ", namespace: shop, name: web}}}\n"
#define BUDGET "---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: any, namespace: other}}\n"
#define WORKLOAD(kind, rest) BUDGET BARE(kind, rest)
#define BARE(kind, rest) \
  "---\n{apiVersion: x/v1, kind: " kind ", metadata: {name: web, namespace: shop, labels: {of: object}}" rest "}\n"

static const struct {
  const char *text;
  const char *labels; /* NULL: unknown */
} cases[] = {
    {BINDING("Deployment") BUDGET, NULL},
    {BINDING("Deployment") BARE("Deployment", ", spec: {template: {metadata: {labels: {a: b}}}}"), NULL},
    {BINDING("Deployment") WORKLOAD("Deployment", ", spec: {template: {metadata: {labels: {a: b, c: d}}}}"),
     "a=b c=d "},
    {BINDING("Deployment") WORKLOAD("Deployment", ", spec: {template: {metadata: {}}}"), ""},
    {BINDING("Deployment") WORKLOAD("Deployment", ", spec: {template: {}}"), ""},
    {BINDING("Deployment") WORKLOAD("Deployment", ", spec: {template: {metadata: {labels: {a: 1}}}}"), NULL},
    {BINDING("Deployment") WORKLOAD("Deployment", ", spec: {template: {metadata: {labels: [a]}}}"), NULL},
    {BINDING("Deployment") WORKLOAD("Deployment", ""), NULL},
    {BINDING("Deployment") WORKLOAD("Other", ", spec: {template: {metadata: {labels: {a: b}}}}"), NULL},
    {BINDING("Pod") WORKLOAD("Pod", ""), "of=object "},
    {BINDING("CronJob")
         WORKLOAD("CronJob", ", spec: {template: {}, jobTemplate: {spec: {template: {metadata: {labels: {a: b}}}}}}"),
     "a=b "},
    {BINDING("CronJob") WORKLOAD("CronJob", ", spec: {template: {}}"), NULL},
};

static const char *text_of(const rebal_record *labels) {
  static char text[128];
  uint32_t label = REBAL_NONE;
  size_t len = 0;
  text[0] = '\0';
  while ((label = rebal_record_next(labels, 0, REBAL_LABELS_LABEL, label)) != REBAL_NONE) {
    len += (size_t)snprintf(
        text + len, sizeof text - len, "%s=%s ",
        rebal_record_text(labels, rebal_record_next(labels, label, REBAL_PAIR_KEY, REBAL_NONE), NULL),
        rebal_record_text(labels, rebal_record_next(labels, label, REBAL_PAIR_VALUE, REBAL_NONE), NULL));
  }
  return text;
}

START_TEST(test_labels_come_from_the_template) {
  rebal_store *store = store_of(cases[_i].text);
  rebal_fleet *fleet = NULL;
  rebal_bindings *bindings = NULL;
  rebal_snapshot *snapshot = NULL;
  int64_t handle;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_bindings(store, fleet, NULL, 0, bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  handle = rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_BINDING_POD_LABELS, REBAL_NONE, 0);
  ck_assert_int_eq(handle != REBAL_ABSENT, cases[_i].labels != NULL);
  if (cases[_i].labels != NULL) {
    ck_assert_str_eq(text_of(rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_LABELS, (uint32_t)handle)),
                     cases[_i].labels);
  }
  rebal_snapshot_unref(snapshot);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(pod_labels) {
  TCase *tests = tcase_create("pod_labels");
  tcase_add_loop_test(tests, test_labels_come_from_the_template, 0, (int)COUNT(cases));
  return tests;
}
