/* SPDX-License-Identifier: MIT */
/* One turn of the graceful-eviction controller: spec karmada 10.4. */
#include "failover/failover.h"

struct assessment {
  int keep;
  int is_new;      /* creationTimestamp is set now */
  int64_t left_ns; /* until the task times out; kept tasks only */
  int has_timer;
};

/* Has the scheduler seen this generation, and is the workload healthy in every cluster it chose? */
static int is_replaced(const struct rebali_failover_call *call, uint32_t binding) {
  const rebal_bindings *bindings = call->sweep.bindings;
  size_t n_targets;
  size_t n_items;
  const uint32_t *targets = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, binding, &n_targets);
  const uint32_t *items = rebali_bindings_children(bindings, REBAL_TABLE_STATUS_ITEM, binding, &n_items);
  size_t i;
  size_t j;

  if (rebali_bindings_i64(bindings, REBAL_BINDING_OBSERVED_GENERATION, binding) !=
      rebali_bindings_i64(bindings, REBAL_BINDING_GENERATION, binding)) {
    return 0;
  }
  if (n_targets == 0 && rebali_compat_value(call->opts.compat, REBAL_QUIRK_EMPTY_IS_HEALTHY) == 0) {
    return 0;
  }
  for (i = 0; i < n_targets; i++) {
    const int64_t cluster = rebali_bindings_i64(bindings, REBAL_TARGET_CLUSTER, targets[i]);

    for (j = 0; j < n_items; j++) {
      if (rebali_bindings_i64(bindings, REBAL_STATUS_ITEM_CLUSTER, items[j]) == cluster) {
        break;
      }
    }
    if (j == n_items || !rebali_text_equal(rebali_bindings_text(bindings, REBAL_STATUS_ITEM_HEALTH, items[j]),
                                           REBALI_TEXT("Healthy"))) {
      return 0;
    }
  }
  return 1;
}

static struct assessment assess(const struct rebali_failover_call *call, uint32_t task, int replaced) {
  const int64_t grace = rebali_bindings_i64(call->sweep.bindings, REBAL_TASK_GRACE_PERIOD_SECONDS, task);
  const int64_t suppress = rebali_bindings_i64(call->sweep.bindings, REBAL_TASK_SUPPRESS_DELETION, task);
  const rebal_time read = rebali_bindings_time(call->sweep.bindings, REBAL_TASK_CREATION_TIMESTAMP, task);
  const rebal_time *created = read.is_set ? &read : call->sweep.now;
  struct assessment answer = {1, !read.is_set, 0, suppress == REBAL_ABSENT};

  answer.left_ns = grace == REBAL_ABSENT ? rebali_add_saturating(rebali_time_left_ns(call->sweep.now, created, 0),
                                                                 call->opts.graceful_eviction_timeout_ns)
                                         : rebali_time_left_ns(call->sweep.now, created, grace);
  if (!answer.is_new) {
    answer.keep = suppress != REBAL_ABSENT ? suppress != 0 : answer.left_ns >= 0 && !replaced;
  }
  return answer;
}

static int32_t add_dropped_event(struct rebali_failover_call *call, uint32_t binding, uint32_t task) {
  const int64_t cluster = rebali_bindings_i64(call->sweep.bindings, REBAL_TASK_FROM_CLUSTER, task);
  const struct rebali_text name = rebali_snapshot_name(call->sweep.snapshot, (uint32_t)cluster);
  struct rebali_buffer message;
  int32_t code;

  rebali_buffer_init(&message, rebali_result_table(call->sweep.result, REBAL_TABLE_STEP)->allocator);
  rebali_buffer_append(&message, "Evict from cluster ", sizeof "Evict from cluster " - 1);
  rebali_buffer_append(&message, name.bytes, name.len);
  rebali_buffer_append(&message, " succeed.", sizeof " succeed." - 1);
  code = message.failed ? rebali_fail_memory(call->sweep.err)
                        : rebali_sweep_tell(&call->sweep, binding, REBALI_TEXT("Normal"),
                                            REBALI_TEXT("EvictWorkloadFromClusterSucceed"),
                                            rebali_text(message.bytes, message.len));
  rebali_buffer_dispose(&message);
  return code;
}

/* The list after the turn, then one event for each task that went. */
static int32_t write_tasks(struct rebali_failover_call *call, uint32_t binding, const uint32_t *tasks, size_t n,
                           int replaced) {
  const rebal_time created = rebali_time_whole(call->sweep.now);
  const rebal_record *payload;
  int32_t code;
  size_t i;

  (void)rebal_builder_start(call->sweep.builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  for (i = 0; i < n; i++) {
    const struct assessment answer = assess(call, tasks[i], replaced);

    if (answer.keep) {
      rebali_task_build(&call->sweep, tasks[i], answer.is_new ? &created : NULL);
    }
  }
  code = rebal_builder_finish(call->sweep.builder, &payload, call->sweep.err);
  if (code == REBAL_OK) {
    code = rebali_sweep_act(&call->sweep, binding, REBAL_ACTION_PATCH_SPEC, REBAL_REPLACES_GRACEFUL_EVICTION_TASKS,
                            payload);
  }
  for (i = 0; code == REBAL_OK && i < n; i++) {
    if (!assess(call, tasks[i], replaced).keep) {
      code = add_dropped_event(call, binding, tasks[i]);
    }
  }
  return code;
}

static int32_t step_binding(struct rebali_sweep *sweep, uint32_t binding) {
  struct rebali_failover_call *call = (void *)sweep;
  const int replaced = is_replaced(call, binding);
  size_t n;
  const uint32_t *tasks = rebali_bindings_children(call->sweep.bindings, REBAL_TABLE_TASK, binding, &n);
  int64_t next = INT64_MAX;
  int changed = 0;
  int32_t code = REBAL_OK;
  size_t i;

  if (n == 0 || rebali_bindings_i64(call->sweep.bindings, REBAL_BINDING_DELETING, binding)) {
    return rebali_sweep_step(&call->sweep, REBAL_STEP_SKIPPED, 0, REBALI_TEXT(""), REBAL_ABSENT);
  }
  for (i = 0; i < n; i++) {
    const struct assessment answer = assess(call, tasks[i], replaced);

    changed |= answer.is_new || !answer.keep;
    next = answer.keep && answer.has_timer && answer.left_ns < next ? answer.left_ns : next;
  }
  if (changed) {
    code = write_tasks(call, binding, tasks, n, replaced);
  }
  next = next <= 0 || next == INT64_MAX ? REBAL_ABSENT : next;
  if (code == REBAL_OK && next != REBAL_ABSENT) {
    code = rebali_sweep_wake(&call->sweep, binding, next);
  }
  return code != REBAL_OK ? code : rebali_sweep_step(&call->sweep, REBAL_STEP_DONE, 0, REBALI_TEXT(""), next);
}

int32_t rebal_graceful_eviction_step(rebal_snapshot *snapshot, const rebal_bindings *bindings, const rebal_time *now,
                                     const rebal_failover_opts *opts, rebal_result *result, rebal_error *err) {
  struct rebali_failover_call call = {.sweep = {snapshot, bindings, now, result, err, NULL}, .cluster = REBAL_NONE};

  return rebali_failover_run(&call, opts, step_binding);
}
