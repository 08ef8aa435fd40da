/* SPDX-License-Identifier: MIT */
/* Objects of one text before they enter a store: all or none. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

int rebali_object_compare(const struct rebali_object *left, const struct rebali_object *right) {
  int order = strcmp(left->kind, right->kind);
  if (order == 0) {
    order = strcmp(left->namespace_, right->namespace_);
  }
  if (order == 0) {
    order = strcmp(left->name, right->name);
  }
  return order != 0 ? order : rebali_group_compare(left->api_version, right->api_version);
}

static int32_t reserve_entry(struct rebali_staged_batch *batch, rebal_error *err) {
  return batch->n < UINT32_MAX / 2
             ? rebali_reserve_malloc(&batch->entries, &batch->capacity, batch->n + 1, sizeof *batch->entries, err)
             : rebali_fail_memory(err);
}

int32_t rebali_batch_add(struct rebali_staged_batch *batch, json_t *tree, size_t document, size_t item,
                         rebal_error *err) {
  struct rebali_staged entry = {.document = document, .item = item, .id = REBAL_NONE};
  int32_t result = reserve_entry(batch, err);
  if (result == REBAL_OK) {
    result = rebali_object_pack(tree, &batch->scratch, &entry.object, err);
  }
  if (result == REBAL_OK) {
    batch->entries[batch->n++] = entry;
    rebali_batch_repacked(batch, tree);
  }
  json_decref(tree);
  return result;
}

void rebali_batch_repacked(struct rebali_staged_batch *batch, json_t *tree) {
  json_decref(batch->last);
  batch->last = json_incref(tree);
}

void rebali_batch_cut(struct rebali_staged_batch *batch, size_t n) {
  while (batch->n > n) {
    rebali_object_dispose(&batch->entries[--batch->n].object);
    rebali_batch_repacked(batch, NULL);
  }
}

void rebali_batch_dispose(struct rebali_staged_batch *batch) {
  rebali_batch_cut(batch, 0);
  rebali_buffer_dispose(&batch->scratch);
  free(batch->entries);
  batch->entries = NULL;
  batch->capacity = 0;
}

static int compare_places(const void *left, const void *right, const void *context) {
  const struct rebali_staged_batch *batch = context;
  return rebali_object_compare(&batch->entries[*(const uint32_t *)left].object,
                               &batch->entries[*(const uint32_t *)right].object);
}

/* Returns the first entry that repeats an earlier one, n if none does. */
static size_t find_duplicate(const struct rebali_staged_batch *batch, const uint32_t *places, size_t n) {
  size_t found = n;
  for (size_t i = 1; i < n; i++) {
    if (places[i] < found &&
        rebali_object_compare(&batch->entries[places[i - 1]].object, &batch->entries[places[i]].object) == 0) {
      found = places[i];
    }
  }
  return found;
}

/*
 * Returns the indices of the entries sorted by object, those of one object in their original order; the caller frees
 * it. NULL without memory.
 */
static uint32_t *sort_places(const struct rebali_staged_batch *batch) {
  uint32_t *places = malloc((2 * batch->n + 1) * sizeof *places);
  if (places != NULL) {
    for (size_t i = 0; i < batch->n; i++) {
      places[i] = (uint32_t)i;
    }
    rebali_sort(places, batch->n, sizeof *places, places + batch->n, compare_places, batch);
  }
  return places;
}

int32_t rebali_batch_drop_repeated(struct rebali_staged_batch *batch, rebal_error *err) {
  const size_t n = batch->n;
  uint32_t *places = sort_places(batch);
  size_t kept = 0;
  if (places == NULL) {
    return rebali_fail_memory(err);
  }
  for (size_t i = n; i-- > 1;) {
    if (compare_places(&places[i - 1], &places[i], batch) == 0) {
      batch->entries[places[i]].id = 0; /* else REBAL_NONE: no entry is matched yet */
    }
  }
  for (size_t i = 0; i < n; i++) {
    if (batch->entries[i].id == REBAL_NONE) {
      batch->entries[kept++] = batch->entries[i];
    } else {
      rebali_object_dispose(&batch->entries[i].object);
    }
  }
  if (kept < n) {
    rebali_batch_repacked(batch, NULL);
  }
  batch->n = kept;
  free(places);
  return REBAL_OK;
}

void rebali_batch_match(struct rebali_staged_batch *batch, const rebal_store *store) {
  for (size_t i = 0; i < batch->n; i++) {
    const struct rebali_object *object = &batch->entries[i].object;
    batch->entries[i].id =
        rebali_store_find_text(store, object->api_version, object->kind, object->namespace_, object->name);
  }
}

static int32_t reserve(rebal_store *store, size_t n, rebal_error *err) {
  int32_t result;

  if (n > UINT32_MAX - 1 - store->n_objects) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "the store is full");
  }
  result = rebali_reserve_malloc(&store->objects, &store->capacity, store->n_objects + n, sizeof *store->objects, err);
  if (result == REBAL_OK) {
    result =
        rebali_reserve_malloc(&store->order, &store->order_capacity, store->n_order + n, sizeof *store->order, err);
  }
  return result == REBAL_OK ? rebali_changes_reserve(store, store->n_objects + n, err) : result;
}

/* Counts the first n ids of the order that precede an object not among them. */
static size_t count_before(const rebal_store *store, size_t n, const struct rebali_object *object) {
  size_t at;
  REBALI_BISECT(at, n, rebali_object_compare(&store->objects[store->order[at]], object) < 0);
  return at;
}

/* Merges the sorted new ids into the order, from the end, by binary search. */
static void merge_order(rebal_store *store, const struct rebali_staged_batch *batch, const uint32_t *places,
                        const uint8_t *is_new, size_t n_new) {
  size_t old = store->n_order, at = store->n_order + n_new;
  for (size_t i = batch->n; i-- > 0;) {
    const uint32_t id = batch->entries[places[i]].id;
    size_t place;
    if (!is_new[places[i]]) {
      continue;
    }
    place = count_before(store, old, &store->objects[id]);
    at -= old - place;
    memmove(store->order + at, store->order + place, (old - place) * sizeof *store->order);
    old = place;
    store->order[--at] = id;
  }
  store->n_order += n_new;
}

/* Cannot fail. */
static void commit(rebal_store *store, struct rebali_staged_batch *batch, const uint32_t *places, uint8_t *is_new) {
  size_t n_new = 0;
  for (size_t i = 0; i < batch->n; i++) {
    struct rebali_staged *entry = &batch->entries[i];
    is_new[i] = entry->id == REBAL_NONE;
    if (is_new[i]) {
      entry->id = (uint32_t)store->n_objects++;
      n_new++;
      store->objects[entry->id] = entry->object;
      rebali_store_note(store, entry->id);
    } else {
      rebali_store_replace(store, entry->id, &entry->object);
    }
    entry->object = (struct rebali_object){NULL, NULL, NULL, NULL, NULL, 0};
  }
  merge_order(store, batch, places, is_new, n_new);
  if (batch->last != NULL) {
    rebali_store_keep(store, batch->entries[batch->n - 1].id, batch->last); /* often read next */
  }
}

static int32_t take_sorted(rebal_store *store, struct rebali_staged_batch *batch, const uint32_t *places,
                           uint8_t *is_new, rebal_error *err) {
  const size_t duplicate = find_duplicate(batch, places, batch->n);
  int32_t result;
  if (duplicate < batch->n) {
    return rebali_batch_fail(batch, duplicate, err, REBAL_EEXIST, "metadata.name",
                             "the object was read before in this text");
  }
  result = reserve(store, batch->n, err);
  if (result == REBAL_OK) {
    commit(store, batch, places, is_new);
  }
  return result;
}

int32_t rebali_store_take(rebal_store *store, struct rebali_staged_batch *batch, rebal_error *err) {
  const size_t n = batch->n;
  uint32_t *places;
  uint8_t *is_new;
  int32_t result;
  if (n == 0) {
    return REBAL_OK;
  }
  places = sort_places(batch);
  is_new = malloc(n);
  result = places != NULL && is_new != NULL ? take_sorted(store, batch, places, is_new, err) : rebali_fail_memory(err);
  free(places);
  free(is_new);
  return result;
}

int32_t rebali_store_put(rebal_store *store, json_t *tree, uint32_t *object, rebal_error *err) {
  const json_t *metadata = rebali_member(tree, "metadata");
  struct rebali_staged_batch batch = {.n = 0};
  int32_t result;
  *object = rebali_store_find_text(store, rebali_member_text(tree, "apiVersion"), rebali_member_text(tree, "kind"),
                                   rebali_member_text(metadata, "namespace"), rebali_member_text(metadata, "name"));
  if (*object != REBAL_NONE) {
    return rebali_store_replace_tree(store, *object, tree, err);
  }
  result = rebali_batch_add(&batch, json_incref(tree), 0, SIZE_MAX, err);
  if (result == REBAL_OK) {
    result = rebali_store_take(store, &batch, err);
  }
  if (result == REBAL_OK) {
    *object = batch.entries[0].id;
  }
  rebali_batch_dispose(&batch);
  return result;
}
