/* SPDX-License-Identifier: MIT */
/* rebalancectl spread: which subset of its WorkloadSpread each pod is in, its deletion cost, and what happens next. */
#include "findings.h"
#include "html/html.h"
#include "spread/spread.h"

#include <stdlib.h>
#include <string.h>

/* ---- which WorkloadSpreads ---- */

/* Does a WorkloadSpread have the name, NAME or NAMESPACE/NAME? */
static int is_concerned(const struct world *world, uint32_t object, const char *word) {
  const char *name = strchr(word, '/') != NULL ? strchr(word, '/') + 1 : word;
  const size_t len = name != word ? (size_t)(name - word) - 1 : 0;
  const char *namespace_ = world_text(world, object, "metadata.namespace");
  if (name != word && (strlen(namespace_) != len || memcmp(namespace_, word, len) != 0)) {
    return 0;
  }
  return strcmp(world_text(world, object, "metadata.name"), name) == 0;
}

static enum status refuse(const char *fault, const char *word) {
  complain("rebalancectl: %s%s%s", fault, word != NULL ? " " : "", word != NULL ? word : "");
  return STATUS_INPUT;
}

/* Is a change of the pods requested? */
static int is_story(const struct options *options) {
  return options->has_create || options->has_scale || options->is_rollout;
}

/* Selects the requested WorkloadSpreads: at least one, and only one for a change. The caller frees the list. */
static enum status choose_spreads(const struct world *world, uint32_t **objects, size_t *n) {
  const struct options *options = world->options;
  size_t kept = 0;
  const enum status status = world_objects(world, "WorkloadSpread", objects, n);
  if (status != STATUS_DONE) {
    return status;
  }
  if (*n == 0) {
    return refuse("no WorkloadSpread: the files contain none", NULL);
  }
  for (size_t i = 0; i < *n; i++) {
    if (is_in_namespace(world, (*objects)[i]) &&
        (options->spread == NULL || is_concerned(world, (*objects)[i], options->spread))) {
      (*objects)[kept++] = (*objects)[i];
    }
  }
  *n = kept;
  if (kept == 0) {
    return options->spread != NULL ? refuse("no WorkloadSpread named", options->spread)
                                   : refuse("no WorkloadSpread in namespace", options->namespace_);
  }
  return kept > 1 && is_story(options)
             ? refuse("the files contain several WorkloadSpreads; select one with --spread", NULL)
             : STATUS_DONE;
}

/* ---- the verb ---- */

static enum status report(struct story *story, const uint32_t *objects, size_t n) {
  const struct options *options = story->world->options;
  enum status status = STATUS_DONE;
  if (options->is_rollout) {
    return story_roll_out(story, objects[0]);
  }
  if (is_story(options)) {
    return story_change(story, objects[0]);
  }
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    story->is_missing |= !has_workload(story, objects[i]);
    status = story_pass(story, objects[i], "pass");
  }
  return status;
}

static enum status append_page(const void *user, struct output *out) {
  return spread_page(user, out);
}

static enum status write_answer(const struct story *story, struct output *out) {
  const enum format format = story->world->options->format;
  enum status status = format == FORMAT_TABLE ? spread_table(story, out) : spread_report(story, out);
  if (status == STATUS_DONE && story->world->options->html != NULL) {
    status = html_save(story->world->options, append_page, story);
  }
  return status == STATUS_DONE && (story->is_missing || story_is_short(story)) ? STATUS_CANNOT : status;
}

static enum status run(struct story *story, struct output *out) {
  uint32_t *objects = NULL;
  size_t n;
  enum status status = choose_spreads(story->world, &objects, &n);
  if (status == STATUS_DONE) {
    status = story_open_feed(story);
  }
  if (status == STATUS_DONE) {
    status = report(story, objects, n);
  }
  if (status == STATUS_DONE) {
    status = write_answer(story, out);
  }
  free(objects);
  return status;
}

enum status spread_run(const struct options *options, struct output *out) {
  struct world world;
  struct story story = {.world = &world, .cluster = REBAL_NONE, .now = options->now};
  enum status status = world_new(&world, options);
  if (status == STATUS_DONE) {
    status = load_files(options, world.store, &world.loaded);
  }
  if (status == STATUS_DONE) {
    status = run(&story, out);
  }
  if (status == STATUS_DONE || status == STATUS_CANNOT) {
    const enum status reported = findings_report_loaded(&world, REPEAT_OF_SPREAD);
    status = reported == STATUS_DONE ? status : reported;
  }
  story_close(&story);
  world_close(&world);
  return status;
}
