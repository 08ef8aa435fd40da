/* SPDX-License-Identifier: MIT */
/* Pods that a workload deletes: which go first, as Kubernetes' ReplicaSet and OpenKruise's CloneSet compare them. */
#include "spread/spread.h"

#include <stdlib.h>
#include <string.h>

/* ---- the order ---- */

static int compare_numbers(int64_t left, int64_t right) {
  return left < right ? -1 : left > right;
}

/* The later first; unset is the latest. */
static int compare_ages(const rebal_time *left, const rebal_time *right) {
  if (!left->is_set || !right->is_set) {
    return compare_numbers(left->is_set, right->is_set);
  }
  return left->seconds != right->seconds ? compare_numbers(right->seconds, left->seconds)
                                         : compare_numbers(right->nanos, left->nanos);
}

static int by_ordinal(const struct candidate *left, const struct candidate *right) {
  return compare_numbers(right->ordinal, left->ordinal);
}

static int by_node(const struct candidate *left, const struct candidate *right) {
  return compare_numbers(left->has_node, right->has_node);
}

static int by_phase(const struct candidate *left, const struct candidate *right) {
  return compare_numbers(left->phase, right->phase);
}

static int by_readiness(const struct candidate *left, const struct candidate *right) {
  return compare_numbers(left->is_ready, right->is_ready);
}

static int by_cost(const struct candidate *left, const struct candidate *right) {
  return compare_numbers(left->cost, right->cost);
}

static int by_ready_since(const struct candidate *left, const struct candidate *right) {
  return left->is_ready && right->is_ready ? compare_ages(&left->ready_since, &right->ready_since) : 0;
}

static int by_restarts(const struct candidate *left, const struct candidate *right) {
  return compare_numbers(right->restarts, left->restarts);
}

static int by_age(const struct candidate *left, const struct candidate *right) {
  return compare_ages(&left->created, &right->created);
}

static const struct rule {
  int (*compare)(const struct candidate *left, const struct candidate *right);
  const char *text; /* why a pod goes before the next one */
} rules[] = {
    {by_ordinal, "It has the highest number."},
    {by_node, "It has no node yet."},
    {by_phase, "It is pending, or nobody knows its phase."},
    {by_readiness, "It is not ready."},
    {by_cost, "Its deletion cost is lower."},
    {by_ready_since, "It has been ready for a shorter time."},
    {by_restarts, "It has restarted more often."},
    {by_age, "It is younger."},
};

#define N_RULES (sizeof rules / sizeof rules[0])

/* The rule that tells two pods apart; N_RULES: none does. */
static size_t deciding(const struct candidate *left, const struct candidate *right) {
  size_t i = 0;
  while (i < N_RULES && rules[i].compare(left, right) == 0) {
    i++;
  }
  return i;
}

static int compare_candidates(const void *left, const void *right) {
  const struct candidate *const a = left, *const b = right;
  const size_t rule = deciding(a, b);
  return rule < N_RULES ? rules[rule].compare(a, b) : strcmp(a->name, b->name);
}

/* ---- the pods ---- */

static int phase_rank(int64_t phase) {
  return phase == REBAL_POD_PHASE_RUNNING ? 2 : phase == REBAL_POD_PHASE_UNKNOWN ? 1 : 0;
}

/* The number behind the last dash. */
static int64_t ordinal_of(const char *name) {
  const char *dash = strrchr(name, '-');
  return dash != NULL ? strtoll(dash + 1, NULL, 10) : 0;
}

static struct candidate read_candidate(struct story *story, uint32_t row, int has_ordinal) {
  const rebal_pods *pods = rebal_spread_feed_pods(story->feed);
  const uint32_t object = rebal_spread_feed_object(story->feed, row);
  struct candidate pod = {
      .object = object,
      .name = text_of(story, object, "metadata.name"),
      .has_node = world_text(story->world, object, "spec.nodeName")[0] != '\0',
      .phase = phase_rank(rebal_cells_get_i64(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_PHASE, REBAL_NONE, row)),
      .is_ready = rebal_cells_get_i64(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_READY, REBAL_NONE, row) != 0,
      .cost = strtoll(
          rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_DELETION_COST, REBAL_NONE, row, NULL),
          NULL, 10),
      .restarts = rebal_cells_get_i64(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_RESTARTS, REBAL_NONE, row),
  };
  rebal_cells_get_time(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_READY_SINCE, REBAL_NONE, row, &pod.ready_since);
  rebal_cells_get_time(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_CREATED, REBAL_NONE, row, &pod.created);
  pod.ordinal = has_ordinal ? ordinal_of(pod.name) : 0;
  return pod;
}

/* uids of the workload and of the ReplicaSets it owns; a list to be freed, NULL when memory ran out. */
static const char **owners_of(struct story *story, uint32_t workload, size_t *n) {
  const char *uid = text_of(story, workload, "metadata.uid");
  uint32_t *objects = NULL;
  size_t n_objects = 0;
  const char **uids = NULL;
  *n = 0;
  if (world_objects(story->world, "ReplicaSet", &objects, &n_objects) == STATUS_DONE) {
    uids = malloc((n_objects + 1) * sizeof *uids);
  }
  for (size_t i = 0; uids != NULL && i < n_objects; i++) {
    if (is_owned(story, objects[i], uid)) {
      uids[(*n)++] = text_of(story, objects[i], "metadata.uid");
    }
  }
  if (uids != NULL) {
    uids[(*n)++] = uid;
  }
  free(objects);
  return uids;
}

static int is_owned_by_any(const struct story *story, uint32_t object, const char *const *uids, size_t n) {
  size_t i = 0;
  while (i < n && !is_owned(story, object, uids[i])) {
    i++;
  }
  return i < n;
}

enum status pods_to_delete(struct story *story, uint32_t workload, struct candidate **pods, size_t *n) {
  const rebal_pods *all = rebal_spread_feed_pods(story->feed);
  const int has_ordinal = is_kind(story, workload, "StatefulSet");
  uint32_t row = REBAL_NONE;
  size_t n_uids;
  const char **uids = owners_of(story, workload, &n_uids);
  *n = 0;
  *pods =
      malloc((rebal_cells_count(rebal_pods_const_cells(all), REBAL_TABLE_SPREAD_POD, REBAL_NONE) + 1) * sizeof **pods);
  if (uids == NULL || *pods == NULL) {
    free(uids);
    return complain_of_memory();
  }
  while ((row = rebal_cells_next(rebal_pods_const_cells(all), REBAL_TABLE_SPREAD_POD, REBAL_NONE, row)) != REBAL_NONE) {
    const uint32_t object = rebal_spread_feed_object(story->feed, row);
    if (is_active_pod(story, row) && is_owned_by_any(story, object, uids, n_uids)) {
      (*pods)[(*n)++] = read_candidate(story, row, has_ordinal);
    }
  }
  if (*n > 0) {
    qsort(*pods, *n, sizeof **pods, compare_candidates);
  }
  free(uids);
  return STATUS_DONE;
}

/* ---- deleting ---- */

static const char *why_first(const struct candidate *pods, size_t i, size_t n) {
  const size_t rule = i + 1 < n ? deciding(&pods[i], &pods[i + 1]) : N_RULES;
  return rule < N_RULES ? rules[rule].text : "";
}

static enum status delete_pod(struct story *story, struct step *step, const struct candidate *pod, const char *first,
                              struct output *text) {
  const struct world *world = story->world;
  rebal_error err = REBAL_ERROR_INIT;
  struct output nothing;
  struct admitted *row;
  enum status status = output_open(&nothing);
  if (status != STATUS_DONE) {
    return status;
  }
  rebal_text_reset(text->text);
  status = rebal_store_write(world->store, pod->object, REBAL_TEXT_FORMAT_JSON, text->text, &err) == REBAL_OK
               ? story_admit(story, step, REBAL_OPERATION_DELETE, text, "", &nothing)
               : complain_of_call(&err);
  output_close(&nothing);
  if (status != STATUS_DONE) {
    return status;
  }
  row = &step->admitted[step->n_admitted - 1];
  row->name = pod->name;
  row->first = first;
  if (story->is_refused) {
    return STATUS_DONE;
  }
  return rebal_store_remove(world->store, pod->object, &err) == REBAL_OK ? STATUS_DONE : complain_of_call(&err);
}

enum status story_delete(struct story *story, uint32_t object, const struct candidate *pods, size_t n, size_t n_all) {
  struct step *step = step_begin(story, object, "");
  struct output text;
  uint64_t deleted = 0;
  enum status status = step != NULL ? output_open(&text) : complain_of_memory();
  if (status != STATUS_DONE) {
    return status;
  }
  for (size_t i = 0; status == STATUS_DONE && i < n; i++) {
    status = delete_pod(story, step, &pods[i], why_first(pods, i, n_all), &text);
    deleted += (uint64_t)!story->is_refused;
  }
  step_count(story, step, deleted, "deleted");
  output_close(&text);
  return status;
}
