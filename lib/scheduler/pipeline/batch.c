/* SPDX-License-Identifier: MIT */
/* The loop of every call that handles a set of bindings, one after another. */
#include "scheduler/scheduler.h"

static int32_t answer_one(const struct rebali_batch *batch, const rebal_schedule_opts *opts, uint32_t row,
                          rebali_answer answer, void *user_data) {
  const int64_t handle = rebali_bindings_i64(batch->bindings, REBAL_BINDING_PLACEMENT, row);
  struct rebali_result_mark mark;
  struct rebali_explain explain;
  struct rebali_pass pass;
  int32_t code = rebali_ctx_begin(batch->ctx, batch->err);

  if (code != REBAL_OK) {
    return code;
  }
  rebali_result_mark(batch->result, &mark);
  memset(&pass, 0, sizeof pass);
  pass.ctx = batch->ctx;
  pass.snapshot = batch->snapshot;
  pass.opts = opts;
  pass.bindings = batch->bindings;
  pass.row = row;
  pass.err = batch->err;
  if (opts->explain_rows > 0) {
    rebali_explain_begin(&explain, batch->result, opts->explain_rows);
    pass.explain = &explain;
  }
  if (handle != REBAL_NONE) {
    code = rebali_placement_get(batch->ctx, batch->snapshot, (uint32_t)handle, &pass.placement, batch->err);
  }
  if (code == REBAL_OK) {
    code = answer(&pass, batch->result, user_data);
    rebali_pass_dispose(&pass);
  }
  rebali_ctx_end(batch->ctx);
  if (code != REBAL_OK) {
    rebali_result_rewind(batch->result, &mark);
  }
  return code;
}

int32_t rebali_batch_run(const struct rebali_batch *batch, rebali_answer answer, void *user_data) {
  rebal_schedule_opts opts;
  size_t end;
  int32_t code = rebali_schedule_check(batch->snapshot, batch->bindings, batch->opts, &opts, &end, batch->err);

  if (code == REBAL_OK) {
    code = rebali_result_begin(batch->result, batch->err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  rebali_snapshot_hold(batch->snapshot, batch->result);
  if ((opts.flags & REBAL_SCHEDULE_FLAG_FINGERPRINT) != 0) {
    rebali_batch_sign(batch, &opts, end);
  }
  for (size_t row = (size_t)opts.first_row; row < end && code == REBAL_OK; row++) {
    code = answer_one(batch, &opts, (uint32_t)row, answer, user_data);
  }
  return code;
}
