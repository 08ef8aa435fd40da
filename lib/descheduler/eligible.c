/* SPDX-License-Identifier: MIT */
#include "descheduler/descheduler.h"

/* Returns whether the placement divides by available replicas. */
static int is_dynamic(const rebal_record *placement) {
  const uint32_t scheduling = rebali_record_get(placement, 0, REBAL_PLACEMENT_REPLICA_SCHEDULING);
  const uint32_t weights = rebali_record_get(placement, scheduling, REBAL_REPLICA_SCHEDULING_WEIGHT_PREFERENCE);
  const struct rebali_text type = rebali_record_field_text(placement, scheduling, REBAL_REPLICA_SCHEDULING_TYPE);
  const struct rebali_text preference =
      rebali_record_field_text(placement, scheduling, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE);
  const struct rebali_text dynamic_weight =
      rebali_record_field_text(placement, weights, REBAL_WEIGHT_PREFERENCE_DYNAMIC_WEIGHT);

  return rebali_text_equal(type, REBALI_TEXT("Divided")) &&
         (rebali_text_equal(preference, REBALI_TEXT("Aggregated")) ||
          (rebali_text_equal(preference, REBALI_TEXT("Weighted")) && dynamic_weight.len != 0));
}

static int is_deployment(const rebal_bindings *bindings, uint32_t binding) {
  return !rebali_bindings_i64(bindings, REBAL_BINDING_CLUSTER_SCOPED, binding) &&
         rebali_text_equal(rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_KIND, binding),
                           REBALI_TEXT("Deployment")) &&
         rebali_text_equal(rebali_bindings_text(bindings, REBAL_BINDING_RESOURCE_API_VERSION, binding),
                           REBALI_TEXT("apps/v1"));
}

/* Checks the kind or, with ANY_KIND, whether the binding has replicas. */
static int64_t kind_excludes(const struct rebali_deschedule_call *call, uint32_t binding) {
  const rebal_bindings *bindings = call->every.bindings;

  if ((call->opts.flags & REBAL_DESCHEDULE_FLAG_ANY_KIND) != 0) {
    return rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, binding) > 0 ? REBAL_DESCHEDULE_EXCLUSION_NONE
                                                                              : REBAL_DESCHEDULE_EXCLUSION_NO_REPLICAS;
  }
  return is_deployment(bindings, binding) ? REBAL_DESCHEDULE_EXCLUSION_NONE : REBAL_DESCHEDULE_EXCLUSION_OTHER_KIND;
}

static int64_t placement_excludes(const struct rebali_deschedule_call *call, uint32_t binding) {
  const rebal_bindings *bindings = call->every.bindings;
  const int64_t applied = rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_PLACEMENT, binding);
  const int64_t state = rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_STATE, binding);

  if (state != REBAL_ANNOTATION_PRESENT) {
    return state == REBAL_ANNOTATION_UNPARSABLE ? REBAL_DESCHEDULE_EXCLUSION_UNREADABLE
                                                : REBAL_DESCHEDULE_EXCLUSION_NOT_APPLIED;
  }
  return is_dynamic(rebali_snapshot_record(call->every.snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)applied))
             ? REBAL_DESCHEDULE_EXCLUSION_NONE
             : REBAL_DESCHEDULE_EXCLUSION_NOT_DYNAMIC;
}

int64_t rebali_deschedule_exclusion(const struct rebali_deschedule_call *call, uint32_t binding) {
  int64_t exclusion;

  if ((call->opts.flags & REBAL_DESCHEDULE_FLAG_GIVEN_BINDINGS) != 0) {
    return REBAL_DESCHEDULE_EXCLUSION_NONE;
  }
  if (rebali_bindings_i64(call->every.bindings, REBAL_BINDING_DELETING, binding)) {
    return REBAL_DESCHEDULE_EXCLUSION_DELETING;
  }
  exclusion = kind_excludes(call, binding);
  return exclusion != REBAL_DESCHEDULE_EXCLUSION_NONE ? exclusion : placement_excludes(call, binding);
}
