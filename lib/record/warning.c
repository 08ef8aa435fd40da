/* SPDX-License-Identifier: MIT */
#include "record/record.h"

int32_t rebali_result_add_warning(rebal_result *result, const struct rebali_warning *warning) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_WARNING);
  const struct rebali_table_value cells[] = {{REBAL_WARNING_BINDING, warning->binding},
                                             {REBAL_WARNING_CLUSTER, rebali_id_given(warning->cluster)},
                                             {REBAL_WARNING_REPLICAS, warning->replicas}};
  size_t row;

  return rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row) == REBAL_OK
             ? rebali_table_set_text(table, REBAL_WARNING_ROW_NAME, row, warning->row_name)
             : REBAL_ENOMEM;
}
