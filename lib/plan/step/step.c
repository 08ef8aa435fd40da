/* SPDX-License-Identifier: MIT */
/* The public call that carries out a plan. */
#include "plan/step/karmada.h"

#define FIRST_OPTS_SIZE sizeof(rebal_plan_step_opts)
#define KNOWN_FLAGS                                                                                                 \
  (uint32_t)(REBAL_PLAN_STEP_FLAG_BACK | REBAL_PLAN_STEP_FLAG_OWN_NOT_COUNTED | REBAL_PLAN_STEP_FLAG_ANY_CAPACITY | \
             REBAL_PLAN_STEP_FLAG_TAKE_OVER | REBAL_PLAN_STEP_FLAG_BUDGETS_OVER_CLUSTERS)

static int32_t check_options(struct rebali_wave_call *call) {
  rebal_error *err = call->every.err;
  const rebal_plan_step_opts *opts = &call->opts;

  if ((opts->flags & ~KNOWN_FLAGS) != 0 || opts->reserved0 != 0) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "a reserved option is set");
  }
  if (opts->dialect != REBAL_PLAN_DIALECT_PLAIN && opts->dialect != REBAL_PLAN_DIALECT_KARMADA) {
    return rebali_fail(err, REBAL_EINVAL, -1, "no dialect has the number %ld", (long)opts->dialect);
  }
  if (opts->interval_ns < 0) {
    return rebali_fail(err, REBAL_ERANGE, -1, "interval_ns is negative");
  }
  if (opts->ledger != NULL && rebali_ledger_fleet(opts->ledger) != rebali_snapshot_fleet(call->every.snapshot)) {
    return rebali_fail(err, REBAL_EMISMATCH, -1, "ledger and snapshot are of different fleets");
  }
  if (opts->next_wave == NULL || !opts->next_wave->is_set) {
    return REBAL_OK;
  }
  call->next_wave = *opts->next_wave;
  return rebali_time_check(opts->next_wave, -1, err);
}

static int32_t check(struct rebali_wave_call *call, const rebal_plan_step_opts *opts) {
  int32_t code = rebali_options_load(&call->opts, sizeof call->opts, FIRST_OPTS_SIZE, opts, call->every.err);

  if (code == REBAL_OK && call->plan == NULL) {
    code = rebali_fail(call->every.err, REBAL_EINVAL, -1, "plan is NULL");
  }
  if (code == REBAL_OK) {
    code = rebali_every_binding_check(&call->every);
  }
  return code == REBAL_OK ? check_options(call) : code;
}

/* Applies the result of a write of this wave. That write is not sent again. */
static void apply_observation(const struct rebali_wave_call *call, struct rebali_wave_row *row, size_t ordinal) {
  const struct rebali_observation *seen = rebali_observation_find(call->opts.observations, (int64_t)ordinal);

  if (seen == NULL || row->state != REBAL_WAVE_STATE_MOVING) {
    return;
  }
  row->cluster = REBAL_NONE;
  row->state = REBAL_WAVE_STATE_WAITING;
  if (seen->outcome == REBAL_OBSERVED_DONE) {
    row->reason = REBAL_WAVE_REASON_WRITTEN;
  } else if (seen->outcome == REBAL_OBSERVED_CONFLICT || seen->outcome == REBAL_OBSERVED_NOT_FOUND) {
    row->reason = REBAL_WAVE_REASON_CONFLICT;
  } else {
    row->state = REBAL_WAVE_STATE_BLOCKED;
    row->reason = REBAL_WAVE_REASON_REFUSED;
    row->message = seen->message;
  }
}

/* A next_wave from another clock or interval may be too far away; it is then moved closer permanently. */
static void apply_pace(struct rebali_wave_call *call, struct rebali_wave_row *row) {
  const int64_t interval = call->opts.interval_ns;
  const int64_t left =
      interval == 0 || !call->next_wave.is_set ? 0 : rebali_time_left_ns(call->every.now, &call->next_wave, 0);

  if (row->state != REBAL_WAVE_STATE_MOVING) {
    return;
  }
  if (left <= 0) {
    call->n_writes++;
    return;
  }
  if (left > interval) {
    call->next_wave = rebali_time_after(call->every.now, interval);
  }
  call->n_paced++;
  row->state = REBAL_WAVE_STATE_WAITING;
  row->reason = REBAL_WAVE_REASON_PACED;
  row->after_ns = left < interval ? left : interval;
}

static int32_t answer(struct rebali_wave_call *call) {
  int32_t code = rebali_wave_guards_read(call);

  if (code != REBAL_OK) {
    return code;
  }
  code = rebali_wave_observe(call);
  if (code == REBAL_OK) {
    code = rebali_wave_guards_allow(call);
  }
  if (code == REBAL_OK) {
    code = rebali_wave_charge_all(call);
  }
  for (size_t i = 0; code == REBAL_OK && i < call->n_rows; i++) {
    if (call->rows[i].state == 0) {
      rebali_wave_guards_match(call, &call->rows[i]);
      code = call->opts.dialect == REBAL_PLAN_DIALECT_KARMADA ? rebali_karmada_next(call, &call->rows[i])
                                                              : rebali_wave_next(call, &call->rows[i]);
      apply_observation(call, &call->rows[i], i);
      apply_pace(call, &call->rows[i]);
    }
  }
  if (code == REBAL_OK) {
    code = rebali_wave_settle(call);
  }
  return code == REBAL_OK ? rebali_wave_write(call) : rebali_fail_memory(call->every.err);
}

int32_t rebal_plan_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                        const rebal_plan *plan, const rebal_time *now, const rebal_plan_step_opts *opts,
                        rebal_result *result, rebal_error *err) {
  struct rebali_wave_call call = {.every = {snapshot, bindings, now, result, err, NULL}, .ctx = ctx, .plan = plan};
  int32_t code = check(&call, opts);

  if (code == REBAL_OK) {
    code = rebali_answer_begin(ctx, snapshot, result, err);
  }
  if (code != REBAL_OK) {
    return code;
  }
  call.arena = rebali_ctx_scratch(ctx);
  code = answer(&call);
  rebal_ledger_free(call.ledger);
  return rebali_answer_end(ctx, result, code);
}
