/* SPDX-License-Identifier: MIT */
/*
 * rebalance/scheduling.h - a scheduler over a store: its queue and its decisions (librebalance-manifest).
 *
 * Memory comes from malloc, as in manifest.h. A feed and its store are used by one thread at a time.
 */
#ifndef REBAL_SCHEDULING_H
#define REBAL_SCHEDULING_H

#include "manifest.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The bindings of a store that wait for the scheduler, in the order of its queue, and the state that it needs to decide
 * on them (rebalance-karmada(7) 2.1, 2.7, 6.6). A feed reads the store alone and does not write to it.
 */
typedef struct rebal_scheduler_feed rebal_scheduler_feed;

/** All zero: Karmada's default scheduler with independent decisions. Texts are copied. Since: 0.1 */
typedef struct rebal_scheduler_feed_opts {
  uint32_t struct_size;
  uint32_t flags;             /**< must be 0 */
  const char *scheduler_name; /**< bindings of other schedulers are ignored; empty: default-scheduler */
  uint64_t scheduler_name_len; /**< bytes of scheduler_name */
  /* The reference takes 5 minutes with its gate SchedulingOvercommitProtection. When an assumption ends, bindings that
     did not fit are tried again. */
  int64_t assumed_ns; /**< how long assigned replicas reduce reported capacity; 0: not at all */
} rebal_scheduler_feed_opts;

/**
 * Creates an empty feed. Store and fleet must outlive it. The feed keeps the clusters of the fleet equal to those of
 * the store, as by rebal_store_feed_clusters(); rows below clusters remain the caller's (rebal_store_feed_member()).
 * Free it with rebal_scheduler_feed_free().
 * @returns REBAL_ERANGE: assumed_ns is negative. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_feed_new(rebal_store *store, rebal_fleet *fleet,
                                           const rebal_scheduler_feed_opts *opts, rebal_scheduler_feed **out,
                                           rebal_error *err);
/** Frees a feed; store and fleet stay as they are. NULL is allowed. Since: 0.1 */
REBAL_API void rebal_scheduler_feed_free(rebal_scheduler_feed *feed);
/**
 * Brings the feed up to date with the store. Bindings that are new or have another generation enter the queue, as do
 * those affected by a change of a cluster (rebal_requeue_bindings(), rebal_requeue()). Status changes of a binding do
 * not. Rows taken before become invalid. The cost grows with the number of changes, but a change of a cluster's
 * generation, labels or deletion examines every binding. After an error the next update continues. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_feed_update(rebal_scheduler_feed *feed, const rebal_time *now, rebal_error *err);
/**
 * Takes up to max_rows bindings from the head of the queue: *n rows, numbered from 0, with the fleet as it is now.
 * Higher priorities come first, then earlier entry into the queue, then the order of the store. Failed bindings are
 * among them once their time has come (rebal_queue_flush()). A row without a later step returns after its back-off. A
 * binding that has clusters but is not Scheduled, because a scheduler ended before it wrote the condition, is decided
 * as with a new placement; the reference leaves it as it is.
 * @returns REBAL_ESTATE: there was no update before. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_feed_take(rebal_scheduler_feed *feed, const rebal_time *now, size_t max_rows,
                                            size_t *n, rebal_error *err);
/** Returns the object of a row in the store; REBAL_NONE if the row does not exist. Since: 0.1 */
REBAL_API uint32_t rebal_scheduler_feed_object(const rebal_scheduler_feed *feed, size_t row);
/**
 * Schedules the rows that were taken, as rebal_scheduler_step() does. Each row sees what the rows before it were
 * assigned, and its binding then moves to its next place in the queue. opts as there, without ledger and
 * scheduler_name.
 *
 * Without observations all writes are assumed to succeed, so that one call can decide many rows. If a write failed, the
 * caller calls again for that row alone (first_row, max_work 1) with the observations of its actions, until it is not
 * WAITING: this returns the events and the condition and releases what the row was assigned.
 * @returns as rebal_scheduler_step(); REBAL_EINVAL: opts have a ledger or scheduler_name; REBAL_ESTATE: there was no
 * update before. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_feed_step(rebal_ctx *ctx, rebal_scheduler_feed *feed, const rebal_time *now,
                                            const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err);
/**
 * Puts a row whose actions were not sent into back-off; it is returned again afterwards. REBAL_EINVAL: the row does not
 * exist. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_feed_retry(rebal_scheduler_feed *feed, size_t row, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
