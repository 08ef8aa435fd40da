/* SPDX-License-Identifier: MIT */
/*
 * tests/bench/spreads.h - a WorkloadSpread and its pods, the same in every run.
 *
 * The workload is the CloneSet "web". Subsets are "subset-0" and so on.
 */
#ifndef BENCH_SPREADS_H
#define BENCH_SPREADS_H

#include <rebalance/workloadspread.h>

struct bench_spread_shape {
  uint32_t subsets;
  uint32_t limit; /* pods of each */
  int by_pool;    /* each selects the nodes of one pool of nodes.h, else none */
};
/* Columns of pods, ready to be put. */
struct bench_spread_columns;

/* The object; it belongs to the builder. */
const rebal_record *bench_spread_record(rebal_builder *builder, const struct bench_spread_shape *shape);
/* A UnitedDeployment of 100 replicas for each subset, which is to have 50 to 120; it belongs to the builder. */
const rebal_record *bench_united_record(rebal_builder *builder, uint32_t subsets);
/* The CloneSet, which exists. */
uint32_t bench_add_owner(rebal_pods *pods);
/*
 * Cells of n running pods of the owner, on nodes below `nodes`, each with an annotation that names a subset: the
 * subsets take turns.
 */
struct bench_spread_columns *bench_make_spread_columns(uint32_t owner, uint32_t subsets, uint32_t nodes, uint32_t n);
void bench_free_spread_columns(struct bench_spread_columns *columns);
/* Adds the pods and returns their rows; the array must have capacity for all of them. */
void bench_put_spread_columns(rebal_pods *pods, const struct bench_spread_columns *columns, uint32_t *rows);
/* The same number in a column of n rows. */
void bench_set_all(rebal_pods *pods, uint32_t column, const uint32_t *rows, uint32_t n, int64_t number);

#endif
