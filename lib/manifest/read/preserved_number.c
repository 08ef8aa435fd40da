/* SPDX-License-Identifier: MIT */
/* Prints numbers as Go prints a double with %v: the fewest digits that read back equal (rebalance-karmada(7) 10.6). */
#include "manifest/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 17, TEXT_SIZE = 64 };

/* Sign, digits without zeros at either end, and the decimal exponent of the first digit. */
struct decimal {
  int is_negative;
  char digits[TEXT_SIZE];
  int n;
  int exponent;
};

/* Splits a number printed by jansson, which writes at most DIGITS_MAX digits and JSON's decimal point. */
static struct decimal split(const char *text) {
  struct decimal decimal = {text[0] == '-', "", 0, -1};
  int has_point = 0;
  for (text += decimal.is_negative; *text != '\0' && *text != 'e' && *text != 'E'; text++) {
    if (*text == '.') {
      has_point = 1;
      continue;
    }
    if (decimal.n > 0 || *text != '0') {
      decimal.digits[decimal.n++] = *text;
      decimal.exponent += !has_point;
    } else {
      decimal.exponent -= has_point;
    }
  }
  if (*text != '\0') {
    decimal.exponent += (int)strtol(text + 1, NULL, 10);
  }
  while (decimal.n > 0 && decimal.digits[decimal.n - 1] == '0') {
    decimal.n--;
  }
  return decimal;
}

/* Prints d.ddde+XX. */
static void put_scientific(const struct decimal *decimal, struct rebali_buffer *out) {
  char exponent[16];
  rebali_buffer_append(out, decimal->digits, 1);
  if (decimal->n > 1) {
    rebali_buffer_text(out, ".");
    rebali_buffer_append(out, decimal->digits + 1, (size_t)decimal->n - 1);
  }
  (void)snprintf(exponent, sizeof exponent, "e%c%02d", decimal->exponent < 0 ? '-' : '+', abs(decimal->exponent));
  rebali_buffer_text(out, exponent);
}

static void put_plain(const struct decimal *decimal, struct rebali_buffer *out) {
  static const char zeros[] = "00000"; /* exponents range from -4 to 5 */
  const int whole = decimal->exponent + 1;
  const int shown = whole < decimal->n ? whole : decimal->n;
  if (whole <= 0) {
    rebali_buffer_text(out, "0.");
    rebali_buffer_append(out, zeros, (size_t)-whole);
    rebali_buffer_append(out, decimal->digits, (size_t)decimal->n);
    return;
  }
  rebali_buffer_append(out, decimal->digits, (size_t)shown);
  rebali_buffer_append(out, zeros, (size_t)(whole - shown));
  if (shown < decimal->n) {
    rebali_buffer_text(out, ".");
    rebali_buffer_append(out, decimal->digits + shown, (size_t)(decimal->n - shown));
  }
}

static void put(const struct decimal *decimal, struct rebali_buffer *out) {
  rebali_buffer_text(out, decimal->is_negative ? "-" : "");
  if (decimal->n == 0) {
    rebali_buffer_text(out, "0");
  } else if (decimal->exponent < -4 || decimal->exponent > 5) {
    put_scientific(decimal, out);
  } else {
    put_plain(decimal, out);
  }
}

static json_t *read_double(const char *text, size_t len, json_error_t *error) {
  return json_loadb(text, len, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, error);
}

/* Prints the number with that many digits; returns 1 if it reads back equal. */
static int is_exact(const json_t *number, int digits, char *text) {
  const size_t len = json_dumpb(number, text, TEXT_SIZE - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION((size_t)digits));
  json_error_t error;
  json_t *back = len < TEXT_SIZE ? read_double(text, len, &error) : NULL;
  const int exact = back != NULL && json_real_value(back) == json_real_value(number);
  json_decref(back);
  text[len < TEXT_SIZE ? len : 0] = '\0';
  return exact;
}

int rebali_double_print(const json_t *value, struct rebali_buffer *out) {
  char integer[REBALI_INTEGER_SIZE], text[TEXT_SIZE] = "";
  const char *written = integer;
  struct decimal decimal;
  json_error_t error;
  json_t *number;
  if (json_is_integer(value)) {
    (void)rebali_integer_print(json_integer_value(value), integer);
  } else if (!rebali_number_is_verbatim(value, &written)) {
    return 0;
  }
  number = read_double(written, strlen(written), &error);
  if (number == NULL) {
    out->failed |= json_error_code(&error) != json_error_numeric_overflow;
    return 0;
  }
  for (int digits = 1; digits <= DIGITS_MAX && !is_exact(number, digits, text); digits++) {
  }
  decimal = split(text);
  put(&decimal, out);
  json_decref(number);
  return 1;
}
