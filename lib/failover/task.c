/* SPDX-License-Identifier: MIT */
/* Failures of a builder stick until its finish, so nothing here checks. */
#include "failover/failover.h"

void rebali_build_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  if (text.len != 0) {
    (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL);
  }
}

/* Copies every node of a field of an interned record into a field of the same child kind. */
static void copy_all(rebal_builder *builder, uint32_t field, const rebal_record *record, uint32_t source_field) {
  uint32_t node = REBAL_NONE;

  while (record != NULL && (node = rebal_record_next(record, 0, source_field, node)) != REBAL_NONE) {
    (void)rebal_builder_copy(builder, field, record, node, NULL);
  }
}

void rebali_build_labels(struct rebali_failover_call *call, uint32_t field, int64_t handle) {
  copy_all(call->builder, field, rebali_snapshot_record(call->snapshot, REBAL_OBJECT_LABELS, (uint32_t)handle),
           REBAL_LABELS_LABEL);
}

static void build_texts(struct rebali_failover_call *call, uint32_t field, int64_t handle) {
  const rebal_record *record = rebali_snapshot_record(call->snapshot, REBAL_OBJECT_TEXTS, (uint32_t)handle);
  uint32_t node = REBAL_NONE;

  while (record != NULL && (node = rebal_record_next(record, 0, REBAL_TEXTS_ITEM, node)) != REBAL_NONE) {
    const struct rebali_text text = rebali_record_text(record, node);

    (void)rebal_builder_text(call->builder, field, text.bytes, text.len, NULL);
  }
}

static void build_i64(rebal_builder *builder, uint32_t field, int64_t value) {
  if (value != REBAL_ABSENT) {
    (void)rebal_builder_i64(builder, field, value, NULL);
  }
}

void rebali_target_build(struct rebali_failover_call *call, uint32_t target) {
  const int64_t cluster = rebali_bindings_i64(call->bindings, REBAL_TARGET_CLUSTER, target);
  const int64_t replicas = rebali_bindings_i64(call->bindings, REBAL_TARGET_REPLICAS, target);

  (void)rebal_builder_begin(call->builder, REBAL_BINDING_SPEC_CLUSTERS, NULL);
  rebali_build_text(call->builder, REBAL_TARGET_CLUSTER_NAME, rebali_snapshot_name(call->snapshot, (uint32_t)cluster));
  build_i64(call->builder, REBAL_TARGET_CLUSTER_REPLICAS, replicas == 0 ? REBAL_ABSENT : replicas);
  (void)rebal_builder_end(call->builder, NULL);
}

void rebali_task_build(struct rebali_failover_call *call, uint32_t task, const rebal_time *created) {
  static const struct {
    uint32_t column;
    uint32_t field;
  } texts[] = {{REBAL_TASK_PURGE_MODE, REBAL_EVICTION_TASK_PURGE_MODE},
               {REBAL_TASK_REASON, REBAL_EVICTION_TASK_REASON},
               {REBAL_TASK_MESSAGE, REBAL_EVICTION_TASK_MESSAGE},
               {REBAL_TASK_PRODUCER, REBAL_EVICTION_TASK_PRODUCER}},
    numbers[] = {{REBAL_TASK_REPLICAS, REBAL_EVICTION_TASK_REPLICAS},
                 {REBAL_TASK_GRACE_PERIOD_SECONDS, REBAL_EVICTION_TASK_GRACE_PERIOD_SECONDS},
                 {REBAL_TASK_SUPPRESS_DELETION, REBAL_EVICTION_TASK_SUPPRESS_DELETION}};
  const rebal_bindings *bindings = call->bindings;
  const int64_t cluster = rebali_bindings_i64(bindings, REBAL_TASK_FROM_CLUSTER, task);
  const rebal_time read = rebali_bindings_time(bindings, REBAL_TASK_CREATION_TIMESTAMP, task);
  size_t i;

  (void)rebal_builder_begin(call->builder, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS, NULL);
  rebali_build_text(call->builder, REBAL_EVICTION_TASK_FROM_CLUSTER,
                    rebali_snapshot_name(call->snapshot, (uint32_t)cluster));
  for (i = 0; i < REBALI_COUNT(texts); i++) {
    rebali_build_text(call->builder, texts[i].field, rebali_bindings_text(bindings, texts[i].column, task));
  }
  for (i = 0; i < REBALI_COUNT(numbers); i++) {
    build_i64(call->builder, numbers[i].field, rebali_bindings_i64(bindings, numbers[i].column, task));
  }
  rebali_build_labels(call, REBAL_EVICTION_TASK_PRESERVED_LABEL_STATE,
                      rebali_bindings_i64(bindings, REBAL_TASK_PRESERVED_LABEL_STATE, task));
  (void)rebal_builder_time(call->builder, REBAL_EVICTION_TASK_CREATION_TIMESTAMP, created != NULL ? created : &read,
                           NULL);
  build_texts(call, REBAL_EVICTION_TASK_CLUSTERS_BEFORE_FAILOVER,
              rebali_bindings_i64(bindings, REBAL_TASK_CLUSTERS_BEFORE_FAILOVER, task));
  (void)rebal_builder_end(call->builder, NULL);
}
