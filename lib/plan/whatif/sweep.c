/* SPDX-License-Identifier: MIT */
/*
 * Computes the effects of each loss. Bindings are the outer loop: a binding is decided once without a loss, and then
 * only with the losses that may change its answer, while its compiled form and its holdings are in memory. Losses are
 * still independent: none sees the effects of another (shifts.c).
 */
#include "plan/whatif/whatif.h"

static int32_t check_schedule(const struct rebali_sweep *sweep, const rebal_schedule_opts *given, rebal_error *err) {
  if ((given->flags & REBAL_SCHEDULE_FLAG_FINGERPRINT) != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a sweep has no fingerprint");
  }
  if (given->first_row != 0 || given->max_work != 0) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a sweep decides all bindings: first_row and max_work must be 0");
  }
  return sweep->losses.n < UINT32_MAX ? REBAL_OK : rebali_fail(err, REBAL_ELIMIT, -1, "too many losses");
}

static int32_t set_range(struct rebali_sweep *sweep) {
  const uint64_t n = sweep->losses.n;

  if (sweep->opts.first_loss > n) {
    return rebali_fail(sweep->question.err, REBAL_EINVAL, -1, "first_loss is after the last loss");
  }
  sweep->first = (size_t)sweep->opts.first_loss;
  sweep->end = (size_t)n;
  if (sweep->opts.max_work != 0 && sweep->opts.max_work < n - sweep->first) {
    sweep->end = sweep->first + (size_t)sweep->opts.max_work;
  }
  return REBAL_OK;
}

/* Lists the losses of each cluster. */
static int32_t index_losses(struct rebali_sweep *sweep) {
  const size_t rows = rebali_snapshot_rows(sweep->question.snapshot);
  size_t *first = rebali_arena_allocate_zero(&sweep->arena, rows + 2, sizeof *first);
  size_t n = 0;

  if (first == NULL) {
    return REBAL_ENOMEM;
  }
  for (size_t loss = sweep->first; loss < sweep->end; loss++) {
    const struct rebali_loss *lost = &sweep->losses.list[loss];

    for (size_t i = 0; i < lost->n; i++) {
      first[lost->clusters[i] + 2]++;
    }
    n += lost->n;
  }
  for (size_t row = 2; row < rows + 2; row++) {
    first[row] += first[row - 1];
  }
  sweep->losses_of = rebali_arena_allocate(&sweep->arena, n, sizeof *sweep->losses_of);
  for (size_t loss = sweep->first; sweep->losses_of != NULL && loss < sweep->end; loss++) {
    const struct rebali_loss *lost = &sweep->losses.list[loss];

    for (size_t i = 0; i < lost->n; i++) {
      sweep->losses_of[first[lost->clusters[i] + 1]++] = (uint32_t)(loss - sweep->first);
    }
  }
  sweep->first_of = first;
  return sweep->losses_of == NULL ? REBAL_ENOMEM : REBAL_OK;
}

static int32_t allocate(struct rebali_sweep *sweep) {
  const size_t rows = (size_t)rebali_snapshot_rows(sweep->question.snapshot) + 1;
  const size_t n = sweep->end - sweep->first + 1;

  sweep->lost = rebali_arena_allocate_zero(&sweep->arena, REBALI_BITSET_WORDS(rows), sizeof *sweep->lost);
  sweep->picked = rebali_arena_allocate(&sweep->arena, n, sizeof *sweep->picked);
  sweep->is_picked = rebali_arena_allocate_zero(&sweep->arena, REBALI_BITSET_WORDS(n), sizeof *sweep->is_picked);
  sweep->by_loss = rebali_arena_allocate_zero(&sweep->arena, n, sizeof *sweep->by_loss);
  if (sweep->lost == NULL || sweep->picked == NULL || sweep->is_picked == NULL || sweep->by_loss == NULL ||
      rebali_layout_init(&sweep->present, &sweep->arena, rows) != REBAL_OK ||
      rebali_layout_init(&sweep->base, &sweep->arena, rows) != REBAL_OK ||
      rebali_layout_init(&sweep->trial, &sweep->arena, rows) != REBAL_OK) {
    return REBAL_ENOMEM;
  }
  return index_losses(sweep);
}

/* Copies the caller's ledger if decisions read it. Otherwise charges are never read. */
static int32_t open_ledger(struct rebali_sweep *sweep) {
  rebal_schedule_opts *opts = &sweep->question.opts;
  const rebal_ledger *given = opts->ledger;
  const size_t n = sweep->end - sweep->first + 1;

  opts->ledger = NULL;
  if (given == NULL || !rebali_compat_value(opts->compat, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION)) {
    return REBAL_OK;
  }
  sweep->shifts = rebali_arena_allocate_zero(&sweep->arena, n, sizeof *sweep->shifts);
  if (sweep->shifts == NULL || rebali_intern_new(sweep->allocator, &sweep->keys) != REBAL_OK ||
      rebali_offsets_init(&sweep->offsets, sweep->allocator, &sweep->arena,
                          rebali_snapshot_rows(sweep->question.snapshot), n) != REBAL_OK) {
    return rebali_fail_memory(sweep->question.err);
  }
  return rebal_ledger_fork(given, &opts->ledger, sweep->question.err);
}

static int32_t prepare(struct rebali_sweep *sweep) {
  struct rebali_use *use = &sweep->use;

  use->arena = &sweep->arena;
  use->allocator = sweep->allocator;
  use->snapshot = sweep->question.snapshot;
  use->bindings = sweep->question.bindings;
  if (allocate(sweep) != REBAL_OK || rebali_use_init(use, sweep->question.opts.ledger) != REBAL_OK) {
    return rebali_fail_memory(sweep->question.err);
  }
  return open_ledger(sweep);
}

static int32_t run(struct rebali_sweep *sweep, rebal_result *result) {
  const size_t n = rebali_bindings_size(sweep->question.bindings);
  int32_t code = prepare(sweep);

  for (size_t row = 0; row < n && sweep->end > sweep->first && code == REBAL_OK; row++) {
    code = rebali_sweep_binding(sweep, (uint32_t)row);
  }
  return code == REBAL_OK && sweep->end > sweep->first ? rebali_sweep_write(sweep, result) : code;
}

static int32_t list_losses(struct rebali_sweep *sweep, const rebal_sweep_opts *opts) {
  const rebal_snapshot *snapshot = sweep->question.snapshot;
  int32_t code = rebali_losses_check(snapshot, opts, &sweep->opts, sweep->question.err);

  if (code == REBAL_OK && rebali_losses_list(&sweep->arena, snapshot, &sweep->opts, &sweep->losses) != REBAL_OK) {
    code = rebali_fail_memory(sweep->question.err);
  }
  return code;
}

/* Checks that the context is given and not in use. */
static int32_t open_sweep(struct rebali_sweep *sweep, rebal_ctx *ctx, rebal_snapshot *snapshot, rebal_error *err) {
  const int32_t code = rebali_ctx_begin(ctx, err);

  memset(sweep, 0, sizeof *sweep);
  if (code != REBAL_OK) {
    return code;
  }
  rebali_ctx_end(ctx);
  if (snapshot == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "snapshot is NULL");
  }
  sweep->question.ctx = ctx;
  sweep->question.snapshot = snapshot;
  sweep->question.err = err;
  sweep->allocator = rebali_ctx_allocator(ctx);
  rebali_arena_init(&sweep->arena, sweep->allocator, 0);
  rebali_arena_init(&sweep->turn, sweep->allocator, 0);
  return REBAL_OK;
}

void rebali_sweep_close(struct rebali_sweep *sweep) {
  if (sweep->shifts != NULL) {
    rebal_ledger_free(sweep->question.opts.ledger);
  }
  rebali_intern_free(sweep->keys);
  rebali_offsets_dispose(&sweep->offsets);
  rebali_use_dispose(&sweep->use);
  rebali_release(sweep->allocator, sweep->changes);
  rebali_release(sweep->allocator, sweep->affected);
  rebali_arena_dispose(&sweep->turn);
  rebali_arena_dispose(&sweep->arena);
}

int32_t rebal_sweep_count(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_sweep_opts *opts, uint64_t *n,
                          rebal_error *err) {
  struct rebali_sweep sweep;
  int32_t code = open_sweep(&sweep, ctx, snapshot, err);

  if (code != REBAL_OK) {
    return code;
  }
  code = n == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "n is NULL") : list_losses(&sweep, opts);
  if (code == REBAL_OK) {
    *n = sweep.losses.n;
  }
  rebali_sweep_close(&sweep);
  return code;
}

int32_t rebali_sweep_open(struct rebali_sweep *sweep, rebal_ctx *ctx, rebal_snapshot *snapshot,
                          const rebal_bindings *bindings, const rebal_sweep_opts *opts, rebal_error *err) {
  size_t end;
  int32_t code = open_sweep(sweep, ctx, snapshot, err);

  if (code != REBAL_OK) {
    return code;
  }
  sweep->question.bindings = bindings;
  code = list_losses(sweep, opts);
  code = code == REBAL_OK
             ? rebali_schedule_check(snapshot, bindings, sweep->opts.schedule, &sweep->question.opts, &end, err)
             : code;
  code = code == REBAL_OK ? check_schedule(sweep, &sweep->question.opts, err) : code;
  code = code == REBAL_OK ? set_range(sweep) : code;
  sweep->question.opts.explain_rows = 0;
  sweep->question.opts.observations = NULL;
  if (code != REBAL_OK) {
    rebali_sweep_close(sweep);
  }
  return code;
}

int32_t rebal_sweep(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                    const rebal_sweep_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_sweep sweep;
  int32_t code = rebali_sweep_open(&sweep, ctx, snapshot, bindings, opts, err);

  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_result_begin(result, err);
  if (code == REBAL_OK) {
    rebali_snapshot_hold(snapshot, result);
    code = run(&sweep, result);
    if (code != REBAL_OK) {
      rebal_result_reset(result);
    }
  }
  rebali_sweep_close(&sweep);
  return code;
}
