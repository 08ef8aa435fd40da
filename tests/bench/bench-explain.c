/* SPDX-License-Identifier: MIT */
/*
 * What an explanation costs: rebal_schedule() of one binding at 1,000 clusters with explanations off and on, beside the
 * yardstick, a sum over 5,000 numbers. Each figure is the median of 15 interleaved runs. Nothing is asserted about
 * time; that nothing is done while explanations are off is a unit test.
 */
#define _POSIX_C_SOURCE 200809L

#include <rebalance/rebalance.h>

#include "sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLUSTERS 1000
#define NUMBERS 5000
#define RUNS 15

struct bench {
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_ctx *ctx;
  rebal_result *result;
  int32_t numbers[NUMBERS];
};

static void must(int32_t code) {
  if (code != REBAL_OK) {
    (void)fprintf(stderr, "bench-explain: %s\n", rebal_strerror(code));
    exit(EXIT_FAILURE);
  }
}

/* ---- a fleet: one cluster in ten has a taint that nothing tolerates, the others have room for a few replicas ---- */

static uint32_t make_apis(const struct bench *bench) {
  const rebal_record *record;
  uint32_t handle;

  must(rebal_builder_start(bench->builder, REBAL_OBJECT_API_ENABLEMENTS, NULL));
  must(rebal_builder_begin(bench->builder, REBAL_API_ENABLEMENTS_ENABLEMENT, NULL));
  must(rebal_builder_text(bench->builder, REBAL_API_ENABLEMENT_GROUP_VERSION, "apps/v1", 7, NULL));
  must(rebal_builder_begin(bench->builder, REBAL_API_ENABLEMENT_RESOURCE, NULL));
  must(rebal_builder_text(bench->builder, REBAL_API_RESOURCE_KIND, "Deployment", 10, NULL));
  must(rebal_builder_end(bench->builder, NULL));
  must(rebal_builder_end(bench->builder, NULL));
  must(rebal_builder_finish(bench->builder, &record, NULL));
  must(rebal_fleet_intern(bench->fleet, record, &handle, NULL));
  return handle;
}

static uint32_t make_taints(const struct bench *bench) {
  const rebal_record *record;
  uint32_t handle;

  must(rebal_builder_start(bench->builder, REBAL_OBJECT_TAINTS, NULL));
  must(rebal_builder_begin(bench->builder, REBAL_TAINTS_TAINT, NULL));
  must(rebal_builder_text(bench->builder, REBAL_TAINT_KEY, "maintenance", 11, NULL));
  must(rebal_builder_text(bench->builder, REBAL_TAINT_EFFECT, "NoSchedule", 10, NULL));
  must(rebal_builder_end(bench->builder, NULL));
  must(rebal_builder_finish(bench->builder, &record, NULL));
  must(rebal_fleet_intern(bench->fleet, record, &handle, NULL));
  return handle;
}

static uint32_t make_placement(const struct bench *bench) {
  const rebal_record *record;
  uint32_t handle;

  must(rebal_builder_start(bench->builder, REBAL_OBJECT_PLACEMENT, NULL));
  must(rebal_builder_begin(bench->builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL));
  must(rebal_builder_text(bench->builder, REBAL_REPLICA_SCHEDULING_TYPE, "Divided", 7, NULL));
  must(rebal_builder_text(bench->builder, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE, "Weighted", 8, NULL));
  must(rebal_builder_begin(bench->builder, REBAL_REPLICA_SCHEDULING_WEIGHT_PREFERENCE, NULL));
  must(rebal_builder_text(bench->builder, REBAL_WEIGHT_PREFERENCE_DYNAMIC_WEIGHT, "AvailableReplicas", 17, NULL));
  must(rebal_builder_end(bench->builder, NULL));
  must(rebal_builder_end(bench->builder, NULL));
  must(rebal_builder_finish(bench->builder, &record, NULL));
  must(rebal_fleet_intern(bench->fleet, record, &handle, NULL));
  return handle;
}

static void add_clusters(const struct bench *bench) {
  const uint32_t apis = make_apis(bench), taints = make_taints(bench);
  uint32_t pods;

  must(rebal_fleet_resource_id(bench->fleet, "pods", 4, &pods, NULL));
  for (uint32_t i = 0; i < CLUSTERS; i++) {
    const rebal_quantity room = {20 + i * 7919 % 100, 0, REBAL_FORMAT_DECIMAL_SI};
    char name[32];
    uint32_t cluster;

    (void)snprintf(name, sizeof name, "member%04u", (unsigned)i);
    must(rebal_fleet_add_cluster(bench->fleet, name, strlen(name), &cluster, NULL));
    must(rebal_fleet_set_i64(bench->fleet, REBAL_CLUSTER_API_ENABLEMENTS, cluster, apis, NULL));
    must(rebal_fleet_set_capacity(bench->fleet, REBAL_CAPACITY_ALLOCATABLE, cluster, pods, &room, NULL));
    if (i % 10 == 0) {
      must(rebal_fleet_set_i64(bench->fleet, REBAL_CLUSTER_TAINTS, cluster, taints, NULL));
    }
  }
}

static void add_binding(const struct bench *bench) {
  uint32_t row;

  must(rebal_bindings_add(bench->bindings, REBAL_TABLE_BINDING, REBAL_NONE, &row, NULL));
  must(rebal_bindings_set_text(bench->bindings, REBAL_BINDING_NAME, row, "web", 3, NULL));
  must(rebal_bindings_set_text(bench->bindings, REBAL_BINDING_RESOURCE_API_VERSION, row, "apps/v1", 7, NULL));
  must(rebal_bindings_set_text(bench->bindings, REBAL_BINDING_RESOURCE_KIND, row, "Deployment", 10, NULL));
  must(rebal_bindings_set_i64(bench->bindings, REBAL_BINDING_REPLICAS, row, 100, NULL));
  must(rebal_bindings_set_i64(bench->bindings, REBAL_BINDING_PLACEMENT, row, make_placement(bench), NULL));
  must(rebal_bindings_freeze(bench->bindings, NULL));
}

static void bench_open(struct bench *bench) {
  must(rebal_fleet_new(NULL, &bench->fleet, NULL));
  must(rebal_builder_new(NULL, &bench->builder, NULL));
  must(rebal_bindings_new(bench->fleet, NULL, &bench->bindings, NULL));
  must(rebal_ctx_new(NULL, NULL, &bench->ctx, NULL));
  must(rebal_result_new(NULL, &bench->result, NULL));
  add_clusters(bench);
  add_binding(bench);
  must(rebal_fleet_freeze(bench->fleet, &bench->snapshot, NULL));
  for (int32_t i = 0; i < NUMBERS; i++) {
    bench->numbers[i] = i * 31;
  }
}

static void bench_close(struct bench *bench) {
  rebal_result_free(bench->result);
  rebal_ctx_free(bench->ctx);
  rebal_snapshot_unref(bench->snapshot);
  rebal_bindings_free(bench->bindings);
  rebal_builder_free(bench->builder);
  rebal_fleet_free(bench->fleet);
}

/* ---- what is measured ---- */

static void schedule(const struct bench *bench, uint64_t rows) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .explain_rows = rows};

  must(rebal_schedule(bench->ctx, bench->snapshot, bench->bindings, &opts, bench->result, NULL));
}

/* Nobody knows here what the function does, so that the sum is made even though nobody wants it. */
static void run_yardstick(const struct bench *bench) {
  (void)bench_sum(bench->numbers, NUMBERS);
}

static void run_off(const struct bench *bench) {
  schedule(bench, 0);
}

static void run_counts(const struct bench *bench) {
  schedule(bench, 1);
}

static void run_on(const struct bench *bench) {
  schedule(bench, UINT64_MAX);
}

static const struct measured {
  const char *name;
  void (*run)(const struct bench *bench);
  int repeats; /* in one run, so that it is long enough for the clock */
} measured[] = {
    {"yardstick: sum over 5,000 numbers", run_yardstick, 2000},
    {"schedule, explanations off", run_off, 50},
    {"schedule, counts and 1 row", run_counts, 50},
    {"schedule, all rows", run_on, 10},
};
#define MEASURED (sizeof measured / sizeof measured[0])

static int64_t clock_ns(void) {
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Nanoseconds of one repeat. */
static int64_t measure(const struct bench *bench, const struct measured *what) {
  const int64_t start = clock_ns();

  for (int i = 0; i < what->repeats; i++) {
    what->run(bench);
  }
  return (clock_ns() - start) / what->repeats;
}

static int compare(const void *left, const void *right) {
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

  return (a > b) - (a < b);
}

int main(void) {
  static struct bench bench;
  int64_t times[MEASURED][RUNS];

  bench_open(&bench);
  for (int run = -1; run < RUNS; run++) { /* the first one warms up */
    for (size_t i = 0; i < MEASURED; i++) {
      times[i][run < 0 ? 0 : run] = measure(&bench, &measured[i]);
    }
  }
  (void)printf("rebal_schedule, 1 binding of 100 replicas, dynamic division, %d clusters, warm; medians of %d\n",
               CLUSTERS, RUNS);
  for (size_t i = 0; i < MEASURED; i++) {
    qsort(times[i], RUNS, sizeof times[i][0], compare);
    (void)printf("%-36s %10.1f us %8.1fx\n", measured[i].name, (double)times[i][RUNS / 2] / 1000.0,
                 (double)times[i][RUNS / 2] / (double)(times[0][RUNS / 2] + !times[0][RUNS / 2]));
  }
  bench_close(&bench);
  return EXIT_SUCCESS;
}
