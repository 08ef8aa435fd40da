/* SPDX-License-Identifier: MIT */
/*
 * tests/bench/spread_reviews.h - AdmissionReviews about the creation of a pod of 2 KB, as an API server sends them:
 * generateName in place of a name. Its CloneSet has a WorkloadSpread of two subsets with a node selector and a
 * toleration; is_patched: the first has a patch too.
 */
#ifndef BENCH_SPREAD_REVIEWS_H
#define BENCH_SPREAD_REVIEWS_H

#include <rebalance/spreading.h>

struct bench_reviews {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_spread_feed *feed;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_text *out;
  char *text;
};

void bench_reviews_open(struct bench_reviews *reviews, int is_patched);
void bench_reviews_close(struct bench_reviews *reviews);
/* No pod is recorded any more. */
void bench_reviews_forget(struct bench_reviews *reviews);
/* From text to text. */
void bench_reviews_answer(struct bench_reviews *reviews);

#endif
