/* SPDX-License-Identifier: MIT */
/* Bindings made from workloads and policies, as Karmada's detector does. */
#include "detector/policy/policy.h"

#include <stdlib.h>
#include <string.h>

/* One template with its policy, and the spec that follows from both. */
struct match {
  rebal_detector *detector;
  rebal_store *store;
  const json_t *workload;
  const json_t *policy;
  json_t *derived;
};

/* Puts the derived members into a copy of the old spec. A new resourceVersion of the workload alone is no change. */
static int32_t merge_spec(const struct match *match, json_t *spec, const json_t *old, rebal_error *err) {
  json_t *derived = match->derived, *resource = rebali_member(derived, "resource");
  json_t *version = rebali_member(resource, "resourceVersion");
  json_t *old_version = rebali_member(rebali_member(old, "resource"), "resourceVersion");
  int32_t result = REBAL_OK;
  json_incref(version);
  if (old_version != NULL) {
    result = rebali_put(resource, "resourceVersion", json_incref(old_version), err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_owned(spec, derived, rebali_owned_members(match->workload, old == NULL), err);
  }
  if (result == REBAL_OK) {
    result = rebali_put_suspension(spec, old, derived, err);
  }
  if (result == REBAL_OK && version != NULL && old_version != NULL && !json_equal(spec, old)) {
    result = rebali_put(resource, "resourceVersion", json_incref(version), err);
  }
  json_decref(version);
  return result;
}

/* tree: an editable binding, or a new map that becomes one. */
static int32_t fill(const struct match *match, const char *name, const json_t *old_spec, json_t *tree,
                    rebal_error *err) {
  json_t *spec = NULL;
  char scratch[64];
  int32_t result = rebali_put_identity(tree, match->workload, name, err);
  if (result == REBAL_OK) {
    result =
        rebali_claim_take_over(tree, match->policy, rebali_policy_id(match->detector, match->policy, scratch), err);
  }
  if (result == REBAL_OK) {
    spec = old_spec != NULL ? rebali_copy(old_spec) : json_object();
    result = rebali_put(tree, "spec", spec, err);
  }
  return result == REBAL_OK ? merge_spec(match, spec, old_spec, err) : result;
}

/* A template without uid, as it is written by hand, may be the owner. */
static int is_foreign(const json_t *binding, const json_t *template_) {
  return binding != NULL && rebali_metadata_text(template_, "uid")[0] != '\0' &&
         rebali_binding_is_foreign(binding, template_);
}

/* That of another owner stays as it is. */
static int32_t make_binding(const struct match *match, const rebal_time *now, struct rebali_staged_batch *batch,
                            rebal_error *err) {
  char *name = NULL;
  uint32_t found;
  json_t *before = NULL, *tree = NULL;
  int32_t result = rebali_find_binding(match->detector, match->workload, &found, &name, err);
  if (result == REBAL_OK && found != REBAL_NONE) {
    result = rebali_store_visit(match->store, found, &before, err);
  }
  if (result == REBAL_OK && is_foreign(before, match->workload)) {
    json_decref(before);
    free(name);
    return REBAL_OK;
  }
  if (result == REBAL_OK) {
    tree = before != NULL ? rebali_editable(before) : json_object();
    result = tree != NULL ? fill(match, name, rebali_member(before, "spec"), tree, err) : rebali_fail_memory(err);
  }
  free(name);
  if (result == REBAL_OK && before == NULL) {
    result = rebali_metadata_create(tree, now, err);
  } else if (result == REBAL_OK) {
    result = rebali_metadata_update(tree, before, err);
  }
  json_decref(before);
  if (result != REBAL_OK) {
    json_decref(tree);
    return result;
  }
  return rebali_batch_add(batch, tree, 0, SIZE_MAX, err);
}

/* What the reference fails on gets no binding: it tries again until the objects are others. */
static int32_t derive_template(rebal_detector *detector, const json_t *tree, const rebal_time *now,
                               struct rebali_staged_batch *batch, rebal_error *err) {
  struct match match = {.detector = detector, .store = detector->store, .workload = tree};
  rebal_detector_row row;
  json_t *policy = NULL;
  int32_t result = rebali_policy_of(detector, tree, &policy, &row, err);
  match.policy = policy;
  if (result == REBAL_OK && policy != NULL) {
    result = rebali_build_spec(detector, tree, policy, &match.derived, err);
  }
  if (result == REBAL_OK && match.derived != NULL) {
    result = make_binding(&match, now, batch, err);
  }
  json_decref(match.derived);
  json_decref(policy);
  return result;
}

/* What all bindings are made with. */
static int is_rule(const char *kind) {
  return rebali_is_policy_kind(kind) || strcmp(kind, "PriorityClass") == 0 || strcmp(kind, "OverridePolicy") == 0 ||
         strcmp(kind, "ClusterOverridePolicy") == 0;
}

static int is_binding(const char *kind) {
  return strcmp(kind, "ResourceBinding") == 0 || strcmp(kind, "ClusterResourceBinding") == 0;
}

/* The workload that a binding of the store was made for, by what it says; REBAL_NONE when that is not certain. */
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
 * Marks the workloads whose bindings may not be what they should be since the last time: of those that changed, and
 * those whose binding did. *all: it may be any of them.
 */
static int32_t find_due(const rebal_detector *detector, uint8_t *is_due, int *all, rebal_error *err) {
  rebal_store *store = detector->store;
  uint64_t seen = detector->derived;
  int32_t result = REBAL_OK;
  *all = detector->derived == 0;
  for (uint32_t id = rebal_store_next_changed(store, &seen); result == REBAL_OK && !*all && id != REBAL_NONE;
       id = rebal_store_next_changed(store, &seen)) {
    const int is_there = rebali_store_has(store, id);
    uint32_t workload = id;
    *all = is_rule(store->objects[id].kind) || (!is_there && is_binding(store->objects[id].kind));
    if (!*all && is_there && is_binding(store->objects[id].kind)) {
      result = find_workload(store, id, &workload, err);
      *all = workload == REBAL_NONE;
    }
    if (!*all) {
      is_due[workload] = 1;
    }
  }
  return result;
}

static int32_t derive_due(rebal_detector *detector, const uint8_t *is_due, int all, const rebal_time *now,
                          struct rebali_staged_batch *batch, rebal_error *err) {
  rebal_store *store = detector->store;
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < store->n_order; i++) {
    const uint32_t object = store->order[i];
    json_t *tree = NULL;
    if ((all || is_due[object]) && !rebali_names_skipped(&detector->skipped, &store->objects[object])) {
      result = rebali_store_visit(store, object, &tree, err);
    }
    if (result == REBAL_OK && tree != NULL) {
      result = derive_template(detector, tree, now, batch, err);
    }
    json_decref(tree);
  }
  return result;
}

/* ---- dependencies ---- */

/* May a binding propagate its dependencies, or have done so? Without its tree. */
static int may_distribute(const rebal_store *store, uint32_t object) {
  const struct rebali_object *binding = &store->objects[object];
  return rebali_store_has(store, object) && strcmp(binding->kind, "ResourceBinding") == 0 &&
         rebali_group_compare(binding->api_version, REBALI_WORK_API) == 0 &&
         (strstr(binding->text, "propagateDeps") != NULL || strstr(binding->text, "dependencies-distributor") != NULL);
}

/* Any object that changed may be what a workload depends on, so that all such bindings are looked at. */
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

/* ---- all of it ---- */

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
    detector->derived = store->changes; /* what was just made is made the same again */
  }
  rebali_batch_dispose(&batch);
  free(is_due);
  return result;
}
