/* SPDX-License-Identifier: MIT */
/* lib/manifest/scheduling/scheduler_feed.h - shared by the files that keep the scheduler's view of a store. */
#ifndef REBALI_SCHEDULER_FEED_H
#define REBALI_SCHEDULER_FEED_H

#include "manifest/manifest.h"

#include <rebalance/scheduling.h>

/* State kept for an object of the store; all zero if it is not a binding. */
struct rebali_queue_entry {
  int32_t pool; /* REBAL_POOL_* */
  int32_t priority;
  rebal_time since, due; /* when it entered the active pool; when it returns to it */
  uint32_t attempts;
  int64_t generation; /* the last one queued; 0: none, or the scheduler does not handle the binding */
  char *key;          /* namespace/name, as in the ledger */
  uint32_t *healthy;  /* ids of clusters that report it healthy, ascending */
  size_t n_healthy;
};

/* A row of the bindings of the last call. */
struct rebali_scheduler_row {
  uint32_t object;
  int32_t priority; /* of its object, to sort rows by */
  rebal_time since;
  int is_seen;    /* handled by the scheduler */
  int is_assumed; /* decided on as if its writes had succeeded */
};

struct rebal_scheduler_feed {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_feed *clusters;
  rebal_snapshot *snapshot; /* NULL: none yet */
  rebal_bindings *bindings;
  rebal_ledger *ledger; /* NULL: decisions within one call are independent */
  rebal_ctx *ctx;
  rebal_result *result;
  char *name; /* of the scheduler */
  int64_t assumed_ns;
  rebal_time checked_from; /* time from which the pools are checked */
  int has_released;        /* an assumed charge was released since bindings without capacity were queued last */
  uint64_t seen;           /* change of the store up to which this is current */
  struct rebali_queue_entry *queued; /* by id in the store */
  size_t n_queued;
  struct rebali_scheduler_row *rows;
  size_t n_rows, capacity;
};

/* Makes the objects of the rows the bindings. */
int32_t rebali_scheduler_read(rebal_scheduler_feed *feed, rebal_error *err);
int32_t rebali_scheduler_add_row(rebal_scheduler_feed *feed, uint32_t object, rebal_error *err);
/* Moves the binding to the active pool because of an event (scheduler_queue.c). */
void rebali_scheduler_activate(struct rebali_queue_entry *queued, const rebal_time *now);
/* Moves a binding taken from the active pool to a pool. */
int32_t rebali_scheduler_leave(rebal_scheduler_feed *feed, uint32_t object, int32_t pool, rebal_error *err);
/* Queues bindings without capacity again after an assumed charge was released, at most once a second. */
void rebali_scheduler_recheck(rebal_scheduler_feed *feed, const rebal_time *now);
/* Drops a binding's charges in a cluster, or in all if REBAL_NONE (scheduler_assumed.c). */
int32_t rebali_scheduler_release(rebal_scheduler_feed *feed, const struct rebali_queue_entry *queued, uint32_t cluster,
                                 rebal_error *err);
/* Drops the charges of a row's binding where it became healthy (scheduler_assumed.c). */
int32_t rebali_scheduler_settle(rebal_scheduler_feed *feed, uint32_t row, rebal_error *err);
/* Drops all charges of a deleted binding. */
int32_t rebali_scheduler_forget(rebal_scheduler_feed *feed, struct rebali_queue_entry *queued, rebal_error *err);

#endif
