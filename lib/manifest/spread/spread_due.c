/* SPDX-License-Identifier: MIT */
/*
 * Finds the WorkloadSpreads and UnitedDeployments affected by a change of the store, so that updates cost in proportion
 * to
 * what changed. Each listens to hashes: a WorkloadSpread to that of its workload's name, both to those of the owners of
 * their pods. A hash collision only causes a needless update. An updated object is fresh until a caller takes it.
 */
#include "manifest/spread/spread_feed.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64u

/* A listener is valid while the object's turn is unchanged. */
struct rebali_listener {
  uint64_t hash;
  uint32_t object;
  uint32_t turn;
  uint32_t next; /* of the same slot, + 1; 0: the last */
};

uint64_t rebali_name_hash(const char *kind, const char *namespace_, const char *name) {
  const char *const texts[] = {kind, namespace_, name};
  return rebali_hash_texts(0, texts, sizeof texts / sizeof texts[0]);
}

uint64_t rebali_owner_hash(const char *key) {
  return rebali_hash_texts(1, &key, 1);
}

/* ---- listening ---- */

static int is_live(const rebal_spread_feed *feed, const struct rebali_listener *listener) {
  return feed->fed[listener->object].turn == listener->turn;
}

static void insert(struct rebali_listeners *listeners, const struct rebali_listener *listener) {
  uint32_t *slot = &listeners->slots[listener->hash & (listeners->capacity - 1)];
  listeners->list[listeners->n] = *listener;
  listeners->list[listeners->n].next = *slot;
  *slot = (uint32_t)++listeners->n;
}

/* Drops invalid listeners. There are as many slots as capacity, a power of two. */
static int32_t rebuild(rebal_spread_feed *feed, rebal_error *err) {
  const struct rebali_listeners *old = &feed->listeners;
  struct rebali_listeners grown = {NULL, NULL, 0, FIRST_SLOTS};
  size_t n_live = 0;
  for (size_t i = 0; i < old->n; i++) {
    n_live += (size_t)is_live(feed, &old->list[i]);
  }
  while (grown.capacity / 2 <= n_live) {
    grown.capacity *= 2;
  }
  if (grown.capacity > UINT32_MAX / 2) {
    return rebali_fail(err, REBAL_ELIMIT, -1, "too many owners of pods");
  }
  grown.list = malloc(grown.capacity * sizeof *grown.list);
  grown.slots = calloc(grown.capacity, sizeof *grown.slots);
  if (grown.list == NULL || grown.slots == NULL) {
    free(grown.list);
    free(grown.slots);
    return rebali_fail_memory(err);
  }
  for (size_t i = 0; i < old->n; i++) {
    if (is_live(feed, &old->list[i])) {
      insert(&grown, &old->list[i]);
    }
  }
  rebali_listeners_free(feed);
  feed->listeners = grown;
  return REBAL_OK;
}

int32_t rebali_listen(rebal_spread_feed *feed, uint32_t object, uint64_t hash, rebal_error *err) {
  if (feed->listeners.n == feed->listeners.capacity) {
    const int32_t result = rebuild(feed, err);
    if (result != REBAL_OK) {
      return result;
    }
  }
  insert(&feed->listeners, &(struct rebali_listener){hash, object, feed->fed[object].turn, 0});
  return REBAL_OK;
}

void rebali_listen_no_more(rebal_spread_feed *feed, uint32_t object) {
  feed->fed[object].turn++;
}

void rebali_listeners_free(rebal_spread_feed *feed) {
  free(feed->listeners.list);
  free(feed->listeners.slots);
}

/* ---- due objects ---- */

void rebali_due(rebal_spread_feed *feed, uint32_t object) {
  struct rebali_id_list *due = feed->fed[object].is_united ? &feed->due_united : &feed->due;
  if (!feed->fed[object].is_due) {
    feed->fed[object].is_due = 1;
    due->ids[due->n++] = object;
  }
}

void rebali_due_by(rebal_spread_feed *feed, uint64_t hash) {
  const struct rebali_listeners *listeners = &feed->listeners;
  uint32_t at = listeners->n > 0 ? listeners->slots[hash & (listeners->capacity - 1)] : 0;
  for (; at != 0; at = listeners->list[at - 1].next) {
    const struct rebali_listener *listener = &listeners->list[at - 1];
    if (listener->hash == hash && is_live(feed, listener)) {
      rebali_due(feed, listener->object);
    }
  }
}

static int compare_places(const void *left, const void *right) {
  const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
  return (one > other) - (one < other);
}

size_t rebali_due_places(rebal_spread_feed *feed) {
  uint32_t *due = feed->due.ids;
  size_t n = 0;
  for (size_t i = 0; i < feed->due.n; i++) {
    const struct rebali_fed_spread *fed = rebali_feed_find(feed, due[i]);
    feed->fed[due[i]].is_due = 0;
    if (fed != NULL) {
      due[n++] = (uint32_t)(fed - feed->spreads);
    }
  }
  feed->due.n = 0;
  if (n > 1) {
    qsort(due, n, sizeof *due, compare_places);
  }
  return n;
}

/* ---- fresh objects ---- */

int32_t rebali_fresh_reserve(struct rebali_id_list *fresh, size_t n, rebal_error *err) {
  if (fresh->first > 0) {
    fresh->n -= fresh->first;
    memmove(fresh->ids, fresh->ids + fresh->first, fresh->n * sizeof *fresh->ids);
    fresh->first = 0;
  }
  return rebali_reserve_malloc(&fresh->ids, &fresh->capacity, fresh->n + n, sizeof *fresh->ids, err);
}

void rebali_fresh_note(rebal_spread_feed *feed, struct rebali_id_list *fresh, uint32_t object) {
  if (!feed->fed[object].is_fresh) {
    feed->fed[object].is_fresh = 1;
    fresh->ids[fresh->n++] = object;
  }
}

static uint32_t take_fresh(rebal_spread_feed *feed, struct rebali_id_list *fresh) {
  while (fresh->first < fresh->n) {
    const uint32_t object = fresh->ids[fresh->first++];
    feed->fed[object].is_fresh = 0;
    if (feed->fed[object].is_united || rebali_feed_find(feed, object) != NULL) {
      return object;
    }
  }
  return REBAL_NONE;
}

uint32_t rebal_spread_feed_next_due(rebal_spread_feed *feed) {
  return feed != NULL ? take_fresh(feed, &feed->fresh) : REBAL_NONE;
}

uint32_t rebal_spread_feed_next_united_due(rebal_spread_feed *feed) {
  return feed != NULL ? take_fresh(feed, &feed->fresh_united) : REBAL_NONE;
}
