/* SPDX-License-Identifier: MIT */
#include "base/base.h"

static int is_half(int64_t value) {
  return value >= INT32_MIN && value <= INT32_MAX;
}

int64_t rebali_multiply_saturating(int64_t left, int64_t right) {
  return is_half(left) && is_half(right) ? left * right : rebali_wide_divide_away(rebali_wide_multiply(left, right), 1);
}
