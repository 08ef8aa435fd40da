/* SPDX-License-Identifier: MIT */
/*
 * The cost of a sweep: bindings with 2,000 placements and 500 requirements that are placed where rebal_schedule() put
 * them, 5,000 clusters, each lost once. NOTES.md describes the figures.
 *
 *   bench-sweep [BINDINGS] [--list] [PATTERN...]     default: 100,000; rows: see rows.h
 */
#define _POSIX_C_SOURCE 200809L

#include "rows.h"
#include "workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLUSTERS 5000
#define DEFAULT_BINDINGS 100000

struct input {
  struct test_world world;
  struct bench_workloads workloads;
  uint32_t n_bindings;
  rebal_bindings *bindings;
  rebal_ledger *ledger;
};

/* ---- input ------------------------------------------------------------------------------------------------------- */

/* The answers for bindings first and on become their targets. */
static void place(const struct input *input, uint32_t first, size_t n) {
  rebal_cells *const cells = rebal_bindings_cells(input->bindings);
  const rebal_result *result = input->world.result;
  const int64_t *clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(result, REBAL_PLACED_REPLICAS, NULL);

  for (size_t i = 0; i < n; i++) {
    const size_t begin = (size_t)rebal_result_i64(result, REBAL_DECISION_FIRST_PLACED, NULL)[i];
    const size_t end = begin + (size_t)rebal_result_i64(result, REBAL_DECISION_PLACED, NULL)[i];

    for (size_t k = begin; k < end; k++) {
      uint32_t row;

      bench_must(rebal_cells_add(cells, REBAL_TABLE_TARGET, first + (uint32_t)i, &row, 1, NULL));
      bench_must(rebal_cells_set_i64(cells, REBAL_TARGET_CLUSTER, REBAL_NONE, row, clusters[k], NULL));
      bench_must(rebal_cells_set_i64(cells, REBAL_TARGET_REPLICAS, REBAL_NONE, row, replicas[k], NULL));
    }
  }
}

static void make_bindings(struct input *input) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .ledger = input->ledger};
  rebal_bindings *slice;

  bench_must(rebal_bindings_new(input->world.fleet, NULL, &slice, NULL));
  for (uint32_t first = 0; first < input->n_bindings; first += BENCH_SLICE) {
    const size_t n = input->n_bindings - first < BENCH_SLICE ? input->n_bindings - first : BENCH_SLICE;

    bench_make_bindings(&input->workloads, slice, first, n);
    bench_add_bindings(&input->workloads, input->bindings, first, n);
    bench_must(rebal_schedule(input->world.ctx, input->world.snapshot, slice, &opts, input->world.result, NULL));
    place(input, first, n);
  }
  rebal_bindings_free(slice);
  bench_must(rebal_bindings_freeze(input->bindings, NULL));
}

static void make_input(struct input *input, uint32_t n_bindings, int has_ledger) {
  struct test_world *world = &input->world;
  struct bench_sets sets;

  bench_world_open(world, NULL);
  bench_intern(world, &sets);
  bench_add_clusters(world, &sets, CLUSTERS);
  input->workloads = (struct bench_workloads){
      .clusters = CLUSTERS, .n_placements = BENCH_MOST_PLACEMENTS, .n_requirements = BENCH_MOST_REQUIREMENTS};
  bench_intern_workloads(world, &input->workloads, 1);
  test_freeze(world);
  input->n_bindings = n_bindings;
  input->ledger = NULL;
  if (has_ledger) {
    bench_must(rebal_ledger_new(world->fleet, NULL, &input->ledger, NULL));
  }
  bench_must(rebal_bindings_new(world->fleet, NULL, &input->bindings, NULL));
  make_bindings(input);
}

static void drop_input(struct input *input) {
  rebal_bindings_free(input->bindings);
  rebal_ledger_free(input->ledger);
  test_world_close(&input->world);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static int64_t sum_of(const rebal_result *result, uint32_t column) {
  size_t n;
  const int64_t *cells = rebal_result_i64(result, column, &n);
  int64_t sum = 0;

  for (size_t i = 0; i < n; i++) {
    sum += cells[i];
  }
  return sum;
}

static void run(const char *name, uint32_t n_bindings, int has_ledger) {
  const rebal_ctx_opts wide = {(uint32_t)sizeof wide, 0, UINT64_MAX, 0};
  rebal_schedule_opts schedule = {.struct_size = (uint32_t)sizeof schedule};
  rebal_sweep_opts opts = {.struct_size = (uint32_t)sizeof opts, .schedule = &schedule};
  static struct input input;
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 1);
  rebal_ctx *ctx;
  double ns, sum;
  int64_t begin;

  make_input(&input, n_bindings, has_ledger);
  schedule.ledger = input.ledger;
  schedule.compat = has_ledger ? compat : NULL;
  bench_must(rebal_ctx_new(NULL, &wide, &ctx, NULL));
  begin = bench_clock_ns();
  bench_must(rebal_sweep(ctx, input.world.snapshot, input.bindings, &opts, input.world.result, NULL));
  ns = (double)(bench_clock_ns() - begin);
  sum = bench_yardstick_ns();
  (void)printf("%-32s %12.0f ns %10.2fx            allocations, yardstick %6.0f ns, %.1f ns each\n", name, ns, ns / sum,
               sum, ns / (double)rebal_result_count(input.world.result, REBAL_TABLE_SWEPT));
  (void)printf("# %lld decided again, %lld unplaced, %lld missing, %lld moved\n",
               (long long)sum_of(input.world.result, REBAL_SWEPT_DECIDED),
               (long long)sum_of(input.world.result, REBAL_SWEPT_UNPLACED),
               (long long)sum_of(input.world.result, REBAL_SWEPT_MISSING),
               (long long)sum_of(input.world.result, REBAL_SWEPT_MOVED));
  rebal_ctx_free(ctx);
  rebal_compat_free(compat);
  drop_input(&input);
}

int main(int argc, char **argv) {
  const int has_number = argc > 1 && strspn(argv[1], "0123456789") > 0;
  const uint32_t n = has_number ? (uint32_t)strtoul(argv[1], NULL, 10) : DEFAULT_BINDINGS;
  struct bench_rows rows;

  bench_rows_read(&rows, argc - has_number, argv + has_number);
  if (bench_wanted(&rows, "each-cluster/independent")) {
    run("each-cluster/independent", n, 0);
  }
  if (bench_wanted(&rows, "each-cluster/ledger")) {
    run("each-cluster/ledger", n, 1);
  }
  return 0;
}
