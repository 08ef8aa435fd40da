/* SPDX-License-Identifier: MIT */
/*
 * Pods of a StatefulSet get their subset by their ordinal, and nothing is recorded (rebalance-workloadspread(7) 3.5).
 */
#include "workloadspread/admission.h"

int32_t rebali_ordinal(struct rebali_text name) {
  size_t start = name.len;
  int64_t number;

  while (start > 0 && name.bytes[start - 1] >= '0' && name.bytes[start - 1] <= '9') {
    start--;
  }
  if (start == 0 || start == name.len || name.bytes[start - 1] != '-' ||
      !rebali_integer_parse(rebali_text(name.bytes + start, name.len - start), &number) || number > INT32_MAX) {
    return -1;
  }
  return (int32_t)number;
}

/* Returns whether the subset is unschedulable by its condition in the list of all versions. */
static int is_unschedulable(const struct rebali_status_list *overall, const struct rebali_subset *subset) {
  for (size_t i = 0; i < overall->n; i++) {
    if (overall->entries[i].subset == subset->bucket) {
      return overall->entries[i].first_is_false;
    }
  }
  return 0;
}

int32_t rebali_admission_by_ordinal(struct rebali_admission *admission, uint32_t row,
                                    struct rebali_admitted *admitted) {
  const rebal_spread *spread = admission->spreads[admitted->spread];
  const int32_t ordinal = rebali_ordinal(rebali_pods_text(admission->pods, REBAL_SPREAD_POD_NAME, row));
  int64_t limit = 0;

  for (uint32_t i = 0; i < spread->spec.n_subsets; i++) {
    const struct rebali_subset *subset = &spread->spec.subsets[i];
    const int is_passed = is_unschedulable(&spread->status.overall, subset);

    if (!is_passed) {
      limit = rebali_add_saturating(limit, subset->maximum.is_present ? subset->maximum.integer : INT32_MAX);
    }
    if (!is_passed && ordinal < limit) {
      admitted->subset = i;
      return REBAL_OK;
    }
    if ((admission->flags & REBAL_ADMIT_FLAG_EXPLAIN) != 0 &&
        rebali_pass_over(admission, row, admitted->spread, i, subset->name,
                         is_passed ? REBAL_PASS_OVER_UNSCHEDULABLE : REBAL_PASS_OVER_ORDINAL, limit) != REBAL_OK) {
      return rebali_fail_memory(admission->err);
    }
  }
  admitted->outcome = REBAL_ADMIT_OUTCOME_NO_SUBSET;
  return REBAL_OK;
}
