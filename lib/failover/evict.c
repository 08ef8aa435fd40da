/* SPDX-License-Identifier: MIT */
/* Removes clusters from spec.clusters, with a task for each: rebalance-karmada(7) 10.1. */
#include "failover/failover.h"

static void take_targets(struct rebali_failover_call *call, struct rebali_eviction *evictions, size_t n) {
  for (size_t i = 0; i < n; i++) {
    struct rebali_binding_place *place = rebali_place_of(&call->places, evictions[i].cluster);

    evictions[i].target = place->free;
    if (place->free != REBAL_NONE) {
      call->places.targets[place->free].is_taken = 1;
      place->free = call->places.targets[place->free].next;
    }
  }
}

static void build_targets(struct rebali_failover_call *call, const uint32_t *targets, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!call->places.targets[i].is_taken) {
      rebali_target_build(&call->every, targets[i],
                          rebali_bindings_i64(call->every.bindings, REBAL_TARGET_REPLICAS, targets[i]));
    }
  }
}

static void build_names(struct rebali_failover_call *call, const uint32_t *targets, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(call->every.bindings, REBAL_TARGET_CLUSTER, targets[i]);
    const struct rebali_text name = rebali_snapshot_name(call->every.snapshot, (uint32_t)cluster);

    (void)rebal_builder_text(call->every.builder, REBAL_EVICTION_TASK_CLUSTERS_BEFORE_FAILOVER, name.bytes, name.len,
                             NULL);
  }
}

static void build_task(struct rebali_failover_call *call, const struct rebali_eviction *eviction,
                       const uint32_t *targets, size_t n_targets) {
  const int64_t replicas = rebali_bindings_i64(call->every.bindings, REBAL_TARGET_REPLICAS, targets[eviction->target]);
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
    const struct rebali_binding_place *place = rebali_place_of(&call->places, evictions[i].cluster);

    if (evictions[i].target != REBAL_NONE && evictions[i].target == place->target && place->task == REBAL_NONE) {
      build_task(call, &evictions[i], targets, n_targets);
    }
  }
}

/* Returns whether workloads in the cluster are removed at once. An existing task takes precedence. */
static int is_direct(const struct rebali_failover_call *call, const struct rebali_eviction *eviction) {
  const uint32_t task = rebali_place_of(&call->places, eviction->cluster)->task;
  const struct rebali_text mode = task == REBAL_NONE
                                      ? rebali_purge_mode(call, eviction->purge_mode)
                                      : rebali_bindings_text(call->every.bindings, REBAL_TASK_PURGE_MODE, task);

  return rebali_text_equal(mode, REBALI_TEXT("Directly"));
}

static int32_t warn(struct rebali_failover_call *call, uint32_t binding, const struct rebali_eviction *evictions,
                    size_t n, const uint32_t *targets) {
  int32_t code = REBAL_OK;

  for (size_t i = 0; code == REBAL_OK && i < n; i++) {
    if (evictions[i].target != REBAL_NONE && is_direct(call, &evictions[i])) {
      code = rebali_warn_removal(
          call, binding, evictions[i].cluster,
          rebali_bindings_i64(call->every.bindings, REBAL_TARGET_REPLICAS, targets[evictions[i].target]),
          REBALI_ROW("purges-directly"));
    }
  }
  return code;
}

int32_t rebali_evict(struct rebali_failover_call *call, uint32_t binding, struct rebali_eviction *evictions, size_t n) {
  const rebal_record *payload;
  size_t n_targets;
  const uint32_t *targets = rebali_bindings_children(call->every.bindings, REBAL_TABLE_TARGET, binding, &n_targets);
  int32_t code;

  take_targets(call, evictions, n);
  (void)rebal_builder_start(call->every.builder, REBAL_OBJECT_BINDING_SPEC, NULL);
  build_targets(call, targets, n_targets);
  build_tasks(call, binding, targets, n_targets, evictions, n);
  code = rebal_builder_finish(call->every.builder, &payload, call->every.err);
  if (code == REBAL_OK) {
    code = rebali_every_binding_action(&call->every, binding, REBAL_ACTION_KIND_PATCH_SPEC,
                                       REBAL_REPLACES_CLUSTERS | REBAL_REPLACES_GRACEFUL_EVICTION_TASKS, payload);
  }
  return code == REBAL_OK ? warn(call, binding, evictions, n, targets) : code;
}
