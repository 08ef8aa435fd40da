/* SPDX-License-Identifier: MIT */
/*
 * The controllers of a pod, upwards: rows of OWNER, one for each apiVersion, kind, namespace and name in a reference,
 * whether or not the store has the object.
 */
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>
#include <string.h>

/* ---- keys ---- */

/* Builds a key of kind, namespace and name, by which a store finds objects. Released by free(); NULL without memory. */
static char *key_of(const char *kind, const char *namespace_, const char *name) {
  struct rebali_buffer key = REBALI_BUFFER;
  rebali_buffer_text(&key, kind);
  rebali_buffer_text(&key, "\n");
  rebali_buffer_text(&key, namespace_);
  rebali_buffer_text(&key, "\n");
  rebali_buffer_text(&key, name);
  if (key.failed) {
    rebali_buffer_dispose(&key);
    return NULL;
  }
  return key.bytes;
}

const json_t *rebali_controller_reference(const json_t *tree) {
  const json_t *owners = rebali_member(rebali_member(tree, "metadata"), "ownerReferences");
  for (size_t i = 0; i < json_array_size(owners); i++) {
    if (json_is_true(rebali_member(json_array_get(owners, i), "controller"))) {
      return json_array_get(owners, i);
    }
  }
  return NULL;
}

/* ---- rows ---- */

static int32_t fill_row(rebal_spread_feed *feed, uint32_t row, const json_t *reference, rebal_error *err) {
  static const struct {
    uint32_t column;
    const char *member;
  } texts[] = {{REBAL_OWNER_API_VERSION, "apiVersion"}, {REBAL_OWNER_KIND, "kind"}, {REBAL_OWNER_NAME, "name"}};
  int32_t result = REBAL_OK;
  for (size_t i = 0; result == REBAL_OK && i < sizeof texts / sizeof texts[0]; i++) {
    const char *text = rebali_member_text(reference, texts[i].member);
    result =
        rebal_cells_set_text(rebal_pods_cells(feed->pods), texts[i].column, REBAL_NONE, row, text, strlen(text), err);
  }
  return result;
}

/* Adds a row for a reference to the map of its versions. */
static int32_t add_row(rebal_spread_feed *feed, json_t *versions, const json_t *reference, uint32_t *row,
                       rebal_error *err) {
  int32_t result = rebal_cells_add(rebal_pods_cells(feed->pods), REBAL_TABLE_OWNER, REBAL_NONE, row, 1, err);
  if (result != REBAL_OK) {
    return result;
  }
  result = fill_row(feed, *row, reference, err);
  if (result == REBAL_OK) {
    result = rebali_put(versions, rebali_member_text(reference, "apiVersion"), json_integer(*row), err);
  }
  if (result != REBAL_OK) {
    (void)rebal_cells_remove(rebal_pods_cells(feed->pods), REBAL_TABLE_OWNER, REBAL_NONE, row, 1, NULL);
  }
  return result;
}

/* Finds the row of a reference. *is_new: the object has not been looked up yet. */
static int32_t find_row(rebal_spread_feed *feed, const char *namespace_, const json_t *reference, uint32_t *row,
                        int *is_new, rebal_error *err) {
  char *key = key_of(rebali_member_text(reference, "kind"), namespace_, rebali_member_text(reference, "name"));
  json_t *versions = key != NULL ? rebali_map_at(feed->owners, key) : NULL;
  const json_t *known = rebali_member(versions, rebali_member_text(reference, "apiVersion"));
  free(key);
  if (versions == NULL) {
    return rebali_fail_memory(err);
  }
  *is_new = known == NULL;
  if (known != NULL) {
    *row = (uint32_t)json_integer_value(known);
    return REBAL_OK;
  }
  return add_row(feed, versions, reference, row, err);
}

/* ---- facts about objects ---- */

/* Returns the object of a row in the store; REBAL_NONE if there is none of exactly this version. */
static uint32_t object_of(const rebal_spread_feed *feed, const char *namespace_, uint32_t row) {
  const char *version =
      rebal_cells_get_text(rebal_pods_const_cells(feed->pods), REBAL_OWNER_API_VERSION, REBAL_NONE, row, NULL);
  const uint32_t object = rebali_store_find_text(
      feed->store, version,
      rebal_cells_get_text(rebal_pods_const_cells(feed->pods), REBAL_OWNER_KIND, REBAL_NONE, row, NULL), namespace_,
      rebal_cells_get_text(rebal_pods_const_cells(feed->pods), REBAL_OWNER_NAME, REBAL_NONE, row, NULL));
  return object != REBAL_NONE && strcmp(rebali_feed_object(feed, object)->api_version, version) == 0 ? object
                                                                                                     : REBAL_NONE;
}

/* Sets the row's data from its object and returns the object's tree; NULL if it is missing. */
static int32_t look(rebal_spread_feed *feed, const char *namespace_, uint32_t row, json_t **tree, rebal_error *err) {
  const uint32_t object = object_of(feed, namespace_, row);
  const int64_t state = object != REBAL_NONE ? REBAL_OWNER_STATE_EXISTS : REBAL_OWNER_STATE_MISSING;
  int32_t result = rebal_cells_set_i64(rebal_pods_cells(feed->pods), REBAL_OWNER_STATE, REBAL_NONE, row, state, err);
  *tree = NULL;
  if (result == REBAL_OK) {
    result =
        rebal_cells_set_i64(rebal_pods_cells(feed->pods), REBAL_OWNER_CONTROLLER, REBAL_NONE, row, REBAL_ABSENT, err);
  }
  return result == REBAL_OK && object != REBAL_NONE ? rebali_store_share(feed->store, object, tree, err) : result;
}

/* Updates rows upwards from a row whose object may have changed, as long as they are new. */
static int32_t climb(rebal_spread_feed *feed, const char *namespace_, uint32_t row, rebal_error *err) {
  int is_new = 1;
  int32_t result = REBAL_OK;
  while (result == REBAL_OK && is_new) {
    const json_t *reference;
    uint32_t above = REBAL_NONE;
    json_t *tree;
    result = look(feed, namespace_, row, &tree, err);
    reference = rebali_controller_reference(tree);
    is_new = 0;
    if (result == REBAL_OK && reference != NULL) {
      result = find_row(feed, namespace_, reference, &above, &is_new, err);
    }
    if (result == REBAL_OK && above != REBAL_NONE) {
      result = rebal_cells_set_i64(rebal_pods_cells(feed->pods), REBAL_OWNER_CONTROLLER, REBAL_NONE, row, above, err);
    }
    json_decref(tree);
    row = above;
  }
  feed->are_owners_broken |= result != REBAL_OK;
  return result;
}

int32_t rebali_feed_owner(rebal_spread_feed *feed, const char *namespace_, const json_t *tree, uint32_t *row,
                          rebal_error *err) {
  const json_t *reference = rebali_controller_reference(tree);
  int is_new;
  int32_t result;
  *row = REBAL_NONE;
  if (reference == NULL) {
    return REBAL_OK;
  }
  result = find_row(feed, namespace_, reference, row, &is_new, err);
  return result == REBAL_OK && is_new ? climb(feed, namespace_, *row, err) : result;
}

int32_t rebali_feed_owner_changed(rebal_spread_feed *feed, uint32_t object, rebal_error *err) {
  const struct rebali_object *names = rebali_feed_object(feed, object);
  char *key = key_of(names->kind, names->namespace_, names->name);
  json_t *versions, *row;
  const char *version;
  int32_t result = key != NULL ? REBAL_OK : rebali_fail_memory(err);
  versions = key != NULL ? rebali_member(feed->owners, key) : NULL;
  json_object_foreach(versions, version, row) {
    if (result == REBAL_OK) {
      result = climb(feed, names->namespace_, (uint32_t)json_integer_value(row), err);
    }
  }
  free(key);
  return result;
}

/* ---- unused rows ---- */

#define FEW 256

/* Marks the rows from a row of OWNER upwards. */
static void mark(const rebal_spread_feed *feed, int64_t row, unsigned char *is_used, size_t n) {
  while (row >= 0 && (uint64_t)row < n && !is_used[row]) {
    is_used[row] = 1;
    row = rebal_cells_get_i64(rebal_pods_const_cells(feed->pods), REBAL_OWNER_CONTROLLER, REBAL_NONE, (uint32_t)row);
  }
}

static void sweep_versions(rebal_spread_feed *feed, json_t *versions, const unsigned char *is_used) {
  const char *version;
  json_t *value;
  void *next;
  json_object_foreach_safe(versions, next, version, value) {
    const uint32_t row = (uint32_t)json_integer_value(value);
    if (!is_used[row]) {
      (void)rebal_cells_remove(rebal_pods_cells(feed->pods), REBAL_TABLE_OWNER, REBAL_NONE, &row, 1, NULL);
      (void)json_object_del(versions, version);
    }
  }
}

int32_t rebali_feed_owners_sweep(rebal_spread_feed *feed, rebal_error *err) {
  const rebal_cells *pods = rebal_pods_const_cells(feed->pods);
  const size_t count = rebal_cells_count(pods, REBAL_TABLE_OWNER, REBAL_NONE);
  const size_t bound = rebal_cells_bound(pods, REBAL_TABLE_OWNER, REBAL_NONE);
  unsigned char *is_used;
  const char *key;
  json_t *versions;
  void *next;
  if (count < FEW || count / 2 < feed->owners_kept) {
    return REBAL_OK;
  }
  is_used = calloc(bound + 1, 1);
  if (is_used == NULL) {
    return rebali_fail_memory(err);
  }
  for (uint32_t row = rebal_cells_next(pods, REBAL_TABLE_SPREAD_POD, REBAL_NONE, REBAL_NONE); row != REBAL_NONE;
       row = rebal_cells_next(pods, REBAL_TABLE_SPREAD_POD, REBAL_NONE, row)) {
    mark(feed, rebal_cells_get_i64(pods, REBAL_SPREAD_POD_CONTROLLER, REBAL_NONE, row), is_used, bound);
  }
  json_object_foreach_safe(feed->owners, next, key, versions) {
    sweep_versions(feed, versions, is_used);
    if (json_object_size(versions) == 0) {
      (void)json_object_del(feed->owners, key);
    }
  }
  free(is_used);
  feed->owners_kept = rebal_cells_count(rebal_pods_const_cells(feed->pods), REBAL_TABLE_OWNER, REBAL_NONE);
  return REBAL_OK;
}

void rebali_feed_owners_drop(rebal_spread_feed *feed) {
  uint32_t row;
  while ((row = rebal_cells_next(rebal_pods_const_cells(feed->pods), REBAL_TABLE_OWNER, REBAL_NONE, REBAL_NONE)) !=
         REBAL_NONE) {
    (void)rebal_cells_remove(rebal_pods_cells(feed->pods), REBAL_TABLE_OWNER, REBAL_NONE, &row, 1, NULL);
  }
  (void)json_object_clear(feed->owners);
  feed->owners_kept = 0;
  feed->are_owners_broken = 0;
}
