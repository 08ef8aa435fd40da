/* SPDX-License-Identifier: MIT */
/* Clusters that a binding was evicted from recently and must not return to. */
#include "failover/failover.h"

struct call {
  rebal_ctx *ctx;
  const rebal_bindings *bindings;
  const rebal_time *now;
  rebal_cool_down_opts opts;
  uint64_t n_clusters; /* number of cluster ids in the snapshot */
  struct rebali_table *table;
};

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

/*
 * Returns the nanoseconds until a row of HISTORY expires. A time in the future, after the clock went back, counts as
 * now.
 */
static int64_t left_ns(const rebal_bindings *bindings, uint32_t row, const rebal_time *now, int64_t cool_down_ns) {
  const rebal_time since = rebali_bindings_time(bindings, REBAL_HISTORY_TIME, row);
  const int64_t passed = since.is_set ? rebali_time_left_ns(now, &since, 0) : INT64_MIN;

  return passed > 0 ? cool_down_ns : rebali_add_saturating(passed, cool_down_ns);
}

struct eviction {
  int64_t cluster;
  int64_t left_ns;
};

/* Compares by cluster; of one cluster the eviction that expires last comes first. */
static int compare(const void *left, const void *right, const void *context) {
  const struct eviction *one = left, *other = right;

  (void)context;
  if (one->cluster != other->cluster) {
    return one->cluster < other->cluster ? -1 : 1;
  }
  return (one->left_ns < other->left_ns) - (one->left_ns > other->left_ns);
}

static int32_t write(struct rebali_table *table, uint32_t binding, int64_t cluster, const rebal_time *until) {
  const struct rebali_table_value cells[] = {{REBAL_COOLING_BINDING, binding}, {REBAL_COOLING_CLUSTER, cluster}};
  size_t row;

  return rebali_table_add_row(table, cells, REBALI_COUNT(cells), &row) == REBAL_OK &&
                 rebali_table_set_time(table, REBAL_COOLING_UNTIL, row, until) == REBAL_OK
             ? REBAL_OK
             : REBAL_ENOMEM;
}

/* Collects the evictions of a binding that have not expired. Returns their number. */
static size_t find(const struct call *call, uint32_t binding, const uint32_t *rows, size_t n, struct eviction *found) {
  size_t n_found = 0;

  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(call->bindings, REBAL_HISTORY_CLUSTER, rows[i]);
    const int64_t left = left_ns(call->bindings, rows[i], call->now, call->opts.cool_down_ns);

    if (left > 0 && (uint64_t)cluster < call->n_clusters && !is_target(call->bindings, binding, cluster)) {
      found[n_found++] = (struct eviction){cluster, left};
    }
  }
  return n_found;
}

static int32_t cool_binding(const struct call *call, uint32_t binding) {
  struct rebali_arena *scratch = rebali_ctx_scratch(call->ctx);
  size_t n;
  const uint32_t *rows = rebali_bindings_children(call->bindings, REBAL_TABLE_HISTORY, binding, &n);
  struct eviction *found = rebali_arena_allocate(scratch, n + 1, sizeof *found);
  struct eviction *other = rebali_arena_allocate(scratch, n + 1, sizeof *other);
  int32_t code = found == NULL || other == NULL ? REBAL_ENOMEM : REBAL_OK;

  n = code == REBAL_OK ? find(call, binding, rows, n, found) : 0;
  if (code == REBAL_OK) {
    rebali_sort(found, n, sizeof *found, other, compare, NULL);
  }
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const rebal_time until = rebali_time_after(call->now, found[i].left_ns);

    if (i == 0 || found[i].cluster != found[i - 1].cluster) {
      code = write(call->table, binding, found[i].cluster, &until);
    }
  }
  return code;
}

static int32_t check(struct call *call, const rebal_snapshot *snapshot, const rebal_cool_down_opts *opts,
                     rebal_error *err) {
  int32_t code = rebali_options_load(&call->opts, sizeof call->opts, sizeof call->opts, opts, err);

  if (code == REBAL_OK && call->opts.flags != 0) {
    code = rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a flag is newer than this library");
  }
  if (code == REBAL_OK && call->opts.cool_down_ns < 0) {
    code = rebali_fail(err, REBAL_ERANGE, -1, "cool_down_ns is negative");
  }
  if (code == REBAL_OK) {
    code = rebali_clock_check(call->now, err);
  }
  return code == REBAL_OK ? rebali_bindings_check(call->bindings, snapshot, err) : code;
}

int32_t rebal_cool_down(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings, const rebal_time *now,
                        const rebal_cool_down_opts *opts, rebal_result *result, rebal_error *err) {
  struct call call = {.ctx = ctx, .bindings = bindings, .now = now};
  size_t n;
  int32_t code = check(&call, snapshot, opts, err);

  if (code == REBAL_OK) {
    code = rebali_answer_begin(ctx, snapshot, result, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  call.n_clusters = rebali_snapshot_rows(snapshot);
  call.table = rebali_result_table(result, REBAL_TABLE_COOLING);
  n = rebali_bindings_size(bindings);
  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    code = cool_binding(&call, (uint32_t)i);
  }
  return rebali_answer_end(ctx, result, code == REBAL_OK ? code : rebali_fail_memory(err));
}
