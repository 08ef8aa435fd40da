/* SPDX-License-Identifier: MIT */
/* Which policy takes a template: an index of selectors, since control planes have as many policies as templates. */
#include "detector/policy/policy.h"

#include <stdlib.h>
#include <string.h>

int64_t rebali_policy_priority(const json_t *policy) {
  return json_integer_value(rebali_member(rebali_member(policy, "spec"), "priority"));
}

static int is_valid_label_value(const json_t *value) {
  const char *text = json_string_value(value);
  return text != NULL && rebali_is_label_value(rebali_text(text, strlen(text)));
}

static int is_valid_key(const char *key) {
  return rebali_is_qualified_name(rebali_text(key, strlen(key)));
}

/* An expression that Kubernetes would refuse makes the whole selector match nothing. */
static int is_valid_selector(const json_t *selector) {
  const json_t *expressions = rebali_member(selector, "matchExpressions");
  const char *key;
  json_t *value;
  json_object_foreach(rebali_member(selector, "matchLabels"), key, value) {
    if (!is_valid_key(key) || !is_valid_label_value(value)) {
      return 0;
    }
  }
  for (size_t i = 0; i < json_array_size(expressions); i++) {
    const json_t *expression = json_array_get(expressions, i), *values = rebali_member(expression, "values");
    if (!is_valid_key(rebali_member_text(expression, "key"))) {
      return 0;
    }
    for (size_t k = 0; k < json_array_size(values); k++) {
      if (!is_valid_label_value(json_array_get(values, k))) {
        return 0;
      }
    }
  }
  return 1;
}

int rebali_selector_precision(const json_t *selector, const json_t *template_) {
  const char *namespace_ = rebali_member_text(selector, "namespace"), *name = rebali_member_text(selector, "name");
  const json_t *labels = rebali_member(selector, "labelSelector");
  if (strcmp(rebali_member_text(selector, "apiVersion"), rebali_member_text(template_, "apiVersion")) != 0 ||
      strcmp(rebali_member_text(selector, "kind"), rebali_member_text(template_, "kind")) != 0 ||
      (namespace_[0] != '\0' && strcmp(namespace_, rebali_metadata_text(template_, "namespace")) != 0)) {
    return REBAL_PRECISION_NONE;
  }
  if (name[0] != '\0') {
    return strcmp(name, rebali_metadata_text(template_, "name")) == 0 ? REBAL_PRECISION_NAME : REBAL_PRECISION_NONE;
  }
  if (labels == NULL) {
    return REBAL_PRECISION_ALL;
  }
  return is_valid_selector(labels) &&
                 rebali_selector_matches(labels, rebali_member(rebali_member(template_, "metadata"), "labels"))
             ? REBAL_PRECISION_LABELS
             : REBAL_PRECISION_NONE;
}

uint32_t rebali_policy_precision(const json_t *policy, const json_t *template_) {
  const json_t *selectors = rebali_member(rebali_member(policy, "spec"), "resourceSelectors");
  int most = REBAL_PRECISION_NONE;
  for (size_t i = 0; i < json_array_size(selectors); i++) {
    const int precision = rebali_selector_precision(json_array_get(selectors, i), template_);
    most = precision > most ? precision : most;
  }
  return (uint32_t)most;
}

/* ---- the index ---- */

static int compare_keys(const struct rebali_selected *left, const struct rebali_selected *right) {
  int order = strcmp(left->namespace_, right->namespace_);
  if (order == 0) {
    order = strcmp(left->kind, right->kind);
  }
  return order != 0 ? order : strcmp(left->name, right->name);
}

static int compare_selected(const void *left, const void *right) {
  return compare_keys(left, right);
}

/* A policy with a namespace selects nothing outside it, whatever its selectors are. */
static int32_t add_policy(struct rebali_selection *selection, const json_t *policy, uint32_t object, rebal_error *err) {
  const json_t *selectors = rebali_member(rebali_member(policy, "spec"), "resourceSelectors");
  const char *own = rebali_metadata_text(policy, "namespace");
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(selectors); i++) {
    const json_t *selector = json_array_get(selectors, i);
    const char *wanted = rebali_member_text(selector, "namespace");
    const struct rebali_selected item = {.policy = policy,
                                         .selector = selector,
                                         .namespace_ = own[0] != '\0' ? own : wanted,
                                         .kind = rebali_member_text(selector, "kind"),
                                         .name = rebali_member_text(selector, "name"),
                                         .priority = rebali_policy_priority(policy),
                                         .object = object};
    if (own[0] == '\0' || wanted[0] == '\0' || strcmp(wanted, own) == 0) {
      result = rebali_reserve_malloc(&selection->items, &selection->capacity, selection->n + 1, sizeof item, err);
      if (result == REBAL_OK) {
        selection->items[selection->n++] = item;
      }
    }
  }
  return result;
}

static int32_t keep_policy(struct rebali_selection *selection, json_t *policy, rebal_error *err) {
  if (selection->policies == NULL) {
    selection->policies = json_array();
  }
  return json_array_append_new(selection->policies, policy) == 0 ? REBAL_OK : rebali_fail_memory(err);
}

static int32_t fill(const rebal_store *store, const char *kind, struct rebali_selection *selection, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (uint32_t id = rebal_store_next(store, kind, strlen(kind), REBAL_NONE); result == REBAL_OK && id != REBAL_NONE;
       id = rebal_store_next(store, kind, strlen(kind), id)) {
    json_t *policy;
    if (!rebali_object_is_policy(&store->objects[id])) {
      continue;
    }
    result = rebali_store_open(store, id, &policy, err);
    if (result == REBAL_OK) {
      result = keep_policy(selection, policy, err);
    }
    if (result == REBAL_OK && !rebali_is_deleting(policy)) {
      result = add_policy(selection, policy, id, err);
    }
  }
  if (selection->n > 1) {
    qsort(selection->items, selection->n, sizeof *selection->items,
          compare_selected); /* the choice decides between equal ones */
  }
  return result;
}

void rebali_selection_clear(struct rebali_selection *selection) {
  free(selection->items);
  json_decref(selection->policies);
  *selection = (struct rebali_selection){NULL, 0, 0, NULL};
}

/* Tests whether a policy changed since the index was built. */
static int is_stale(rebal_detector *detector) {
  uint64_t seen = detector->selected_at;
  const rebal_store *store = detector->store;
  if (!detector->has_selections) {
    return 1;
  }
  for (uint32_t id = rebal_store_next_changed(store, &seen); id != REBAL_NONE;
       id = rebal_store_next_changed(store, &seen)) {
    if (rebali_is_policy_kind(store->objects[id].kind)) {
      return 1;
    }
  }
  detector->selected_at = store->changes;
  return 0;
}

static int32_t refresh(rebal_detector *detector, rebal_error *err) {
  int32_t result = REBAL_OK;
  if (!is_stale(detector)) {
    return REBAL_OK;
  }
  detector->has_selections = 0;
  for (size_t i = 0; result == REBAL_OK && i < 2; i++) {
    rebali_selection_clear(&detector->selections[i]);
    result = fill(detector->store, rebali_policy_kinds[i].name, &detector->selections[i], err);
  }
  if (result == REBAL_OK) {
    detector->has_selections = 1;
    detector->selected_at = detector->store->changes;
  }
  return result;
}

/* ---- the choice ---- */

struct choice {
  const struct rebali_selected *item;
  int precision;
};

/* Compares by higher priority, then precision, then the smaller name. */
static int is_better(const struct rebali_selected *item, int precision, const struct choice *best) {
  if (precision == REBAL_PRECISION_NONE || best->item == NULL) {
    return precision != REBAL_PRECISION_NONE;
  }
  if (item->priority != best->item->priority) {
    return item->priority > best->item->priority;
  }
  if (precision != best->precision) {
    return precision > best->precision;
  }
  return strcmp(rebali_metadata_text(item->policy, "name"), rebali_metadata_text(best->item->policy, "name")) < 0;
}

static int preempts(const struct rebali_selected *item) {
  return strcmp(rebali_member_text(rebali_member(item->policy, "spec"), "preemption"), "Always") == 0;
}

/* With preempting, considers only policies that preempt, with at least the priority of the key. */
static void choose(const struct rebali_selection *selection, const struct rebali_selected *key, const json_t *template_,
                   int preempting, struct choice *best) {
  size_t at;
  REBALI_BISECT(at, selection->n, compare_keys(&selection->items[at], key) < 0);
  for (; at < selection->n && compare_keys(&selection->items[at], key) == 0; at++) {
    const struct rebali_selected *item = &selection->items[at];
    const int precision = rebali_selector_precision(item->selector, template_);
    if ((!preempting || (item->priority >= key->priority && preempts(item))) && is_better(item, precision, best)) {
      *best = (struct choice){item, precision};
    }
  }
}

static void find_best(const struct rebali_selection *selection, const json_t *template_, struct choice *best) {
  const char *const names[] = {rebali_metadata_text(template_, "name"), ""};
  const char *const spaces[] = {rebali_metadata_text(template_, "namespace"), ""};
  for (size_t i = 0; i < 2; i++) {
    for (size_t k = 0; k < (spaces[0][0] != '\0' ? 2 : 1); k++) {
      const struct rebali_selected key = {
          .namespace_ = spaces[k], .kind = rebali_member_text(template_, "kind"), .name = names[i]};
      choose(selection, &key, template_, 0, best);
    }
  }
}

int32_t rebali_policy_choose(rebal_detector *detector, const json_t *template_, uint32_t *policy, rebal_error *err) {
  const int is_namespaced = rebali_metadata_text(template_, "namespace")[0] != '\0';
  const int32_t result = refresh(detector, err);
  struct choice best = {NULL, REBAL_PRECISION_NONE};
  *policy = REBAL_NONE;
  if (result != REBAL_OK) {
    return result;
  }
  if (is_namespaced) {
    find_best(&detector->selections[REBALI_NAMESPACED], template_, &best);
  }
  if (best.item == NULL) {
    find_best(&detector->selections[REBALI_GLOBAL], template_, &best);
  }
  *policy = best.item != NULL ? best.item->object : REBAL_NONE;
  return REBAL_OK;
}

/* ---- preemption ---- */

/* Returns the best policy of a kind that names the template, preempts, and has at least this priority. */
static const struct rebali_selected *find_preempting(const struct rebali_selection *selection, const json_t *template_,
                                                     int64_t least) {
  const struct rebali_selected key = {.namespace_ = rebali_metadata_text(template_, "namespace"),
                                      .kind = rebali_member_text(template_, "kind"),
                                      .name = rebali_metadata_text(template_, "name"),
                                      .priority = least};
  struct choice best = {NULL, REBAL_PRECISION_NONE};
  choose(selection, &key, template_, 1, &best);
  return best.item;
}

int32_t rebali_policy_preempting(rebal_detector *detector, const json_t *template_, const json_t *claiming,
                                 uint32_t *policy, rebal_error *err) {
  const int is_global = rebali_policy_kind_of(claiming) == &rebali_policy_kinds[REBALI_GLOBAL];
  const int64_t higher = rebali_policy_priority(claiming) + 1; /* an int32_t plus one */
  const struct rebali_selected *found;
  int32_t result;
  *policy = REBAL_NONE;
  if (!rebali_gate_is_on(detector, REBAL_DETECTOR_GATE_POLICY_PREEMPTION)) {
    return REBAL_OK;
  }
  result = refresh(detector, err);
  if (result != REBAL_OK) {
    return result;
  }
  found = find_preempting(&detector->selections[REBALI_NAMESPACED], template_, is_global ? INT64_MIN : higher);
  if (found == NULL && is_global) {
    found = find_preempting(&detector->selections[REBALI_GLOBAL], template_, higher);
  }
  *policy = found != NULL ? found->object : REBAL_NONE;
  return REBAL_OK;
}
