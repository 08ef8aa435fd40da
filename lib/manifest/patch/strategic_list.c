/* SPDX-License-Identifier: MIT */
/* Merges lists: scalars as a set, maps by the value of a key (rebalance-workloadspread(7) 9.2). */
#include "manifest/patch/strategic.h"

#include <stdlib.h>
#include <string.h>

/* ---- list in progress ---- */

struct merging {
  const struct rebali_object_member *member;
  const struct rebali_path *path;
  rebal_error *err;
  int is_own;                      /* may elements of the original be changed? */
  struct rebali_elements original; /* the elements that stay; the slots of the others follow */
  struct rebali_elements patch;    /* without elements that carry a directive */
  struct rebali_elements deletions;
  struct rebali_elements items; /* the result, owned; has capacity for both */
  size_t n_slots;               /* of the original before the merge */
  int is_replaced;
};

static void dispose(struct merging *merging) {
  for (size_t i = 0; i < merging->items.n; i++) {
    json_decref(merging->items.at[i].value);
  }
  free(merging->items.at);
  free(merging->original.at);
  free(merging->patch.at);
  free(merging->deletions.at);
}

/* Elements without the key may still be replaced. */
static int32_t load_original(struct merging *merging, const json_t *list, size_t n_more) {
  const size_t n = json_array_size(list), n_all = n + n_more;
  merging->n_slots = n;
  merging->original.at = calloc(n > 0 ? n : 1, sizeof *merging->original.at);
  merging->items.at = calloc(n_all > 0 ? n_all : 1, sizeof *merging->items.at);
  if (merging->original.at == NULL || merging->items.at == NULL) {
    return rebali_fail_memory(merging->err);
  }
  for (size_t i = 0; i < n; i++) {
    json_t *value = json_array_get(list, i);
    const json_t *key = merging->member->key != NULL ? json_object_get(value, merging->member->key) : value;
    merging->original.at[i] = (struct rebali_element){value, key, i};
  }
  merging->original.n = n;
  return REBAL_OK;
}

/* Checks that all remaining elements have a key. */
static int32_t check_original(struct merging *merging) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < merging->original.n; i++) {
    result = rebali_element_key(&merging->original.at[i], merging->member->key, merging->path, merging->err);
  }
  return result;
}

static int32_t obey(struct merging *merging, struct rebali_element *element, const struct rebali_path *path) {
  const char *directive = json_string_value(json_object_get(element->value, REBALI_DIRECTIVE));
  if (directive != NULL && strcmp(directive, "delete") == 0) {
    const int32_t result = rebali_element_key(element, merging->member->key, path, merging->err);
    if (result == REBAL_OK) {
      merging->deletions.at[merging->deletions.n++] = *element;
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

/* Separates the elements that carry a directive from the others. */
static int32_t load_patch(struct merging *merging, const json_t *patch) {
  const size_t n = json_array_size(patch);
  int32_t result = REBAL_OK;
  merging->patch.at = calloc(n > 0 ? n : 1, sizeof *merging->patch.at);
  merging->deletions.at = calloc(n > 0 ? n : 1, sizeof *merging->deletions.at);
  if (merging->patch.at == NULL || merging->deletions.at == NULL) {
    return rebali_fail_memory(merging->err);
  }
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    const struct rebali_path at = rebali_path_index(merging->path, i);
    struct rebali_element element = {json_array_get(patch, i), NULL, i};
    if (json_object_get(element.value, REBALI_DIRECTIVE) != NULL) {
      result = obey(merging, &element, &at);
    } else {
      result = rebali_element_key(&element, merging->member->key, &at, merging->err);
      merging->patch.at[merging->patch.n++] = element;
    }
  }
  return result;
}

/* ---- deletions ---- */

/*
 * The original during deletions. Each deletion leaves its last element in the slot freed at the end, as in the
 * reference.
 */
struct shrinking {
  struct rebali_elements *elements; /* deleted ones have no value */
  struct rebali_element *slots;
  size_t n, last; /* remaining elements, and the place of the last one */
};

static void delete_element(struct shrinking *shrinking, size_t i) {
  while (shrinking->elements->at[shrinking->last].value == NULL) {
    shrinking->last--;
  }
  shrinking->slots[--shrinking->n] = shrinking->elements->at[shrinking->last];
  shrinking->elements->at[i].value = NULL;
}

/* Elements of one key are deleted together: once the first is gone, all are. */
static void delete_key(struct shrinking *shrinking, const struct rebali_index *index, const json_t *key) {
  const size_t n = shrinking->elements->n;
  for (size_t i = rebali_index_find(index, key, 0); i < n; i = rebali_index_find(index, key, i + 1)) {
    if (shrinking->elements->at[i].value == NULL) {
      return;
    }
    delete_element(shrinking, i);
  }
}

/* Moves the remaining elements to the front; the slots follow. */
static void close_ranks(struct shrinking *shrinking) {
  struct rebali_elements *elements = shrinking->elements;
  size_t n = 0;
  for (size_t i = 0; i < elements->n; i++) {
    if (elements->at[i].value != NULL) {
      elements->at[n++] = elements->at[i];
    }
  }
  for (size_t i = n; i < elements->n; i++) {
    elements->at[i] = shrinking->slots[i];
  }
  elements->n = n;
}

static int32_t delete_elements(struct merging *merging) {
  struct rebali_elements *elements = &merging->original;
  struct shrinking shrinking = {elements, NULL, elements->n, elements->n > 0 ? elements->n - 1 : 0};
  struct rebali_index index;
  int32_t result;
  if (merging->deletions.n == 0 || elements->n == 0) {
    return REBAL_OK;
  }
  result = rebali_index_open(&index, elements, merging->err);
  if (result != REBAL_OK) {
    return result;
  }
  shrinking.slots = malloc(elements->n * sizeof *shrinking.slots);
  if (shrinking.slots == NULL) {
    result = rebali_fail_memory(merging->err);
  }
  for (size_t i = 0; result == REBAL_OK && i < merging->deletions.n; i++) {
    delete_key(&shrinking, &index, merging->deletions.at[i].key);
  }
  if (result == REBAL_OK) {
    close_ranks(&shrinking);
  }
  free(shrinking.slots);
  rebali_index_close(&index);
  return result;
}

/* ---- maps ---- */

static void hold(struct merging *merging, const struct rebali_element *element) {
  merging->items.at[merging->items.n] = *element;
  (void)json_incref(merging->items.at[merging->items.n++].value);
}

/* Merges an element of the patch into an item from the original or from an earlier element. */
static int32_t merge_element(struct merging *merging, struct rebali_element *item, int is_own,
                             const struct rebali_element *patch) {
  const struct rebali_path at = rebali_path_index(merging->path, patch->index);
  json_t *merged;
  int32_t result;
  if (json_is_null(patch->key)) { /* the merge removes the key */
    return rebali_refuse_map(item->value, merging->member->key, &at, merging->err);
  }
  result =
      rebali_strategic_merge(item->value, is_own, patch->value, merging->member->child, &at, &merged, merging->err);
  if (result == REBAL_OK) {
    json_decref(item->value);
    item->value = merged;
  }
  return result;
}

/* Indexes of both lists by key. */
struct lookup {
  struct rebali_index original, patch;
  size_t *slots; /* of elements of the patch: the items they became */
};

static int32_t open_lookup(struct lookup *lookup, struct merging *merging) {
  const size_t n = merging->patch.n;
  int32_t result = rebali_index_open(&lookup->original, &merging->original, merging->err);
  lookup->patch.places = NULL;
  lookup->slots = NULL;
  if (result == REBAL_OK) {
    result = rebali_index_open(&lookup->patch, &merging->patch, merging->err);
  }
  if (result == REBAL_OK) {
    lookup->slots = calloc(n > 0 ? n : 1, sizeof *lookup->slots);
    result = lookup->slots != NULL ? REBAL_OK : rebali_fail_memory(merging->err);
  }
  return result;
}

static void close_lookup(struct lookup *lookup) {
  rebali_index_close(&lookup->original);
  rebali_index_close(&lookup->patch);
  free(lookup->slots);
}

/* Returns the item with the key of an element of the patch; adds one if the element is the first with that key. */
static size_t find_item(struct lookup *lookup, struct merging *merging, size_t i) {
  const json_t *key = merging->patch.at[i].key;
  const size_t in_original = rebali_index_find(&lookup->original, key, 0);
  const size_t in_patch = in_original == merging->original.n ? rebali_index_find(&lookup->patch, key, 0) : i;
  if (in_original < merging->original.n) {
    return in_original;
  }
  if (in_patch == i) {
    lookup->slots[i] = merging->items.n;
  }
  return lookup->slots[in_patch];
}

static int32_t merge_maps(struct merging *merging, struct lookup *lookup) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; i < merging->original.n; i++) {
    hold(merging, &merging->original.at[i]);
  }
  for (size_t i = 0; result == REBAL_OK && i < merging->patch.n; i++) {
    const struct rebali_element *element = &merging->patch.at[i];
    const size_t found = find_item(lookup, merging, i);
    if (found == merging->items.n) {
      hold(merging, element);
    } else {
      /* Two references: the original's and ours. */
      struct rebali_element *item = &merging->items.at[found];
      const int is_own = found < merging->original.n && merging->is_own && item->value->refcount == 2;
      result = merge_element(merging, item, is_own, element);
    }
  }
  return result;
}

/* ---- scalars ---- */

static void merge_scalars(struct merging *merging, struct lookup *lookup) {
  for (size_t i = 0; i < merging->original.n; i++) {
    if (rebali_index_find(&lookup->original, merging->original.at[i].key, 0) == i) {
      hold(merging, &merging->original.at[i]);
    }
  }
  for (size_t i = 0; i < merging->patch.n; i++) {
    const json_t *key = merging->patch.at[i].key;
    if (rebali_index_find(&lookup->original, key, 0) == merging->original.n &&
        rebali_index_find(&lookup->patch, key, 0) == i) {
      hold(merging, &merging->patch.at[i]);
    }
  }
}

static int32_t merge_elements(struct merging *merging, enum rebali_value_type type) {
  struct lookup lookup;
  int32_t result = open_lookup(&lookup, merging);
  if (result == REBAL_OK && type == REBALI_VALUE_MAP) {
    result = merge_maps(merging, &lookup);
  } else if (result == REBAL_OK) {
    merge_scalars(merging, &lookup);
  }
  close_lookup(&lookup);
  return result;
}

/* ---- the outcome ---- */

/* New elements fill the slots freed by deletions. */
static int32_t write_storage(const struct merging *merging, json_t **out) {
  struct rebali_elements slots = {merging->original.at, merging->n_slots};
  for (size_t i = merging->original.n; !merging->is_replaced && i < merging->n_slots && i < merging->items.n; i++) {
    slots.at[i] = merging->items.at[i];
  }
  return rebali_elements_put(&slots, NULL, out, merging->err);
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
  if (result == REBAL_OK) {
    result = merge_elements(merging, type);
  }
  server = merging->original;
  if (result == REBAL_OK && storage != NULL) {
    result = write_storage(merging, storage);
  }
  return result == REBAL_OK ? rebali_strategic_order(&merging->items, &merging->patch, &server, merging->err) : result;
}

int32_t rebali_strategic_lists(const json_t *list, int is_own, const json_t *patch,
                               const struct rebali_object_member *member, const struct rebali_path *path, json_t **out,
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
    result = delete_elements(&merging);
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
