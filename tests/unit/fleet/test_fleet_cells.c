/* SPDX-License-Identifier: MIT */
#include "making.h"

static size_t changed_rows(rebal_fleet *fleet) {
  rebal_snapshot *snapshot = freeze(fleet);
  const uint32_t *rows = NULL;
  size_t n = 0;

  ck_assert_int_eq(rebali_snapshot_changes(snapshot, rebal_snapshot_version(snapshot) - 1, REBALI_READS_ALL, &rows, &n),
                   REBAL_OK);
  rebal_snapshot_unref(snapshot);
  return n;
}

START_TEST(test_bulk_sets_all) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t clusters[2] = {2, 0};
  const int64_t all[3] = {1, 0, 1};
  const int64_t two[2] = {0, 0};
  const uint32_t offsets[4] = {0, 2, 2, 6};
  rebal_snapshot *snapshot;

  add_cluster(fleet, "a");
  add_cluster(fleet, "b");
  add_cluster(fleet, "c");
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, NULL, all, 3, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, clusters, two, 1, NULL),
      REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, NULL, NULL, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_put_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_PROVIDER, REBAL_NONE, NULL, "gcaws1",
                                        offsets, 3, NULL),
                   REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, 0), 1);
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, 1), 0);
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, 2), 0);
  ck_assert_str_eq(rebali_snapshot_text(snapshot, REBAL_CLUSTER_PROVIDER, 0).bytes, "gc");
  ck_assert_uint_eq(rebali_snapshot_text(snapshot, REBAL_CLUSTER_PROVIDER, 1).len, 0);
  ck_assert_str_eq(rebali_snapshot_text(snapshot, REBAL_CLUSTER_PROVIDER, 2).bytes, "aws1");
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_bulk_stops_at_the_first_bad_row) {
  rebal_fleet *fleet = new_fleet();
  rebal_error err = REBAL_ERROR_INIT;
  const uint32_t clusters[3] = {1, 7, 0};
  const int64_t values[3] = {1, 1, 1};
  const int64_t bad[2] = {0, 2};
  const uint32_t offsets[3] = {0, 2, 1};
  rebal_snapshot *snapshot;

  add_cluster(fleet, "a");
  add_cluster(fleet, "b");
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, clusters, values, 3, &err),
      REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 7);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, NULL, bad, 2, &err),
      REBAL_ERANGE);
  ck_assert_int_eq(err.where, 1);
  ck_assert_int_eq(
      rebal_cells_put_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, NULL, "eu", offsets, 2, &err),
      REBAL_EINVAL);
  ck_assert_int_eq(err.where, 1);
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, 1), 1);
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, 0), 0);
  ck_assert_str_eq(rebali_snapshot_text(snapshot, REBAL_CLUSTER_REGION, 0).bytes, "eu");
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_refusals) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  uint32_t ghost = 0;

  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT("ghost"), &ghost, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, ghost, 1, NULL),
                   REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, a, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_BINDING_REPLICAS, REBAL_NONE, a, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_LABELS, REBAL_NONE, a, 0, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fleet), 0, REBAL_NONE, a, 0, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(NULL), REBAL_CLUSTER_DELETING, REBAL_NONE, a, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, a, TEXT("x"), NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, ghost, TEXT("x"), NULL),
      REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, a, NULL, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_text(rebal_fleet_cells(NULL), REBAL_CLUSTER_REGION, REBAL_NONE, a, TEXT("x"), NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, NULL, NULL, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_put_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, NULL, "x", NULL, 1, NULL),
      REBAL_EINVAL);
  rebal_fleet_free(fleet);
}
END_TEST

#if SIZE_MAX > UINT32_MAX
START_TEST(test_too_much) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const size_t many = (size_t)UINT32_MAX + 1;
  const rebal_quantity amount = {1, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const int64_t value = 0;

  ck_assert_int_eq(rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, a, "x", many, NULL),
                   REBAL_ELIMIT);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_DELETING, REBAL_NONE, NULL, &value, many, NULL),
      REBAL_ELIMIT);
  ck_assert_int_eq(rebal_fleet_put_capacity(fleet, 0, resource_of(fleet, "cpu"), NULL, &amount, many, NULL),
                   REBAL_ELIMIT);
  rebal_fleet_free(fleet);
}
END_TEST
#endif

START_TEST(test_the_same_value_is_not_a_change) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");

  ck_assert_uint_eq(changed_rows(fleet), 1);
  ck_assert_uint_eq(changed_rows(fleet), 0);
  set_i64(fleet, REBAL_CLUSTER_DELETING, a, 0);
  ck_assert_int_eq(rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, a, "", 0, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(changed_rows(fleet), 0);
  set_i64(fleet, REBAL_CLUSTER_DELETING, a, 1);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, a, TEXT("eu"), NULL), REBAL_OK);
  ck_assert_uint_eq(changed_rows(fleet), 1);
  set_i64(fleet, REBAL_CLUSTER_DELETING, a, 1);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, a, TEXT("eu"), NULL), REBAL_OK);
  ck_assert_uint_eq(changed_rows(fleet), 0);
  ck_assert_int_eq(rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, a, NULL, 0, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(changed_rows(fleet), 1);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(fleet_cells) {
  TCase *cases = tcase_create("fleet_cells");
  tcase_add_test(cases, test_bulk_sets_all);
  tcase_add_test(cases, test_bulk_stops_at_the_first_bad_row);
  tcase_add_test(cases, test_refusals);
#if SIZE_MAX > UINT32_MAX
  tcase_add_test(cases, test_too_much);
#endif
  tcase_add_test(cases, test_the_same_value_is_not_a_change);
  return cases;
}
