/* SPDX-License-Identifier: MIT */
/* Quantities: each can be written, has the same value when read again, and obeys the laws of addition. */
#include "law.h"
#include "rebalance/base.h"

#include <string.h>

static int is_saturated(const rebal_quantity *quantity) {
  return quantity->units == INT64_MAX || quantity->units == INT64_MIN;
}

static void check_form(const rebal_quantity *quantity) {
  law(quantity->nanos > -1000000000 && quantity->nanos < 1000000000);
  law(quantity->units == 0 || quantity->nanos == 0 || (quantity->units > 0) == (quantity->nanos > 0));
  law(quantity->format >= REBAL_QUANTITY_FORMAT_DECIMAL_SI &&
      quantity->format <= REBAL_QUANTITY_FORMAT_DECIMAL_EXPONENT);
}

static void check_text(const rebal_quantity *quantity) {
  char text[128];
  rebal_quantity again;
  size_t len = 0;

  law(rebal_quantity_format(quantity, text, sizeof text, &len, NULL) == REBAL_OK && len < sizeof text);
  law(rebal_quantity_parse(text, len, &again, NULL) == REBAL_OK);
  law(rebal_quantity_compare(quantity, &again) == 0);
  for (size_t capacity = 0; capacity <= len; capacity++) {
    size_t wanted = 0;
    const int32_t code = rebal_quantity_format(quantity, text, capacity, &wanted, NULL);

    law(wanted == len && (code == REBAL_OK || code == REBAL_ERANGE));
  }
}

static void check_sum(const rebal_quantity *left, const rebal_quantity *right) {
  rebal_quantity sum, difference;

  law(rebal_quantity_add(left, right, &sum, NULL) == REBAL_OK);
  law(rebal_quantity_subtract(&sum, right, &difference, NULL) == REBAL_OK);
  if (!is_saturated(left) && !is_saturated(right) && !is_saturated(&sum)) {
    law(rebal_quantity_compare(&difference, left) == 0);
  }
  law(rebal_quantity_compare(left, right) == -rebal_quantity_compare(right, left));
}

/* A text that can be read as a time is written as the same time. */
static void check_time(const char *text, size_t size) {
  rebal_time time, again;
  char written[64];
  size_t len = 0;

  if (rebal_time_parse(text, size, &time, NULL) == REBAL_OK) {
    law(time.is_set == 1 && time.nanos >= 0 && time.nanos < 1000000000);
    law(rebal_time_format(&time, written, sizeof written, &len, NULL) == REBAL_OK);
    law(rebal_time_parse(written, len, &again, NULL) == REBAL_OK && rebal_time_compare(&time, &again) == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Two quantities with a line feed between them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  const char *feed = size == 0 ? NULL : memchr(text, '\n', size);
  const size_t first = feed == NULL ? size : (size_t)(feed - text);
  rebal_quantity left, right;

  check_time(text, size);
  if (rebal_quantity_parse(text, first, &left, NULL) != REBAL_OK) {
    return 0;
  }
  check_form(&left);
  check_text(&left);
  if (feed != NULL && rebal_quantity_parse(feed + 1, size - first - 1, &right, NULL) == REBAL_OK) {
    check_sum(&left, &right);
  }
  return 0;
}
