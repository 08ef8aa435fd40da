/* SPDX-License-Identifier: MIT */
/*
 * lib/scheduler/fast/fast.h - entry point of the fast paths: what is kept between decisions, and why few candidates
 * suffice for an answer.
 *
 * A pass could list every feasible cluster, estimate, score and sort all of them, and place replicas in a few. The
 * phases that a caller runs one by one do so, and so does a pass that has no short list. rebali_shortlist() lists only
 * the candidates that the answer can depend on, so that the cost of a decision depends on what it uses.
 *
 * The cache of the context (rebali_cache_get()) keeps:
 * - what fits into each cluster, by requirement (lib/estimator/fast): a vector of int32. Changed clusters are noted in
 *   it and estimated when a binding needs them, column by column (charged.c, rows.c). With a ledger the numbers are
 *   upper bounds, corrected for rows that may be among the best (fits.c, walk.c);
 * - what remains in each cluster with a ledger: a row with a few amounts for all requirements and a word that
 *   summarizes them, updated from the ledger's journal (remaining.c). If few clusters are feasible, the word shows
 *   which of them cannot be among the best;
 * - the order of a vector, as far as it was needed: a ranking (lib/foundation/ranking.h), repaired where numbers
 *   change. If no more than one cluster in eight is feasible, these are examined without it, until the requirement
 *   returns without many changes in between;
 * - the clusters of each region as bitsets (regions.c);
 * - static weights of a placement and their order (lib/scheduler/placement/placement_weights.c).
 * Losing any of it changes only the time of an answer: a cache of size 0 gives the same bytes.
 *
 * Proofs that the short list suffices: shortlist.c for k replicas by weight, Aggregated and selection by cluster,
 * shortlist_regions.c for regions, shortlist_copies.c for Duplicated, which chooses nothing. In short: no cluster gets
 * a seat before each that precedes it in the order has one, so k seats go to the first k of that order. Targets are
 * always listed.
 *
 * Guarantees:
 * - *is_listed 1: the candidates are rated, in the order of candidates if that order shows in the answer, or all
 *   clusters are placed already. The rest of the pass returns what it would return with every feasible cluster listed;
 * - *is_listed 0: nothing is listed, and the caller lists all. This happens if something other than the library's own
 *   estimate distinguishes clusters (extra scores, other estimators, nodes), if a later phase needs all of them, if a
 *   cluster has no limit, or if numbers are too large for a key;
 * - once the cache is warm, only scratch memory of the call is allocated;
 * - REBAL_ENOMEM leaves the cache consistent.
 *
 * Tests: tests/laws ("a plain scheduler answers alike", "what was brought up to date is what is made anew", "the
 * phases, which examine every cluster, answer alike"), unit tests test_fits, test_ranking and test_shortlist, and `make
 * check-speed`. tests/bench/NOTES.md has the figures, and what was tried and dropped.
 *
 * Related: lib/scheduler/pipeline/webster.c hands out k seats to the listed parties: one at a time from a heap, which
 * is the definition, and by three short cuts (few parties, seats by level, many seats at once).
 */
#ifndef REBALI_SCHEDULER_FAST_H
#define REBALI_SCHEDULER_FAST_H

#include "scheduler/scheduler.h"

/* Lists and rates only the candidates that the answer can depend on, or places them all. */
int32_t rebali_shortlist(struct rebali_pass *pass, int *is_listed);

#endif
