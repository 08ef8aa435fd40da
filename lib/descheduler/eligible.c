/* SPDX-License-Identifier: MIT */
#include "descheduler/descheduler.h"

/* Is the placement one that divides by what is available? */
static int is_dynamic(const rebal_record *placement) {
  const uint32_t scheduling = rebali_record_get(placement, 0, REBAL_PLACEMENT_REPLICA_SCHEDULING);
  const uint32_t weights = rebali_record_get(placement, scheduling, REBAL_REPLICA_SCHEDULING_WEIGHT_PREFERENCE);
  const struct rebali_text type =
      rebali_record_text(placement, rebali_record_get(placement, scheduling, REBAL_REPLICA_SCHEDULING_TYPE));
  const struct rebali_text preference = rebali_record_text(
      placement, rebali_record_get(placement, scheduling, REBAL_REPLICA_SCHEDULING_DIVISION_PREFERENCE));
  const struct rebali_text dynamic_weight =
      rebali_record_text(placement, rebali_record_get(placement, weights, REBAL_WEIGHT_PREFERENCE_DYNAMIC_WEIGHT));

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

int rebali_deschedule_eligible(const struct rebali_deschedule_call *call, uint32_t binding) {
  const rebal_bindings *bindings = call->sweep.bindings;
  const int64_t applied = rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_PLACEMENT, binding);
  const int is_of_kind = (call->opts.flags & REBAL_DESCHEDULE_ANY_KIND) != 0
                             ? rebali_bindings_i64(bindings, REBAL_BINDING_REPLICAS, binding) > 0
                             : is_deployment(bindings, binding);

  return is_of_kind && !rebali_bindings_i64(bindings, REBAL_BINDING_DELETING, binding) &&
         rebali_bindings_i64(bindings, REBAL_BINDING_APPLIED_STATE, binding) == REBAL_APPLIED_PRESENT &&
         is_dynamic(rebali_snapshot_record(call->sweep.snapshot, REBAL_OBJECT_PLACEMENT, (uint32_t)applied));
}
