/* SPDX-License-Identifier: MIT */
/* The files as a scenario, and its run, whose store replaces theirs. */
#include "spread/spread.h"

#include <string.h>

/* ---- the text: JSON documents, a line each ---- */

enum status scenario_add(struct report *report, struct output *text) {
  size_t len;
  const char *bytes = rebal_text_bytes(report->text.text, &len);
  put_bytes(text, bytes, len);
  put(text, "\n");
  text->failed |= report->text.failed;
  report_close(report);
  return STATUS_DONE;
}

uint32_t story_next_spread(const struct story *story, uint32_t after) {
  return rebal_store_next(story->world->store, "WorkloadSpread", 14, after);
}

/* The kind of the target of a WorkloadSpread; NULL: built in, or already listed for another one. */
static const char *reported_kind(struct story *story, uint32_t spread) {
  const char *kind = text_of(story, spread, "spec.targetRef.kind");
  uint32_t former = story_next_spread(story, REBAL_NONE);
  while (former != spread && strcmp(story_text(story->world, former, "spec.targetRef.kind"), kind) != 0) {
    former = story_next_spread(story, former);
  }
  return former != spread || kind[0] == '\0' || is_known_kind(kind) ? NULL : kind;
}

static void add_kinds(struct story *story, struct report *report) {
  report_list(report, "kinds");
  for (uint32_t spread = story_next_spread(story, REBAL_NONE); spread != REBAL_NONE;
       spread = story_next_spread(story, spread)) {
    const char *kind = reported_kind(story, spread);
    if (kind != NULL) {
      report_text(report, NULL, kind);
    }
  }
  report_list_end(report);
}

static enum status add_head(struct story *story, int is_paused, const char *ready_after, struct output *text) {
  char now[TIME_CAPACITY];
  struct report report;
  const enum status status = report_open(&report);
  if (status != STATUS_DONE) {
    return status;
  }
  report_map(&report, NULL);
  report_text(&report, "apiVersion", "simulation.rebalance/v1");
  report_text(&report, "kind", "Scenario");
  report_text(&report, "start", time_text(&story->now, now));
  report_text(&report, "readyAfter", ready_after);
  report_boolean(&report, "paused", is_paused);
  report_map(&report, "workloads");
  add_kinds(story, &report);
  report_map_end(&report);
  report_map_end(&report);
  return scenario_add(&report, text);
}

/* Controllers do not read Events, and a scenario creates its own. */
static enum status add_objects(const struct story *story, struct output *text) {
  const rebal_store *store = story->world->store;
  uint32_t object = REBAL_NONE;
  rebal_error err = REBAL_ERROR_INIT;
  while ((object = rebal_store_next(store, "", 0, object)) != REBAL_NONE) {
    if (is_kind(story, object, "Event")) {
      continue;
    }
    if (rebal_store_write(store, object, REBAL_TEXT_FORMAT_JSON, text->text, &err) != REBAL_OK) {
      return complain_of_call(&err);
    }
    put(text, "\n");
  }
  return STATUS_DONE;
}

enum status scenario_begin(struct story *story, int is_paused, const char *ready_after, struct output *text) {
  const enum status status = add_head(story, is_paused, ready_after, text);
  return status == STATUS_DONE ? add_objects(story, text) : status;
}

/* ---- the run ---- */

/* --max-input limits each file, not the sum of them. */
enum status scenario_load(const struct story *story, const struct output *text, rebal_simulation **out) {
  size_t len;
  const char *bytes = rebal_text_bytes(text->text, &len);
  const struct options *options = story->world->options;
  const rebal_manifest_limits limits = input_limits(len > options->max_input ? len : options->max_input);
  const rebal_simulation_opts opts = {.struct_size = sizeof opts,
                                      .limits = &limits,
                                      .compat = options->compat,
                                      .max_pods = INT32_MAX,
                                      .max_admissions = options->is_rollout ? 0 : UINT64_MAX};
  rebal_error err = REBAL_ERROR_INIT;
  if (text->failed) {
    return complain_of_memory();
  }
  return rebal_simulation_new(&opts, out, &err) == REBAL_OK && rebal_simulation_load(*out, bytes, len, &err) == REBAL_OK
             ? STATUS_DONE
             : complain_of_call(&err);
}

/* The store of the run replaces that of the files, which story_close() restores. */
enum status story_enter(struct story *story, const struct output *text) {
  const enum status status = scenario_load(story, text, &story->simulation);
  if (status != STATUS_DONE) {
    return status;
  }
  story->files = story->world->store;
  story->world->store = rebal_simulation_store(story->simulation);
  return story_open_feed(story);
}

struct object_name name_of(struct story *story, uint32_t object) {
  return (struct object_name){text_of(story, object, "kind"), text_of(story, object, "metadata.namespace"),
                              text_of(story, object, "metadata.name")};
}

uint32_t find_named(const rebal_store *store, const struct object_name *name) {
  return rebal_store_find(store, name->kind, strlen(name->kind), name->namespace_, strlen(name->namespace_), name->name,
                          strlen(name->name));
}
