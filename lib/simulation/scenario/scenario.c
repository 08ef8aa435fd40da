/* SPDX-License-Identifier: MIT */
/* The text of a scenario: its head, its objects, its steps (rebalance-scenario(5)). */
#include "simulation/scenario/simulation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION "simulation.rebalance/v1"
#define DEFAULT_START INT64_C(1704067200) /* 2024-01-01T00:00:00Z */
#define MOST_PODS 10000000
#define MOST_NODES 5000
#define DEFAULT_READY_AFTER (10 * REBALI_SECOND_NS)

static const char *const scenario_members[] = {"apiVersion", "kind",    "metadata",  "description",
                                               "maxPods",    "members", "paused",    "readyAfter",
                                               "options",    "start",   "workloads", "reportAfter"};
static const char *const member_members[] = {"nodes", "readyAfter", "reportAfter"};
static const char *const node_members[] = {"allocatable", "count", "labels", "name", "taints", "unschedulable"};

/* ---- errors ------------------------------------------------------------------------------------------------------ */

void rebali_scenario_place(const struct rebali_scenario *scenario, uint32_t document, rebal_error *err) {
  uint32_t line = 0, column = 0;
  if (err == NULL || err->struct_size < sizeof *err) {
    return;
  }
  (void)rebal_manifest_locate(scenario->text, scenario->text_len, document, err->field, strlen(err->field), &line,
                              &column, NULL);
  err->document = document;
  err->line = line;
  err->column = column;
}

static void set_field(rebal_error *err, const char *field, const char *below) {
  char whole[2 * sizeof err->field + 1]; /* rebali_fail_field() cuts it */
  const char *dot = field[0] == '\0' || below[0] == '\0' || below[0] == '[' ? "" : ".";
  if (err == NULL || err->struct_size < sizeof *err) {
    return;
  }
  (void)snprintf(whole, sizeof whole, "%s%s%s", field, dot, below);
  rebali_fail_field(err, whole);
}

int32_t rebali_scenario_fail(const struct rebali_scenario *scenario, uint32_t document, const char *field,
                             rebal_error *err, int32_t code, const char *format, ...) {
  char message[sizeof err->message];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  (void)rebali_fail(err, code, -1, "%s", message);
  set_field(err, field, "");
  rebali_scenario_place(scenario, document, err);
  return code;
}

int32_t rebali_scenario_pass(const struct rebali_scenario *scenario, uint32_t document, const char *field,
                             const rebal_error *local, rebal_error *err) {
  (void)rebali_fail(err, local->code, -1, "%s", local->message);
  set_field(err, field, local->field);
  rebali_scenario_place(scenario, document, err);
  return local->code;
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

/* Opens a map of a document as a separate reading; if it is missing, an empty map. */
static int32_t open_map(const struct rebali_reading *outer, const char *name, const char *prefix,
                        struct rebali_reading *inner) {
  *inner = *outer;
  inner->prefix = prefix;
  return rebali_reading_member(outer, name, REBAL_VALUE_KIND_MAP, 0, &inner->map);
}

/* Checks a node where the store does not, because it makes no Node of it. */
static int32_t check_node(const struct rebali_reading *reading) {
  const rebal_value *value;
  int64_t count = 1;
  int32_t code = rebali_reading_known(reading, node_members, REBALI_COUNT(node_members));
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "name", REBAL_VALUE_KIND_TEXT, 1, &value);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "allocatable", REBAL_VALUE_KIND_MAP, 1, &value);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(reading, "count", REBAL_VALUE_KIND_NUMBER, 0, &value);
  }
  if (code == REBAL_OK && value != NULL && (!rebali_number(value, &count) || count < 1 || count > MOST_NODES)) {
    code = rebali_reading_fail(reading, "count", "expected a whole number from 1 to 5000");
  }
  return code;
}

static int32_t read_nodes(const struct rebali_reading *outer, const rebal_value **out) {
  int32_t code = rebali_reading_member(outer, "nodes", REBAL_VALUE_KIND_LIST, 0, out);
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(*out); i++) {
    struct rebali_reading reading = *outer;
    char prefix[160];
    (void)snprintf(prefix, sizeof prefix, "%snodes[%zu].", outer->prefix, i);
    reading.prefix = prefix;
    reading.map = rebal_value_item(*out, i);
    code = rebali_is_map(reading.map) ? check_node(&reading) : rebali_reading_fail(outer, "nodes", "a node is a map");
  }
  return code;
}

static int32_t read_member(struct rebali_scenario *scenario, const struct rebali_reading *outer, const char *cluster,
                           const rebal_value *map) {
  char prefix[128];
  struct rebali_reading reading = *outer;
  struct rebali_member_option *member;
  int32_t code = rebali_reserve_malloc(&scenario->members, &scenario->members_capacity, scenario->n_members + 1,
                                       sizeof *member, outer->err);
  if (code != REBAL_OK) {
    return code;
  }
  (void)snprintf(prefix, sizeof prefix, "members[\"%s\"].", cluster);
  reading.prefix = prefix;
  reading.map = map;
  if (!rebali_is_map(map)) {
    return rebali_reading_fail(outer, "members", "expected a map for a member");
  }
  member = &scenario->members[scenario->n_members];
  *member = (struct rebali_member_option){cluster, scenario->ready_after_ns, scenario->report_after_ns, NULL};
  code = rebali_reading_known(&reading, member_members, REBALI_COUNT(member_members));
  if (code == REBAL_OK) {
    code = rebali_reading_duration(&reading, "readyAfter", &member->ready_after_ns);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_duration(&reading, "reportAfter", &member->report_after_ns);
  }
  if (code == REBAL_OK) {
    code = read_nodes(&reading, &member->nodes);
  }
  scenario->n_members += code == REBAL_OK;
  return code;
}

static int32_t read_members(struct rebali_scenario *scenario, const struct rebali_reading *reading) {
  const rebal_value *members;
  int32_t code = rebali_reading_member(reading, "members", REBAL_VALUE_KIND_MAP, 0, &members);
  for (const char *key = rebal_value_next_key(members, NULL); code == REBAL_OK && key != NULL;
       key = rebal_value_next_key(members, key)) {
    code = read_member(scenario, reading, key, rebali_find(members, key));
  }
  return code;
}

static int32_t read_workloads(struct rebali_scenario *scenario, const struct rebali_reading *outer) {
  static const char *const members[] = {"kinds"};
  struct rebali_reading reading;
  const rebal_value *kinds = NULL;
  int32_t code = open_map(outer, "workloads", "workloads.", &reading);
  scenario->workloads = reading.map;
  if (code == REBAL_OK) {
    code = rebali_reading_known(&reading, members, 1);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(&reading, "kinds", REBAL_VALUE_KIND_LIST, 0, &kinds);
  }
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(kinds); i++) {
    if (rebal_value_kind(rebal_value_item(kinds, i)) != REBAL_VALUE_KIND_TEXT) {
      code = rebali_reading_fail(&reading, "kinds", "expected names of kinds");
    }
  }
  scenario->options.kinds = kinds;
  return code;
}

static int32_t read_max_pods(struct rebali_scenario *scenario, const struct rebali_reading *reading) {
  const rebal_value *value;
  const int32_t code = rebali_reading_member(reading, "maxPods", REBAL_VALUE_KIND_NUMBER, 0, &value);
  if (code == REBAL_OK && value != NULL &&
      (!rebali_number(value, &scenario->max_pods) || scenario->max_pods < 1 || scenario->max_pods > MOST_PODS)) {
    return rebali_reading_fail(reading, "maxPods", "expected a whole number from 1 to 10000000");
  }
  return code;
}

/* Steps can run controllers only in the scenario's own cluster. */
static int32_t read_paused(struct rebali_scenario *scenario, const struct rebali_reading *reading) {
  const rebal_value *value;
  const int32_t code = rebali_reading_member(reading, "paused", REBAL_VALUE_KIND_BOOLEAN, 0, &value);
  scenario->is_paused = code == REBAL_OK && rebali_is_true(value);
  return code == REBAL_OK && scenario->is_paused && scenario->workloads == NULL
             ? rebali_reading_fail(reading, "paused", "only a scenario with workloads can be paused")
             : code;
}

static int32_t read_head(struct rebali_scenario *scenario, const rebal_value *map, rebal_error *err) {
  const struct rebali_reading reading = {scenario, 1, "", map, err};
  struct rebali_reading options;
  int32_t code;
  if (!rebali_reads(rebali_find(map, "kind"), "Scenario")) {
    return rebali_reading_fail(&reading, "kind", "the first document of a scenario has kind Scenario");
  }
  if (!rebali_reads(rebali_find(map, "apiVersion"), API_VERSION)) {
    return rebali_reading_fail(&reading, "apiVersion", "the apiVersion of a scenario is " API_VERSION);
  }
  code = rebali_reading_known(&reading, scenario_members, REBALI_COUNT(scenario_members));
  if (code == REBAL_OK) {
    code = rebali_reading_time(&reading, "start", &scenario->options.start);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_duration(&reading, "readyAfter", &scenario->ready_after_ns);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_duration(&reading, "reportAfter", &scenario->report_after_ns);
  }
  if (code == REBAL_OK) {
    code = read_max_pods(scenario, &reading);
  }
  if (code == REBAL_OK) {
    code = open_map(&reading, "options", "options.", &options);
  }
  if (code == REBAL_OK) {
    code = rebali_scenario_options(scenario, &options);
  }
  if (code == REBAL_OK) {
    code = read_members(scenario, &reading);
  }
  if (code == REBAL_OK) {
    code = read_workloads(scenario, &reading);
  }
  return code == REBAL_OK ? read_paused(scenario, &reading) : code;
}

/* Tests whether the cluster exists at the start, or a step applies it. */
static int is_registered(const struct rebali_scenario *scenario, const char *cluster, const rebal_store *store) {
  int is_found = rebal_store_find(store, "Cluster", 7, "", 0, cluster, strlen(cluster)) != REBAL_NONE;
  for (size_t i = 0; !is_found && i < scenario->n_steps; i++) {
    is_found = rebali_step_has_cluster(&scenario->steps[i], cluster);
  }
  return is_found;
}

static int32_t check_members(const struct rebali_scenario *scenario, const rebal_store *store, rebal_error *err) {
  for (size_t i = 0; i < scenario->n_members; i++) {
    char field[sizeof err->field];
    if (!is_registered(scenario, scenario->members[i].cluster, store)) {
      (void)snprintf(field, sizeof field, "members[\"%s\"]", scenario->members[i].cluster);
      return rebali_scenario_fail(scenario, 1, field, err, REBAL_EPARSE,
                                  "there is no such cluster, neither at the start nor in the apply of a step");
    }
  }
  return REBAL_OK;
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

/* Refuses negative replicas, which a store accepts but no scheduler writes. */
static int32_t check_list(const struct rebali_reading *reading, const char *list) {
  const rebal_value *items = rebali_find(rebali_find(reading->map, "spec"), list);
  for (size_t i = 0; i < rebal_value_count(items); i++) {
    char field[160];
    if (rebali_number_or(rebali_find(rebal_value_item(items, i), "replicas"), 0) < 0) {
      (void)snprintf(field, sizeof field, "%sspec.%s[%zu].replicas", reading->prefix, list, i);
      return rebali_scenario_fail(reading->scenario, reading->document, field, reading->err, REBAL_ERANGE,
                                  "a number of replicas is not negative");
    }
  }
  return REBAL_OK;
}

static int32_t check_object(const struct rebali_reading *reading) {
  const rebal_value *kind = rebali_find(reading->map, "kind");
  int32_t code = REBAL_OK;
  if (rebali_reads(kind, "ResourceBinding") || rebali_reads(kind, "ClusterResourceBinding")) {
    code = check_list(reading, "clusters");
    return code == REBAL_OK ? check_list(reading, "gracefulEvictionTasks") : code;
  }
  return code;
}

/* Checks an object, or the items of a List. */
static int32_t check_objects(const struct rebali_reading *outer) {
  const rebal_value *items = rebali_find(outer->map, "items");
  int32_t code = check_object(outer);
  for (size_t i = 0; code == REBAL_OK && i < rebal_value_count(items); i++) {
    struct rebali_reading reading = *outer;
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "%sitems[%zu].", outer->prefix, i);
    reading.prefix = prefix;
    reading.map = rebal_value_item(items, i);
    code = check_object(&reading);
  }
  return code;
}

/* Applies the objects, one a line between the first document and the steps. */
static int32_t apply_objects(const struct rebali_scenario *scenario, const char *lines, size_t len, rebal_store *store,
                             rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  int32_t code;
  if (len == 0) {
    return REBAL_OK;
  }
  code = rebal_store_apply(store, lines, len, &scenario->options.start, &local);
  return code == REBAL_OK ? code : rebali_scenario_pass(scenario, local.document + 1, "", &local, err);
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

static int32_t read_step(struct rebali_scenario *scenario, uint32_t document, const rebal_value *map,
                         const rebal_manifest_limits *limits, rebal_error *err) {
  int32_t code = rebali_reserve_malloc(&scenario->steps, &scenario->steps_capacity, scenario->n_steps + 1,
                                       sizeof *scenario->steps, err);
  if (code == REBAL_OK) {
    code = rebali_step_read(scenario, document, map, limits, &scenario->steps[scenario->n_steps], err);
  }
  scenario->n_steps += code == REBAL_OK;
  return code;
}

/* Tests whether a document cannot be an object of Kubernetes. */
static int is_misnamed(const rebal_value *map) {
  const rebal_value *version = rebali_find(map, "apiVersion");
  return version == NULL || rebali_reads(version, API_VERSION);
}

static int32_t read_document(struct rebali_scenario *scenario, uint32_t document, const rebal_value *map,
                             const rebal_manifest_limits *limits, rebal_error *err) {
  const rebal_value *kind = rebali_find(map, "kind");
  if (!rebali_is_map(map)) {
    return rebali_scenario_fail(scenario, document, "", err, REBAL_EPARSE, "a document of a scenario is a map");
  }
  if (document == 1) {
    return read_head(scenario, map, err);
  }
  if (rebali_reads(kind, "Scenario")) {
    return rebali_scenario_fail(scenario, document, "kind", err, REBAL_EPARSE, "a scenario is one document, the first");
  }
  if (rebali_reads(kind, "Event")) {
    return rebali_scenario_fail(scenario, document, "kind", err, REBAL_EPARSE,
                                "events come out of controllers, a scenario sets none");
  }
  if (rebali_reads(kind, "Step")) {
    return read_step(scenario, document, map, limits, err);
  }
  if (rebal_value_kind(kind) == REBAL_VALUE_KIND_TEXT && is_misnamed(map)) {
    return rebali_scenario_fail(scenario, document, "kind", err, REBAL_EPARSE,
                                "a document of kind \"%s\" is neither a Step, a Scenario nor an object with an "
                                "apiVersion",
                                rebal_value_text(kind, NULL));
  }
  if (scenario->n_steps > 0) {
    return rebali_scenario_fail(scenario, document, "kind", err, REBAL_EPARSE,
                                "after the first step, objects must be in the apply of a step");
  }
  return check_objects(&(struct rebali_reading){scenario, document, "", map, err});
}

/* Keeps a document that is read again while the scenario runs, and sets *document to NULL. */
static int32_t keep(struct rebali_scenario *scenario, uint32_t number, rebal_document **document, rebal_error *err) {
  const rebal_value *map = rebal_document_value(*document, "");
  int32_t code;
  if (number == 1 || rebali_reads(rebali_find(map, "kind"), "Step")) {
    code = rebali_reserve_malloc(&scenario->documents, &scenario->documents_capacity, scenario->n_documents + 1,
                                 sizeof(*scenario->documents), err);
    if (code == REBAL_OK) {
      scenario->documents[scenario->n_documents++] = *document;
      *document = NULL;
    }
    return code;
  }
  if (!rebali_is_admitted(scenario, map) && rebali_find(map, "items") == NULL) {
    return REBAL_OK;
  }
  code = rebali_reserve_malloc(&scenario->admitted, &scenario->admitted_capacity, scenario->n_admitted + 1,
                               sizeof *scenario->admitted, err);
  if (code == REBAL_OK) {
    scenario->admitted[scenario->n_admitted++] = (struct rebali_admitted_document){number, *document};
    *document = NULL;
  }
  return code;
}

static int32_t read_line(struct rebali_scenario *scenario, uint32_t number, struct rebali_text line,
                         const rebal_manifest_limits *limits, rebal_error *err) {
  rebal_document *document = NULL;
  const rebal_value *map = NULL;
  int32_t code = rebal_document_read(line.bytes, line.len, limits, &document, err);
  if (code == REBAL_OK) {
    map = rebal_document_value(document, "");
    code = keep(scenario, number, &document, err);
  }
  if (code == REBAL_OK) {
    code = read_document(scenario, number, map, limits, err);
  }
  rebal_document_free(document);
  return code;
}

static int32_t read_documents(struct rebali_scenario *scenario, const rebal_manifest_limits *limits,
                              struct rebali_text lines, rebal_store *store, rebal_error *err) {
  size_t first = 0, last = 0;
  uint32_t document = 0;
  int32_t code = REBAL_OK;
  for (size_t at = 0; code == REBAL_OK && at < lines.len;) {
    const char *end = memchr(lines.bytes + at, '\n', lines.len - at);
    const struct rebali_text line = {lines.bytes + at, (size_t)(end - (lines.bytes + at))};
    at += line.len + 1;
    code = read_line(scenario, ++document, line, limits, err);
    first = document == 1 ? at : first;
    last = scenario->n_steps == 0 ? at : last;
  }
  if (code == REBAL_OK && document == 0) {
    return rebali_scenario_fail(scenario, 0, "", err, REBAL_EPARSE, "the scenario is empty");
  }
  if (code == REBAL_OK) {
    code = apply_objects(scenario, lines.bytes + first, last - first, store, err);
  }
  return code == REBAL_OK ? check_members(scenario, store, err) : code;
}

int32_t rebali_scenario_read(struct rebali_scenario *scenario, const rebal_manifest_limits *limits, const char *text,
                             size_t len, rebal_store *store, rebal_error *err) {
  const rebal_rewrite_opts opts = {.struct_size = sizeof opts, .limits = limits};
  rebal_text *written = NULL;
  struct rebali_text lines;
  int32_t code = rebal_text_new(&written, err);
  *scenario = (struct rebali_scenario){.ready_after_ns = DEFAULT_READY_AFTER};
  scenario->options.start = (rebal_time){DEFAULT_START, 0, 1};
  if (code == REBAL_OK) {
    code = rebal_manifest_rewrite(text, len, &opts, written, err);
  }
  if (code == REBAL_OK) {
    scenario->text_len = len == REBAL_TERMINATED ? strlen(text) : len;
    scenario->text = malloc(scenario->text_len + 1);
    code = scenario->text != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  if (code == REBAL_OK) {
    memcpy(scenario->text, scenario->text_len > 0 ? text : "", scenario->text_len);
    scenario->text[scenario->text_len] = '\0';
    lines.bytes = rebal_text_bytes(written, &lines.len);
    code = read_documents(scenario, limits, lines, store, err);
  }
  rebal_text_free(written);
  return code;
}

void rebali_scenario_dispose(struct rebali_scenario *scenario) {
  for (size_t i = 0; i < scenario->n_documents; i++) {
    rebal_document_free(scenario->documents[i]);
  }
  for (size_t i = 0; i < scenario->n_admitted; i++) {
    rebal_document_free(scenario->admitted[i].document);
  }
  free(scenario->text);
  free(scenario->documents);
  free(scenario->admitted);
  free(scenario->steps);
  free(scenario->members);
  *scenario = (struct rebali_scenario){.text = NULL};
}
