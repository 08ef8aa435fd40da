/* SPDX-License-Identifier: MIT */
/* Formats a quantity as canonical text, as Kubernetes prints it; rebalance-karmada(7) 1.1. */
#include "foundation/foundation.h"

#define BINARY_STEP 1024u
#define DECIMAL_STEP 1000u
#define TEXT_CAPACITY 40u /* sign, 19 + 9 digits, suffix */

/* In steps of a thousand: n is step -3, no suffix step 0. */
static const char *const DECIMAL_SUFFIXES[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
static const char *const BINARY_SUFFIXES[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
static const char *const EXPONENT_SUFFIXES[] = {"e-9", "e-6", "e-3", "", "e3", "e6", "e9", "e12", "e15", "e18"};
#define STEP_OF_ONE 3u /* index of "" in the decimal tables */

struct line {
  char bytes[TEXT_CAPACITY];
  size_t len;
};

static void put_text(struct line *line, const char *text) {
  const size_t len = strlen(text);

  memcpy(line->bytes + line->len, text, len);
  line->len += len;
}

/* Writes at least width digits. */
static void put_number(struct line *line, uint64_t value, size_t width) {
  char digits[20];
  size_t start = sizeof digits;

  while (value != 0 || sizeof digits - start < width) {
    digits[--start] = (char)('0' + value % 10);
    value /= 10;
  }
  memcpy(line->bytes + line->len, digits + start, sizeof digits - start);
  line->len += sizeof digits - start;
}

/* Writes with the largest step that leaves an integer mantissa. */
static void put_decimal(struct line *line, uint64_t units, uint32_t nanos, const char *const *suffixes) {
  size_t step = STEP_OF_ONE;
  size_t places = 0;

  if (nanos == 0) {
    while (units % DECIMAL_STEP == 0) {
      units /= DECIMAL_STEP;
      step++;
    }
    put_number(line, units, 1);
  } else {
    step = 0;
    places = 9;
    while (nanos % DECIMAL_STEP == 0) {
      nanos /= DECIMAL_STEP;
      step++;
      places -= 3;
    }
    put_number(line, units, 0);
    put_number(line, nanos, units == 0 ? 1 : places);
  }
  put_text(line, suffixes[step]);
}

static void put_binary(struct line *line, uint64_t units) {
  size_t step = 0;

  while (units % BINARY_STEP == 0) {
    units /= BINARY_STEP;
    step++;
  }
  put_number(line, units, 1);
  put_text(line, BINARY_SUFFIXES[step]);
}

/* Writes a well-formed quantity other than zero. */
static void put_quantity(struct line *line, const rebal_quantity *quantity) {
  const int negative = quantity->units < 0 || quantity->nanos < 0;
  const uint64_t units = negative ? UINT64_C(0) - (uint64_t)quantity->units : (uint64_t)quantity->units;
  const uint32_t nanos = (uint32_t)(negative ? -quantity->nanos : quantity->nanos);

  if (negative) {
    put_text(line, "-");
  }
  /* Like the peer: binary only for integers of at least 1Ki, an exponent for the default format. */
  if (quantity->format == REBAL_QUANTITY_FORMAT_BINARY_SI && nanos == 0 && units >= BINARY_STEP) {
    put_binary(line, units);
  } else if (quantity->format == REBAL_QUANTITY_FORMAT_BINARY_SI ||
             quantity->format == REBAL_QUANTITY_FORMAT_DECIMAL_SI) {
    put_decimal(line, units, nanos, DECIMAL_SUFFIXES);
  } else {
    put_decimal(line, units, nanos, EXPONENT_SUFFIXES);
  }
}

int32_t rebali_quantity_format(const rebal_quantity *quantity, char *buffer, size_t capacity, size_t *len,
                               rebal_error *err) {
  struct line line = {{0}, 0};
  rebal_quantity normal;

  if (quantity == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "quantity is missing");
  }
  if (quantity->format > REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the quantity has no known format");
  }
  normal = rebali_quantity_from_nanos(rebali_quantity_nanos(quantity), quantity->format);
  if (normal.units == 0 && normal.nanos == 0) {
    put_text(&line, "0");
  } else {
    put_quantity(&line, &normal);
  }
  return rebali_text_give(rebali_text(line.bytes, line.len), buffer, capacity, len, err);
}
