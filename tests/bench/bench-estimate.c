/* SPDX-License-Identifier: MIT */
/*
 * The cost of an estimate by nodes: rebal_estimate() of one requirement in a cluster of 5,000 nodes with 100,000 pods,
 * beside the yardstick, a sum over 5,000 numbers. NOTES.md describes the rows, rows.h how to choose some.
 */
#include "fleet.h"
#include "nodes.h"
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>

#define NODES 5000
#define PODS 100000
#define REQUEST                                                                                   \
  "cpu=500m memory=896Mi @example.com/pool=pool-3 ?topology.kubernetes.io/zone:In:zone-0,zone-2 " \
  "~dedicated:Equal:infra:NoSchedule"

struct bench {
  struct bench_rows rows;
  struct test_world world;
  struct bench_node_sets sets;
  uint32_t requirements[3];
  uint32_t changes; /* so far */
  uint32_t pod;     /* the last one that came */
};

/* Releases the snapshot that the last result keeps, so that the next estimate does not pay for that. */
static void freeze(struct bench *bench) {
  rebal_snapshot *const before = bench->world.snapshot;

  rebal_result_reset(bench->world.result);
  bench_must(rebal_fleet_freeze(bench->world.fleet, &bench->world.snapshot, NULL));
  rebal_snapshot_unref(before);
}

static void open_bench(struct bench *bench) {
  static const char *const requests[] = {REQUEST, "cpu=1 memory=2Gi", "cpu=250m memory=512Mi"};
  uint32_t cluster;

  test_allocator_init(&bench->rows.memory, 0, TEST_FAIL_ONCE);
  bench_world_open(&bench->world, &bench->rows.memory.functions);
  bench_intern_nodes(&bench->world, &bench->sets);
  bench_must(rebal_fleet_add_cluster(bench->world.fleet, "member", 6, &cluster, NULL));
  bench_add_nodes(&bench->world, &bench->sets, cluster, NODES);
  bench_add_pods(&bench->world, &bench->sets, cluster, NODES, 0, PODS);
  for (size_t i = 0; i < 3; i++) {
    bench->requirements[i] = test_request_handle(&bench->world, requests[i]);
  }
  freeze(bench);
}

static void add_pod(struct bench *bench) {
  bench->changes++;
  bench->pod = bench_add_pod(&bench->world, &bench->sets, 0, bench->changes * 7919 % NODES, bench->changes);
}

static void add_and_freeze(struct bench *bench) {
  add_pod(bench);
  freeze(bench);
}

static void remove_and_freeze(struct bench *bench) {
  bench_remove_pod(&bench->world, 0, bench->pod);
  freeze(bench);
}

static void clear(struct bench *bench) {
  rebal_ctx_clear(bench->world.ctx);
}

static const rebal_estimate_opts opts = {(uint32_t)sizeof opts, REBAL_ESTIMATE_FLAG_NODES, NULL, NULL};

static void estimate(struct bench *bench) {
  bench_must(rebal_estimate(bench->world.ctx, bench->world.snapshot, bench->requirements[0], &opts, bench->world.result,
                            NULL));
}

static void estimate_sets(struct bench *bench) {
  static const int32_t replicas[] = {2, 1, 4};

  bench_must(rebal_estimate_sets(bench->world.ctx, bench->world.snapshot, bench->requirements, replicas, 3, &opts,
                                 bench->world.result, NULL));
}

/* The cached value differs by one pod only. */
static void remove_and_estimate(struct bench *bench) {
  remove_and_freeze(bench);
  estimate(bench);
}

static void add_estimate_and_remove(struct bench *bench) {
  add_and_freeze(bench);
  estimate(bench);
  remove_and_freeze(bench);
}

/* Figures of a refusal, or of nodes that are all full, would look good but mean nothing. */
static void check_answer(struct bench *bench, bench_action query, const char *name) {
  size_t n = 0;
  const int64_t *fits;

  query(bench);
  fits = rebal_result_i64(bench->world.result, REBAL_ESTIMATE_REPLICAS, &n);
  if (n != 1 || fits[0] < 10 || fits[0] > PODS) {
    (void)fprintf(stderr, "bench-estimate: %s: %ld\n", name, n == 1 ? (long)fits[0] : -1L);
    exit(EXIT_FAILURE);
  }
}

static void enter(struct bench *bench, const struct bench_line *line) {
  if (bench->world.fleet == NULL) {
    open_bench(bench);
  }
  check_answer(bench, line->row.run == estimate_sets ? estimate_sets : estimate, line->name);
}

static void leave(struct bench *bench) {
  test_world_close(&bench->world);
}

static const struct bench_line lines[] = {
    {"nodes/5000/cold", NULL, {clear, estimate, NULL, 0}},
    {"nodes/5000/repeated", NULL, {NULL, estimate, NULL, 0}},
    {"nodes/5000/pod-added", NULL, {add_and_freeze, estimate, remove_and_estimate, 0}},
    {"nodes/5000/pod-removed", NULL, {add_estimate_and_remove, estimate, NULL, 0}},
    {"nodes/5000/sets-cold", NULL, {clear, estimate_sets, NULL, 0}},
    {"pod/5000", NULL, {NULL, add_and_freeze, remove_and_freeze, 0}},
};

int main(int argc, char **argv) {
  static struct bench bench;

  bench_rows_read(&bench.rows, argc, argv);
  bench_measure_lines(&bench.rows, &bench, lines, sizeof lines / sizeof lines[0], enter, leave);
  return EXIT_SUCCESS;
}
