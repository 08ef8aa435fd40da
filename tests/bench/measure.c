/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L

#include "measure.h"

#include "sum.h"

#include <stdlib.h>
#include <time.h>

#define NUMBERS 5000
#define SUMS 500

int64_t bench_clock_ns(void) {
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;

  return (a > b) - (a < b);
}

double bench_median(double *figures, size_t n) {
  qsort(figures, n, sizeof figures[0], compare);
  return figures[n / 2];
}

void bench_counted_run(bench_action run, struct bench *bench) {
  run(bench);
}

void bench_counted_row(void) {
}

double bench_yardstick_ns(void) {
  int32_t numbers[NUMBERS];
  int64_t start;

  for (int32_t i = 0; i < NUMBERS; i++) {
    numbers[i] = i * 31;
  }
  start = bench_clock_ns();
  for (int i = 0; i < SUMS; i++) {
    (void)bench_sum(numbers, NUMBERS); /* compiled elsewhere, so that the call is not removed */
  }
  return (double)(bench_clock_ns() - start) / SUMS;
}
