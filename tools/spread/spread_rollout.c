/* SPDX-License-Identifier: MIT */
/* A rollout: the files as a scenario in which a workload is restarted, moment by moment. */
#include "spread/spread.h"
#include "view.h"

#include <rebalance/simulation.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Upper bound for a rollout: a moment is as long as a pod takes to be ready. */
#define MOMENT "10s"
#define MOMENT_SECONDS 10
#define MOST_MOMENTS 360

/* ---- rejected inputs ---- */

static int is_target(const struct story *story, const char *kind) {
  uint32_t spread = story_next_spread(story, REBAL_NONE);
  while (spread != REBAL_NONE && strcmp(story_text(story->world, spread, "spec.targetRef.kind"), kind) != 0) {
    spread = story_next_spread(story, spread);
  }
  return spread != REBAL_NONE;
}

/* No workload may have more pods than can be requested. */
static enum status check_workload(struct story *story, uint32_t object) {
  const char *kind = text_of(story, object, "kind");
  return is_known_kind(kind) || is_target(story, kind) ? check_replicas(story, object) : STATUS_DONE;
}

static enum status check_workloads(struct story *story) {
  uint32_t object = REBAL_NONE;
  enum status status = STATUS_DONE;
  while (status == STATUS_DONE && (object = rebal_store_next(story->world->store, "", 0, object)) != REBAL_NONE) {
    status = check_workload(story, object);
  }
  return status;
}

/* ---- the scenario ---- */

/* The workload after `kubectl rollout restart`, some moments from now. */
static enum status write_restarted(const struct story *story, uint32_t workload, size_t moments, struct output *out) {
  const rebal_time at = {story->now.seconds + (int64_t)moments * MOMENT_SECONDS, story->now.nanos, 1};
  char text_at[TIME_CAPACITY];
  struct report patch;
  struct output text;
  rebal_error err = REBAL_ERROR_INIT;
  enum status status = report_open(&patch);
  if (status != STATUS_DONE) {
    return status;
  }
  report_map(&patch, NULL);
  report_verbatim(&patch, "status", "null", 4);
  report_map(&patch, "spec");
  report_map(&patch, "template");
  report_map(&patch, "metadata");
  report_map(&patch, "annotations");
  report_text(&patch, "kubectl.kubernetes.io/restartedAt", time_text(&at, text_at));
  for (size_t i = 0; i < 5; i++) {
    report_map_end(&patch);
  }
  status = output_open(&text);
  if (status == STATUS_DONE) {
    status = rebal_store_write(story->world->store, workload, REBAL_TEXT_FORMAT_JSON, text.text, &err) == REBAL_OK
                 ? merge(rebal_text_bytes(text.text, NULL), &patch.text, out)
                 : complain_of_call(&err);
    output_close(&text);
  }
  report_close(&patch);
  return status;
}

static enum status add_restart(const struct story *story, uint32_t workload, size_t moments, struct output *text) {
  struct output object;
  enum status status = output_open(&object);
  if (status != STATUS_DONE) {
    return status;
  }
  status = write_restarted(story, workload, moments, &object);
  put(text, "{\"kind\":\"Step\",\"metadata\":{\"name\":\"restart\"},\"apply\":[");
  put(text, rebal_text_bytes(object.text, NULL));
  put(text, "]}\n");
  text->failed |= object.failed;
  output_close(&object);
  return status;
}

static void add_moments(size_t n, struct output *text) {
  for (size_t i = 0; i < n; i++) {
    put(text, "{\"kind\":\"Step\",\"metadata\":{\"name\":\"later\"},\"after\":\"" MOMENT "\"}\n");
  }
}

/* The files, moments until the restart, and moments after it. */
static enum status write_scenario(struct story *story, uint32_t workload, size_t moments, struct output *text) {
  enum status status = scenario_begin(story, 0, MOMENT, text);
  add_moments(moments, text);
  if (status == STATUS_DONE) {
    status = add_restart(story, workload, moments, text);
  }
  add_moments(MOST_MOMENTS, text);
  return status == STATUS_DONE && text->failed ? complain_of_memory() : status;
}

/* ---- the run ---- */

/* A rejected pod, whose creation its owner retries. */
static int is_refusal(const rebal_simulation_entry *entry) {
  return entry->kind == REBAL_LOG_KIND_NOTE && strcmp(entry->change, "a pod was refused") == 0;
}

/* Is the entry a change, an event or a rejection? Creations of the objects of the files are omitted. */
static int is_reported(const rebal_simulation_entry *entry, int is_first) {
  return (entry->kind == REBAL_LOG_KIND_CHANGE || entry->kind == REBAL_LOG_KIND_EVENT || is_refusal(entry)) &&
         !(is_first && strcmp(entry->controller, "scenario") == 0);
}

static size_t count_reported(const rebal_simulation *simulation, size_t first) {
  const size_t n = (size_t)summary_of(simulation).log_rows;
  size_t reported = 0;
  for (size_t i = first; i < n; i++) {
    const rebal_simulation_entry entry = log_entry(simulation, i);
    reported += (size_t)is_reported(&entry, 0);
  }
  return reported;
}

/* Reads the rows of the log from one on. */
static enum status read_log(struct story *story, struct step *step, size_t first) {
  const size_t n = (size_t)summary_of(story->simulation).log_rows;
  step->happened = calloc(n - first + 1, sizeof *step->happened);
  if (step->happened == NULL) {
    return complain_of_memory();
  }
  for (size_t i = first; i < n; i++) {
    const rebal_simulation_entry entry = log_entry(story->simulation, i);
    story->has_refusals |= is_refusal(&entry);
    if (is_reported(&entry, first == 0)) {
      step->happened[step->n_happened++] = (struct happened){
          .controller = keep(story, entry.controller),
          .object = keep(story, entry.object),
          .change = keep(story, entry.change),
          .reason = keep(story, entry.reason),
      };
    }
  }
  return STATUS_DONE;
}

/* Adds the current state and the changes since a row of the log: "restart, 2026-03-14T09:00:00Z". */
static enum status show(struct story *story, uint32_t object, const char *what, size_t first) {
  char now[TIME_CAPACITY], title[TIME_CAPACITY + 32];
  enum status status;
  story->now = summary_of(story->simulation).now;
  (void)snprintf(title, sizeof title, "%s%s", what, time_text(&story->now, now));
  status = story_look(story, object, title);
  return status == STATUS_DONE ? read_log(story, &story->steps[story->n - 1], first) : status;
}

/* A moment without changes is not shown: a timer may end in a later one. The restart follows after some moments. */
static enum status run(struct story *story, uint32_t object, size_t moments) {
  rebal_error err = REBAL_ERROR_INIT;
  enum status status = show(story, object, "", 0);
  for (size_t i = 0; status == STATUS_DONE && i <= moments + MOST_MOMENTS; i++) {
    const size_t first = (size_t)summary_of(story->simulation).log_rows;
    int32_t more;
    if (rebal_simulation_step(story->simulation, &more, &err) != REBAL_OK) {
      return complain_of_call(&err);
    }
    if (i == moments || count_reported(story->simulation, first) > 0) {
      status = show(story, object, i == moments ? "restart, " : "", first);
    }
  }
  return status;
}

/* ---- when it is restarted ---- */

static int64_t number_at(const rebal_store *store, uint32_t object, const char *path, int64_t otherwise) {
  struct kept_text *texts = NULL;
  const char *text = store_text(store, object, path, &texts);
  const int64_t number = text[0] != '\0' ? strtoll(text, NULL, 10) : otherwise;
  free_texts(texts);
  return number;
}

static int is_ready(const rebal_store *store, const struct object_name *workload) {
  const uint32_t object = find_named(store, workload);
  return number_at(store, object, "status.readyReplicas", 0) >= number_at(store, object, "spec.replicas", 1);
}

/* Counts moments until all its pods are ready or nothing more happens. */
static enum status count_moments(rebal_simulation *simulation, const struct object_name *workload, size_t *moments) {
  rebal_error err = REBAL_ERROR_INIT;
  for (*moments = 0; *moments < MOST_MOMENTS; ++*moments) {
    const size_t first = (size_t)summary_of(simulation).log_rows;
    int32_t more;
    if (is_ready(rebal_simulation_store(simulation), workload)) {
      return STATUS_DONE;
    }
    if (rebal_simulation_step(simulation, &more, &err) != REBAL_OK) {
      return complain_of_call(&err);
    }
    if (count_reported(simulation, first) == 0) {
      return STATUS_DONE;
    }
  }
  return STATUS_DONE;
}

/* First simulates the files without the restart. */
static enum status wait_for(struct story *story, const struct object_name *workload, size_t *moments) {
  rebal_simulation *simulation = NULL;
  struct output text;
  enum status status = output_open(&text);
  if (status != STATUS_DONE) {
    return status;
  }
  status = scenario_begin(story, 0, MOMENT, &text);
  add_moments(MOST_MOMENTS, &text);
  if (status == STATUS_DONE) {
    status = scenario_load(story, &text, &simulation);
  }
  output_close(&text);
  if (status == STATUS_DONE) {
    status = count_moments(simulation, workload, moments);
  }
  rebal_simulation_free(simulation);
  return status;
}

static enum status prepare(struct story *story, uint32_t workload, size_t *moments) {
  const struct object_name name = name_of(story, workload);
  struct output text;
  enum status status = wait_for(story, &name, moments);
  if (status == STATUS_DONE) {
    status = output_open(&text);
  }
  if (status != STATUS_DONE) {
    return status;
  }
  status = write_scenario(story, workload, *moments, &text);
  if (status == STATUS_DONE) {
    status = story_enter(story, &text);
  }
  output_close(&text);
  return status;
}

enum status story_roll_out(struct story *story, uint32_t object) {
  const struct object_name spread = name_of(story, object);
  uint32_t workload;
  size_t moments = 0;
  enum status status = workload_of(story, object, &workload);
  if (status == STATUS_DONE) {
    status = check_workloads(story);
  }
  if (status == STATUS_DONE) {
    status = prepare(story, workload, &moments);
  }
  return status == STATUS_DONE ? run(story, find_named(story->world->store, &spread), moments) : status;
}
