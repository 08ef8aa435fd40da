/* SPDX-License-Identifier: MIT */
/*
 * tests/bench/workloads.h - bindings of the benchmarks, with placements and requirements drawn from as many as wanted:
 * the same in every run.
 *
 * Nine in ten have 1 to 10 replicas, the rest up to 100.
 */
#ifndef BENCH_WORKLOADS_H
#define BENCH_WORKLOADS_H

#include "fleet.h"

enum { BENCH_MOST_PLACEMENTS = 2000, BENCH_MOST_REQUIREMENTS = 500, BENCH_SLICE = 10000 };

/* Interned records, no two alike. */
struct bench_workloads {
  uint32_t clusters; /* of the fleet */
  uint32_t n_placements;
  uint32_t n_requirements;
  uint32_t placements[BENCH_MOST_PLACEMENTS];
  uint32_t requirements[BENCH_MOST_REQUIREMENTS];
};

/* A random number that follows from the number given. */
uint64_t bench_draw(uint64_t number);
/*
 * Interns as many records as the structure holds. Each placement divides by what is available among the clusters of
 * one tier and stage but two; is_mixed: half of them do, a quarter aggregates, the others have three copies or static
 * weights.
 */
void bench_intern_workloads(struct test_world *world, struct bench_workloads *workloads, int is_mixed);
/* Adds bindings first to first + n - 1; at most BENCH_SLICE. Any number of threads. */
void bench_add_bindings(const struct bench_workloads *workloads, rebal_bindings *bindings, uint32_t first, size_t n);
/* Makes the set these, frozen. */
void bench_make_bindings(const struct bench_workloads *workloads, rebal_bindings *bindings, uint32_t first, size_t n);

#endif
