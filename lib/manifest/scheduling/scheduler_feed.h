/* SPDX-License-Identifier: MIT */
/* lib/manifest/scheduling/scheduler_feed.h - what the files share that keep the scheduler's view of a store. */
#ifndef REBALI_SCHEDULER_FEED_H
#define REBALI_SCHEDULER_FEED_H

#include "manifest/manifest.h"

#include <rebalance/scheduling.h>

/* What is kept beside an object of the store; all zero of one that is no binding. */
struct rebali_queue_entry {
  int32_t pool; /* REBAL_POOL_* */
  int32_t priority;
  rebal_time since, due; /* in the active pool since then; back in it then */
  uint32_t attempts;
  int64_t generation; /* that was queued last; 0: none, or the scheduler does not see the binding */
  char *key;          /* namespace/name, as the ledger has it */
  uint32_t *healthy;  /* ids of clusters that report it to be healthy, ascending */
  size_t n_healthy;
};

/* A row of the bindings of the last call. */
struct rebali_scheduler_row {
  uint32_t object;
  int32_t priority; /* those of its object, to sort rows by */
  rebal_time since;
  int is_seen;    /* by the scheduler */
  int is_assumed; /* it was decided on as if its writes had succeeded */
};

struct rebal_scheduler_feed {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_feed *clusters;
  rebal_snapshot *snapshot; /* NULL: none yet */
  rebal_bindings *bindings;
  rebal_ledger *ledger; /* NULL: what is decided in one call is independent */
  rebal_ctx *ctx;
  rebal_result *result;
  char *name; /* of the scheduler */
  int64_t assumed_ns;
  rebal_time checked_from; /* the pools are */
  int has_released;        /* something was assumed that is no more, since bindings without room were queued last */
  uint64_t seen;           /* the changes of the store that are in here */
  struct rebali_queue_entry *queued; /* by id in the store */
  size_t n_queued;
  struct rebali_scheduler_row *rows;
  size_t n_rows, capacity;
};

/* The objects of the rows become the bindings. */
int32_t rebali_scheduler_read(rebal_scheduler_feed *feed, rebal_error *err);
int32_t rebali_scheduler_add_row(rebal_scheduler_feed *feed, uint32_t object, rebal_error *err);
/* An event brings the binding into the active pool (scheduler_queue.c). */
void rebali_scheduler_activate(struct rebali_queue_entry *queued, const rebal_time *now);
/* The binding goes to a pool, where it has been taken from the active one. */
int32_t rebali_scheduler_leave(rebal_scheduler_feed *feed, uint32_t object, int32_t pool, rebal_error *err);
/* Bindings without room come again, at most once a second, where something is assumed no more. */
void rebali_scheduler_recheck(rebal_scheduler_feed *feed, const rebal_time *now);
/* What a binding was given in a cluster, REBAL_NONE: in any, counts no more (scheduler_assumed.c). */
int32_t rebali_scheduler_release(rebal_scheduler_feed *feed, const struct rebali_queue_entry *queued, uint32_t cluster,
                                 rebal_error *err);
/* What the binding of a row was given counts no more where it became healthy (scheduler_assumed.c). */
int32_t rebali_scheduler_settle(rebal_scheduler_feed *feed, uint32_t row, rebal_error *err);
/* Of one that was deleted nothing counts. */
int32_t rebali_scheduler_forget(rebal_scheduler_feed *feed, struct rebali_queue_entry *queued, rebal_error *err);

#endif
