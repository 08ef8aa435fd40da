/* SPDX-License-Identifier: MIT */
#include "record/record.h"

int32_t rebali_result_add_step(rebal_result *result, const struct rebali_step *step) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_STEP);
  size_t row;

  if (rebali_table_add(table, 1, &row) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *rebali_table_integers(table, REBAL_STEP_STATE, row) = step->state;
  *rebali_table_integers(table, REBAL_STEP_REASON, row) = step->reason;
  *rebali_table_integers(table, REBAL_STEP_AFTER_NS, row) = step->after_ns;
  return rebali_table_set_text(table, REBAL_STEP_MESSAGE, row, step->message);
}
