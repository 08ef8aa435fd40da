/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../../support/allocator.h"
#include "../unit.h"

static int32_t add_row(const rebal_allocator *allocator, void *user_data) {
  char message[] = "why";
  const struct rebali_step step = {REBAL_STEP_STATE_RETRY, 4, rebali_text(message, 3), 9};
  rebal_result *result;
  int32_t code = rebal_result_new(allocator, &result, NULL);

  (void)user_data;
  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_result_add_step(result, &step);
  message[0] = 'x'; /* the row has its own copy */
  if (code == REBAL_OK) {
    ck_assert_int_eq(rebal_result_i64(result, REBAL_STEP_STATE, NULL)[0], REBAL_STEP_STATE_RETRY);
    ck_assert_int_eq(rebal_result_i64(result, REBAL_STEP_REASON, NULL)[0], 4);
    ck_assert_str_eq(rebal_result_text(result, REBAL_STEP_MESSAGE, 0, NULL), "why");
    ck_assert_int_eq(rebal_result_i64(result, REBAL_STEP_AFTER_NS, NULL)[0], 9);
  }
  rebal_result_free(result);
  return code;
}

START_TEST(test_a_row_of_step) {
  ck_assert_pstr_eq(test_torture(add_row, NULL), NULL);
}
END_TEST

UNIT_CASE(step) {
  TCase *cases = tcase_create("step");
  tcase_add_test(cases, test_a_row_of_step);
  return cases;
}
