/* SPDX-License-Identifier: MIT */
#include "making.h"

/* Bindings with three rows of BINDING. */
static rebal_bindings *three_bindings(const rebal_fleet *fleet) {
  rebal_bindings *bindings = NULL;
  uint32_t ids[3];

  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, ids, 3, NULL),
                   REBAL_OK);
  return bindings;
}

START_TEST(test_cells) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = three_bindings(fleet);
  const uint32_t rows[2] = {2, 1};
  const int64_t values[3] = {7, 8, 9};
  const uint32_t offsets[3] = {0, 3, 5};
  const rebal_time times[2] = {{5, 6, 1}, {9, 9, 0}};
  rebal_time time;

  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, NULL, values, 3, NULL),
      REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, rows, values, 2, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebal_cells_put_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, rows, "webdb",
                                        offsets, 2, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_cells_put_time(rebal_bindings_cells(bindings), REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE,
                                        rows, times, 2, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, 0), 7);
  ck_assert_int_eq(rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, 1), 8);
  ck_assert_int_eq(rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, 2), 7);
  ck_assert_str_eq(rebali_bindings_text(bindings, REBAL_BINDING_NAME, 2).bytes, "web");
  ck_assert_str_eq(rebali_bindings_text(bindings, REBAL_BINDING_NAME, 1).bytes, "db");
  ck_assert_uint_eq(rebali_bindings_text(bindings, REBAL_BINDING_NAME, 0).len, 0);
  time = rebali_bindings_time(bindings, REBAL_BINDING_LAST_SCHEDULED_TIME, 2);
  ck_assert(time.seconds == 5 && time.nanos == 6 && time.is_set == 1);
  ck_assert_uint_eq(rebali_bindings_time(bindings, REBAL_BINDING_LAST_SCHEDULED_TIME, 1).is_set, 0);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_unset_cells) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = three_bindings(fleet);
  uint32_t task = 0;

  ck_assert_int_eq(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_TASK, 0, &task, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_bindings_i64(bindings, REBAL_BINDING_PLACEMENT, 0), REBAL_NONE);
  ck_assert_int_eq(rebali_bindings_i64(bindings, REBAL_TASK_REPLICAS, task), REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TASK_REPLICAS, REBAL_NONE, task, 3, NULL),
                   REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TASK_REPLICAS, REBAL_NONE, task, REBAL_ABSENT, NULL),
      REBAL_OK);
  ck_assert_int_eq(rebali_bindings_i64(bindings, REBAL_TASK_REPLICAS, task), REBAL_ABSENT);
  ck_assert_uint_eq(rebali_bindings_time(bindings, REBAL_TASK_CREATION_TIMESTAMP, task).is_set, 0);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_bad_cells) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = three_bindings(fleet);
  const int64_t values[2] = {1, INT64_C(1) << 31};
  const uint32_t rows[2] = {2, 3};
  const uint32_t falling[3] = {0, 2, 1};
  const rebal_time bad_time = {0, -1, 1};
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, NULL, values, 2, &err),
      REBAL_ERANGE);
  ck_assert_int_eq(err.where, 1);
  ck_assert_str_eq(err.message, "spec.replicas: 2147483648 is out of range");
  ck_assert_int_eq(rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, 0), 1);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, rows, values, 2, &err),
      REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 3);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, 0, -1, NULL),
                   REBAL_ERANGE);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_PLACEMENT, REBAL_NONE, 0, 0, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_put_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, NULL, "ab",
                                        falling, 2, &err),
                   REBAL_EINVAL);
  ck_assert_int_eq(err.where, 1);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 0, NULL, 2, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_time(rebal_bindings_cells(bindings), REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE,
                                        0, &bad_time, NULL),
                   REBAL_ERANGE);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

#if SIZE_MAX > UINT32_MAX
START_TEST(test_too_much) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = three_bindings(fleet);
  const size_t many = (size_t)UINT32_MAX + 1;
  const int64_t value = 0;

  ck_assert_int_eq(
      rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 0, "x", many, NULL),
      REBAL_ELIMIT);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, NULL, &value, many, NULL),
      REBAL_ELIMIT);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST
#endif

START_TEST(test_bad_columns) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = three_bindings(fleet);
  const rebal_time time = {5, 6, 1};

  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_CLUSTER_DELETING, REBAL_NONE, 0, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_DECISION_OUTCOME, REBAL_NONE, 0, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 0, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, 0, TEXT("1"), NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_time(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 0, &time, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING * 256 + 255, REBAL_NONE, 0, 1, NULL),
      REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), 0, REBAL_NONE, 0, 1, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(
      rebal_cells_put_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, NULL, NULL, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_cells_put_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, NULL, "", NULL, 1, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_put_time(rebal_bindings_cells(bindings), REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE,
                                        NULL, NULL, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(NULL), REBAL_BINDING_REPLICAS, REBAL_NONE, 0, 1, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, 0, 1, NULL),
                   REBAL_ESTATE);
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_bindings_cells(bindings), REBAL_BINDING_NAME, REBAL_NONE, 0, TEXT("x"), NULL),
      REBAL_ESTATE);
  ck_assert_int_eq(rebal_cells_set_time(rebal_bindings_cells(bindings), REBAL_BINDING_LAST_SCHEDULED_TIME, REBAL_NONE,
                                        0, &time, NULL),
                   REBAL_ESTATE);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

UNIT_CASE(row_cells) {
  TCase *cases = tcase_create("row_cells");
  tcase_add_test(cases, test_cells);
  tcase_add_test(cases, test_unset_cells);
  tcase_add_test(cases, test_bad_cells);
#if SIZE_MAX > UINT32_MAX
  tcase_add_test(cases, test_too_much);
#endif
  tcase_add_test(cases, test_bad_columns);
  return cases;
}
