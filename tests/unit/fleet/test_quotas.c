/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "fleet/nodes.h"
#include "making.h"

/* A record of one quota in a namespace. */
static const rebal_record *quotas_of(rebal_builder *builder, const char *namespace_) {
  const rebal_record *record = NULL;

  rebal_builder_start(builder, REBAL_OBJECT_QUOTAS, NULL);
  rebal_builder_begin(builder, REBAL_QUOTAS_QUOTA, NULL);
  rebal_builder_text(builder, REBAL_QUOTA_NAMESPACE, namespace_, strlen(namespace_), NULL);
  rebal_builder_end(builder, NULL);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  return record;
}

static int holds(const rebal_snapshot *snapshot, uint32_t cluster, const char *namespace_) {
  const rebal_record *record = rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_QUOTAS, cluster);
  const uint32_t quota = record == NULL ? REBAL_NONE : rebal_record_next(record, 0, REBAL_QUOTAS_QUOTA, REBAL_NONE);

  return record != NULL &&
         rebali_text_equal(rebali_record_text(record, rebali_record_get(record, quota, REBAL_QUOTA_NAMESPACE)),
                           rebali_text(namespace_, strlen(namespace_)));
}

START_TEST(test_snapshots_keep_what_they_had) {
  rebal_fleet *fleet = new_fleet();
  rebal_builder *builder = NULL;
  rebal_snapshot *none, *first, *second, *gone;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  (void)add_cluster(fleet, "a");
  none = freeze(fleet);
  ck_assert_int_eq(rebal_fleet_set_quotas(fleet, 0, quotas_of(builder, "x"), NULL), REBAL_OK);
  first = freeze(fleet);
  ck_assert_int_eq(rebal_fleet_set_quotas(fleet, 0, quotas_of(builder, "y"), NULL), REBAL_OK);
  second = freeze(fleet);
  ck_assert_int_eq(rebal_fleet_set_quotas(fleet, 0, NULL, NULL), REBAL_OK);
  ck_assert_ptr_null(rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_QUOTAS, 0));
  gone = freeze(fleet);
  rebal_builder_free(builder);
  rebal_fleet_free(fleet);
  ck_assert_ptr_null(rebal_cells_record(rebal_snapshot_cells(none), REBAL_OBJECT_QUOTAS, 0));
  ck_assert(holds(first, 0, "x"));
  ck_assert(holds(second, 0, "y"));
  ck_assert_ptr_null(rebal_cells_record(rebal_snapshot_cells(gone), REBAL_OBJECT_QUOTAS, 0));
  ck_assert_ptr_null(rebal_cells_record(rebal_snapshot_cells(first), REBAL_OBJECT_QUOTAS, 7));
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(first), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 0), 0);
  rebal_snapshot_unref(none);
  rebal_snapshot_unref(first);
  rebal_snapshot_unref(second);
  rebal_snapshot_unref(gone);
}
END_TEST

START_TEST(test_a_relist_and_a_removed_cluster_take_them_away) {
  rebal_fleet *fleet = new_fleet();
  rebal_builder *builder = NULL;
  rebal_snapshot *snapshot;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  (void)add_cluster(fleet, "a");
  (void)add_cluster(fleet, "b");
  ck_assert_int_eq(rebal_fleet_set_quotas(fleet, 0, quotas_of(builder, "x"), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_quotas(fleet, 1, quotas_of(builder, "x"), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_clear_nodes(fleet, 0, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){1}, 1, NULL),
      REBAL_OK);
  (void)add_cluster(fleet, "b");
  snapshot = freeze(fleet);
  ck_assert_ptr_null(rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_QUOTAS, 0));
  ck_assert_ptr_null(rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_QUOTAS, 1));
  rebal_snapshot_unref(snapshot);
  rebal_builder_free(builder);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_refusals) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t labels = labels_of(fleet, "a", "b");

  (void)add_cluster(fleet, "a");
  ck_assert_int_eq(
      rebal_fleet_set_quotas(fleet, 0, rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, labels), NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_set_quotas(NULL, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_set_quotas(fleet, 1, NULL, NULL), REBAL_ENOTFOUND);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_fingerprints) {
  rebal_fleet *fleet = new_fleet();
  rebal_builder *builder = NULL;
  struct rebali_fingerprint prints[3];

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  (void)add_cluster(fleet, "a");
  for (size_t i = 0; i < 3; i++) {
    rebal_snapshot *snapshot;

    ck_assert_int_eq(rebal_fleet_set_quotas(fleet, 0, i == 0 ? NULL : quotas_of(builder, i == 1 ? "x" : "y"), NULL),
                     REBAL_OK);
    snapshot = freeze(fleet);
    prints[i] = rebali_snapshot_fingerprint(snapshot);
    rebal_snapshot_unref(snapshot);
  }
  for (size_t i = 0; i < 3; i++) {
    ck_assert_int_ne(memcmp(&prints[i], &prints[(i + 1) % 3], sizeof prints[0]), 0);
  }
  rebal_builder_free(builder);
  rebal_fleet_free(fleet);
}
END_TEST

static int32_t set_twice(const rebal_allocator *allocator, void *user_data) {
  const rebal_record *record = user_data;
  rebal_fleet *fleet = NULL;
  rebal_snapshot *snapshot = NULL;
  uint32_t cluster;
  int32_t code = rebal_fleet_new(allocator, &fleet, NULL);

  code = code == REBAL_OK ? rebal_fleet_add_cluster(fleet, "a", 1, &cluster, NULL) : code;
  code = code == REBAL_OK ? rebal_fleet_set_quotas(fleet, cluster, record, NULL) : code;
  code = code == REBAL_OK ? rebal_fleet_freeze(fleet, &snapshot, NULL) : code;
  code = code == REBAL_OK ? rebal_fleet_set_quotas(fleet, cluster, NULL, NULL) : code;
  ck_assert(snapshot == NULL || holds(snapshot, 0, "x"));
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
  return code;
}

START_TEST(test_out_of_memory) {
  rebal_builder *builder = NULL;

  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_pstr_eq(test_torture(set_twice, (void *)(uintptr_t)quotas_of(builder, "x")), NULL);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(quotas) {
  TCase *cases = tcase_create("quotas");

  tcase_add_test(cases, test_snapshots_keep_what_they_had);
  tcase_add_test(cases, test_a_relist_and_a_removed_cluster_take_them_away);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_fingerprints);
  tcase_add_test(cases, test_out_of_memory);
  return cases;
}
