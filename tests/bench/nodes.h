/* SPDX-License-Identifier: MIT */
/*
 * tests/bench/nodes.h - nodes and pods of the benchmarks: as many as wanted, the same in every run.
 *
 * A node has 20 labels, among them its own hostname, which is its name, one of 3 zones, 10 pools and 8 machine sizes;
 * every 20th has a taint. Pods are of 64 templates, on nodes drawn at random, ten for each controller.
 */
#ifndef BENCH_NODES_H
#define BENCH_NODES_H

#include "../support/fleet_builder.h"

enum {
  BENCH_NODE_RESOURCES = 4, /* cpu, memory, pods, ephemeral-storage */
  BENCH_NODE_SIZES = 8,
  BENCH_NODE_ZONES = 3,
  BENCH_NODE_POOLS = 10,
  BENCH_NODE_TAINTED = 20, /* every so many nodes */
  BENCH_POD_TEMPLATES = 64,
  BENCH_POD_REPLICAS = 10 /* of a controller */
};

/* What nodes and pods share, interned once. */
struct bench_node_sets {
  uint32_t resources[BENCH_NODE_RESOURCES];
  int64_t taints; /* "dedicated=infra:NoSchedule" */
  int64_t templates[BENCH_POD_TEMPLATES];
  int64_t labels[BENCH_POD_TEMPLATES];
};

void bench_intern_nodes(struct test_world *world, struct bench_node_sets *sets);
/* Nodes 0 to n - 1 of a cluster, which has none: their ids are the same numbers. */
void bench_add_nodes(struct test_world *world, const struct bench_node_sets *sets, uint32_t cluster, uint32_t n);
/* Pods first to first + n - 1, on nodes below `nodes`. */
void bench_add_pods(struct test_world *world, const struct bench_node_sets *sets, uint32_t cluster, uint32_t nodes,
                    uint32_t first, uint32_t n);
/* One pod more, bound and ready; its row. */
uint32_t bench_add_pod(struct test_world *world, const struct bench_node_sets *sets, uint32_t cluster, uint32_t node,
                       uint32_t template_of);
void bench_remove_pod(struct test_world *world, uint32_t cluster, uint32_t row);

#endif
