/* SPDX-License-Identifier: MIT */
/* Clusters that a binding was evicted from a short while ago, as columns for the scheduler. */
#include "failover/failover.h"

static int is_target(const rebal_bindings *bindings, uint32_t binding, int64_t cluster) {
  size_t n;
  const uint32_t *targets = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, binding, &n);

  for (size_t i = 0; i < n; i++) {
    if (rebali_bindings_i64(bindings, REBAL_TARGET_CLUSTER, targets[i]) == cluster) {
      return 1;
    }
  }
  return 0;
}

/* Nanoseconds until a row of HISTORY counts no more; a time to come, of a clock that went back, counts as now. */
static int64_t left_ns(const rebal_bindings *bindings, uint32_t row, const rebal_time *now, int64_t cool_down_ns) {
  const rebal_time since = rebali_bindings_time(bindings, REBAL_HISTORY_TIME, row);
  const int64_t passed = since.is_set ? rebali_time_left_ns(now, &since, 0) : INT64_MIN;

  return passed > 0 ? cool_down_ns : rebali_add_saturating(passed, cool_down_ns);
}

static void reject(const rebal_bindings *bindings, uint32_t binding, const rebal_time *now, int64_t cool_down_ns,
                   int64_t *cells, size_t clusters, rebal_time *next) {
  size_t n;
  const uint32_t *rows = rebali_bindings_children(bindings, REBAL_TABLE_HISTORY, binding, &n);

  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(bindings, REBAL_HISTORY_CLUSTER, rows[i]);
    const int64_t left = left_ns(bindings, rows[i], now, cool_down_ns);

    if (left > 0 && (uint64_t)cluster < clusters && !is_target(bindings, binding, cluster)) {
      const rebal_time end = rebali_time_after(now, left);

      cells[cluster] = 1;
      *next = !next->is_set || rebal_time_compare(&end, next) < 0 ? end : *next;
    }
  }
}

int32_t rebal_cool_down(const rebal_snapshot *snapshot, const rebal_bindings *bindings, const rebal_time *now,
                        int64_t cool_down_ns, int64_t *cells, size_t clusters, size_t stride, rebal_time *next,
                        rebal_error *err) {
  rebal_time first = {0, 0, 0};
  size_t n;
  int32_t code = rebali_clock_check(now, err);

  code = code == REBAL_OK ? rebali_bindings_check(bindings, snapshot, err) : code;
  if (code != REBAL_OK) {
    return code;
  }
  n = rebali_bindings_size(bindings);
  if (cool_down_ns < 0) {
    return rebali_fail(err, REBAL_ERANGE, -1, "cool_down_ns is negative");
  }
  if (cells == NULL || (stride < clusters && n > 1)) {
    return rebali_fail(err, REBAL_EINVAL, -1, cells == NULL ? "cells are missing" : "the cells of bindings overlap");
  }
  for (size_t i = 0; i < n; i++) {
    reject(bindings, (uint32_t)i, now, cool_down_ns, cells + i * stride, clusters, &first);
  }
  if (next != NULL) {
    *next = first;
  }
  return REBAL_OK;
}
