/* SPDX-License-Identifier: MIT */
/* One turn of the taint manager: spec karmada 10.1 and 10.3. */
#include "failover/failover.h"

/* Position of the first target that is the cluster, or n. */
static size_t find_target(const struct rebali_failover_call *call, uint32_t cluster, const uint32_t *targets,
                          size_t n) {
  size_t i;

  for (i = 0; i < n; i++) {
    if (rebali_bindings_i64(call->sweep.bindings, REBAL_TARGET_CLUSTER, targets[i]) == (int64_t)cluster) {
      break;
    }
  }
  return i;
}

static int is_evicting(const struct rebali_failover_call *call, uint32_t cluster, const uint32_t *tasks, size_t n) {
  size_t i;

  for (i = 0; i < n; i++) {
    if (rebali_bindings_i64(call->sweep.bindings, REBAL_TASK_FROM_CLUSTER, tasks[i]) == (int64_t)cluster) {
      return 1;
    }
  }
  return 0;
}

/* The binding's own word first, then the option. */
static struct rebali_text purge_mode(const struct rebali_failover_call *call, uint32_t binding) {
  const struct rebali_text own =
      rebali_bindings_text(call->sweep.bindings, REBAL_BINDING_CLUSTER_FAILOVER_PURGE_MODE, binding);

  if (rebali_bindings_i64(call->sweep.bindings, REBAL_BINDING_HAS_CLUSTER_FAILOVER, binding)) {
    return own.len != 0 ? own : REBALI_TEXT("Gracefully");
  }
  return (call->opts.flags & REBAL_FAILOVER_PURGE_DIRECTLY) != 0 ? REBALI_TEXT("Directly") : REBALI_TEXT("Gracefully");
}

static void build_new_task(struct rebali_failover_call *call, uint32_t cluster, uint32_t binding, uint32_t target) {
  const int64_t replicas = rebali_bindings_i64(call->sweep.bindings, REBAL_TARGET_REPLICAS, target);
  rebal_builder *builder = call->sweep.builder;

  (void)rebal_builder_begin(builder, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS, NULL);
  rebali_build_text(builder, REBAL_EVICTION_TASK_FROM_CLUSTER, rebali_snapshot_name(call->sweep.snapshot, cluster));
  rebali_build_text(builder, REBAL_EVICTION_TASK_PURGE_MODE, purge_mode(call, binding));
  if (replicas > 0) {
    (void)rebal_builder_i64(builder, REBAL_EVICTION_TASK_REPLICAS, replicas, NULL);
  }
  rebali_build_text(builder, REBAL_EVICTION_TASK_REASON, REBALI_TEXT("TaintUntolerated"));
  rebali_build_text(builder, REBAL_EVICTION_TASK_PRODUCER, REBALI_TEXT("TaintManager"));
  if (rebali_bindings_i64(call->sweep.bindings, REBAL_BINDING_HAS_CLUSTER_FAILOVER, binding) &&
      rebali_compat_value(call->opts.compat, REBAL_QUIRK_GATE_STATEFUL_FAILOVER) != 0) {
    rebali_build_labels(&call->sweep, REBAL_EVICTION_TASK_PRESERVED_LABEL_STATE,
                        rebali_bindings_i64(call->sweep.bindings, REBAL_BINDING_PRESERVED_STATE, binding));
  }
  (void)rebal_builder_end(builder, NULL);
}

/* Takes the target at the position out and leaves a task for it, unless there is one. */
static int32_t evict(struct rebali_failover_call *call, uint32_t cluster, uint32_t binding, const uint32_t *targets,
                     size_t n_targets, size_t position) {
  const rebal_record *payload;
  const uint32_t *tasks;
  size_t n_tasks;
  size_t i;
  int32_t code;

  tasks = rebali_bindings_children(call->sweep.bindings, REBAL_TABLE_TASK, binding, &n_tasks);
  (void)rebal_builder_start(call->sweep.builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  for (i = 0; i < n_targets; i++) {
    if (i != position) {
      rebali_target_build(&call->sweep, targets[i],
                          rebali_bindings_i64(call->sweep.bindings, REBAL_TARGET_REPLICAS, targets[i]));
    }
  }
  for (i = 0; i < n_tasks; i++) {
    rebali_task_build(&call->sweep, tasks[i], NULL);
  }
  if (!is_evicting(call, cluster, tasks, n_tasks)) {
    build_new_task(call, cluster, binding, targets[position]);
  }
  code = rebal_builder_finish(call->sweep.builder, &payload, call->sweep.err);
  return code != REBAL_OK ? code
                          : rebali_sweep_act(&call->sweep, binding, REBAL_ACTION_PATCH_SPEC,
                                             REBAL_REPLACES_CLUSTERS | REBAL_REPLACES_GRACEFUL_EVICTION_TASKS, payload);
}

static int32_t step_binding(struct rebali_sweep *sweep, uint32_t binding) {
  struct rebali_failover_call *call = (void *)sweep;
  const uint32_t cluster = call->cluster;
  const rebal_record *taints = rebali_snapshot_cell_record(call->sweep.snapshot, REBAL_CLUSTER_TAINTS, cluster);
  struct rebali_verdict verdict;
  size_t n;
  const uint32_t *targets = rebali_bindings_children(call->sweep.bindings, REBAL_TABLE_TARGET, binding, &n);
  const size_t position = find_target(call, cluster, targets, n);
  int32_t code = REBAL_OK;

  if (position == n || rebali_bindings_i64(call->sweep.bindings, REBAL_BINDING_DELETING, binding)) {
    return rebali_sweep_step(&call->sweep, REBAL_STEP_SKIPPED, 0, REBALI_TEXT(""), REBAL_ABSENT);
  }
  verdict = rebali_taint_judge(call, taints, binding);
  if (verdict.kind == REBAL_TAINT_EVICT) {
    code = evict(call, cluster, binding, targets, n, position);
  } else if (verdict.kind == REBAL_TAINT_AFTER) {
    code = rebali_sweep_wake(&call->sweep, binding, verdict.after_ns);
  }
  return code != REBAL_OK
             ? code
             : rebali_sweep_step(&call->sweep, verdict.kind == REBAL_TAINT_ERROR ? REBAL_STEP_RETRY : REBAL_STEP_DONE,
                                 verdict.kind, verdict.message, verdict.after_ns);
}

int32_t rebal_taint_eviction_step(rebal_snapshot *snapshot, uint32_t cluster, const rebal_bindings *bindings,
                                  const rebal_time *now, const rebal_failover_opts *opts, rebal_result *result,
                                  rebal_error *err) {
  struct rebali_failover_call call = {{snapshot, bindings, now, result, err, NULL}, {0}, cluster};

  if (cluster == REBAL_NONE) {
    return rebali_fail(err, REBAL_EINVAL, -1, "the cluster is missing");
  }
  return rebali_failover_run(&call, opts, step_binding);
}
