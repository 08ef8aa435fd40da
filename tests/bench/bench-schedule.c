/* SPDX-License-Identifier: MIT */
/*
 * The cost of a decision: rebal_schedule() of one binding, for each number of clusters, way to divide, kind of pass and
 * state of the cache, beside the yardstick, a sum over 5,000 numbers. NOTES.md describes the rows.
 *
 *   bench-schedule [--list | --count] [PATTERN...]   see rows.h
 */
#include "fleet.h"
#include "rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES 20
#define SMALL "cpu=500m memory=1Gi"
#define LARGE "cpu=30 memory=1Gi"
#define KNOWN 1000
#define LARGEST 5000

static const uint32_t sizes[] = {10, 100, 1000, LARGEST};

static const struct test_affinity one_tier = {.labels = "tier=1"};
static const struct strategy {
  const char *name;
  int64_t replicas;
  const char *request; /* of one replica; 100 large ones seldom fit into one cluster */
  struct test_placement placement;
  int with_rules; /* weights of RULES rules, the last one for every cluster */
} strategies[] = {
    {"duplicated", 3, SMALL, {.affinity = &one_tier, .scheduling = "Duplicated"}, 0},
    {"static-100", 100, SMALL, {.scheduling = "Divided/Weighted"}, 1},
    {"dynamic-100", 100, SMALL, {.scheduling = "Divided/Weighted/AvailableReplicas"}, 0},
    {"dynamic-10000", 10000, SMALL, {.scheduling = "Divided/Weighted/AvailableReplicas"}, 0},
    {"aggregated-100", 100, LARGE, {.scheduling = "Divided/Aggregated", .spreads = "region:2:4 cluster:3:8"}, 0},
};

/* Of passes. */
static const char *const kinds[] = {"first", "fresh"};

/* How many rows change before each call: one in so many, but at least one; 0: none, and the cache is emptied. */
static const struct temperature {
  const char *name;
  uint32_t one_in;
} temperatures[] = {{"cold", 0}, {"warm-1", UINT32_MAX}, {"warm-1%", 100}};

struct bench {
  struct bench_rows rows;
  struct test_world world;
  struct bench_sets sets;
  uint32_t clusters;
  uint32_t changes;         /* rows before each call */
  uint64_t draw;            /* of the last load */
  rebal_bindings *bindings; /* of the row */
};

/* ---- rebal_schedule() -------------------------------------------------------------------------------------------- */

/* Releases the snapshot that the last result keeps, so that the next decision does not pay for that. */
static void freeze(struct bench *bench) {
  rebal_snapshot *const before = bench->world.snapshot;

  rebal_result_reset(bench->world.result);
  bench_must(rebal_fleet_freeze(bench->world.fleet, &bench->world.snapshot, NULL));
  rebal_snapshot_unref(before);
}

static void change_rows(struct bench *bench) {
  bench->draw++;
  for (uint32_t i = 0; i < bench->changes; i++) {
    const uint64_t cluster = bench->draw * 7919 + (uint64_t)i * (bench->clusters / bench->changes);

    bench_set_load(&bench->world, &bench->sets, (uint32_t)(cluster % bench->clusters), bench->draw);
  }
}

static void change_and_freeze(struct bench *bench) {
  change_rows(bench);
  freeze(bench);
}

/* The state in which each row starts, whatever was measured before. */
static void load_all(struct bench *bench, uint64_t draw) {
  for (uint32_t i = 0; i < bench->clusters; i++) {
    bench_set_load(&bench->world, &bench->sets, i, draw);
  }
  bench->draw = draw;
  freeze(bench);
}

static void before_cold(struct bench *bench) {
  rebal_ctx_clear(bench->world.ctx);
}

static void schedule(struct bench *bench) {
  bench_must(rebal_schedule(bench->world.ctx, bench->world.snapshot, bench->bindings, NULL, bench->world.result, NULL));
}

/* Figures of a refusal would look good but mean nothing. */
static void check_answer(struct bench *bench, const char *name) {
  size_t n = 0;
  const int64_t *outcomes;

  schedule(bench);
  outcomes = rebal_result_i64(bench->world.result, REBAL_DECISION_OUTCOME, &n);
  if (n != 1 || outcomes[0] != REBAL_OUTCOME_SCHEDULED) {
    (void)fprintf(stderr, "bench-schedule: %s: %s\n", name, test_answer(bench->world.result, bench->world.snapshot, 0));
    exit(EXIT_FAILURE);
  }
}

static void write_rules(uint32_t clusters, char *buffer, size_t capacity) {
  size_t len = 0;

  for (uint32_t i = 0; i + 1 < RULES; i++) {
    char name[BENCH_NAME];

    bench_cluster_name((uint32_t)((uint64_t)i * clusters / RULES), name);
    len += (size_t)snprintf(buffer + len, capacity - len, "%s=%u ", name, (unsigned)i % 5 + 2);
  }
  (void)snprintf(buffer + len, capacity - len, "*=1");
}

/* The targets of the binding: where the first pass put it when the clusters had other loads. */
static void add_targets(struct bench *bench, rebal_bindings *bindings) {
  size_t n;
  const int64_t *clusters = rebal_result_i64(bench->world.result, REBAL_PLACED_CLUSTER, &n);
  const int64_t *replicas = rebal_result_i64(bench->world.result, REBAL_PLACED_REPLICAS, &n);

  for (size_t i = 0; i < n; i++) {
    uint32_t target;

    bench_must(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_TARGET, 0, &target, 1, NULL));
    bench_must(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TARGET_CLUSTER, REBAL_NONE, target,
                                   clusters[i], NULL));
    bench_must(rebal_cells_set_i64(rebal_bindings_cells(bindings), REBAL_TARGET_REPLICAS, REBAL_NONE, target,
                                   replicas[i], NULL));
  }
}

static rebal_bindings *make_binding(struct bench *bench, const struct strategy *strategy, int is_fresh) {
  char rules[512];
  struct test_placement placement = strategy->placement;
  const struct test_binding binding = {.replicas = strategy->replicas,
                                       .request = strategy->request,
                                       .placement = &placement,
                                       .scheduled_at = is_fresh ? 1 : 0,
                                       .triggered_at = is_fresh ? 2 : 0};
  rebal_bindings *bindings = test_new_bindings(&bench->world);

  write_rules(bench->clusters, rules, sizeof rules);
  placement.weights = strategy->with_rules ? rules : NULL;
  (void)test_add_binding(&bench->world, bindings, &binding);
  if (is_fresh) {
    add_targets(bench, bindings);
  }
  bench_must(rebal_bindings_freeze(bindings, NULL));
  freeze(bench); /* with the new records */
  return bindings;
}

static void measure_temperatures(struct bench *bench, const struct strategy *strategy, const char *kind) {
  for (size_t i = 0; i < sizeof temperatures / sizeof temperatures[0]; i++) {
    const struct temperature *temperature = &temperatures[i];
    const struct bench_row row = {temperature->one_in == 0 ? before_cold : change_and_freeze, schedule, NULL, 0};
    const uint32_t changes = temperature->one_in == 0 ? 0 : bench->clusters / temperature->one_in;
    char name[64];

    (void)snprintf(name, sizeof name, "%s/%" PRIu32 "/%s/%s", strategy->name, bench->clusters, kind, temperature->name);
    if (bench_wanted(&bench->rows, name)) {
      bench->changes = changes == 0 ? 1 : changes;
      load_all(bench, 1);
      check_answer(bench, name);
      bench_measure(&bench->rows, bench, &row, name);
    }
  }
}

static void measure_strategy(struct bench *bench, const struct strategy *strategy) {
  for (int is_fresh = 0; is_fresh < 2; is_fresh++) {
    rebal_bindings *bindings;

    if (is_fresh) {
      load_all(bench, 0);
      schedule(bench); /* its answer becomes the targets */
    }
    bindings = make_binding(bench, strategy, is_fresh);
    rebal_bindings_free(bench->bindings);
    bench->bindings = bindings;
    measure_temperatures(bench, strategy, kinds[is_fresh]);
  }
}

static void open_bench(struct bench *bench, uint32_t clusters) {
  test_allocator_init(&bench->rows.memory, 0, TEST_FAIL_ONCE);
  bench_world_open(&bench->world, &bench->rows.memory.functions);
  bench_intern(&bench->world, &bench->sets);
  bench_add_clusters(&bench->world, &bench->sets, clusters);
  bench->clusters = clusters;
  bench->bindings = NULL;
  bench->draw = 0;
  freeze(bench);
}

static void close_bench(struct bench *bench) {
  rebal_bindings_free(bench->bindings);
  test_world_close(&bench->world);
}

static void measure_schedule(struct bench *bench) {
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    open_bench(bench, sizes[i]);
    for (size_t k = 0; k < sizeof strategies / sizeof strategies[0]; k++) {
      measure_strategy(bench, &strategies[k]);
    }
    close_bench(bench);
  }
}

/* ---- loading and freezing ---------------------------------------------------------------------------------------- */

static void before_load(struct bench *bench) {
  bench_world_open(&bench->world, &bench->rows.memory.functions);
}

static void load(struct bench *bench) {
  bench_intern(&bench->world, &bench->sets);
  bench_add_clusters(&bench->world, &bench->sets, LARGEST);
  freeze(bench);
}

static void after_load(struct bench *bench) {
  test_world_close(&bench->world);
}

static void measure_load(struct bench *bench) {
  const struct bench_row row = {before_load, load, after_load, 0};

  if (bench_wanted(&bench->rows, "load/5000")) {
    test_allocator_init(&bench->rows.memory, 0, TEST_FAIL_ONCE);
    bench_measure(&bench->rows, bench, &row, "load/5000");
  }
}

/* Placements and requirements, no two alike, that the fleet holds and the context has answered for. */
static void make_known(struct bench *bench) {
  bench->bindings = test_new_bindings(&bench->world);
  for (uint32_t i = 0; i < KNOWN; i++) {
    char name[BENCH_NAME], request[64];
    const struct test_affinity affinity = {.labels = "tier=1", .exclude = name};
    const struct test_placement placement = {.affinity = &affinity, .scheduling = "Divided/Weighted/AvailableReplicas"};
    const struct test_binding binding = {.replicas = 100, .request = request, .placement = &placement};

    bench_cluster_name(i, name);
    (void)snprintf(request, sizeof request, "cpu=%" PRIu32 "m memory=1Gi", 100 + i);
    (void)test_add_binding(&bench->world, bench->bindings, &binding);
  }
  bench_must(rebal_bindings_freeze(bench->bindings, NULL));
  freeze(bench);
  schedule(bench);
}

static void measure_freeze(struct bench *bench) {
  const struct bench_row row = {NULL, change_and_freeze, NULL, 0};

  if (bench_wanted(&bench->rows, "freeze/5000")) {
    open_bench(bench, LARGEST);
    make_known(bench);
    bench->changes = 1;
    bench_measure(&bench->rows, bench, &row, "freeze/5000");
    close_bench(bench);
  }
}

int main(int argc, char **argv) {
  static struct bench bench;

  bench_rows_read(&bench.rows, argc, argv);
  measure_schedule(&bench);
  measure_load(&bench);
  measure_freeze(&bench);
  return EXIT_SUCCESS;
}
