/* SPDX-License-Identifier: MIT */
/* Errors of a builder persist until its finish, so nothing here checks. */
#include "fleet/every_binding.h"

void rebali_build_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  if (text.len != 0) {
    (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL);
  }
}

/* Copies every node of a field of an interned record into a field with the same kind of children. */
static void copy_all(rebal_builder *builder, uint32_t field, const rebal_record *record, uint32_t source_field) {
  uint32_t node = REBAL_NONE;

  while (record != NULL && (node = rebal_record_next(record, 0, source_field, node)) != REBAL_NONE) {
    (void)rebal_builder_copy(builder, field, record, node, NULL);
  }
}

void rebali_build_labels(struct rebali_every_binding *every, uint32_t field, int64_t handle) {
  copy_all(every->builder, field, rebali_snapshot_record(every->snapshot, REBAL_OBJECT_LABELS, (uint32_t)handle),
           REBAL_LABELS_LABEL);
}

void rebali_build_i64(rebal_builder *builder, uint32_t field, int64_t value) {
  if (value != REBAL_ABSENT) {
    (void)rebal_builder_i64(builder, field, value, NULL);
  }
}

void rebali_target_build(struct rebali_every_binding *every, uint32_t target, int64_t replicas) {
  const int64_t cluster = rebali_bindings_i64(every->bindings, REBAL_TARGET_CLUSTER, target);
  const int64_t components = rebali_bindings_i64(every->bindings, REBAL_TARGET_COMPONENTS, target);

  (void)rebal_builder_begin(every->builder, REBAL_BINDING_SPEC_CLUSTERS, NULL);
  rebali_build_text(every->builder, REBAL_TARGET_CLUSTER_NAME,
                    rebali_snapshot_name(every->snapshot, (uint32_t)cluster));
  rebali_build_i64(every->builder, REBAL_TARGET_CLUSTER_REPLICAS, replicas == 0 ? REBAL_ABSENT : replicas);
  copy_all(every->builder, REBAL_TARGET_CLUSTER_COMPONENTS,
           rebali_snapshot_record(every->snapshot, REBAL_OBJECT_TARGET_COMPONENTS, (uint32_t)components),
           REBAL_TARGET_COMPONENTS_COMPONENT);
  (void)rebal_builder_end(every->builder, NULL);
}
