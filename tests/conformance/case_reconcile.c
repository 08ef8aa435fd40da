/* SPDX-License-Identifier: MIT */
/* One pass of the controller of a WorkloadSpread: status, effects on pods, events. */
#include "cases.h"

#include "spreads.h"

#include <stdlib.h>
#include <string.h>

/* ---- pods ---- */

/* What is new or changed in a map, and "<removed>" for what is gone; NULL: nothing. */
static json_t *changes_of(const json_t *before, const json_t *after) {
  json_t *changes = json_object();
  const char *key;
  json_t *value;

  json_object_foreach((json_t *)(uintptr_t)after, key, value) {
    if (!json_equal(value, json_object_get(before, key))) {
      (void)json_object_set(changes, key, value);
    }
  }
  json_object_foreach((json_t *)(uintptr_t)before, key, value) {
    if (json_object_get(after, key) == NULL) {
      (void)json_object_set_new(changes, key, json_string("<removed>"));
    }
  }
  if (json_object_size(changes) == 0) {
    json_decref(changes);
    return NULL;
  }
  return changes;
}

/* An absent list is an empty one. */
static json_t *list_change(const json_t *before, const json_t *after) {
  if (json_equal(before, after) || (json_array_size(before) == 0 && json_array_size(after) == 0)) {
    return NULL;
  }
  return after != NULL ? json_deep_copy(after) : json_array();
}

static void report_metadata(json_t *effects, const json_t *before, const json_t *after) {
  static const char *const maps[] = {"annotations", "labels"};
  json_t *change = list_change(json_object_get(before, "finalizers"), json_object_get(after, "finalizers"));

  for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
    json_t *changes = changes_of(json_object_get(before, maps[i]), json_object_get(after, maps[i]));

    if (changes != NULL) {
      (void)json_object_set_new(effects, maps[i], changes);
    }
  }
  if (change != NULL) {
    (void)json_object_set_new(effects, "finalizers", change);
  }
}

/* Adds what changed in the store to what the pass returned for its pods. */
static void report_changes(const struct spreads *spreads, const json_t *pods, json_t *reported) {
  const json_t *pod;
  size_t i;

  json_array_foreach(pods, i, pod) {
    const char *name = text_at(pod, "metadata.name");
    json_t *after = spreads_read(spreads, spreads_find(spreads, pod));
    json_t *effects =
        json_object_get(reported, name) != NULL ? json_incref(json_object_get(reported, name)) : json_object();

    if (after != NULL) {
      report_metadata(effects, json_object_get(pod, "metadata"), json_object_get(after, "metadata"));
    }
    if (json_object_size(effects) > 0) {
      (void)json_object_set(reported, name, effects);
    }
    json_decref(effects);
    json_decref(after);
  }
}

/* ---- the rest ---- */

static int compare_texts(const void *left, const void *right) {
  return strcmp(json_string_value(*(json_t *const *)left), json_string_value(*(json_t *const *)right));
}

#define EVENTS_MAX 256

/* Type, reason and text of each event, sorted. */
static json_t *events_of(const struct conformance *run) {
  json_t *texts[EVENTS_MAX];
  json_t *list = json_array();
  size_t n, n_texts = 0;
  const int64_t *kinds = rebal_result_i64(run->result, REBAL_ACTION_KIND, &n);

  for (size_t i = 0; i < n && n_texts < EVENTS_MAX; i++) {
    if (kinds[i] == REBAL_ACTION_KIND_EVENT) {
      json_t *event = record_to_json(rebal_result_record(run->result, i));

      texts[n_texts++] =
          json_sprintf("%s %s %s", text_at(event, "type"), text_at(event, "reason"), text_at(event, "message"));
      json_decref(event);
    }
  }
  qsort(texts, n_texts, sizeof texts[0], compare_texts);
  for (size_t i = 0; i < n_texts; i++) {
    (void)json_array_append_new(list, texts[i]);
  }
  return list;
}

static int report_status(struct conformance *run, const struct spreads *spreads, json_t *outcome) {
  const rebal_record *status;

  if (failed(run, rebal_spread_status(rebal_spread_feed_spread(spreads->feed, spreads->object), run->builder, &status,
                                      &run->err))) {
    return 1;
  }
  return json_object_set_new(outcome, "status", record_to_json(status));
}

static json_t *report(struct conformance *run, const struct spreads *spreads, const json_t *input, json_t *reported) {
  json_t *outcome = json_object();
  json_t *events = events_of(run);

  report_changes(spreads, json_object_get(input, "pods"), reported);
  (void)json_object_set(outcome, "pods", reported);
  if (json_array_size(events) > 0) {
    (void)json_object_set(outcome, "events", events);
  }
  json_decref(events);
  if (spreads_report(run, outcome) && report_status(run, spreads, outcome)) {
    json_decref(outcome);
    return NULL;
  }
  return outcome;
}

json_t *case_reconcile(struct conformance *run, const json_t *input) {
  const json_t *spread = json_object_get(input, "workloadSpread");
  const rebal_time now = time_at(run->test, "now");
  struct spreads spreads;
  json_t *reported = json_object(), *outcome = NULL;

  run->orders_itself = 1;
  if (!spreads_open(run, &spreads) && !spreads_load(run, &spreads, json_object_get(input, "objects")) &&
      !spreads_load(run, &spreads, json_object_get(input, "pods")) && !spreads_load(run, &spreads, spread)) {
    spreads.object = spreads_find(&spreads, spread);
    if (!spreads_reconcile(run, &spreads, &now, reported)) {
      outcome = report(run, &spreads, input, reported);
    }
  }
  rebal_result_reset(run->result);
  spreads_dispose(&spreads);
  json_decref(reported);
  return outcome;
}
