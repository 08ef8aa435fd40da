/* SPDX-License-Identifier: MIT */
/*
 * The calls that return an answer without writing back: whether a binding is due, and where its replicas go, phase by
 * phase.
 */
#include "scheduler/scheduler.h"

static int32_t decide_one(struct rebali_pass *pass, rebal_result *result, void *user_data) {
  const int64_t reason = rebali_decide_reason(pass);

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

struct phase_call {
  const struct rebali_phase *phase;
  const rebal_result *earlier; /* result of the preceding phase; NULL: the pass begins with the filters */
  int walks_groups;            /* affinity groups are tried in order; otherwise only the observed one */
};

static int32_t run_phase(struct rebali_pass *pass, const struct phase_call *call, struct rebali_failures *failures) {
  const struct rebali_phase *phase = call->phase;
  int32_t code;

  if (call->walks_groups && pass->placement->n_terms > 0 &&
      (pass->opts->flags & REBAL_SCHEDULE_FLAG_SINGLE_GROUP) == 0) {
    return rebali_groups_try(pass, failures);
  }
  code = rebali_pass_begin(
      pass, pass->is_new ? REBALI_TEXT("")
                         : rebali_bindings_text(pass->bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, pass->row));
  pass->all_topologies = phase == &rebali_phase_select;
  if (code == REBAL_OK && call->earlier != NULL) {
    code = phase->take(pass, call->earlier);
  }
  return code == REBAL_OK
             ? rebali_pass_stages(pass, call->earlier == NULL ? REBAL_STAGE_FILTER : phase->first, phase->last)
             : code;
}

static int32_t run_call(struct rebali_pass *pass, const struct phase_call *call, struct rebali_failures *failures) {
  *failures = (struct rebali_failures){NULL, &failures->first, 0};
  if (pass->placement == NULL) {
    rebali_buffer_init(&pass->message, rebali_ctx_allocator(pass->ctx));
    return rebali_pass_refuse_placement(pass);
  }
  return run_phase(pass, call, failures);
}

static const struct phase_call whole_call = {&rebali_phase_assign, NULL, 1};

int32_t rebali_schedule_pass(struct rebali_pass *pass, struct rebali_failures *failures) {
  return run_call(pass, &whole_call, failures);
}

static int32_t answer_phase(struct rebali_pass *pass, rebal_result *result, void *user_data) {
  const struct phase_call *call = user_data;
  const int64_t reason = rebali_decide_reason(pass);
  struct rebali_failures failures;
  int32_t code = run_call(pass, call, &failures);

  if (code == REBAL_OK && call->phase->write != NULL && call->phase->write(pass, result) != REBAL_OK) {
    code = rebali_fail_memory(pass->err);
  }
  if (code == REBAL_OK) {
    code = rebali_result_decision(result, pass, reason);
  }
  return code == REBAL_OK && call->phase->last == REBAL_STAGE_ASSIGN && rebali_pass_is_written(pass)
             ? rebali_ledger_spend(pass)
             : code;
}

static int32_t call_phase(const struct rebali_batch *batch, const struct rebali_phase *phase,
                          const rebal_result *earlier) {
  struct phase_call call = {phase, earlier, 0};

  if (earlier != NULL && earlier == batch->result) {
    return rebali_fail(batch->err, REBAL_EINVAL, -1, "a result cannot be read and filled by one call");
  }
  return rebali_batch_run(batch, answer_phase, &call);
}

int32_t rebal_score(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                    const rebal_result *verdicts, const rebal_schedule_opts *opts, rebal_result *result,
                    rebal_error *err) {
  const struct rebali_batch batch = {ctx, snapshot, bindings, opts, result, err, "rebal_score", NULL};

  return call_phase(&batch, &rebali_phase_score, verdicts);
}

int32_t rebal_select(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                     const rebal_result *scored, const rebal_schedule_opts *opts, rebal_result *result,
                     rebal_error *err) {
  const struct rebali_batch batch = {ctx, snapshot, bindings, opts, result, err, "rebal_select", NULL};

  return call_phase(&batch, &rebali_phase_select, scored);
}

int32_t rebal_assign(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                     const rebal_result *selected, const rebal_schedule_opts *opts, rebal_result *result,
                     rebal_error *err) {
  const struct rebali_batch batch = {ctx, snapshot, bindings, opts, result, err, "rebal_assign", NULL};

  return call_phase(&batch, &rebali_phase_assign, selected);
}

int32_t rebal_schedule(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                       const rebal_schedule_opts *opts, rebal_result *result, rebal_error *err) {
  const struct rebali_batch batch = {ctx, snapshot, bindings, opts, result, err, "rebal_schedule", NULL};
  struct phase_call call = whole_call;

  return rebali_batch_run(&batch, answer_phase, &call);
}
