/* SPDX-License-Identifier: MIT */
/*
 * karmada-scheduler-queue.h - the bindings that wait for the scheduler: which come first, and when one that failed
 * comes again. The library knows the rules (rebal_queue_compare() and its neighbours), this keeps the places.
 */
#ifndef KARMADA_SCHEDULER_QUEUE_H
#define KARMADA_SCHEDULER_QUEUE_H

#include <rebalance/rebalance.h>

#include <stdbool.h>
#include <stddef.h>

/* A binding of a store. All times are of the monotonic clock. */
struct entry {
  int32_t pool; /* REBAL_POOL_* */
  int32_t priority;
  rebal_time since, due; /* in the active pool since then; back in it then */
  uint32_t attempts;
  int64_t generation; /* that was queued last; 0: none, or the scheduler does not see the binding */
  char *key;          /* namespace/name; NULL: the object is no binding */
  bool *healthy;      /* by id of a cluster: it was reported to be healthy there */
  size_t n_healthy;
};

struct queue {
  struct entry *entries; /* by object of the store */
  size_t n;
  rebal_time started; /* the pools are checked from then on */
};

/* Objects of a store. */
struct objects {
  uint32_t *list;
  bool *marked; /* for the caller's use */
  size_t n, capacity;
};

bool objects_add(struct objects *objects, uint32_t object);
void objects_free(struct objects *objects);

void queue_open(struct queue *queue);
void queue_close(struct queue *queue);
/* The entry of an object, valid until the next call; NULL: there is no memory. */
struct entry *queue_entry(struct queue *queue, uint32_t object);
/* Gives the entry the key of a binding. */
bool queue_set_key(struct entry *entry, const char *namespace_, const char *name);
/* An event brings the binding into the active pool. */
void queue_activate(struct entry *entry);
/* Takes the first bindings of the active pool, at most so many. Until they leave for another pool they back off. */
bool queue_take(struct queue *queue, size_t most, struct objects *out);
/* The binding goes to a pool after its turn. */
void queue_leave(struct queue *queue, uint32_t object, int32_t pool);
/* Nothing is known of the object any more. */
void queue_forget(struct entry *entry);

#endif
