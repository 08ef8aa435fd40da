/* SPDX-License-Identifier: MIT */
/*
 * The least movement after one cluster in a hundred was lost: rebal_least_movement(), and rebal_plan_verify() of its
 * answer, for bindings of 100 replicas over 20 to 100 of 5,000 clusters each. NOTES.md describes the rows.
 *
 *   bench-movement [--list] [PATTERN...]   see rows.h; a row is the middle one of five calls, or one that takes long
 */
#include "rows.h"

#include "../support/dice.h"

#include <rebalance/plan.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLICAS 100
#define FEWEST 20
#define MOST 100
#define CLUSTERS 5000
#define RUNS 5
#define ALLOWED (1024.0 * 1048576.0) /* bytes for 10,000 bindings */

/* What capacity there is after the loss, and where. */
static const struct kind {
  const char *name;
  int64_t full;      /* replicas wanted in permille of the capacity; 0: there are no capacities */
  uint32_t free_in;  /* one of so many clusters has free capacity, the others none */
  uint32_t window;   /* a binding's clusters are among so many neighbours, those that are lost too; 0: anywhere */
  uint32_t far;      /* clusters with free capacity are so far from those that are lost */
  int64_t tolerance; /* of bounds around what is present, in permille; 0: no bounds */
  uint32_t weights;  /* from 1 to this */
} kinds[] = {
    {"free", 0, 1, 0, 0, 0, 1},
    {"loose", 800, 1, 0, 0, 0, 1},
    {"tight", 970, 10, 0, 0, 0, 1},
    {"bounded", 970, 10, 0, 0, 100, 5},
    {"few", 990, 100, 0, 0, 0, 5},
    {"near", 970, 4, 200, 0, 0, 5},
    {"far", 970, 1, 200, 2000, 0, 1},
    {"far-weighted", 970, 1, 200, 2000, 0, 5},
    {"far-bounded", 970, 1, 200, 2000, 200, 5},
    {"short", 1005, 50, 0, 0, 0, 5},
    {"short-far", 1005, 1, 200, 2000, 0, 5},
};

static const size_t sizes[] = {1000, 3000, 10000, 30000, 100000}; /* bindings */
#define MOST_FAR 10000                                            /* bindings */

struct problem {
  size_t n_bindings, n_clusters, n_pairs;
  int64_t *replicas, *weights, *present, *minimums, *maximums, *capacities;
  uint64_t *offsets;
  uint32_t *clusters;
  int64_t *planned, *binding_prices, *cluster_prices;
  rebal_movement movement;
  rebal_movement_answer answer;
};

static void must(int is_right, const char *what) {
  if (!is_right) {
    (void)fprintf(stderr, "bench-movement: %s\n", what);
    exit(EXIT_FAILURE);
  }
}

static void *cells(size_t n, size_t size) {
  void *array = calloc(n + 1, size);

  must(array != NULL, "no memory");
  return array;
}

static void open_problem(struct problem *problem, size_t bindings) {
  const size_t pairs = bindings * MOST;

  *problem = (struct problem){.n_bindings = bindings, .n_clusters = CLUSTERS};
  problem->replicas = cells(bindings, sizeof(int64_t));
  problem->weights = cells(bindings, sizeof(int64_t));
  problem->offsets = cells(bindings, sizeof(uint64_t));
  problem->clusters = cells(pairs, sizeof(uint32_t));
  problem->present = cells(pairs, sizeof(int64_t));
  problem->minimums = cells(pairs, sizeof(int64_t));
  problem->maximums = cells(pairs, sizeof(int64_t));
  problem->planned = cells(pairs, sizeof(int64_t));
  problem->binding_prices = cells(bindings, sizeof(int64_t));
  problem->capacities = cells(CLUSTERS, sizeof(int64_t));
  problem->cluster_prices = cells(CLUSTERS, sizeof(int64_t));
}

static void close_problem(struct problem *problem) {
  free(problem->replicas);
  free(problem->weights);
  free(problem->offsets);
  free(problem->clusters);
  free(problem->present);
  free(problem->minimums);
  free(problem->maximums);
  free(problem->planned);
  free(problem->binding_prices);
  free(problem->capacities);
  free(problem->cluster_prices);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* n of the clusters, ascending: each with the chance that n of those that are left are drawn. */
static void draw_clusters(struct dice *dice, struct problem *problem, const struct kind *kind, uint32_t n) {
  const uint32_t all = (uint32_t)problem->n_clusters;
  const uint32_t window = kind->window == 0 ? all : kind->window;
  const uint32_t first = roll(dice, all - window + 1);

  for (uint32_t i = 0; n > 0; i++) {
    if (roll(dice, window - i) < n) {
      problem->clusters[problem->n_pairs++] = first + i;
      n--;
    }
  }
}

static int is_lost(const struct problem *problem, const struct kind *kind, uint32_t cluster) {
  const size_t n = problem->n_clusters;

  return kind->window == 0 ? cluster % 100 == 37 : cluster >= n / 2 && cluster < n / 2 + n / 100;
}

static int is_free(const struct problem *problem, const struct kind *kind, uint32_t cluster) {
  const int64_t distance = (int64_t)cluster - (int64_t)problem->n_clusters / 2;

  return !is_lost(problem, kind, cluster) && cluster % kind->free_in == kind->free_in - 1 &&
         (distance < 0 ? -distance : distance) >= kind->far;
}

static void draw_binding(struct dice *dice, struct problem *problem, const struct kind *kind, size_t binding) {
  const size_t first = problem->n_pairs;
  const uint32_t n = FEWEST + roll(dice, MOST - FEWEST + 1);

  problem->replicas[binding] = REPLICAS;
  problem->weights[binding] = 1 + roll(dice, kind->weights);
  draw_clusters(dice, problem, kind, n);
  for (int replica = 0; replica < REPLICAS; replica++) {
    problem->present[first + roll(dice, n)]++;
  }
  for (size_t i = first; i < problem->n_pairs; i++) {
    const int64_t present = problem->present[i];

    if (!is_lost(problem, kind, problem->clusters[i])) {
      problem->minimums[i] = kind->tolerance == 0 ? 0 : present * (1000 - kind->tolerance) / 1000;
      problem->maximums[i] = kind->tolerance == 0 ? REPLICAS : (present * (1000 + kind->tolerance) + 999) / 1000;
    }
    problem->capacities[problem->clusters[i]] += present;
  }
  problem->offsets[binding + 1] = problem->n_pairs;
}

static void draw_capacities(struct problem *problem, const struct kind *kind) {
  const int64_t wanted = REPLICAS * (int64_t)problem->n_bindings;
  int64_t capacity = wanted * 1000 / kind->full, n_free = 0;

  for (uint32_t c = 0; c < problem->n_clusters; c++) {
    if (is_lost(problem, kind, c)) {
      problem->capacities[c] = 0;
    }
    capacity -= problem->capacities[c];
    n_free += is_free(problem, kind, c);
  }
  for (uint32_t c = 0; c < problem->n_clusters; c++) {
    if (is_free(problem, kind, c)) {
      problem->capacities[c] += capacity / n_free;
      capacity -= capacity / n_free--;
    }
  }
}

static void draw_problem(struct problem *problem, const struct kind *kind) {
  struct dice dice = {1};

  for (size_t binding = 0; binding < problem->n_bindings; binding++) {
    draw_binding(&dice, problem, kind, binding);
  }
  if (kind->full > 0) {
    draw_capacities(problem, kind);
  }
  problem->movement = (rebal_movement){.struct_size = (uint32_t)sizeof problem->movement,
                                       .n_bindings = problem->n_bindings,
                                       .n_clusters = problem->n_clusters,
                                       .replicas = problem->replicas,
                                       .weights = problem->weights,
                                       .offsets = problem->offsets,
                                       .clusters = problem->clusters,
                                       .present = problem->present,
                                       .minimums = problem->minimums,
                                       .maximums = problem->maximums,
                                       .capacities = kind->full > 0 ? problem->capacities : NULL};
  problem->answer = (rebal_movement_answer){.struct_size = (uint32_t)sizeof problem->answer,
                                            .planned = problem->planned,
                                            .binding_prices = problem->binding_prices,
                                            .cluster_prices = problem->cluster_prices};
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

/* Of what the library allocates; the header of each block holds its size. */
struct memory {
  size_t live, peak, requests;
};

static void *take(struct memory *memory, size_t *block, size_t before, size_t size) {
  if (block == NULL) {
    return NULL;
  }
  memory->requests++;
  memory->live += size - before;
  memory->peak = memory->live > memory->peak ? memory->live : memory->peak;
  block[0] = size;
  return block + 2;
}

static void *allocate(void *user_data, size_t size) {
  return take(user_data, malloc(size + 2 * sizeof(size_t)), 0, size);
}

static void *reallocate(void *user_data, void *pointer, size_t size) {
  size_t *block = (size_t *)pointer - 2;
  const size_t before = block[0];

  return take(user_data, realloc(block, size + 2 * sizeof(size_t)), before, size);
}

static void release(void *user_data, void *pointer) {
  struct memory *memory = user_data;
  size_t *block = (size_t *)pointer - 2;

  memory->live -= block[0];
  free(block);
}

struct bench {
  struct problem problem;
  rebal_ctx *ctx;
  int64_t gap;
};

static void solve(struct bench *bench) {
  must(rebal_least_movement(bench->ctx, &bench->problem.movement, &bench->problem.answer, NULL) == REBAL_OK,
       "no answer");
}

static void verify(struct bench *bench) {
  must(rebal_plan_verify(bench->ctx, &bench->problem.movement, &bench->problem.answer, &bench->gap, NULL) == REBAL_OK,
       "the answer is refused");
}

/* Nanoseconds and allocations of a call; *ratio to the yardstick. */
static double time_runs(bench_action run, struct bench *bench, size_t runs, double *ratio) {
  double times[RUNS], ratios[RUNS];

  for (size_t i = 0; i < runs; i++) {
    const int64_t start = bench_clock_ns();

    run(bench);
    times[i] = (double)(bench_clock_ns() - start);
    ratios[i] = times[i] / bench_yardstick_ns();
  }
  *ratio = bench_median(ratios, runs);
  return bench_median(times, runs);
}

static void measure(struct bench *bench, const struct kind *kind, size_t bindings, const char *name) {
  struct memory memory = {0, 0, 0};
  const rebal_allocator allocator = {(uint32_t)sizeof allocator, 0, &memory, allocate, reallocate, release};
  const size_t runs = kind->far > 0 || bindings > MOST_FAR ? 1 : RUNS;
  const struct problem *problem = &bench->problem;
  double solved, verified, ratio, other_ratio;

  open_problem(&bench->problem, bindings);
  draw_problem(&bench->problem, kind);
  must(rebal_ctx_new(&allocator, NULL, &bench->ctx, NULL) == REBAL_OK, "no context");
  memory.requests = 0;
  solved = time_runs(solve, bench, runs, &ratio);
  (void)printf("%-32s %12.0f ns %10.2fx %10.1f allocations", name, solved, ratio,
               (double)memory.requests / (double)runs);
  verified = time_runs(verify, bench, runs, &other_ratio);
  must(bench->gap == 0, "the answer is not proved");
  (void)printf(", yardstick %6.0f ns, %.1f ns each of %zu pairs; %.1f MiB, verified in %.3f s; %" PRId64 " of %" PRId64
               " placed, cost %" PRId64 "\n",
               solved / ratio, solved / (double)problem->n_pairs, problem->n_pairs, (double)memory.peak / 1048576.0,
               verified / 1e9, problem->answer.placed, REPLICAS * (int64_t)bindings, problem->answer.moved);
  (void)fflush(stdout);
  must(bindings > 10000 || (double)memory.peak <= ALLOWED, "more memory than allowed");
  rebal_ctx_free(bench->ctx);
  close_problem(&bench->problem);
}

int main(int argc, char **argv) {
  static struct bench bench;
  struct bench_rows rows;

  bench_rows_read(&rows, argc, argv);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && (kinds[i].far == 0 || sizes[k] <= MOST_FAR); k++) {
      char name[64];

      (void)snprintf(name, sizeof name, "%s/%zu", kinds[i].name, sizes[k]);
      if (bench_wanted(&rows, name)) {
        measure(&bench, &kinds[i], sizes[k], name);
      }
    }
  }
  return EXIT_SUCCESS;
}
