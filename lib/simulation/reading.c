/* SPDX-License-Identifier: MIT */
/* Members of the maps of a scenario: known names, types, times. */
#include "simulation.h"

#include <stdio.h>

static const char *const kinds[] = {"nothing", "a map", "a list", "text", "a number", "true or false"};

static void print_field(const struct rebali_reading *reading, const char *name, char *out, size_t capacity) {
  (void)snprintf(out, capacity, "%s%s", reading->prefix, name);
}

static int32_t fail(const struct rebali_reading *reading, const char *name, int32_t code, const char *message) {
  char field[sizeof reading->err->field];
  print_field(reading, name, field, sizeof field);
  return rebali_scenario_fail(reading->scenario, reading->document, field, reading->err, code, "%s", message);
}

int32_t rebali_reading_fail(const struct rebali_reading *reading, const char *name, const char *message) {
  return fail(reading, name, REBAL_EPARSE, message);
}

int32_t rebali_reading_known(const struct rebali_reading *reading, const char *const *names, size_t n) {
  struct rebali_slice key, value;
  size_t at = 0;
  while (rebali_cursor_member(reading->map, &at, &key, &value)) {
    char name[128];
    size_t i = 0;
    while (i < n && !rebali_slice_is(key, names[i])) {
      i++;
    }
    if (i < n) {
      continue;
    }
    (void)snprintf(name, sizeof name, "%.*s", REBALI_SLICE(key));
    return rebali_reading_fail(reading, name, "a scenario has no such member here");
  }
  return REBAL_OK;
}

int32_t rebali_reading_member(const struct rebali_reading *reading, const char *name, enum rebali_json_kind kind,
                              int is_needed, struct rebali_slice *out) {
  char message[64];
  *out = rebali_cursor_find(reading->map, name);
  if (out->len == 0) {
    return is_needed ? rebali_reading_fail(reading, name, "the member is missing") : REBAL_OK;
  }
  if (rebali_cursor_kind(*out) == kind) {
    return REBAL_OK;
  }
  (void)snprintf(message, sizeof message, "%s is expected", kinds[kind]);
  return rebali_reading_fail(reading, name, message);
}

int32_t rebali_reading_duration(const struct rebali_reading *reading, const char *name, int64_t *ns) {
  struct rebali_slice value;
  const int32_t code = rebali_reading_member(reading, name, REBALI_JSON_STRING, 0, &value);
  if (code != REBAL_OK || value.len == 0) {
    return code;
  }
  switch (rebali_duration_parse((struct rebali_slice){value.bytes + 1, value.len - 2}, ns)) {
    case REBAL_OK:
      return REBAL_OK;
    case REBAL_ERANGE:
      return fail(reading, name, REBAL_ERANGE, "the duration is too long: 878400h is the longest");
    default:
      return fail(reading, name, REBAL_EPARSE, "a duration such as 30s, 1h30m or 500ms is expected");
  }
}

int32_t rebali_reading_time(const struct rebali_reading *reading, const char *name, rebal_time *out) {
  struct rebali_slice value;
  const int32_t code = rebali_reading_member(reading, name, REBALI_JSON_STRING, 0, &value);
  if (code != REBAL_OK || value.len == 0) {
    return code;
  }
  if (rebali_time_parse(value.bytes + 1, value.len - 2, out, NULL) != REBAL_OK) {
    return rebali_reading_fail(reading, name, "a time such as 2024-05-25T09:45:00Z is expected");
  }
  return REBAL_OK;
}

int32_t rebali_reading_count(const struct rebali_reading *reading, const char *name) {
  struct rebali_slice value;
  int64_t number = 0;
  const int32_t code = rebali_reading_member(reading, name, REBALI_JSON_NUMBER, 0, &value);
  if (code != REBAL_OK || value.len == 0 || (rebali_cursor_integer(value, &number) && number >= 0)) {
    return code;
  }
  return rebali_reading_fail(reading, name, "a whole number that is not negative is expected");
}

int32_t rebali_reading_name(const struct rebali_reading *reading, struct rebali_name *out) {
  int32_t code = rebali_reading_member(reading, "kind", REBALI_JSON_STRING, 1, &out->kind);
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "namespace", REBALI_JSON_STRING, 0, &out->space);
  }
  return code == REBAL_OK ? rebali_reading_member(reading, "name", REBALI_JSON_STRING, 1, &out->name) : code;
}
