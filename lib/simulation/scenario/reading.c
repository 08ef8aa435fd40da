/* SPDX-License-Identifier: MIT */
/* Reads members of the maps of a scenario: known names, types, times, field paths. */
#include "simulation/scenario/scenario.h"

#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"nothing", "a map", "a list", "text", "a number", "true or false"};

static int32_t fail(const struct rebali_reading *reading, const char *name, int32_t code, const char *message) {
  char field[sizeof reading->err->field];
  (void)snprintf(field, sizeof field, "%s%s", reading->prefix, name);
  return rebali_scenario_fail(reading->scenario, reading->document, field, reading->err, code, "%s", message);
}

int32_t rebali_reading_fail(const struct rebali_reading *reading, const char *name, const char *message) {
  return fail(reading, name, REBAL_EPARSE, message);
}

int32_t rebali_reading_known(const struct rebali_reading *reading, const char *const *names, size_t n) {
  for (const char *key = rebal_value_next_key(reading->map, NULL); key != NULL;
       key = rebal_value_next_key(reading->map, key)) {
    size_t i = 0;
    while (i < n && strcmp(key, names[i]) != 0) {
      i++;
    }
    if (i == n) {
      return rebali_reading_fail(reading, key, "a scenario has no such member here");
    }
  }
  return REBAL_OK;
}

int32_t rebali_reading_member(const struct rebali_reading *reading, const char *name, uint32_t kind, int is_needed,
                              const rebal_value **out) {
  char message[64];
  *out = rebali_find(reading->map, name);
  if (*out == NULL) {
    return is_needed ? rebali_reading_fail(reading, name, "the member is missing") : REBAL_OK;
  }
  if (rebal_value_kind(*out) == kind) {
    return REBAL_OK;
  }
  (void)snprintf(message, sizeof message, "expected %s", kinds[kind]);
  return rebali_reading_fail(reading, name, message);
}

int32_t rebali_reading_text(const struct rebali_reading *reading, const char *name, int is_needed, const char **out) {
  const rebal_value *value;
  const int32_t code = rebali_reading_member(reading, name, REBAL_VALUE_KIND_TEXT, is_needed, &value);
  *out = rebal_value_text(value, NULL);
  return code;
}

int32_t rebali_reading_duration(const struct rebali_reading *reading, const char *name, int64_t *ns) {
  const rebal_value *value;
  const int32_t code = rebali_reading_member(reading, name, REBAL_VALUE_KIND_TEXT, 0, &value);
  if (code != REBAL_OK || value == NULL) {
    return code;
  }
  switch (rebali_duration_parse(rebal_value_text(value, NULL), ns)) {
    case REBAL_OK:
      return REBAL_OK;
    case REBAL_ERANGE:
      return fail(reading, name, REBAL_ERANGE, "the duration is too long: 878400h is the longest");
    default:
      return fail(reading, name, REBAL_EPARSE, "expected a duration such as 30s, 1h30m or 500ms");
  }
}

int32_t rebali_reading_time(const struct rebali_reading *reading, const char *name, rebal_time *out) {
  const rebal_value *value;
  const int32_t code = rebali_reading_member(reading, name, REBAL_VALUE_KIND_TEXT, 0, &value);
  size_t len;
  const char *text = rebal_value_text(value, &len);
  if (code != REBAL_OK || value == NULL) {
    return code;
  }
  return rebali_time_parse(text, len, out, NULL) == REBAL_OK
             ? REBAL_OK
             : rebali_reading_fail(reading, name, "expected a time such as 2024-05-25T09:45:00Z");
}

int32_t rebali_reading_count(const struct rebali_reading *reading, const char *name) {
  const rebal_value *value;
  int64_t number = 0;
  const int32_t code = rebali_reading_member(reading, name, REBAL_VALUE_KIND_NUMBER, 0, &value);
  if (code != REBAL_OK || value == NULL || (rebali_number(value, &number) && number >= 0)) {
    return code;
  }
  return rebali_reading_fail(reading, name, "expected a whole number that is not negative");
}

int32_t rebali_reading_name(const struct rebali_reading *reading, struct rebali_name *out) {
  int32_t code = rebali_reading_text(reading, "kind", 1, &out->kind);
  if (code == REBAL_OK) {
    code = rebali_reading_text(reading, "namespace", 0, &out->namespace_);
  }
  return code == REBAL_OK ? rebali_reading_text(reading, "name", 1, &out->name) : code;
}

/* Returns the length of the key or index at the start of a path, or 0. */
static size_t step_len(const char *path, int is_first) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", digits[] = "0123456789";
  size_t len = path[0] == '.' && !is_first, n;
  if (path[0] == '[' && path[1] == '"') {
    for (len = 2; path[len] != '\0' && path[len] != '"'; len++) {
      len += path[len] == '\\' && path[len + 1] != '\0';
    }
    return path[len] == '"' && path[len + 1] == ']' ? len + 2 : 0;
  }
  if (path[0] == '[') {
    n = strspn(path + 1, digits);
    return n > 0 && n < 10 && path[1 + n] == ']' && !is_first ? n + 2 : 0;
  }
  if ((len == 0 && !is_first) || path[len] == '\0' || strchr(letters, path[len]) == NULL) {
    return 0;
  }
  while (path[len] != '\0' && (path[len] == '-' || strchr(letters, path[len]) || strchr(digits, path[len]))) {
    len++;
  }
  return len;
}

int32_t rebali_reading_path(const struct rebali_reading *reading, const char *name, const char *path) {
  size_t at = 0, len = 1;
  while (len > 0 && path[at] != '\0') {
    len = step_len(path + at, at == 0);
    at += len;
  }
  return at > 0 && path[at] == '\0'
             ? REBAL_OK
             : rebali_reading_fail(reading, name,
                                   "expected a field path such as status.conditions[0].reason or "
                                   "metadata.labels[\"a/b\"]");
}
