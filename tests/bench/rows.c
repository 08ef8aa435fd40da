/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "rows.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define COUNTED 5        /* calls of a row with --count */
#define TIMED_NS 3000000 /* of one half of a pair, so that it is long enough for the clock */

void bench_rows_read(struct bench_rows *rows, int argc, char **argv) {
  rows->only_list = argc > 1 && strcmp(argv[1], "--list") == 0;
  rows->only_count = argc > 1 && strcmp(argv[1], "--count") == 0;
  rows->patterns = (const char *const *)argv + 1 + (rows->only_list || rows->only_count);
}

int bench_wanted(const struct bench_rows *rows, const char *name) {
  int found = rows->patterns[0] == NULL;

  for (size_t i = 0; rows->patterns[i] != NULL; i++) {
    found |= fnmatch(rows->patterns[i], name, 0) == 0;
  }
  if (found && rows->only_list) {
    (void)printf("%s\n", name);
  }
  return found && !rows->only_list;
}

struct cost {
  int64_t ns;
  int64_t all_ns; /* with what is not timed */
  size_t allocations;
};

static void act(bench_action action, struct bench *bench) {
  if (action != NULL) {
    action(bench);
  }
}

static struct cost run_row(const struct bench_rows *rows, struct bench *bench, const struct bench_row *row,
                           int64_t repeats) {
  const int64_t begin = bench_clock_ns();
  struct cost cost = {0, 0, 0};

  for (int64_t i = 0; i < repeats; i++) {
    size_t requests;
    int64_t start;

    act(row->before, bench);
    requests = rows->memory.requests;
    start = bench_clock_ns();
    row->run(bench);
    cost.ns += bench_clock_ns() - start;
    cost.allocations += rows->memory.requests - requests;
    act(row->after, bench);
  }
  cost.all_ns = bench_clock_ns() - begin;
  return cost;
}

/* The calls of a row for a profiler: the same number in every run. */
static void count_row(const struct bench_rows *rows, struct bench *bench, const struct bench_row *row,
                      const char *name) {
  size_t allocations = 0;

  for (int i = 0; i < COUNTED; i++) {
    size_t requests;

    act(row->before, bench);
    requests = rows->memory.requests;
    bench_counted_run(row->run, bench);
    allocations += rows->memory.requests - requests;
    act(row->after, bench);
  }
  bench_counted_row();
  (void)printf("%s %.1f\n", name, (double)allocations / COUNTED);
}

static void time_row(const struct bench_rows *rows, struct bench *bench, const struct bench_row *row,
                     const char *name) {
  double times[BENCH_PAIRS], sums[BENCH_PAIRS], ratios[BENCH_PAIRS], allocations[BENCH_PAIRS];
  const int64_t repeats = 1 + TIMED_NS / (run_row(rows, bench, row, 1).all_ns + 1);

  for (size_t pair = 0; pair < BENCH_PAIRS; pair++) {
    const struct cost cost = run_row(rows, bench, row, repeats);

    times[pair] = (double)cost.ns / (double)repeats;
    sums[pair] = bench_yardstick_ns();
    ratios[pair] = times[pair] / sums[pair];
    allocations[pair] = (double)cost.allocations / (double)repeats;
  }
  (void)printf("%-32s %12.0f ns %10.2fx %10.1f allocations, yardstick %6.0f ns", name, bench_median(times, BENCH_PAIRS),
               bench_median(ratios, BENCH_PAIRS), bench_median(allocations, BENCH_PAIRS),
               bench_median(sums, BENCH_PAIRS));
  if (row->items != 0) {
    (void)printf(", %.1f ns each", bench_median(times, BENCH_PAIRS) / row->items);
  }
  (void)printf("\n");
  (void)fflush(stdout);
}

void bench_measure(const struct bench_rows *rows, struct bench *bench, const struct bench_row *row, const char *name) {
  (void)run_row(rows, bench, row, 2); /* so that the result is a used one */
  (rows->only_count ? count_row : time_row)(rows, bench, row, name);
}

void bench_measure_lines(const struct bench_rows *rows, struct bench *bench, const struct bench_line *lines, size_t n,
                         void (*enter)(struct bench *bench, const struct bench_line *line), bench_action leave) {
  int has_entered = 0;

  for (size_t i = 0; i < n; i++) {
    if (bench_wanted(rows, lines[i].name)) {
      enter(bench, &lines[i]);
      has_entered = 1;
      bench_measure(rows, bench, &lines[i].row, lines[i].name);
    }
  }
  if (has_entered) {
    leave(bench);
  }
}
