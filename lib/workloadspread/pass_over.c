/* SPDX-License-Identifier: MIT */
/* Rows that explain why a subset was passed over. */
#include "workloadspread/admission.h"

int32_t rebali_pass_over(struct rebali_admission *admission, uint32_t row, uint32_t spread, uint32_t subset,
                         struct rebali_text name, int64_t why, int64_t missing) {
  struct rebali_table *table = rebali_result_table(admission->result, REBAL_TABLE_PASSED_OVER);
  size_t at;

  if (rebali_table_append(table, 1, &at) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  *rebali_table_integers(table, REBAL_PASSED_OVER_POD, at) = row;
  *rebali_table_integers(table, REBAL_PASSED_OVER_SPREAD, at) = spread;
  *rebali_table_integers(table, REBAL_PASSED_OVER_SUBSET, at) = subset == REBAL_NONE ? REBAL_ABSENT : (int64_t)subset;
  *rebali_table_integers(table, REBAL_PASSED_OVER_WHY, at) = why;
  *rebali_table_integers(table, REBAL_PASSED_OVER_MISSING, at) = missing;
  return rebali_table_set_text(table, REBAL_PASSED_OVER_SUBSET_NAME, at, name);
}

int32_t rebali_pass_over_entries(struct rebali_admission *admission, uint32_t row, uint32_t spread, uint32_t list,
                                 uint32_t entry) {
  rebal_spread *of = admission->spreads[spread];
  const struct rebali_status_list *found = rebali_status_list(&of->status, list);
  int32_t code = REBAL_OK;

  for (uint32_t i = 0; i < found->n && i != entry && code == REBAL_OK; i++) {
    code = rebali_pass_over(admission, row, spread, found->entries[i].subset, found->entries[i].name,
                            rebali_eligible_reason(admission, of, list, i), found->entries[i].missing);
  }
  return code;
}
