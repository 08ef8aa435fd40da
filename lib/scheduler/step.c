/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's turn for a binding: exits, decision, affinity groups in turn, write-back (spec karmada 2.1 to 2.7).
 */
#include "scheduler/scheduler.h"

struct turn {
  struct rebali_pass *pass;
  struct rebali_write_back write;
  int64_t reason;
};

static struct rebali_text text_of(const struct turn *turn, uint32_t column) {
  return rebali_bindings_text(turn->pass->bindings, column, turn->pass->row);
}

static int is_cluster_scoped(const struct turn *turn) {
  return rebali_bindings_i64(turn->pass->bindings, REBAL_BINDING_CLUSTER_SCOPED, turn->pass->row) != 0;
}

/* Spec karmada 2.1. */
static int is_ours(const struct turn *turn) {
  const rebal_schedule_opts *opts = turn->pass->opts;
  const struct rebali_text standard = REBALI_TEXT("default-scheduler");
  struct rebali_text mine = standard;
  struct rebali_text wanted = text_of(turn, REBAL_BINDING_SCHEDULER_NAME);

  if (opts->scheduler_name != NULL) {
    mine = rebali_text(opts->scheduler_name, (size_t)opts->scheduler_name_len);
  }
  if (wanted.len == 0) {
    wanted = standard;
  }
  return rebali_text_equal(mine, wanted) &&
         !rebali_bindings_i64(turn->pass->bindings, REBAL_BINDING_SCHEDULING_SUSPENDED, turn->pass->row) &&
         rebali_bindings_i64(turn->pass->bindings, REBAL_BINDING_MANAGED, turn->pass->row);
}

/* "namespace/name", or the name alone for a ClusterResourceBinding. */
static void append_key(const struct turn *turn, struct rebali_buffer *out) {
  const struct rebali_text namespace_name = text_of(turn, REBAL_BINDING_NAMESPACE);
  const struct rebali_text name = text_of(turn, REBAL_BINDING_NAME);

  if (!is_cluster_scoped(turn)) {
    rebali_buffer_append(out, namespace_name.bytes, namespace_name.len);
    rebali_buffer_append(out, "/", 1);
  }
  rebali_buffer_append(out, name.bytes, name.len);
}

/* A Warning event; its text is what the buffer holds, which is given back. */
static int32_t warn(struct turn *turn, struct rebali_buffer *text) {
  const int32_t code = text->failed ? rebali_fail_memory(turn->pass->err)
                                    : rebali_write_event(&turn->write, "Warning", "ScheduleBindingFailed",
                                                         rebali_text(text->bytes, text->len));

  rebali_buffer_dispose(text);
  return code;
}

static int32_t warn_deleting(struct turn *turn) {
  struct rebali_buffer text;

  rebali_buffer_init(&text, rebali_ctx_allocator(turn->pass->ctx));
  rebali_buffer_format(
      &text, "skip schedule deleting %s: ", is_cluster_scoped(turn) ? "clusterResourceBinding" : "resourceBinding");
  append_key(turn, &text);
  return warn(turn, &text);
}

static int32_t warn_group(struct turn *turn, size_t index) {
  const struct rebali_buffer *message = &turn->pass->message;
  struct rebali_buffer text;

  rebali_buffer_init(&text, rebali_ctx_allocator(turn->pass->ctx));
  rebali_buffer_format(&text, "failed to schedule %s(",
                       is_cluster_scoped(turn) ? "ClusterResourceBinding" : "ResourceBinding");
  append_key(turn, &text);
  rebali_buffer_format(&text, ") with clusterAffiliates index(%llu): ", (unsigned long long)index);
  rebali_buffer_append(&text, message->bytes, message->len);
  return warn(turn, &text);
}

static int32_t warn_failure(struct turn *turn) {
  return rebali_write_event(&turn->write, "Warning", "ScheduleBindingFailed",
                            rebali_text(turn->pass->message.bytes, turn->pass->message.len));
}

static int32_t tell_success(struct turn *turn) {
  const struct rebali_pass *pass = turn->pass;
  struct rebali_buffer text;
  int32_t code;

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
  code = text.failed
             ? rebali_fail_memory(pass->err)
             : rebali_write_event(&turn->write, "Normal", "ScheduleBindingSucceed", rebali_text(text.bytes, text.len));
  rebali_buffer_dispose(&text);
  return code;
}

static size_t first_group(const struct turn *turn) {
  const struct rebali_placement *placement = turn->pass->placement;
  const struct rebali_text observed = text_of(turn, REBAL_BINDING_OBSERVED_AFFINITY_NAME);

  if (observed.len > 0 && !rebali_reschedule_required(turn->pass->bindings, turn->pass->row)) {
    for (size_t i = 0; i < placement->n_terms; i++) {
      if (rebali_text_equal(placement->terms[i].name, observed)) {
        return i;
      }
    }
  }
  return 0;
}

/* The first failure is the one that counts when all groups fail (spec karmada 2.6). */
static int32_t try_groups(struct turn *turn) {
  struct rebali_pass *pass = turn->pass;
  int64_t first_outcome = REBAL_OUTCOME_SCHEDULED;
  struct rebali_text first_message = REBALI_TEXT("");
  int32_t code = REBAL_OK;

  for (size_t i = first_group(turn); i < pass->placement->n_terms && code == REBAL_OK; i++) {
    rebali_pass_dispose(pass);
    code = rebali_pass_begin(pass, pass->placement->terms[i].name);
    code = code == REBAL_OK ? rebali_pass_run(pass) : code;
    if (code != REBAL_OK || !rebali_pass_refused(pass)) {
      return code;
    }
    if (first_outcome == REBAL_OUTCOME_SCHEDULED) {
      first_outcome = pass->outcome;
      first_message =
          rebali_arena_text(rebali_ctx_scratch(pass->ctx), rebali_text(pass->message.bytes, pass->message.len));
      code = first_message.bytes == NULL ? rebali_fail_memory(pass->err) : REBAL_OK;
    }
    code = code == REBAL_OK ? warn_group(turn, i) : code;
  }
  if (code == REBAL_OK) {
    pass->outcome = first_outcome;
    pass->message.len = 0;
    rebali_buffer_append(&pass->message, first_message.bytes, first_message.len);
    code = pass->message.failed ? rebali_fail_memory(pass->err) : REBAL_OK;
  }
  return code;
}

static int32_t attempt(struct turn *turn) {
  struct rebali_pass *pass = turn->pass;
  int32_t code;

  if (pass->placement->n_terms > 0) {
    return try_groups(turn);
  }
  code = rebali_pass_begin(pass, text_of(turn, REBAL_BINDING_OBSERVED_AFFINITY_NAME));
  return code == REBAL_OK ? rebali_pass_run(pass) : code;
}

static int32_t write_outcome(struct turn *turn) {
  struct rebali_pass *pass = turn->pass;
  const int is_multi = pass->placement->n_terms > 0;
  struct rebali_text message = rebali_text(pass->message.bytes, pass->message.len);
  int32_t code = REBAL_OK;

  if (!rebali_pass_refused(pass)) {
    message = REBALI_TEXT("Binding has been scheduled successfully.");
    code = rebali_write_placed(&turn->write, pass->placed, pass->n_placed);
    code = code == REBAL_OK ? tell_success(turn) : code;
  } else {
    if (pass->outcome == REBAL_OUTCOME_NO_CLUSTER_FIT) { /* the one failure that clears the old result */
      code = rebali_write_placed(&turn->write, NULL, 0);
    }
    /* With groups each failure was told already, and the last word follows only when the result is cleared. */
    if (code == REBAL_OK && (!is_multi || pass->outcome == REBAL_OUTCOME_NO_CLUSTER_FIT)) {
      code = warn_failure(turn);
    }
  }
  return code == REBAL_OK
             ? rebali_write_status(&turn->write, pass->outcome, message, is_multi ? pass->trial_name : REBALI_TEXT(""))
             : code;
}

static int32_t write_step(struct turn *turn, int64_t state) {
  const struct rebali_pass *pass = turn->pass;
  const struct rebali_step step = {state, pass->outcome, rebali_text(pass->message.bytes, pass->message.len),
                                   REBAL_ABSENT};

  if (rebali_result_add_step(turn->write.result, &step) != REBAL_OK) {
    return rebali_fail_memory(pass->err);
  }
  return rebali_result_decision(turn->write.result, pass, turn->reason);
}

/* A binding that is not scheduled in this turn: why, and what is written nevertheless. */
static int32_t leave(struct turn *turn, int64_t outcome) {
  int32_t code = REBAL_OK;

  turn->pass->outcome = outcome;
  if (turn->reason == REBAL_REASON_DELETING) {
    code = warn_deleting(turn);
  } else if (outcome == REBAL_OUTCOME_UNCHANGED) {
    code = rebali_write_generation(&turn->write);
  }
  return code == REBAL_OK ? write_step(turn, outcome == REBAL_OUTCOME_UNCHANGED ? REBAL_STEP_DONE : REBAL_STEP_SKIPPED)
                          : code;
}

static int32_t refuse_placement(struct turn *turn) {
  const int32_t code = rebali_pass_refuse_placement(turn->pass);

  return code == REBAL_OK ? write_step(turn, REBAL_STEP_RETRY) : code;
}

struct clock {
  rebal_builder *builder;
  rebal_time now;
};

static int32_t take_turn(struct rebali_pass *pass, rebal_result *result, void *user_data) {
  const struct clock *clock = user_data;
  struct turn turn = {pass, {pass, result, clock->builder, clock->now, 0}, REBAL_REASON_NONE};
  int32_t code;

  rebali_buffer_init(&pass->message, rebali_ctx_allocator(pass->ctx));
  if (!is_ours(&turn)) {
    return leave(&turn, REBAL_OUTCOME_SKIPPED);
  }
  turn.reason = rebali_decide_reason(pass->snapshot, pass->bindings, pass->row, pass->opts->compat);
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
  code = code == REBAL_OK ? write_outcome(&turn) : code;
  if (code != REBAL_OK) {
    return code;
  }
  code = write_step(&turn,
                    pass->outcome == REBAL_OUTCOME_UNSCHEDULABLE || pass->outcome == REBAL_OUTCOME_SCHEDULER_ERROR
                        ? REBAL_STEP_RETRY
                        : REBAL_STEP_DONE);
  return code == REBAL_OK && !rebali_pass_refused(pass) ? rebali_ledger_spend(pass) : code;
}

int32_t rebal_scheduler_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                             const rebal_time *now, const rebal_schedule_opts *opts, rebal_result *result,
                             rebal_error *err) {
  const struct rebali_batch batch = {ctx, snapshot, bindings, opts, result, err, "rebal_scheduler_step", now};
  struct clock clock;
  int32_t code = ctx == NULL ? rebali_fail(err, REBAL_EINVAL, -1, "ctx is NULL") : rebali_clock_check(now, err);

  if (code != REBAL_OK) {
    return code;
  }
  clock.now = *now;
  code = rebal_builder_new(rebali_ctx_allocator(ctx), &clock.builder, err);
  if (code == REBAL_OK) {
    code = rebali_batch_run(&batch, take_turn, &clock);
    rebal_builder_free(clock.builder);
  }
  return code;
}
