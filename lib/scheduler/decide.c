/* SPDX-License-Identifier: MIT */
/* Whether and why a binding is scheduled at all: the decision table of spec karmada 2.3, after the exits of 2.2. */
#include "scheduler/scheduler.h"

/*
 * Do two subtrees hold the same? Records are canonical, so children pair up in order. Nesting is bounded by the
 * builder.
 */
static int same_node(const rebal_record *left, uint32_t left_node, const rebal_record *right, uint32_t right_node) {
  uint32_t a = REBAL_NONE, b = REBAL_NONE;
  size_t left_len, right_len;
  const char *left_text, *right_text;

  if (left_node == REBAL_NONE || right_node == REBAL_NONE) {
    return left_node == right_node;
  }
  left_text = rebal_record_text(left, left_node, &left_len);
  right_text = rebal_record_text(right, right_node, &right_len);
  if (rebal_record_field(left, left_node) != rebal_record_field(right, right_node) ||
      rebal_record_i64(left, left_node) != rebal_record_i64(right, right_node) ||
      !rebali_text_equal(rebali_text(left_text, left_len), rebali_text(right_text, right_len))) {
    return 0;
  }
  do {
    a = rebal_record_next(left, left_node, 0, a);
    b = rebal_record_next(right, right_node, 0, b);
    if (!same_node(left, a, right, b)) {
      return 0;
    }
  } while (a != REBAL_NONE);
  return 1;
}

/* All values of a field, in order. */
static int same_field(const rebal_record *left, const rebal_record *right, uint32_t field) {
  uint32_t a = REBAL_NONE, b = REBAL_NONE;

  do {
    a = rebal_record_next(left, 0, field, a);
    b = rebal_record_next(right, 0, field, b);
    if (!same_node(left, a, right, b)) {
      return 0;
    }
  } while (a != REBAL_NONE);
  return 1;
}

static uint32_t find_term(const rebal_record *placement, struct rebali_text name) {
  uint32_t node = REBAL_NONE;

  while ((node = rebal_record_next(placement, 0, REBAL_PLACEMENT_CLUSTER_AFFINITIES, node)) != REBAL_NONE) {
    if (rebali_text_equal(
            rebali_record_text(placement, rebali_record_get(placement, node, REBAL_AFFINITY_AFFINITY_NAME)), name)) {
      return node;
    }
  }
  return REBAL_NONE;
}

static int affinities_changed(const rebal_record *now, const rebal_record *applied, struct rebali_text observed) {
  uint32_t current, former;

  if (observed.len == 0) {
    return 1;
  }
  current = find_term(now, observed);
  former = find_term(applied, observed);
  return current == REBAL_NONE || former == REBAL_NONE || !same_node(now, current, applied, former);
}

static int placement_changed(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row,
                             const rebal_compat *compat) {
  static const uint32_t fields[] = {REBAL_PLACEMENT_CLUSTER_AFFINITY, REBAL_PLACEMENT_CLUSTER_TOLERATIONS,
                                    REBAL_PLACEMENT_SPREAD_CONSTRAINTS, REBAL_PLACEMENT_REPLICA_SCHEDULING};
  const int64_t state = rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_STATE, row);
  const rebal_record *now, *applied;

  if (state != REBAL_APPLIED_PRESENT) {
    return state == REBAL_APPLIED_ABSENT; /* an unreadable annotation counts as unchanged */
  }
  now = rebali_snapshot_record(snapshot, REBAL_OBJECT_PLACEMENT,
                               (uint32_t)rebali_bindings_i64(bindings, REBAL_BINDING_PLACEMENT, row));
  applied = rebali_snapshot_record(snapshot, REBAL_OBJECT_PLACEMENT,
                                   (uint32_t)rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_PLACEMENT, row));
  if (now == NULL || applied == NULL) {
    return now != applied;
  }
  if (rebal_record_equal(now, applied)) {
    return rebali_compat_value(compat, REBAL_QUIRK_STRICT_NIL_EMPTY) &&
           !rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_STRICTLY_EQUAL, row);
  }
  for (size_t i = 0; i < REBALI_COUNT(fields); i++) {
    if (!same_field(now, applied, fields[i])) {
      return 1;
    }
  }
  return affinities_changed(now, applied, rebali_bindings_text(bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, row));
}

/* Type of spec.placement.replicaScheduling; is_there 0: no replicaScheduling, which means Duplicated. */
static struct rebali_text scheduling_type(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row,
                                          int *is_there) {
  const rebal_record *placement = rebali_snapshot_record(
      snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)rebali_bindings_i64(bindings, REBAL_BINDING_PLACEMENT, row));
  uint32_t scheduling = REBAL_NONE;

  if (placement != NULL) {
    scheduling = rebali_record_get(placement, 0, REBAL_PLACEMENT_REPLICA_SCHEDULING);
  }
  *is_there = scheduling != REBAL_NONE;
  return *is_there
             ? rebali_record_text(placement, rebali_record_get(placement, scheduling, REBAL_REPLICA_SCHEDULING_TYPE))
             : REBALI_TEXT("Duplicated");
}

static int replicas_changed(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row,
                            const rebal_compat *compat) {
  int has_scheduling;
  const struct rebali_text type = scheduling_type(snapshot, bindings, row, &has_scheduling);
  const int32_t wanted = (int32_t)rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, row);
  size_t n_targets, n_components;
  const uint32_t *targets = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, row, &n_targets);
  int64_t sum = 0; /* of fewer than 2^32 */

  (void)rebali_bindings_children(bindings, REBAL_TABLE_COMPONENT, row, &n_components);
  if (!has_scheduling) {
    return 0;
  }
  if (n_components > 0 && n_targets == 0 && rebali_compat_value(compat, REBAL_QUIRK_GATE_MULTIPLE_POD_TEMPLATES)) {
    return 1;
  }
  for (size_t i = 0; i < n_targets; i++) {
    const int64_t replicas = rebali_bindings_i64(bindings, REBAL_TARGET_REPLICAS, targets[i]);

    if (rebali_text_equal(type, REBALI_TEXT("Duplicated")) && replicas != wanted) {
      return 1;
    }
    sum += replicas;
  }
  if (rebali_compat_value(compat, REBAL_QUIRK_INT32_WRAP)) {
    sum = rebali_low_int32(sum);
  }
  return rebali_text_equal(type, REBALI_TEXT("Divided")) && sum != wanted;
}

static int has_terminating_target(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row) {
  size_t n;
  const uint32_t *targets = rebali_bindings_children(bindings, REBAL_TABLE_TARGET, row, &n);

  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(bindings, REBAL_TARGET_CLUSTER, targets[i]);

    if (cluster != REBAL_NONE && rebal_snapshot_has_cluster(snapshot, (uint32_t)cluster) &&
        rebali_snapshot_i64(snapshot, REBAL_CLUSTER_DELETING, (uint32_t)cluster)) {
      return 1;
    }
  }
  return 0;
}

int64_t rebali_decide_reason(const rebal_snapshot *snapshot, const rebal_bindings *bindings, uint32_t row,
                             const rebal_compat *compat) {
  int has_scheduling;

  if (rebali_bindings_i64(bindings, REBAL_BINDING_DELETING, row)) {
    return REBAL_REASON_DELETING;
  }
  if (placement_changed(snapshot, bindings, row, compat)) {
    return REBAL_REASON_PLACEMENT;
  }
  if (replicas_changed(snapshot, bindings, row, compat)) {
    return REBAL_REASON_REPLICAS;
  }
  if (rebali_reschedule_required(bindings, row)) {
    return REBAL_REASON_RESCHEDULE;
  }
  if (!rebali_is_workload(bindings, row) ||
      rebali_text_equal(scheduling_type(snapshot, bindings, row, &has_scheduling), REBALI_TEXT("Duplicated"))) {
    return REBAL_REASON_DUPLICATED;
  }
  return has_terminating_target(snapshot, bindings, row) ? REBAL_REASON_TERMINATING_CLUSTER : REBAL_REASON_NONE;
}
