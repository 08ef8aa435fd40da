/* SPDX-License-Identifier: MIT */
#include "descheduler/descheduler.h"

/* Returns the largest number of targets of a binding. */
static size_t most_targets(const rebal_bindings *bindings) {
  const size_t n = rebali_bindings_size(bindings);
  size_t most = 0;

  for (size_t i = 0; i < n; i++) {
    size_t targets;

    (void)rebali_bindings_children(bindings, REBAL_TABLE_TARGET, (uint32_t)i, &targets); /* rows have 32-bit ids */
    most = targets > most ? targets : most;
  }
  return most;
}

static int32_t reserve_space(struct rebali_deschedule_call *call) {
  struct rebali_arena *scratch = rebali_ctx_scratch(call->ctx);
  const uint32_t rows = rebali_snapshot_rows(call->every.snapshot);

  call->ready = rebali_arena_allocate(scratch, rows, sizeof *call->ready);
  call->lacks = rebali_arena_allocate(scratch, most_targets(call->every.bindings), sizeof *call->lacks);
  if (call->ready == NULL || call->lacks == NULL) {
    return rebali_fail_memory(call->every.err);
  }
  for (uint32_t i = 0; i < rows; i++) {
    call->ready[i] = REBALI_READY_UNKNOWN;
  }
  return REBAL_OK;
}

/* Adds the timer of the next run, which belongs to no binding. */
static int32_t add_wake(const struct rebali_deschedule_call *call) {
  struct rebali_action wake = {.kind = REBAL_ACTION_KIND_WAKE, .row = REBAL_ABSENT};
  int32_t code;

  wake.ordinal = (int64_t)rebal_result_count(call->every.result, REBAL_TABLE_ACTION);
  wake.not_before = rebali_time_after(call->every.now, call->opts.interval_ns);
  code = rebali_result_add_action(call->every.result, &wake);
  if (code != REBAL_OK) {
    rebal_result_reset(call->every.result);
    return rebali_fail(call->every.err, code, -1, "%s", rebal_strerror(code));
  }
  return REBAL_OK;
}

/*
 * Sets the ordinal of a patch to its binding, so that it is found however many events precede it. Other ordinals
 * follow.
 */
static void number_by_binding(const struct rebali_deschedule_call *call) {
  struct rebali_table *table = rebali_result_table(call->every.result, REBAL_TABLE_ACTION);
  const size_t n = rebal_result_count(call->every.result, REBAL_TABLE_ACTION);
  const size_t n_bindings = rebali_bindings_size(call->every.bindings);

  for (size_t i = 0; i < n; i++) {
    const int is_patch = rebali_table_i64(table, REBAL_ACTION_KIND, i) == REBAL_ACTION_KIND_PATCH_SPEC;

    *rebali_table_integers(table, REBAL_ACTION_ORDINAL, i) =
        is_patch ? rebali_table_i64(table, REBAL_ACTION_ROW, i) : (int64_t)(n_bindings + i);
  }
}

static int32_t run(struct rebali_deschedule_call *call) {
  int32_t code = reserve_space(call);

  call->pods = (struct rebali_unschedulable){.ctx = call->ctx,
                                             .snapshot = call->every.snapshot,
                                             .now = call->every.now,
                                             .threshold_ns = call->opts.threshold_ns,
                                             .any_kind = (call->opts.flags & REBAL_DESCHEDULE_FLAG_ANY_KIND) != 0};
  if (code == REBAL_OK) {
    code = rebali_caps_begin(call);
  }
  if (code == REBAL_OK) {
    code = rebali_every_binding_run(&call->every, rebali_deschedule_visit);
  }
  rebali_caps_end(call);
  rebali_unschedulable_end(&call->pods);
  if (code == REBAL_OK) {
    code = add_wake(call);
  }
  if (code == REBAL_OK && call->opts.observations != NULL) {
    number_by_binding(call);
  }
  return code;
}

int32_t rebal_deschedule_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                              const rebal_time *now, const rebal_deschedule_opts *opts, rebal_result *result,
                              rebal_error *err) {
  struct rebali_deschedule_call call = {.every = {snapshot, bindings, now, result, err, NULL}, .ctx = ctx};
  int32_t code = rebali_every_binding_check(&call.every);

  if (code == REBAL_OK) {
    code = rebali_deschedule_load(&call, opts);
  }
  if (code == REBAL_OK) {
    code = rebali_ctx_begin(ctx, err);
  }
  if (code == REBAL_OK) {
    code = run(&call);
    rebali_ctx_end(ctx);
  }
  return code;
}
