/* SPDX-License-Identifier: MIT */
/*
 * What WorkloadSpread costs: choosing subsets for pods and writing a status out, beside the yardstick, a sum over 5,000
 * numbers. NOTES.md tells what the rows mean; rows.h how to choose some.
 */
#include "fleet.h"
#include "rows.h"
#include "spreads.h"

#include <stdio.h>
#include <stdlib.h>

#define SUBSETS 10
#define BATCH 1000
#define CALLS 100

struct bench {
  struct bench_rows rows;
  struct test_world world;
  rebal_builder *builder; /* of the object */
  rebal_builder *writer;  /* of a status */
  rebal_spread *spread;
  rebal_pods *pods; /* that are about to be created */
  uint32_t created[BATCH];
};

static const rebal_time now = {1790003600, 0, 1};
static const rebal_admit_opts plain = {(uint32_t)sizeof plain, REBAL_ADMIT_NO_ACTIONS, NULL, NULL};
static const rebal_admit_opts explaining = {(uint32_t)sizeof explaining, REBAL_ADMIT_NO_ACTIONS | REBAL_ADMIT_EXPLAIN,
                                            NULL, NULL};
static const rebal_admit_opts acting = {(uint32_t)sizeof acting, 0, NULL, NULL};

static void open_bench(struct bench *bench) {
  const rebal_allocator *memory = &bench->rows.memory.functions;

  test_allocator_init(&bench->rows.memory, 0, TEST_FAIL_ONCE);
  bench_world_open(&bench->world, memory);
  bench_must(rebal_builder_new(memory, &bench->builder, NULL));
  bench_must(rebal_builder_new(memory, &bench->writer, NULL));
  bench_must(rebal_spread_new(memory, bench_spread_record(bench->builder, SUBSETS), &bench->spread, NULL));
  bench_must(rebal_pods_new(bench->world.fleet, memory, &bench->pods, NULL));
  bench_add_spread_pods(bench->pods, bench_add_owner(bench->pods), SUBSETS, BATCH, bench->created);
  for (uint32_t i = 0; i < BATCH; i++) {
    bench_must(
        rebal_pods_set_i64(bench->pods, REBAL_SPREAD_POD_MATCHED_STATE, bench->created[i], REBAL_MATCHED_ABSENT, NULL));
  }
}

static void close_bench(struct bench *bench) {
  rebal_pods_free(bench->pods);
  rebal_spread_free(bench->spread);
  rebal_builder_free(bench->writer);
  rebal_builder_free(bench->builder);
  test_world_close(&bench->world);
}

/* No pod is in flight, and no subset has one. */
static void forget(struct bench *bench) {
  bench_must(rebal_spread_load_status(bench->spread, NULL, NULL));
}

static void admit(struct bench *bench, const uint32_t *rows, size_t n, const rebal_admit_opts *opts) {
  bench_must(rebal_spread_admit(bench->world.ctx, &bench->spread, 1, bench->pods, rows, n, &now, opts,
                                bench->world.result, NULL));
}

static void choose(struct bench *bench) {
  for (size_t i = 0; i < CALLS; i++) {
    admit(bench, &bench->created[i], 1, &plain);
  }
}

static void choose_batch(struct bench *bench) {
  admit(bench, bench->created, BATCH, &plain);
}

static void choose_and_act(struct bench *bench) {
  admit(bench, bench->created, BATCH, &acting);
}

static void explain(struct bench *bench) {
  admit(bench, bench->created, BATCH, &explaining);
}

static void write_status(struct bench *bench) {
  const rebal_record *status;

  bench_must(rebal_spread_status(bench->spread, bench->writer, &status, NULL));
}

/* All pods of a batch are in flight. */
static void fill(struct bench *bench) {
  forget(bench);
  choose_batch(bench);
}

/* Figures of pods that are left alone would look good and mean nothing. */
static void check_answer(struct bench *bench) {
  size_t n = 0;
  const int64_t *outcomes;

  fill(bench);
  outcomes = rebal_result_i64(bench->world.result, REBAL_ADMITTED_OUTCOME, &n);
  if (n != BATCH || outcomes[0] != REBAL_ADMIT_CHOSEN || outcomes[BATCH - 1] != REBAL_ADMIT_CHOSEN) {
    (void)fprintf(stderr, "bench-spread: outcome %ld of %zu\n", n == 0 ? -1L : (long)outcomes[0], n);
    exit(EXIT_FAILURE);
  }
}

int main(int argc, char **argv) {
  static struct bench bench;
  static const struct {
    const char *name;
    struct bench_row row;
  } rows[] = {
      {"choose/10/calls-100", {forget, choose, NULL}},
      {"choose/10/batch-1000", {forget, choose_batch, NULL}},
      {"choose/10/batch-1000/action", {forget, choose_and_act, NULL}},
      {"choose/10/batch-1000/explain", {forget, explain, NULL}},
      {"status/10/1000-in-flight", {fill, write_status, NULL}},
  };
  int is_open = 0;

  bench_rows_read(&bench.rows, argc, argv);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (bench_wanted(&bench.rows, rows[i].name)) {
      if (!is_open) {
        open_bench(&bench);
        check_answer(&bench);
        is_open = 1;
      }
      bench_measure(&bench.rows, &bench, &rows[i].row, rows[i].name);
    }
  }
  if (is_open) {
    close_bench(&bench);
  }
  return EXIT_SUCCESS;
}
