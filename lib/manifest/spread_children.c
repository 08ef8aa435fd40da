/* SPDX-License-Identifier: MIT */
/* What is owned by whom: Pods and ReplicaSets by the uids that their ownerReferences name. */
#include "spread_feed.h"

#include <stdlib.h>
#include <string.h>

static struct rebali_children *find(const rebal_spread_feed *feed, const char *uid) {
  const json_t *index = json_object_get(feed->children_of, uid);
  return index != NULL ? &feed->children[json_integer_value(index)] : NULL;
}

const struct rebali_children *rebali_children_of(const rebal_spread_feed *feed, const char *uid) {
  return find(feed, uid);
}

/* Where an object is, or would be, among the children of a uid. */
static size_t place_of(const rebal_spread_feed *feed, const struct rebali_children *children, uint32_t object) {
  size_t low = 0, high = children->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (rebali_feed_compare(feed, children->objects[middle], object) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* Children of a uid, none at first. */
static int32_t open_children(rebal_spread_feed *feed, json_t *uid, struct rebali_children **out, rebal_error *err) {
  int32_t result;
  *out = find(feed, json_string_value(uid));
  if (*out != NULL) {
    return REBAL_OK;
  }
  result = rebali_feed_reserve((void **)&feed->children, &feed->children_capacity, feed->n_children + 1,
                               sizeof *feed->children, err);
  if (result == REBAL_OK) {
    result = rebali_put(feed->children_of, json_string_value(uid), json_integer((json_int_t)feed->n_children), err);
  }
  if (result == REBAL_OK) {
    *out = &feed->children[feed->n_children++];
    **out = (struct rebali_children){.uid = json_incref(uid)};
  }
  return result;
}

/* Makes room for one more below each of the uids. */
static int32_t reserve(rebal_spread_feed *feed, const json_t *uids, rebal_error *err) {
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < json_array_size(uids); i++) {
    struct rebali_children *children = NULL;
    result = open_children(feed, json_array_get(uids, i), &children, err);
    if (result == REBAL_OK) {
      result = rebali_feed_reserve((void **)&children->objects, &children->capacity, children->n + 1,
                                   sizeof *children->objects, err);
    }
  }
  return result;
}

static void add(rebal_spread_feed *feed, const json_t *uids, uint32_t object) {
  for (size_t i = 0; i < json_array_size(uids); i++) {
    struct rebali_children *children = find(feed, json_string_value(json_array_get(uids, i)));
    const size_t place = place_of(feed, children, object);
    uint32_t *at = children->objects + place;
    memmove(at + 1, at, (children->n - place) * sizeof *at);
    *at = object;
    children->n++;
    children->is_changed = 1;
  }
}

static void take_away(rebal_spread_feed *feed, const json_t *uids, uint32_t object) {
  for (size_t i = 0; i < json_array_size(uids); i++) {
    struct rebali_children *children = find(feed, json_string_value(json_array_get(uids, i)));
    uint32_t *at = children->objects + place_of(feed, children, object);
    children->n--;
    memmove(at, at + 1, (size_t)(children->objects + children->n - at) * sizeof *at);
    children->is_changed = 1;
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

/* The uids of all owners, not of the one that controls alone; NULL when there are none. */
static int32_t owners_of(const json_t *tree, json_t **out, rebal_error *err) {
  const json_t *references = rebali_member(rebali_member(tree, "metadata"), "ownerReferences");
  json_t *uids = json_array_size(references) > 0 ? json_array() : NULL;
  *out = uids;
  for (size_t i = 0; i < json_array_size(references); i++) {
    json_t *uid = rebali_member(json_array_get(references, i), "uid");
    if (json_string_length(uid) > 0 && !contains(uids, json_string_value(uid)) && json_array_append(uids, uid) != 0) {
      json_decref(uids);
      return rebali_manifest_fail_memory(err);
    }
  }
  return json_array_size(references) == 0 || uids != NULL ? REBAL_OK : rebali_manifest_fail_memory(err);
}

int32_t rebali_children_put(rebal_spread_feed *feed, uint32_t object, const json_t *tree, rebal_error *err) {
  struct rebali_fed *fed = &feed->fed[object];
  json_t *uids;
  int32_t result = owners_of(tree, &uids, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = reserve(feed, uids, err);
  if (result != REBAL_OK) {
    json_decref(uids);
    return result;
  }
  take_away(feed, fed->owners, object);
  add(feed, uids, object);
  json_decref(fed->owners);
  fed->owners = uids;
  return REBAL_OK;
}

/* The last one takes its place. */
static void drop(rebal_spread_feed *feed, size_t index) {
  struct rebali_children *children = &feed->children[index];
  (void)json_object_del(feed->children_of, json_string_value(children->uid));
  json_decref(children->uid);
  free(children->objects);
  if (index != --feed->n_children) {
    *children = feed->children[feed->n_children];
    (void)json_integer_set(json_object_get(feed->children_of, json_string_value(children->uid)), (json_int_t)index);
  }
}

void rebali_children_settle(rebal_spread_feed *feed) {
  for (size_t i = feed->n_children; i-- > 0;) {
    feed->children[i].is_changed = 0;
    if (feed->children[i].n == 0) {
      drop(feed, i);
    }
  }
}

void rebali_children_free(rebal_spread_feed *feed) {
  while (feed->n_children > 0) {
    drop(feed, feed->n_children - 1);
  }
  free(feed->children);
  json_decref(feed->children_of);
}
