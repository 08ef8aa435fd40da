/* SPDX-License-Identifier: MIT */
/* A story of a WorkloadSpread as JSON or YAML. */
#include "spread/spread.h"

#include <string.h>

/* Omits empty members. */
static void report_word(struct report *report, const char *key, const char *text) {
  if (text[0] != '\0') {
    report_text(report, key, text);
  }
}

static void report_number(struct report *report, const char *key, int64_t value) {
  if (value != REBAL_ABSENT) {
    report_integer(report, key, value);
  }
}

static void report_admitted(struct report *report, const struct step *step) {
  report_list(report, "admitted");
  for (size_t i = 0; i < step->n_admitted; i++) {
    const struct admitted *row = &step->admitted[i];
    report_map(report, NULL);
    report_text(report, "name", row->name);
    report_text(report, "asked", row->operation);
    report_text(report, "outcome", row->outcome);
    report_word(report, "subset", row->subset);
    report_word(report, "passedOver", row->passed_over);
    report_word(report, "first", row->first);
    report_word(report, "message", row->message);
    report_json(report, "patch", row->patch);
    report_json(report, "pod", row->pod);
    report_map_end(report);
  }
  report_list_end(report);
}

static void report_pods(struct report *report, const struct step *step) {
  report_list(report, "pods");
  for (size_t i = 0; i < step->n_pods; i++) {
    const struct grouped *row = &step->pods[i];
    report_map(report, NULL);
    report_text(report, "name", row->name);
    report_word(report, "version", row->version);
    report_word(report, "subset", row->subset);
    report_word(report, "by", row->by);
    report_number(report, "score", row->score);
    report_number(report, "cost", row->cost);
    report_word(report, "why", row->why);
    report_boolean(report, "stuck", row->is_stuck);
    report_json(report, "patch", row->patch);
    report_map_end(report);
  }
  report_list_end(report);
}

static void report_subsets(struct report *report, const struct step *step) {
  report_list(report, "subsets");
  for (size_t i = 0; i < step->n_subsets; i++) {
    const struct counted *row = &step->subsets[i];
    report_map(report, NULL);
    report_text(report, "name", row->name);
    report_word(report, "version", row->version != NULL ? row->version : "");
    report_number(report, "wanted", row->wanted);
    report_integer(report, "active", row->active);
    report_integer(report, "missing", row->missing);
    report_integer(report, "creating", row->creating);
    report_integer(report, "deleting", row->deleting);
    if (row->schedulable != REBAL_ABSENT) {
      report_boolean(report, "schedulable", row->schedulable != 0);
    }
    report_integer(report, "stuck", row->stuck);
    report_map_end(report);
  }
  report_list_end(report);
}

static void report_happened(struct report *report, const struct step *step) {
  report_list(report, "happened");
  for (size_t i = 0; i < step->n_happened; i++) {
    const struct happened *row = &step->happened[i];
    report_map(report, NULL);
    report_text(report, "controller", row->controller);
    report_text(report, "object", row->object);
    report_text(report, "change", row->change);
    report_word(report, "reason", row->reason);
    report_map_end(report);
  }
  report_list_end(report);
}

static void report_pass(struct report *report, const struct step *step) {
  char again[TIME_CAPACITY];
  report_text(report, "result", step->result);
  report_word(report, "reason", step->reason);
  report_word(report, "message", step->message);
  report_word(report, "again", time_text(&step->again, again));
  report_pods(report, step);
  report_subsets(report, step);
}

static void report_object(struct report *report, const struct world *world, uint32_t object) {
  report_text(report, "namespace", story_text(world, object, "metadata.namespace"));
  report_text(report, "name", story_text(world, object, "metadata.name"));
  report_map(report, "target");
  report_word(report, "apiVersion", story_text(world, object, "spec.targetRef.apiVersion"));
  report_word(report, "kind", story_text(world, object, "spec.targetRef.kind"));
  report_word(report, "name", story_text(world, object, "spec.targetRef.name"));
  report_map_end(report);
}

static void begin_report(struct report *report, const void *user, int is_first) {
  (void)user;
  (void)is_first;
  report_map(report, NULL);
  report_list(report, "steps");
}

static enum status report_step(struct report *report, const void *user, size_t i) {
  const struct story *story = user;
  const struct step *step = &story->steps[i];
  report_map(report, NULL);
  report_object(report, story->world, step->object);
  report_text(report, "step", step->title);
  if (step->n_happened > 0) {
    report_happened(report, step);
  }
  if (step->n_admitted > 0) {
    report_admitted(report, step);
  }
  if (step->result != NULL) {
    report_pass(report, step);
  }
  report_list(report, "warnings");
  for (size_t k = 0; k < step->n_cautions; k++) {
    report_map(report, NULL);
    report_text(report, "warning", step->cautions[k].name);
    report_integer(report, "replicas", step->cautions[k].replicas);
    report_map_end(report);
  }
  report_list_end(report);
  report_map_end(report);
  return STATUS_DONE;
}

enum status spread_report(const struct story *story, struct output *out) {
  const struct long_report parts = {begin_report, report_step, story, story->n};
  return report_long(&parts, story->world->options->format, out);
}
