/* SPDX-License-Identifier: MIT */
/* tests/bench/sum.h - the yardstick of the benchmarks. */
#ifndef BENCH_SUM_H
#define BENCH_SUM_H

#include <stddef.h>
#include <stdint.h>

/* The sum of a vector: the cost of reading each number once. */
int64_t bench_sum(const int32_t *numbers, size_t n);

#endif
