/* SPDX-License-Identifier: MIT */
/* Reads and checks steps of a scenario before anything runs. */
#include "simulation/scenario/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const step_members[] = {
    "apiVersion", "kind",  "metadata", "description", "at",     "after", "advance", "apply",      "create", "scale",
    "reconcile",  "taint", "untaint",  "delete",      "expect", "patch", "refused", "failWrites", "plan"};
enum { STEP_MEMBERS = REBALI_COUNT(step_members) };
static const char *const taint_members[] = {"cluster", "node", "taint"};
static const char *const name_members[] = {"kind", "namespace", "name"};

/* Kinds that only controllers write: their content comes from step functions. */
static const char *const refused_kinds[] = {
    "ResourceBinding", "ClusterResourceBinding", "Event", "Work", "Scenario", "Step"};

/* In bindings, a user suspends dispatching and scheduling, and sets labels and annotations. */
static const char *const bindings[] = {"ResourceBinding", "ClusterResourceBinding"};
static const char *const patched_of_binding[] = {"metadata.labels", "metadata.annotations", "spec.suspension"};

/* ---- apply ------------------------------------------------------------------------------------------------------- */

/* A node that joins the scenario's own cluster must state its capacity. */
static int is_node_of(const struct rebali_scenario *scenario, const rebal_value *kind) {
  return scenario->workloads != NULL && rebali_reads(kind, "Node");
}

static int32_t check_applied(const struct rebali_reading *outer, const rebal_value *object, const char *prefix,
                             int is_item) {
  const struct rebali_reading reading = {outer->scenario, outer->document, prefix, object, outer->err};
  const rebal_value *kind = rebali_find(object, "kind"), *items = rebali_find(object, "items");
  int32_t code = REBAL_OK;
  for (size_t i = 0; i < REBALI_COUNT(refused_kinds); i++) {
    if (rebali_reads(kind, refused_kinds[i])) {
      return rebali_reading_fail(&reading, "kind",
                                 "a step applies no bindings, works or events: controllers write them");
    }
  }
  if (rebali_find(object, "status") != NULL && !is_node_of(outer->scenario, kind)) {
    return rebali_reading_fail(&reading, "status", "a step sets no status: controllers write it");
  }
  for (size_t i = 0; !is_item && code == REBAL_OK && i < rebal_value_count(items); i++) {
    char below[128];
    (void)snprintf(below, sizeof below, "%sitems[%zu].", prefix, i);
    code = check_applied(outer, rebal_value_item(items, i), below, 1);
  }
  return code;
}

/* Tests with an empty store whether the objects would be accepted. */
static int32_t try_apply(const struct rebali_reading *reading, const rebal_value *object, const char *field,
                         const rebal_manifest_limits *limits) {
  rebal_error local = REBAL_ERROR_INIT;
  struct rebali_buffer text = REBALI_BUFFER;
  rebal_store *store = NULL;
  int32_t code = rebal_store_new(limits, &store, reading->err);
  rebali_print_json(&text, object);
  if (code == REBAL_OK && text.failed) {
    code = rebali_fail_memory(reading->err);
  }
  if (code == REBAL_OK) {
    code = rebal_store_apply(store, text.bytes, text.len, &reading->scenario->options.start, &local);
    code = code == REBAL_OK ? code
                            : rebali_scenario_pass(reading->scenario, reading->document, field, &local, reading->err);
  }
  rebal_store_free(store);
  rebali_buffer_dispose(&text);
  return code;
}

static int32_t read_object(const struct rebali_reading *reading, const rebal_value *object, const char *field,
                           const rebal_manifest_limits *limits) {
  char prefix[64];
  int32_t code;
  if (!rebali_is_map(object)) {
    return rebali_reading_fail(reading, field, "an object is a map");
  }
  (void)snprintf(prefix, sizeof prefix, "%s.", field);
  code = check_applied(reading, object, prefix, 0);
  /* the store, too, may issue an expected refusal */
  return code == REBAL_OK && rebali_find(reading->map, "refused") == NULL ? try_apply(reading, object, field, limits)
                                                                          : code;
}

static int32_t read_apply(const struct rebali_reading *reading, const rebal_manifest_limits *limits,
                          const rebal_value **out) {
  int32_t code = REBAL_OK;
  *out = rebali_find(reading->map, "apply");
  if (rebali_is_map(*out)) {
    return read_object(reading, *out, "apply", limits);
  }
  if (*out != NULL && !rebali_is_list(*out)) {
    return rebali_reading_fail(reading, "apply", "expected an object or a list of objects");
  }
  if (*out != NULL && rebal_value_count(*out) == 0) {
    return rebali_reading_fail(reading, "apply", "there is nothing to apply in the list");
  }
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(*out); i++) {
    char field[32];
    (void)snprintf(field, sizeof field, "apply[%zu]", i);
    code = read_object(reading, rebal_value_item(*out, i), field, limits);
  }
  return code;
}

/* Searches an object, the items of a List, or a list of either. */
static int has_cluster(const rebal_value *value, const char *name) {
  if (rebali_is_map(value)) {
    return rebali_reads(rebali_find(value, "kind"), "Cluster")
               ? rebali_reads(rebali_find(rebali_find(value, "metadata"), "name"), name)
               : has_cluster(rebali_find(value, "items"), name);
  }
  for (size_t i = 0; rebali_is_list(value) && i < rebal_value_count(value); i++) {
    if (has_cluster(rebal_value_item(value, i), name)) {
      return 1;
    }
  }
  return 0;
}

int rebali_step_has_cluster(const struct rebali_scenario_step *step, const char *name) {
  return has_cluster(step->apply, name);
}

/* ---- taints ------------------------------------------------------------------------------------------------------ */

/* Splits the text into its parts. */
static void split(struct rebali_taint_text *out) {
  char *colon = strrchr(out->text, ':'), *equals = strchr(out->text, '=');
  out->key = out->text;
  if (colon != NULL) {
    *colon = '\0';
    out->effect = colon + 1;
  }
  if (equals != NULL && (colon == NULL || equals < colon)) {
    *equals = '\0';
    out->value = equals + 1;
  }
}

int32_t rebali_taint_split(const char *text, int needs_effect, struct rebali_taint_text *out, rebal_error *err) {
  *out = (struct rebali_taint_text){rebali_text_copy(text), NULL, NULL, NULL};
  if (out->text == NULL) {
    return rebali_fail_memory(err);
  }
  split(out);
  if (out->key[0] != '\0' &&
      (out->effect == NULL
           ? !needs_effect
           : rebali_effect_parse(rebali_text(out->effect, strlen(out->effect))) != REBALI_EFFECT_NONE &&
                 rebali_effect_parse(rebali_text(out->effect, strlen(out->effect))) != REBALI_EFFECT_OTHER)) {
    return REBAL_OK;
  }
  free(out->text);
  out->text = NULL;
  return rebali_fail(err, REBAL_EPARSE, -1, "%s",
                     "a taint is key=value:Effect or key:Effect, the effect NoSchedule, "
                     "PreferNoSchedule or NoExecute");
}

static int32_t read_one_taint(const struct rebali_reading *reading, int needs_effect) {
  rebal_error local = REBAL_ERROR_INIT;
  const char *text;
  struct rebali_taint_text taint;
  int32_t code = rebali_reading_known(reading, taint_members, REBALI_COUNT(taint_members));
  if (code == REBAL_OK) {
    code = rebali_reading_text(reading, "cluster", 1, &text);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_text(reading, "node", 0, &text);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_text(reading, "taint", 1, &text);
  }
  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_taint_split(text, needs_effect, &taint, &local);
  if (code == REBAL_ENOMEM) {
    return rebali_fail_memory(reading->err);
  }
  free(taint.text);
  return code == REBAL_OK ? code : rebali_reading_fail(reading, "taint", local.message);
}

static int32_t read_taint(const struct rebali_reading *outer, const char *name, int needs_effect,
                          const rebal_value **out) {
  struct rebali_reading reading = *outer;
  int32_t code = REBAL_OK;
  *out = rebali_find(outer->map, name);
  for (size_t i = 0; code == REBAL_OK && i < rebali_change_count(*out); i++) {
    char prefix[32];
    rebali_change_prefix(*out, name, i, prefix, sizeof prefix);
    reading.prefix = prefix;
    reading.map = rebali_change_at(*out, i);
    code = rebali_is_map(reading.map) ? read_one_taint(&reading, needs_effect)
                                      : rebali_reading_fail(outer, name, "expected a map or a list of maps");
  }
  return code;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

/* Opens a member that names an object, with its other known members; inner->map is NULL if it is absent. */
static int32_t open_named(const struct rebali_reading *outer, const char *member, const char *prefix,
                          const char *const *known, size_t n, struct rebali_reading *inner, struct rebali_name *name) {
  int32_t code;
  *inner = *outer;
  inner->prefix = prefix;
  code = rebali_reading_member(outer, member, REBAL_VALUE_KIND_MAP, 0, &inner->map);
  if (code == REBAL_OK && inner->map != NULL) {
    code = rebali_reading_known(inner, known, n);
    code = code == REBAL_OK ? rebali_reading_name(inner, name) : code;
  }
  return code;
}

static int32_t read_named(const struct rebali_reading *outer, const char *member, const char *prefix,
                          const rebal_value **out) {
  struct rebali_reading reading;
  struct rebali_name name;
  const int32_t code = open_named(outer, member, prefix, name_members, REBALI_COUNT(name_members), &reading, &name);
  *out = reading.map;
  return code;
}

/* Opens such a member that also has a number. */
static int32_t read_counted(const struct rebali_reading *outer, const char *member, const char *prefix,
                            const char *number, const rebal_value **out) {
  const char *const members[] = {"kind", "namespace", "name", number};
  struct rebali_reading reading;
  struct rebali_name name;
  const rebal_value *value;
  int32_t code = open_named(outer, member, prefix, members, REBALI_COUNT(members), &reading, &name);
  *out = reading.map;
  if (code != REBAL_OK || *out == NULL) {
    return code;
  }
  code = rebali_reading_member(&reading, number, REBAL_VALUE_KIND_NUMBER, 1, &value);
  return code == REBAL_OK ? rebali_reading_count(&reading, number) : code;
}

static int is_among(const char *text, const char *const *list, size_t n) {
  size_t i = 0;
  while (i < n && strcmp(text, list[i]) != 0) {
    i++;
  }
  return i < n;
}

/* Checks that a patch of a binding changes only members that users set. */
static int32_t check_binding_patch(const struct rebali_reading *reading, const rebal_value *merge) {
  for (const char *key = rebal_value_next_key(merge, NULL); key != NULL; key = rebal_value_next_key(merge, key)) {
    const rebal_value *inner = rebali_find(merge, key);
    const char *below = rebal_value_next_key(inner, NULL);
    do {
      char path[128];
      (void)snprintf(path, sizeof path, "%s%s%s", key, below != NULL ? "." : "", below != NULL ? below : "");
      if (!is_among(path, patched_of_binding, REBALI_COUNT(patched_of_binding))) {
        return rebali_reading_fail(reading, "merge",
                                   "of a binding a step patches spec.suspension, metadata.labels and "
                                   "metadata.annotations: controllers write the rest");
      }
      below = rebal_value_next_key(inner, below);
    } while (below != NULL);
  }
  return REBAL_OK;
}

static int32_t read_patch(const struct rebali_reading *outer, const rebal_value **out) {
  static const char *const members[] = {"kind", "namespace", "name", "merge"};
  struct rebali_reading reading;
  struct rebali_name name;
  const rebal_value *merge = NULL;
  int32_t code = open_named(outer, "patch", "patch.", members, REBALI_COUNT(members), &reading, &name);
  *out = reading.map;
  if (code == REBAL_OK && *out != NULL) {
    code = rebali_reading_member(&reading, "merge", REBAL_VALUE_KIND_MAP, 1, &merge);
  }
  if (code != REBAL_OK || *out == NULL) {
    return code;
  }
  if (is_among(name.kind, bindings, REBALI_COUNT(bindings))) {
    return check_binding_patch(&reading, merge);
  }
  if (is_among(name.kind, refused_kinds, REBALI_COUNT(refused_kinds))) {
    return rebali_reading_fail(&reading, "kind", "a step patches no works or events: controllers write them");
  }
  return rebali_find(merge, "status") == NULL
             ? REBAL_OK
             : rebali_reading_fail(&reading, "merge.status", "a step sets no status: controllers write it");
}

static int32_t read_faults(const struct rebali_reading *outer, const rebal_value **out) {
  static const char *const members[] = {"kind", "namespace", "name", "answer", "times"};
  struct rebali_reading reading;
  struct rebali_name name;
  const char *answer;
  int32_t code = open_named(outer, "failWrites", "failWrites.", members, REBALI_COUNT(members), &reading, &name);
  *out = reading.map;
  if (code != REBAL_OK || *out == NULL) {
    return code;
  }
  code = rebali_reading_count(&reading, "times");
  if (code == REBAL_OK) {
    code = rebali_reading_text(&reading, "answer", 1, &answer);
  }
  return code == REBAL_OK && rebali_fault_find(answer) == NULL
             ? rebali_reading_fail(&reading, "answer", "the answer is Conflict, Denied or Timeout")
             : code;
}

/* The refused object must be in the step's apply. */
static int32_t read_refused(const struct rebali_reading *reading, struct rebali_scenario_step *step) {
  const int32_t code = rebali_reading_text(reading, "refused", 0, &step->refused);
  if (rebali_find(reading->map, "refused") == NULL) {
    step->refused = NULL;
    return code;
  }
  return code == REBAL_OK && step->apply == NULL
             ? rebali_reading_fail(reading, "refused", "only what a step applies can be refused")
             : code;
}

/* In other scenarios controllers run by themselves, and would undo what is created. */
static int32_t read_paused(const struct rebali_reading *reading, struct rebali_scenario_step *step) {
  int32_t code = read_counted(reading, "create", "create.", "pods", &step->create);
  if (code == REBAL_OK) {
    code = read_named(reading, "reconcile", "reconcile.", &step->reconcile);
  }
  return code == REBAL_OK && !reading->scenario->is_paused && (step->create != NULL || step->reconcile != NULL)
             ? rebali_reading_fail(reading, step->create != NULL ? "create" : "reconcile",
                                   "only a step of a paused scenario does this")
             : code;
}

/* at is a time, or a duration since the start of the scenario. */
static int32_t read_at(const struct rebali_reading *reading, rebal_time *at) {
  const rebal_time *start = &reading->scenario->options.start;
  const rebal_value *value;
  int64_t ns = 0;
  int32_t code = rebali_reading_member(reading, "at", REBAL_VALUE_KIND_TEXT, 0, &value);
  if (code != REBAL_OK || value == NULL) {
    return code;
  }
  if (rebali_duration_parse(rebal_value_text(value, NULL), &ns) != REBAL_EPARSE) {
    code = rebali_reading_duration(reading, "at", &ns);
    *at = rebali_time_after(start, ns);
    return code;
  }
  code = rebali_reading_time(reading, "at", at);
  if (code == REBAL_OK && rebali_time_compare(at, start) < 0) {
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
  if (code == REBAL_OK && step->at.is_set && rebali_find(reading->map, "after") != NULL) {
    code = rebali_reading_fail(reading, "after", "a step has at or after, not both");
  }
  return code == REBAL_OK ? rebali_reading_duration(reading, "advance", &step->advance_ns) : code;
}

static int32_t read_plan(const struct rebali_reading *outer, const rebal_value **out) {
  struct rebali_reading reading = *outer;
  struct rebali_plan_words words;
  const int32_t code = rebali_reading_member(outer, "plan", REBAL_VALUE_KIND_MAP, 0, out);
  if (code != REBAL_OK || *out == NULL) {
    return code;
  }
  if (outer->scenario->is_paused) {
    return rebali_reading_fail(outer, "plan", "no controller carries out a plan in a paused scenario");
  }
  reading.prefix = "plan.";
  reading.map = *out;
  return rebali_plan_words_read(&reading, &words);
}

static int32_t read_expectations(const struct rebali_reading *reading, struct rebali_scenario_step *step) {
  struct rebali_expectation expectation;
  int32_t code = rebali_reading_member(reading, "expect", REBAL_VALUE_KIND_LIST, 0, &step->expect);
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(step->expect); i++) {
    code = rebali_expectation_read(reading->scenario, step, i, &expectation, reading->err);
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

static int32_t read_metadata(const struct rebali_reading *reading, struct rebali_scenario_step *step) {
  const rebal_value *metadata, *name;
  const int32_t code = rebali_reading_member(reading, "metadata", REBAL_VALUE_KIND_MAP, 0, &metadata);
  name = code == REBAL_OK ? rebali_find(metadata, "name") : NULL;
  step->name = rebal_value_text(name, NULL);
  return code == REBAL_OK && name != NULL && rebal_value_kind(name) != REBAL_VALUE_KIND_TEXT
             ? rebali_reading_fail(reading, "metadata.name", "expected text")
             : code;
}

int32_t rebali_step_read(const struct rebali_scenario *scenario, uint32_t document, const rebal_value *map,
                         const rebal_manifest_limits *limits, struct rebali_scenario_step *step, rebal_error *err) {
  const struct rebali_reading reading = {scenario, document, "", map, err};
  int32_t code = check_members(&reading);
  *step = (struct rebali_scenario_step){.document = document, .name = ""};
  if (code == REBAL_OK) {
    code = read_metadata(&reading, step);
  }
  if (code == REBAL_OK) {
    code = read_times(&reading, step);
  }
  if (code == REBAL_OK) {
    code = read_apply(&reading, limits, &step->apply);
  }
  if (code == REBAL_OK) {
    code = read_refused(&reading, step);
  }
  if (code == REBAL_OK) {
    code = read_patch(&reading, &step->patch);
  }
  if (code == REBAL_OK) {
    code = read_faults(&reading, &step->faults);
  }
  if (code == REBAL_OK) {
    code = read_counted(&reading, "scale", "scale.", "replicas", &step->scale);
  }
  if (code == REBAL_OK) {
    code = read_paused(&reading, step);
  }
  if (code == REBAL_OK) {
    code = read_taint(&reading, "taint", 1, &step->taint);
  }
  if (code == REBAL_OK) {
    code = read_taint(&reading, "untaint", 0, &step->untaint);
  }
  if (code == REBAL_OK) {
    code = read_named(&reading, "delete", "delete.", &step->delete);
  }
  if (code == REBAL_OK) {
    code = rebali_member_changes_read(&reading, step);
  }
  if (code == REBAL_OK) {
    code = read_plan(&reading, &step->plan);
  }
  return code == REBAL_OK ? read_expectations(&reading, step) : code;
}
