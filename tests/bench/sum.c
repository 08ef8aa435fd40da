/* SPDX-License-Identifier: MIT */
/*
 * The yardstick: compiled by itself with -O2 -fno-tree-vectorize whatever the build's flags are, so that ratios to it
 * mean the same everywhere.
 */
#include "sum.h"

int64_t bench_sum(const int32_t *numbers, size_t n) {
  int64_t sum = 0;

  for (size_t i = 0; i < n; i++) {
    sum += numbers[i];
  }
  return sum;
}
