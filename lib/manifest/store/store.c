/* SPDX-License-Identifier: MIT */
/* Objects by id, and their order by kind, namespace, name, group. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

#define PARTS 4

/* A part of a key: text and length, for callers whose texts are not terminated. */
struct part {
  const char *text;
  size_t len;
};

/* The key of an object. */
struct key {
  struct part parts[PARTS]; /* kind, namespace, name, API group */
  size_t n;                 /* 3: any group */
};

static int compare_parts(struct part left, struct part right) {
  const size_t shared = left.len < right.len ? left.len : right.len;
  const int order = shared > 0 ? memcmp(left.text, right.text, shared) : 0;
  return order != 0 ? order : (left.len > right.len) - (left.len < right.len);
}

/* The texts of an object are consecutive in one block. */
static struct part part_of(const struct rebali_object *object, size_t i) {
  const char *const texts[PARTS] = {object->kind, object->namespace_, object->name, object->api_version};
  const struct part part = {texts[i], i < 3 ? (size_t)(texts[i + 1] - texts[i]) - 1 : rebali_group_len(texts[i])};
  return part;
}

static int compare(const struct rebali_object *object, const struct key *key) {
  int order = 0;
  for (size_t i = 0; order == 0 && i < key->n; i++) {
    order = compare_parts(part_of(object, i), key->parts[i]);
  }
  return order;
}

static struct key key_of(const struct rebali_object *object) {
  struct key key = {.n = PARTS};
  for (size_t i = 0; i < PARTS; i++) {
    key.parts[i] = part_of(object, i);
  }
  return key;
}

/* Kinds have no dot: "Cluster.cluster.karmada.io" is the kind Cluster of the group after the first dot. */
static struct key key_of_kind(const char *kind, size_t len) {
  const char *dot = len > 0 ? memchr(kind, '.', len) : NULL;
  struct key key = {{{kind, len}, {"", 0}, {"", 0}, {"", 0}}, 3};
  if (dot != NULL) {
    key.parts[0].len = (size_t)(dot - kind);
    key.parts[3] = (struct part){dot + 1, len - key.parts[0].len - 1};
    key.n = PARTS;
  }
  return key;
}

/* Returns the first place in the order that is not before the key; is_after, 0 or 1: the first one after it. */
static size_t find_place(const rebal_store *store, const struct key *key, int is_after) {
  size_t at;
  REBALI_BISECT(at, store->n_order, compare(&store->objects[store->order[at]], key) < is_after);
  return at;
}

static uint32_t find(const rebal_store *store, const struct key *key) {
  const size_t place = find_place(store, key, 0);
  const int is_found = place < store->n_order && compare(&store->objects[store->order[place]], key) == 0;
  return is_found ? store->order[place] : REBAL_NONE;
}

int32_t rebali_limits_read(const rebal_manifest_limits *given, struct rebali_limits *out, rebal_error *err) {
  rebal_manifest_limits known;
  const int32_t result = rebali_options_load(&known, sizeof known, sizeof known, given, err);
  if (result == REBAL_OK) {
    *out = rebali_limits_load(
        &(struct rebali_limits){.bytes = known.max_bytes > SIZE_MAX ? SIZE_MAX : (size_t)known.max_bytes,
                                .nodes = known.max_nodes > SIZE_MAX ? SIZE_MAX : (size_t)known.max_nodes,
                                .aliases = known.max_alias_nodes > SIZE_MAX ? SIZE_MAX : (size_t)known.max_alias_nodes,
                                .depth = known.max_depth});
  }
  return result;
}

int32_t rebal_store_new(const rebal_manifest_limits *limits, rebal_store **out, rebal_error *err) {
  rebal_store *store;
  int32_t result;
  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is needed");
  }
  store = calloc(1, sizeof *store);
  if (store == NULL) {
    return rebali_fail_memory(err);
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
  free(store->own_writes);
  rebali_store_forget_all(store);
  rebali_resources_dispose(store);
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
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  }
  return rebali_object_open(&store->objects[object], tree, err);
}

uint32_t rebal_store_find(const rebal_store *store, const char *kind, size_t kind_len, const char *namespace_,
                          size_t namespace_len, const char *name, size_t name_len) {
  struct key key;
  if (store == NULL || rebali_take_text(&kind, &kind_len, "kind", NULL) != REBAL_OK ||
      rebali_take_text(&namespace_, &namespace_len, "namespace", NULL) != REBAL_OK ||
      rebali_take_text(&name, &name_len, "name", NULL) != REBAL_OK) {
    return REBAL_NONE;
  }
  key = key_of_kind(kind, kind_len);
  key.parts[1] = (struct part){namespace_, namespace_len};
  key.parts[2] = (struct part){name, name_len};
  return find(store, &key);
}

uint32_t rebali_store_find_text(const rebal_store *store, const char *api_version, const char *kind,
                                const char *namespace_, const char *name) {
  const struct key key = {{{kind, strlen(kind)},
                           {namespace_, strlen(namespace_)},
                           {name, strlen(name)},
                           {api_version, api_version != NULL ? rebali_group_len(api_version) : 0}},
                          api_version != NULL ? PARTS : 3};
  return find(store, &key);
}

uint32_t rebal_store_next(const rebal_store *store, const char *kind, size_t kind_len, uint32_t previous) {
  struct key wanted, at;
  if (store == NULL || (previous != REBAL_NONE && previous >= store->n_objects) ||
      rebali_take_text(&kind, &kind_len, "kind", NULL) != REBAL_OK) {
    return REBAL_NONE;
  }
  wanted = at = key_of_kind(kind, kind_len);
  at.n = 3; /* before every group */
  if (previous != REBAL_NONE) {
    at = key_of(&store->objects[previous]);
  }
  for (size_t i = find_place(store, &at, previous != REBAL_NONE); i < store->n_order; i++) {
    const struct rebali_object *object = &store->objects[store->order[i]];
    if (kind_len > 0 && compare_parts(part_of(object, 0), wanted.parts[0]) != 0) {
      return REBAL_NONE;
    }
    if (wanted.n < PARTS || compare_parts(part_of(object, 3), wanted.parts[3]) == 0) {
      return store->order[i];
    }
  }
  return REBAL_NONE;
}

int32_t rebal_store_remove(rebal_store *store, uint32_t object, rebal_error *err) {
  struct key key;
  size_t place;
  if (store == NULL || !rebali_store_has(store, object)) {
    return rebali_fail(err, REBAL_ENOTFOUND, -1, "the store has no such object");
  }
  key = key_of(&store->objects[object]);
  place = find_place(store, &key, 0);
  memmove(store->order + place, store->order + place + 1, (store->n_order - place - 1) * sizeof *store->order);
  store->n_order--;
  rebali_object_forget(&store->objects[object]); /* its names stay: rebal_store_next() continues after them */
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

int32_t rebali_store_replace_tree(rebal_store *store, uint32_t object, const json_t *tree, rebal_error *err) {
  struct rebali_buffer scratch = REBALI_BUFFER;
  struct rebali_object packed;
  const int32_t result = rebali_object_pack(tree, &scratch, &packed, err);
  if (result == REBAL_OK) {
    rebali_store_replace(store, object, &packed);
    rebali_store_keep(store, object, tree);
  }
  rebali_buffer_dispose(&scratch);
  return result;
}
