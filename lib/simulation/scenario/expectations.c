/* SPDX-License-Identifier: MIT */
/* Reads what a step expects. */
#include "simulation/scenario/scenario.h"

#include <stdio.h>
#include <string.h>

static const char *const expectation_members[] = {"object", "placement", "field", "equals", "absent", "event", "pods"};
static const char *const object_members[] = {"kind", "namespace", "name"};
static const char *const event_members[] = {"type", "reason", "message", "count"};

static int32_t read_object(const struct rebali_reading *outer, int is_needed, struct rebali_name *out) {
  struct rebali_reading reading = *outer;
  char prefix[64];
  int32_t code = rebali_reading_member(outer, "object", REBAL_VALUE_KIND_MAP, is_needed, &reading.map);
  if (code != REBAL_OK || reading.map == NULL) {
    return code;
  }
  (void)snprintf(prefix, sizeof prefix, "%sobject.", outer->prefix);
  reading.prefix = prefix;
  code = rebali_reading_known(&reading, object_members, REBALI_COUNT(object_members));
  return code == REBAL_OK ? rebali_reading_name(&reading, out) : code;
}

static int32_t check_placement(const struct rebali_reading *outer, const rebal_value *placement) {
  int64_t number;
  for (const char *key = rebal_value_next_key(placement, NULL); key != NULL;
       key = rebal_value_next_key(placement, key)) {
    if (!rebali_number(rebali_find(placement, key), &number)) {
      return rebali_reading_fail(outer, "placement", "a placement gives each cluster a whole number of replicas");
    }
  }
  return REBAL_OK;
}

static int32_t check_event(const struct rebali_reading *outer, const rebal_value *event) {
  struct rebali_reading reading = *outer;
  const rebal_value *value;
  char prefix[64];
  int32_t code;
  (void)snprintf(prefix, sizeof prefix, "%sevent.", outer->prefix);
  reading.prefix = prefix;
  reading.map = event;
  code = rebali_reading_known(&reading, event_members, REBALI_COUNT(event_members));
  for (size_t i = 0; code == REBAL_OK && i < 3; i++) {
    code = rebali_reading_member(&reading, event_members[i], REBAL_VALUE_KIND_TEXT, 0, &value);
  }
  return code == REBAL_OK ? rebali_reading_count(&reading, "count") : code;
}

static int32_t read_field(const struct rebali_reading *reading, struct rebali_expectation *out) {
  const rebal_value *field;
  uint32_t kind;
  int32_t code = rebali_reading_member(reading, "field", REBAL_VALUE_KIND_TEXT, 0, &field);
  out->field = rebal_value_text(field, NULL);
  out->equals = rebali_find(reading->map, "equals");
  kind = rebal_value_kind(out->equals);
  if (code != REBAL_OK) {
    return code;
  }
  if ((field != NULL) != (out->equals != NULL)) {
    return rebali_reading_fail(reading, field != NULL ? "equals" : "field", "field and equals belong together");
  }
  if (kind == REBAL_VALUE_KIND_MAP || kind == REBAL_VALUE_KIND_LIST) {
    return rebali_reading_fail(reading, "equals", "a field is compared with text, a number, true or false");
  }
  return field != NULL ? rebali_reading_path(reading, "field", out->field) : REBAL_OK;
}

static int32_t read_checks(const struct rebali_reading *reading, struct rebali_expectation *out) {
  const rebal_value *absent;
  int32_t code = rebali_reading_member(reading, "placement", REBAL_VALUE_KIND_MAP, 0, &out->placement);
  if (code == REBAL_OK) {
    code = check_placement(reading, out->placement);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "event", REBAL_VALUE_KIND_MAP, 0, &out->event);
  }
  if (code == REBAL_OK) {
    code = check_event(reading, out->event);
  }
  if (code == REBAL_OK) {
    code = rebali_expected_pods_read(reading, &out->pods);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "absent", REBAL_VALUE_KIND_BOOLEAN, 0, &absent);
  }
  if (code != REBAL_OK) {
    return code;
  }
  out->is_absent = rebali_is_true(absent);
  if (absent != NULL && !out->is_absent) {
    return rebali_reading_fail(reading, "absent", "absent is true or left out");
  }
  return read_field(reading, out);
}

int32_t rebali_expectation_read(const struct rebali_scenario *scenario, const struct rebali_scenario_step *step,
                                size_t i, struct rebali_expectation *out, rebal_error *err) {
  char field[40], prefix[44];
  const struct rebali_reading reading = {scenario, step->document, prefix, rebal_value_item(step->expect, i), err};
  int32_t code;
  *out = (struct rebali_expectation){.object = {"", "", ""}, .field = ""};
  (void)snprintf(field, sizeof field, "expect[%zu]", i);
  (void)snprintf(prefix, sizeof prefix, "%s.", field);
  if (!rebali_is_map(reading.map)) {
    return rebali_scenario_fail(scenario, step->document, field, err, REBAL_EPARSE, "an expectation is a map");
  }
  code = rebali_reading_known(&reading, expectation_members, REBALI_COUNT(expectation_members));
  if (code == REBAL_OK) {
    code = read_checks(&reading, out);
  }
  if (code == REBAL_OK) {
    code = read_object(&reading, out->event == NULL, &out->object);
  }
  if (code != REBAL_OK) {
    return code;
  }
  if ((out->placement != NULL) + (out->event != NULL) + (out->field[0] != '\0') + (out->pods != NULL) +
          out->is_absent !=
      1) {
    return rebali_scenario_fail(scenario, step->document, field, err, REBAL_EPARSE,
                                "an expectation has one of placement, field, absent, event and pods");
  }
  return REBAL_OK;
}
