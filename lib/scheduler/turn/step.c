/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's turn for a binding: exits, decision, affinity groups in order, write-back (rebalance-karmada(7) 2.1
 * to 2.7).
 */
#include "scheduler/scheduler.h"

static struct rebali_text text_of(const struct rebali_turn *turn, uint32_t column) {
  return rebali_bindings_text(turn->pass->bindings, column, turn->pass->row);
}

static int is_cluster_scoped(const struct rebali_turn *turn) {
  return rebali_bindings_i64(turn->pass->bindings, REBAL_BINDING_CLUSTER_SCOPED, turn->pass->row) != 0;
}

int rebali_is_scheduled_by(const rebal_bindings *bindings, uint32_t row, const rebal_schedule_opts *opts) {
  const struct rebali_text standard = REBALI_TEXT("default-scheduler");
  const struct rebali_text mine =
      opts->scheduler_name == NULL ? standard : rebali_text(opts->scheduler_name, (size_t)opts->scheduler_name_len);
  const struct rebali_text wanted = rebali_bindings_text(bindings, REBAL_BINDING_SCHEDULER_NAME, row);

  return rebali_text_equal(mine, wanted.len == 0 ? standard : wanted) &&
         !rebali_bindings_i64(bindings, REBAL_BINDING_SCHEDULING_SUSPENDED, row);
}

/* Returns whether this scheduler handles the binding (rebalance-karmada(7) 2.1). */
static int is_ours(const struct rebali_turn *turn) {
  const struct rebali_pass *pass = turn->pass;

  return rebali_is_scheduled_by(pass->bindings, pass->row, pass->opts) &&
         rebali_bindings_i64(pass->bindings, REBAL_BINDING_MANAGED, pass->row);
}

/* Appends "namespace/name", or the name alone for a ClusterResourceBinding. */
static void append_key(const struct rebali_turn *turn, struct rebali_buffer *out) {
  const struct rebali_text namespace_ = text_of(turn, REBAL_BINDING_NAMESPACE);
  const struct rebali_text name = text_of(turn, REBAL_BINDING_NAME);

  if (!is_cluster_scoped(turn)) {
    rebali_buffer_append(out, namespace_.bytes, namespace_.len);
    rebali_buffer_append(out, "/", 1);
  }
  rebali_buffer_append(out, name.bytes, name.len);
}

static int32_t warn(struct rebali_turn *turn, struct rebali_text message) {
  return rebali_write_event(turn, "Warning", "ScheduleBindingFailed", message);
}

/* Writes the text of a buffer as an event, Warning unless is_success. Disposes of the buffer. */
static int32_t report(struct rebali_turn *turn, struct rebali_buffer *text, int is_success) {
  const struct rebali_text message = rebali_text(text->bytes, text->len);
  const int32_t code = text->failed ? rebali_fail_memory(turn->pass->err)
                       : is_success ? rebali_write_event(turn, "Normal", "ScheduleBindingSucceed", message)
                                    : warn(turn, message);

  rebali_buffer_dispose(text);
  return code;
}

static int32_t report_deleting(struct rebali_turn *turn) {
  struct rebali_buffer text;

  rebali_buffer_init(&text, rebali_ctx_allocator(turn->pass->ctx));
  rebali_buffer_format(
      &text, "skip schedule deleting %s: ", is_cluster_scoped(turn) ? "clusterResourceBinding" : "resourceBinding");
  append_key(turn, &text);
  return report(turn, &text, 0);
}

/* Writes the event of a failed group, which it gets even if a later group succeeds. */
static int32_t report_group(struct rebali_turn *turn, const struct rebali_failure *failure) {
  struct rebali_buffer text;

  rebali_buffer_init(&text, rebali_ctx_allocator(turn->pass->ctx));
  rebali_buffer_format(&text, "failed to schedule %s(",
                       is_cluster_scoped(turn) ? "ClusterResourceBinding" : "ResourceBinding");
  append_key(turn, &text);
  rebali_buffer_format(&text, ") with clusterAffiliates index(%llu): ", (unsigned long long)failure->group);
  rebali_buffer_append(&text, failure->message.bytes, failure->message.len);
  return report(turn, &text, 0);
}

static int32_t report_groups(struct rebali_turn *turn) {
  int32_t code = REBAL_OK;

  for (const struct rebali_failure *failure = turn->failures.first; failure != NULL && code == REBAL_OK;
       failure = failure->next) {
    code = report_group(turn, failure);
  }
  return code;
}

static int32_t report_success(struct rebali_turn *turn) {
  const struct rebali_pass *pass = turn->pass;
  struct rebali_buffer text;

  rebali_buffer_init(&text, rebali_ctx_allocator(pass->ctx));
  rebali_buffer_format(&text, "Binding has been scheduled successfully. Result%s {",
                       is_cluster_scoped(turn) ? "" : ":");
  for (size_t i = 0; i < pass->n_placed; i++) {
    const struct rebali_text name = rebali_snapshot_name(pass->snapshot, pass->placed[i].cluster);

    rebali_buffer_append(&text, ", ", i == 0 ? 0 : 2);
    rebali_buffer_append(&text, name.bytes, name.len);
    rebali_buffer_append(&text, ":", 1);
    rebali_buffer_append_i64(&text, pass->placed[i].replicas);
  }
  rebali_buffer_append(&text, "}", 1);
  return report(turn, &text, 1);
}

static int32_t attempt(struct rebali_turn *turn) {
  struct rebali_pass *pass = turn->pass;
  int32_t code;

  if (pass->placement->n_terms > 0) {
    return rebali_groups_try(pass, &turn->failures);
  }
  code = rebali_pass_begin(pass, text_of(turn, REBAL_BINDING_OBSERVED_AFFINITY_NAME));
  return code == REBAL_OK ? rebali_pass_run(pass) : code;
}

/*
 * Returns whether no event of the failure is needed. With groups each failure has its own event, and a final event
 * follows only if a write was needed.
 */
static int is_reported(const struct rebali_turn *turn) {
  return turn->pass->placement->n_terms > 0 && !turn->has_failed_write &&
         turn->pass->outcome != REBAL_OUTCOME_NO_CLUSTER_FIT && turn->pass->outcome != REBAL_OUTCOME_PARTIAL;
}

/* Writes the last events and the condition, after all other writes. */
static int32_t write_result(struct rebali_turn *turn) {
  const struct rebali_pass *pass = turn->pass;
  struct rebali_text message = rebali_text(pass->message.bytes, pass->message.len);
  int32_t code = REBAL_OK;

  if (rebali_write_observed(turn, REBALI_WRITE_STATUS) != NULL) {
    return REBAL_OK; /* the turn is over */
  }
  turn->next_event = turn->first_write + REBALI_WRITE_STATUS + 1;
  if (!rebali_pass_refused(pass)) {
    code = report_success(turn);
  }
  if (code == REBAL_OK && pass->outcome != REBAL_OUTCOME_SCHEDULED && !is_reported(turn)) {
    code = warn(turn, message);
  }
  if (pass->outcome == REBAL_OUTCOME_SCHEDULED) {
    message = REBALI_TEXT("Binding has been scheduled successfully.");
  } else if (pass->outcome == REBAL_OUTCOME_QUOTA_EXCEEDED) {
    message = turn->quota_message;
  }
  return code == REBAL_OK ? rebali_write_status(turn, message) : code;
}

static int64_t final_state(const struct rebali_turn *turn) {
  const int64_t outcome = turn->pass->outcome;

  return outcome == REBAL_OUTCOME_SCHEDULED || outcome == REBAL_OUTCOME_UNCHANGED ||
                 (outcome == REBAL_OUTCOME_NO_CLUSTER_FIT && !turn->has_failed_write)
             ? REBAL_STEP_STATE_DONE
             : REBAL_STEP_STATE_RETRY;
}

static int32_t write_step(struct rebali_turn *turn, int64_t state) {
  const struct rebali_pass *pass = turn->pass;
  const struct rebali_step step = {state, pass->outcome, rebali_text(pass->message.bytes, pass->message.len),
                                   REBAL_ABSENT};

  if (rebali_result_add_step(turn->result, &step) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  return rebali_result_decision(turn->result, pass, turn->reason);
}

/* Ends a turn that does not schedule: the step with its outcome, and what is written nevertheless. */
static int32_t leave(struct rebali_turn *turn, int64_t outcome) {
  int32_t code = REBAL_OK;

  turn->pass->outcome = outcome;
  if (turn->reason == REBAL_REASON_DELETING) {
    code = report_deleting(turn);
  } else if (outcome == REBAL_OUTCOME_UNCHANGED) {
    code = rebali_write_generation(turn);
    code = code == REBAL_OK ? rebali_status_judge(turn) : code;
  }
  return code == REBAL_OK
             ? write_step(turn, outcome == REBAL_OUTCOME_SKIPPED ? REBAL_STEP_STATE_SKIPPED : final_state(turn))
             : code;
}

static int32_t refuse_placement(struct rebali_turn *turn) {
  const int32_t code = rebali_pass_refuse_placement(turn->pass);

  return code == REBAL_OK ? write_step(turn, REBAL_STEP_STATE_RETRY) : code;
}

/* State shared by one run over a set of bindings. */
struct run {
  rebal_builder *builder;
  rebal_time now;
  int is_over; /* a waiting binding must not be overtaken by later ones in the ledger */
};

/* Handles a decision: gives the writes and, when none is outstanding, the result. */
static int32_t conclude(struct rebali_turn *turn, struct run *run) {
  struct rebali_pass *pass = turn->pass;
  const size_t n_placed = pass->n_placed; /* restored below: other failed writes do not undo that of the clusters */
  int is_waiting = 0;
  int32_t code;

  rebali_writes_plan(turn);
  code = rebali_writes_begun(turn) || rebali_write_observed(turn, REBALI_WRITE_STATUS) != NULL ? REBAL_OK
                                                                                               : report_groups(turn);
  code = code == REBAL_OK ? rebali_writes_give(turn, &is_waiting) : code;
  if (code != REBAL_OK) {
    return code;
  }
  if (is_waiting) {
    run->is_over = pass->opts->ledger != NULL;
    return write_step(turn, REBAL_STEP_STATE_WAITING);
  }
  code = rebali_writes_judge(turn);
  code = code == REBAL_OK ? write_result(turn) : code;
  code = code == REBAL_OK ? rebali_status_judge(turn) : code;
  code = code == REBAL_OK ? write_step(turn, final_state(turn)) : code;
  pass->n_placed = n_placed;
  return code == REBAL_OK && rebali_writes_landed(turn) ? rebali_ledger_spend(pass) : code;
}

static int32_t take_turn(struct rebali_pass *pass, rebal_result *result, void *user_data) {
  struct run *run = user_data;
  struct rebali_turn turn = {.pass = pass, .result = result, .builder = run->builder, .now = run->now};
  int32_t code;

  if (run->is_over) {
    return REBAL_OK;
  }
  rebali_buffer_init(&pass->message, rebali_ctx_allocator(pass->ctx));
  if (!is_ours(&turn)) {
    return leave(&turn, REBAL_OUTCOME_SKIPPED);
  }
  turn.reason = rebali_decide_reason(pass);
  if (turn.reason == REBAL_REASON_DELETING) {
    return leave(&turn, REBAL_OUTCOME_SKIPPED);
  }
  if (pass->placement == NULL) {
    return refuse_placement(&turn);
  }
  if (turn.reason == REBAL_REASON_NONE) {
    return leave(&turn, REBAL_OUTCOME_UNCHANGED);
  }
  code = attempt(&turn);
  return code == REBAL_OK ? conclude(&turn, run) : code;
}

int32_t rebal_scheduler_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                             const rebal_time *now, const rebal_schedule_opts *opts, rebal_result *result,
                             rebal_error *err) {
  const struct rebali_batch batch = {ctx, snapshot, bindings, opts, result, err, "rebal_scheduler_step", now};
  struct run run = {NULL, {0, 0, 0}, 0};
  int32_t code = ctx == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "ctx is NULL") : rebali_clock_check(now, err);

  if (code != REBAL_OK) {
    return code;
  }
  run.now = *now;
  code = rebal_builder_new(rebali_ctx_allocator(ctx), &run.builder, err);
  if (code == REBAL_OK) {
    code = rebali_batch_run(&batch, take_turn, &run);
    rebal_builder_free(run.builder);
  }
  return code;
}
