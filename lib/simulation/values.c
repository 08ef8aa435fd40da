/* SPDX-License-Identifier: MIT */
/* Values of documents: reading and printing them, durations and times. */
#include "simulation/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST (INT64_C(100) * 366 * 86400 * REBALI_SECOND_NS) /* below INT64_MAX */

int rebali_number(const rebal_value *value, int64_t *out) {
  return rebal_value_kind(value) == REBAL_VALUE_KIND_NUMBER && rebal_value_integer(value, out);
}

int64_t rebali_number_or(const rebal_value *value, int64_t otherwise) {
  int64_t number;
  return rebali_number(value, &number) ? number : otherwise;
}

int rebali_reads(const rebal_value *value, const char *text) {
  return rebal_value_kind(value) == REBAL_VALUE_KIND_TEXT && strcmp(rebal_value_text(value, NULL), text) == 0;
}

int rebali_holds_text(const rebal_value *list, const char *text) {
  for (size_t i = 0; i < rebal_value_count(list); i++) {
    if (rebali_reads(rebal_value_item(list, i), text)) {
      return 1;
    }
  }
  return 0;
}

int32_t rebali_quantity_of(const rebal_value *value, rebal_quantity *out, rebal_error *err) {
  struct rebali_buffer text = REBALI_BUFFER;
  int32_t code;
  rebali_print_value(&text, value);
  rebali_buffer_text(&text, text.len > 0 ? "" : "0");
  code = text.failed ? rebali_fail_memory(err) : rebali_quantity_parse(text.bytes, text.len, out, err);
  rebali_buffer_dispose(&text);
  return code;
}

const rebal_value *rebali_condition_of(const rebal_value *conditions, const char *type) {
  for (size_t i = 0; i < rebal_value_count(conditions); i++) {
    const rebal_value *condition = rebal_value_item(conditions, i);
    if (rebali_reads(rebali_find(condition, "type"), type)) {
      return condition;
    }
  }
  return NULL;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

void rebali_print_value(struct rebali_buffer *out, const rebal_value *value) {
  rebal_text *text = NULL;
  size_t len;
  int64_t number;
  const char *bytes;
  if (value == NULL) {
    return;
  }
  if (rebal_value_kind(value) == REBAL_VALUE_KIND_TEXT) {
    bytes = rebal_value_text(value, &len);
    rebali_buffer_append(out, bytes, len);
    return;
  }
  if (rebali_number(value, &number)) {
    rebali_buffer_append_i64(out, number);
    return;
  }
  if (rebal_text_new(&text, NULL) != REBAL_OK || rebal_value_write(value, text, NULL) != REBAL_OK) {
    out->failed = 1;
  } else {
    bytes = rebal_text_bytes(text, &len);
    rebali_buffer_append(out, bytes, len);
  }
  rebal_text_free(text);
}

void rebali_print_json(struct rebali_buffer *out, const rebal_value *value) {
  if (rebal_value_kind(value) == REBAL_VALUE_KIND_TEXT) {
    rebali_print_text(out, rebal_value_text(value, NULL));
  } else {
    rebali_print_value(out, value);
  }
}

void rebali_print_text(struct rebali_buffer *out, const char *text) {
  const char *start = text;
  rebali_buffer_append(out, "\"", 1);
  for (; *text != '\0'; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c >= 0x20 && c != '"' && c != '\\') {
      continue;
    }
    rebali_buffer_append(out, start, (size_t)(text - start));
    rebali_buffer_format(out, c >= 0x20 ? "\\%c" : "\\u%04x", c);
    start = text + 1;
  }
  rebali_buffer_append(out, start, (size_t)(text - start));
  rebali_buffer_append(out, "\"", 1);
}

void rebali_print_member(struct rebali_buffer *out, const char *key, const char *text) {
  rebali_buffer_text(out, ",\"");
  rebali_buffer_text(out, key);
  rebali_buffer_text(out, "\":");
  rebali_print_text(out, text);
}

void rebali_print_time(struct rebali_buffer *out, const rebal_time *time) {
  char text[64];
  size_t len = 0;
  if (rebali_time_format(time, text, sizeof text, &len, NULL) == REBAL_OK) {
    rebali_buffer_append(out, text, len);
  }
}

char *rebali_text_copy(const char *text) {
  const size_t len = strlen(text) + 1;
  char *copy = malloc(len);
  return copy != NULL ? memcpy(copy, text, len) : NULL;
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  int64_t ns;
} units[] = {{"ms", REBALI_SECOND_NS / 1000},
             {"h", 3600 * REBALI_SECOND_NS},
             {"m", 60 * REBALI_SECOND_NS},
             {"s", REBALI_SECOND_NS}};

/* Returns the unit at the start of text, longest first, or the number of units. */
static size_t find_unit(const char *text) {
  size_t i = 0;
  while (i < REBALI_COUNT(units) && strncmp(text, units[i].name, strlen(units[i].name)) != 0) {
    i++;
  }
  return i;
}

/* Reads the digits at *text and moves it after them; LONGEST + 1 means any greater number. */
static int64_t read_digits(const char **text) {
  int64_t number = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) {
    number = number > LONGEST / 10 ? LONGEST + 1 : number * 10 + (**text - '0');
  }
  return number;
}

int32_t rebali_duration_parse(const char *text, int64_t *ns) {
  int64_t sum = 0;
  int is_long = 0, is_empty = 1;
  while (*text != '\0') {
    const char *start = text;
    const int64_t number = read_digits(&text);
    const size_t unit = find_unit(text);
    if (text == start || unit == REBALI_COUNT(units)) {
      return REBAL_EPARSE;
    }
    is_empty = 0;
    is_long = is_long || number > (LONGEST - sum) / units[unit].ns;
    sum += is_long ? 0 : number * units[unit].ns;
    text += strlen(units[unit].name);
  }
  if (is_empty || is_long) {
    return is_long ? REBAL_ERANGE : REBAL_EPARSE;
  }
  *ns = sum;
  return REBAL_OK;
}

void rebali_time_lower(rebal_time *earliest, const rebal_time *time) {
  if (time->is_set && (!earliest->is_set || rebali_time_compare(time, earliest) < 0)) {
    *earliest = *time;
  }
}

int rebali_time_is_due(const rebal_time *time, const rebal_time *now) {
  return time->is_set && rebali_time_compare(time, now) <= 0;
}
