/* SPDX-License-Identifier: MIT */
/* The calls that answer without writing back: whether a binding is due, and where its replicas go. */
#include "scheduler/scheduler.h"

static int32_t decide_one(struct rebali_pass *pass, rebal_result *result, void *user_data) {
  const int64_t reason = rebali_decide_reason(pass->snapshot, pass->bindings, pass->row, pass->opts->compat);

  (void)user_data;
  pass->outcome = REBAL_OUTCOME_SCHEDULED;
  if (reason == REBAL_REASON_DELETING) {
    pass->outcome = REBAL_OUTCOME_SKIPPED;
  } else if (reason == REBAL_REASON_NONE) {
    pass->outcome = REBAL_OUTCOME_UNCHANGED;
  }
  pass->is_fresh = rebali_reschedule_required(pass->bindings, pass->row);
  return rebali_result_decision(result, pass, reason);
}

int32_t rebal_decide(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                     const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err) {
  const struct rebali_batch batch = {ctx, snapshot, bindings, opts, result, err, "rebal_decide", NULL};

  return rebali_batch_run(&batch, decide_one, NULL);
}

static int32_t schedule_one(struct rebali_pass *pass, rebal_result *result, void *user_data) {
  const int64_t reason = rebali_decide_reason(pass->snapshot, pass->bindings, pass->row, pass->opts->compat);
  int32_t code;

  (void)user_data;
  if (pass->placement == NULL) {
    rebali_buffer_init(&pass->message, rebali_ctx_allocator(pass->ctx));
    code = rebali_pass_refuse_placement(pass);
  } else {
    code =
        rebali_pass_begin(pass, rebali_bindings_text(pass->bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, pass->row));
    code = code == REBAL_OK ? rebali_pass_run(pass) : code;
  }
  if (code == REBAL_OK) {
    code = rebali_result_decision(result, pass, reason);
  }
  return code == REBAL_OK && !rebali_pass_refused(pass) ? rebali_ledger_spend(pass) : code;
}

int32_t rebal_schedule(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                       const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err) {
  const struct rebali_batch batch = {ctx, snapshot, bindings, opts, result, err, "rebal_schedule", NULL};

  return rebali_batch_run(&batch, schedule_one, NULL);
}
