/* SPDX-License-Identifier: MIT */
/* Converts results of library calls to the rows of a step. */
#include "spread/spread.h"

#include <rebalance/watch.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t cell(const struct story *story, uint32_t column, size_t row) {
  return result_integer(story->world, column, row);
}

static const char *subset_name(const rebal_spread *spread, int64_t subset) {
  return subset != REBAL_ABSENT ? rebal_spread_subset_name(spread, (uint32_t)subset, NULL) : "";
}

/* ---- memory of a story ---- */

static const char *take(struct story *story, char *text) {
  if (text != NULL && story->n_texts == story->capacity) {
    const size_t capacity = story->capacity != 0 ? story->capacity * 2 : 64;
    char **texts = realloc(story->texts, capacity * sizeof *texts);
    if (texts == NULL) {
      free(text);
      text = NULL;
    } else {
      story->texts = texts;
      story->capacity = capacity;
    }
  }
  if (text == NULL) {
    story->failed = 1;
    return "";
  }
  story->texts[story->n_texts++] = text;
  return text;
}

const char *keep(struct story *story, const char *text) {
  return text[0] != '\0' ? take(story, strdup(text)) : "";
}

const char *keep_output(struct story *story, struct output *text) {
  const char *kept = keep(story, rebal_text_bytes(text->text, NULL));
  if (text->failed) {
    story->failed = 1;
  }
  rebal_text_reset(text->text);
  return kept;
}

struct step *step_begin(struct story *story, uint32_t object, const char *title) {
  struct step *steps = realloc(story->steps, (story->n + 1) * sizeof *steps);
  if (steps == NULL) {
    return NULL;
  }
  story->steps = steps;
  steps[story->n] = (struct step){.object = object, .reason = "", .message = "", .title = keep(story, title)};
  return &steps[story->n++];
}

void step_count(struct story *story, struct step *step, uint64_t n, const char *done) {
  char title[80];
  (void)snprintf(title, sizeof title, "%" PRIu64 " %s %s", n, n == 1 ? "pod is" : "pods are", done);
  step->title = keep(story, title);
}

void story_close(struct story *story) {
  for (size_t i = 0; i < story->n; i++) {
    free(story->steps[i].admitted);
    free(story->steps[i].pods);
    free(story->steps[i].subsets);
    free(story->steps[i].cautions);
    free(story->steps[i].happened);
  }
  for (size_t i = 0; i < story->n_texts; i++) {
    free(story->texts[i]);
  }
  free(story->steps);
  free(story->texts);
  free(story->set_owners);
  rebal_spread_feed_free(story->feed);
  if (story->files != NULL) {
    story->world->store = story->files;
  }
  rebal_simulation_free(story->simulation);
}

int story_is_short(const struct story *story) {
  if (story->has_refusals) {
    return 1;
  }
  for (size_t i = 0; i < story->n; i++) {
    const struct step *step = &story->steps[i];
    const int is_last = i + 1 == story->n || story->steps[i + 1].object != step->object;
    if (step->is_short && (is_last || step->result == NULL)) {
      return 1;
    }
  }
  return 0;
}

static enum status read_cautions(struct story *story, struct step *step) {
  const size_t n = rebal_result_count(story->world->result, REBAL_TABLE_WARNING);
  struct caution *cautions = n > 0 ? realloc(step->cautions, (step->n_cautions + n) * sizeof *cautions) : NULL;
  if (n > 0 && cautions == NULL) {
    return complain_of_memory();
  }
  step->cautions = n > 0 ? cautions : step->cautions;
  for (size_t i = 0; i < n; i++) {
    const char *name = rebal_result_text(story->world->result, REBAL_WARNING_ROW_NAME, i, NULL);
    step->cautions[step->n_cautions++] = (struct caution){keep(story, name), cell(story, REBAL_WARNING_REPLICAS, i)};
  }
  return STATUS_DONE;
}

/* ---- a pass ---- */

/*
 * The name of a version by its number; "" if no row of SUBSET_COUNT has it. *row: where the last one was found, and
 * where to begin, since rows of both tables are sorted by version.
 */
static const char *version_name(const struct story *story, int64_t version, size_t *row) {
  const size_t n = rebal_result_count(story->world->result, REBAL_TABLE_SUBSET_COUNT);
  for (size_t i = 0; i < n; i++) {
    if (cell(story, REBAL_SUBSET_COUNT_VERSION, (*row + i) % n) == version) {
      *row = (*row + i) % n;
      return rebal_result_text(story->world->result, REBAL_SUBSET_COUNT_VERSION_NAME, *row, NULL);
    }
  }
  return "";
}

/* The payload of an action for the object in the store. */
static enum status read_patch(struct story *story, size_t action, struct output *body, const char **patch) {
  rebal_error err = REBAL_ERROR_INIT;
  if (rebal_store_render_action(story->world->store, story->world->result, action, NULL, body->text, NULL, &err) !=
      REBAL_OK) {
    return complain_of_call(&err);
  }
  *patch = keep_output(story, body);
  return STATUS_DONE;
}

static const char *pod_name(const struct story *story, uint32_t row) {
  return rebal_cells_get_text(rebal_pods_const_cells(rebal_spread_feed_pods(story->feed)), REBAL_SPREAD_POD_NAME,
                              REBAL_NONE, row, NULL);
}

int is_active_pod(const struct story *story, uint32_t row) {
  const rebal_pods *pods = rebal_spread_feed_pods(story->feed);
  const int64_t phase = rebal_cells_get_i64(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_PHASE, REBAL_NONE, row);
  return phase != REBAL_POD_PHASE_SUCCEEDED && phase != REBAL_POD_PHASE_FAILED &&
         rebal_cells_get_i64(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_DELETING, REBAL_NONE, row) == 0;
}

static struct grouped read_grouped(struct story *story, struct step *step, const rebal_spread *spread, size_t row,
                                   size_t *version_row) {
  const int64_t subset = cell(story, REBAL_GROUPED_SUBSET, row);
  const uint32_t pod = (uint32_t)cell(story, REBAL_GROUPED_POD, row);
  const struct grouped grouped = {
      .name = keep(story, pod_name(story, pod)),
      .version = keep(story, version_name(story, cell(story, REBAL_GROUPED_VERSION, row), version_row)),
      .subset = keep(story, subset_name(spread, subset)),
      .by = enum_text(REBAL_ENUM_GROUPED_BY, cell(story, REBAL_GROUPED_BY, row)),
      .why = enum_text(REBAL_ENUM_COST_REASON, cell(story, REBAL_GROUPED_WHY, row)),
      .patch = "",
      .score = cell(story, REBAL_GROUPED_SCORE, row),
      .cost = cell(story, REBAL_GROUPED_COST, row),
      .is_stuck = cell(story, REBAL_GROUPED_STUCK, row) != 0,
  };
  step->is_short |= grouped.is_stuck || (subset == REBAL_ABSENT && is_active_pod(story, pod));
  return grouped;
}

/* PATCH_METADATA actions are in the order of GROUPED. */
static enum status read_pods(struct story *story, struct step *step, const rebal_spread *spread) {
  const size_t n_actions = rebal_result_count(story->world->result, REBAL_TABLE_ACTION);
  const size_t n = rebal_result_count(story->world->result, REBAL_TABLE_GROUPED);
  struct output body;
  size_t action = 0, version_row = 0;
  enum status status = output_open(&body);
  step->pods = status == STATUS_DONE ? calloc(n + 1, sizeof *step->pods) : NULL;
  if (status == STATUS_DONE && step->pods == NULL) {
    status = complain_of_memory();
  }
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    step->pods[step->n_pods++] = read_grouped(story, step, spread, i, &version_row);
    if (cell(story, REBAL_GROUPED_CHANGES, i) == 0) {
      continue;
    }
    while (action < n_actions && (cell(story, REBAL_ACTION_KIND, action) != REBAL_ACTION_KIND_PATCH_METADATA ||
                                  cell(story, REBAL_ACTION_ROW, action) != cell(story, REBAL_GROUPED_POD, i))) {
      action++;
    }
    if (action < n_actions) {
      status = read_patch(story, action, &body, &step->pods[i].patch);
    }
  }
  output_close(&body);
  return status;
}

static struct counted read_counted(struct story *story, const rebal_spread *spread, size_t row) {
  const int is_overall = cell(story, REBAL_SUBSET_COUNT_VERSION, row) == REBAL_ABSENT;
  const char *version = rebal_result_text(story->world->result, REBAL_SUBSET_COUNT_VERSION_NAME, row, NULL);
  return (struct counted){
      .name = keep(story, subset_name(spread, cell(story, REBAL_SUBSET_COUNT_SUBSET, row))),
      .version = is_overall ? NULL : keep(story, version),
      .wanted = cell(story, REBAL_SUBSET_COUNT_WANTED, row),
      .active = cell(story, REBAL_SUBSET_COUNT_ACTIVE, row),
      .missing = cell(story, REBAL_SUBSET_COUNT_MISSING, row),
      .creating = cell(story, REBAL_SUBSET_COUNT_CREATING, row),
      .deleting = cell(story, REBAL_SUBSET_COUNT_DELETING, row),
      .schedulable = cell(story, REBAL_SUBSET_COUNT_SCHEDULABLE, row),
      .stuck = cell(story, REBAL_SUBSET_COUNT_STUCK, row),
  };
}

static enum status read_subsets(struct story *story, struct step *step, const rebal_spread *spread) {
  const size_t n = rebal_result_count(story->world->result, REBAL_TABLE_SUBSET_COUNT);
  step->subsets = calloc(n + 1, sizeof *step->subsets);
  if (step->subsets == NULL) {
    return complain_of_memory();
  }
  while (step->n_subsets < n) {
    step->subsets[step->n_subsets] = read_counted(story, spread, step->n_subsets);
    step->n_subsets++;
  }
  return STATUS_DONE;
}

/* The time of the WAKE action of the pass. */
static rebal_time read_again(const struct story *story) {
  const rebal_result *result = story->world->result;
  rebal_time again = {0, 0, 0};
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    if (cell(story, REBAL_ACTION_KIND, i) == REBAL_ACTION_KIND_WAKE) {
      rebal_result_time(result, REBAL_ACTION_NOT_BEFORE, i, &again);
    }
  }
  return again;
}

void step_read_outcome(struct story *story, struct step *step) {
  step->is_short |= cell(story, REBAL_STEP_STATE, 0) == REBAL_STEP_STATE_RETRY;
  step->result = enum_text(REBAL_ENUM_STEP_STATE, cell(story, REBAL_STEP_STATE, 0));
  step->reason = enum_text(REBAL_ENUM_SPREAD_REASON, cell(story, REBAL_STEP_REASON, 0));
  step->message = keep(story, rebal_result_text(story->world->result, REBAL_STEP_MESSAGE, 0, NULL));
  step->again = read_again(story);
}

enum status step_read_pass(struct story *story, struct step *step, rebal_spread *spread) {
  enum status status;
  step_read_outcome(story, step);
  status = read_pods(story, step, spread);
  if (status == STATUS_DONE) {
    status = read_subsets(story, step, spread);
  }
  if (status == STATUS_DONE) {
    status = read_cautions(story, step);
  }
  return status == STATUS_DONE && story->failed ? complain_of_memory() : status;
}

/* ---- an admission ---- */

/* The JSON patch from before to after; "" if they are equal. */
static enum status read_difference(struct story *story, const char *before, const char *after, struct output *text,
                                   const char **patch) {
  rebal_document *left = NULL, *right = NULL, *difference = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  int32_t code = rebal_document_read(before, strlen(before), NULL, &left, &err);
  if (code == REBAL_OK) {
    code = rebal_document_read(after, strlen(after), NULL, &right, &err);
  }
  if (code == REBAL_OK) {
    code = rebal_document_diff(left, right, REBAL_PATCH_JSON, &difference, &err);
  }
  if (code == REBAL_OK) {
    code = rebal_document_write(difference, REBAL_TEXT_FORMAT_JSON, text->text, &err);
  }
  *patch = code == REBAL_OK ? keep_output(story, text) : "";
  if (strcmp(*patch, "[]") == 0) {
    *patch = "";
  }
  rebal_document_free(difference);
  rebal_document_free(right);
  rebal_document_free(left);
  return code == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
}

static int is_refusal(int64_t outcome) {
  return outcome == REBAL_ADMIT_OUTCOME_OWNER_MISSING || outcome == REBAL_ADMIT_OUTCOME_REPLICAS_UNKNOWN;
}

/* Appends a row. */
static struct admitted *add_admitted(struct step *step) {
  struct admitted *rows = realloc(step->admitted, (step->n_admitted + 1) * sizeof *rows);
  if (rows == NULL) {
    return NULL;
  }
  step->admitted = rows;
  return &rows[step->n_admitted++];
}

/* If a pod was rejected although a subset was chosen, the patch of the subset does not apply to it. */
static const char *outcome_of(const rebal_simulation_admission *pod) {
  if (!pod->is_refused || is_refusal(pod->outcome)) {
    return enum_text(REBAL_ENUM_ADMIT_OUTCOME, pod->outcome);
  }
  return pod->outcome == REBAL_ADMIT_OUTCOME_LEFT_ALONE ? "Refused" : "PatchFailed";
}

enum status step_read_admission(struct story *story, struct step *step, const rebal_simulation_admission *pod,
                                const char *first) {
  struct admitted *row = add_admitted(step);
  struct output text;
  enum status status = row != NULL ? output_open(&text) : complain_of_memory();
  if (status != STATUS_DONE) {
    return status;
  }
  *row = (struct admitted){
      .name = keep(story, pod->name),
      .operation = pod->operation == REBAL_OPERATION_CREATE ? "Create" : "Delete",
      .outcome = outcome_of(pod),
      .subset = keep(story, pod->subset),
      .passed_over = keep(story, pod->passed_over),
      .message = keep(story, pod->message),
      .pod = keep(story, pod->after),
      .patch = "",
      .first = first,
  };
  step->is_short |= pod->is_refused != 0 || pod->outcome == REBAL_ADMIT_OUTCOME_NO_SUBSET;
  if (pod->after[0] != '\0') {
    status = read_difference(story, pod->before, pod->after, &text, &row->patch);
  }
  output_close(&text);
  return status == STATUS_DONE && story->failed ? complain_of_memory() : status;
}
