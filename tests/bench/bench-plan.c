/* SPDX-License-Identifier: MIT */
/*
 * The cost of a plan beside rebal_schedule() of the same bindings: those of bench-fleet with 20 to 100 replicas each,
 * placed where they were scheduled, and 5,000 clusters, one in a hundred of which is drained or has another load since.
 * NOTES.md describes the figures.
 *
 *   bench-plan [BINDINGS] [--list] [PATTERN...]     default: 100,000; rows: see rows.h
 */
#define _POSIX_C_SOURCE 200809L

#include "rows.h"
#include "workloads.h"

#include <rebalance/plan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLUSTERS 5000
#define DEFAULT_BINDINGS 100000
#define FEWEST 20
#define MOST 100
#define MOST_LIMITS 4
#define SCHEDULED_AT 1000
#define NOW 2000

static struct input {
  struct test_world world;
  struct bench_sets sets;
  struct bench_workloads workloads;
  rebal_bindings *bindings; /* frozen, as they are planned */
  rebal_bindings *request;  /* the same with a trigger, as they are scheduled */
  uint32_t drained[CLUSTERS / 100];
  double schedule_ns; /* 0: not measured yet */
} input;

/* ---- input ------------------------------------------------------------------------------------------------------- */

static void set_time(rebal_bindings *bindings, uint32_t column, uint32_t row, int64_t seconds) {
  const rebal_time time = test_time(seconds);

  bench_must(rebal_cells_set_time(rebal_bindings_cells(bindings), column, REBAL_NONE, row, &time, NULL));
}

static void add_bindings(uint32_t n) {
  bench_must(rebal_bindings_new(input.world.fleet, NULL, &input.bindings, NULL));
  for (uint32_t first = 0; first < n; first += BENCH_SLICE) {
    bench_add_bindings(&input.workloads, input.bindings, first, n - first < BENCH_SLICE ? n - first : BENCH_SLICE);
  }
  for (uint32_t row = 0; row < n; row++) {
    const int64_t replicas = FEWEST + (int64_t)(bench_draw(row) % (MOST - FEWEST + 1));

    bench_must(rebal_cells_set_i64(rebal_bindings_cells(input.bindings), REBAL_BINDING_REPLICAS, REBAL_NONE, row,
                                   replicas, NULL));
    set_time(input.bindings, REBAL_BINDING_LAST_SCHEDULED_TIME, row, SCHEDULED_AT);
  }
}

/* Answers of the bindings from first on become their targets. */
static void place(uint32_t first) {
  rebal_cells *const cells = rebal_bindings_cells(input.bindings);
  const rebal_result *result = input.world.result;
  const int64_t *clusters = rebal_result_i64(result, REBAL_PLACED_CLUSTER, NULL);
  const int64_t *replicas = rebal_result_i64(result, REBAL_PLACED_REPLICAS, NULL);
  const size_t n = rebal_result_count(result, REBAL_TABLE_DECISION);

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

static void place_all(uint32_t n) {
  rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .max_work = BENCH_SLICE};
  rebal_bindings *unplaced;

  bench_must(rebal_bindings_copy(input.bindings, &unplaced, NULL));
  bench_must(rebal_bindings_freeze(unplaced, NULL));
  for (; opts.first_row < n; opts.first_row += BENCH_SLICE) {
    bench_must(rebal_schedule(input.world.ctx, input.world.snapshot, unplaced, &opts, input.world.result, NULL));
    place((uint32_t)opts.first_row);
  }
  rebal_bindings_free(unplaced);
}

static void make_input(uint32_t n) {
  struct test_world *world = &input.world;

  bench_world_open(world, NULL);
  bench_intern(world, &input.sets);
  bench_add_clusters(world, &input.sets, CLUSTERS);
  input.workloads = (struct bench_workloads){
      .clusters = CLUSTERS, .n_placements = BENCH_MOST_PLACEMENTS, .n_requirements = BENCH_MOST_REQUIREMENTS};
  bench_intern_workloads(world, &input.workloads, 1);
  test_freeze(world);
  add_bindings(n);
  place_all(n);
  for (uint32_t i = 0; i < CLUSTERS / 100; i++) {
    input.drained[i] = 100 * i + 37;
    bench_set_load(world, &input.sets, 100 * i + 73, 1);
  }
  rebal_snapshot_unref(world->snapshot);
  bench_must(rebal_fleet_freeze(world->fleet, &world->snapshot, NULL));
  bench_must(rebal_bindings_copy(input.bindings, &input.request, NULL));
  for (uint32_t row = 0; row < n; row++) {
    set_time(input.request, REBAL_BINDING_RESCHEDULE_TRIGGERED_AT, row, NOW);
  }
  bench_must(rebal_bindings_freeze(input.bindings, NULL));
  bench_must(rebal_bindings_freeze(input.request, NULL));
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void print(const char *name, double ns, uint32_t n) {
  (void)printf("%-32s %12.0f ns %10.2fx            allocations, yardstick %6.0f ns, %.1f ns each\n", name, ns,
               ns / bench_yardstick_ns(), bench_yardstick_ns(), ns / n);
  if (input.schedule_ns > 0) {
    (void)printf("# %.2f times rebal_schedule()\n", ns / input.schedule_ns);
  }
  (void)fflush(stdout);
}

/* A first call fills the caches, so that the row is the cost of a repeated call. */
static void run_schedule(const char *name, uint32_t n) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts};
  double ns = 0;

  for (int round = 0; round < 2; round++) {
    const int64_t begin = bench_clock_ns();

    bench_must(rebal_schedule(input.world.ctx, input.world.snapshot, input.request, &opts, input.world.result, NULL));
    ns = (double)(bench_clock_ns() - begin);
  }
  input.schedule_ns = ns;
  print(name, ns, n);
}

static rebal_plan *run_plan(const char *name, const rebal_plan_opts *opts, uint32_t n) {
  const rebal_time now = test_time(NOW);
  rebal_plan *plan;
  const int64_t begin = bench_clock_ns();

  bench_must(rebal_plan_make(input.world.ctx, input.world.snapshot, input.bindings, &now, opts, &plan, NULL));
  print(name, (double)(bench_clock_ns() - begin), n);
  return plan;
}

static const int32_t scopes[MOST_LIMITS] = {REBAL_LIMIT_SCOPE_TOTAL, REBAL_LIMIT_SCOPE_SOURCE, REBAL_LIMIT_SCOPE_TARGET,
                                            REBAL_LIMIT_SCOPE_BINDING};

static void run_limits(const char *name, uint32_t n) {
  rebal_limit limits[MOST_LIMITS];
  const rebal_limit *list[MOST_LIMITS];
  const rebal_plan_opts opts = {.struct_size = (uint32_t)sizeof opts, .limits = list, .n_limits = MOST_LIMITS};

  for (size_t i = 0; i < MOST_LIMITS; i++) {
    limits[i] = (rebal_limit){.struct_size = (uint32_t)sizeof limits[i], .scope = scopes[i]};
    limits[i].replicas = i == 0 ? 10 * (int64_t)n : 10;
    list[i] = &limits[i];
  }
  rebal_plan_free(run_plan(name, &opts, n));
}

static void run_bytes(const struct bench_rows *rows, uint32_t n) {
  const rebal_plan_opts opts = {.struct_size = (uint32_t)sizeof opts};
  const rebal_time now = test_time(NOW);
  rebal_plan *plan, *loaded;
  unsigned char *bytes;
  size_t len;
  int64_t begin;

  bench_must(rebal_plan_make(input.world.ctx, input.world.snapshot, input.bindings, &now, &opts, &plan, NULL));
  bench_must(rebal_plan_save(plan, NULL, 0, &len, NULL));
  bytes = malloc(len);
  bench_must(bytes == NULL ? REBAL_ENOMEM : REBAL_OK);
  begin = bench_clock_ns();
  bench_must(rebal_plan_save(plan, bytes, len, &len, NULL));
  if (bench_wanted(rows, "save")) {
    print("save", (double)(bench_clock_ns() - begin), n);
  }
  begin = bench_clock_ns();
  bench_must(rebal_plan_load(input.world.fleet, NULL, bytes, len, &loaded, NULL));
  if (bench_wanted(rows, "load")) {
    print("load", (double)(bench_clock_ns() - begin), n);
  }
  (void)printf("# %zu bytes\n", len);
  rebal_plan_free(loaded);
  rebal_plan_free(plan);
  free(bytes);
}

int main(int argc, char **argv) {
  const int has_number = argc > 1 && strspn(argv[1], "0123456789") > 0;
  const uint32_t n = has_number ? (uint32_t)strtoul(argv[1], NULL, 10) : DEFAULT_BINDINGS;
  const rebal_plan_opts fresh = {.struct_size = (uint32_t)sizeof fresh};
  const rebal_plan_opts steady = {.struct_size = (uint32_t)sizeof steady, .mode = REBAL_PLAN_MODE_STEADY};
  const rebal_plan_opts drain = {
      .struct_size = (uint32_t)sizeof drain, .drained = input.drained, .n_drained = CLUSTERS / 100};
  struct bench_rows rows;

  bench_rows_read(&rows, argc - has_number, argv + has_number);
  if (!rows.only_list) {
    make_input(n);
  }
  if (bench_wanted(&rows, "schedule")) {
    run_schedule("schedule", n);
  }
  if (bench_wanted(&rows, "fresh")) {
    rebal_plan_free(run_plan("fresh", &fresh, n));
  }
  if (bench_wanted(&rows, "steady")) {
    rebal_plan_free(run_plan("steady", &steady, n));
  }
  if (bench_wanted(&rows, "drain")) {
    rebal_plan_free(run_plan("drain", &drain, n));
  }
  if (bench_wanted(&rows, "limits")) {
    run_limits("limits", n);
  }
  if (bench_wanted(&rows, "save") || bench_wanted(&rows, "load")) {
    run_bytes(&rows, n);
  }
  if (!rows.only_list) {
    rebal_bindings_free(input.bindings);
    rebal_bindings_free(input.request);
    test_world_close(&input.world);
  }
  return 0;
}
