/* SPDX-License-Identifier: MIT */
#include "estimator/estimator.h"

struct rebali_rules rebali_rules_read(const rebal_compat *compat) {
  return (struct rebali_rules){rebali_compat_value(compat, REBAL_OPTION_GATE_RESOURCE_MODELS) != 0,
                               rebali_compat_value(compat, REBAL_OPTION_INT32_WRAP) != 0,
                               rebali_compat_value(compat, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION) != 0,
                               rebali_compat_value(compat, REBAL_OPTION_GATE_RESOURCE_QUOTA) != 0};
}

int32_t rebali_rules_cast(const struct rebali_rules *rules, int64_t value) {
  if (rules->wrap) {
    return rebali_low_int32(value);
  }
  if (value > INT32_MAX) {
    return INT32_MAX;
  }
  return value < INT32_MIN ? INT32_MIN : (int32_t)value;
}
