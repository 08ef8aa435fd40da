/* SPDX-License-Identifier: MIT */
/* Pods that a workload deletes. */
#include "spread/spread.h"

#include <stdlib.h>

static const char *const reasons[] = {
    [REBAL_DELETION_RULE_NONE] = "",
    [REBAL_DELETION_RULE_NUMBERED] = "It has the highest number.",
    [REBAL_DELETION_RULE_WITHOUT_NODE] = "It has no node yet.",
    [REBAL_DELETION_RULE_PENDING] = "It is pending, or nobody knows its phase.",
    [REBAL_DELETION_RULE_NOT_READY] = "It is not ready.",
    [REBAL_DELETION_RULE_CHEAPER] = "Its deletion cost is lower.",
    [REBAL_DELETION_RULE_READY_LATER] = "It has been ready for a shorter time.",
    [REBAL_DELETION_RULE_RESTARTED] = "It has restarted more often.",
    [REBAL_DELETION_RULE_YOUNGER] = "It is younger.",
};

enum status pods_to_delete(const struct story *story, uint32_t workload, struct deletions *out) {
  const rebal_store *store = story->world->store;
  const size_t capacity = rebal_store_count(store) + 1;
  rebal_error err = REBAL_ERROR_INIT;
  out->n = 0;
  out->pods = malloc(capacity * sizeof *out->pods);
  out->rules = malloc(capacity * sizeof *out->rules);
  if (out->pods == NULL || out->rules == NULL) {
    return complain_of_memory();
  }
  return rebal_deletion_order(store, workload, out->pods, out->rules, capacity, &out->n, &err) == REBAL_OK
             ? STATUS_DONE
             : complain_of_call(&err);
}

static enum status delete_pod(struct story *story, struct step *step, uint32_t pod, const char *first,
                              struct output *text) {
  const struct world *world = story->world;
  rebal_error err = REBAL_ERROR_INIT;
  struct output nothing;
  const char *name = text_of(story, pod, "metadata.name");
  struct admitted *row;
  enum status status = output_open(&nothing);
  if (status != STATUS_DONE) {
    return status;
  }
  rebal_text_reset(text->text);
  status = rebal_store_write(world->store, pod, REBAL_TEXT_FORMAT_JSON, text->text, &err) == REBAL_OK
               ? story_admit(story, step, REBAL_OPERATION_DELETE, text, "", &nothing)
               : complain_of_call(&err);
  output_close(&nothing);
  if (status != STATUS_DONE) {
    return status;
  }
  row = &step->admitted[step->n_admitted - 1];
  row->name = name;
  row->first = first;
  if (story->is_refused) {
    return STATUS_DONE;
  }
  return rebal_store_remove(world->store, pod, &err) == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
}

enum status story_delete(struct story *story, uint32_t object, const struct deletions *pods, size_t n) {
  struct step *step = step_begin(story, object, "");
  struct output text;
  uint64_t deleted = 0;
  enum status status = step != NULL ? output_open(&text) : complain_of_memory();
  if (status != STATUS_DONE) {
    return status;
  }
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    status = delete_pod(story, step, pods->pods[i], reasons[pods->rules[i]], &text);
    deleted += (uint64_t)!story->is_refused;
  }
  step_count(story, step, deleted, "deleted");
  output_close(&text);
  return status;
}
