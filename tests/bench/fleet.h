/* SPDX-License-Identifier: MIT */
/*
 * tests/bench/fleet.h - the clusters of the benchmarks: as many as wanted, the same in every run.
 *
 * Each has 4 labels, a region, a provider, 2 zones, one of 5 API sets with 31 groups and 122 kinds, and 4 resources
 * with a random load; every 17th has a taint that nothing tolerates.
 */
#ifndef BENCH_FLEET_H
#define BENCH_FLEET_H

#include "../support/fleet_builder.h"

enum {
  BENCH_API_SETS = 5,
  BENCH_LABEL_SETS = 240,
  BENCH_REGIONS = 8,
  BENCH_RESOURCES = 4,
  BENCH_TAINTED = 17, /* every so many clusters */
  BENCH_NAME = 16     /* bytes of a name */
};

/* What clusters share, interned once. */
struct bench_sets {
  int64_t apis[BENCH_API_SETS];
  int64_t labels[BENCH_LABEL_SETS];
  int64_t zones[BENCH_REGIONS];
  int64_t taints;
  uint32_t resources[BENCH_RESOURCES];
};

/* Ends the program when a call failed. */
void bench_must(int32_t code);
/* An empty world whose fleet, context and result take their memory from the allocator; test_world_close() ends it. */
void bench_world_open(struct test_world *world, const rebal_allocator *allocator);
void bench_intern(struct test_world *world, struct bench_sets *sets);
/* Clusters 0 to n - 1 with the load of draw 0. */
void bench_add_clusters(struct test_world *world, const struct bench_sets *sets, uint32_t n);
/* Another load for a cluster: what is allocated of each resource. The same draw gives the same load. */
void bench_set_load(struct test_world *world, const struct bench_sets *sets, uint32_t cluster, uint64_t draw);
/* "member0042", terminated; clusters below 10,000. */
void bench_cluster_name(uint32_t cluster, char name[BENCH_NAME]);

#endif
