/* SPDX-License-Identifier: MIT */
/* Parses quantity text, exact to one nano; rebalance-karmada(7) 1.1. */
#include "foundation/foundation.h"

#define NANO_DIGITS 9
#define NANOS_PER_UNIT UINT32_C(1000000000)
#define LIMIT ((uint64_t)INT64_MAX)

/* The absolute value during parsing. */
struct magnitude {
  uint64_t units;
  uint32_t nanos;
  int finer;  /* some digit is below one nano */
  int beyond; /* too large for units */
};

/* A number as written: digits before and after the point, then the suffix. */
struct notation {
  struct rebali_text whole;
  struct rebali_text fraction;
  uint32_t format;
  int64_t power; /* of 10, or of 2 for REBAL_QUANTITY_FORMAT_BINARY_SI */
};

struct suffix {
  const char *text;
  uint32_t format;
  int64_t power;
};

static const struct suffix SUFFIXES[] = {
    {"", REBAL_QUANTITY_FORMAT_DECIMAL_SI, 0},   {"n", REBAL_QUANTITY_FORMAT_DECIMAL_SI, -9},
    {"u", REBAL_QUANTITY_FORMAT_DECIMAL_SI, -6}, {"m", REBAL_QUANTITY_FORMAT_DECIMAL_SI, -3},
    {"k", REBAL_QUANTITY_FORMAT_DECIMAL_SI, 3},  {"M", REBAL_QUANTITY_FORMAT_DECIMAL_SI, 6},
    {"G", REBAL_QUANTITY_FORMAT_DECIMAL_SI, 9},  {"T", REBAL_QUANTITY_FORMAT_DECIMAL_SI, 12},
    {"P", REBAL_QUANTITY_FORMAT_DECIMAL_SI, 15}, {"E", REBAL_QUANTITY_FORMAT_DECIMAL_SI, 18},
    {"Ki", REBAL_QUANTITY_FORMAT_BINARY_SI, 10}, {"Mi", REBAL_QUANTITY_FORMAT_BINARY_SI, 20},
    {"Gi", REBAL_QUANTITY_FORMAT_BINARY_SI, 30}, {"Ti", REBAL_QUANTITY_FORMAT_BINARY_SI, 40},
    {"Pi", REBAL_QUANTITY_FORMAT_BINARY_SI, 50}, {"Ei", REBAL_QUANTITY_FORMAT_BINARY_SI, 60},
};

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static uint64_t digit_value(char c) {
  return (uint64_t)(unsigned char)c - (uint64_t)'0';
}

static struct rebali_text take_digits(struct rebali_text text, size_t *at) {
  const size_t start = *at;

  while (*at < text.len && is_digit(text.bytes[*at])) {
    (*at)++;
  }
  return rebali_text(text.bytes + start, *at - start);
}

/* Reads e or E, an optional sign, and digits that fit in int64_t. */
static int read_exponent(struct rebali_text suffix, int64_t *power) {
  size_t at = 1;
  int negative = 0;
  int64_t value = 0;

  if (suffix.len < 2 || (suffix.bytes[0] != 'e' && suffix.bytes[0] != 'E')) {
    return 0;
  }
  if (suffix.bytes[at] == '-' || suffix.bytes[at] == '+') {
    negative = suffix.bytes[at] == '-';
    at++;
  }
  if (at == suffix.len) {
    return 0;
  }
  for (; at < suffix.len; at++) {
    const int64_t digit = is_digit(suffix.bytes[at]) ? (int64_t)digit_value(suffix.bytes[at]) : -1;

    if (digit < 0 || value > (INT64_MAX - digit) / 10) {
      return 0;
    }
    value = value * 10 + digit;
  }
  *power = negative ? -value : value;
  return 1;
}

static int read_suffix(struct rebali_text suffix, struct notation *out) {
  size_t i;

  for (i = 0; i < REBALI_COUNT(SUFFIXES); i++) {
    if (rebali_text_equal(suffix, rebali_text(SUFFIXES[i].text, strlen(SUFFIXES[i].text)))) {
      out->format = SUFFIXES[i].format;
      out->power = SUFFIXES[i].power;
      return 1;
    }
  }
  out->format = REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT;
  return read_exponent(suffix, &out->power);
}

/* If the text is not a quantity, returns 0 and the position of the error. */
static int read_notation(struct rebali_text text, size_t *at, struct notation *out) {
  out->whole = take_digits(text, at);
  out->fraction = rebali_text(text.bytes + *at, 0);
  if (*at < text.len && text.bytes[*at] == '.') {
    (*at)++;
    out->fraction = take_digits(text, at);
  }
  if (out->whole.len == 0 && out->fraction.len == 0) {
    return 0;
  }
  return read_suffix(rebali_text(text.bytes + *at, text.len - *at), out);
}

/* Adds the digit of 10^power. Digits come from the highest power down, without gaps above 10^-9. */
static void add_decimal(struct magnitude *sum, uint64_t digit, int64_t power) {
  if (power < -NANO_DIGITS) {
    sum->finer |= digit != 0;
  } else if (power < 0) {
    sum->nanos = sum->nanos * 10 + (uint32_t)digit;
  } else if (sum->units > (UINT64_MAX - digit) / 10) {
    sum->beyond = 1;
  } else {
    sum->units = sum->units * 10 + digit;
  }
}

/* A text cannot be as long as 2^62, and powers closer to the limits of int64_t have the same effect as this one. */
static int64_t clamp_power(int64_t power) {
  const int64_t far = INT64_MAX / 2;

  return power > far ? far : power < -far ? -far : power;
}

static struct magnitude decimal_magnitude(const struct notation *number) {
  struct magnitude sum = {0, 0, 0, 0};
  int64_t power = clamp_power(number->power) + (int64_t)number->whole.len;
  int started = 0;
  size_t i;

  for (i = 0; i < number->whole.len + number->fraction.len; i++) {
    const char c = i < number->whole.len ? number->whole.bytes[i] : number->fraction.bytes[i - number->whole.len];

    power--;
    started |= c != '0';
    if (started) {
      add_decimal(&sum, digit_value(c), power);
    }
  }
  /*
   * The digits between the last one and one nano are zeros. The loop stops at beyond, as an exponent could make it
   * long.
   */
  while (started && !sum.beyond && power > -NANO_DIGITS) {
    power--;
    add_decimal(&sum, 0, power);
  }
  return sum;
}

/* Adds 0.fraction * 2^power: from the last digit to the first, x = (x + digit * 2^power) / 10, in units and nanos. */
static void add_binary_fraction(struct magnitude *sum, struct rebali_text fraction, int64_t power) {
  uint64_t units = 0;
  uint64_t nanos = 0;
  size_t i;

  for (i = fraction.len; i > 0; i--) {
    /* units <= 2^60 and digit <= 9, so this is at most 10 * 2^60 < 2^64; the rest times 10^9 is small. */
    units += digit_value(fraction.bytes[i - 1]) << power;
    nanos += units % 10 * NANOS_PER_UNIT;
    units /= 10;
    sum->finer |= nanos % 10 != 0;
    nanos /= 10;
  }
  sum->nanos = (uint32_t)nanos;
  sum->units += units; /* at most (2^63 - 2^power) + 2^power */
}

static struct magnitude binary_magnitude(const struct notation *number) {
  struct magnitude sum = {0, 0, 0, 0};
  size_t i;

  for (i = 0; i < number->whole.len; i++) {
    add_decimal(&sum, digit_value(number->whole.bytes[i]), 0);
  }
  if (sum.beyond || sum.units > LIMIT >> number->power) {
    sum.beyond = 1;
    return sum;
  }
  sum.units <<= number->power;
  add_binary_fraction(&sum, number->fraction, number->power);
  return sum;
}

static void round_away(struct magnitude *sum) {
  sum->nanos += sum->finer != 0;
  if (sum->nanos == NANOS_PER_UNIT) {
    sum->nanos = 0;
    /* At UINT64_MAX the number is far beyond the limit with or without the carry. */
    sum->units += sum->units != UINT64_MAX;
  }
}

/* Saturates at +-(2^63 - 1), and at -2^63 if the notation is decimal (binary suffixes are capped by magnitude). */
static rebal_quantity with_sign(struct magnitude sum, int negative, uint32_t format) {
  const uint64_t limit = negative && format != REBAL_QUANTITY_FORMAT_BINARY_SI ? LIMIT + 1 : LIMIT;
  rebal_quantity quantity = {0, 0, format};

  if (sum.beyond || sum.units >= limit) {
    sum.units = limit;
    sum.nanos = 0;
  }
  if (negative) {
    quantity.units = sum.units > LIMIT ? INT64_MIN : -(int64_t)sum.units;
    quantity.nanos = -(int32_t)sum.nanos;
  } else {
    quantity.units = (int64_t)sum.units;
    quantity.nanos = (int32_t)sum.nanos;
  }
  return quantity;
}

int32_t rebali_quantity_parse(const char *text, size_t len, rebal_quantity *out, rebal_error *err) {
  struct notation number = {{NULL, 0}, {NULL, 0}, REBAL_QUANTITY_FORMAT_NONE, 0};
  struct magnitude sum;
  struct rebali_text taken;
  size_t at = 0;
  int negative = 0;
  const int32_t code = rebali_text_take(text, len, "text", &taken, err);

  if (code != REBAL_OK) {
    return code;
  }
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is missing");
  }
  if (taken.len != 0 && (taken.bytes[0] == '-' || taken.bytes[0] == '+')) {
    negative = taken.bytes[0] == '-';
    at = 1;
  }
  if (!read_notation(taken, &at, &number)) {
    return rebali_fail(err, REBAL_EPARSE, (int64_t)at, "not a quantity");
  }
  sum = number.format == REBAL_QUANTITY_FORMAT_BINARY_SI ? binary_magnitude(&number) : decimal_magnitude(&number);
  round_away(&sum);
  if (number.format == REBAL_QUANTITY_FORMAT_BINARY_SI && !sum.beyond && sum.units == 0 && sum.nanos != 0) {
    number.format = REBAL_QUANTITY_FORMAT_DECIMAL_SI; /* strictly between 0 and 1 */
  }
  *out = with_sign(sum, negative, number.format);
  return REBAL_OK;
}
