/* SPDX-License-Identifier: MIT */
/* Clusters out of spec.clusters, each leaving a task: spec karmada 10.1. */
#include "failover/failover.h"

static int64_t cluster_of(const struct rebali_failover_call *call, uint32_t column, uint32_t row) {
  return rebali_bindings_i64(call->every.bindings, column, row);
}

/* Row of the first task of a cluster, or REBAL_NONE. */
static uint32_t find_task(const struct rebali_failover_call *call, uint32_t binding, int64_t cluster) {
  size_t n;
  const uint32_t *tasks = rebali_bindings_children(call->every.bindings, REBAL_TABLE_TASK, binding, &n);

  for (size_t i = 0; i < n; i++) {
    if (cluster_of(call, REBAL_TASK_FROM_CLUSTER, tasks[i]) == cluster) {
      return tasks[i];
    }
  }
  return REBAL_NONE;
}

int rebali_is_evicting(const struct rebali_failover_call *call, uint32_t binding, int64_t cluster) {
  return find_task(call, binding, cluster) != REBAL_NONE;
}

/* Evictions of a cluster among the first n. */
static size_t count_evictions(const struct rebali_eviction *evictions, size_t n, int64_t cluster) {
  size_t count = 0;

  for (size_t i = 0; i < n; i++) {
    count += (int64_t)evictions[i].cluster == cluster;
  }
  return count;
}

/* Each eviction takes the first target of its cluster that is still there. */
static void build_targets(struct rebali_failover_call *call, const uint32_t *targets, size_t n_targets,
                          const struct rebali_eviction *evictions, size_t n) {
  for (size_t i = 0; i < n_targets; i++) {
    const int64_t cluster = cluster_of(call, REBAL_TARGET_CLUSTER, targets[i]);
    size_t evicted = count_evictions(evictions, n, cluster);

    for (size_t j = 0; evicted != 0 && j < i; j++) {
      evicted -= cluster_of(call, REBAL_TARGET_CLUSTER, targets[j]) == cluster;
    }
    if (evicted == 0) {
      rebali_target_build(&call->every, targets[i],
                          rebali_bindings_i64(call->every.bindings, REBAL_TARGET_REPLICAS, targets[i]));
    }
  }
}

static void build_names(struct rebali_failover_call *call, const uint32_t *targets, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = cluster_of(call, REBAL_TARGET_CLUSTER, targets[i]);
    const struct rebali_text name = rebali_snapshot_name(call->every.snapshot, (uint32_t)cluster);

    (void)rebal_builder_text(call->every.builder, REBAL_EVICTION_TASK_CLUSTERS_BEFORE_FAILOVER, name.bytes, name.len,
                             NULL);
  }
}

static void build_task(struct rebali_failover_call *call, const struct rebali_eviction *eviction, uint32_t target,
                       const uint32_t *targets, size_t n_targets) {
  const int64_t replicas = rebali_bindings_i64(call->every.bindings, REBAL_TARGET_REPLICAS, target);
  rebal_builder *builder = call->every.builder;

  (void)rebal_builder_begin(builder, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS, NULL);
  rebali_build_text(builder, REBAL_EVICTION_TASK_FROM_CLUSTER,
                    rebali_snapshot_name(call->every.snapshot, eviction->cluster));
  rebali_build_text(builder, REBAL_EVICTION_TASK_PURGE_MODE, rebali_purge_mode(call, eviction->purge_mode));
  rebali_build_i64(builder, REBAL_EVICTION_TASK_REPLICAS, replicas > 0 ? replicas : REBAL_ABSENT);
  rebali_build_text(builder, REBAL_EVICTION_TASK_REASON, eviction->reason);
  rebali_build_text(builder, REBAL_EVICTION_TASK_PRODUCER, eviction->producer);
  rebali_build_i64(builder, REBAL_EVICTION_TASK_GRACE_PERIOD_SECONDS, eviction->grace_period_seconds);
  rebali_build_i64(builder, REBAL_EVICTION_TASK_SUPPRESS_DELETION, eviction->suppress_deletion);
  rebali_build_labels(&call->every, REBAL_EVICTION_TASK_PRESERVED_LABEL_STATE, eviction->preserved);
  if (eviction->names_targets) {
    build_names(call, targets, n_targets);
  }
  (void)rebal_builder_end(builder, NULL);
}

static void build_tasks(struct rebali_failover_call *call, uint32_t binding, const uint32_t *targets, size_t n_targets,
                        const struct rebali_eviction *evictions, size_t n) {
  size_t n_tasks;
  const uint32_t *tasks = rebali_bindings_children(call->every.bindings, REBAL_TABLE_TASK, binding, &n_tasks);

  for (size_t i = 0; i < n_tasks; i++) {
    rebali_task_build(&call->every, tasks[i], NULL);
  }
  for (size_t i = 0; i < n; i++) {
    const size_t position = rebali_target_find(call, evictions[i].cluster, targets, n_targets);

    if (position < n_targets && count_evictions(evictions, i, evictions[i].cluster) == 0 &&
        !rebali_is_evicting(call, binding, evictions[i].cluster)) {
      build_task(call, &evictions[i], targets[position], targets, n_targets);
    }
  }
}

size_t rebali_target_find(const struct rebali_failover_call *call, uint32_t cluster, const uint32_t *targets,
                          size_t n) {
  size_t i = 0;

  while (i < n && cluster_of(call, REBAL_TARGET_CLUSTER, targets[i]) != (int64_t)cluster) {
    i++;
  }
  return i;
}

/* Is what runs in the cluster removed at once? A task that is there already has the say. */
static int is_direct(const struct rebali_failover_call *call, uint32_t binding,
                     const struct rebali_eviction *eviction) {
  const uint32_t task = find_task(call, binding, eviction->cluster);
  const struct rebali_text mode = task == REBAL_NONE
                                      ? rebali_purge_mode(call, eviction->purge_mode)
                                      : rebali_bindings_text(call->every.bindings, REBAL_TASK_PURGE_MODE, task);

  return rebali_text_equal(mode, REBALI_TEXT("Directly"));
}

static int32_t warn(struct rebali_failover_call *call, uint32_t binding, const struct rebali_eviction *evictions,
                    size_t n, const uint32_t *targets, size_t n_targets) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    size_t position = rebali_target_find(call, evictions[i].cluster, targets, n_targets);

    for (size_t j = count_evictions(evictions, i, evictions[i].cluster); j > 0 && position < n_targets; j--) {
      position += 1 + rebali_target_find(call, evictions[i].cluster, targets + position + 1, n_targets - position - 1);
    }
    if (position < n_targets && is_direct(call, binding, &evictions[i])) {
      code = rebali_warn_removal(call, binding, evictions[i].cluster,
                                 rebali_bindings_i64(call->every.bindings, REBAL_TARGET_REPLICAS, targets[position]),
                                 REBALI_ROW("purges-directly"));
    }
  }
  return code;
}

int32_t rebali_evict(struct rebali_failover_call *call, uint32_t binding, const struct rebali_eviction *evictions,
                     size_t n) {
  const rebal_record *payload;
  size_t n_targets;
  const uint32_t *targets = rebali_bindings_children(call->every.bindings, REBAL_TABLE_TARGET, binding, &n_targets);
  int32_t code;

  (void)rebal_builder_start(call->every.builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  build_targets(call, targets, n_targets, evictions, n);
  build_tasks(call, binding, targets, n_targets, evictions, n);
  code = rebal_builder_finish(call->every.builder, &payload, call->every.err);
  if (code == REBAL_OK) {
    code = rebali_every_binding_action(&call->every, binding, REBAL_ACTION_KIND_PATCH_SPEC,
                                       REBAL_REPLACES_CLUSTERS | REBAL_REPLACES_GRACEFUL_EVICTION_TASKS, payload);
  }
  return code == REBAL_OK ? warn(call, binding, evictions, n, targets, n_targets) : code;
}
