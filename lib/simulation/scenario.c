/* SPDX-License-Identifier: MIT */
/* A scenario's text: its options, its objects, its steps (rebalance-scenario(5)). */
#include "member.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API_VERSION "simulation.rebalance/v1"
#define DEFAULT_START INT64_C(1704067200) /* 2024-01-01T00:00:00Z */
#define MOST_PODS 10000000
#define DEFAULT_READY_AFTER (10 * REBALI_SECOND_NS)

static const char *const scenario_members[] = {"apiVersion", "kind",       "metadata", "description", "maxPods",
                                               "members",    "readyAfter", "options",  "start",       "workloads"};
static const char *const member_members[] = {"nodes", "readyAfter"};

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
  char whole[sizeof err->field];
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

/* The member option of a document's map, as a reading of its own; absent gives an empty map. */
static int32_t open_map(const struct rebali_reading *outer, const char *name, const char *prefix,
                        struct rebali_reading *inner) {
  *inner = *outer;
  inner->prefix = prefix;
  return rebali_reading_member(outer, name, REBALI_JSON_MAP, 0, &inner->map);
}

static int32_t read_member(struct rebali_scenario *scenario, const struct rebali_reading *outer,
                           struct rebali_slice cluster, struct rebali_slice map) {
  char prefix[128];
  struct rebali_reading reading = *outer;
  struct rebali_member_option *member;
  int32_t code = rebali_make_room(&scenario->members, &scenario->members_capacity, scenario->n_members + 1,
                                  sizeof *member, outer->err);
  if (code != REBAL_OK) {
    return code;
  }
  (void)snprintf(prefix, sizeof prefix, "members[\"%.*s\"].", REBALI_SLICE(cluster));
  reading.prefix = prefix;
  reading.map = map;
  if (rebali_cursor_kind(map) != REBALI_JSON_MAP) {
    return rebali_reading_fail(outer, "members", "what is said of a member is a map");
  }
  member = &scenario->members[scenario->n_members];
  *member = (struct rebali_member_option){cluster, scenario->ready_after_ns, {NULL, 0}};
  code = rebali_reading_known(&reading, member_members, sizeof member_members / sizeof member_members[0]);
  if (code == REBAL_OK) {
    code = rebali_reading_duration(&reading, "readyAfter", &member->ready_after_ns);
  }
  if (code == REBAL_OK) {
    code = rebali_member_nodes_read(&reading, &member->nodes);
  }
  if (code == REBAL_OK) {
    scenario->n_members++;
  }
  return code;
}

static int32_t read_workloads(struct rebali_scenario *scenario, const struct rebali_reading *outer) {
  static const char *const members[] = {"kinds"};
  struct rebali_reading reading;
  struct rebali_slice kinds, kind;
  size_t at = 0;
  int32_t code = open_map(outer, "workloads", "workloads.", &reading);
  scenario->workloads = reading.map;
  if (code == REBAL_OK) {
    code = rebali_reading_known(&reading, members, 1);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_member(&reading, "kinds", REBALI_JSON_LIST, 0, &kinds);
  }
  while (code == REBAL_OK && rebali_cursor_item(kinds, &at, &kind)) {
    if (rebali_cursor_kind(kind) != REBALI_JSON_STRING) {
      code = rebali_reading_fail(&reading, "kinds", "names of kinds are expected");
    }
  }
  return code;
}

static int32_t read_max_pods(struct rebali_scenario *scenario, const struct rebali_reading *reading) {
  struct rebali_slice value;
  const int32_t code = rebali_reading_member(reading, "maxPods", REBALI_JSON_NUMBER, 0, &value);
  if (code == REBAL_OK && value.len > 0 &&
      (!rebali_cursor_integer(value, &scenario->max_pods) || scenario->max_pods < 1 ||
       scenario->max_pods > MOST_PODS)) {
    return rebali_reading_fail(reading, "maxPods", "a whole number from 1 to 10000000 is expected");
  }
  return code;
}

static int32_t read_head(struct rebali_scenario *scenario, struct rebali_slice map, rebal_error *err) {
  const struct rebali_reading reading = {scenario, 1, "", map, err};
  struct rebali_reading options;
  struct rebali_slice members, cluster, value;
  size_t at = 0;
  int32_t code;
  if (!rebali_slice_is(rebali_cursor_find(map, "kind"), "\"Scenario\"")) {
    return rebali_reading_fail(&reading, "kind", "the first document of a scenario has kind Scenario");
  }
  if (!rebali_slice_is(rebali_cursor_find(map, "apiVersion"), "\"" API_VERSION "\"")) {
    return rebali_reading_fail(&reading, "apiVersion", "the apiVersion of a scenario is " API_VERSION);
  }
  code = rebali_reading_known(&reading, scenario_members, sizeof scenario_members / sizeof scenario_members[0]);
  if (code == REBAL_OK) {
    code = rebali_reading_time(&reading, "start", &scenario->start);
  }
  if (code == REBAL_OK) {
    code = rebali_reading_duration(&reading, "readyAfter", &scenario->ready_after_ns);
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
    code = rebali_reading_member(&reading, "members", REBALI_JSON_MAP, 0, &members);
  }
  while (code == REBAL_OK && rebali_cursor_member(members, &at, &cluster, &value)) {
    code = read_member(scenario, &reading, cluster, value);
  }
  return code == REBAL_OK ? read_workloads(scenario, &reading) : code;
}

/* Is there a cluster of this name, as between quotes, at the start, or does a step apply it? */
static int32_t find_member(const struct rebali_scenario *scenario, struct rebali_slice key, const rebal_store *store,
                           int *is_found, rebal_error *err) {
  char *name = rebali_cursor_copy((struct rebali_slice){key.bytes - 1, key.len + 2});
  if (name == NULL) {
    return rebali_fail_memory(err);
  }
  *is_found = rebal_store_find(store, "Cluster", 7, "", 0, name, strlen(name)) != REBAL_NONE;
  free(name);
  for (size_t i = 0; !*is_found && i < scenario->n_steps; i++) {
    *is_found = rebali_step_has_cluster(&scenario->steps[i], key);
  }
  return REBAL_OK;
}

static int32_t check_members(const struct rebali_scenario *scenario, const rebal_store *store, rebal_error *err) {
  int32_t code = REBAL_OK;
  for (size_t i = 0; code == REBAL_OK && i < scenario->n_members; i++) {
    const struct rebali_slice key = scenario->members[i].cluster;
    char field[sizeof err->field];
    int is_found = 0;
    code = find_member(scenario, key, store, &is_found, err);
    if (code == REBAL_OK && !is_found) {
      (void)snprintf(field, sizeof field, "members[\"%.*s\"]", REBALI_SLICE(key));
      code = rebali_scenario_fail(scenario, 1, field, err, REBAL_EPARSE,
                                  "there is no such cluster, neither at the start nor in the apply of a step");
    }
  }
  return code;
}

static int32_t read_step(struct rebali_scenario *scenario, uint32_t document, struct rebali_slice map,
                         const rebal_manifest_limits *limits, rebal_error *err) {
  int32_t code = rebali_make_room(&scenario->steps, &scenario->steps_capacity, scenario->n_steps + 1,
                                  sizeof *scenario->steps, err);
  if (code == REBAL_OK) {
    code = rebali_step_read(scenario, document, map, limits, &scenario->steps[scenario->n_steps], err);
  }
  if (code == REBAL_OK) {
    scenario->n_steps++;
  }
  return code;
}

/* The objects stand one a line between the first document and the steps. */
static int32_t apply_objects(const struct rebali_scenario *scenario, const char *lines, size_t len, rebal_store *store,
                             rebal_error *err) {
  rebal_error local = REBAL_ERROR_INIT;
  int32_t code;
  if (len == 0) {
    return REBAL_OK;
  }
  code = rebal_store_apply(store, lines, len, &scenario->start, &local);
  return code == REBAL_OK ? code : rebali_scenario_pass(scenario, local.document + 1, "", &local, err);
}

/* A document that can be no object of Kubernetes. */
static int is_misnamed(struct rebali_slice map) {
  const struct rebali_slice version = rebali_cursor_find(map, "apiVersion");
  return rebali_cursor_kind(version) == REBALI_JSON_ABSENT || rebali_slice_is(version, "\"" API_VERSION "\"");
}

static int32_t read_document(struct rebali_scenario *scenario, uint32_t document, struct rebali_slice map,
                             const rebal_manifest_limits *limits, rebal_error *err) {
  const struct rebali_slice kind = rebali_cursor_find(map, "kind");
  const int is_step = rebali_slice_is(kind, "\"Step\"");
  if (rebali_cursor_kind(map) != REBALI_JSON_MAP) {
    return rebali_scenario_fail(scenario, document, "", err, REBAL_EPARSE, "a document of a scenario is a map");
  }
  if (document == 1) {
    return read_head(scenario, map, err);
  }
  if (rebali_slice_is(kind, "\"Scenario\"")) {
    return rebali_scenario_fail(scenario, document, "kind", err, REBAL_EPARSE, "a scenario is one document, the first");
  }
  if (rebali_slice_is(kind, "\"Event\"")) {
    return rebali_scenario_fail(scenario, document, "kind", err, REBAL_EPARSE,
                                "events come out of controllers, a scenario sets none");
  }
  if (!is_step && rebali_cursor_kind(kind) == REBALI_JSON_STRING && is_misnamed(map)) {
    return rebali_scenario_fail(scenario, document, "kind", err, REBAL_EPARSE,
                                "a document of kind %.*s is neither a Step, a Scenario nor an object with an "
                                "apiVersion",
                                REBALI_SLICE(kind));
  }
  if (is_step) {
    return read_step(scenario, document, map, limits, err);
  }
  if (scenario->n_steps > 0) {
    return rebali_scenario_fail(scenario, document, "kind", err, REBAL_EPARSE,
                                "after the first step objects stand in the apply of a step");
  }
  return rebali_objects_check(&(struct rebali_reading){scenario, document, "", map, err});
}

static int32_t read_documents(struct rebali_scenario *scenario, const rebal_manifest_limits *limits, rebal_store *store,
                              rebal_error *err) {
  size_t len, first = 0, last = 0;
  const char *lines = rebal_text_bytes(scenario->documents, &len);
  uint32_t document = 0;
  int32_t code = REBAL_OK;
  for (size_t at = 0; code == REBAL_OK && at < len;) {
    const char *end = memchr(lines + at, '\n', len - at);
    const struct rebali_slice line = {lines + at, (size_t)(end - (lines + at))};
    at += line.len + 1;
    code = read_document(scenario, ++document, line, limits, err);
    first = document == 1 ? at : first;
    last = scenario->n_steps == 0 ? at : last;
  }
  if (code == REBAL_OK && document == 0) {
    return rebali_scenario_fail(scenario, 0, "", err, REBAL_EPARSE, "the scenario is empty");
  }
  if (code == REBAL_OK) {
    code = apply_objects(scenario, lines + first, last - first, store, err);
  }
  return code == REBAL_OK ? check_members(scenario, store, err) : code;
}

int32_t rebali_scenario_read(struct rebali_scenario *scenario, const rebal_manifest_limits *limits, const char *text,
                             size_t len, rebal_store *store, rebal_error *err) {
  const rebal_rewrite_opts opts = {.struct_size = sizeof opts, .limits = limits};
  int32_t code;
  *scenario = (struct rebali_scenario){.ready_after_ns = DEFAULT_READY_AFTER};
  scenario->start = (rebal_time){DEFAULT_START, 0, 1};
  code = rebal_text_new(&scenario->documents, err);
  if (code == REBAL_OK) {
    code = rebal_manifest_rewrite(text, len, &opts, scenario->documents, err);
  }
  if (code == REBAL_OK) {
    scenario->text_len = len == REBAL_TERMINATED ? strlen(text) : len;
    scenario->text = rebali_bytes_copy(text, scenario->text_len);
    code = scenario->text != NULL ? REBAL_OK : rebali_fail_memory(err);
  }
  return code == REBAL_OK ? read_documents(scenario, limits, store, err) : code;
}

void rebali_scenario_dispose(struct rebali_scenario *scenario) {
  free(scenario->text);
  rebal_text_free(scenario->documents);
  free(scenario->steps);
  free(scenario->members);
  *scenario = (struct rebali_scenario){.text = NULL};
}
