/* SPDX-License-Identifier: MIT */
/*
 * Maps owners to children: Pods, ReplicaSets and the workloads that a UnitedDeployment may have, by namespace and the
 * uids of their ownerReferences.
 */
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>
#include <string.h>

/* Returns the text key of children; NULL without memory. */
static json_t *key_of(const char *namespace_, const char *uid) {
  return json_sprintf("%s\n%s", namespace_, uid);
}

static struct rebali_children *find(const rebal_spread_feed *feed, const char *key) {
  const json_t *index = json_object_get(feed->children_of, key);
  return index != NULL ? &feed->children[json_integer_value(index)] : NULL;
}

int32_t rebali_children_find(rebal_spread_feed *feed, const char *namespace_, const char *uid, uint32_t listener,
                             const struct rebali_children **out, rebal_error *err) {
  json_t *key = key_of(namespace_, uid);
  int32_t result = REBAL_OK;
  *out = NULL;
  if (key == NULL) {
    return rebali_fail_memory(err);
  }
  if (listener != REBAL_NONE) {
    result = rebali_listen(feed, listener, rebali_owner_hash(json_string_value(key)), err);
  }
  *out = find(feed, json_string_value(key));
  json_decref(key);
  return result;
}

/* Returns the place of an object among the children, or where it would be inserted. */
static size_t place_of(const rebal_spread_feed *feed, const struct rebali_children *children, uint32_t object) {
  size_t at;
  REBALI_BISECT(at, children->n, rebali_feed_compare(feed, children->objects[at], object) < 0);
  return at;
}

/* Finds the children of a key; adds an empty list if missing. */
static int32_t open_children(rebal_spread_feed *feed, json_t *key, struct rebali_children **out, rebal_error *err) {
  int32_t result;
  *out = find(feed, json_string_value(key));
  if (*out != NULL) {
    return REBAL_OK;
  }
  result = rebali_reserve_malloc(&feed->children, &feed->children_capacity, feed->n_children + 1,
                                 sizeof *feed->children, err);
  if (result == REBAL_OK) {
    result = rebali_put(feed->children_of, json_string_value(key), json_integer((json_int_t)feed->n_children), err);
  }
  if (result == REBAL_OK) {
    *out = &feed->children[feed->n_children++];
    **out = (struct rebali_children){.key = json_incref(key)};
  }
  return result;
}

/* Reserves memory for one more child of each key. */
static int32_t reserve(rebal_spread_feed *feed, const json_t *keys, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(keys); i++) {
    struct rebali_children *children = NULL;
    result = open_children(feed, json_array_get(keys, i), &children, err);
    if (result == REBAL_OK) {
      result = rebali_reserve_malloc(&children->objects, &children->capacity, children->n + 1,
                                     sizeof *children->objects, err);
    }
  }
  return result;
}

static void add(rebal_spread_feed *feed, const json_t *keys, uint32_t object) {
  for (size_t i = 0; i < json_array_size(keys); i++) {
    struct rebali_children *children = find(feed, json_string_value(json_array_get(keys, i)));
    const size_t place = place_of(feed, children, object);
    uint32_t *at = children->objects + place;
    memmove(at + 1, at, (children->n - place) * sizeof *at);
    *at = object;
    children->n++;
    rebali_due_by(feed, rebali_owner_hash(json_string_value(children->key)));
  }
}

static void take_away(rebal_spread_feed *feed, const json_t *keys, uint32_t object) {
  for (size_t i = 0; i < json_array_size(keys); i++) {
    struct rebali_children *children = find(feed, json_string_value(json_array_get(keys, i)));
    uint32_t *at = children->objects + place_of(feed, children, object);
    children->n--;
    memmove(at, at + 1, (size_t)(children->objects + children->n - at) * sizeof *at);
    rebali_due_by(feed, rebali_owner_hash(json_string_value(children->key)));
  }
}

static int contains(const json_t *list, const char *text) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    if (strcmp(json_string_value(json_array_get(list, i)), text) == 0) {
      return 1;
    }
  }
  return 0;
}

/* Adds the key of an owner unless it is listed. */
static int32_t add_key(json_t *keys, const char *namespace_, const char *uid, rebal_error *err) {
  json_t *key = key_of(namespace_, uid);
  int32_t result = key != NULL ? REBAL_OK : rebali_fail_memory(err);
  if (result == REBAL_OK && !contains(keys, json_string_value(key)) && json_array_append(keys, key) != 0) {
    result = rebali_fail_memory(err);
  }
  json_decref(key);
  return result;
}

/* Lists the keys of all owners, not only of the controller; NULL if there are none. */
static int32_t keys_of(const json_t *tree, const char *namespace_, json_t **out, rebal_error *err) {
  const json_t *references = rebali_member(rebali_member(tree, "metadata"), "ownerReferences");
  const size_t n = json_array_size(references);
  json_t *keys = n > 0 ? json_array() : NULL;
  int32_t result = n == 0 || keys != NULL ? REBAL_OK : rebali_fail_memory(err);
  for (size_t i = 0; result == REBAL_OK && i < n; i++) {
    const char *uid = rebali_member_text(json_array_get(references, i), "uid");
    if (*uid != '\0') {
      result = add_key(keys, namespace_, uid, err);
    }
  }
  if (result != REBAL_OK) {
    json_decref(keys);
    return result;
  }
  *out = keys;
  return REBAL_OK;
}

/* The last one takes its place. */
static void drop(rebal_spread_feed *feed, size_t index) {
  struct rebali_children *children = &feed->children[index];
  (void)json_object_del(feed->children_of, json_string_value(children->key));
  json_decref(children->key);
  free(children->objects);
  if (index != --feed->n_children) {
    *children = feed->children[feed->n_children];
    (void)json_integer_set(json_object_get(feed->children_of, json_string_value(children->key)), (json_int_t)index);
  }
}

static void drop_empty(rebal_spread_feed *feed, const json_t *keys) {
  for (size_t i = 0; i < json_array_size(keys); i++) {
    const struct rebali_children *children = find(feed, json_string_value(json_array_get(keys, i)));
    if (children != NULL && children->n == 0) {
      drop(feed, (size_t)(children - feed->children));
    }
  }
}

int32_t rebali_children_put(rebal_spread_feed *feed, uint32_t object, const json_t *tree, rebal_error *err) {
  struct rebali_fed *fed = &feed->fed[object];
  json_t *keys;
  int32_t result = keys_of(tree, rebali_feed_object(feed, object)->namespace_, &keys, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = reserve(feed, keys, err);
  if (result != REBAL_OK) {
    drop_empty(feed, keys);
    json_decref(keys);
    return result;
  }
  take_away(feed, fed->owners, object);
  add(feed, keys, object);
  drop_empty(feed, fed->owners);
  json_decref(fed->owners);
  fed->owners = keys;
  return REBAL_OK;
}

void rebali_children_free(rebal_spread_feed *feed) {
  while (feed->n_children > 0) {
    drop(feed, feed->n_children - 1);
  }
  free(feed->children);
  json_decref(feed->children_of);
}
