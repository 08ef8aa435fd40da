/* SPDX-License-Identifier: MIT */
/* What a step expects, as it is written. */
#include "member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const expectation_members[] = {"object", "placement", "field", "equals", "absent", "event", "pods"};
static const char *const object_members[] = {"kind", "namespace", "name"};
static const char *const event_members[] = {"type", "reason", "message", "count"};

static int32_t read_object(const struct rebali_reading *outer, int is_needed, struct rebali_name *out) {
  struct rebali_reading reading = *outer;
  char prefix[64];
  int32_t code = rebali_reading_member(outer, "object", REBALI_JSON_MAP, is_needed, &reading.map);
  if (code != REBAL_OK || reading.map.len == 0) {
    return code;
  }
  (void)snprintf(prefix, sizeof prefix, "%sobject.", outer->prefix);
  reading.prefix = prefix;
  code = rebali_reading_known(&reading, object_members, sizeof object_members / sizeof object_members[0]);
  return code == REBAL_OK ? rebali_reading_name(&reading, out) : code;
}

static int32_t check_placement(const struct rebali_reading *outer, struct rebali_slice placement) {
  struct rebali_slice cluster, replicas;
  size_t at = 0;
  int64_t number;
  while (rebali_cursor_member(placement, &at, &cluster, &replicas)) {
    if (!rebali_cursor_integer(replicas, &number)) {
      return rebali_reading_fail(outer, "placement", "a placement gives each cluster a whole number of replicas");
    }
  }
  return REBAL_OK;
}

static int32_t check_event(const struct rebali_reading *outer, struct rebali_slice event) {
  struct rebali_reading reading = *outer;
  struct rebali_slice value;
  char prefix[64];
  int64_t number = 0;
  int32_t code;
  (void)snprintf(prefix, sizeof prefix, "%sevent.", outer->prefix);
  reading.prefix = prefix;
  reading.map = event;
  code = rebali_reading_known(&reading, event_members, sizeof event_members / sizeof event_members[0]);
  for (size_t i = 0; code == REBAL_OK && i < 3; i++) {
    code = rebali_reading_member(&reading, event_members[i], REBALI_JSON_STRING, 0, &value);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(&reading, "count", REBALI_JSON_NUMBER, 0, &value);
  }
  if (code == REBAL_OK && value.len > 0 && (!rebali_cursor_integer(value, &number) || number < 0)) {
    code = rebali_reading_fail(&reading, "count", "a whole number that is not negative is expected");
  }
  return code;
}

/* Length of the key or index at the start of a path; 0 when there is none. */
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

int32_t rebali_reading_path(const struct rebali_reading *reading, const char *name, struct rebali_slice field) {
  char *path = rebali_cursor_copy(field);
  size_t at = 0, len = 1;
  int is_whole;
  if (path == NULL) {
    return rebali_fail_memory(reading->err);
  }
  while (len > 0 && path[at] != '\0') {
    len = step_len(path + at, at == 0);
    at += len;
  }
  is_whole = at > 0 && path[at] == '\0';
  free(path);
  return is_whole ? REBAL_OK
                  : rebali_reading_fail(reading, name,
                                        "a field path such as status.conditions[0].reason or metadata.labels[\"a/b\"] "
                                        "is expected");
}

static int32_t read_field(const struct rebali_reading *reading, struct rebali_expectation *out) {
  int32_t code = rebali_reading_member(reading, "field", REBALI_JSON_STRING, 0, &out->field);
  out->equals = rebali_cursor_find(reading->map, "equals");
  if (code != REBAL_OK) {
    return code;
  }
  if ((out->field.len > 0) != (out->equals.len > 0)) {
    return rebali_reading_fail(reading, out->field.len > 0 ? "equals" : "field", "field and equals belong together");
  }
  if (rebali_cursor_kind(out->equals) == REBALI_JSON_MAP || rebali_cursor_kind(out->equals) == REBALI_JSON_LIST) {
    return rebali_reading_fail(reading, "equals", "a field is compared with text, a number, true or false");
  }
  return out->field.len > 0 ? rebali_reading_path(reading, "field", out->field) : REBAL_OK;
}

static int32_t read_checks(const struct rebali_reading *reading, struct rebali_expectation *out) {
  struct rebali_slice absent;
  int32_t code = rebali_reading_member(reading, "placement", REBALI_JSON_MAP, 0, &out->placement);
  if (code == REBAL_OK) {
    code = check_placement(reading, out->placement);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "event", REBALI_JSON_MAP, 0, &out->event);
  }
  if (code == REBAL_OK) {
    code = check_event(reading, out->event);
  }
  if (code == REBAL_OK) {
    code = rebali_expected_pods_read(reading, &out->pods);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "absent", REBALI_JSON_BOOLEAN, 0, &absent);
  }
  if (code != REBAL_OK) {
    return code;
  }
  out->is_absent = rebali_slice_is(absent, "true");
  if (absent.len > 0 && !out->is_absent) {
    return rebali_reading_fail(reading, "absent", "absent is true or left out");
  }
  return read_field(reading, out);
}

int32_t rebali_expectation_read(const struct rebali_scenario *scenario, const struct rebali_scenario_step *step,
                                size_t i, struct rebali_slice item, struct rebali_expectation *out, rebal_error *err) {
  char field[40], prefix[44];
  const struct rebali_reading reading = {scenario, step->document, prefix, item, err};
  int32_t code;
  *out = (struct rebali_expectation){.is_absent = 0};
  (void)snprintf(field, sizeof field, "expect[%zu]", i);
  (void)snprintf(prefix, sizeof prefix, "%s.", field);
  if (rebali_cursor_kind(item) != REBALI_JSON_MAP) {
    return rebali_scenario_fail(scenario, step->document, field, err, REBAL_EPARSE, "an expectation is a map");
  }
  code =
      rebali_reading_known(&reading, expectation_members, sizeof expectation_members / sizeof expectation_members[0]);
  if (code == REBAL_OK) {
    code = read_checks(&reading, out);
  }
  if (code == REBAL_OK) {
    code = read_object(&reading, out->event.len == 0, &out->object);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if ((out->placement.len > 0) + (out->event.len > 0) + (out->field.len > 0) + (out->pods.len > 0) + out->is_absent !=
      1) {
    return rebali_scenario_fail(scenario, step->document, field, err, REBAL_EPARSE,
                                "an expectation has one of placement, field, absent, event and pods");
  }
  return REBAL_OK;
}
