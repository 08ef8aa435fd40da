/* SPDX-License-Identifier: MIT */
/* Objects by id, and their order by kind, namespace, name. */
#include "manifest.h"

#include <stdlib.h>
#include <string.h>

/* A part of a key: text and length, for callers whose texts do not end. */
struct part {
  const char *text;
  size_t len;
};

static int compare_parts(struct part left, struct part right) {
  const size_t shared = left.len < right.len ? left.len : right.len;
  const int order = shared > 0 ? memcmp(left.text, right.text, shared) : 0;
  return order != 0 ? order : (left.len > right.len) - (left.len < right.len);
}

static int compare_keys(const struct part *left, const struct part *right) {
  for (size_t i = 0; i < 3; i++) {
    const int order = compare_parts(left[i], right[i]);
    if (order != 0) {
      return order;
    }
  }
  return 0;
}

static void key_of(const struct rebali_object *object, struct part *key) {
  key[0] = (struct part){object->kind, strlen(object->kind)};
  key[1] = (struct part){object->namespace_name, strlen(object->namespace_name)};
  key[2] = (struct part){object->name, strlen(object->name)};
}

/* The first place in the order that is not before the key; is_after: the first one behind it. */
static size_t find_place(const rebal_store *store, const struct part *key, int is_after) {
  size_t low = 0, high = store->n_order;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    struct part other[3];
    int order;
    key_of(&store->objects[store->order[middle]], other);
    order = compare_keys(other, key);
    if (order < 0 || (is_after && order == 0)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static uint32_t find(const rebal_store *store, const struct part *key) {
  const size_t place = find_place(store, key, 0);
  struct part found[3];
  if (place == store->n_order) {
    return REBAL_NONE;
  }
  key_of(&store->objects[store->order[place]], found);
  return compare_keys(found, key) == 0 ? store->order[place] : REBAL_NONE;
}

int32_t rebali_limits_read(const rebal_manifest_limits *given, struct rebali_limits *out, rebal_error *err) {
  struct rebali_limits limits = {0, 0, 0, 0};
  if (given != NULL && given->struct_size != sizeof *given) {
    return rebali_manifest_fail(err, REBAL_EABI, "limits: the structure's size is not one this library knows");
  }
  if (given != NULL) {
    limits.bytes = given->max_bytes > SIZE_MAX ? SIZE_MAX : (size_t)given->max_bytes;
    limits.nodes = given->max_nodes > SIZE_MAX ? SIZE_MAX : (size_t)given->max_nodes;
    limits.aliases = given->max_alias_nodes > SIZE_MAX ? SIZE_MAX : (size_t)given->max_alias_nodes;
    limits.depth = given->max_depth;
  }
  *out = rebali_limits_load(&limits);
  return REBAL_OK;
}

int32_t rebal_store_new(const rebal_manifest_limits *limits, rebal_store **out, rebal_error *err) {
  rebal_store *store;
  int32_t result;
  if (out == NULL) {
    return rebali_manifest_fail(err, REBAL_EINVAL, "out is needed");
  }
  store = calloc(1, sizeof *store);
  if (store == NULL) {
    return rebali_manifest_fail_memory(err);
  }
  result = rebali_limits_read(limits, &store->limits, err);
  if (result != REBAL_OK) {
    free(store);
  } else {
    *out = store;
  }
  return result;
}

void rebal_store_free(rebal_store *store) {
  if (store == NULL) {
    return;
  }
  for (size_t i = 0; i < store->n_objects; i++) {
    rebali_object_dispose(&store->objects[i]);
  }
  free(store->objects);
  free(store->order);
  free(store->changed);
  free(store->log);
  rebali_output_dispose(&store->scratch);
  rebali_store_forget_all(store);
  free(store);
}

size_t rebal_store_count(const rebal_store *store) {
  return store != NULL ? store->n_order : 0;
}

int rebali_store_has(const rebal_store *store, uint32_t object) {
  return object < store->n_objects && store->objects[object].text != NULL;
}

int32_t rebali_store_open(const rebal_store *store, uint32_t object, json_t **tree, rebal_error *err) {
  *tree = NULL;
  if (!rebali_store_has(store, object)) {
    return rebali_manifest_fail(err, REBAL_ENOTFOUND, "the store has no such object");
  }
  return rebali_object_open(&store->objects[object], tree, err);
}

uint32_t rebal_store_find(const rebal_store *store, const char *kind, size_t kind_len, const char *namespace_name,
                          size_t namespace_len, const char *name, size_t name_len) {
  const struct part key[3] = {{kind, kind_len}, {namespace_name, namespace_len}, {name, name_len}};
  return store != NULL ? find(store, key) : REBAL_NONE;
}

uint32_t rebali_store_find_text(const rebal_store *store, const char *kind, const char *namespace_name,
                                const char *name) {
  return rebal_store_find(store, kind, strlen(kind), namespace_name, strlen(namespace_name), name, strlen(name));
}

uint32_t rebal_store_next(const rebal_store *store, const char *kind, size_t kind_len, uint32_t previous) {
  struct part key[3] = {{kind, kind_len}, {"", 0}, {"", 0}};
  size_t place;
  const struct rebali_object *object;
  if (store == NULL || (previous != REBAL_NONE && previous >= store->n_objects)) {
    return REBAL_NONE;
  }
  if (previous != REBAL_NONE) {
    key_of(&store->objects[previous], key);
  }
  place = find_place(store, key, previous != REBAL_NONE);
  if (place == store->n_order) {
    return REBAL_NONE;
  }
  object = &store->objects[store->order[place]];
  if (kind_len > 0 && (strlen(object->kind) != kind_len || memcmp(object->kind, kind, kind_len) != 0)) {
    return REBAL_NONE;
  }
  return store->order[place];
}

int32_t rebal_store_delete(rebal_store *store, uint32_t object, rebal_error *err) {
  struct part key[3];
  size_t place;
  if (store == NULL || !rebali_store_has(store, object)) {
    return rebali_manifest_fail(err, REBAL_ENOTFOUND, "the store has no such object");
  }
  key_of(&store->objects[object], key);
  place = find_place(store, key, 0);
  memmove(store->order + place, store->order + place + 1, (store->n_order - place - 1) * sizeof *store->order);
  store->n_order--;
  rebali_object_forget(&store->objects[object]); /* its names stay: rebal_store_next() goes on behind them */
  rebali_store_forget(store, object);
  rebali_store_note(store, object);
  return REBAL_OK;
}

void rebali_store_replace(rebal_store *store, uint32_t object, struct rebali_object *packed) {
  struct rebali_object *old = &store->objects[object];
  if (old->len == packed->len && memcmp(old->text, packed->text, old->len) == 0) {
    rebali_object_dispose(packed);
    return;
  }
  rebali_object_dispose(old);
  *old = *packed;
  *packed = (struct rebali_object){NULL, NULL, NULL, NULL, NULL, 0};
  rebali_store_forget(store, object);
  rebali_store_note(store, object);
}

int32_t rebali_store_put(rebal_store *store, uint32_t object, const json_t *tree, rebal_error *err) {
  struct rebali_output scratch = {NULL, 0, 0, 0};
  struct rebali_object packed;
  const int32_t result = rebali_object_pack(tree, &scratch, &packed, err);
  if (result == REBAL_OK) {
    rebali_store_replace(store, object, &packed);
    rebali_store_keep(store, object, tree);
  }
  rebali_output_dispose(&scratch);
  return result;
}
