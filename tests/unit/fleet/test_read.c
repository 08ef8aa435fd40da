/* SPDX-License-Identifier: MIT */
/* Values that were set are read back, and missing values are reported as missing. */
#include "making.h"

START_TEST(test_cells_of_clusters) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t m1 = add_cluster(fleet, "m1");
  uint32_t labels = REBAL_NONE;
  rebal_snapshot *snapshot;
  size_t len = 9;

  ck_assert_int_eq(intern_labels(fleet, NULL, "a", "b", &labels), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, m1, TEXT("west"), NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_LABELS, REBAL_NONE, m1, labels, NULL),
                   REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_REGION, REBAL_NONE, m1, &len),
                   "west");
  ck_assert_uint_eq(len, 4);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_LABELS, REBAL_NONE, m1), labels);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_TAINTS, REBAL_NONE, m1),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_DELETING, REBAL_NONE, m1), 0);
  ck_assert_ptr_eq(rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_LABELS, labels),
                   rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels));
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_nothing_of_clusters) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t m1 = add_cluster(fleet, "m1");
  uint32_t ghost = 0;
  rebal_snapshot *snapshot;
  size_t len = 9;

  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT("ghost"), &ghost, NULL), REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(NULL), REBAL_CLUSTER_DELETING, REBAL_NONE, 0),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_DELETING, REBAL_NONE, ghost),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_DELETING, REBAL_NONE, UINT32_MAX),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_REGION, REBAL_NONE, m1),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_BINDING_REPLICAS, REBAL_NONE, m1),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), UINT32_MAX, REBAL_NONE, m1), REBAL_ABSENT);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_DELETING, REBAL_NONE, m1, &len),
                   "");
  ck_assert_uint_eq(len, 0);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(NULL), REBAL_CLUSTER_REGION, REBAL_NONE, m1, NULL), "");
  ck_assert_ptr_null(rebal_cells_record(rebal_snapshot_cells(NULL), REBAL_OBJECT_LABELS, 0));
  ck_assert_ptr_null(rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_LABELS, 0));
  ck_assert_ptr_null(rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_PAIR, 0));
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_amounts) {
  const rebal_quantity two = {2, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  rebal_fleet *fleet = new_fleet();
  const uint32_t m1 = add_cluster(fleet, "m1");
  uint32_t cpu = REBAL_NONE;
  rebal_quantity amount = {9, 9, 9};
  rebal_snapshot *snapshot;
  size_t len = 9;

  ck_assert_int_eq(rebal_fleet_resource_id(fleet, TEXT("cpu"), &cpu, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, m1, cpu, &two, NULL), REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebal_snapshot_capacity(snapshot, REBAL_CAPACITY_ALLOCATED, m1, cpu, &amount), 1);
  ck_assert_int_eq(amount.units, 2);
  ck_assert_int_eq(rebal_snapshot_capacity(snapshot, REBAL_CAPACITY_ALLOCATABLE, m1, cpu, &amount), 0);
  ck_assert_int_eq(amount.units, 0);
  ck_assert_int_eq(rebal_snapshot_capacity(snapshot, 3, m1, cpu, NULL), 0);
  ck_assert_int_eq(rebal_snapshot_capacity(snapshot, REBAL_CAPACITY_ALLOCATED, m1, REBAL_NONE, NULL), 0);
  ck_assert_int_eq(rebal_snapshot_capacity(NULL, REBAL_CAPACITY_ALLOCATED, m1, cpu, NULL), 0);
  ck_assert_uint_eq(rebal_cells_count(rebal_snapshot_cells(snapshot), REBAL_TABLE_RESOURCE, REBAL_NONE), 1);
  ck_assert_uint_eq(rebal_cells_count(rebal_snapshot_cells(NULL), REBAL_TABLE_RESOURCE, REBAL_NONE), 0);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_RESOURCE_NAME, REBAL_NONE, cpu, &len),
                   "cpu");
  ck_assert_uint_eq(len, 3);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_RESOURCE_NAME, REBAL_NONE, 1, NULL), "");
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

/* Adds two bindings whose targets alternate: 0 1 0 1 0. */
static rebal_bindings *add_bindings(rebal_fleet *fleet) {
  static const uint32_t parents[] = {0, 1, 0, 1, 0};
  rebal_bindings *bindings = NULL;
  uint32_t rows[5];
  uint32_t row;

  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_add_children(rebal_bindings_cells(bindings), REBAL_TABLE_TARGET, parents, rows, 5, NULL),
                   REBAL_OK);
  return bindings;
}

static void check_children(const rebal_bindings *bindings) {
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, 0, REBAL_NONE), 0);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, 0, 0), 2);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, 0, 2), 4);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, 0, 4), REBAL_NONE);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, 1, 0), 1);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, 1, 3), REBAL_NONE);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, 1, 77), REBAL_NONE);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TARGET, 2, REBAL_NONE),
                    REBAL_NONE);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_TASK, 0, REBAL_NONE),
                    REBAL_NONE);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_BINDING, 0, REBAL_NONE),
                    REBAL_NONE);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), REBAL_TABLE_DECISION, 0, REBAL_NONE),
                    REBAL_NONE);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(bindings), 0, 0, REBAL_NONE), REBAL_NONE);
}

START_TEST(test_children_before_and_after_freezing) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = add_bindings(fleet);

  check_children(bindings);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  check_children(bindings);
  ck_assert_uint_eq(rebal_cells_next(rebal_bindings_const_cells(NULL), REBAL_TABLE_TARGET, 0, REBAL_NONE), REBAL_NONE);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_cells_of_bindings) {
  const rebal_time moment = {5, 6, 1};
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = add_bindings(fleet);
  rebal_time time = {1, 1, 1};
  size_t len = 9;

  ck_assert_int_eq(
      rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 1, TEXT("web"), NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, 1, 7, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_time(rebal_bindings_cells(bindings), REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE,
                                        1, &moment, NULL),
                   REBAL_OK);
  ck_assert_str_eq(rebal_cells_get_text(rebal_bindings_const_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 1, &len),
                   "web");
  ck_assert_uint_eq(len, 3);
  ck_assert_str_eq(rebal_cells_get_text(rebal_bindings_const_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 0, NULL),
                   "");
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, 1), 7);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, 0), 0);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_TARGET_CLUSTER, REBAL_NONE, 4),
                   REBAL_ABSENT);
  rebal_cells_get_time(rebal_bindings_const_cells(bindings), REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE, 1, &time);
  ck_assert_int_eq(time.nanos, 6);
  rebal_cells_get_time(rebal_bindings_const_cells(bindings), REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE, 2, &time);
  ck_assert_uint_eq(time.is_set, 0);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_nothing_of_bindings) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = add_bindings(fleet);
  uint32_t labels = REBAL_NONE;
  size_t len = 9;

  ck_assert_int_eq(intern_labels(fleet, NULL, "a", "b", &labels), REBAL_OK);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(NULL), REBAL_BINDING_REPLICAS, REBAL_NONE, 0),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, 2),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 0),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_CLUSTER_DELETING, REBAL_NONE, 0),
                   REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_bindings_const_cells(bindings), REBAL_DECISION_OUTCOME, REBAL_NONE, 0),
                   REBAL_ABSENT);
  ck_assert_str_eq(rebal_cells_get_text(rebal_bindings_const_cells(NULL), REBAL_BINDING_NAME, REBAL_NONE, 0, &len), "");
  ck_assert_uint_eq(len, 0);
  ck_assert_ptr_eq(rebal_cells_record(rebal_bindings_const_cells(bindings), REBAL_OBJECT_LABELS, labels),
                   rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels));
  ck_assert_ptr_null(rebal_cells_record(rebal_bindings_const_cells(bindings), REBAL_OBJECT_LABELS, labels + 1));
  ck_assert_ptr_null(rebal_cells_record(rebal_bindings_const_cells(bindings), REBAL_OBJECT_PAIR, 0));
  ck_assert_ptr_null(rebal_cells_record(rebal_bindings_const_cells(NULL), REBAL_OBJECT_LABELS, 0));
  rebal_cells_get_time(rebal_bindings_const_cells(NULL), REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE, 0, NULL);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_nothing_of_nodes) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t m1 = add_cluster(fleet, "m1");
  const uint32_t cpu = resource_of(fleet, "cpu");
  const rebal_quantity two = {2, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  rebal_snapshot *snapshot;
  uint32_t node = 0;
  size_t len = 9;

  ck_assert_int_eq(rebal_fleet_add_node(fleet, m1, TEXT("n"), &node, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_node_amounts(fleet, m1, node, &cpu, &two, 1, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_fleet_set_node_labels(
          fleet, m1, node,
          rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels_of(fleet, "a", "b")), NULL),
      REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_str_eq(rebal_snapshot_node_label(snapshot, m1, node, TEXT("a"), &len), "b");
  ck_assert_ptr_null(rebal_snapshot_node_label(snapshot, m1, node + 1, TEXT("a"), &len));
  ck_assert_uint_eq(len, 0);
  ck_assert_ptr_null(rebal_snapshot_node_label(snapshot, m1 + 1, node, TEXT("a"), NULL));
  ck_assert_ptr_null(rebal_snapshot_node_label(NULL, m1, node, TEXT("a"), NULL));
  ck_assert_ptr_null(rebal_snapshot_node_label(snapshot, m1, node, NULL, 0, NULL));
  ck_assert_ptr_null(rebal_snapshot_node_label(snapshot, m1, node, "a", (size_t)INT32_MAX + 1, NULL));
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, m1, node, cpu), 2000);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATING, m1, node, cpu), 0);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, m1, node + 1, cpu), 0);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(read) {
  TCase *cases = tcase_create("read");
  tcase_add_test(cases, test_cells_of_clusters);
  tcase_add_test(cases, test_nothing_of_clusters);
  tcase_add_test(cases, test_amounts);
  tcase_add_test(cases, test_children_before_and_after_freezing);
  tcase_add_test(cases, test_cells_of_bindings);
  tcase_add_test(cases, test_nothing_of_bindings);
  tcase_add_test(cases, test_nothing_of_nodes);
  return cases;
}
