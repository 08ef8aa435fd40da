/* SPDX-License-Identifier: MIT */
/* tests/bench/measure.h - clock, medians and the yardstick's time. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_PAIRS = 15 };

int64_t bench_clock_ns(void);
/* The middle one of n figures, which it sorts. */
double bench_median(double *figures, size_t n);
/*
 * For a profiler: it collects within bench_counted_run() alone and dumps what it has at the end of bench_counted_row().
 * Both are functions of their own translation unit, so that they are called whatever the compiler inlines.
 */
struct bench;
typedef void (*bench_action)(struct bench *bench);
void bench_counted_run(bench_action run, struct bench *bench);
void bench_counted_row(void);
/* Nanoseconds of one sum over 5,000 numbers, from enough of them for the clock. */
double bench_yardstick_ns(void);

#endif
