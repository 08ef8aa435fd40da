/* SPDX-License-Identifier: MIT */
/*
 * rebalance/scheduling.h - a scheduler over a store: its queue, and what it decides in turns (librebalance-manifest).
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
 * The bindings of a store that wait for the scheduler, in the order of its queue, and what it needs to decide on them
 * (rebalance-karmada(7) 2.1, 2.7, 6.6). Nothing but the store is read, and nothing is written to it.
 */
typedef struct rebal_scheduler_feed rebal_scheduler_feed;

/** All zero: the scheduler of Karmada's name, whose decisions are independent. Texts are copied. Since: 0.1 */
typedef struct rebal_scheduler_feed_opts {
  uint32_t struct_size;
  uint32_t flags;             /**< must be 0 */
  const char *scheduler_name; /**< bindings of others are left alone; empty: default-scheduler */
  uint64_t scheduler_name_len;
  /**
   * How long what a binding was given is taken from what clusters report, unless they report it to be healthy before;
   * 0: not at all. The reference has 5 minutes where its gate SchedulingOvercommitProtection is on. When something is
   * assumed no more, bindings that found no room are tried again.
   */
  int64_t assumed_ns;
} rebal_scheduler_feed_opts;

/**
 * An empty feed. Store and fleet outlive it; the clusters of the fleet are the store's, as by
 * rebal_store_feed_clusters(), and belong to the feed, but not what is below them (rebal_store_feed_member()).
 * @returns REBAL_ERANGE: assumed_ns is negative. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_feed_new(rebal_store *store, rebal_fleet *fleet,
                                           const rebal_scheduler_feed_opts *opts, rebal_scheduler_feed **out,
                                           rebal_error *err);
/** NULL is fine. Since: 0.1 */
REBAL_API void rebal_scheduler_feed_free(rebal_scheduler_feed *feed);
/**
 * Brings it up to date with the store. Bindings that are new, or of another generation, enter the queue, and those that
 * a change of a cluster concerns (rebal_requeue_bindings(), rebal_requeue()). What changed in a binding's status
 * enters nothing. No row is taken afterwards. The cost grows with what changed, but that a change of a cluster's
 * generation, labels or deletion looks at every binding. After an error the next update goes on. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_feed_update(rebal_scheduler_feed *feed, const rebal_time *now, rebal_error *err);
/**
 * Takes the first bindings of the queue, at most so many: *n rows, from 0, with the fleet as it is now. Higher
 * priorities come first, then who entered earlier; what is equal in both by its place in the store. Those that failed
 * are among them when their time has come (rebal_queue_flush()). A row that no step follows comes again after its
 * back-off. A binding that has clusters and is not Scheduled, since a scheduler ended before it wrote that, is decided
 * on as one whose placement is new: the reference leaves it so.
 * @returns REBAL_ESTATE: there was no update before. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_feed_take(rebal_scheduler_feed *feed, const rebal_time *now, size_t most, size_t *n,
                                            rebal_error *err);
/** The object of a row in the store; REBAL_NONE: there is no such row. Since: 0.1 */
REBAL_API uint32_t rebal_scheduler_feed_object(const rebal_scheduler_feed *feed, size_t row);
/**
 * Turns of the rows that were taken, as rebal_scheduler_step(): each sees what those before it were given, and ends
 * where its binding goes next in the queue. opts as there, without ledger and scheduler_name.
 *
 * Without observations all writes are taken to succeed, so that one call decides on many. Where one did not, the caller
 * makes another call for that row alone (first_row, max_work 1) with what came of its actions, and again while it is
 * WAITING: that gives the events and the condition, and what the row was given is taken back.
 * @returns as rebal_scheduler_step(); REBAL_EINVAL: opts have a ledger or scheduler_name; REBAL_ESTATE: there was no
 * update before. Since: 0.1
 */
REBAL_API int32_t rebal_scheduler_feed_step(rebal_ctx *ctx, rebal_scheduler_feed *feed, const rebal_time *now,
                                            const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err);
/** A row whose actions were not sent comes again after its back-off. REBAL_EINVAL: there is no such row. Since: 0.1 */
REBAL_API int32_t rebal_scheduler_feed_retry(rebal_scheduler_feed *feed, size_t row, rebal_error *err);

#ifdef __cplusplus
}
#endif
#endif
