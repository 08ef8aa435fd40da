/* SPDX-License-Identifier: MIT */
/* --create and --scale: the files as a paused scenario, in which controllers run once, one after another. */
#include "spread/spread.h"
#include "view.h"

#include <stdlib.h>

/* Pods that their controller may delete, in order of deletion, and why each is deleted before the next one. */
struct deletions {
  uint32_t *pods;
  uint32_t *rules; /* REBAL_DELETION_RULE_* */
  size_t n;
  size_t next; /* after the pod that was found last */
};

static void close_deletions(struct deletions *deletions) {
  free(deletions->pods);
  free(deletions->rules);
}

/* Reads them from the store for the current workload. Must be closed in any case. */
static enum status open_deletions(const struct story *story, uint32_t workload, struct deletions *out) {
  const rebal_store *store = story->world->store;
  const size_t capacity = rebal_store_count(store) + 1;
  rebal_deletion_rows rows = {.struct_size = sizeof rows, .capacity = capacity};
  rebal_error err = REBAL_ERROR_INIT;
  *out = (struct deletions){malloc(capacity * sizeof *out->pods), malloc(capacity * sizeof *out->rules), 0, 0};
  if (out->pods == NULL || out->rules == NULL) {
    return complain_of_memory();
  }
  rows.pods = out->pods;
  rows.rules = out->rules;
  if (rebal_deletion_order(store, workload, &story->now, &rows, &err) != REBAL_OK) {
    return complain_of_call(&err);
  }
  out->n = rows.n < capacity ? (size_t)rows.n : capacity;
  while (out->n > 0 && out->pods[out->n - 1] == REBAL_NONE) {
    out->n--;
  }
  return STATUS_DONE;
}

/* Pods are mostly deleted in this order. */
static const char *reason_of(struct deletions *deletions, uint32_t pod) {
  for (size_t i = 0; i < deletions->n; i++) {
    const size_t at = (deletions->next + i) % deletions->n;
    if (deletions->pods[at] == pod) {
      deletions->next = at + 1;
      return deletion_reason(deletions->rules[at]);
    }
  }
  return "";
}

/* ---- the scenario ---- */

/* A step with one member, which names an object, and a number unless its key is NULL. */
static enum status add_step(const char *member, const struct object_name *name, const char *key, uint64_t number,
                            struct output *text) {
  struct report report;
  const enum status status = report_open(&report);
  if (status != STATUS_DONE) {
    return status;
  }
  report_map(&report, NULL);
  report_text(&report, "kind", "Step");
  report_map(&report, member);
  report_text(&report, "kind", name->kind);
  report_text(&report, "namespace", name->namespace_);
  report_text(&report, "name", name->name);
  if (key != NULL) {
    report_integer(&report, key, (int64_t)number);
  }
  report_map_end(&report);
  report_map_end(&report);
  return scenario_add(&report, text);
}

/* The ReplicaSet of a Deployment exists before the first pass; then follow the pass, the change and its effects. */
static enum status add_steps(const struct options *options, const struct object_name *spread,
                             const struct object_name *workload, int is_deployment, struct output *text) {
  enum status status = is_deployment ? add_step("create", workload, "pods", 0, text) : STATUS_DONE;
  if (status == STATUS_DONE) {
    status = add_step("reconcile", spread, NULL, 0, text);
  }
  if (status == STATUS_DONE) {
    status = options->has_create ? add_step("create", workload, "pods", options->create, text)
                                 : add_step("scale", workload, "replicas", options->scale, text);
  }
  return status == STATUS_DONE && !options->has_create ? add_step("reconcile", workload, NULL, 0, text) : status;
}

static enum status enter(struct story *story, const struct object_name *spread, const struct object_name *workload,
                         int is_deployment) {
  struct output text;
  enum status status = output_open(&text);
  if (status != STATUS_DONE) {
    return status;
  }
  status = scenario_begin(story, 1, "0s", &text);
  if (status == STATUS_DONE) {
    status = add_steps(story->world->options, spread, workload, is_deployment, &text);
  }
  if (status == STATUS_DONE) {
    status = story_enter(story, &text);
  }
  output_close(&text);
  return status;
}

/* ---- the run ---- */

static enum status do_step(const struct story *story) {
  rebal_error err = REBAL_ERROR_INIT;
  int32_t more;
  return rebal_simulation_step(story->simulation, &more, &err) == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
}

/* Adds the rows of one operation from a row on as a step; none if there are no rows and none were requested. */
static enum status read_rows(struct story *story, uint32_t object, size_t first, uint32_t operation, int is_needed,
                             struct deletions *deletions) {
  const size_t n = (size_t)summary_of(story->simulation).admission_rows;
  struct step *step = NULL;
  enum status status = STATUS_DONE;
  uint64_t done = 0;
  for (size_t i = first; status == STATUS_DONE && (i < n || is_needed); i++) {
    rebal_simulation_admission row = {.struct_size = sizeof row};
    if (i < n &&
        (rebal_simulation_admission_read(story->simulation, i, &row, NULL) != REBAL_OK || row.operation != operation)) {
      continue;
    }
    step = step != NULL ? step : step_begin(story, object, "");
    if (step == NULL) {
      return complain_of_memory();
    }
    is_needed = 0;
    if (i < n) {
      done += (uint64_t)!row.is_refused;
      status = step_read_admission(story, step, &row, reason_of(deletions, row.pod));
    }
  }
  if (step != NULL) {
    step_count(story, step, done, operation == REBAL_OPERATION_CREATE ? "created" : "deleted");
  }
  return status;
}

/* Adds the changes of the workload; a scaled one may also replace pods. */
static enum status change(struct story *story, uint32_t object, struct deletions *deletions) {
  const int is_created = story->world->options->has_create;
  const size_t first = (size_t)summary_of(story->simulation).admission_rows;
  enum status status = do_step(story);
  if (status == STATUS_DONE && !is_created) {
    status = do_step(story);
  }
  if (status == STATUS_DONE) {
    status = read_rows(story, object, first, REBAL_OPERATION_CREATE, is_created, deletions);
  }
  return status == STATUS_DONE ? read_rows(story, object, first, REBAL_OPERATION_DELETE, 0, deletions) : status;
}

static enum status run(struct story *story, uint32_t object, uint32_t workload) {
  struct deletions deletions = {NULL, NULL, 0, 0};
  enum status status = story_look(story, object, "pass");
  if (status == STATUS_DONE) {
    status = do_step(story);
  }
  if (status == STATUS_DONE) {
    status = open_deletions(story, workload, &deletions);
  }
  if (status == STATUS_DONE) {
    status = change(story, object, &deletions);
  }
  close_deletions(&deletions);
  return status == STATUS_DONE ? story_look(story, object, "pass") : status;
}

/* New pods are created from a template. */
static enum status check_template(struct story *story, uint32_t workload) {
  const struct options *options = story->world->options;
  struct deletions deletions;
  enum status status = open_deletions(story, workload, &deletions);
  if (status == STATUS_DONE && (options->has_create || options->scale > deletions.n) &&
      story_text(story->world, workload, "spec.template")[0] == '\0') {
    status = complain_of_object(story->world, workload, "spec.template", "is missing, but pods are created from it");
  }
  close_deletions(&deletions);
  return status;
}

enum status story_change(struct story *story, uint32_t object) {
  struct object_name spread, name;
  uint32_t workload;
  int is_deployment;
  enum status status = workload_of(story, object, &workload);
  if (status == STATUS_DONE) {
    status = check_template(story, workload);
  }
  if (status != STATUS_DONE) {
    return status;
  }
  spread = name_of(story, object);
  name = name_of(story, workload);
  is_deployment = is_kind(story, workload, "Deployment");
  status = enter(story, &spread, &name, is_deployment);
  if (status == STATUS_DONE && is_deployment) {
    status = do_step(story);
  }
  return status == STATUS_DONE
             ? run(story, find_named(story->world->store, &spread), find_named(story->world->store, &name))
             : status;
}
