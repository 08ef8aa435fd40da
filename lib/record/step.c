/* SPDX-License-Identifier: MIT */
#include "record/record.h"

int32_t rebali_result_add_step(rebal_result *result, const struct rebali_step *step) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_STEP);
  const struct rebali_table_value cells[] = {
      {REBAL_STEP_STATE, step->state}, {REBAL_STEP_REASON, step->reason}, {REBAL_STEP_AFTER_NS, step->after_ns}};
  size_t row;

  return rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row) == REBAL_OK
             ? rebali_table_set_text(table, REBAL_STEP_MESSAGE, row, step->message)
             : REBAL_ENOMEM;
}
