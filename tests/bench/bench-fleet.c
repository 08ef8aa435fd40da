/* SPDX-License-Identifier: MIT */
/*
 * The cost of a whole fleet: a million bindings with 2,000 placements and 500 requirements, 5,000 clusters, decided in
 * slices of 10,000: with a ledger that is charged for each, independently, and by two threads. NOTES.md describes the
 * figures.
 *
 *   bench-fleet [BINDINGS] [--list] [PATTERN...]     default: 1,000,000; rows: see rows.h
 */
#define _POSIX_C_SOURCE 200809L

#include "counted.h"
#include "rows.h"
#include "workloads.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define CLUSTERS 5000
#define DEFAULT_BINDINGS 1000000
#define THREADS 2

/* ---- input: the fleet and what bindings refer to ----------------------------------------------------------------- */

struct input {
  struct test_world world;
  struct bench_workloads workloads;
  uint32_t bindings;
};

static void make_input(struct input *input, uint32_t bindings) {
  struct test_world *world = &input->world;
  struct bench_sets sets;

  bench_world_open(world, NULL);
  bench_intern(world, &sets);
  bench_add_clusters(world, &sets, CLUSTERS);
  input->workloads = (struct bench_workloads){
      .clusters = CLUSTERS, .n_placements = BENCH_MOST_PLACEMENTS, .n_requirements = BENCH_MOST_REQUIREMENTS};
  bench_intern_workloads(world, &input->workloads, 1);
  input->bindings = bindings;
  test_freeze(world);
}

/* ---- deciding ---------------------------------------------------------------------------------------------------- */

/* One thread's: bindings first to end, a slice at a time. */
struct worker {
  const struct input *input;
  rebal_ctx *ctx;
  rebal_result *result;
  rebal_bindings *bindings;
  rebal_ledger *ledger; /* NULL: bindings are independent */
  uint32_t first;
  uint32_t end;
  int64_t ns; /* of the calls alone */
  uint64_t refused;
  uint64_t placed; /* rows of answers */
  pthread_t thread;
};

static void open_worker(struct worker *worker, const struct input *input, const rebal_allocator *allocator) {
  const rebal_ctx_opts opts = {(uint32_t)sizeof opts, 0, UINT64_MAX, 0};

  memset(worker, 0, sizeof *worker);
  worker->input = input;
  worker->end = input->bindings;
  bench_must(rebal_ctx_new(allocator, &opts, &worker->ctx, NULL));
  bench_must(rebal_result_new(allocator, &worker->result, NULL));
  bench_must(rebal_bindings_new(input->world.fleet, NULL, &worker->bindings, NULL));
}

static void close_worker(struct worker *worker) {
  rebal_bindings_free(worker->bindings);
  rebal_result_free(worker->result);
  rebal_ledger_free(worker->ledger);
  rebal_ctx_free(worker->ctx);
}

static void work(struct worker *worker) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .ledger = worker->ledger};
  rebal_snapshot *const snapshot = worker->input->world.snapshot;

  for (uint32_t first = worker->first; first < worker->end; first += BENCH_SLICE) {
    const size_t n = worker->end - first < BENCH_SLICE ? worker->end - first : BENCH_SLICE;
    const int64_t *outcomes;
    size_t rows;
    int64_t start;

    bench_make_bindings(&worker->input->workloads, worker->bindings, first, n);
    start = bench_clock_ns();
    bench_must(rebal_schedule(worker->ctx, snapshot, worker->bindings, &opts, worker->result, NULL));
    worker->ns += bench_clock_ns() - start;
    outcomes = rebal_result_i64(worker->result, REBAL_DECISION_OUTCOME, &rows);
    for (size_t i = 0; i < rows; i++) {
      worker->refused += outcomes[i] != REBAL_OUTCOME_SCHEDULED;
    }
    worker->placed += rebal_result_count(worker->result, REBAL_TABLE_PLACED);
  }
}

/* As a row of rows.h, with all bindings as one call. */
static void report(const char *name, const struct worker *worker, const struct bench_counted *memory,
                   double yardstick) {
  const double ns = (double)worker->ns;

  (void)printf("%-32s %12.0f ns %10.2fx %10.1f allocations, yardstick %6.0f ns, %.1f ns each\n", name, ns,
               ns / yardstick, (double)atomic_load(&memory->requests), yardstick, ns / worker->input->bindings);
  (void)printf("%-32s %.1f MiB at most beyond the input, %" PRIu64 " clusters chosen, %" PRIu64 " refused\n", "",
               (double)atomic_load(&memory->peak) / 1048576.0, worker->placed, worker->refused);
  (void)fflush(stdout);
}

static struct worker measure(const struct input *input, const char *name, int with_ledger, double yardstick) {
  struct bench_counted memory;
  struct worker worker;

  bench_counted_init(&memory);
  open_worker(&worker, input, &memory.functions);
  if (with_ledger) {
    bench_must(rebal_ledger_new(input->world.fleet, &memory.functions, &worker.ledger, NULL));
  }
  work(&worker);
  report(name, &worker, &memory, yardstick);
  close_worker(&worker);
  return worker;
}

/* ---- two threads ------------------------------------------------------------------------------------------------- */

static void *work_apart(void *worker) {
  work(worker);
  return NULL;
}

/* Each takes its part of the bindings; the time is that of the slowest. */
static void measure_threads(const struct input *input, const struct worker *alone, double yardstick) {
  struct bench_counted memory;
  struct worker workers[THREADS], sum;

  bench_counted_init(&memory);
  for (uint32_t i = 0; i < THREADS; i++) {
    open_worker(&workers[i], input, &memory.functions);
    workers[i].first = (uint32_t)((uint64_t)input->bindings * i / THREADS);
    workers[i].end = (uint32_t)((uint64_t)input->bindings * (i + 1) / THREADS);
    bench_must(pthread_create(&workers[i].thread, NULL, work_apart, &workers[i]) == 0 ? REBAL_OK : REBAL_ENOMEM);
  }
  sum = *alone;
  sum.ns = 0;
  sum.placed = sum.refused = 0;
  for (uint32_t i = 0; i < THREADS; i++) {
    (void)pthread_join(workers[i].thread, NULL);
    sum.ns = workers[i].ns > sum.ns ? workers[i].ns : sum.ns;
    sum.placed += workers[i].placed;
    sum.refused += workers[i].refused;
    close_worker(&workers[i]);
  }
  report("threads-2", &sum, &memory, yardstick);
  if (sum.placed != alone->placed || sum.refused != alone->refused) {
    (void)fprintf(stderr, "bench-fleet: the threads' answers differ\n");
    exit(EXIT_FAILURE);
  }
}

static void measure_wanted(const struct bench_rows *rows, const struct input *input, double yardstick) {
  if (bench_wanted(rows, "ledger")) {
    (void)measure(input, "ledger", 1, yardstick);
  }
  if (bench_wanted(rows, "alone")) {
    const struct worker alone = measure(input, "alone", 0, yardstick);

    if (bench_wanted(rows, "threads-2")) {
      measure_threads(input, &alone, yardstick);
    }
  }
}

static void list(const struct bench_rows *rows) {
  static const char *const names[] = {"ledger", "alone", "threads-2"};

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    (void)bench_wanted(rows, names[i]);
  }
}

int main(int argc, char **argv) {
  static struct input input;
  static struct bench_rows rows;
  const int has_number = argc > 1 && strspn(argv[1], "0123456789") > 0;
  const long wanted = has_number ? strtol(argv[1], NULL, 10) : DEFAULT_BINDINGS;
  const double yardstick = bench_yardstick_ns();
  struct rusage usage;

  if (wanted < 1 || wanted > 100000000) {
    (void)fprintf(stderr, "usage: bench-fleet [BINDINGS] [--list] [PATTERN...]\n");
    return EXIT_FAILURE;
  }
  bench_rows_read(&rows, argc - has_number, argv + has_number);
  if (rows.only_list) {
    list(&rows);
    return EXIT_SUCCESS;
  }
  make_input(&input, (uint32_t)wanted);
  (void)printf("%ld bindings, %d placements, %d requirements, %d clusters, slices of %d\n", wanted,
               BENCH_MOST_PLACEMENTS, BENCH_MOST_REQUIREMENTS, CLUSTERS, BENCH_SLICE);
  measure_wanted(&rows, &input, yardstick);
  (void)getrusage(RUSAGE_SELF, &usage);
  (void)printf("resident at most: %.1f MiB\n", (double)usage.ru_maxrss / 1024.0);
  test_world_close(&input.world);
  return EXIT_SUCCESS;
}
