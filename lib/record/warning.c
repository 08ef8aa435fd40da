/* SPDX-License-Identifier: MIT */
#include "record/record.h"

int32_t rebali_result_add_warning(rebal_result *result, const struct rebali_warning *warning) {
  struct rebali_table *table = rebali_result_table(result, REBAL_TABLE_WARNING);
  size_t row;

  if (rebali_table_add(table, 1, &row) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *rebali_table_integers(table, REBAL_WARNING_BINDING, row) = warning->binding;
  *rebali_table_integers(table, REBAL_WARNING_CLUSTER, row) = rebali_id_given(warning->cluster);
  *rebali_table_integers(table, REBAL_WARNING_REPLICAS, row) = warning->replicas;
  return rebali_table_set_text(table, REBAL_WARNING_ROW_NAME, row, warning->row_name);
}
