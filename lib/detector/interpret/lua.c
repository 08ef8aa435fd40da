/* SPDX-License-Identifier: MIT */
/* Values as seen by the Lua scripts that Karmada bundles (rebalance-karmada(7) 15.1). */
#include "detector/interpret/interpret.h"

#include <string.h>

/* ---- members ---- */

static int is_indexable(const json_t *value) {
  return json_is_string(value) || json_is_array(value) || rebali_is_map(value);
}

const json_t *rebali_lua_get(struct rebali_interpreting *in, const json_t *value, const char *key) {
  if (in->result == REBAL_OK && !is_indexable(value)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "the member %s is read from a value that is not a map", key);
  }
  return in->result == REBAL_OK ? rebali_member(value, key) : NULL;
}

static const json_t *walk(struct rebali_interpreting *in, const json_t *value, const char *path, int is_tested) {
  char name[64];
  while (in->result == REBAL_OK && *path != '\0') {
    const size_t len = strcspn(path, ".");
    if (len >= sizeof name || (value == NULL && is_tested)) {
      return NULL;
    }
    memcpy(name, path, len);
    name[len] = '\0';
    value = rebali_lua_get(in, value, name);
    path += path[len] == '.' ? len + 1 : len;
  }
  return in->result == REBAL_OK ? value : NULL;
}

const json_t *rebali_lua_at(struct rebali_interpreting *in, const json_t *value, const char *path) {
  return walk(in, value, path, 0);
}

const json_t *rebali_lua_find(struct rebali_interpreting *in, const json_t *value, const char *path) {
  return walk(in, value, path, 1);
}

const json_t *rebali_lua_list(struct rebali_interpreting *in, const json_t *value) {
  if (value == NULL || rebali_is_map(value) || (json_is_string(value) && json_string_length(value) == 0)) {
    return NULL;
  }
  if (!json_is_array(value)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "expected a list");
    return NULL;
  }
  return value;
}

/* ---- numbers ---- */

int rebali_lua_is_number(const json_t *value) {
  return json_is_integer(value) || rebali_number_is_verbatim(value, NULL);
}

static int parse_json_number(const char *text, size_t len, double *out) {
  json_error_t error;
  json_t *number = json_loadb(text, len, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &error);
  const int is_number = json_is_real(number);
  if (is_number) {
    *out = json_real_value(number);
  }
  json_decref(number);
  return is_number;
}

/* Parses digits with a point, either side of which may be empty, by rewriting them in the grammar of JSON. */
static int parse_with_point(const char *text, size_t len, double *out) {
  char plain[80];
  size_t at = 0, digits = 0;
  if (len > sizeof plain - 4) {
    return 0;
  }
  if (*text == '-') {
    plain[at++] = '-';
  }
  if (*text == '-' || *text == '+') {
    text++;
    len--;
  }
  while (len > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') {
    text++;
    len--;
  }
  if (len > 0 && text[0] == '.') {
    plain[at++] = '0';
  }
  for (size_t i = 0; i < len; i++) {
    const int is_digit = text[i] >= '0' && text[i] <= '9';
    digits += (size_t)is_digit;
    plain[at++] = text[i];
    if (text[i] == '.' && !(i + 1 < len && text[i + 1] >= '0' && text[i + 1] <= '9')) {
      plain[at++] = '0';
    }
  }
  return digits > 0 && parse_json_number(plain, at, out);
}

/* Parses a text like the scripts' tonumber(): an integer in base 10 or, after 0x, 16; with a point a decimal. */
static int parse_number(const char *text, size_t len, double *out) {
  int64_t integer;
  while (len > 0 && strchr(" \t\n", text[0]) != NULL) {
    text++;
    len--;
  }
  while (len > 0 && strchr(" \t\n", text[len - 1]) != NULL) {
    len--;
  }
  if (memchr(text, '.', len) != NULL) {
    return parse_with_point(text, len, out);
  }
  if (!rebali_integer_parse(rebali_text(text, len), &integer)) {
    return 0;
  }
  *out = (double)integer;
  return 1;
}

int rebali_lua_to_number(const json_t *value, double *out) {
  const char *text;
  if (json_is_integer(value)) {
    *out = (double)json_integer_value(value);
    return 1;
  }
  if (rebali_number_is_verbatim(value, &text)) {
    return parse_json_number(text, strlen(text), out);
  }
  return json_is_string(value) && parse_number(json_string_value(value), json_string_length(value), out);
}

double rebali_lua_number(struct rebali_interpreting *in, const json_t *value) {
  double number = 0;
  if (!rebali_lua_is_number(value) || !rebali_lua_to_number(value, &number)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "expected a number");
  }
  return number;
}

double rebali_lua_summand(struct rebali_interpreting *in, const json_t *value) {
  double number = 0;
  if (!rebali_lua_to_number(value, &number)) {
    rebali_interpreting_fail(in, REBAL_EPARSE, "expected a number");
  }
  return number;
}

double rebali_lua_number_or(const json_t *value, double absent) {
  double number;
  return rebali_lua_to_number(value, &number) ? number : absent;
}

int32_t rebali_lua_int32(double value) {
  return value >= INT32_MAX ? INT32_MAX : value <= INT32_MIN ? INT32_MIN : (int32_t)value;
}

double rebali_floor(double value) {
  int64_t whole;
  if (!(value > -9007199254740992.0 && value < 9007199254740992.0)) {
    return value; /* a double of this size has no fraction */
  }
  whole = (int64_t)value;
  return (double)whole > value ? (double)whole - 1 : (double)whole;
}

json_t *rebali_new_number(struct rebali_interpreting *in, double value) {
  char text[40];
  json_t *real, *number;
  size_t len;
  if (value > -9007199254740992.0 && value < 9007199254740992.0 && !(value > rebali_floor(value))) {
    return rebali_new_integer(in, (int64_t)value);
  }
  real = rebali_made(in, json_real(value));
  if (real == NULL) {
    return NULL;
  }
  len = json_dumpb(real, text, sizeof text, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
  json_decref(real);
  number = len > 0 && len <= sizeof text ? rebali_number_new(text, len) : NULL;
  return rebali_made(in, number);
}

/* ---- comparing ---- */

int rebali_lua_less(struct rebali_interpreting *in, const json_t *left, const json_t *right) {
  if (json_is_string(left) && json_is_string(right)) {
    return rebali_text_compare(rebali_text(json_string_value(left), json_string_length(left)),
                               rebali_text(json_string_value(right), json_string_length(right))) < 0;
  }
  return rebali_lua_number(in, left) < rebali_lua_number(in, right);
}

int rebali_lua_equal(const json_t *left, const json_t *right) {
  double one, other;
  if (left == NULL || right == NULL) {
    return left == right;
  }
  if (rebali_lua_is_number(left) && rebali_lua_is_number(right)) {
    return rebali_lua_to_number(left, &one) && rebali_lua_to_number(right, &other) && !(one < other) && !(one > other);
  }
  return !json_is_array(left) && !rebali_is_map(left) && json_equal(left, right);
}

int rebali_lua_is_text(const json_t *value, const char *text) {
  return json_is_string(value) && strcmp(json_string_value(value), text) == 0;
}

int rebali_lua_is_one_of(const json_t *value, const char *words) {
  const size_t len = json_string_length(value);
  while (json_is_string(value) && *words != '\0') {
    const size_t word = strcspn(words, " ");
    if (word == len && memcmp(words, json_string_value(value), len) == 0) {
      return 1;
    }
    words += words[word] == ' ' ? word + 1 : word;
  }
  return 0;
}

/* ---- results ---- */

static int is_container(const json_t *value) {
  return json_is_array(value) || rebali_is_map(value);
}

static size_t size_of(const json_t *value) {
  return json_is_array(value) ? json_array_size(value) : json_object_size(value);
}

/* With keeps_empty, values that were empty are kept. Returns NULL if the value is dropped. */
static json_t *without_empty(struct rebali_interpreting *in, const json_t *value, int keeps_empty) {
  json_t *kept, *item;
  const char *key;
  if (json_is_null(value) || !is_container(value)) {
    return json_is_null(value) ? NULL : rebali_share(value);
  }
  if (size_of(value) == 0) {
    return keeps_empty ? rebali_share(value) : NULL;
  }
  kept = json_is_array(value) ? rebali_new_list(in) : rebali_new_map(in);
  for (size_t i = 0; in->result == REBAL_OK && i < json_array_size(value); i++) {
    rebali_append(in, kept, without_empty(in, json_array_get(value, i), keeps_empty));
  }
  if (rebali_is_map(value)) {
    json_object_foreach((json_t *)(uintptr_t)value, key, item) {
      rebali_set(in, kept, key, without_empty(in, item, keeps_empty));
    }
  }
  if (keeps_empty && kept != NULL && size_of(kept) == 0) {
    json_decref(kept);
    return NULL;
  }
  return rebali_finished(in, kept);
}

json_t *rebali_lua_result(struct rebali_interpreting *in, const json_t *value) {
  json_t *kept = without_empty(in, value, 0);
  return kept == NULL && in->result == REBAL_OK ? rebali_new_map(in) : kept;
}

json_t *rebali_lua_object(struct rebali_interpreting *in, const json_t *value) {
  json_t *kept = without_empty(in, value, 1);
  return kept == NULL && in->result == REBAL_OK ? rebali_new_map(in) : kept;
}
