/* SPDX-License-Identifier: MIT */
#include "base/base.h"

int64_t rebali_multiply_saturating(int64_t left, int64_t right) {
  const struct rebali_wide product = rebali_wide_multiply(left, right);

  return rebali_wide_divide_away(product, 1);
}
