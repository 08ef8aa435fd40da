/* SPDX-License-Identifier: MIT */
#include "members.h"

#define OBJECT(api, kind, metadata, spec) \
  "---\napiVersion: " api "\nkind: " kind "\nmetadata: {name: web" metadata "}\nspec: {" spec "}\n"
#define DEPLOYMENT(template) OBJECT("apps/v1", "Deployment", "", "template: " template)
#define SET(template) OBJECT("apps/v1", "ReplicaSet", "", "template: " template)

static const char *text(const rebal_snapshot *snapshot, uint32_t column, uint32_t row) {
  return rebal_cells_get_text(rebal_snapshot_cells(snapshot), column, 0, row, NULL);
}

START_TEST(test_workloads_become_rows) {
  static const char *const kinds[] = {"Deployment", "StatefulSet", "Job"};
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot =
      feed_member(fleet, OBJECT("batch/v1", "Job", ", uid: j", "")
                             OBJECT("apps/v1", "Deployment", ", namespace: shop, uid: d",
                                    "selector: {matchLabels: {app: web}, matchExpressions: [{key: k, operator: "
                                    "Exists}]}, template: {}") OBJECT("apps/v1", "StatefulSet", "", "selector: {}")
                                 OBJECT("apps.kruise.io/v1", "Deployment", ", namespace: other", "selector: 1"));
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_WORKLOAD, 0), COUNT(kinds));
  for (uint32_t i = 0; i < COUNT(kinds); i++) {
    ck_assert_str_eq(text(snapshot, REBAL_WORKLOAD_KIND, i), kinds[i]);
    ck_assert_str_eq(text(snapshot, REBAL_WORKLOAD_NAME, i), "web");
  }
  ck_assert_str_eq(text(snapshot, REBAL_WORKLOAD_NAMESPACE, 0), "shop");
  ck_assert_str_eq(text(snapshot, REBAL_WORKLOAD_NAMESPACE, 1), "default");
  ck_assert_str_eq(text(snapshot, REBAL_WORKLOAD_UID, 0), "d");
  ck_assert_str_eq(text(snapshot, REBAL_WORKLOAD_UID, 2), "j");
  ck_assert_uint_eq(strlen(text(snapshot, REBAL_WORKLOAD_TEMPLATE, 0)), 32);
  ck_assert_str_eq(text(snapshot, REBAL_WORKLOAD_TEMPLATE, 2), "");
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_WORKLOAD_SELECTOR, 0, 0), 0);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_WORKLOAD_SELECTOR, 0, 1), 1);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_WORKLOAD_SELECTOR, 0, 2), REBAL_ABSENT);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_replica_sets_become_rows) {
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot = feed_member(
      fleet, OBJECT("apps/v1", "ReplicaSet",
                    ", uid: r, labels: {app: web}, creationTimestamp: '2026-03-14T09:00:00Z', ownerReferences: [{kind: "
                    "Deployment, uid: d, controller: true}]",
                    "template: {spec: {}}") "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: bare}\n");
  rebal_time created;
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_REPLICA_SET, 0), 2);
  ck_assert_str_eq(text(snapshot, REBAL_REPLICA_SET_NAME, 0), "bare");
  ck_assert_str_eq(text(snapshot, REBAL_REPLICA_SET_CONTROLLER_UID, 0), "");
  ck_assert_str_eq(text(snapshot, REBAL_REPLICA_SET_NAME, 1), "web");
  ck_assert_str_eq(text(snapshot, REBAL_REPLICA_SET_NAMESPACE, 1), "default");
  ck_assert_str_eq(text(snapshot, REBAL_REPLICA_SET_UID, 1), "r");
  ck_assert_str_eq(text(snapshot, REBAL_REPLICA_SET_CONTROLLER_UID, 1), "d");
  ck_assert_int_ne(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_REPLICA_SET_LABELS, 0, 1), REBAL_ABSENT);
  rebal_cells_get_time(rebal_snapshot_cells(snapshot), REBAL_REPLICA_SET_CREATED, 0, 1, &created);
  ck_assert_int_eq(created.seconds, 1773478800);
  rebal_cells_get_time(rebal_snapshot_cells(snapshot), REBAL_REPLICA_SET_CREATED, 0, 0, &created);
  ck_assert_int_eq(created.is_set, 0);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

/* Do a Deployment's and a ReplicaSet's templates count as the same? */
static const struct {
  const char *texts;
  int equal;
} templates[] = {
    {DEPLOYMENT("{spec: {a: 1, b: [x]}}") SET("{spec: {a: 1, b: [x]}}"), 1},
    {DEPLOYMENT("{spec: {b: [x], a: 1}}") SET("{spec: {a: 1, b: [x]}}"), 1},
    {DEPLOYMENT("{spec: {a: 1}}") SET("{spec: {a: 2}}"), 0},
    {DEPLOYMENT("{spec: {b: [x, z]}}") SET("{spec: {b: [z, x]}}"), 0},
    {DEPLOYMENT("{metadata: {labels: {app: web}}}") SET("{metadata: {labels: {app: web, pod-template-hash: f00}}}"), 1},
    {DEPLOYMENT("{metadata: {labels: {app: web, pod-template-hash: mine}}}") SET("{metadata: {labels: {app: web}}}"),
     1},
    {DEPLOYMENT("{metadata: {labels: {app: web}}}") SET("{metadata: {labels: {app: web, hash: f00}}}"), 0},
    {DEPLOYMENT("{metadata: {annotations: {pod-template-hash: f00}}}") SET("{metadata: {annotations: {}}}"), 0},
    {DEPLOYMENT("{metadata: {labels: here}}") SET("{metadata: {labels: here}}"), 1},
};

START_TEST(test_templates_are_compared_without_their_hash) {
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot = feed_member(fleet, templates[_i].texts);
  ck_assert_int_eq(
      strcmp(text(snapshot, REBAL_WORKLOAD_TEMPLATE, 0), text(snapshot, REBAL_REPLICA_SET_TEMPLATE, 0)) == 0,
      templates[_i].equal);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

static const struct {
  const char *text;
  const char *field;
} malformed[] = {
    {DEPLOYMENT("none"), "spec.template"},
    {SET("[1]"), "spec.template"},
    {OBJECT("apps/v1", "Deployment", "", "selector: {matchLabels: [a]}"), "spec.selector.matchLabels"},
    {OBJECT("batch/v1", "Job", "", "selector: {matchExpressions: {}}"), "spec.selector.matchExpressions"},
    {OBJECT("apps/v1", "ReplicaSet", ", creationTimestamp: noon", ""), "metadata.creationTimestamp"},
};

START_TEST(test_malformed_workloads_are_refused_when_read) {
  assert_malformed(malformed[_i].text, REBAL_EPARSE, malformed[_i].field);
}
END_TEST

UNIT_CASE(member_workload) {
  TCase *cases = tcase_create("member_workload");
  tcase_add_test(cases, test_workloads_become_rows);
  tcase_add_test(cases, test_replica_sets_become_rows);
  tcase_add_loop_test(cases, test_templates_are_compared_without_their_hash, 0, (int)COUNT(templates));
  tcase_add_loop_test(cases, test_malformed_workloads_are_refused_when_read, 0, (int)COUNT(malformed));
  return cases;
}
