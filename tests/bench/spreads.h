/* SPDX-License-Identifier: MIT */
/*
 * tests/bench/spreads.h - a WorkloadSpread and its pods, the same in every run.
 *
 * The workload is the CloneSet "web". Subsets are "subset-0" and so on; all but the last are limited to 1,000 pods.
 */
#ifndef BENCH_SPREADS_H
#define BENCH_SPREADS_H

#include <rebalance/workloadspread.h>

/* The object; it belongs to the builder. */
const rebal_record *bench_spread_record(rebal_builder *builder, uint32_t subsets);
/*
 * Adds n running pods of the workload by whole columns, each in the subset its annotation names: the subsets take
 * turns. owner is a row made by bench_add_owner(). rows has room for n.
 */
void bench_add_spread_pods(rebal_pods *pods, uint32_t owner, uint32_t subsets, uint32_t n, uint32_t *rows);
/* The CloneSet, which exists. */
uint32_t bench_add_owner(rebal_pods *pods);

#endif
