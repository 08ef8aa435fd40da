/* SPDX-License-Identifier: MIT */
/* tests/bench/counted.h - an allocator that counts the bytes in use; for any number of threads. */
#ifndef BENCH_COUNTED_H
#define BENCH_COUNTED_H

#include <rebalance/base.h>

#include <stdatomic.h>

struct bench_counted {
  rebal_allocator functions; /* points back here, so the structure must not move */
  atomic_size_t bytes;
  atomic_size_t peak;
  atomic_size_t requests; /* allocations and reallocations */
};

void bench_counted_init(struct bench_counted *memory);

#endif
