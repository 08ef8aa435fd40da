/* SPDX-License-Identifier: MIT */
/*
 * lib/scheduler/fast/fast.h - the door to the fast paths: what is kept between decisions, and why few candidates are
 * enough for an answer.
 *
 * A pass could list every feasible cluster, estimate and score each, sort them, and give the answer to a few; the
 * phases that a caller runs one by one do so, and so does a pass for which there is no short list. rebali_shortlist()
 * lists only the candidates that the answer can depend on, so that a decision costs what it touches.
 *
 * What is kept, in the cache of the context (rebali_cache_get()):
 * - what fits into each cluster, by requirement (lib/estimator/fast): a vector of int32. Changed clusters are noted in
 *   it and estimated when a binding wants them, column by column (charged.c, rows.c). Beside a ledger the numbers are
 *   bounds from above, put right for rows that may be among the best (fits.c, walk.c);
 * - what remains in each cluster beside a ledger, a row with a few amounts for all requirements and a word that has
 *   them in brief, kept up by the ledger's journal (remaining.c): of few feasible clusters the word tells which cannot
 *   be among the best;
 * - the order of a vector, as far as it was needed: a ranking (lib/foundation/ranking.h), repaired where numbers
 *   change. Where no more than one cluster in eight is feasible these are looked at without it, until the requirement
 *   comes back without many changes between;
 * - the clusters of each region as bitsets (regions.c);
 * - static weights of a placement and their order (lib/scheduler/placement/placement_weights.c).
 * Losing any of it changes the time of an answer and nothing else: a cache of size 0 gives the same bytes.
 *
 * Why the short list is enough: shortlist.c says it for k replicas by weight, Aggregated and selection by cluster,
 * shortlist_regions.c for regions, shortlist_copies.c for Duplicated, where nothing is to be chosen at all. In short:
 * no cluster gets a seat before each that precedes it in the order has one, so k seats go to the first k of that order.
 * Targets are always listed.
 *
 * What may be relied on:
 * - *is_listed 1: the candidates are rated, in the order of candidates where that order shows in the answer, or all
 *   clusters are placed already; the rest of the pass gives what it would give with every feasible cluster listed;
 * - *is_listed 0: nothing is listed, and the caller lists all. So it is where something but the library's own estimate
 *   tells clusters apart (extra scores, other estimators, nodes), where a later phase needs all of them, where a
 *   cluster has no limit, or where numbers are too large for a key;
 * - nothing is allocated once the cache is warm but scratch memory of the call;
 * - REBAL_ENOMEM leaves what is kept consistent.
 *
 * Who checks it: tests/laws ("a plain scheduler answers alike", "what was brought up to date is what is made anew",
 * "the phases, which look at every cluster, answer alike"), unit tests test_fits, test_ranking and test_shortlist, and
 * `make check-speed`. tests/bench/NOTES.md has the figures, and what was tried and dropped.
 *
 * Beside this stands lib/scheduler/pipeline/webster.c, which hands out k seats to the listed parties: one at a time
 * from a heap, which is the definition, and by three short cuts (few parties, seats by level, many seats at once).
 */
#ifndef REBALI_SCHEDULER_FAST_H
#define REBALI_SCHEDULER_FAST_H

#include "scheduler/scheduler.h"

/* Lists and rates only the candidates that the answer can depend on, or places them all. */
int32_t rebali_shortlist(struct rebali_pass *pass, int *is_listed);

#endif
