/* SPDX-License-Identifier: MIT */
#include "base/base.h"

int64_t rebali_multiply_saturating(int64_t left, int64_t right) {
  const struct rebali_wide product = rebali_wide_multiply(left, right);

  return rebali_wide_divide_away(product, 1);
}

int64_t rebali_add_saturating(int64_t left, int64_t right) {
  if (right > 0 && left > INT64_MAX - right) {
    return INT64_MAX;
  }
  if (right < 0 && left < INT64_MIN - right) {
    return INT64_MIN;
  }
  return left + right;
}

int64_t rebali_subtract_saturating(int64_t left, int64_t right) {
  if (right < 0 && left > INT64_MAX + right) {
    return INT64_MAX;
  }
  if (right > 0 && left < INT64_MIN + right) {
    return INT64_MIN;
  }
  return left - right;
}

int32_t rebali_low_int32(int64_t value) {
  const uint32_t bits = (uint32_t)((uint64_t)value & UINT32_MAX);
  int32_t low;

  /* int32_t is two's complement by definition, so the bytes are the number. */
  memcpy(&low, &bits, sizeof low);
  return low;
}

int32_t rebali_add_wrapping(int32_t left, int32_t right) {
  return rebali_low_int32((int64_t)left + right);
}

int64_t rebali_add_wrapping64(int64_t left, int64_t right) {
  const uint64_t bits = (uint64_t)left + (uint64_t)right;
  int64_t sum;

  memcpy(&sum, &bits, sizeof sum); /* two's complement by definition, as in rebali_low_int32() */
  return sum;
}
