/* SPDX-License-Identifier: MIT */
/*
 * Decides whether and why a binding is scheduled: the decision table of rebalance-karmada(7) 2.3, after the exits of
 * 2.2.
 */
#include "scheduler/scheduler.h"

/*
 * Returns whether two subtrees are equal. Records are canonical, so children are in the same order. The builder limits
 * nesting.
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

/* Compares all values of a field, in order. */
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
    if (rebali_text_equal(rebali_record_field_text(placement, node, REBAL_AFFINITY_AFFINITY_NAME), name)) {
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

static int placement_changed(const struct rebali_pass *pass) {
  static const uint32_t fields[] = {REBAL_PLACEMENT_CLUSTER_AFFINITY, REBAL_PLACEMENT_CLUSTER_TOLERATIONS,
                                    REBAL_PLACEMENT_SPREAD_CONSTRAINTS, REBAL_PLACEMENT_REPLICA_SCHEDULING};
  const rebal_bindings *bindings = pass->bindings;
  const uint32_t row = pass->row;
  const int64_t state = rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_STATE, row);
  const int64_t handle = rebali_bindings_i64(bindings, REBAL_BINDING_PLACEMENT, row);
  const int64_t applied_handle = rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_PLACEMENT, row);
  const rebal_record *now, *applied;

  if (state != REBAL_ANNOTATION_PRESENT) {
    return state == REBAL_ANNOTATION_ABSENT; /* an unreadable annotation counts as unchanged */
  }
  if (handle == REBAL_NONE || applied_handle == REBAL_NONE) {
    return handle != applied_handle;
  }
  if (handle == applied_handle) { /* equal records have one handle */
    return rebali_compat_value(pass->opts->compat, REBAL_OPTION_STRICT_NIL_EMPTY) &&
           !rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_STRICTLY_EQUAL, row);
  }
  now = rebali_snapshot_record(pass->snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)handle);
  applied = rebali_snapshot_record(pass->snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)applied_handle);
  for (size_t i = 0; i < REBALI_COUNT(fields); i++) {
    if (!same_field(now, applied, fields[i])) {
      return 1;
    }
  }
  return affinities_changed(now, applied, rebali_bindings_text(bindings, REBAL_BINDING_OBSERVED_AFFINITY_NAME, row));
}

/* Returns whether spec.placement.replicaScheduling exists and has this type. */
static int is_scheduled_as(const struct rebali_pass *pass, struct rebali_text type) {
  return rebali_text_equal(pass->placement->scheduling_type, type);
}

static int has_scheduling(const struct rebali_pass *pass) {
  return pass->placement != NULL && pass->placement->has_replica_scheduling;
}

/* No replicaScheduling means Duplicated. */
static int is_duplicated(const struct rebali_pass *pass) {
  return !has_scheduling(pass) || is_scheduled_as(pass, REBALI_TEXT("Duplicated"));
}

static int replicas_changed(const struct rebali_pass *pass) {
  const int32_t wanted = (int32_t)rebali_bindings_i64(pass->bindings, REBAL_BINDING_REPLICAS, pass->row);
  size_t n_targets, n_components;
  const uint32_t *targets = rebali_bindings_children(pass->bindings, REBAL_TABLE_TARGET, pass->row, &n_targets);
  int all_equal = 1;
  int64_t sum = 0; /* of fewer than 2^32 */

  if (!has_scheduling(pass)) {
    return 0;
  }
  (void)rebali_bindings_children(pass->bindings, REBAL_TABLE_COMPONENT, pass->row, &n_components);
  if (n_components > 0 && n_targets == 0 &&
      rebali_compat_value(pass->opts->compat, REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES)) {
    return 1;
  }
  for (size_t i = 0; i < n_targets; i++) {
    const int64_t replicas = rebali_bindings_i64(pass->bindings, REBAL_TARGET_REPLICAS, targets[i]);

    all_equal &= replicas == wanted;
    sum += replicas;
  }
  if (!all_equal && is_scheduled_as(pass, REBALI_TEXT("Duplicated"))) {
    return 1;
  }
  if (rebali_compat_value(pass->opts->compat, REBAL_OPTION_INT32_WRAP)) {
    sum = rebali_low_int32(sum);
  }
  return sum != wanted && is_scheduled_as(pass, REBALI_TEXT("Divided"));
}

static int has_terminating_target(const struct rebali_pass *pass) {
  size_t n;
  const uint32_t *targets = rebali_bindings_children(pass->bindings, REBAL_TABLE_TARGET, pass->row, &n);

  for (size_t i = 0; i < n; i++) {
    const int64_t cluster = rebali_bindings_i64(pass->bindings, REBAL_TARGET_CLUSTER, targets[i]);

    if (cluster != REBAL_NONE && rebali_snapshot_has(pass->snapshot, (uint32_t)cluster) &&
        rebali_snapshot_i64(pass->snapshot, REBAL_CLUSTER_DELETING, (uint32_t)cluster)) {
      return 1;
    }
  }
  return 0;
}

int64_t rebali_decide_reason(const struct rebali_pass *pass) {
  if (rebali_bindings_i64(pass->bindings, REBAL_BINDING_DELETING, pass->row)) {
    return REBAL_REASON_DELETING;
  }
  if (placement_changed(pass)) {
    return REBAL_REASON_PLACEMENT;
  }
  if (replicas_changed(pass)) {
    return REBAL_REASON_REPLICAS;
  }
  if (rebali_reschedule_required(pass->bindings, pass->row)) {
    return REBAL_REASON_RESCHEDULE;
  }
  if (!rebali_is_workload(pass->bindings, pass->row) || is_duplicated(pass)) {
    return REBAL_REASON_DUPLICATED;
  }
  return has_terminating_target(pass) ? REBAL_REASON_TERMINATING_CLUSTER : REBAL_REASON_NONE;
}
