/* SPDX-License-Identifier: MIT */
/* Division of many numbers by one, as multiplications. */
#include "estimator/estimator.h"

struct rebali_divisor rebali_divisor_make(int64_t value) {
  struct rebali_divisor divisor = {value, 0, 0, 0};
  uint64_t odd = (uint64_t)value;
  unsigned int bits = 0;

  while ((odd & 1u) == 0) {
    odd >>= 1;
    divisor.before++;
  }
  if (odd >> REBALI_DIVIDEND_BITS != 0) {
    return divisor;
  }
  while (odd > UINT64_C(1) << bits) {
    bits++;
  }
  divisor.after = REBALI_DIVIDEND_BITS + bits;
  divisor.factor = ((UINT64_C(1) << divisor.after) + odd - 1) / odd;
  return divisor;
}
