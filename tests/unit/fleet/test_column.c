/* SPDX-License-Identifier: MIT */
#include "making.h"

START_TEST(test_which_column) {
  const struct rebali_field_info *info = NULL;

  ck_assert_int_eq(rebali_column_check(REBAL_CLUSTER_REGION, REBAL_TABLE_CLUSTER, REBAL_TYPE_TEXT, &info, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(info->id, REBAL_CLUSTER_REGION);
  ck_assert_int_eq(rebali_column_check(REBAL_CLUSTER_LABELS, REBAL_TABLE_CLUSTER, REBAL_TYPE_INT64, &info, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebali_column_check(REBAL_CLUSTER_REGION, REBAL_TABLE_CLUSTER, REBAL_TYPE_INT64, &info, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebali_column_check(REBAL_BINDING_NAME, REBAL_TABLE_CLUSTER, REBAL_TYPE_TEXT, &info, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebali_column_check(REBAL_TABLE_CLUSTER * 256 + 99, REBAL_TABLE_CLUSTER, REBAL_TYPE_TEXT, &info, NULL),
      REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebali_column_check(REBAL_PAIR_KEY, REBAL_OBJECT_PAIR, REBAL_TYPE_TEXT, &info, NULL),
                   REBAL_EUNSUPPORTED);
}
END_TEST

static int32_t accepts(const rebal_fleet *fleet, uint32_t column, int64_t value, rebal_error *err) {
  int64_t kept;

  return rebali_column_take(rebali_field_find(column), fleet->store, 3, value, &kept, err);
}

START_TEST(test_values) {
  rebal_fleet *fleet = new_fleet();
  rebal_error err = REBAL_ERROR_INIT;
  const int64_t limit = INT64_C(1) << 31;

  add_cluster(fleet, "a");
  labels_of(fleet, "k", "v");
  ck_assert_int_eq(accepts(fleet, REBAL_BINDING_REPLICAS, limit - 1, NULL), REBAL_OK);
  ck_assert_int_eq(accepts(fleet, REBAL_BINDING_REPLICAS, limit, &err), REBAL_ERANGE);
  ck_assert_int_eq(err.where, 3);
  ck_assert_str_eq(err.message, "spec.replicas: 2147483648 is out of range");
  ck_assert_int_eq(accepts(fleet, REBAL_BINDING_REPLICAS, -1, NULL), REBAL_ERANGE);
  ck_assert_int_eq(accepts(fleet, REBAL_BINDING_PRIORITY, -limit, NULL), REBAL_OK);
  ck_assert_int_eq(accepts(fleet, REBAL_BINDING_PRIORITY, -limit - 1, NULL), REBAL_ERANGE);
  ck_assert_int_eq(accepts(fleet, REBAL_TASK_REPLICAS, REBAL_ABSENT, NULL), REBAL_OK);
  ck_assert_int_eq(accepts(fleet, REBAL_BINDING_DELETING, 2, NULL), REBAL_ERANGE);
  ck_assert_int_eq(accepts(fleet, REBAL_BINDING_GENERATION, INT64_MIN, NULL), REBAL_OK);
  ck_assert_int_eq(accepts(fleet, REBAL_TARGET_CLUSTER, 0, NULL), REBAL_OK);
  ck_assert_int_eq(accepts(fleet, REBAL_TARGET_CLUSTER, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(accepts(fleet, REBAL_TARGET_CLUSTER, -1, NULL), REBAL_ERANGE);
  ck_assert_int_eq(accepts(fleet, REBAL_CLUSTER_LABELS, 0, NULL), REBAL_OK);
  ck_assert_int_eq(accepts(fleet, REBAL_CLUSTER_LABELS, REBAL_NONE, NULL), REBAL_OK);
  ck_assert_int_eq(accepts(fleet, REBAL_CLUSTER_LABELS, REBAL_ABSENT, NULL), REBAL_OK);
  ck_assert_int_eq(accepts(fleet, REBAL_BINDING_REPLICAS, REBAL_ABSENT, NULL), REBAL_ERANGE);
  ck_assert_int_eq(accepts(fleet, REBAL_BINDING_PRIORITY, REBAL_NONE, NULL), REBAL_ERANGE);
  ck_assert_int_eq(accepts(fleet, REBAL_CLUSTER_LABELS, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(accepts(fleet, REBAL_CLUSTER_TAINTS, 0, NULL), REBAL_EINVAL);
  rebal_fleet_free(fleet);
}
END_TEST

/* In a column of numbers the number that means no id elsewhere is one like others. */
START_TEST(test_the_number_of_no_id) {
  rebal_fleet *fleet = new_fleet();
  rebal_bindings *bindings = NULL;
  rebal_cells *cells;
  uint32_t row;

  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  cells = rebal_bindings_cells(bindings);
  ck_assert_int_eq(rebal_cells_add(cells, REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(cells, REBAL_BINDING_GENERATION, REBAL_NONE, row, REBAL_NONE, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_get_i64(cells, REBAL_BINDING_GENERATION, REBAL_NONE, row), (int64_t)REBAL_NONE);
  ck_assert_int_eq(rebal_cells_set_i64(cells, REBAL_BINDING_POD_LABELS, REBAL_NONE, row, REBAL_NONE, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_get_i64(cells, REBAL_BINDING_POD_LABELS, REBAL_NONE, row), REBAL_ABSENT);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_texts) {
  const uint32_t offsets[4] = {0, 2, 2, 1};
  struct rebali_text text = {NULL, 0};

  ck_assert_int_eq(rebali_column_text("abc", offsets, 0, 0, &text, NULL), REBAL_OK);
  ck_assert(rebali_text_equal(text, REBALI_TEXT("ab")));
  ck_assert_int_eq(rebali_column_text(NULL, offsets, 1, 0, &text, NULL), REBAL_OK);
  ck_assert_uint_eq(text.len, 0);
  ck_assert_int_eq(rebali_column_text("abc", offsets, 2, 0, &text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_column_text(NULL, offsets, 0, 0, &text, NULL), REBAL_EINVAL);
}
END_TEST

UNIT_CASE(column) {
  TCase *cases = tcase_create("column");
  tcase_add_test(cases, test_which_column);
  tcase_add_test(cases, test_values);
  tcase_add_test(cases, test_the_number_of_no_id);
  tcase_add_test(cases, test_texts);
  return cases;
}
