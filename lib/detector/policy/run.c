/* SPDX-License-Identifier: MIT */
/* Processes the changes of a store, as the controllers of the control plane do when they watch it. */
#include "detector/policy/policy.h"

#include <stdlib.h>
#include <string.h>

/* Each round processes the writes of the previous one. Taking over a claim only wakes its template. */
#define ROUNDS_MAX 64

/* The changes, in the order of the last change of each object. */
struct batch {
  uint32_t *objects;
  size_t n, capacity;
  uint32_t *lazy; /* indexes of new Lazy policies */
  size_t n_lazy, lazy_capacity;
  int is_first; /* all existing objects, in the order of the first lists, which means nothing */
};

static int is_binding(const struct rebali_object *object) {
  return strcmp(object->kind, "ResourceBinding") == 0 && strcmp(object->api_version, REBALI_WORK_API) == 0;
}

static int is_written_by_controllers(const struct rebali_object *object) {
  return rebali_group_compare(object->api_version, REBALI_WORK_API) == 0 || strcmp(object->kind, "Event") == 0 ||
         strcmp(object->kind, "Cluster") == 0;
}

/* ---- watched objects ------------- */

/* Returns the row of an object; NULL without memory. */
static struct rebali_known *row_of(rebal_detector *detector, uint32_t object, rebal_error *err) {
  if (object >= detector->n_known) {
    const size_t n = detector->store->n_objects;
    if (rebali_reserve_malloc(&detector->known, &detector->known_capacity, n, sizeof *detector->known, err) !=
        REBAL_OK) {
      return NULL;
    }
    memset(detector->known + detector->n_known, 0, (n - detector->n_known) * sizeof *detector->known);
    detector->n_known = n;
  }
  return &detector->known[object];
}

static int32_t fail_again(rebal_detector *detector, uint32_t object, uint32_t flags, rebal_error *err) {
  struct rebali_known *known = row_of(detector, object, err);
  if (known == NULL) {
    return REBAL_ENOMEM;
  }
  if (known->is_failed) {
    return REBAL_OK;
  }
  known->is_failed = 1;
  return rebali_list_add_object(detector, REBALI_LIST_FAILED, object, flags, err);
}

/* Tests whether the reference retries after this outcome. */
static int is_tried_again(uint32_t outcome) {
  return outcome == REBAL_DETECTOR_OUTCOME_ERROR || outcome == REBAL_DETECTOR_OUTCOME_DELETING ||
         outcome == REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES;
}

/* ---- passes and events ---- */

static int32_t visit(rebal_detector *detector, uint32_t object, uint32_t flags, const json_t *old, rebal_error *err) {
  rebal_detector_row row = {.struct_size = sizeof row, .policy = REBAL_NONE, .binding = REBAL_NONE, .message = ""};
  int32_t result;
  if (!rebali_store_has(detector->store, object)) {
    return REBAL_OK;
  }
  rebali_buffer_clear(&detector->message);
  result = rebali_object_is_policy(&detector->store->objects[object])
               ? rebali_policy_event(detector, object, old, &row, err)
               : rebali_detector_pass(detector, object, flags, &row, err);
  if (result == REBAL_OK && detector->message.failed) {
    return rebali_fail_memory(err);
  }
  return result == REBAL_OK && is_tried_again(row.outcome) ? fail_again(detector, object, flags, err) : result;
}

/* Visits and removes the items of a list; items added meanwhile stay. is_again: those that failed before. */
static int32_t visit_list(rebal_detector *detector, size_t which, int is_again, rebal_error *err) {
  struct rebali_list *list = &detector->lists[which];
  const size_t n = list->n;
  size_t done = 0;
  int32_t result = REBAL_OK;
  while (result == REBAL_OK && done < n) {
    const struct rebali_listed listed = list->entries[done];
    if (is_again) {
      detector->known[listed.object].is_failed = 0;
    }
    if (listed.object != REBAL_NONE) {
      result = visit(detector, listed.object, listed.flags, NULL, err);
    }
    if (is_again && result != REBAL_OK) {
      detector->known[listed.object].is_failed = 1;
    }
    done += result == REBAL_OK;
  }
  for (size_t i = 0; i < done; i++) {
    free(list->entries[i].key);
  }
  if (done > 0) {
    memmove(list->entries, list->entries + done, (list->n - done) * sizeof *list->entries);
    list->n -= done;
  }
  return result;
}

/* Passes add to neither list. */
static int32_t drain(rebal_detector *detector, rebal_error *err) {
  const int32_t result = visit_list(detector, REBAL_DETECTOR_LIST_POLICIES, 0, err);
  return result == REBAL_OK ? visit_list(detector, REBAL_DETECTOR_LIST_QUEUE, 0, err) : result;
}

/* ---- one object that changed ---- */

/* Tests whether a later change is a Lazy policy for the template. It finds the template waiting. */
static int32_t is_found_waiting(rebal_detector *detector, const struct batch *batch, size_t at, const json_t *template_,
                                int *is_found, rebal_error *err) {
  int32_t result = REBAL_OK;
  *is_found = 0;
  for (size_t i = 0; result == REBAL_OK && !*is_found && !batch->is_first && i < batch->n_lazy; i++) {
    json_t *policy = NULL;
    const char *namespace_;
    if (batch->lazy[i] <= at) {
      continue;
    }
    result = rebali_store_visit(detector->store, batch->objects[batch->lazy[i]], &policy, err);
    namespace_ = rebali_metadata_text(policy, "namespace");
    *is_found = result == REBAL_OK && rebali_policy_precision(policy, template_) != REBAL_PRECISION_NONE &&
                (namespace_[0] == '\0' || strcmp(namespace_, rebali_metadata_text(template_, "namespace")) == 0);
    json_decref(policy);
  }
  return result;
}

/* Makes the object new to the next run, because this one failed. */
static void forget(rebal_detector *detector, uint32_t object) {
  json_decref(detector->known[object].tree);
  detector->known[object].tree = NULL;
}

/* Processes a policy: its event, then what the event queued. */
static int32_t follow_policy(rebal_detector *detector, uint32_t object, json_t *tree, rebal_error *err) {
  struct rebali_known *known = &detector->known[object];
  json_t *old = known->tree;
  int32_t result;
  known->tree = json_incref(tree);
  result = visit(detector, object, 0, rebali_is_deleting(tree) ? NULL : old, err);
  json_decref(old);
  if (result != REBAL_OK) {
    forget(detector, object);
    return result;
  }
  return drain(detector, err);
}

static int32_t follow_template(rebal_detector *detector, const struct batch *batch, size_t at, json_t *tree,
                               rebal_error *err) {
  const uint32_t object = batch->objects[at];
  struct rebali_known *known = &detector->known[object];
  int32_t changed = 1, by_karmada = 0;
  int is_found = 0;
  int32_t result = known->tree != NULL ? rebali_change_of(known->tree, tree, &changed, &by_karmada, err) : REBAL_OK;
  detector->has_moved |= known->tree == NULL;
  if (result == REBAL_OK && changed) {
    json_decref(known->tree);
    known->tree = rebali_change_strip(tree);
    result =
        known->tree != NULL ? is_found_waiting(detector, batch, at, tree, &is_found, err) : rebali_fail_memory(err);
  }
  if (result == REBAL_OK && changed) {
    result = visit(detector, object, by_karmada || is_found ? REBAL_DETECTOR_PASS_BY_KARMADA : 0, NULL, err);
  }
  if (result != REBAL_OK) {
    forget(detector, object);
  }
  return result;
}

/* Processes a deleted object: a policy releases its templates, a template no longer waits. */
static int32_t follow_gone(rebal_detector *detector, uint32_t object, rebal_error *err) {
  struct rebali_list *waiting = &detector->lists[REBAL_DETECTOR_LIST_WAITING];
  const size_t at = rebali_list_find(waiting, object);
  json_t *tree = detector->known[object].tree;
  int32_t result = REBAL_OK;
  if (at < waiting->n) {
    rebali_list_remove(waiting, at);
  }
  if (tree != NULL && rebali_object_is_policy(&detector->store->objects[object])) {
    result = rebali_policy_gone(detector, tree, err);
  } else if (tree != NULL && is_binding(&detector->store->objects[object])) {
    result = rebali_distribute(detector, REBAL_NONE, tree, err);
  } else {
    detector->has_moved |= tree != NULL;
  }
  if (result == REBAL_OK) {
    forget(detector, object);
  }
  return result;
}

static int32_t follow_binding(rebal_detector *detector, uint32_t object, json_t *tree, rebal_error *err) {
  forget(detector, object);
  detector->known[object].tree = rebali_is_distributing(tree) ? json_incref(tree) : NULL;
  return rebali_distribute(detector, object, tree, err);
}

static int32_t follow_one(rebal_detector *detector, const struct batch *batch, size_t at, rebal_error *err) {
  const uint32_t object = batch->objects[at];
  const struct rebali_object *found = &detector->store->objects[object];
  json_t *tree;
  int32_t result;
  if (row_of(detector, object, err) == NULL) {
    return REBAL_ENOMEM;
  }
  if (!rebali_store_has(detector->store, object)) {
    return follow_gone(detector, object, err);
  }
  if (!rebali_object_is_policy(found) && !is_binding(found) && rebali_names_skipped(&detector->skipped, found)) {
    return REBAL_OK;
  }
  result = rebali_store_share(detector->store, object, &tree, err);
  if (result == REBAL_OK) {
    result = rebali_object_is_policy(found) ? follow_policy(detector, object, tree, err)
             : is_binding(found)            ? follow_binding(detector, object, tree, err)
                                            : follow_template(detector, batch, at, tree, err);
    json_decref(tree);
  }
  return result;
}

/* ---- run ------------ */

static int32_t note_lazy(rebal_detector *detector, struct batch *batch, uint32_t object, rebal_error *err) {
  json_t *tree;
  int is_lazy;
  int32_t result;
  if (!rebali_store_has(detector->store, object) || !rebali_object_is_policy(&detector->store->objects[object]) ||
      (object < detector->n_known && detector->known[object].tree != NULL)) {
    return REBAL_OK;
  }
  result = rebali_store_visit(detector->store, object, &tree, err);
  if (result != REBAL_OK) {
    return result;
  }
  is_lazy = rebali_policy_is_lazy(tree);
  json_decref(tree);
  if (is_lazy) {
    result = rebali_reserve_malloc(&batch->lazy, &batch->lazy_capacity, batch->n_lazy + 1, sizeof *batch->lazy, err);
    if (result == REBAL_OK) {
      batch->lazy[batch->n_lazy++] = (uint32_t)batch->n;
    }
  }
  return result;
}

/* *is_cause is set if what failed before may succeed now. */
static int32_t take(rebal_detector *detector, struct batch *batch, int *is_cause, rebal_error *err) {
  rebal_store *store = detector->store;
  int32_t result = REBAL_OK;
  batch->n = 0;
  batch->n_lazy = 0;
  for (uint32_t id = rebal_store_next_changed(store, &detector->seen); result == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next_changed(store, &detector->seen)) {
    const int is_present = rebali_store_has(store, id);
    *is_cause |= !is_present || !is_written_by_controllers(&store->objects[id]);
    if (is_present && is_written_by_controllers(&store->objects[id]) && !is_binding(&store->objects[id])) {
      continue;
    }
    result = note_lazy(detector, batch, id, err);
    if (result == REBAL_OK) {
      result = rebali_reserve_malloc(&batch->objects, &batch->capacity, batch->n + 1, sizeof *batch->objects, err);
    }
    if (result == REBAL_OK) {
      batch->objects[batch->n++] = id;
    }
  }
  return result;
}

/* Bindings may wait for, or hold, an object that was added or deleted. */
static int32_t distribute_again(rebal_detector *detector, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (uint32_t id = 0; result == REBAL_OK && detector->has_moved && id < detector->n_known; id++) {
    json_t *tree = NULL;
    if (detector->known[id].tree == NULL || !rebali_store_has(detector->store, id) ||
        !is_binding(&detector->store->objects[id])) {
      continue;
    }
    result = rebali_store_share(detector->store, id, &tree, err);
    if (result == REBAL_OK) {
      result = rebali_distribute(detector, id, tree, err);
      json_decref(tree);
    }
  }
  detector->has_moved &= result != REBAL_OK;
  return result;
}

static int32_t run(rebal_detector *detector, struct batch *batch, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t round = 0; result == REBAL_OK; round++) {
    int is_cause = 0;
    result = take(detector, batch, &is_cause, err);
    if (result != REBAL_OK || (batch->n == 0 && !is_cause)) {
      return result;
    }
    if (round == ROUNDS_MAX) {
      return rebali_fail(err, REBAL_ELIMIT, -1, "templates and policies do not come to rest in %d rounds", ROUNDS_MAX);
    }
    if (round == 0) {
      result = visit_list(detector, REBALI_LIST_FAILED, 1, err);
    }
    for (size_t i = 0; result == REBAL_OK && i < batch->n; i++) {
      result = follow_one(detector, batch, i, err);
    }
    if (result == REBAL_OK) {
      result = drain(detector, err);
    }
    if (result == REBAL_OK) {
      result = distribute_again(detector, err);
    }
  }
  return result;
}

int32_t rebal_detector_run(rebal_detector *detector, const rebal_time *now, rebal_error *err) {
  struct batch batch = {.n = 0};
  uint64_t before;
  int32_t result;
  if (detector == NULL || now == NULL || !now->is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "detector and now are needed");
  }
  detector->now = *now;
  before = detector->seen;
  batch.is_first = before == 0;
  result = run(detector, &batch, err);
  if (result != REBAL_OK) {
    detector->seen = before; /* processed objects equal their kept state */
  }
  free(batch.objects);
  free(batch.lazy);
  return result;
}
