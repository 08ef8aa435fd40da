/* SPDX-License-Identifier: MIT */
#include "karmada-scheduler-queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static rebal_time monotonic_now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (rebal_time){time.tv_sec, (int32_t)time.tv_nsec, 1};
}

static bool is_before(const rebal_time *left, const rebal_time *right) {
  return left->seconds < right->seconds || (left->seconds == right->seconds && left->nanos < right->nanos);
}

bool objects_add(struct objects *objects, uint32_t object) {
  if (objects->n == objects->capacity) {
    const size_t capacity = 2 * objects->capacity + 1000;
    uint32_t *list = realloc(objects->list, capacity * sizeof *list);
    bool *marked = list != NULL ? realloc(objects->marked, capacity * sizeof *marked) : NULL;
    objects->list = list != NULL ? list : objects->list;
    if (marked == NULL) {
      return false;
    }
    objects->marked = marked;
    objects->capacity = capacity;
  }
  objects->marked[objects->n] = false;
  objects->list[objects->n++] = object;
  return true;
}

void objects_free(struct objects *objects) {
  free(objects->list);
  free(objects->marked);
}

void queue_open(struct queue *queue) {
  *queue = (struct queue){NULL, 0, monotonic_now()};
}

void queue_close(struct queue *queue) {
  for (size_t i = 0; i < queue->n; i++) {
    queue_forget(&queue->entries[i]);
  }
  free(queue->entries);
}

struct entry *queue_entry(struct queue *queue, uint32_t object) {
  if (object >= queue->n) {
    const size_t n = (size_t)object + 1000;
    struct entry *entries = realloc(queue->entries, n * sizeof *entries);
    if (entries == NULL) {
      return NULL;
    }
    memset(entries + queue->n, 0, (n - queue->n) * sizeof *entries);
    queue->entries = entries;
    queue->n = n;
  }
  return &queue->entries[object];
}

bool queue_set_key(struct entry *entry, const char *namespace_, const char *name) {
  const size_t len = strlen(namespace_) + strlen(name) + 2;
  entry->key = entry->key != NULL ? entry->key : malloc(len);
  if (entry->key != NULL) {
    (void)snprintf(entry->key, len, "%s/%s", namespace_, name);
  }
  return entry->key != NULL;
}

void queue_forget(struct entry *entry) {
  free(entry->key);
  free(entry->healthy);
  memset(entry, 0, sizeof *entry);
}

void queue_activate(struct entry *entry) {
  if (entry->pool != REBAL_POOL_ACTIVE) {
    entry->pool = REBAL_POOL_ACTIVE;
    entry->attempts = 0;
    entry->since = monotonic_now();
  }
}

static int compare(const void *left, const void *right, void *user) {
  const uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
  const struct entry *entries = user, *first = &entries[one], *second = &entries[other];
  const int order = rebal_queue_compare(first->priority, &first->since, second->priority, &second->since);
  return order != 0 ? order : (one > other) - (one < other);
}

bool queue_take(struct queue *queue, size_t most, struct objects *out) {
  const rebal_time now = monotonic_now();
  out->n = 0;
  for (uint32_t object = 0; object < queue->n; object++) {
    struct entry *entry = &queue->entries[object];
    if (entry->pool > REBAL_POOL_ACTIVE && !is_before(&now, &entry->due)) {
      entry->pool = REBAL_POOL_ACTIVE;
      entry->since = now;
    }
    if (entry->pool == REBAL_POOL_ACTIVE && !objects_add(out, object)) {
      return false;
    }
  }
  qsort_r(out->list, out->n, sizeof *out->list, compare, queue->entries);
  out->n = out->n < most ? out->n : most;
  for (size_t i = 0; i < out->n; i++) {
    queue->entries[out->list[i]].attempts++;
    queue_leave(queue, out->list[i], REBAL_POOL_BACK_OFF);
  }
  return true;
}

void queue_leave(struct queue *queue, uint32_t object, int32_t pool) {
  struct entry *entry = &queue->entries[object];
  entry->pool = pool;
  if (pool == REBAL_POOL_NONE) {
    entry->attempts = 0;
  } else {
    (void)rebal_queue_flush(pool, &entry->since, entry->attempts, &queue->started, &entry->due, NULL);
  }
}
