/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "admitting.h"

#include <rebalance/scheduler.h>

static const char *const sentences[] = {
    [REBAL_PASS_OVER_FULL] = "Subset a is full: no replicas are missing.",
    [REBAL_PASS_OVER_UNSCHEDULABLE] = "Subset a is left out: its condition Schedulable is False.",
    [REBAL_PASS_OVER_NO_LIMIT] = "Subset a takes no pods: its limit cannot be read, or is negative.",
    [REBAL_PASS_OVER_ORDINAL] = "Subset a is for pods with smaller numbers: those below 7.",
    [REBAL_PASS_OVER_NO_NODE] = "Subset a has no node with capacity for the pod.",
    [REBAL_PASS_OVER_OTHER_VERSIONS] = "Subset a is full: pods of other versions are in it.",
    [REBAL_PASS_OVER_MINIMUM_FIRST] = "Subset a has to wait: another subset lacks its minReplicas.",
};

/* A result with a row for each reason. */
static int32_t fill(const rebal_allocator *allocator, rebal_result **result) {
  struct rebali_admission admission = {.n_spreads = 0};
  int32_t code = rebal_result_new(allocator, result, NULL);

  admission.result = *result;
  for (int64_t why = REBAL_PASS_OVER_FULL; why < (int64_t)REBALI_COUNT(sentences) && code == REBAL_OK; why++) {
    code = rebali_pass_over(&admission, 0, 0, 0, REBALI_TEXT("a"), why, 7);
  }
  return code;
}

START_TEST(test_sentences) {
  rebal_result *result = NULL;
  char buffer[200];
  size_t len = 0;

  ck_assert_int_eq(fill(NULL, &result), REBAL_OK);
  for (size_t why = REBAL_PASS_OVER_FULL; why < REBALI_COUNT(sentences); why++) {
    ck_assert_int_eq(
        rebal_explain_text(NULL, result, REBAL_TABLE_PASSED_OVER, why - 1, buffer, sizeof buffer, &len, NULL),
        REBAL_OK);
    ck_assert_str_eq(buffer, sentences[why]);
    ck_assert_uint_eq(len, strlen(sentences[why]));
  }
  ck_assert_int_eq(rebal_explain_text(NULL, result, REBAL_TABLE_PASSED_OVER, 0, buffer, 5, &len, NULL), REBAL_ERANGE);
  ck_assert_uint_eq(len, strlen(sentences[1]));
  ck_assert_int_eq(rebal_explain_text(NULL, result, REBAL_TABLE_PASSED_OVER, 7, buffer, sizeof buffer, &len, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_explain_text(NULL, NULL, REBAL_TABLE_PASSED_OVER, 0, buffer, sizeof buffer, &len, NULL),
                   REBAL_EINVAL);
  rebal_result_free(result);
}
END_TEST

static int32_t explain(const rebal_allocator *allocator, void *user_data) {
  rebal_result *result = NULL;
  char buffer[200];
  size_t len = 0;
  int32_t code = fill(allocator, &result);

  (void)user_data;
  if (code == REBAL_OK) {
    code = rebal_explain_text(NULL, result, REBAL_TABLE_PASSED_OVER, 3, buffer, sizeof buffer, &len, NULL);
  }
  rebal_result_free(result);
  return code;
}

START_TEST(test_failing_memory) {
  ck_assert_pstr_eq(test_torture(explain, NULL), NULL);
}
END_TEST

UNIT_CASE(explain_text) {
  TCase *cases = tcase_create("explain_text");

  tcase_add_test(cases, test_sentences);
  tcase_add_test(cases, test_failing_memory);
  return cases;
}
