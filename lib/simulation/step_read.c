/* SPDX-License-Identifier: MIT */
/* Steps of a scenario, checked before anything runs. */
#include "member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const step_members[] = {"apiVersion", "kind",    "metadata", "description", "at",
                                           "after",      "advance", "apply",    "scale",       "taint",
                                           "untaint",    "delete",  "expect"};
enum { STEP_MEMBERS = sizeof step_members / sizeof step_members[0] };
static const char *const taint_members[] = {"cluster", "node", "taint"};
static const char *const delete_members[] = {"kind", "namespace", "name"};

/* Kinds that only controllers write: what they hold comes out of step functions. */
static const char *const refused_kinds[] = {
    "\"ResourceBinding\"", "\"ClusterResourceBinding\"", "\"Event\"", "\"Work\"", "\"Scenario\"", "\"Step\""};

/* A node that comes to the scenario's own cluster says what it offers. */
static int is_node_of(const struct rebali_scenario *scenario, struct rebali_slice kind) {
  return scenario->workloads.len > 0 && rebali_slice_is(kind, "\"Node\"");
}

static int32_t check_applied(const struct rebali_reading *outer, struct rebali_slice object, const char *prefix,
                             int is_item) {
  const struct rebali_reading reading = {outer->scenario, outer->document, prefix, object, outer->err};
  const struct rebali_slice kind = rebali_cursor_find(object, "kind");
  const struct rebali_slice items = rebali_cursor_find(object, "items");
  struct rebali_slice item;
  size_t at = 0;
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < sizeof refused_kinds / sizeof refused_kinds[0]; i++) {
    if (rebali_slice_is(kind, refused_kinds[i])) {
      return rebali_reading_fail(&reading, "kind",
                                 "a step applies no bindings, works or events: controllers write them");
    }
  }
  if (rebali_cursor_find(object, "status").len > 0 && !is_node_of(outer->scenario, kind)) {
    return rebali_reading_fail(&reading, "status", "a step sets no status: controllers write it");
  }
  for (size_t i = 0; !is_item && code == REBAL_OK && rebali_cursor_item(items, &at, &item); i++) {
    char below[128];
    (void)snprintf(below, sizeof below, "%sitems[%zu].", prefix, i);
    code = check_applied(outer, item, below, 1);
  }
  return code;
}

/* Would the store take the objects? Asked of an empty one. */
static int32_t try_apply(const struct rebali_reading *reading, struct rebali_slice object, const char *field,
                         const rebal_manifest_limits *limits) {
  rebal_error local = REBAL_ERROR_INIT;
  rebal_store *store = NULL;
  int32_t code = rebal_store_new(limits, &store, reading->err);
  if (code != REBAL_OK) {
    return code;
  }
  code = rebal_store_apply(store, object.bytes, object.len, &reading->scenario->start, &local);
  rebal_store_free(store);
  return code == REBAL_OK ? code
                          : rebali_scenario_pass(reading->scenario, reading->document, field, &local, reading->err);
}

static int32_t read_object(const struct rebali_reading *reading, struct rebali_slice object, const char *field,
                           const rebal_manifest_limits *limits) {
  char prefix[64];
  int32_t code;
  if (rebali_cursor_kind(object) != REBALI_JSON_MAP) {
    return rebali_reading_fail(reading, field, "an object is a map");
  }
  (void)snprintf(prefix, sizeof prefix, "%s.", field);
  code = check_applied(reading, object, prefix, 0);
  return code == REBAL_OK ? try_apply(reading, object, field, limits) : code;
}

static int32_t read_apply(const struct rebali_reading *reading, const rebal_manifest_limits *limits,
                          struct rebali_slice *out) {
  struct rebali_slice item;
  size_t at = 0;
  int32_t code = REBAL_OK;
  *out = rebali_cursor_find(reading->map, "apply");
  if (rebali_cursor_kind(*out) == REBALI_JSON_MAP) {
    return read_object(reading, *out, "apply", limits);
  }
  if (out->len > 0 && rebali_cursor_kind(*out) != REBALI_JSON_LIST) {
    return rebali_reading_fail(reading, "apply", "an object or a list of them is expected");
  }
  if (out->len > 0 && !rebali_cursor_item(*out, &at, &item)) {
    return rebali_reading_fail(reading, "apply", "there is nothing to apply in the list");
  }
  at = 0;
  for (size_t i = 0; code == REBAL_OK && rebali_cursor_item(*out, &at, &item); i++) {
    char field[32];
    (void)snprintf(field, sizeof field, "apply[%zu]", i);
    code = read_object(reading, item, field, limits);
  }
  return code;
}

/* Among an object, the items of a List, or a list of either. */
static int has_cluster(struct rebali_slice value, struct rebali_slice name) {
  struct rebali_slice item, found;
  size_t at = 0;
  if (rebali_cursor_kind(value) == REBALI_JSON_MAP) {
    if (!rebali_slice_is(rebali_cursor_find(value, "kind"), "\"Cluster\"")) {
      return has_cluster(rebali_cursor_find(value, "items"), name);
    }
    found = rebali_cursor_find(rebali_cursor_find(value, "metadata"), "name");
    return found.len == name.len + 2 && memcmp(found.bytes + 1, name.bytes, name.len) == 0;
  }
  while (rebali_cursor_kind(value) == REBALI_JSON_LIST && rebali_cursor_item(value, &at, &item)) {
    if (has_cluster(item, name)) {
      return 1;
    }
  }
  return 0;
}

int rebali_step_has_cluster(const struct rebali_scenario_step *step, struct rebali_slice name) {
  return has_cluster(step->apply, name);
}

static int32_t split_taint(struct rebali_taint_text *out) {
  const struct rebali_slice whole = rebali_slice(out->text);
  const char *colon = strrchr(out->text, ':'), *equals = strchr(out->text, '=');
  const size_t before_colon = colon != NULL ? (size_t)(colon - out->text) : whole.len;
  size_t key = before_colon;
  if (equals != NULL && (size_t)(equals - out->text) < before_colon) {
    key = (size_t)(equals - out->text);
    out->value = (struct rebali_slice){equals + 1, before_colon - key - 1};
  }
  out->key = (struct rebali_slice){whole.bytes, key};
  if (colon != NULL) {
    out->effect = (struct rebali_slice){colon + 1, whole.len - before_colon - 1};
  }
  return key > 0;
}

int32_t rebali_taint_split(struct rebali_slice json, int needs_effect, struct rebali_taint_text *out,
                           rebal_error *err) {
  *out = (struct rebali_taint_text){rebali_cursor_copy(json), {NULL, 0}, {NULL, 0}, {NULL, 0}};
  if (out->text == NULL) {
    return rebali_fail_memory(err);
  }
  if (split_taint(out) &&
      (rebali_slice_is(out->effect, "NoExecute") || rebali_slice_is(out->effect, "NoSchedule") ||
       rebali_slice_is(out->effect, "PreferNoSchedule") || (out->effect.bytes == NULL && !needs_effect))) {
    return REBAL_OK;
  }
  free(out->text);
  out->text = NULL;
  return rebali_fail(err, REBAL_EPARSE, -1, "%s",
                     "a taint is key=value:Effect or key:Effect, the effect NoSchedule, "
                     "PreferNoSchedule or NoExecute");
}

static int32_t read_taint(const struct rebali_reading *outer, const char *name, const char *prefix, int needs_effect,
                          struct rebali_slice *out) {
  struct rebali_reading reading = *outer;
  rebal_error local = REBAL_ERROR_INIT;
  struct rebali_slice cluster, text;
  struct rebali_taint_text taint;
  int32_t code = rebali_reading_member(outer, name, REBALI_JSON_MAP, 0, out);
  if (code != REBAL_OK || out->len == 0) {
    return code;
  }
  reading.prefix = prefix;
  reading.map = *out;
  code = rebali_reading_known(&reading, taint_members, sizeof taint_members / sizeof taint_members[0]);
  if (code == REBAL_OK) {
    code = rebali_reading_member(&reading, "cluster", REBALI_JSON_STRING, 1, &cluster);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(&reading, "node", REBALI_JSON_STRING, 0, &text);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(&reading, "taint", REBALI_JSON_STRING, 1, &text);
  }
  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_taint_split(text, needs_effect, &taint, &local);
  if (code == REBAL_OK) {
    free(taint.text);
  }
  if (code == REBAL_ENOMEM) {
    return rebali_fail_memory(reading.err);
  }
  return code == REBAL_OK ? code : rebali_reading_fail(&reading, "taint", local.message);
}

static int32_t read_delete(const struct rebali_reading *outer, struct rebali_slice *out) {
  struct rebali_reading reading = *outer;
  struct rebali_name name;
  int32_t code = rebali_reading_member(outer, "delete", REBALI_JSON_MAP, 0, out);
  if (code != REBAL_OK || out->len == 0) {
    return code;
  }
  reading.prefix = "delete.";
  reading.map = *out;
  code = rebali_reading_known(&reading, delete_members, sizeof delete_members / sizeof delete_members[0]);
  return code == REBAL_OK ? rebali_reading_name(&reading, &name) : code;
}

static int32_t read_scale(const struct rebali_reading *outer, struct rebali_slice *out) {
  static const char *const members[] = {"kind", "namespace", "name", "replicas"};
  struct rebali_reading reading = *outer;
  struct rebali_name name;
  struct rebali_slice replicas;
  int32_t code = rebali_reading_member(outer, "scale", REBALI_JSON_MAP, 0, out);
  if (code != REBAL_OK || out->len == 0) {
    return code;
  }
  reading.prefix = "scale.";
  reading.map = *out;
  code = rebali_reading_known(&reading, members, sizeof members / sizeof members[0]);
  if (code == REBAL_OK) {
    code = rebali_reading_name(&reading, &name);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(&reading, "replicas", REBALI_JSON_NUMBER, 1, &replicas);
  }
  return code == REBAL_OK ? rebali_reading_count(&reading, "replicas") : code;
}

/* at is a time, or a duration from the start of the scenario. */
static int32_t read_at(const struct rebali_reading *reading, rebal_time *at) {
  struct rebali_slice value;
  int64_t ns = 0;
  int32_t code = rebali_reading_member(reading, "at", REBALI_JSON_STRING, 0, &value);
  if (code != REBAL_OK || value.len == 0) {
    return code;
  }
  if (rebali_duration_parse((struct rebali_slice){value.bytes + 1, value.len - 2}, &ns) != REBAL_EPARSE) {
    code = rebali_reading_duration(reading, "at", &ns);
    *at = rebali_time_after(&reading->scenario->start, ns);
    return code;
  }
  code = rebali_reading_time(reading, "at", at);
  if (code == REBAL_OK && rebali_time_compare(at, &reading->scenario->start) < 0) {
    return rebali_scenario_fail(reading->scenario, reading->document, "at", reading->err, REBAL_ERANGE,
                                "the step is before the start");
  }
  return code;
}

static int32_t read_times(const struct rebali_reading *reading, struct rebali_scenario_step *step) {
  int32_t code = read_at(reading, &step->at);
  if (code == REBAL_OK) {
    code = rebali_reading_duration(reading, "after", &step->after_ns);
  }
  if (code == REBAL_OK && step->at.is_set && rebali_cursor_find(reading->map, "after").len > 0) {
    code = rebali_reading_fail(reading, "after", "a step has at or after, not both");
  }
  return code == REBAL_OK ? rebali_reading_duration(reading, "advance", &step->advance_ns) : code;
}

static int32_t read_expectations(const struct rebali_reading *reading, struct rebali_scenario_step *step) {
  struct rebali_expectation expectation;
  struct rebali_slice item;
  size_t at = 0;
  int32_t code = rebali_reading_member(reading, "expect", REBALI_JSON_LIST, 0, &step->expect);
  for (size_t i = 0; code == REBAL_OK && rebali_cursor_item(step->expect, &at, &item); i++) {
    code = rebali_expectation_read(reading->scenario, step, i, item, &expectation, reading->err);
  }
  return code;
}

static int32_t check_members(const struct rebali_reading *reading) {
  const char *names[STEP_MEMBERS + REBALI_MEMBER_CHANGES];
  for (size_t i = 0; i < STEP_MEMBERS + REBALI_MEMBER_CHANGES; i++) {
    names[i] = i < STEP_MEMBERS ? step_members[i] : rebali_member_change_name(i - STEP_MEMBERS);
  }
  return rebali_reading_known(reading, names, STEP_MEMBERS + REBALI_MEMBER_CHANGES);
}

int32_t rebali_step_read(const struct rebali_scenario *scenario, uint32_t document, struct rebali_slice map,
                         const rebal_manifest_limits *limits, struct rebali_scenario_step *step, rebal_error *err) {
  const struct rebali_reading reading = {scenario, document, "", map, err};
  struct rebali_slice metadata;
  int32_t code = check_members(&reading);
  *step = (struct rebali_scenario_step){.document = document};
  if (code == REBAL_OK) {
    code = rebali_reading_member(&reading, "metadata", REBALI_JSON_MAP, 0, &metadata);
  }
  if (code != REBAL_OK) {
    return code;
  }
  step->name = rebali_cursor_find(metadata, "name");
  if (rebali_cursor_kind(step->name) != REBALI_JSON_STRING && step->name.len > 0) {
    return rebali_reading_fail(&reading, "metadata.name", "text is expected");
  }
  code = read_times(&reading, step);
  if (code == REBAL_OK) {
    code = read_apply(&reading, limits, &step->apply);
  }
  if (code == REBAL_OK) {
    code = read_scale(&reading, &step->scale);
  }
  if (code == REBAL_OK) {
    code = read_taint(&reading, "taint", "taint.", 1, &step->taint);
  }
  if (code == REBAL_OK) {
    code = read_taint(&reading, "untaint", "untaint.", 0, &step->untaint);
  }
  if (code == REBAL_OK) {
    code = read_delete(&reading, &step->delete);
  }
  if (code == REBAL_OK) {
    code = rebali_member_changes_read(&reading, step);
  }
  return code == REBAL_OK ? read_expectations(&reading, step) : code;
}
