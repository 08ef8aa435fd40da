/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#define NANOS_PER_UNIT INT64_C(1000000000)
#define NANOS_PER_MILLI INT64_C(1000000)
#define MILLIS_PER_UNIT INT64_C(1000)

int rebali_quantity_is_proper(const rebal_quantity *quantity) {
  return quantity->format <= REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT && quantity->nanos > -NANOS_PER_UNIT &&
         quantity->nanos < NANOS_PER_UNIT && (quantity->units <= 0 || quantity->nanos >= 0) &&
         (quantity->units >= 0 || quantity->nanos <= 0);
}

struct rebali_wide rebali_quantity_nanos(const rebal_quantity *quantity) {
  return rebali_wide_add(rebali_wide_multiply(quantity->units, NANOS_PER_UNIT), rebali_wide_from(quantity->nanos));
}

rebal_quantity rebali_quantity_from_nanos(struct rebali_wide nanos, uint32_t format) {
  rebal_quantity quantity = {rebali_wide_divide_away(nanos, NANOS_PER_UNIT), 0, format};
  const struct rebali_wide whole = rebali_wide_multiply(quantity.units, NANOS_PER_UNIT);
  const int beyond = rebali_wide_compare(whole, nanos);

  /* units was rounded away from zero: the excess becomes nanos. If units is too small, it is at the limit. */
  if (beyond > 0 && nanos.high >= 0) {
    quantity.units--;
    quantity.nanos = (int32_t)(NANOS_PER_UNIT - (int64_t)rebali_wide_subtract(whole, nanos).low);
  } else if (beyond < 0 && nanos.high < 0) {
    quantity.units++;
    quantity.nanos = (int32_t)((int64_t)rebali_wide_subtract(nanos, whole).low - NANOS_PER_UNIT);
  }
  return quantity;
}

int64_t rebali_quantity_value(const rebal_quantity *quantity) {
  if (quantity == NULL) {
    return 0;
  }
  if (quantity->nanos == 0) {
    return quantity->units;
  }
  return rebali_wide_divide_away(rebali_quantity_nanos(quantity), NANOS_PER_UNIT);
}

int64_t rebali_quantity_milli(const rebal_quantity *quantity) {
  if (quantity == NULL) {
    return 0;
  }
  if (quantity->nanos == 0 && quantity->units <= INT64_MAX / MILLIS_PER_UNIT &&
      quantity->units >= INT64_MIN / MILLIS_PER_UNIT) {
    return quantity->units * MILLIS_PER_UNIT;
  }
  return rebali_wide_divide_away(rebali_quantity_nanos(quantity), NANOS_PER_MILLI);
}

int64_t rebali_amount_as_written(struct rebali_wide nanos, uint32_t format) {
  const int is_decimal = format == REBAL_QUANTITY_FORMAT_DECIMAL_SI || format == REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT;

  return rebali_wide_divide_away(nanos, is_decimal ? NANOS_PER_MILLI : NANOS_PER_UNIT);
}

static int32_t check_operands(const rebal_quantity *left, const rebal_quantity *right, const rebal_quantity *out,
                              rebal_error *err) {
  if (left == NULL || right == NULL || out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a quantity is missing");
  }
  if (left->format > REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT || right->format > REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a quantity has no known format");
  }
  return REBAL_OK;
}

/* rebalance-karmada(7) 1.1: the left format is kept; a zero left operand takes the right one. */
static int32_t combine(const rebal_quantity *left, const rebal_quantity *right, rebal_quantity *out, rebal_error *err,
                       struct rebali_wide (*operation)(struct rebali_wide, struct rebali_wide)) {
  const int32_t code = check_operands(left, right, out, err);
  struct rebali_wide nanos;
  uint32_t format;

  if (code != REBAL_OK) {
    return code;
  }
  nanos = rebali_quantity_nanos(left);
  format = rebali_wide_compare(nanos, rebali_wide_from(0)) == 0 ? right->format : left->format;
  *out = rebali_quantity_from_nanos(operation(nanos, rebali_quantity_nanos(right)), format);
  return REBAL_OK;
}

int32_t rebali_quantity_add(const rebal_quantity *left, const rebal_quantity *right, rebal_quantity *out,
                            rebal_error *err) {
  return combine(left, right, out, err, rebali_wide_add);
}

int32_t rebali_quantity_subtract(const rebal_quantity *left, const rebal_quantity *right, rebal_quantity *out,
                                 rebal_error *err) {
  return combine(left, right, out, err, rebali_wide_subtract);
}

int32_t rebali_quantity_compare(const rebal_quantity *left, const rebal_quantity *right) {
  const struct rebali_wide zero = {0, 0};

  return (int32_t)rebali_wide_compare(left == NULL ? zero : rebali_quantity_nanos(left),
                                      right == NULL ? zero : rebali_quantity_nanos(right));
}

rebal_quantity rebali_quantity_multiply(const rebal_quantity *quantity, int64_t count) {
  const rebal_quantity whole = {rebali_wide_saturate(rebali_wide_multiply(quantity->units, count)), 0,
                                quantity->format};
  const rebal_quantity part =
      rebali_quantity_from_nanos(rebali_wide_multiply(quantity->nanos, count), quantity->format);
  rebal_quantity product = whole;

  (void)rebali_quantity_add(&whole, &part, &product, NULL); /* both are proper */
  return product;
}
