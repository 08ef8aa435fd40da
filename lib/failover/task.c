/* SPDX-License-Identifier: MIT */
/* Writes a task of spec.gracefulEvictionTasks into a payload. The builder keeps failures until its finish. */
#include "failover/failover.h"

static void build_texts(struct rebali_every_binding *every, uint32_t field, int64_t handle) {
  const rebal_record *record = rebali_snapshot_record(every->snapshot, REBAL_OBJECT_TEXTS, (uint32_t)handle);
  uint32_t node = REBAL_NONE;

  while (record != NULL && (node = rebal_record_next(record, 0, REBAL_TEXTS_ITEM, node)) != REBAL_NONE) {
    const struct rebali_text text = rebali_record_text(record, node);

    (void)rebal_builder_text(every->builder, field, text.bytes, text.len, NULL);
  }
}

void rebali_task_build(struct rebali_every_binding *every, uint32_t task, const rebal_time *created) {
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
  const rebal_bindings *bindings = every->bindings;
  const int64_t cluster = rebali_bindings_i64(bindings, REBAL_TASK_FROM_CLUSTER, task);
  const rebal_time read = rebali_bindings_time(bindings, REBAL_TASK_CREATION_TIMESTAMP, task);
  size_t i;

  (void)rebal_builder_begin(every->builder, REBAL_BINDING_SPEC_GRACEFUL_EVICTION_TASKS, NULL);
  rebali_build_text(every->builder, REBAL_EVICTION_TASK_FROM_CLUSTER,
                    rebali_snapshot_name(every->snapshot, (uint32_t)cluster));
  for (i = 0; i < REBALI_COUNT(texts); i++) {
    rebali_build_text(every->builder, texts[i].field, rebali_bindings_text(bindings, texts[i].column, task));
  }
  for (i = 0; i < REBALI_COUNT(numbers); i++) {
    rebali_build_i64(every->builder, numbers[i].field, rebali_bindings_i64(bindings, numbers[i].column, task));
  }
  rebali_build_labels(every, REBAL_EVICTION_TASK_PRESERVED_LABEL_STATE,
                      rebali_bindings_i64(bindings, REBAL_TASK_PRESERVED_LABEL_STATE, task));
  (void)rebal_builder_time(every->builder, REBAL_EVICTION_TASK_CREATION_TIMESTAMP, created != NULL ? created : &read,
                           NULL);
  build_texts(every, REBAL_EVICTION_TASK_CLUSTERS_BEFORE_FAILOVER,
              rebali_bindings_i64(bindings, REBAL_TASK_CLUSTERS_BEFORE_FAILOVER, task));
  (void)rebal_builder_end(every->builder, NULL);
}
