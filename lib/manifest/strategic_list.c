/* SPDX-License-Identifier: MIT */
/* Lists that are merged: scalars as a set, maps by the value of a key (spec workloadspread 9.2). */
#include "strategic.h"

#include <stdlib.h>
#include <string.h>

/* ---- elements ---- */

int32_t rebali_element_key(struct rebali_element *element, const char *key, const struct rebali_path *path,
                           rebal_error *err) {
  const enum rebali_value_type type = rebali_value_type(element->value);
  element->key = element->value;
  if (key != NULL && type != REBALI_VALUE_MAP) {
    return rebali_refuse_type("map[string]interface {}", element->value, path, err);
  }
  if (key != NULL) {
    element->key = json_object_get(element->value, key);
  }
  if (element->key == NULL) {
    return rebali_refuse_map(element->value, key, path, err);
  }
  if (json_is_array(element->key) || rebali_is_map(element->key)) {
    return key != NULL ? rebali_refuse(path, err, "the merge key %s is no scalar", key)
                       : rebali_refuse(path, err, "cannot merge lists without merge key for string");
  }
  return REBAL_OK;
}

int32_t rebali_elements_load(const json_t *list, const char *key, const struct rebali_path *path,
                             struct rebali_elements *out, rebal_error *err) {
  const size_t n = json_array_size(list);
  int32_t result = REBAL_OK;
  out->n = 0;
  out->at = n < SIZE_MAX / sizeof *out->at ? malloc((n > 0 ? n : 1) * sizeof *out->at) : NULL;
  if (out->at == NULL) {
    return rebali_manifest_fail_memory(err);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    const struct rebali_path at = rebali_path_index(path, i);
    out->at[i].value = json_array_get(list, i);
    result = rebali_element_key(&out->at[i], key, &at, err);
    out->n = i + 1;
  }
  return result;
}

static int is_equal_key(const json_t *left, const json_t *right) {
  if (json_is_string(left) && json_is_string(right)) {
    const size_t len = json_string_length(left);
    return len == json_string_length(right) && memcmp(json_string_value(left), json_string_value(right), len) == 0;
  }
  return json_equal(left, right);
}

size_t rebali_element_find(const struct rebali_element *elements, size_t n, const json_t *key) {
  size_t i = 0;
  while (i < n && !is_equal_key(elements[i].key, key)) {
    i++;
  }
  return i;
}

static int32_t check_types(const json_t *list, const json_t *left, const json_t *right, const struct rebali_path *path,
                           enum rebali_value_type *type, rebal_error *err) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const enum rebali_value_type found = rebali_value_type(json_array_get(list, i));
    if (found == REBALI_VALUE_LIST && *type == REBALI_VALUE_NULL) {
      return rebali_refuse(path, err, "lists of lists are not supported");
    }
    if (found == REBALI_VALUE_NULL || (*type != REBALI_VALUE_NULL && *type != found)) {
      return rebali_refuse_mixture(left, right, path, err);
    }
    *type = found;
  }
  return REBAL_OK;
}

int32_t rebali_list_type(const json_t *left, const json_t *right, const struct rebali_path *path,
                         enum rebali_value_type *type, rebal_error *err) {
  int32_t result;
  *type = REBALI_VALUE_NULL;
  result = check_types(left, left, right, path, type, err);
  return result == REBAL_OK ? check_types(right, left, right, path, type, err) : result;
}

/* ---- a list on its way ---- */

struct merging {
  const struct rebali_merge_member *member;
  const struct rebali_path *path;
  rebal_error *err;
  int is_own;                      /* may elements of the original be changed? */
  struct rebali_elements original; /* the elements that stay, the slots of the others behind them */
  struct rebali_elements patch;    /* without those that carry a directive */
  struct rebali_elements items;    /* what comes out, held; there is room for both */
  size_t n_slots;                  /* of the original as it came */
  int is_replaced;
};

static void dispose(struct merging *merging) {
  for (size_t i = 0; i < merging->items.n; i++) {
    json_decref(merging->items.at[i].value);
  }
  free(merging->items.at);
  free(merging->original.at);
  free(merging->patch.at);
}

/* Those without the key may still be replaced. */
static int32_t load_original(struct merging *merging, const json_t *list, size_t n_more) {
  const size_t n = json_array_size(list), n_all = n + n_more;
  merging->n_slots = n;
  merging->original.at = calloc(n > 0 ? n : 1, sizeof *merging->original.at);
  merging->items.at = calloc(n_all > 0 ? n_all : 1, sizeof *merging->items.at);
  if (merging->original.at == NULL || merging->items.at == NULL) {
    return rebali_manifest_fail_memory(merging->err);
  }
  for (size_t i = 0; i < n; i++) {
    json_t *value = json_array_get(list, i);
    const json_t *key = merging->member->key != NULL ? json_object_get(value, merging->member->key) : value;
    merging->original.at[i] = (struct rebali_element){value, key};
  }
  merging->original.n = n;
  return REBAL_OK;
}

/* All elements that stay have a key. */
static int32_t check_original(struct merging *merging) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < merging->original.n; i++) {
    result = rebali_element_key(&merging->original.at[i], merging->member->key, merging->path, merging->err);
  }
  return result;
}

/* As the reference does it, so that its slots behind the list hold what they hold there. */
static void delete_elements(struct rebali_elements *elements, const json_t *key) {
  size_t i = rebali_element_find(elements->at, elements->n, key);
  while (i < elements->n) {
    elements->n--;
    memmove(elements->at + i, elements->at + i + 1, (elements->n - i) * sizeof *elements->at);
    i += rebali_element_find(elements->at + i, elements->n - i, key);
  }
}

static int32_t obey(struct merging *merging, struct rebali_element *element, const struct rebali_path *path) {
  const char *directive = json_string_value(json_object_get(element->value, REBALI_DIRECTIVE));
  if (directive != NULL && strcmp(directive, "delete") == 0) {
    const int32_t result = rebali_element_key(element, merging->member->key, path, merging->err);
    if (result == REBAL_OK) {
      delete_elements(&merging->original, element->key);
    }
    return result;
  }
  if (directive != NULL && strcmp(directive, "replace") == 0) {
    merging->is_replaced = 1;
    return REBAL_OK;
  }
  if (directive != NULL && strcmp(directive, "merge") == 0) {
    return rebali_refuse(path, merging->err, "merging lists cannot yet be specified in the patch");
  }
  return rebali_refuse_directive(element->value, path, merging->err);
}

/* Obeys the elements that carry a directive and keeps the others. */
static int32_t load_patch(struct merging *merging, const json_t *patch) {
  const size_t n = json_array_size(patch);
  int32_t result = REBAL_OK;
  merging->patch.at = calloc(n > 0 ? n : 1, sizeof *merging->patch.at);
  if (merging->patch.at == NULL) {
    return rebali_manifest_fail_memory(merging->err);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    const struct rebali_path at = rebali_path_index(merging->path, i);
    struct rebali_element element = {json_array_get(patch, i), NULL};
    if (json_object_get(element.value, REBALI_DIRECTIVE) != NULL) {
      result = obey(merging, &element, &at);
    } else {
      result = rebali_element_key(&element, merging->member->key, &at, merging->err);
      merging->patch.at[merging->patch.n++] = element;
    }
  }
  return result;
}

static void hold(struct merging *merging, const struct rebali_element *element) {
  merging->items.at[merging->items.n] = *element;
  (void)json_incref(merging->items.at[merging->items.n++].value);
}

/* ---- maps ---- */

/* Merges an element of the patch into an item that came of the original, or of an earlier element. */
static int32_t merge_element(struct merging *merging, struct rebali_element *item, int is_own,
                             const struct rebali_element *patch) {
  const struct rebali_path at = rebali_path_index(merging->path, (size_t)(patch - merging->patch.at));
  json_t *merged;
  int32_t result;
  if (json_is_null(patch->key)) { /* the merge takes the key away */
    return rebali_refuse_map(item->value, merging->member->key, &at, merging->err);
  }
  result = rebali_strategic_merge(item->value, is_own, patch->value, merging->member->type, &at, &merged, merging->err);
  if (result == REBAL_OK) {
    json_decref(item->value);
    item->value = merged;
  }
  return result;
}

static int32_t merge_maps(struct merging *merging) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; i < merging->original.n; i++) {
    hold(merging, &merging->original.at[i]);
  }
  for (size_t i = 0; result == REBAL_OK && i < merging->patch.n; i++) {
    const struct rebali_element *element = &merging->patch.at[i];
    const size_t found = rebali_element_find(merging->items.at, merging->items.n, element->key);
    if (found == merging->items.n) {
      hold(merging, element);
    } else {
      /* Two references are the original's and ours. */
      struct rebali_element *item = &merging->items.at[found];
      const int is_own = found < merging->original.n && merging->is_own && item->value->refcount == 2;
      result = merge_element(merging, item, is_own, element);
    }
  }
  return result;
}

/* ---- scalars ---- */

static void merge_scalars(struct merging *merging) {
  const struct rebali_elements *const lists[] = {&merging->original, &merging->patch};
  for (size_t l = 0; l < 2; l++) {
    for (size_t i = 0; i < lists[l]->n; i++) {
      const struct rebali_element *element = &lists[l]->at[i];
      if (rebali_element_find(merging->items.at, merging->items.n, element->key) == merging->items.n) {
        hold(merging, element);
      }
    }
  }
}

/* ---- the outcome ---- */

static int32_t write_items(const struct rebali_elements *items, json_t **out, rebal_error *err) {
  json_t *list = json_array();
  int failed = list == NULL;
  for (size_t i = 0; !failed && i < items->n; i++) {
    failed = json_array_append(list, items->at[i].value);
  }
  if (failed) {
    json_decref(list);
    return rebali_manifest_fail_memory(err);
  }
  *out = list;
  return REBAL_OK;
}

static int is_same(const struct rebali_elements *items, const json_t *list) {
  size_t i = 0;
  if (items->n != json_array_size(list)) {
    return 0;
  }
  while (i < items->n && items->at[i].value == json_array_get(list, i)) {
    i++;
  }
  return i == items->n;
}

int32_t rebali_elements_put(const struct rebali_elements *items, const json_t *list, json_t **out, rebal_error *err) {
  if (list == NULL || !is_same(items, list)) {
    return write_items(items, out, err);
  }
  *out = json_incref((json_t *)(uintptr_t)list);
  return REBAL_OK;
}

/* New elements went into the slots that deletions had freed. */
static int32_t write_storage(const struct merging *merging, json_t **out) {
  struct rebali_elements slots = {merging->original.at, merging->n_slots};
  for (size_t i = merging->original.n; !merging->is_replaced && i < merging->n_slots && i < merging->items.n; i++) {
    slots.at[i] = merging->items.at[i];
  }
  return write_items(&slots, out, merging->err);
}

static int32_t merge_all(struct merging *merging, enum rebali_value_type type, json_t **storage) {
  static const struct rebali_elements none = {NULL, 0};
  struct rebali_elements server;
  int32_t result = REBAL_OK;
  if (merging->is_replaced) {
    result = storage != NULL ? write_storage(merging, storage) : REBAL_OK;
    for (size_t i = 0; i < merging->patch.n; i++) {
      hold(merging, &merging->patch.at[i]);
    }
    return result == REBAL_OK ? rebali_strategic_order(&merging->items, &none, &merging->patch, merging->err) : result;
  }
  result = check_original(merging);
  if (result == REBAL_OK && type == REBALI_VALUE_MAP) {
    result = merge_maps(merging);
  } else if (result == REBAL_OK) {
    merge_scalars(merging);
  }
  server = merging->original;
  if (result == REBAL_OK && storage != NULL) {
    result = write_storage(merging, storage);
  }
  return result == REBAL_OK ? rebali_strategic_order(&merging->items, &merging->patch, &server, merging->err) : result;
}

int32_t rebali_strategic_lists(const json_t *list, int is_own, const json_t *patch,
                               const struct rebali_merge_member *member, const struct rebali_path *path, json_t **out,
                               json_t **storage, rebal_error *err) {
  struct merging merging = {.member = member, .path = path, .err = err, .is_own = is_own};
  enum rebali_value_type type;
  int32_t result = rebali_list_type(list, patch, path, &type, err);
  if (result == REBAL_OK && type == REBALI_VALUE_MAP && member->key == NULL) {
    result = rebali_refuse(path, err, "cannot merge lists without merge key for string");
  }
  if (result == REBAL_OK) {
    result = load_original(&merging, list, json_array_size(patch));
  }
  if (result == REBAL_OK) {
    result = load_patch(&merging, patch);
  }
  if (result == REBAL_OK) {
    result = merge_all(&merging, type, storage);
  }
  if (result == REBAL_OK) {
    result = rebali_elements_put(&merging.items, list, out, err);
  }
  if (result != REBAL_OK && storage != NULL) {
    json_decref(*storage);
    *storage = NULL;
  }
  dispose(&merging);
  return result;
}

int32_t rebali_strategic_delete(const json_t *list, const json_t *scalars, const struct rebali_path *path, json_t **out,
                                rebal_error *err) {
  struct rebali_elements gone = {NULL, 0}, items = {NULL, 0};
  enum rebali_value_type type;
  size_t n = 0;
  int32_t result = rebali_list_type(list, scalars, path, &type, err);
  if (result == REBAL_OK) {
    result = rebali_elements_load(scalars, NULL, path, &gone, err);
  }
  if (result == REBAL_OK) {
    result = rebali_elements_load(list, NULL, path, &items, err);
  }
  for (size_t i = 0; result == REBAL_OK && i < items.n; i++) {
    if (rebali_element_find(gone.at, gone.n, items.at[i].key) == gone.n) {
      items.at[n++] = items.at[i];
    }
  }
  items.n = n;
  if (result == REBAL_OK) {
    result = rebali_elements_put(&items, list, out, err);
  }
  free(gone.at);
  free(items.at);
  return result;
}
