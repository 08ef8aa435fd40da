/* SPDX-License-Identifier: MIT */
/* Numbers: int64 integers are values, all others keep their text. */
#include "manifest/manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int rebali_number_is_verbatim(const json_t *value, const char **text) {
  const json_t *token;
  void *only;
  if (!json_is_object(value) || json_object_size(value) != 1) {
    return 0;
  }
  only = json_object_iter((json_t *)(uintptr_t)value); /* jansson's iterators take no const */
  token = json_object_iter_value(only);
  if (!json_is_string(token) || strcmp(json_object_iter_key(only), REBALI_NUMBER_KEY) != 0) {
    return 0;
  }
  if (text != NULL) {
    *text = json_string_value(token);
  }
  return 1;
}

json_t *rebali_number_new(const char *text, size_t len) {
  json_t *number = json_object();
  if (number != NULL && json_object_set_new_nocheck(number, REBALI_NUMBER_KEY, json_stringn_nocheck(text, len)) != 0) {
    json_decref(number);
    return NULL;
  }
  return number;
}

size_t rebali_integer_print(int64_t value, char *text) {
  char digits[REBALI_INTEGER_SIZE];
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  size_t n = 0, len = 0;
  do {
    digits[n++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (value < 0) {
    text[len++] = '-';
  }
  while (n > 0) {
    text[len++] = digits[--n];
  }
  text[len] = '\0';
  return len;
}

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static unsigned digit_value(char c) {
  if (is_digit(c)) {
    return (unsigned)(c - '0');
  }
  if (c >= 'a' && c <= 'f') {
    return (unsigned)(c - 'a') + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return (unsigned)(c - 'A') + 10;
  }
  return 99;
}

/* Returns 1 if the whole text is digits of the base and the value fits. */
static int parse_magnitude(const char *digits, size_t len, unsigned base, uint64_t *value) {
  *value = 0;
  for (size_t i = 0; i < len; i++) {
    const unsigned digit = digit_value(digits[i]);
    if (digit >= base || *value > (UINT64_MAX - digit) / base) {
      return 0;
    }
    *value = *value * base + digit;
  }
  return len > 0;
}

static int to_int64(int is_negative, uint64_t magnitude, int64_t *value) {
  if (is_negative && magnitude == (uint64_t)INT64_MAX + 1) {
    *value = INT64_MIN;
  } else if (magnitude > (uint64_t)INT64_MAX) {
    return 0;
  } else {
    *value = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
  }
  return 1;
}

void rebali_number_classify(struct rebali_event *event) {
  const int is_negative = event->len > 0 && event->text[0] == '-';
  const size_t sign = is_negative ? 1 : 0;
  uint64_t magnitude;
  event->scalar = REBALI_SCALAR_NUMBER;
  if (parse_magnitude(event->text + sign, event->len - sign, 10, &magnitude) &&
      to_int64(is_negative, magnitude, &event->integer)) {
    event->scalar = REBALI_SCALAR_INTEGER;
  }
}

static int32_t set_text(struct rebali_event *event, const struct rebali_buffer *scratch, enum rebali_scalar scalar) {
  if (scratch->failed) {
    return REBAL_ENOMEM;
  }
  event->scalar = scalar;
  event->text = scratch->bytes;
  event->len = scratch->len;
  return 1;
}

/* Returns the base of an integer that starts here, and the length of its prefix. */
static unsigned find_base(const char *text, size_t len, size_t *prefix) {
  static const struct {
    char letters[3];
    unsigned base;
  } bases[] = {{"xX", 16}, {"oO", 8}, {"bB", 2}};
  *prefix = 0;
  if (len < 2 || text[0] != '0') {
    return 10;
  }
  for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
    if (text[1] == bases[i].letters[0] || text[1] == bases[i].letters[1]) {
      *prefix = 2;
      return bases[i].base;
    }
  }
  return 8;
}

/* Resolves integers with sign and prefix. Those that fit only uint64 must not have a sign: go-yaml's rule. */
static int32_t resolve_integer(const char *text, size_t len, struct rebali_buffer *scratch,
                               struct rebali_event *event) {
  const size_t sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
  char decimal[32];
  size_t prefix;
  const unsigned base = find_base(text + sign, len - sign, &prefix);
  uint64_t magnitude;
  if (!parse_magnitude(text + sign + prefix, len - sign - prefix, base, &magnitude)) {
    return 0;
  }
  rebali_buffer_clear(scratch);
  if (to_int64(text[0] == '-', magnitude, &event->integer)) {
    rebali_buffer_append(scratch, decimal, rebali_integer_print(event->integer, decimal));
    return set_text(event, scratch, REBALI_SCALAR_INTEGER);
  }
  if (sign != 0) {
    return 0;
  }
  (void)snprintf(decimal, sizeof decimal, "%" PRIu64, magnitude);
  rebali_buffer_text(scratch, decimal);
  return set_text(event, scratch, REBALI_SCALAR_NUMBER);
}

static size_t count_digits(const char *text, size_t len) {
  size_t n = 0;
  while (n < len && is_digit(text[n])) {
    n++;
  }
  return n;
}

/* The parts of [-+]? (digits | digits . digits? | . digits) ([eE] [-+]? digits)? */
struct real {
  int is_negative;
  const char *whole, *fraction, *exponent; /* exponent from its letter on */
  size_t n_whole, n_fraction, n_exponent;
};

static int split_real(const char *text, size_t len, struct real *real) {
  const size_t sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
  size_t at = sign;
  *real = (struct real){text[0] == '-', text + at, NULL, NULL, count_digits(text + at, len - at), 0, 0};
  at += real->n_whole;
  if (at < len && text[at] == '.') {
    at++;
    real->fraction = text + at;
    real->n_fraction = count_digits(text + at, len - at);
    at += real->n_fraction;
  }
  if (real->n_whole + real->n_fraction == 0) {
    return 0;
  }
  if (at < len && (text[at] == 'e' || text[at] == 'E')) {
    size_t digits = at + 1 + (at + 1 < len && (text[at + 1] == '-' || text[at + 1] == '+') ? 1 : 0);
    real->exponent = text + at;
    real->n_exponent = len - at;
    if (digits == len) {
      return 0;
    }
    at = digits + count_digits(text + digits, len - digits);
  }
  return at == len;
}

/* Rewrites a real to the grammar of JSON: no '+', no redundant leading zeros, digits on both sides of the point. */
static int32_t resolve_real(const char *text, size_t len, struct rebali_buffer *scratch, struct rebali_event *event) {
  struct real real;
  int32_t result;
  if (!split_real(text, len, &real)) {
    return 0;
  }
  while (real.n_whole > 1 && *real.whole == '0') {
    real.whole++;
    real.n_whole--;
  }
  rebali_buffer_clear(scratch);
  rebali_buffer_text(scratch, real.is_negative ? "-" : "");
  rebali_buffer_append(scratch, real.n_whole > 0 ? real.whole : "0", real.n_whole > 0 ? real.n_whole : 1);
  rebali_buffer_text(scratch, real.n_fraction > 0 ? "." : "");
  rebali_buffer_append(scratch, real.fraction, real.n_fraction);
  rebali_buffer_append(scratch, real.exponent, real.n_exponent);
  result = set_text(event, scratch, REBALI_SCALAR_NUMBER);
  if (result == 1) {
    rebali_number_classify(event);
  }
  return result;
}

/* The rule for numbers that start with a point; others may have '_' anywhere after their first character. */
static int underscores_separate_digits(const char *text, size_t len) {
  for (size_t i = 1; i < len; i++) {
    if (text[i] == '_' && (!is_digit(text[i - 1]) || i + 1 == len || !is_digit(text[i + 1]))) {
      return 0;
    }
  }
  return 1;
}

/* Copies the text without its '_'. */
static int32_t strip_underscores(const char **text, size_t *len, struct rebali_buffer *scratch) {
  const char *from = *text;
  if (memchr(from, '_', *len) == NULL) {
    return REBAL_OK;
  }
  rebali_buffer_clear(scratch);
  for (size_t i = 0; i < *len; i++) {
    if (from[i] != '_') {
      rebali_buffer_append(scratch, from + i, 1);
    }
  }
  *text = scratch->bytes;
  *len = scratch->len;
  return scratch->failed ? REBAL_ENOMEM : REBAL_OK;
}

int32_t rebali_number_resolve(const char *text, size_t len, struct rebali_buffer *scratch, struct rebali_event *event) {
  struct rebali_buffer plain = REBALI_BUFFER;
  int32_t result = REBAL_OK;
  if (len == 0 || memchr("0123456789+-.", text[0], 13) == NULL) {
    return 0;
  }
  if (text[0] == '.' && !underscores_separate_digits(text, len)) {
    return 0;
  }
  result = strip_underscores(&text, &len, &plain);
  if (result == REBAL_OK) {
    result = resolve_integer(text, len, scratch, event);
  }
  if (result == 0) {
    result = resolve_real(text, len, scratch, event);
  }
  rebali_buffer_dispose(&plain);
  return result;
}
