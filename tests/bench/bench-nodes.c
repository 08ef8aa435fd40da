/* SPDX-License-Identifier: MIT */
/*
 * The cost of a fleet's nodes and pods: 100 clusters of 5,000 nodes and 20,000 pods are loaded, frozen, and changed
 * by one pod at a time. NOTES.md describes the figures.
 *
 *   bench-nodes [CLUSTERS]     default: 100; fails if the library uses more than 5,242 KiB for each
 */
#define _POSIX_C_SOURCE 200809L

#include "counted.h"
#include "fleet.h"
#include "measure.h"
#include "nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define DEFAULT_CLUSTERS 100
#define NODES 5000
#define PODS 20000
#define ALLOWED (512.0 / 100) /* MiB for a cluster */
#define CHANGES 2000

static void load(struct test_world *world, const struct bench_node_sets *sets, uint32_t clusters) {
  for (uint32_t i = 0; i < clusters; i++) {
    char name[BENCH_NAME];
    uint32_t cluster;

    bench_cluster_name(i, name);
    bench_must(rebal_fleet_add_cluster(world->fleet, name, sizeof "member0000" - 1, &cluster, NULL));
    bench_add_nodes(world, sets, cluster, NODES);
    bench_add_pods(world, sets, cluster, NODES, 0, PODS);
  }
}

/* A pod comes, the fleet is frozen, the pod goes, the fleet is frozen. */
static void change(struct test_world *world, const struct bench_node_sets *sets, uint32_t clusters,
                   const struct bench_counted *memory, double yardstick) {
  const size_t before = atomic_load(&memory->requests);
  double added[BENCH_PAIRS], removed[BENCH_PAIRS];

  for (size_t pair = 0; pair < BENCH_PAIRS; pair++) {
    int64_t times[2] = {0, 0};

    for (uint32_t i = 0; i < CHANGES; i++) {
      const int64_t start = bench_clock_ns();
      const uint32_t row = bench_add_pod(world, sets, i % clusters, i * 7 % NODES, i);
      int64_t middle;

      test_freeze(world);
      middle = bench_clock_ns();
      bench_remove_pod(world, i % clusters, row);
      test_freeze(world);
      times[0] += middle - start;
      times[1] += bench_clock_ns() - middle;
    }
    added[pair] = (double)times[0] / CHANGES;
    removed[pair] = (double)times[1] / CHANGES;
  }
  (void)printf("pod added and frozen           %8.0f ns (%5.2fx)\n", bench_median(added, BENCH_PAIRS),
               bench_median(added, BENCH_PAIRS) / yardstick);
  (void)printf("pod removed and frozen         %8.0f ns (%5.2fx), %.1f allocations for both\n",
               bench_median(removed, BENCH_PAIRS), bench_median(removed, BENCH_PAIRS) / yardstick,
               (double)(atomic_load(&memory->requests) - before) / (BENCH_PAIRS * CHANGES));
}

int main(int argc, char **argv) {
  const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : DEFAULT_CLUSTERS;
  const double yardstick = bench_yardstick_ns();
  static struct bench_node_sets sets;
  struct bench_counted memory;
  struct test_world world;
  struct rusage usage;
  double bytes;
  int64_t start;

  if (wanted < 1 || wanted > 10000) {
    (void)fprintf(stderr, "usage: bench-nodes [CLUSTERS]\n");
    return EXIT_FAILURE;
  }
  bench_counted_init(&memory);
  bench_world_open(&world, &memory.functions);
  start = bench_clock_ns();
  bench_intern_nodes(&world, &sets);
  load(&world, &sets, (uint32_t)wanted);
  test_freeze(&world);
  bytes = (double)atomic_load(&memory.peak) / 1048576.0;
  (void)getrusage(RUSAGE_SELF, &usage);
  (void)printf("nodes/load: %ld clusters of %d nodes and %d pods\n", wanted, NODES, PODS);
  (void)printf("loaded and frozen              %8.2f s, %6.1f MiB at most, %.1f MiB resident\n",
               (double)(bench_clock_ns() - start) / 1e9, bytes, (double)usage.ru_maxrss / 1024.0);
  change(&world, &sets, (uint32_t)wanted, &memory, yardstick);
  test_world_close(&world);
  return bytes <= ALLOWED * (double)wanted ? EXIT_SUCCESS : EXIT_FAILURE;
}
