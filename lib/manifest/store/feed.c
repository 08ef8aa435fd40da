/* SPDX-License-Identifier: MIT */
/* Keeps fleets up to date with stores: only changed objects are read again, each completely or not at all. */
#include "manifest/store/feed.h"
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>
#include <string.h>

/* ---- lifecycle ---- */

void rebal_feed_free(rebal_feed *feed) {
  if (feed == NULL) {
    return;
  }
  rebal_builder_free(feed->builder);
  free(feed->objects);
  free(feed->refused);
  free(feed);
}

static int32_t new_feed(rebal_store *store, rebal_fleet *fleet, uint32_t cluster, rebal_feed **out, rebal_error *err) {
  rebal_feed *feed = calloc(1, sizeof *feed);
  int32_t result;
  if (feed == NULL) {
    return rebali_fail_memory(err);
  }
  feed->store = store;
  feed->fleet = fleet;
  feed->cluster = cluster;
  feed->unsorted = REBAL_NONE;
  result = rebal_builder_new(NULL, &feed->builder, err);
  if (result != REBAL_OK) {
    rebal_feed_free(feed);
    return result;
  }
  *out = feed;
  return REBAL_OK;
}

static const struct rebali_fed_object no_object = {.row = REBAL_NONE};

static int32_t reserve_objects(rebal_feed *feed, rebal_error *err) {
  size_t capacity = feed->n_objects;
  const int32_t result =
      rebali_reserve_malloc(&feed->objects, &capacity, feed->store->n_objects, sizeof *feed->objects, err);
  for (; result == REBAL_OK && feed->n_objects < capacity; feed->n_objects++) {
    feed->objects[feed->n_objects] = no_object;
  }
  return result;
}

/* ---- objects ---- */

static int32_t read_object(rebal_feed *feed, uint32_t object, rebal_error *err) {
  return feed->cluster == REBAL_NONE ? rebali_feed_cluster(feed, object, err) : rebali_feed_member(feed, object, err);
}

static int32_t note_refused(rebal_feed *feed, uint32_t object, rebal_error *err) {
  int32_t result;
  if (feed->objects[object].refused) {
    return REBAL_OK;
  }
  result =
      rebali_reserve_malloc(&feed->refused, &feed->refused_capacity, feed->n_refused + 1, sizeof *feed->refused, err);
  if (result != REBAL_OK) {
    return result;
  }
  feed->refused[feed->n_refused++] = object;
  feed->objects[object].refused = 1;
  return REBAL_OK;
}

/* Updates one object, or notes that it is refused. REBAL_ENOMEM only. */
static int32_t follow(rebal_feed *feed, uint32_t object, rebal_error *err) {
  const int32_t result = read_object(feed, object, err);
  return result == REBAL_OK || result == REBAL_ENOMEM ? result : note_refused(feed, object, err);
}

/* Retries refused objects: the object may have changed, or the cause may be gone. Reports the first one. */
static int32_t try_refused(rebal_feed *feed, rebal_error *err) {
  size_t kept = 0;
  int32_t first = REBAL_OK;
  for (size_t i = 0; i < feed->n_refused; i++) {
    const uint32_t object = feed->refused[i];
    rebal_error local = REBAL_ERROR_INIT;
    const int32_t result = first != REBAL_ENOMEM ? read_object(feed, object, &local) : REBAL_ENOMEM;
    if (result == REBAL_OK) {
      feed->objects[object].refused = 0;
      continue;
    }
    feed->refused[kept++] = object;
    if (first == REBAL_OK || result == REBAL_ENOMEM) {
      first = rebali_fail_object(&feed->store->objects[object], result, &local, err);
    }
  }
  feed->n_refused = kept;
  return first;
}

/* ---- all ---- */

static int32_t read_kind(rebal_feed *feed, const char *kind, rebal_error *err) {
  const size_t len = strlen(kind);
  int32_t result = REBAL_OK;
  for (uint32_t object = rebal_store_next(feed->store, kind, len, REBAL_NONE);
       result == REBAL_OK && object != REBAL_NONE; object = rebal_store_next(feed->store, kind, len, object)) {
    result = follow(feed, object, err);
  }
  return result;
}

/* Reads the whole store, by kind, namespace and name. */
static int32_t open_feed(rebal_feed *feed, rebal_error *err) {
  const uint64_t changes = rebal_store_change_count(feed->store);
  int32_t result;
  if (feed->cluster == REBAL_NONE) {
    result = rebali_feed_remove_others(feed, err);
    if (result == REBAL_OK) {
      result = read_kind(feed, "Cluster", err);
    }
  } else {
    result = rebali_feed_empty(feed, err);
    for (size_t i = 0; result == REBAL_OK && rebali_feed_member_kind(i) != NULL; i++) {
      result = read_kind(feed, rebali_feed_member_kind(i), err);
    }
  }
  if (result == REBAL_OK) {
    feed->seen = changes;
    feed->is_open = 1;
  }
  return result;
}

static int32_t read_changes(rebal_feed *feed, rebal_error *err) {
  uint64_t seen = feed->seen;
  for (uint32_t object = rebal_store_next_changed(feed->store, &seen); object != REBAL_NONE;
       object = rebal_store_next_changed(feed->store, &seen)) {
    const int32_t result = follow(feed, object, err);
    if (result != REBAL_OK) {
      return result;
    }
    feed->seen = seen;
  }
  return REBAL_OK;
}

static int32_t update(rebal_feed *feed, rebal_error *err) {
  rebal_error refusal = REBAL_ERROR_INIT;
  int32_t refused = REBAL_OK, result = reserve_objects(feed, err);
  if (result == REBAL_OK && feed->cluster != REBAL_NONE && feed->is_open) {
    /* Fails if there is no such cluster. */
    result =
        rebal_cells_set_i64(rebal_fleet_cells(feed->fleet), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, feed->cluster, 1, err);
  }
  if (result == REBAL_OK) {
    result = feed->is_open ? read_changes(feed, err) : open_feed(feed, err);
  }
  if (result == REBAL_OK) {
    refused = try_refused(feed, &refusal);
  }
  if (result == REBAL_OK && feed->cluster != REBAL_NONE) {
    result = rebali_feed_settle_member(feed, err);
  }
  if (result == REBAL_OK && refused != REBAL_OK) {
    (void)rebali_fail(err, refused, -1, "%s", refusal.message);
    rebali_fail_field(err, refusal.field);
    result = refused;
  }
  return result;
}

static int32_t check(const rebal_feed *feed, const rebal_store *store, const rebal_fleet *fleet, uint32_t cluster,
                     rebal_error *err) {
  if (store == NULL || fleet == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "store and fleet are needed");
  }
  if (feed != NULL && (feed->store != store || feed->fleet != fleet || feed->cluster != cluster)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "the feed is of another store, fleet or cluster");
  }
  return REBAL_OK;
}

/* cluster REBAL_NONE: the clusters themselves. */
static int32_t feed_fleet(rebal_store *store, rebal_fleet *fleet, uint32_t cluster, rebal_feed **feed,
                          rebal_error *err) {
  rebal_feed *used = feed != NULL ? *feed : NULL;
  int32_t result = check(used, store, fleet, cluster, err);
  if (result == REBAL_OK && used == NULL) {
    result = new_feed(store, fleet, cluster, &used, err);
  }
  if (result != REBAL_OK) {
    return result;
  }
  result = update(used, err);
  if (feed != NULL) {
    *feed = used;
  } else {
    rebal_feed_free(used);
  }
  return result;
}

int32_t rebal_store_feed_clusters(rebal_store *store, rebal_fleet *fleet, rebal_feed **feed, rebal_error *err) {
  return feed_fleet(store, fleet, REBAL_NONE, feed, err);
}

int32_t rebal_store_feed_member(rebal_store *member, rebal_fleet *fleet, uint32_t cluster, rebal_feed **feed,
                                rebal_error *err) {
  return cluster != REBAL_NONE ? feed_fleet(member, fleet, cluster, feed, err)
                               : rebali_fail(err, REBAL_ENOTFOUND, -1, "REBAL_NONE is not a cluster");
}
