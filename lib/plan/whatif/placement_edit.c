/* SPDX-License-Identifier: MIT */
/* Placements with an additional toleration, another bound of a spread constraint, or an additional static weight. */
#include "plan/whatif/counterfactual.h"

/* The builder keeps its first failure: rebal_builder_finish() returns it. */
static void put_text(rebal_builder *builder, uint32_t field, struct rebali_text text) {
  (void)rebal_builder_text(builder, field, text.bytes, text.len, NULL);
}

static void copy_texts(rebal_builder *builder, const rebal_record *record, uint32_t parent, uint32_t field) {
  const uint32_t node = rebali_record_get(record, parent, field);

  if (node != REBAL_NONE) {
    put_text(builder, field, rebali_record_text(record, node));
  }
}

static void copy_all(rebal_builder *builder, const rebal_record *record, uint32_t parent, uint32_t field) {
  uint32_t node = REBAL_NONE;

  while ((node = rebali_record_next(record, parent, field, node)) != REBAL_NONE) {
    (void)rebal_builder_copy(builder, field, record, node, NULL);
  }
}

static void put_toleration(rebal_builder *builder, const struct rebali_trial *trial,
                           const struct rebali_counterfactual *change) {
  const rebal_record *taints = rebali_snapshot_cell_record(trial->snapshot, REBAL_CLUSTER_TAINTS, change->cluster);
  const struct rebali_taint taint = rebali_taint_read(taints, change->node);

  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_CLUSTER_TOLERATIONS, NULL);
  put_text(builder, REBAL_TOLERATION_KEY, taint.key);
  put_text(builder, REBAL_TOLERATION_OPERATOR, REBALI_TEXT("Equal"));
  put_text(builder, REBAL_TOLERATION_VALUE, taint.value);
  put_text(builder, REBAL_TOLERATION_EFFECT, taint.effect);
  (void)rebal_builder_end(builder, NULL);
}

static void put_bound(rebal_builder *builder, const rebal_record *record, const struct rebali_counterfactual *change,
                      uint32_t field, int is_changed) {
  const uint32_t node = rebali_record_get(record, change->node, field);

  if (is_changed || node != REBAL_NONE) {
    (void)rebal_builder_i64(builder, field, is_changed ? change->after : rebal_record_i64(record, node), NULL);
  }
}

static void put_spread(rebal_builder *builder, const rebal_record *record, const struct rebali_counterfactual *change) {
  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_SPREAD_CONSTRAINTS, NULL);
  copy_texts(builder, record, change->node, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_FIELD);
  copy_texts(builder, record, change->node, REBAL_SPREAD_CONSTRAINT_SPREAD_BY_LABEL);
  put_bound(builder, record, change, REBAL_SPREAD_CONSTRAINT_MAX_GROUPS,
            change->kind == REBAL_SINGLE_CHANGE_MAX_GROUPS);
  put_bound(builder, record, change, REBAL_SPREAD_CONSTRAINT_MIN_GROUPS,
            change->kind == REBAL_SINGLE_CHANGE_MIN_GROUPS);
  (void)rebal_builder_end(builder, NULL);
}

static void put_scheduling(rebal_builder *builder, const struct rebali_trial *trial, uint32_t node,
                           const struct rebali_counterfactual *change) {
  const rebal_record *record = trial->placement;
  const uint32_t weights = rebali_record_get(record, node, REBAL_REPLICA_SCHEDULING_WEIGHT_PREFERENCE);

  (void)rebal_builder_begin(builder, REBAL_PLACEMENT_REPLICA_SCHEDULING, NULL);
  copy_texts(builder, record, node, REBAL_REPLICA_SCHEDULING_TYPE);
  copy_texts(builder, record, node, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE);
  (void)rebal_builder_begin(builder, REBAL_REPLICA_SCHEDULING_WEIGHT_PREFERENCE, NULL);
  copy_all(builder, record, weights, REBAL_WEIGHT_PREFERENCE_STATIC_WEIGHTS);
  (void)rebal_builder_begin(builder, REBAL_WEIGHT_PREFERENCE_STATIC_WEIGHTS, NULL);
  (void)rebal_builder_begin(builder, REBAL_STATIC_WEIGHT_TARGET_CLUSTER, NULL);
  put_text(builder, REBAL_AFFINITY_CLUSTER_NAMES, rebali_snapshot_name(trial->snapshot, change->cluster));
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_i64(builder, REBAL_STATIC_WEIGHT_WEIGHT, change->after, NULL);
  (void)rebal_builder_end(builder, NULL);
  copy_texts(builder, record, weights, REBAL_WEIGHT_PREFERENCE_DYNAMIC_WEIGHT);
  (void)rebal_builder_end(builder, NULL);
  (void)rebal_builder_end(builder, NULL);
}

int32_t rebali_placement_edit(struct rebali_trial *trial, const struct rebali_counterfactual *change,
                              const rebal_record **out) {
  const rebal_record *record = trial->placement;
  rebal_builder *builder = trial->builder;
  const int is_bound = change->kind == REBAL_SINGLE_CHANGE_MIN_GROUPS || change->kind == REBAL_SINGLE_CHANGE_MAX_GROUPS;
  uint32_t node = REBAL_NONE;

  (void)rebal_builder_start(builder, REBAL_OBJECT_PLACEMENT, NULL);
  while ((node = rebali_record_next(record, 0, 0, node)) != REBAL_NONE) {
    const uint32_t field = rebal_record_field(record, node);

    if (field == REBAL_PLACEMENT_SPREAD_CONSTRAINTS && is_bound && node == change->node) {
      put_spread(builder, record, change);
    } else if (field == REBAL_PLACEMENT_REPLICA_SCHEDULING && change->kind == REBAL_SINGLE_CHANGE_WEIGHT) {
      put_scheduling(builder, trial, node, change);
    } else {
      (void)rebal_builder_copy(builder, field, record, node, NULL);
    }
  }
  if (change->kind == REBAL_SINGLE_CHANGE_TOLERATION) {
    put_toleration(builder, trial, change);
  }
  return rebal_builder_finish(builder, out, trial->question.err);
}
