/* SPDX-License-Identifier: MIT */
/* Reads maxReplicas, a number or a text (rebalance-workloadspread(7) 2.1). */
#include "workloadspread/spread.h"

#define LONGEST_NUMBER 64 /* more leading zeros of an int64 than occur in practice */

/* Reads the text without "%" characters as a number. */
static int read_legacy(struct rebali_text text, int64_t *out) {
  char digits[LONGEST_NUMBER];
  size_t n = 0;

  for (size_t i = 0; i < text.len; i++) {
    if (text.bytes[i] != '%') {
      if (n == sizeof digits) {
        return 0;
      }
      digits[n++] = text.bytes[i];
    }
  }
  return rebali_integer_parse(rebali_text(digits, n), out);
}

static void read_text(struct rebali_limit *limit, struct rebali_text text) {
  limit->is_text = 1;
  limit->ends_in_percent = text.len != 0 && text.bytes[text.len - 1] == '%';
  limit->scaled_fails =
      !limit->ends_in_percent || !rebali_integer_parse(rebali_text(text.bytes, text.len - 1), &limit->scaled_percent);
  limit->legacy_fails = !read_legacy(text, &limit->legacy_percent);
  if (!rebali_integer_parse(text, &limit->integer)) {
    limit->integer = 0;
  }
}

struct rebali_limit rebali_limit_read(const rebal_record *record, uint32_t node) {
  const uint32_t text = rebali_record_get(record, node, REBAL_INT_OR_TEXT_TEXT);
  struct rebali_limit limit = {.is_present = node != REBAL_NONE};

  if (text != REBAL_NONE) {
    read_text(&limit, rebali_record_text(record, text));
  } else {
    limit.number = rebal_record_i64(record, rebali_record_get(record, node, REBAL_INT_OR_TEXT_NUMBER));
    limit.integer = limit.number;
  }
  return limit;
}

/* Returns a percentage of a total, rounded up. */
static int64_t percent_of(int64_t percent, int32_t total) {
  const int64_t product = rebali_multiply_saturating(percent, total);

  return product / 100 + (product > 0 && product % 100 != 0);
}

int rebali_limit_scaled(const struct rebali_limit *limit, int32_t total, int64_t *out) {
  *out = limit->is_text ? percent_of(limit->scaled_percent, total) : limit->number;
  return !limit->scaled_fails;
}

int rebali_limit_legacy(const struct rebali_limit *limit, int32_t total, int64_t *out) {
  *out = limit->is_text ? percent_of(limit->legacy_percent, total) : limit->number;
  return !limit->legacy_fails;
}
