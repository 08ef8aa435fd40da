/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

START_TEST(test_ids_are_kept) {
  rebal_fleet *fleet = new_fleet();
  uint32_t id = 99;

  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT("old"), &id, NULL), REBAL_OK);
  ck_assert_uint_eq(id, 0);
  ck_assert_uint_eq(add_cluster(fleet, "a"), 1);
  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT("old"), &id, NULL), REBAL_OK);
  ck_assert_uint_eq(id, 0);
  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, "", 0, &id, NULL), REBAL_OK);
  ck_assert_uint_eq(id, 2);
  ck_assert_uint_eq(add_cluster(fleet, "old"), 0);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){1}, 1, NULL),
      REBAL_OK);
  ck_assert_uint_eq(add_cluster(fleet, "a"), 1);
  rebal_fleet_free(fleet);
  rebal_fleet_free(NULL);
}
END_TEST

START_TEST(test_refusals) {
  rebal_fleet *fleet = new_fleet();
  rebal_error err = REBAL_ERROR_INIT;
  uint32_t id = 99;

  ck_assert_int_eq(rebal_fleet_new(NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, "", 0, &id, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, NULL, 1, &id, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, TEXT("a"), NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_add_cluster(NULL, TEXT("a"), &id, NULL), REBAL_EINVAL);
  add_cluster(fleet, "a");
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, TEXT("a"), &id, &err), REBAL_EEXIST);
  ck_assert_str_eq(err.message, "the fleet has a cluster a");
  ck_assert_uint_eq(id, 99);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){1}, 1, &err),
      REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 1);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(NULL), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){0}, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){0}, 1, NULL),
      REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){0}, 1, NULL),
      REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_fleet_resource_id(fleet, "", 0, &id, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_resource_id(NULL, TEXT("cpu"), &id, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_freeze(NULL, NULL, NULL), REBAL_EINVAL);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_removal_empties_the_row) {
  rebal_fleet *fleet = new_fleet();
  const rebal_quantity ten = {10, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  const uint32_t cpu = resource_of(fleet, "cpu");
  const uint32_t a = add_cluster(fleet, "a");
  rebal_snapshot *snapshot;
  rebal_quantity amount;

  set_i64(fleet, REBAL_CLUSTER_LABELS, a, labels_of(fleet, "k", "v"));
  set_i64(fleet, REBAL_CLUSTER_DELETING, a, 1);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, a, TEXT("eu"), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, a, cpu, &ten, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &a, 1, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(add_cluster(fleet, "a"), a);
  snapshot = freeze(fleet);
  ck_assert_ptr_null(rebali_snapshot_cell_record(snapshot, REBAL_CLUSTER_LABELS, a));
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, a), 0);
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, a), 0);
  ck_assert_uint_eq(rebali_snapshot_text(snapshot, REBAL_CLUSTER_REGION, a).len, 0);
  ck_assert(!rebali_snapshot_capacity(snapshot, REBAL_CAPACITY_ALLOCATED, a, cpu, &amount));
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_records) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t first = labels_of(fleet, "k", "v");
  const uint32_t second = labels_of(fleet, "k", "w");
  const uint32_t needs = requirements_of(fleet, NULL, 0);
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  uint32_t handle = 99;

  ck_assert_uint_eq(first, 0);
  ck_assert_uint_eq(second, 1);
  ck_assert_uint_eq(needs, 0);
  ck_assert_uint_eq(labels_of(fleet, "k", "v"), first);
  record = rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, second);
  ck_assert_uint_eq((uintptr_t)record % sizeof(uint64_t), 0);
  ck_assert_uint_eq(rebal_record_object(record), REBAL_OBJECT_LABELS);
  ck_assert_ptr_null(rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, 2));
  ck_assert_ptr_null(rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_LABELS, REBAL_NONE));
  ck_assert_ptr_null(rebal_cells_record(rebal_fleet_cells(fleet), REBAL_OBJECT_PAIR, 0));
  ck_assert_ptr_null(rebal_cells_record(rebal_fleet_cells(NULL), REBAL_OBJECT_LABELS, 0));
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_EVENT, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(fleet, record, &handle, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_intern(fleet, NULL, &handle, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_intern(fleet, record, NULL, NULL), REBAL_EINVAL);
  ck_assert_uint_eq(handle, 99);
  rebal_builder_free(builder);
  rebal_fleet_free(fleet);
}
END_TEST

#define TRY(call)           \
  do {                      \
    if (code == REBAL_OK) { \
      code = (call);        \
    }                       \
  } while (0)

static int32_t fill(rebal_fleet *fleet, const rebal_allocator *allocator) {
  const rebal_quantity ten = {10, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
  uint32_t labels = 0, cluster = 0, cpu = 0, id = 0;
  int32_t code = intern_labels(fleet, allocator, "k", "v", &labels);

  TRY(rebal_fleet_resource_id(fleet, TEXT("cpu"), &cpu, NULL));
  TRY(rebal_fleet_cluster_id(fleet, TEXT("ghost"), &id, NULL));
  TRY(rebal_fleet_add_cluster(fleet, TEXT("a"), &cluster, NULL));
  TRY(rebal_cells_set_i64(rebal_fleet_cells(fleet), REBAL_CLUSTER_LABELS, REBAL_NONE, cluster, (int64_t)labels, NULL));
  TRY(rebal_cells_set_text(rebal_fleet_cells(fleet), REBAL_CLUSTER_REGION, REBAL_NONE, cluster, TEXT("eu"), NULL));
  TRY(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATABLE, cluster, cpu, &ten, NULL));
  return code;
}

static int32_t build_and_freeze(const rebal_allocator *allocator, void *user_data) {
  rebal_fleet *fleet = NULL;
  rebal_snapshot *first = NULL;
  rebal_snapshot *second = NULL;
  uint32_t id = 0;
  int32_t code = rebal_fleet_new(allocator, &fleet, NULL);

  (void)user_data;
  TRY(fill(fleet, allocator));
  TRY(rebal_fleet_add_node(fleet, 1, TEXT("n"), &id, NULL));
  TRY(rebal_fleet_freeze(fleet, &first, NULL));
  TRY(rebal_fleet_clear_capacity(fleet, 1, NULL));
  TRY(rebal_fleet_add_cluster(fleet, TEXT("b"), &id, NULL));
  TRY(rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){1}, 1, NULL));
  TRY(rebal_fleet_freeze(fleet, &second, NULL));
  rebal_fleet_free(fleet);
  rebal_snapshot_unref(second);
  rebal_snapshot_unref(first);
  return code;
}

START_TEST(test_torture_fleet) {
  ck_assert_pstr_eq(test_torture(build_and_freeze, NULL), NULL);
}
END_TEST

/* Every object of lib/fleet takes an allocator and refuses one without functions. */
START_TEST(test_bad_allocator) {
  const rebal_allocator bad = {sizeof bad, 0, NULL, NULL, NULL, NULL};
  rebal_fleet *fleet = NULL;
  rebal_bindings *bindings = NULL;
  rebal_ledger *ledger = NULL;
  rebal_ctx *ctx = NULL;
  rebal_compat *compat = NULL;

  ck_assert_int_eq(rebal_fleet_new(&bad, &fleet, NULL), REBAL_EINVAL);
  ck_assert_ptr_null(fleet);
  fleet = new_fleet();
  ck_assert_int_eq(rebal_bindings_new(fleet, &bad, &bindings, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ledger_new(fleet, &bad, &ledger, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_ctx_new(&bad, NULL, &ctx, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_compat_new(&bad, &compat, NULL), REBAL_EINVAL);
  rebal_fleet_free(fleet);
}
END_TEST

/* A name that only has an id: a failed addition changes nothing. */
START_TEST(test_failed_addition_changes_nothing) {
  struct test_allocator memory;
  rebal_fleet *fleet = NULL;
  rebal_snapshot *snapshot;
  uint32_t id = 0;

  test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
  ck_assert_int_eq(rebal_fleet_new(&memory.functions, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_cluster_id(fleet, TEXT("a"), &id, NULL), REBAL_OK);
  snapshot = freeze(fleet);
  memory.fail_at = memory.requests + 1;
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, TEXT("a"), &id, NULL), REBAL_ENOMEM);
  rebal_snapshot_unref(snapshot);
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_CLUSTER, REBAL_NONE, id), 0);
  rebal_snapshot_unref(snapshot);
  ck_assert_uint_eq(add_cluster(fleet, "a"), id);
  rebal_fleet_free(fleet);
  ck_assert_uint_eq(memory.live, 0);
}
END_TEST

/* Every edit runs out of memory once and is retried: the snapshot is as if nothing had failed. */
START_TEST(test_failed_edits_change_nothing) {
  const rebal_quantity ten = {10, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};

  for (size_t fail = 1; fail < 8; fail++) {
    struct test_allocator memory;
    rebal_fleet *fleet = NULL;
    rebal_snapshot *before = NULL;
    rebal_snapshot *after = NULL;
    rebal_quantity amount;
    int32_t code;

    test_allocator_init(&memory, 0, TEST_FAIL_ONCE);
    ck_assert_int_eq(rebal_fleet_new(&memory.functions, &fleet, NULL), REBAL_OK);
    ck_assert_int_eq(fill(fleet, &memory.functions), REBAL_OK);
    before = freeze(fleet);
    memory.fail_at = memory.requests + fail;
    code = rebal_cells_remove(rebal_fleet_cells(fleet), REBAL_TABLE_CLUSTER, REBAL_NONE, &(const uint32_t){1}, 1, NULL);
    memory.fail_at = 0;
    after = freeze(fleet);
    ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(after), REBAL_TABLE_CLUSTER, REBAL_NONE, 1),
                     code != REBAL_OK);
    ck_assert_int_eq(rebali_snapshot_capacity(after, REBAL_CAPACITY_ALLOCATABLE, 1, 0, &amount), code != REBAL_OK);
    ck_assert_uint_eq(rebali_snapshot_text(after, REBAL_CLUSTER_REGION, 1).len, code != REBAL_OK ? 2 : 0);
    ck_assert_int_eq(rebali_snapshot_i64(after, REBAL_CLUSTER_HAS_SUMMARY, 1), code != REBAL_OK);
    ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(before), REBAL_TABLE_CLUSTER, REBAL_NONE, 1), 1);
    if (code != REBAL_OK) {
      ck_assert_int_eq(code, REBAL_ENOMEM);
      ck_assert_int_eq(rebal_fleet_set_capacity(fleet, 1, 1, 0, &ten, NULL), REBAL_OK);
    }
    rebal_snapshot_unref(before);
    rebal_snapshot_unref(after);
    rebal_fleet_free(fleet);
    ck_assert_uint_eq(memory.live, 0);
  }
}
END_TEST

/* The message quotes the beginning of a long name. */
START_TEST(test_a_long_name_twice) {
  rebal_fleet *fleet = new_fleet();
  rebal_error err = REBAL_ERROR_INIT;
  char name[251];
  uint32_t id;

  memset(name, 'n', sizeof name);
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, name, 250, &id, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, name, 250, &id, &err), REBAL_EEXIST);
  ck_assert_uint_eq(strlen(err.message), strlen("the fleet has a cluster ") + 200);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(fleet) {
  TCase *cases = tcase_create("fleet");
  tcase_add_test(cases, test_ids_are_kept);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_removal_empties_the_row);
  tcase_add_test(cases, test_records);
  tcase_add_test(cases, test_torture_fleet);
  tcase_add_test(cases, test_bad_allocator);
  tcase_add_test(cases, test_failed_addition_changes_nothing);
  tcase_add_test(cases, test_failed_edits_change_nothing);
  tcase_add_test(cases, test_a_long_name_twice);
  return cases;
}
