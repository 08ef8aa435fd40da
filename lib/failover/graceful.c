/* SPDX-License-Identifier: MIT */
/* One run of the graceful-eviction controller: rebalance-karmada(7) 10.4. */
#include "failover/failover.h"

struct assessment {
  int keep;
  int is_new;      /* creationTimestamp is set now */
  int64_t left_ns; /* until the task times out; kept tasks only */
  int has_timer;
  struct rebali_text breach; /* row of compat.def if it is dropped without a replacement; otherwise empty */
};

/* Returns why a task without suppressDeletion is dropped; empty if there is a replacement, or none is needed. */
static struct rebali_text breach_of(const struct rebali_failover_call *call, uint32_t task, int is_late,
                                    const struct rebali_replacement *replacement) {
  const struct rebali_text mode = rebali_bindings_text(call->every.bindings, REBAL_TASK_PURGE_MODE, task);

  if (!replacement->is_wanted || rebali_text_equal(mode, REBALI_TEXT("Directly"))) { /* purged long ago */
    return REBALI_TEXT("");
  }
  if (!(replacement->is_ready || replacement->is_enough) || (replacement->is_stale && is_late)) {
    return REBALI_ROW("times-out");
  }
  if (replacement->is_stale) {
    return REBALI_ROW("health-is-stale");
  }
  return replacement->is_nowhere ? REBALI_ROW("nowhere-is-healthy") : REBALI_TEXT("");
}

static struct assessment assess(const struct rebali_failover_call *call, uint32_t task,
                                const struct rebali_replacement *replacement) {
  const int64_t grace = rebali_bindings_i64(call->every.bindings, REBAL_TASK_GRACE_PERIOD_SECONDS, task);
  const int64_t suppress = rebali_bindings_i64(call->every.bindings, REBAL_TASK_SUPPRESS_DELETION, task);
  const rebal_time read = rebali_bindings_time(call->every.bindings, REBAL_TASK_CREATION_TIMESTAMP, task);
  const rebal_time *created = read.is_set ? &read : call->every.now;
  struct assessment answer = {1, !read.is_set, 0, suppress == REBAL_ABSENT && rebali_may_time_out(call),
                              REBALI_TEXT("")};

  answer.left_ns = grace == REBAL_ABSENT ? rebali_add_saturating(rebali_time_left_ns(call->every.now, created, 0),
                                                                 call->opts.graceful_eviction_timeout_ns)
                                         : rebali_time_left_ns(call->every.now, created, grace);
  if (!answer.is_new && suppress != REBAL_ABSENT) {
    answer.keep = suppress != 0;
  } else if (!answer.is_new) {
    answer.keep = !replacement->is_ready && (answer.left_ns >= 0 || !rebali_may_time_out(call));
    answer.breach = answer.keep ? REBALI_TEXT("") : breach_of(call, task, answer.left_ns < 0, replacement);
  }
  return answer;
}

static int32_t add_dropped_event(struct rebali_failover_call *call, uint32_t binding, uint32_t task) {
  const int64_t cluster = rebali_bindings_i64(call->every.bindings, REBAL_TASK_FROM_CLUSTER, task);
  const struct rebali_text name = rebali_snapshot_name(call->every.snapshot, (uint32_t)cluster);
  struct rebali_buffer message;
  int32_t code;

  rebali_buffer_init(&message, rebali_result_table(call->every.result, REBAL_TABLE_STEP)->allocator);
  rebali_buffer_append(&message, "Evict from cluster ", sizeof "Evict from cluster " - 1);
  rebali_buffer_append(&message, name.bytes, name.len);
  rebali_buffer_append(&message, " succeed.", sizeof " succeed." - 1);
  code = message.failed ? rebali_fail_memory(call->every.err)
                        : rebali_every_binding_event(&call->every, binding, REBALI_TEXT("Normal"),
                                                     REBALI_TEXT("EvictWorkloadFromClusterSucceed"),
                                                     rebali_text(message.bytes, message.len));
  rebali_buffer_dispose(&message);
  return code;
}

/* Adds one event for each dropped task, and a warning if it has no replacement. */
static int32_t report_dropped(struct rebali_failover_call *call, uint32_t binding, const uint32_t *tasks, size_t n,
                              const struct rebali_replacement *replacement) {
  const rebal_bindings *bindings = call->every.bindings;
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    const struct assessment answer = assess(call, tasks[i], replacement);

    if (answer.keep) {
      continue;
    }
    code = add_dropped_event(call, binding, tasks[i]);
    if (code == REBAL_OK && answer.breach.len != 0) {
      code = rebali_warn_removal(call, binding, rebali_bindings_i64(bindings, REBAL_TASK_FROM_CLUSTER, tasks[i]),
                                 rebali_bindings_i64(bindings, REBAL_TASK_REPLICAS, tasks[i]), answer.breach);
    }
  }
  return code;
}

/* Writes the remaining tasks, then events and warnings on the dropped ones. */
static int32_t write_tasks(struct rebali_failover_call *call, uint32_t binding, const uint32_t *tasks, size_t n,
                           const struct rebali_replacement *replacement) {
  const rebal_time created = rebali_time_whole(call->every.now);
  const rebal_record *payload;
  int32_t code;
  size_t i;

  (void)rebal_builder_start(call->every.builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  for (i = 0; i < n; i++) {
    const struct assessment answer = assess(call, tasks[i], replacement);

    if (answer.keep) {
      rebali_task_build(&call->every, tasks[i], answer.is_new ? &created : NULL);
    }
  }
  code = rebal_builder_finish(call->every.builder, &payload, call->every.err);
  if (code == REBAL_OK) {
    code = rebali_every_binding_action(&call->every, binding, REBAL_ACTION_KIND_PATCH_SPEC,
                                       REBAL_REPLACES_GRACEFUL_EVICTION_TASKS, payload);
  }
  return code == REBAL_OK ? report_dropped(call, binding, tasks, n, replacement) : code;
}

static int32_t step_binding(struct rebali_every_binding *every, uint32_t binding) {
  struct rebali_failover_call *call = (void *)every;
  struct rebali_replacement replacement;
  size_t n;
  const uint32_t *tasks = rebali_bindings_children(call->every.bindings, REBAL_TABLE_TASK, binding, &n);
  int64_t next = INT64_MAX;
  int changed = 0;
  int32_t code;
  size_t i;

  if (n == 0 || rebali_bindings_i64(call->every.bindings, REBAL_BINDING_DELETING, binding)) {
    return rebali_every_binding_step(&call->every, REBAL_STEP_STATE_SKIPPED, 0, REBALI_TEXT(""), REBAL_ABSENT);
  }
  code = rebali_places_read(call, binding);
  if (code != REBAL_OK) {
    return code;
  }
  replacement = rebali_replacement_find(call, binding);
  for (i = 0; i < n; i++) {
    const struct assessment answer = assess(call, tasks[i], &replacement);

    changed |= answer.is_new || !answer.keep;
    next = answer.keep && answer.has_timer && answer.left_ns < next ? answer.left_ns : next;
  }
  if (changed) {
    code = write_tasks(call, binding, tasks, n, &replacement);
  }
  next = next <= 0 || next == INT64_MAX ? REBAL_ABSENT : next;
  if (code == REBAL_OK && next != REBAL_ABSENT) {
    code = rebali_every_binding_wake(&call->every, binding, next);
  }
  return code != REBAL_OK ? code
                          : rebali_every_binding_step(&call->every, REBAL_STEP_STATE_DONE, 0, REBALI_TEXT(""), next);
}

int32_t rebal_graceful_eviction_step(rebal_ctx *ctx, rebal_snapshot *snapshot, const rebal_bindings *bindings,
                                     const rebal_time *now, const rebal_failover_opts *opts, rebal_result *result,
                                     rebal_error *err) {
  struct rebali_failover_call call = {
      .every = {snapshot, bindings, now, result, err, NULL}, .ctx = ctx, .cluster = REBAL_NONE};

  return rebali_failover_run(&call, opts, step_binding);
}
