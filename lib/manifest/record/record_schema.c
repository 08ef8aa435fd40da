/* SPDX-License-Identifier: MIT */
/* fields.def as a table, and what the reference writes of empty members. */
#include "manifest/manifest.h"

static const struct rebali_field fields[] = {
#define REBAL_OBJECT(name, number)
#define REBAL_FIELD(object, name, number, type, cardinality, child, text)     \
  {REBAL_##object##_##name,         REBAL_OBJECT_##object, REBAL_TYPE_##type, \
   REBAL_CARDINALITY_##cardinality, REBAL_OBJECT_##child,  text},
#include <rebalance/fields.def>
#undef REBAL_OBJECT
#undef REBAL_FIELD
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

/* The place of an object's first field: BEFORE steps back so that the first field takes the number of FIRST. */
enum place {
  PLACE_NONE = -1,
#define REBAL_OBJECT(name, number) PLACE_FIRST_##name, PLACE_BEFORE_##name = PLACE_FIRST_##name - 1,
#define REBAL_FIELD(object, name, number, type, cardinality, child, text) PLACE_##object##_##name,
#include <rebalance/fields.def>
#undef REBAL_OBJECT
#undef REBAL_FIELD
};

static const uint16_t first_fields[] = {
#define REBAL_OBJECT(name, number) [number] = PLACE_FIRST_##name,
#define REBAL_FIELD(object, name, number, type, cardinality, child, text)
#include <rebalance/fields.def>
#undef REBAL_OBJECT
#undef REBAL_FIELD
};

/* Members that are not left out when zero. Objects are pointers unless they are listed. */
static const struct {
  uint32_t id;
  enum rebali_zero zero;
} zeros[] = {
    {REBAL_AMOUNT_QUANTITY, REBALI_ZERO_WRITTEN},
    {REBAL_CONDITION_TYPE, REBALI_ZERO_WRITTEN},
    {REBAL_CONDITION_STATUS, REBALI_ZERO_WRITTEN},
    {REBAL_CONDITION_REASON, REBALI_ZERO_WRITTEN},
    {REBAL_CONDITION_MESSAGE, REBALI_ZERO_WRITTEN},
    {REBAL_API_ENABLEMENT_GROUP_VERSION, REBALI_ZERO_WRITTEN},
    {REBAL_API_RESOURCE_NAME, REBALI_ZERO_WRITTEN},
    {REBAL_API_RESOURCE_KIND, REBALI_ZERO_WRITTEN},
    {REBAL_RESOURCE_MODEL_GRADE, REBALI_ZERO_WRITTEN},
    {REBAL_MODEL_RANGE_NAME, REBALI_ZERO_WRITTEN},
    {REBAL_MODEL_RANGE_MIN, REBALI_ZERO_WRITTEN},
    {REBAL_MODEL_RANGE_MAX, REBALI_ZERO_WRITTEN},
    {REBAL_MODELING_GRADE, REBALI_ZERO_WRITTEN},
    {REBAL_MODELING_COUNT, REBALI_ZERO_WRITTEN},
    {REBAL_EXPRESSION_KEY, REBALI_ZERO_WRITTEN},
    {REBAL_EXPRESSION_OPERATOR, REBALI_ZERO_WRITTEN},
    {REBAL_TOLERATION_TOLERATION_SECONDS, REBALI_ZERO_DISTINCT},
    {REBAL_STATIC_WEIGHT_TARGET_CLUSTER, REBALI_ZERO_WRITTEN},
    {REBAL_STATIC_WEIGHT_WEIGHT, REBALI_ZERO_WRITTEN},
    {REBAL_GROUP_BY_LABEL_KEY, REBALI_ZERO_WRITTEN},
    {REBAL_TAINT_KEY, REBALI_ZERO_WRITTEN},
    {REBAL_TAINT_EFFECT, REBALI_ZERO_WRITTEN},
    {REBAL_REFERENCE_API_VERSION, REBALI_ZERO_WRITTEN},
    {REBAL_REFERENCE_KIND, REBALI_ZERO_WRITTEN},
    {REBAL_REFERENCE_NAME, REBALI_ZERO_WRITTEN},
    {REBAL_REBALANCER_SPEC_TTL_SECONDS_AFTER_FINISHED, REBALI_ZERO_DISTINCT},
    {REBAL_OBSERVED_WORKLOAD_WORKLOAD, REBALI_ZERO_WRITTEN},
    {REBAL_TARGET_CLUSTER_NAME, REBALI_ZERO_WRITTEN},
    {REBAL_EVICTION_TASK_FROM_CLUSTER, REBALI_ZERO_WRITTEN},
    {REBAL_EVICTION_TASK_REASON, REBALI_ZERO_WRITTEN},
    {REBAL_EVICTION_TASK_PRODUCER, REBALI_ZERO_WRITTEN},
    {REBAL_EVICTION_TASK_REPLICAS, REBALI_ZERO_DISTINCT},
    {REBAL_EVICTION_TASK_GRACE_PERIOD_SECONDS, REBALI_ZERO_DISTINCT},
    {REBAL_EVICTION_TASK_SUPPRESS_DELETION, REBALI_ZERO_DISTINCT},
    {REBAL_PREFERRED_TERM_WEIGHT, REBALI_ZERO_WRITTEN},
    {REBAL_PREFERRED_TERM_PREFERENCE, REBALI_ZERO_WRITTEN},
    {REBAL_SUBSET_NAME, REBALI_ZERO_WRITTEN},
    {REBAL_SUBSET_STATUS_NAME, REBALI_ZERO_WRITTEN},
    {REBAL_SUBSET_STATUS_REPLICAS, REBALI_ZERO_WRITTEN},
    {REBAL_SUBSET_STATUS_MISSING_REPLICAS, REBALI_ZERO_WRITTEN},
    {REBAL_ADAPTIVE_STRATEGY_RESCHEDULE_CRITICAL_SECONDS, REBALI_ZERO_DISTINCT},
    {REBAL_ADAPTIVE_STRATEGY_UNSCHEDULABLE_DURATION, REBALI_ZERO_DISTINCT},
    {REBAL_UNITED_SPEC_REPLICAS, REBALI_ZERO_DISTINCT},
    {REBAL_UNITED_SUBSET_NAME, REBALI_ZERO_WRITTEN},
};

const struct rebali_field *rebali_schema_fields(uint32_t object, size_t *n) {
  size_t first, end;
  *n = 0;
  if (object == 0 || object >= sizeof first_fields / sizeof first_fields[0]) {
    return NULL;
  }
  first = first_fields[object];
  for (end = first; end < FIELDS && fields[end].object == object; end++) {
    ++*n;
  }
  return *n > 0 ? fields + first : NULL;
}

enum rebali_zero rebali_field_zero(const struct rebali_field *field) {
  for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
    if (zeros[i].id == field->id) {
      return zeros[i].zero;
    }
  }
  if (field->type == REBAL_TYPE_OBJECT && field->cardinality == REBAL_CARDINALITY_ONE) {
    return REBALI_ZERO_DISTINCT;
  }
  return REBALI_ZERO_OMITTED;
}

const struct rebali_field *rebali_field_bare(uint32_t object) {
  static const uint32_t bare[] = {REBAL_OBJECT_LABELS,
                                  REBAL_OBJECT_TEXTS,
                                  REBAL_OBJECT_TAINTS,
                                  REBAL_OBJECT_API_ENABLEMENTS,
                                  REBAL_OBJECT_RESOURCE_MODELS,
                                  REBAL_OBJECT_MODELINGS,
                                  REBAL_OBJECT_TARGET_COMPONENTS,
                                  REBAL_OBJECT_CONDITIONS};
  size_t n;
  for (size_t i = 0; i < sizeof bare / sizeof bare[0]; i++) {
    if (bare[i] == object) {
      return rebali_schema_fields(object, &n);
    }
  }
  return NULL;
}
