/* SPDX-License-Identifier: MIT */
/* Derives bindings from workloads and policies, as Karmada's detector does. */
#include "detector/policy/policy.h"

#include <stdlib.h>
#include <string.h>

/* Adds a new or changed binding to the batch. */
static int32_t stage(json_t *tree, const json_t *before, const rebal_time *now, struct rebali_staged_batch *batch,
                     rebal_error *err) {
  const int32_t result =
      before == NULL ? rebali_metadata_create(tree, now, err) : rebali_metadata_update(tree, before, err);
  if (result != REBAL_OK) {
    json_decref(tree);
    return result;
  }
  return rebali_batch_add(batch, tree, 0, SIZE_MAX, err);
}

/*
 * Tests whether the policy of a claim is in the store but is not a policy of the template any more
 * (rebalance-karmada(7) 14.7).
 */
static int is_stale(const rebal_detector *detector, const struct rebali_rest *rest,
                    const struct rebali_policy_kind *kind) {
  const json_t *template_ = rest->draft.template_;
  return rebali_claim_is_complete(template_, kind) && rebali_claimed_policy(detector, template_, kind) != REBAL_NONE &&
         rebali_label(rest->before, kind->id) != NULL &&
         json_equal(rebali_label(rest->before, kind->id), rebali_label(template_, kind->id));
}

/* Removes the claim from a binding that has no policy any more, so that nothing schedules it. */
static int32_t clean_up(const rebal_detector *detector, const struct rebali_rest *rest, const rebal_time *now,
                        struct rebali_staged_batch *batch, rebal_error *err) {
  json_t *cleaned = NULL;
  for (size_t i = 0; i < 2; i++) {
    if (!is_stale(detector, rest, &rebali_policy_kinds[i])) {
      continue;
    }
    cleaned = cleaned != NULL ? cleaned : rebali_editable(rest->before);
    if (cleaned == NULL) {
      return rebali_fail_memory(err);
    }
    rebali_claim_remove(cleaned, &rebali_policy_kinds[i]);
  }
  return cleaned != NULL ? stage(cleaned, rest->before, now, batch, err) : REBAL_OK;
}

/*
 * Tests whether the binding belongs in the list of those left as they are. Without a policy it may be an attached one,
 * unless the template carries the claim of a policy that the store does not hold.
 */
static int is_left(const rebal_detector_row *row, const json_t *template_) {
  const int is_claimed = rebali_claim_is_complete(template_, &rebali_policy_kinds[REBALI_NAMESPACED]) ||
                         rebali_claim_is_complete(template_, &rebali_policy_kinds[REBALI_GLOBAL]);
  return row->binding != REBAL_NONE && row->outcome != REBAL_DETECTOR_OUTCOME_DONE &&
         (row->outcome != REBAL_DETECTOR_OUTCOME_WAITING || is_claimed);
}

/* Where the reference fails, no binding is made: it retries until the objects change. */
static int32_t derive_template(rebal_detector *detector, uint32_t object, const json_t *template_,
                               const rebal_time *now, struct rebali_staged_batch *batch, rebal_error *err) {
  rebal_detector_row row = {.binding = REBAL_NONE};
  struct rebali_rest rest;
  json_t *tree = NULL;
  int32_t result = rebali_rest_open(&rest, detector, template_, &row, err);
  if (result == REBAL_OK && row.outcome == REBAL_DETECTOR_OUTCOME_DONE) {
    result = rebali_rest_draft(&rest, &tree, err);
    result = result == REBAL_OK ? stage(tree, rest.before, now, batch, err) : result;
  } else if (result == REBAL_OK &&
             (row.outcome == REBAL_DETECTOR_OUTCOME_UNMATCHED || row.outcome == REBAL_DETECTOR_OUTCOME_DELETING)) {
    result = clean_up(detector, &rest, now, batch, err);
  }
  if (result == REBAL_OK && is_left(&row, template_)) {
    result = rebali_list_add_object(detector, REBAL_DETECTOR_LIST_LEFT, object, 0, err);
  }
  rebali_rest_close(&rest);
  return result;
}

/* Tests whether objects of a kind are inputs of all bindings. */
static int is_rule(const char *kind) {
  return rebali_is_policy_kind(kind) || strcmp(kind, "PriorityClass") == 0 || strcmp(kind, "OverridePolicy") == 0 ||
         strcmp(kind, "ClusterOverridePolicy") == 0;
}

static int is_binding(const char *kind) {
  return strcmp(kind, "ResourceBinding") == 0 || strcmp(kind, "ClusterResourceBinding") == 0;
}

/* Finds the workload that a binding of the store states as its own; REBAL_NONE if that is not certain. */
static int32_t find_workload(rebal_store *store, uint32_t binding, uint32_t *workload, rebal_error *err) {
  const struct rebali_object *object = &store->objects[binding];
  const json_t *resource;
  json_t *tree;
  char *name = NULL;
  int32_t result = rebali_store_share(store, binding, &tree, err);
  *workload = REBAL_NONE;
  if (result != REBAL_OK) {
    return result;
  }
  resource = rebali_member(rebali_member(tree, "spec"), "resource");
  if (strcmp(rebali_member_text(resource, "namespace"), object->namespace_) == 0 &&
      rebali_member_text(resource, "name")[0] != '\0') {
    result =
        rebali_name_binding(rebali_member_text(resource, "name"), rebali_member_text(resource, "kind"), &name, err);
  }
  if (name != NULL && strcmp(name, object->name) == 0) {
    *workload = rebali_store_find_text(store, json_string_value(rebali_member(resource, "apiVersion")),
                                       rebali_member_text(resource, "kind"), object->namespace_,
                                       rebali_member_text(resource, "name"));
  }
  free(name);
  json_decref(tree);
  return result;
}

/*
 * Marks the workloads whose bindings may be outdated since the last call: those that changed, and those whose binding
 * changed. *all is set if any may be.
 */
static int32_t find_due(const rebal_detector *detector, uint8_t *is_due, int *all, rebal_error *err) {
  rebal_store *store = detector->store;
  uint64_t seen = detector->derived;
  int32_t result = REBAL_OK;
  *all = detector->derived == 0;
  for (uint32_t id = rebal_store_next_changed(store, &seen); result == REBAL_OK && !*all && id != REBAL_NONE;
       id = rebal_store_next_changed(store, &seen)) {
    const int is_present = rebali_store_has(store, id);
    uint32_t workload = id;
    *all = is_rule(store->objects[id].kind) || (!is_present && is_binding(store->objects[id].kind));
    if (!*all && is_present && is_binding(store->objects[id].kind)) {
      result = find_workload(store, id, &workload, err);
      *all = workload == REBAL_NONE;
    }
    if (!*all) {
      is_due[workload] = 1;
    }
  }
  return result;
}

/* Leaves the binding of a template that is not considered as it is. */
static int32_t leave_skipped(rebal_detector *detector, uint32_t object, rebal_error *err) {
  const struct rebali_object *template_ = &detector->store->objects[object];
  uint32_t binding;
  const int32_t result =
      rebali_find_binding_of(detector, template_->namespace_, template_->kind, template_->name, &binding, NULL, err);
  return result == REBAL_OK && binding != REBAL_NONE
             ? rebali_list_add_object(detector, REBAL_DETECTOR_LIST_LEFT, object, 0, err)
             : result;
}

static int32_t derive_due(rebal_detector *detector, const uint8_t *is_due, int all, const rebal_time *now,
                          struct rebali_staged_batch *batch, rebal_error *err) {
  rebal_store *store = detector->store;
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < store->n_order; i++) {
    const uint32_t object = store->order[i];
    json_t *tree = NULL;
    if (!all && !is_due[object]) {
      continue;
    }
    if (rebali_names_skipped(&detector->skipped, &store->objects[object])) {
      result = leave_skipped(detector, object, err);
      continue;
    }
    result = rebali_store_visit(store, object, &tree, err);
    if (result == REBAL_OK) {
      result = derive_template(detector, object, tree, now, batch, err);
    }
    json_decref(tree);
  }
  return result;
}

/* Removes from the list what is examined again or was deleted. */
static void forget_left(rebal_detector *detector, const uint8_t *is_due, int all) {
  struct rebali_list *left = &detector->lists[REBAL_DETECTOR_LIST_LEFT];
  size_t kept = 0;
  for (size_t i = 0; i < left->n; i++) {
    const uint32_t object = left->entries[i].object;
    if (all || is_due[object] || !rebali_store_has(detector->store, object)) {
      free(left->entries[i].key);
    } else {
      left->entries[kept++] = left->entries[i];
    }
  }
  left->n = kept;
}

/* ---- dependencies ---- */

/* Tests whether a binding may propagate its dependencies, or may have done so, without its tree. */
static int may_distribute(const rebal_store *store, uint32_t object) {
  const struct rebali_object *binding = &store->objects[object];
  return rebali_store_has(store, object) && strcmp(binding->kind, "ResourceBinding") == 0 &&
         rebali_group_compare(binding->api_version, REBALI_WORK_API) == 0 &&
         (strstr(binding->text, "propagateDeps") != NULL || strstr(binding->text, "dependencies-distributor") != NULL);
}

/* A workload may depend on any changed object, so all such bindings are examined. */
static int32_t distribute(rebal_detector *detector, rebal_error *err) {
  static const char kind[] = "ResourceBinding";
  rebal_store *store = detector->store;
  uint64_t seen = detector->derived;
  int32_t result = REBAL_OK;
  for (uint32_t id = rebal_store_next_changed(store, &seen); !detector->has_distributing && id != REBAL_NONE;
       id = rebal_store_next_changed(store, &seen)) {
    detector->has_distributing = may_distribute(store, id);
  }
  for (uint32_t id = rebal_store_next(store, kind, sizeof kind - 1, REBAL_NONE);
       detector->has_distributing && result == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next(store, kind, sizeof kind - 1, id)) {
    json_t *tree;
    if (!may_distribute(store, id)) {
      continue;
    }
    result = rebali_store_share(store, id, &tree, err);
    if (result == REBAL_OK) {
      result = rebali_distribute(detector, id, tree, err);
      json_decref(tree);
    }
  }
  return result;
}

/* ---- derivation --- */

/* Marks the templates that the caller names. */
static int32_t mark(const rebal_store *store, const uint32_t *objects, size_t n, uint8_t *is_due, rebal_error *err) {
  for (size_t i = 0; i < n; i++) {
    if (!rebali_store_has(store, objects[i])) {
      return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no object %u", (unsigned)objects[i]);
    }
    is_due[objects[i]] = 1;
  }
  return REBAL_OK;
}

int32_t rebal_detector_derive(rebal_detector *detector, const uint32_t *objects, size_t n, const rebal_time *now,
                              rebal_error *err) {
  struct rebali_staged_batch batch = {.n = 0};
  rebal_store *store;
  uint8_t *is_due;
  int all = 0;
  int32_t result;
  if (detector == NULL || now == NULL || !now->is_set) {
    return rebali_fail(err, REBAL_EINVAL, -1, "detector and now are needed");
  }
  store = detector->store;
  if (objects == NULL && detector->derived == store->changes) {
    return REBAL_OK;
  }
  is_due = calloc(store->n_objects + 1, sizeof *is_due);
  if (is_due == NULL) {
    return rebali_fail_memory(err);
  }
  detector->now = *now;
  rebali_buffer_clear(&detector->message);
  result = objects != NULL ? mark(store, objects, n, is_due, err) : find_due(detector, is_due, &all, err);
  if (result == REBAL_OK) {
    forget_left(detector, is_due, all);
    result = derive_due(detector, is_due, all, now, &batch, err);
  }
  if (result == REBAL_OK) {
    result = rebali_batch_drop_repeated(&batch, err);
  }
  if (result == REBAL_OK) {
    rebali_batch_match(&batch, store);
    result = rebali_store_take(store, &batch, err);
  }
  if (result == REBAL_OK && objects == NULL) {
    result = distribute(detector, err);
  }
  if (result == REBAL_OK && objects == NULL) {
    detector->derived = store->changes; /* deriving these bindings twice gives the same */
  }
  rebali_batch_dispose(&batch);
  free(is_due);
  return result;
}
