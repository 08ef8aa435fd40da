/* SPDX-License-Identifier: MIT */
#include "rebalancer/rebalancer.h"

#define REBALANCER_API REBALI_TEXT("apps.karmada.io/v1alpha1")

int32_t rebali_run_add_action(struct rebali_rebalancer_run *run, const struct rebali_action *action) {
  const int32_t code = rebali_result_add_action(run->result, action);

  return code == REBAL_OK ? REBAL_OK : rebali_fail(run->err, code, -1, "%s", rebal_strerror(code));
}

static struct rebali_action own_action(const struct rebali_rebalancer_run *run, int64_t kind, size_t phase) {
  struct rebali_action action = {.kind = kind, .api_version = REBALANCER_API};

  action.ordinal = (int64_t)(2 * run->status.observed.n + phase);
  action.object_kind = REBALI_TEXT("WorkloadRebalancer");
  action.name = run->object.name;
  return action;
}

static int32_t add_step(struct rebali_rebalancer_run *run, int64_t state, int64_t reason, struct rebali_text message,
                        int64_t after_ns) {
  const struct rebali_step step = {state, reason, message, after_ns};

  return rebali_result_add_step(run->result, &step) == REBAL_OK ? REBAL_OK : rebali_fail_memory(run->err);
}

static int32_t add_status_write(struct rebali_rebalancer_run *run) {
  struct rebali_action action = own_action(run, REBAL_ACTION_KIND_PATCH_STATUS, 0);
  const int32_t code = rebali_rebalancer_status_build(&run->status, run->builder, &action.payload, run->err);

  action.replaces = REBAL_REPLACES_OBSERVED_WORKLOADS;
  return code == REBAL_OK ? rebali_run_add_action(run, &action) : code;
}

/* Ends a failed run, with the message <start><end>. */
static int32_t fail_run(struct rebali_rebalancer_run *run, int64_t reason, struct rebali_text start,
                        struct rebali_text end) {
  char *bytes = rebali_arena_allocate(&run->arena, start.len + end.len, 1);

  if (bytes == NULL) {
    return rebali_fail_memory(run->err);
  }
  memcpy(bytes, start.bytes, start.len);
  if (end.len != 0) {
    memcpy(bytes + start.len, end.bytes, end.len);
  }
  return add_step(run, REBAL_STEP_STATE_RETRY, reason, rebali_text(bytes, start.len + end.len), REBAL_ABSENT);
}

static int32_t fail_retry(struct rebali_rebalancer_run *run) {
  struct rebali_buffer count;
  int32_t code;

  rebali_buffer_init(&count, run->arena.allocator);
  rebali_buffer_append_i64(&count, (int64_t)run->n_retry);
  code = count.failed ? rebali_fail_memory(run->err)
                      : fail_run(run, REBAL_REBALANCER_REASON_RETRY, rebali_text(count.bytes, count.len),
                                 REBALI_TEXT(" resource reschedule triggered failed and need retry"));
  rebali_buffer_dispose(&count);
  return code;
}

static int32_t delete_object(struct rebali_rebalancer_run *run) {
  struct rebali_action action = own_action(run, REBAL_ACTION_KIND_DELETE, 1);
  const struct rebali_observation *observed = rebali_observation_find(run->observations, action.ordinal);
  int32_t code;

  if (observed == NULL) {
    action.resource_version = run->object.resource_version;
    code = rebali_run_add_action(run, &action);
    return code != REBAL_OK ? code : add_step(run, REBAL_STEP_STATE_WAITING, 0, REBALI_TEXT(""), REBAL_ABSENT);
  }
  if (observed->outcome == REBAL_OBSERVED_DONE || observed->outcome == REBAL_OBSERVED_NOT_FOUND) {
    return add_step(run, REBAL_STEP_STATE_DONE, REBAL_REBALANCER_REASON_OK, REBALI_TEXT(""), REBAL_ABSENT);
  }
  return fail_run(run,
                  observed->outcome == REBAL_OBSERVED_CONFLICT ? REBAL_REBALANCER_REASON_DELETE_CONFLICT
                                                               : REBAL_REBALANCER_REASON_DELETE_FAILED,
                  REBALI_TEXT(""), observed->message);
}

/* After all writes: deletes the object now, later, or never. */
static int32_t end_run(struct rebali_rebalancer_run *run) {
  struct rebali_action wake;
  int64_t left;
  int32_t code;

  if (!run->object.has_ttl) {
    return add_step(run, REBAL_STEP_STATE_DONE, REBAL_REBALANCER_REASON_OK, REBALI_TEXT(""), REBAL_ABSENT);
  }
  if (!run->status.finish_time.is_set) {
    return fail_run(run, REBAL_REBALANCER_REASON_NO_FINISH_TIME, REBALI_TEXT("finish time should not be nil"),
                    REBALI_TEXT(""));
  }
  left = rebali_time_left_ns(run->now, &run->status.finish_time, run->object.ttl_seconds);
  if (left <= 0) {
    return delete_object(run);
  }
  wake = own_action(run, REBAL_ACTION_KIND_WAKE, 1);
  wake.not_before = rebali_time_after(run->now, left);
  code = rebali_run_add_action(run, &wake);
  return code != REBAL_OK ? code
                          : add_step(run, REBAL_STEP_STATE_DONE, REBAL_REBALANCER_REASON_OK, REBALI_TEXT(""), left);
}

static int32_t write_status(struct rebali_rebalancer_run *run) {
  const struct rebali_observation *written =
      rebali_observation_find(run->observations, (int64_t)(2 * run->status.observed.n));
  int32_t code;

  run->status.generation = run->object.generation;
  run->status.finish_time = run->object.status.finish_time;
  if (rebali_rebalancer_status_differs(&run->object.status, &run->status)) {
    run->status.finish_time = run->n_retry == 0 ? rebali_time_whole(run->now) : run->status.finish_time;
    if (written == NULL) {
      code = add_status_write(run);
      return code != REBAL_OK ? code : add_step(run, REBAL_STEP_STATE_WAITING, 0, REBALI_TEXT(""), REBAL_ABSENT);
    }
    if (written->outcome != REBAL_OBSERVED_DONE) {
      return fail_run(run, REBAL_REBALANCER_REASON_STATUS_UPDATE_FAILED, REBALI_TEXT("update status failed: "),
                      written->message);
    }
  }
  return run->n_retry != 0 ? fail_retry(run) : end_run(run);
}

static int32_t run_step(struct rebali_rebalancer_run *run, const rebal_record *rebalancer) {
  int32_t code = rebali_rebalancer_read(rebalancer, &run->arena, &run->object, run->err);

  if (code == REBAL_OK) {
    code = rebali_workloads_merge(&run->object, &run->arena, &run->status.observed, run->err);
  }
  if (code == REBAL_OK) {
    code = rebali_trigger_bindings(run);
  }
  if (code != REBAL_OK) {
    return code;
  }
  return run->waiting ? add_step(run, REBAL_STEP_STATE_WAITING, 0, REBALI_TEXT(""), REBAL_ABSENT) : write_status(run);
}

static int32_t start_run(struct rebali_rebalancer_run *run, rebal_ctx *ctx, const rebal_record *rebalancer,
                         const rebal_rebalancer_opts *opts) {
  rebal_rebalancer_opts loaded;
  int32_t code = rebali_options_load(&loaded, sizeof loaded, sizeof loaded, opts, run->err);

  if (code == REBAL_OK && loaded.flags != 0) {
    code = rebali_fail(run->err, REBAL_EUNSUPPORTED, -1, "a flag is newer than this library");
  }
  if (code == REBAL_OK) {
    code = rebali_clock_check(run->now, run->err);
  }
  if (code == REBAL_OK && rebalancer == NULL) {
    code = rebali_fail(run->err, REBAL_EINVAL, -1, "the rebalancer is missing");
  }
  if (code == REBAL_OK) {
    code = rebali_result_begin(run->result, run->err);
  }
  run->observations = loaded.observations;
  return code == REBAL_OK ? rebali_ctx_begin(ctx, run->err) : code;
}

int32_t rebal_rebalancer_step(rebal_ctx *ctx, const rebal_record *rebalancer, const rebal_time *now,
                              const rebal_rebalancer_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_rebalancer_run run = {.now = now, .result = result, .err = err};
  int32_t code = start_run(&run, ctx, rebalancer, opts);

  if (code != REBAL_OK) {
    return code;
  }
  rebali_arena_init(&run.arena, rebali_ctx_allocator(ctx), 0);
  code = rebal_builder_new(run.arena.allocator, &run.builder, err);
  if (code == REBAL_OK) {
    code = run_step(&run, rebalancer);
  }
  rebal_builder_free(run.builder);
  rebali_arena_dispose(&run.arena);
  return rebali_answer_end(ctx, result, code);
}
