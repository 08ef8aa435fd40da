/* SPDX-License-Identifier: MIT */
/* Whole text and time columns of a result. */
#include "record/record.h"

#include "../../support/allocator.h"
#include "../unit.h"

static const struct rebali_action actions[] = {
    {.kind = REBAL_ACTION_KIND_WAKE, .name = {"web", 3}, .not_before = {9, 5, 1}},
    {.kind = REBAL_ACTION_KIND_WAKE, .name = {"", 0}},
    {.kind = REBAL_ACTION_KIND_WAKE, .name = {"database", 8}, .not_before = {7, 0, 1}},
};

static int32_t fill(rebal_result *result) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; i < REBALI_COUNT(actions) && code == REBAL_OK; i++) {
    struct rebali_action action = actions[i];

    action.api_version = action.object_kind = action.namespace_ = REBALI_TEXT("");
    action.uid = action.resource_version = REBALI_TEXT("");
    code = rebali_result_add_action(result, &action);
  }
  return code;
}

static rebal_result *filled(void) {
  rebal_result *result = NULL;

  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(fill(result), REBAL_OK);
  return result;
}

START_TEST(test_texts) {
  rebal_result *result = filled();
  const char *bytes = NULL;
  const char *again = NULL;
  const uint32_t *offsets = NULL;
  size_t n = 0;

  ck_assert_int_eq(rebal_result_texts(result, REBAL_ACTION_NAME, &bytes, &offsets, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 3);
  ck_assert(offsets[0] == 0 && offsets[1] == 3 && offsets[2] == 3 && offsets[3] == 11);
  ck_assert_mem_eq(bytes, "webdatabase", 11);
  /* A column without values; the block returned before stays valid. */
  ck_assert_int_eq(rebal_result_texts(result, REBAL_ACTION_UID, &again, &offsets, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(offsets[3], 0);
  ck_assert_mem_eq(bytes, "webdatabase", 11);
  rebal_result_reset(result);
  ck_assert_int_eq(rebal_result_texts(result, REBAL_ACTION_NAME, &bytes, &offsets, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 0);
  ck_assert_uint_eq(offsets[0], 0);
  rebal_result_free(result);
}
END_TEST

START_TEST(test_times) {
  rebal_result *result = filled();
  const rebal_time *times = NULL;
  size_t n = 0;

  ck_assert_int_eq(rebal_result_times(result, REBAL_ACTION_NOT_BEFORE, &times, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 3);
  ck_assert(times[0].seconds == 9 && times[0].nanos == 5 && times[0].is_set);
  ck_assert_uint_eq(times[1].is_set, 0);
  ck_assert_int_eq(times[2].seconds, 7);
  rebal_result_reset(result);
  ck_assert_int_eq(rebal_result_times(result, REBAL_ACTION_NOT_BEFORE, &times, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 0);
  ck_assert_ptr_null(times);
  /* A column that no row has set exists too. */
  ck_assert_int_eq(rebali_table_add(rebali_result_table(result, REBAL_TABLE_UNSCHEDULABLE), 2, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_times(result, REBAL_UNSCHEDULABLE_SINCE, &times, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 2);
  ck_assert_uint_eq(times[1].is_set, 0);
  rebal_result_free(result);
}
END_TEST

START_TEST(test_refused) {
  rebal_result *result = filled();
  const rebal_time *times = NULL;
  const char *bytes = NULL;
  const uint32_t *offsets = NULL;
  size_t n = 9;

  ck_assert_int_eq(rebal_result_texts(NULL, REBAL_ACTION_NAME, &bytes, &offsets, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_texts(result, REBAL_ACTION_KIND, &bytes, &offsets, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_texts(result, REBAL_BINDING_NAME, &bytes, &offsets, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_texts(result, UINT32_MAX, &bytes, &offsets, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_texts(result, REBAL_ACTION_NAME, NULL, &offsets, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_texts(result, REBAL_ACTION_NAME, &bytes, NULL, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_texts(result, REBAL_ACTION_NAME, &bytes, &offsets, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_times(NULL, REBAL_ACTION_NOT_BEFORE, &times, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_times(result, REBAL_ACTION_NAME, &times, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_times(result, REBAL_HISTORY_TIME, &times, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_times(result, REBAL_ACTION_NOT_BEFORE, NULL, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_result_times(result, REBAL_ACTION_NOT_BEFORE, &times, NULL, NULL), REBAL_EINVAL);
  ck_assert_uint_eq(n, 9);
  rebal_result_free(result);
}
END_TEST

static int32_t read_columns(const rebal_allocator *allocator, void *user_data) {
  rebal_result *result = NULL;
  const rebal_time *times;
  const char *bytes;
  const uint32_t *offsets;
  size_t n;
  int32_t code = rebal_result_new(allocator, &result, NULL);

  (void)user_data;
  code = code == REBAL_OK ? fill(result) : code;
  if (code == REBAL_OK) {
    code = rebali_table_add(rebali_result_table(result, REBAL_TABLE_UNSCHEDULABLE), 2, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_result_texts(result, REBAL_ACTION_NAME, &bytes, &offsets, &n, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_result_times(result, REBAL_UNSCHEDULABLE_SINCE, &times, &n, NULL);
  }
  rebal_result_free(result);
  return code;
}

START_TEST(test_without_memory) {
  ck_assert_pstr_eq(test_torture(read_columns, NULL), NULL);
}
END_TEST

UNIT_CASE(result_columns) {
  TCase *cases = tcase_create("result_columns");

  tcase_add_test(cases, test_texts);
  tcase_add_test(cases, test_times);
  tcase_add_test(cases, test_refused);
  tcase_add_test(cases, test_without_memory);
  return cases;
}
