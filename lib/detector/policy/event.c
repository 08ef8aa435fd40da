/* SPDX-License-Identifier: MIT */
/*
 * Events of policies: the effects of an added, changed or deleted policy on templates and bindings
 * (rebalance-karmada(7) 14.6).
 */
#include "detector/policy/policy.h"

#include <stdlib.h>
#include <string.h>

struct event {
  rebal_detector *detector;
  json_t *policy;
  const struct rebali_policy_kind *kind;
  const char *id;
  uint32_t object;
  uint32_t wake; /* REBAL_DETECTOR_PASS_* for the templates it wakes */
  rebal_detector_row *row;
  rebal_error *err;
};

/* Sets *tree to a reference to an object that has the policy's id, or to NULL if it has another. */
static int32_t visit_claimed(const struct event *event, uint32_t object, json_t **tree) {
  const int32_t result = rebali_store_visit(event->detector->store, object, tree, event->err);
  const json_t *label = result == REBAL_OK ? rebali_label(*tree, event->kind->id) : NULL;
  if (result == REBAL_OK && (label == NULL || strcmp(rebali_text_of(label), event->id) != 0)) {
    json_decref(*tree);
    *tree = NULL;
  }
  return result;
}

/* ---- bindings with the policy's id ---- */

struct named {
  uint32_t object;
  const char *api_version, *kind, *namespace_, *name;
};

/* Returns the object that a binding was made for. */
static struct named read_resource(const rebal_detector *detector, const json_t *binding) {
  const json_t *resource = rebali_member(rebali_member(binding, "spec"), "resource");
  struct named named = {REBAL_NONE, rebali_member_text(resource, "apiVersion"), rebali_member_text(resource, "kind"),
                        rebali_member_text(resource, "namespace"), rebali_member_text(resource, "name")};
  named.object = rebali_store_find_text(detector->store, named.api_version, named.kind, named.namespace_, named.name);
  return named;
}

/* Removes the claim from a template that the policy no longer selects, and from its binding; *is_taken is set then. */
static int32_t unclaim(struct event *event, uint32_t binding, uint32_t template_, int *is_taken) {
  json_t *tree;
  int32_t result = rebali_store_share(event->detector->store, template_, &tree, event->err);
  if (result != REBAL_OK) {
    return result;
  }
  if (rebali_policy_precision(event->policy, tree) == REBAL_PRECISION_NONE) {
    *is_taken = 1;
    result = rebali_claim_drop(event->detector, template_, event->kind, NULL, event->err);
    if (result == REBAL_OK) {
      result = rebali_claim_drop(event->detector, binding, event->kind, NULL, event->err);
    }
  }
  json_decref(tree);
  return result;
}

static int32_t visit_binding(struct event *event, uint32_t binding, const json_t *tree) {
  const struct named named = read_resource(event->detector, tree);
  int is_taken = 0;
  int32_t result = REBAL_OK;
  if (named.object != REBAL_NONE) {
    result = unclaim(event, binding, named.object, &is_taken);
  }
  if (result != REBAL_OK || is_taken) {
    return result;
  }
  return rebali_list_add(&event->detector->lists[REBAL_DETECTOR_LIST_QUEUE],
                         rebali_object_key(named.api_version, named.kind, named.namespace_, named.name), named.object,
                         event->wake, event->err);
}

/* Visits the bindings of one kind that have the policy's id. */
static int32_t visit_bindings(struct event *event, const char *kind) {
  rebal_store *store = event->detector->store;
  const char *own = rebali_metadata_text(event->policy, "namespace");
  int32_t result = REBAL_OK;
  for (uint32_t id = rebal_store_next(store, kind, strlen(kind), REBAL_NONE); result == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next(store, kind, strlen(kind), id)) {
    json_t *tree;
    if (own[0] != '\0' && strcmp(store->objects[id].namespace_, own) != 0) {
      continue;
    }
    result = visit_claimed(event, id, &tree);
    if (result == REBAL_OK && tree != NULL) {
      result = visit_binding(event, id, tree);
      json_decref(tree);
    }
  }
  return result;
}

/* ---- the waiting list ---- */

static int32_t is_wanted(struct event *event, uint32_t object, int *wanted) {
  json_t *tree = NULL;
  int32_t result = REBAL_OK;
  *wanted = 0;
  if (rebali_store_has(event->detector->store, object)) {
    result = rebali_store_share(event->detector->store, object, &tree, event->err);
  }
  if (result == REBAL_OK && tree != NULL) {
    *wanted = rebali_policy_precision(event->policy, tree) != REBAL_PRECISION_NONE;
  }
  json_decref(tree);
  return result;
}

/* Wakes the waiting templates that the policy selects, whatever their namespace. */
static int32_t wake_waiting(struct event *event) {
  struct rebali_list *waiting = &event->detector->lists[REBAL_DETECTOR_LIST_WAITING];
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < waiting->n;) {
    const struct rebali_listed listed = waiting->entries[i];
    int wanted;
    result = is_wanted(event, listed.object, &wanted);
    if (result != REBAL_OK || !wanted) {
      i++;
      continue;
    }
    if (rebali_waits_for_overrides(event->detector, event->policy, event->row)) {
      return REBAL_OK;
    }
    result = rebali_list_add_object(event->detector, REBAL_DETECTOR_LIST_QUEUE, listed.object, event->wake, event->err);
    if (result == REBAL_OK) {
      rebali_list_remove(waiting, i);
    }
  }
  return result;
}

/* ---- reconciling ---- */

static int32_t reconcile(struct event *event) {
  int32_t result = visit_bindings(event, "ResourceBinding");
  if (result == REBAL_OK && event->kind == &rebali_policy_kinds[REBALI_GLOBAL]) {
    result = visit_bindings(event, "ClusterResourceBinding");
  }
  if (result == REBAL_OK) {
    result = wake_waiting(event);
  }
  if (result != REBAL_OK || event->row->outcome == REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES ||
      !rebali_gate_is_on(event->detector, REBAL_DETECTOR_GATE_POLICY_PREEMPTION) ||
      strcmp(rebali_member_text(rebali_member(event->policy, "spec"), "preemption"), "Always") != 0) {
    return result;
  }
  return rebali_preempt(event->detector, event->policy, event->row, event->err);
}

/* ---- deleting ---- */

static int32_t clean_selected(struct event *event, const json_t *selector) {
  const char *kind = rebali_member_text(selector, "kind"), *namespace_ = rebali_member_text(selector, "namespace");
  const char *api_version = rebali_member_text(selector, "apiVersion");
  rebal_store *store = event->detector->store;
  int32_t result = REBAL_OK;
  for (uint32_t id = rebal_store_next(store, kind, strlen(kind), REBAL_NONE); result == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next(store, kind, strlen(kind), id)) {
    json_t *tree;
    if (strcmp(store->objects[id].api_version, api_version) != 0 || kind[0] == '\0' ||
        (namespace_[0] != '\0' && strcmp(store->objects[id].namespace_, namespace_) != 0)) {
      continue;
    }
    result = visit_claimed(event, id, &tree);
    if (result == REBAL_OK && tree != NULL) {
      json_decref(tree);
      result = rebali_clean_up(event->detector, id, event->kind, event->id, event->err);
    }
  }
  return result;
}

static int32_t remove_finalizer(struct event *event) {
  json_t *tree = rebali_editable(event->policy);
  int32_t result =
      tree != NULL ? rebali_finalizer_remove(tree, event->kind->finalizer, event->err) : rebali_fail_memory(event->err);
  if (result == REBAL_OK) {
    result = rebali_detector_write(event->detector, event->object, tree, event->policy, event->err);
  }
  json_decref(tree);
  return result;
}

static int32_t clean_all(struct event *event) {
  const json_t *selectors = rebali_member(rebali_member(event->policy, "spec"), "resourceSelectors");
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(selectors); i++) {
    result = clean_selected(event, json_array_get(selectors, i));
  }
  return result;
}

static int32_t delete_policy(struct event *event) {
  int32_t result;
  if (rebali_finalizer_find(event->policy, event->kind->finalizer) == SIZE_MAX) {
    return REBAL_OK;
  }
  result = clean_all(event);
  return result == REBAL_OK ? remove_finalizer(event) : result;
}

/* ---- an update ---- */

struct rival {
  uint32_t object;
  int64_t priority;
  const char *name;
};

static int compare_rivals(const void *left, const void *right, const void *context) {
  const struct rival *one = left, *other = right;
  (void)context;
  if (one->priority != other->priority) {
    return one->priority > other->priority ? -1 : 1;
  }
  return strcmp(one->name, other->name);
}

/* Tests whether a policy may take over templates of one whose priority fell from before to after. */
static int is_rival(const json_t *policy, int64_t before, int64_t after) {
  const json_t *spec = rebali_member(policy, "spec"), *priority = rebali_member(spec, "priority");
  const int64_t value = rebali_policy_priority(policy);
  return priority != NULL && strcmp(rebali_member_text(spec, "preemption"), "Always") == 0 && after < value &&
         value < before;
}

static int32_t queue_rivals(struct event *event, int64_t before, int64_t after) {
  rebal_store *store = event->detector->store;
  const char *kind = event->kind->name, *own = rebali_metadata_text(event->policy, "namespace");
  struct rival *rivals = NULL;
  size_t n = 0, capacity = 0;
  int32_t result = REBAL_OK;
  for (uint32_t id = rebal_store_next(store, kind, strlen(kind), REBAL_NONE); result == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next(store, kind, strlen(kind), id)) {
    json_t *tree;
    if (strcmp(store->objects[id].namespace_, own) != 0) {
      continue;
    }
    result = rebali_store_visit(store, id, &tree, event->err);
    if (result == REBAL_OK && is_rival(tree, before, after)) {
      result = rebali_reserve_malloc(&rivals, &capacity, 2 * (n + 1), sizeof *rivals, event->err);
      if (result == REBAL_OK) {
        rivals[n++] = (struct rival){id, rebali_policy_priority(tree), store->objects[id].name};
      }
    }
    json_decref(tree);
  }
  if (n > 1) {
    rebali_sort(rivals, n, sizeof *rivals, rivals + n, compare_rivals, NULL);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    result = rebali_list_add_object(event->detector, REBAL_DETECTOR_LIST_POLICIES, rivals[i].object, 0, event->err);
  }
  free(rivals);
  return result;
}

static int32_t update_policy(struct event *event, const json_t *old) {
  const json_t *was = rebali_member(rebali_member(old, "metadata"), "generation");
  const json_t *is = rebali_member(rebali_member(event->policy, "metadata"), "generation");
  const int64_t before = rebali_policy_priority(old), after = rebali_policy_priority(event->policy);
  int32_t result;
  if (json_integer_value(was) == json_integer_value(is)) {
    return REBAL_OK;
  }
  result = rebali_list_add_object(event->detector, REBAL_DETECTOR_LIST_POLICIES, event->object, 0, event->err);
  if (result != REBAL_OK || after >= before ||
      !rebali_gate_is_on(event->detector, REBAL_DETECTOR_GATE_POLICY_PREEMPTION)) {
    return result;
  }
  return queue_rivals(event, before, after);
}

int32_t rebali_policy_gone(rebal_detector *detector, json_t *policy, rebal_error *err) {
  char scratch[64];
  struct event event = {.detector = detector,
                        .policy = policy,
                        .kind = rebali_policy_kind_of(policy),
                        .id = rebali_policy_id(detector, policy, scratch),
                        .object = REBAL_NONE,
                        .err = err};
  return clean_all(&event);
}

int32_t rebali_policy_event(rebal_detector *detector, uint32_t object, const json_t *old, rebal_detector_row *row,
                            rebal_error *err) {
  char scratch[64];
  struct event event = {.detector = detector, .object = object, .row = row, .err = err};
  int32_t result = rebali_store_share(detector->store, object, &event.policy, err);
  if (result != REBAL_OK) {
    return result;
  }
  event.kind = rebali_policy_kind_of(event.policy);
  event.id = rebali_policy_id(detector, event.policy, scratch);
  event.wake = rebali_policy_is_lazy(event.policy) ? REBAL_DETECTOR_PASS_BY_KARMADA : 0;
  row->outcome = REBAL_DETECTOR_OUTCOME_DONE;
  if (old != NULL) {
    result = update_policy(&event, old);
  } else {
    result = rebali_is_deleting(event.policy) ? delete_policy(&event) : reconcile(&event);
  }
  json_decref(event.policy);
  return result;
}
