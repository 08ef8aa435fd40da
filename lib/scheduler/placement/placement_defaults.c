/* SPDX-License-Identifier: MIT */
/* Defaults that the reference's admission sets in a placement; its scheduler does not (rebalance-karmada(7) 1.4). */
#include "scheduler/scheduler.h"

/* The builder keeps a failure until it finishes. */
static void copy(rebal_builder *builder, const rebal_record *record, uint32_t node) {
  (void)rebal_builder_copy(builder, rebal_record_field(record, node), record, node, NULL);
}

/* Copies the members of an object except two. */
static void copy_others(rebal_builder *builder, const rebal_record *record, uint32_t parent, uint32_t one,
                        uint32_t other) {
  uint32_t node = REBAL_NONE;

  while ((node = rebal_record_next(record, parent, 0, node)) != REBAL_NONE) {
    if (rebal_record_field(record, node) != one && rebal_record_field(record, node) != other) {
      copy(builder, record, node);
    }
  }
}

static void set_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  if (text.len > 0) {
    (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL);
  }
}

static void complete_constraint(rebal_builder *builder, const rebal_record *record, uint32_t constraint) {
  const int64_t min_groups =
      rebal_record_i64(record, rebali_record_get(record, constraint, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS));
  struct rebali_text field = rebali_record_field_text(record, constraint, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD);

  if (field.len == 0 &&
      rebali_record_field_text(record, constraint, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_LABEL).len == 0) {
    field = REBALI_TEXT("cluster");
  }
  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_SPREAD_CONSTRAINTS, NULL);
  set_text(builder, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD, field);
  (void)rebal_builder_i64(builder, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS, min_groups == 0 ? 1 : min_groups, NULL);
  copy_others(builder, record, constraint, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS);
  (void)rebal_builder_end(builder, NULL);
}

static void complete_scheduling(rebal_builder *builder, const rebal_record *record, uint32_t scheduling) {
  const struct rebali_text divided = REBALI_TEXT("Divided");
  struct rebali_text type = rebali_record_field_text(record, scheduling, REBAL_REPLICA_SCHEDULING_TYPE);
  struct rebali_text preference =
      rebali_record_field_text(record, scheduling, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE);

  type = type.len == 0 ? divided : type;
  if (preference.len == 0 && rebali_text_equal(type, divided)) {
    preference = REBALI_TEXT("Weighted");
  }
  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL);
  set_text(builder, REBAL_REPLICA_SCHEDULING_TYPE, type);
  set_text(builder, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE, preference);
  copy_others(builder, record, scheduling, REBAL_REPLICA_SCHEDULING_TYPE, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE);
  (void)rebal_builder_end(builder, NULL);
}

int32_t rebal_placement_defaults(const rebal_record *placement, rebal_builder *builder, const rebal_record **out,
                                 rebal_error *err) {
  uint32_t node = REBAL_NONE;
  int32_t code;

  if (placement == NULL || rebal_record_object(placement) != REBAL_OBJECT_PLACEMENT) {
    return rebali_fail(err, REBAL_EINVAL, -1, "a record of kind PLACEMENT is needed");
  }
  code = rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, err);
  while (code == REBAL_OK && (node = rebal_record_next(placement, 0, 0, node)) != REBAL_NONE) {
    switch (rebal_record_field(placement, node)) {
      case REBAL_PLACEMENT_SPREAD_CONSTRAINTS:
        complete_constraint(builder, placement, node);
        break;
      case REBAL_PLACEMENT_REPLICA_SCHEDULING:
        complete_scheduling(builder, placement, node);
        break;
      default:
        copy(builder, placement, node);
    }
  }
  return code == REBAL_OK ? rebal_builder_finish(builder, out, err) : code;
}
