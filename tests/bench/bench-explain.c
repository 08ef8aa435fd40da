/* SPDX-License-Identifier: MIT */
/*
 * The cost of an explanation: rebal_schedule() of one binding at 1,000 clusters with explanations off and on, beside
 * the yardstick, a sum over 5,000 numbers. Each figure is the median of 15 interleaved pairs. No time is asserted; a
 * unit test shows that nothing is done while explanations are off.
 */
#include "fleet.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>

#define CLUSTERS 1000

static void bench_open(struct test_world *world) {
  const struct test_placement placement = {.scheduling = "Divided/Weighted/AvailableReplicas"};
  const struct test_binding binding = {.replicas = 100, .placement = &placement};
  struct bench_sets sets;

  bench_world_open(world, NULL);
  bench_intern(world, &sets);
  bench_add_clusters(world, &sets, CLUSTERS);
  (void)test_add_binding(world, NULL, &binding);
  test_freeze(world);
}

static const struct measured {
  const char *name;
  uint64_t explain_rows;
  int repeats; /* in one run, so that it is long enough for the clock */
} measured[] = {
    {"schedule, explanations off", 0, 50},
    {"schedule, counts and 1 row", 1, 50},
    {"schedule, all rows", UINT64_MAX, 10},
};
#define MEASURED (sizeof measured / sizeof measured[0])

/* Nanoseconds of one repeat. */
static double measure(const struct test_world *world, const struct measured *what) {
  const rebal_schedule_opts opts = {.struct_size = (uint32_t)sizeof opts, .explain_rows = what->explain_rows};
  const int64_t start = bench_clock_ns();

  for (int i = 0; i < what->repeats; i++) {
    bench_must(rebal_schedule(world->ctx, world->snapshot, world->bindings, &opts, world->result, NULL));
  }
  return (double)(bench_clock_ns() - start) / what->repeats;
}

int main(void) {
  struct test_world world;
  double times[MEASURED][BENCH_PAIRS], ratios[MEASURED][BENCH_PAIRS];

  bench_open(&world);
  for (int pair = -1; pair < BENCH_PAIRS; pair++) { /* the first one warms up */
    for (size_t i = 0; i < MEASURED; i++) {
      const int at = pair < 0 ? 0 : pair;

      times[i][at] = measure(&world, &measured[i]);
      ratios[i][at] = times[i][at] / bench_yardstick_ns();
    }
  }
  (void)printf("rebal_schedule, 1 binding of 100 replicas, dynamic division, %d clusters, warm; medians of %d pairs\n",
               CLUSTERS, BENCH_PAIRS);
  for (size_t i = 0; i < MEASURED; i++) {
    (void)printf("%-36s %10.1f us %8.1fx\n", measured[i].name, bench_median(times[i], BENCH_PAIRS) / 1000.0,
                 bench_median(ratios[i], BENCH_PAIRS));
  }
  test_world_close(&world);
  return EXIT_SUCCESS;
}
