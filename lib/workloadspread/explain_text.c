/* SPDX-License-Identifier: MIT */
/*
 * Formats a row of EXPLAIN or PASSED_OVER as one English sentence. This is the only call that uses the sentences of
 * both modules.
 */
#include "scheduler/scheduler.h"
#include "workloadspread/spread.h"

#include <inttypes.h>

static const char *const sentences[] = {
    [REBAL_PASS_OVER_FULL] = " is full: no replicas are missing.",
    [REBAL_PASS_OVER_UNSCHEDULABLE] = " is left out: its condition Schedulable is False.",
    [REBAL_PASS_OVER_NO_LIMIT] = " takes no pods: its limit cannot be read, or is negative.",
    [REBAL_PASS_OVER_ORDINAL] = " is for pods with smaller numbers: those below ",
    [REBAL_PASS_OVER_NO_NODE] = " has no node with capacity for the pod.",
    [REBAL_PASS_OVER_OTHER_VERSIONS] = " is full: pods of other versions are in it.",
    [REBAL_PASS_OVER_MINIMUM_FIRST] = " has to wait: another subset lacks its minReplicas.",
};

static int64_t integer_at(const rebal_result *result, uint32_t column, size_t row) {
  return rebal_result_i64(result, column, NULL)[row];
}

static void say(const rebal_result *result, size_t row, struct rebali_buffer *out) {
  const int64_t why = integer_at(result, REBAL_PASSED_OVER_WHY, row);
  size_t len;
  const char *name = rebal_result_text(result, REBAL_PASSED_OVER_SUBSET_NAME, row, &len);

  rebali_buffer_append(out, "Subset ", 7);
  rebali_buffer_append(out, name, len);
  rebali_buffer_append(out, sentences[why], strlen(sentences[why]));
  if (why == REBAL_PASS_OVER_ORDINAL) {
    rebali_buffer_format(out, "%" PRId64 ".", integer_at(result, REBAL_PASSED_OVER_MISSING, row));
  }
}

static int32_t explain_passed_over(const rebal_result *result, size_t row, struct rebali_buffer *out,
                                   rebal_error *err) {
  if (row >= rebal_result_count(result, REBAL_TABLE_PASSED_OVER)) {
    return rebali_fail(err, REBAL_EINVAL, (int64_t)row, "the result has no such row of PASSED_OVER");
  }
  say(result, row, out);
  return REBAL_OK;
}

int32_t rebal_explain_text(const rebal_bindings *bindings, const rebal_result *result, uint32_t table, size_t row,
                           char *buffer, size_t capacity, size_t *len, rebal_error *err) {
  struct rebali_buffer text;
  int32_t code;

  if (result == NULL || (table != REBAL_TABLE_EXPLAIN && table != REBAL_TABLE_PASSED_OVER)) {
    return rebali_fail(err, REBAL_EINVAL, -1, result == NULL ? "result is NULL" : "rows of this table explain nothing");
  }
  rebali_buffer_init(&text, rebali_result_allocator(result));
  code = table == REBAL_TABLE_EXPLAIN ? rebali_explain_text(bindings, result, row, &text, err)
                                      : explain_passed_over(result, row, &text, err);
  if (code == REBAL_OK) {
    code = text.failed ? rebali_fail_memory(err)
                       : rebali_text_give(rebali_text(text.bytes, text.len), buffer, capacity, len, err);
  }
  rebali_buffer_dispose(&text);
  return code;
}
