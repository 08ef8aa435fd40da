/* SPDX-License-Identifier: MIT */
/*
 * What a whole fleet costs: a million bindings with 2,000 placements and 500 requirements, 5,000 clusters, decided in
 * slices of 10,000: with a ledger that is charged for each, each for itself, and by two threads. NOTES.md tells what
 * the figures mean.
 *
 *   bench-fleet [BINDINGS]     1,000,000 unless told otherwise
 */
#define _POSIX_C_SOURCE 200809L

#include "counted.h"
#include "fleet.h"
#include "measure.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define CLUSTERS 5000
#define PLACEMENTS 2000
#define REQUIREMENTS 500
#define SLICE 10000
#define DEFAULT_BINDINGS 1000000
#define NAME_ROOM 24 /* bytes of a binding's name */
#define THREADS 2

/* ---- input: the fleet and what bindings refer to ----------------------------------------------------------------- */

struct input {
  struct test_world world;
  uint32_t placements[PLACEMENTS];
  uint32_t requirements[REQUIREMENTS];
  uint32_t bindings;
};

/* Half divide by what is available in one stage of one tier, the others pick few clusters in three ways. */
static uint32_t make_placement(struct test_world *world, uint32_t number) {
  char labels[32], names[96], name[4][BENCH_NAME];
  struct test_affinity affinity = {.labels = labels, .exclude = names};
  struct test_placement placement = {.affinity = &affinity, .scheduling = "Divided/Weighted/AvailableReplicas"};

  for (uint32_t i = 0; i < 4; i++) {
    bench_cluster_name((number * 7 + i * 1111) % CLUSTERS, name[i]);
  }
  (void)snprintf(labels, sizeof labels, "tier=%u stage=%u", (unsigned)(number % 3), (unsigned)(number / 3 % 4));
  (void)snprintf(names, sizeof names, "%s %s", name[0], name[1]);
  switch (number % 8) {
    case 4: /* three clusters by name, all replicas in each */
      (void)snprintf(names, sizeof names, "%s %s %s", name[0], name[1], name[2]);
      affinity = (struct test_affinity){.clusters = names};
      placement.scheduling = "Duplicated";
      break;
    case 5: /* four by name and weight */
      (void)snprintf(names, sizeof names, "%s=1 %s=2 %s=3 %s=5", name[0], name[1], name[2], name[3]);
      affinity = (struct test_affinity){.labels = ""};
      placement.scheduling = "Divided/Weighted";
      placement.weights = names;
      break;
    case 6:
    case 7:
      placement.scheduling = "Divided/Aggregated";
      placement.spreads = number % 8 == 6 ? "cluster:2:5" : "region:1:2 cluster:1:4";
      break;
    default:
      break;
  }
  return test_placement_handle(world, &placement);
}

static void make_input(struct input *input, uint32_t bindings) {
  struct test_world *world = &input->world;
  struct bench_sets sets;

  bench_world_open(world, NULL);
  bench_intern(world, &sets);
  bench_add_clusters(world, &sets, CLUSTERS);
  for (uint32_t i = 0; i < PLACEMENTS; i++) {
    input->placements[i] = make_placement(world, i);
  }
  for (uint32_t i = 0; i < REQUIREMENTS; i++) {
    char request[64];

    (void)snprintf(request, sizeof request, "cpu=%um memory=%uMi", (unsigned)(50 + i % 50 * 10),
                   (unsigned)(64 + i / 50 * 32));
    input->requirements[i] = test_request_handle(world, request);
  }
  input->bindings = bindings;
  test_freeze(world);
}

/* splitmix64: what a binding is like follows from its number. */
static uint64_t draw(uint64_t number) {
  uint64_t z = number * UINT64_C(0x9e3779b97f4a7c15) + 1;

  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Values of one column for a slice, by what a binding's random number says. */
static void put_column(rebal_bindings *bindings, uint32_t column, const int64_t *values, size_t n) {
  bench_must(rebal_cells_put_i64(rebal_bindings_cells(bindings), column, REBAL_NONE, NULL, values, n, NULL));
}

static void put_texts(rebal_bindings *bindings, uint32_t column, const char *format, uint32_t first, size_t n) {
  static _Thread_local char bytes[SLICE * NAME_ROOM];
  static _Thread_local uint32_t offsets[SLICE + 1];

  for (size_t i = 0; i < n; i++) {
    const int len = snprintf(bytes + offsets[i], NAME_ROOM, format, (unsigned)(first + i));

    offsets[i + 1] = offsets[i] + (uint32_t)len;
  }
  bench_must(rebal_cells_put_text(rebal_bindings_cells(bindings), column, REBAL_NONE, NULL, bytes, offsets, n, NULL));
}

/* Nine in ten have 1 to 10 replicas, the rest up to 100. */
static void make_slice(const struct input *input, rebal_bindings *bindings, uint32_t first, size_t n) {
  static _Thread_local int64_t replicas[SLICE], requirements[SLICE], placements[SLICE], managed[SLICE];
  static _Thread_local uint32_t rows[SLICE];

  rebal_bindings_reset(bindings);
  bench_must(rebal_cells_add(rebal_bindings_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE, rows, n, NULL));
  for (size_t i = 0; i < n; i++) {
    const uint64_t random = draw(first + i);

    replicas[i] = 1 + (int64_t)(random % 10 != 0 ? random / 10 % 10 : random / 10 % 100);
    requirements[i] = input->requirements[random / 1000 % REQUIREMENTS];
    placements[i] = input->placements[random / 1000000 % PLACEMENTS];
    managed[i] = 1;
  }
  put_column(bindings, REBAL_BINDING_REPLICAS, replicas, n);
  put_column(bindings, REBAL_BINDING_REQUIREMENTS, requirements, n);
  put_column(bindings, REBAL_BINDING_PLACEMENT, placements, n);
  put_column(bindings, REBAL_BINDING_MANAGED, managed, n);
  put_texts(bindings, REBAL_BINDING_NAMESPACE, "team", first, n);
  put_texts(bindings, REBAL_BINDING_NAME, "web-%u-deployment", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_API_VERSION, "apps/v1", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_KIND, "Deployment", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_NAMESPACE, "team", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_NAME, "web-%u", first, n);
  put_texts(bindings, REBAL_BINDING_RESOURCE_UID, "uid-%u", first, n);
  bench_must(rebal_bindings_freeze(bindings, NULL));
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

  for (uint32_t first = worker->first; first < worker->end; first += SLICE) {
    const size_t n = worker->end - first < SLICE ? worker->end - first : SLICE;
    const int64_t *outcomes;
    size_t rows;
    int64_t start;

    make_slice(worker->input, worker->bindings, first, n);
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

static void report(const char *name, const struct worker *worker, const struct bench_counted *memory,
                   double yardstick) {
  const double each = (double)worker->ns / worker->input->bindings;

  (void)printf("%-28s %8.2f s, %8.0f ns for each (%6.2fx), %6.1f MiB at most beyond the input\n", name,
               (double)worker->ns / 1e9, each, each / yardstick, (double)atomic_load(&memory->peak) / 1048576.0);
  (void)printf("%-28s %" PRIu64 " clusters chosen, %" PRIu64 " refused\n", "", worker->placed, worker->refused);
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
  report("2 threads", &sum, &memory, yardstick);
  if (sum.placed != alone->placed || sum.refused != alone->refused) {
    (void)fprintf(stderr, "bench-fleet: threads answer something else\n");
    exit(EXIT_FAILURE);
  }
}

int main(int argc, char **argv) {
  static struct input input;
  const long wanted = argc > 1 ? strtol(argv[1], NULL, 10) : DEFAULT_BINDINGS;
  const double yardstick = bench_yardstick_ns();
  struct worker alone;
  struct rusage usage;

  if (wanted < 1 || wanted > 100000000) {
    (void)fprintf(stderr, "usage: bench-fleet [BINDINGS]\n");
    return EXIT_FAILURE;
  }
  make_input(&input, (uint32_t)wanted);
  (void)printf("%ld bindings, %d placements, %d requirements, %d clusters, slices of %d; yardstick %.0f ns\n", wanted,
               PLACEMENTS, REQUIREMENTS, CLUSTERS, SLICE, yardstick);
  (void)measure(&input, "with a ledger", 1, yardstick);
  alone = measure(&input, "each for itself", 0, yardstick);
  measure_threads(&input, &alone, yardstick);
  (void)getrusage(RUSAGE_SELF, &usage);
  (void)printf("resident at most: %.1f MiB\n", (double)usage.ru_maxrss / 1024.0);
  test_world_close(&input.world);
  return EXIT_SUCCESS;
}
