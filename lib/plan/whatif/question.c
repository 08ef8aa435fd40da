/* SPDX-License-Identifier: MIT */
/* Decides one binding as rebal_schedule() does, without a result: the answer is read from the pass. */
#include "plan/whatif/whatif.h"

static int32_t decide(struct rebali_pass *pass, const struct rebali_decision_request *request,
                      rebali_question_read read, void *user_data) {
  struct rebali_failures failures;
  int32_t code = rebali_schedule_pass(pass, &failures);

  if (code == REBAL_OK && request->beside != NULL && request->beside->is_void) {
    return REBAL_OK;
  }
  if (code == REBAL_OK && request->is_charged && rebali_pass_is_written(pass)) {
    code = rebali_ledger_spend(pass);
  }
  return code == REBAL_OK ? read(pass, &failures, user_data) : code;
}

int32_t rebali_question_run(const struct rebali_question *question, uint32_t row,
                            const struct rebali_decision_request *request, rebali_question_read read, void *user_data) {
  const int64_t own = rebali_bindings_i64(question->bindings, REBAL_BINDING_PLACEMENT, row);
  const int64_t handle = request->placement != NULL ? *request->placement : own;
  struct rebali_pass pass;
  int32_t code = REBAL_OK;

  rebali_ctx_resume(question->ctx);
  memset(&pass, 0, sizeof pass);
  pass.ctx = question->ctx;
  pass.snapshot = question->snapshot;
  pass.opts = &question->opts;
  pass.bindings = question->bindings;
  pass.row = row;
  pass.err = question->err;
  pass.lost = request->lost;
  pass.beside = request->beside;
  pass.trigger = request->trigger;
  pass.is_new = request->is_new;
  pass.new_replicas = request->replicas;
  if (handle != REBAL_NONE) {
    code = rebali_placement_get(pass.ctx, pass.snapshot, (uint32_t)handle, &pass.placement, pass.err);
  }
  if (code == REBAL_OK) {
    code = request->decide != NULL ? request->decide(&pass, user_data) : decide(&pass, request, read, user_data);
    rebali_pass_dispose(&pass);
  }
  rebali_ctx_end(question->ctx);
  return code;
}

int32_t rebali_question_decide(const struct rebali_question *question, uint32_t row, const uint64_t *lost,
                               rebali_question_read read, void *user_data) {
  const struct rebali_decision_request request = {.lost = lost, .trigger = REBALI_TRIGGER_NONE, .is_charged = 1};

  return rebali_question_run(question, row, &request, read, user_data);
}
