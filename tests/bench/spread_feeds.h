/* SPDX-License-Identifier: MIT */
/*
 * tests/bench/spread_feeds.h - a store with a CloneSet, its pods, 100 nodes, and a WorkloadSpread of two subsets with a
 * patch each; and the feed of it. Pods differ only in their names and nodes, and have no annotation of a subset.
 */
#ifndef BENCH_SPREAD_FEEDS_H
#define BENCH_SPREAD_FEEDS_H

#include <rebalance/spreading.h>

struct bench_feed {
  rebal_store *store;
  rebal_fleet *fleet;
  uint32_t cluster;
  rebal_spread_feed *feed; /* up to date */
  rebal_ctx *ctx;
  rebal_result *result;
  uint32_t pods;
  uint32_t changes; /* so far */
};

void bench_feed_open(struct bench_feed *feed, uint32_t pods);
void bench_feed_close(struct bench_feed *feed);
/* Another feed, which has read nothing. */
void bench_feed_forget(struct bench_feed *feed);
/* One pod becomes ready, or is not any more. */
void bench_feed_change(struct bench_feed *feed);
void bench_feed_update(struct bench_feed *feed);
/* A pass. The patch of the first subset changes every pod, that of the second none, which adopts them all. */
void bench_feed_step(struct bench_feed *feed);

#endif
