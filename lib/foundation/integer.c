/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

static int is_half(int64_t value) {
  return value >= INT32_MIN && value <= INT32_MAX;
}

int64_t rebali_multiply_saturating(int64_t left, int64_t right) {
  return is_half(left) && is_half(right) ? left * right : rebali_wide_divide_away(rebali_wide_multiply(left, right), 1);
}

int rebali_integer_parse(struct rebali_text text, int64_t *out) {
  const int negative = text.len != 0 && text.bytes[0] == '-';
  const size_t start = negative || (text.len != 0 && text.bytes[0] == '+') ? 1 : 0;
  int64_t value = 0;
  size_t i;

  if (start == text.len) {
    return 0;
  }
  for (i = start; i < text.len; i++) {
    const int64_t digit = text.bytes[i] - '0';

    /* Accumulates below zero, where the range is one larger. */
    if (digit < 0 || digit > 9 || value < (INT64_MIN + digit) / 10) {
      return 0;
    }
    value = value * 10 - digit;
  }
  if (!negative && value == INT64_MIN) {
    return 0;
  }
  *out = negative ? value : -value;
  return 1;
}
