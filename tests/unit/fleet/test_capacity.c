/* SPDX-License-Identifier: MIT */
#include "making.h"

static const rebal_quantity ten = {10, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};
static const rebal_quantity half = {0, 500000000, REBAL_QUANTITY_FORMAT_DECIMAL_SI};

static int64_t milli(const rebal_snapshot *snapshot, uint32_t part, uint32_t cluster, uint32_t resource) {
  rebal_quantity amount;

  return rebali_snapshot_capacity(snapshot, part, cluster, resource, &amount) ? rebal_quantity_milli(&amount) : -1;
}

START_TEST(test_stated_amounts) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t b = add_cluster(fleet, "b");
  const uint32_t cpu = resource_of(fleet, "cpu");
  const uint32_t pods = resource_of(fleet, "pods");
  const rebal_quantity amounts[2] = {ten, half};
  rebal_snapshot *snapshot;

  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, a, cpu, &half, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_put_capacity(fleet, REBAL_CAPACITY_ALLOCATABLE, cpu, NULL, amounts, 2, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATABLE, b, cpu, NULL, NULL), REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_int_eq(milli(snapshot, REBAL_CAPACITY_ALLOCATABLE, a, cpu), 10000);
  ck_assert_int_eq(milli(snapshot, REBAL_CAPACITY_ALLOCATED, a, cpu), 500);
  ck_assert_int_eq(milli(snapshot, REBAL_CAPACITY_ALLOCATING, a, cpu), -1);
  ck_assert_int_eq(milli(snapshot, REBAL_CAPACITY_ALLOCATABLE, b, cpu), -1);
  ck_assert_int_eq(milli(snapshot, REBAL_CAPACITY_ALLOCATABLE, a, pods), -1);
  ck_assert_int_eq(milli(snapshot, REBAL_CAPACITY_ALLOCATABLE, a, REBAL_NONE), -1);
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, a), 1);
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, b), 1);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

/* The name decides how an amount is counted, however its end is given. */
START_TEST(test_terminated_names) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  uint32_t cpu = REBAL_NONE;
  rebal_snapshot *snapshot;

  ck_assert_int_eq(rebal_fleet_resource_id(fleet, "cpu", REBAL_TERMINATED, &cpu, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATABLE, a, cpu, &half, NULL), REBAL_OK);
  ck_assert_int_eq(fleet->state.capacities[cpu].is_cpu, 1);
  snapshot = freeze(fleet);
  ck_assert_int_eq(milli(snapshot, REBAL_CAPACITY_ALLOCATABLE, a, cpu), 500);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_clear) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t cpu = resource_of(fleet, "cpu");
  rebal_snapshot *before;
  rebal_snapshot *after;

  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, a, cpu, &ten, NULL), REBAL_OK);
  before = freeze(fleet);
  ck_assert_int_eq(rebal_fleet_clear_capacity(fleet, a, NULL), REBAL_OK);
  after = freeze(fleet);
  ck_assert_int_eq(milli(before, REBAL_CAPACITY_ALLOCATED, a, cpu), 10000);
  ck_assert_int_eq(milli(after, REBAL_CAPACITY_ALLOCATED, a, cpu), -1);
  ck_assert_int_eq(rebali_snapshot_i64(after, REBAL_CLUSTER_HAS_SUMMARY, a), 0);
  ck_assert_int_eq(rebal_fleet_clear_capacity(fleet, 1, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_fleet_clear_capacity(NULL, 0, NULL), REBAL_EINVAL);
  rebal_snapshot_unref(before);
  rebal_snapshot_unref(after);
  rebal_fleet_free(fleet);
}
END_TEST

/* Row version: which snapshot first has the last change. */
static uint64_t version_of(const rebal_fleet *fleet, uint32_t row) {
  return ((const struct rebali_row *)rebali_pages_get(&fleet->state.rows, row))->version;
}

START_TEST(test_what_is_a_change) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t cpu = resource_of(fleet, "cpu");
  const rebal_quantity other_notation = {10, 0, REBAL_QUANTITY_FORMAT_BINARY_SI};

  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, a, cpu, &ten, NULL), REBAL_OK);
  rebal_snapshot_unref(freeze(fleet));
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, a, cpu, &ten, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATING, a, cpu, NULL, NULL), REBAL_OK);
  ck_assert_uint_eq(version_of(fleet, a), 1);
  set_i64(fleet, REBAL_CLUSTER_HAS_SUMMARY, a, 0);
  rebal_snapshot_unref(freeze(fleet));
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, a, cpu, &ten, NULL), REBAL_OK);
  ck_assert_uint_eq(version_of(fleet, a), 3);
  rebal_snapshot_unref(freeze(fleet));
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, a, cpu, &other_notation, NULL), REBAL_OK);
  ck_assert_uint_eq(version_of(fleet, a), 4);
  rebal_snapshot_unref(freeze(fleet));
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, a, cpu, NULL, NULL), REBAL_OK);
  ck_assert_uint_eq(version_of(fleet, a), 5);
  rebal_snapshot_unref(freeze(fleet));
  set_i64(fleet, REBAL_CLUSTER_HAS_SUMMARY, a, 0);
  rebal_snapshot_unref(freeze(fleet));
  ck_assert_int_eq(rebal_fleet_clear_capacity(fleet, a, NULL), REBAL_OK);
  ck_assert_uint_eq(version_of(fleet, a), 6);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_refusals) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t cpu = resource_of(fleet, "cpu");
  const rebal_quantity bad[4] = {{1, 1000000000, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 0, 4}};
  const rebal_quantity two[2] = {ten, ten};
  rebal_error err = REBAL_ERROR_INIT;
  rebal_snapshot *snapshot;
  size_t i;

  for (i = 0; i < 4; i++) {
    ck_assert_int_eq(rebal_fleet_set_capacity(fleet, 0, a, cpu, &bad[i], NULL), REBAL_EINVAL);
  }
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, 3, a, cpu, &ten, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, 0, a, 1, &ten, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, 0, 1, cpu, &ten, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_fleet_set_capacity(NULL, 0, a, cpu, &ten, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_put_capacity(fleet, 0, cpu, NULL, NULL, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_fleet_put_capacity(fleet, 0, cpu, NULL, NULL, 0, NULL), REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_int_eq(rebali_snapshot_i64(snapshot, REBAL_CLUSTER_HAS_SUMMARY, a), 0);
  rebal_snapshot_unref(snapshot);
  ck_assert_int_eq(rebal_fleet_put_capacity(fleet, 0, cpu, NULL, two, 2, &err), REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 1);
  snapshot = freeze(fleet);
  ck_assert_int_eq(milli(snapshot, 0, a, cpu), 10000);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

static uint64_t draw_bits(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 16;
}

/* Whole units, thousandths, or finer; up to the ends of the range. */
static rebal_quantity draw_amount(uint64_t *random) {
  const int shift = draw_bits(random) % 4 == 0 ? 0 : 40;
  const int32_t steps[] = {1000000000, 1000000, 1};
  rebal_quantity amount = {(int64_t)(draw_bits(random) << 16) >> shift, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI};

  amount.nanos = (int32_t)(draw_bits(random) % 1000000000);
  amount.nanos -= amount.nanos % steps[draw_bits(random) % 3];
  if (amount.units < 0) {
    amount.nanos = -amount.nanos;
  }
  return amount;
}

static int is_in_short(const rebal_quantity *amount, int is_cpu) {
  const int64_t most = is_cpu ? INT64_C(1) << 50 : INT64_C(1) << 60;

  return amount->units <= most && amount->units >= -most && amount->nanos % (is_cpu ? 1000000 : 1000000000) == 0;
}

/* Against differences of the whole amounts. */
static void expect_rest(const rebal_snapshot *snapshot, uint32_t resource, const rebal_quantity *amounts, int is_cpu) {
  const int64_t *rest = rebali_snapshot_rests(snapshot, 0, resource);
  struct rebali_wide exact = rebali_quantity_nanos(&amounts[0]);
  int is_short = is_in_short(&amounts[0], is_cpu);

  for (uint32_t part = 1; part < 3; part++) {
    exact = rebali_wide_subtract(exact, rebali_quantity_nanos(&amounts[part]));
    is_short = is_short && is_in_short(&amounts[part], is_cpu);
  }
  ck_assert_ptr_nonnull(rest);
  ck_assert_int_eq(is_short, *rest != REBALI_REST_UNKNOWN);
  if (is_short) {
    ck_assert_int_eq(rebali_wide_compare(rebali_wide_multiply(*rest, is_cpu ? 1000000 : 1000000000), exact), 0);
  }
}

START_TEST(test_rests_are_exact_differences) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t resources[2] = {resource_of(fleet, "cpu"), resource_of(fleet, "memory")};
  uint64_t random = 1;

  for (int i = 0; i < 20000; i++) {
    rebal_quantity amounts[2][3];
    rebal_snapshot *snapshot;

    for (uint32_t k = 0; k < 6; k++) {
      amounts[k / 3][k % 3] = draw_amount(&random);
      ck_assert_int_eq(rebal_fleet_set_capacity(fleet, k % 3, a, resources[k / 3], &amounts[k / 3][k % 3], NULL),
                       REBAL_OK);
    }
    snapshot = freeze(fleet);
    expect_rest(snapshot, resources[0], amounts[0], 1);
    expect_rest(snapshot, resources[1], amounts[1], 0);
    rebal_snapshot_unref(snapshot);
  }
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_rests_that_are_not_stated) {
  rebal_fleet *fleet = new_fleet();
  const uint32_t a = add_cluster(fleet, "a");
  const uint32_t cpu = resource_of(fleet, "cpu");
  rebal_snapshot *before, *after;

  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATED, a, cpu, &half, NULL), REBAL_OK);
  before = freeze(fleet);
  ck_assert_int_eq(rebali_snapshot_rests(before, a, cpu)[0], REBALI_REST_UNSTATED);
  ck_assert_int_eq(rebali_snapshot_rests(before, a, cpu)[1], REBALI_REST_UNSTATED); /* a row without any amount */
  ck_assert_ptr_null(rebali_snapshot_rests(before, a, resource_of(fleet, "memory")));
  ck_assert_ptr_null(rebali_snapshot_rests(before, a, REBAL_NONE));
  ck_assert_int_eq(rebal_fleet_set_capacity(fleet, REBAL_CAPACITY_ALLOCATABLE, a, cpu, &ten, NULL), REBAL_OK);
  after = freeze(fleet);
  ck_assert_int_eq(rebali_snapshot_rests(before, a, cpu)[0], REBALI_REST_UNSTATED);
  ck_assert_int_eq(rebali_snapshot_rests(after, a, cpu)[0], 9500);
  rebal_snapshot_unref(before);
  ck_assert_int_eq(rebal_fleet_clear_capacity(fleet, a, NULL), REBAL_OK);
  before = freeze(fleet);
  ck_assert_int_eq(rebali_snapshot_rests(before, a, cpu)[0], REBALI_REST_UNSTATED);
  ck_assert_int_eq(rebali_snapshot_rests(after, a, cpu)[0], 9500);
  rebal_snapshot_unref(before);
  rebal_snapshot_unref(after);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_amounts_of_some_clusters) {
  static const uint32_t clusters[] = {2, 0};
  rebal_fleet *fleet = new_fleet();
  const rebal_quantity two[2] = {ten, {3, 0, REBAL_QUANTITY_FORMAT_DECIMAL_SI}};
  rebal_snapshot *snapshot;
  uint32_t cpu;

  add_cluster(fleet, "a");
  add_cluster(fleet, "b");
  add_cluster(fleet, "c");
  cpu = resource_of(fleet, "cpu");
  ck_assert_int_eq(rebal_fleet_put_capacity(fleet, 0, cpu, clusters, two, 2, NULL), REBAL_OK);
  snapshot = freeze(fleet);
  ck_assert_int_eq(milli(snapshot, 0, 0, cpu), 3000);
  ck_assert_int_eq(milli(snapshot, 0, 1, cpu), -1); /* not stated */
  ck_assert_int_eq(milli(snapshot, 0, 2, cpu), 10000);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(capacity) {
  TCase *cases = tcase_create("capacity");
  tcase_add_test(cases, test_stated_amounts);
  tcase_add_test(cases, test_terminated_names);
  tcase_add_test(cases, test_clear);
  tcase_add_test(cases, test_what_is_a_change);
  tcase_add_test(cases, test_rests_are_exact_differences);
  tcase_add_test(cases, test_rests_that_are_not_stated);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_amounts_of_some_clusters);
  return cases;
}
