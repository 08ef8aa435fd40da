/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#define HALF_BITS 32u
#define HALF_MASK UINT64_C(0xFFFFFFFF)

/* The absolute value of a wide integer, even of the smallest one. */
struct magnitude {
  uint64_t high;
  uint64_t low;
};

static struct rebali_wide negate(struct rebali_wide value) {
  return rebali_wide_subtract((struct rebali_wide){0, 0}, value);
}

static struct magnitude magnitude_of(struct rebali_wide value) {
  const struct rebali_wide positive = value.high < 0 ? negate(value) : value;

  return (struct magnitude){(uint64_t)positive.high, positive.low};
}

struct rebali_wide rebali_wide_from(int64_t value) {
  return (struct rebali_wide){value < 0 ? -1 : 0, (uint64_t)value};
}

/*
 * Sums in the library fit in 128 bits: a quantity in nano units has at most 93, so 2^34 of them fit. Larger sums of a
 * caller wrap without undefined behaviour.
 */
struct rebali_wide rebali_wide_add(struct rebali_wide left, struct rebali_wide right) {
  const uint64_t low = left.low + right.low;
  const uint64_t high = (uint64_t)left.high + (uint64_t)right.high + (low < left.low);

  return (struct rebali_wide){rebali_from_bits(high), low};
}

struct rebali_wide rebali_wide_subtract(struct rebali_wide left, struct rebali_wide right) {
  const uint64_t low = left.low - right.low;
  const uint64_t high = (uint64_t)left.high - (uint64_t)right.high - (left.low < right.low);

  return (struct rebali_wide){rebali_from_bits(high), low};
}

static uint64_t absolute(int64_t value) {
  return value < 0 ? UINT64_C(0) - (uint64_t)value : (uint64_t)value;
}

/* Schoolbook multiplication of 32-bit halves; no partial sum exceeds 64 bits. */
static struct magnitude multiply(uint64_t left, uint64_t right) {
  const uint64_t left_low = left & HALF_MASK;
  const uint64_t left_high = left >> HALF_BITS;
  const uint64_t right_low = right & HALF_MASK;
  const uint64_t right_high = right >> HALF_BITS;
  const uint64_t lowest = left_low * right_low;
  const uint64_t cross = left_high * right_low + (lowest >> HALF_BITS);
  const uint64_t middle = left_low * right_high + (cross & HALF_MASK);

  return (struct magnitude){left_high * right_high + (cross >> HALF_BITS) + (middle >> HALF_BITS),
                            (middle << HALF_BITS) | (lowest & HALF_MASK)};
}

struct rebali_wide rebali_wide_multiply(int64_t left, int64_t right) {
  /* Both are at most 2^63, so the product is at most 2^126 and its high word positive. */
  const struct magnitude product = multiply(absolute(left), absolute(right));
  const struct rebali_wide positive = {(int64_t)product.high, product.low};

  return (left < 0) != (right < 0) ? negate(positive) : positive;
}

int rebali_wide_compare(struct rebali_wide left, struct rebali_wide right) {
  if (left.high != right.high) {
    return left.high < right.high ? -1 : 1;
  }
  return (left.low > right.low) - (left.low < right.low);
}

/* Divides in steps of 32 bits: dividend.high < divisor < 2^32, so the quotient of each step fits. */
static uint64_t divide_by_half(struct magnitude dividend, uint64_t divisor, uint64_t *remainder) {
  const uint64_t upper = (dividend.high << HALF_BITS) | (dividend.low >> HALF_BITS);
  const uint64_t lower = (upper % divisor << HALF_BITS) | (dividend.low & HALF_MASK);

  *remainder = lower % divisor;
  return (upper / divisor << HALF_BITS) + lower / divisor;
}

/* Divides bit by bit: the shifted remainder never overflows, as divisor is at most 2^63. */
static uint64_t divide_by_any(struct magnitude dividend, uint64_t divisor, uint64_t *remainder) {
  uint64_t rest = dividend.high;
  uint64_t quotient = 0;

  for (int bit = 63; bit >= 0; bit--) {
    rest = (rest << 1) | ((dividend.low >> bit) & 1u);
    quotient <<= 1;
    if (rest >= divisor) {
      rest -= divisor;
      quotient |= 1u;
    }
  }
  *remainder = rest;
  return quotient;
}

/* dividend.high < divisor, so the quotient has one word. */
static uint64_t divide(struct magnitude dividend, uint64_t divisor, uint64_t *remainder) {
  if (dividend.high == 0) {
    *remainder = dividend.low % divisor;
    return dividend.low / divisor;
  }
  return divisor <= HALF_MASK ? divide_by_half(dividend, divisor, remainder)
                              : divide_by_any(dividend, divisor, remainder);
}

int64_t rebali_wide_divide_away(struct rebali_wide value, int64_t divisor) {
  const int64_t limit = value.high < 0 ? INT64_MIN : INT64_MAX;
  const struct magnitude dividend = magnitude_of(value);
  uint64_t remainder;
  uint64_t quotient;

  if (dividend.high >= (uint64_t)divisor) {
    return limit;
  }
  quotient = divide(dividend, (uint64_t)divisor, &remainder);
  if (quotient >= absolute(limit)) {
    return limit;
  }
  quotient += remainder != 0;
  return value.high < 0 ? rebali_from_bits(UINT64_C(0) - quotient) : (int64_t)quotient;
}
