/* SPDX-License-Identifier: MIT */
/* fields.def as a table, and what the reference writes for empty members (members.def). */
#include "manifest/schema/kinds.h"

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

/* The place of an object's first field: BEFORE decrements so that the first field gets the number of FIRST. */
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
  const struct rebali_object_member *member = rebali_record_member(field->object, field->name);
  const uint32_t flags = member != NULL ? member->flags : 0;
  if ((flags & REBALI_WRITTEN) != 0 || field->id == REBAL_AMOUNT_QUANTITY) {
    return REBALI_ZERO_WRITTEN;
  }
  return (flags & REBALI_POINTER) != 0 ||
                 (field->type == REBAL_TYPE_OBJECT && field->cardinality == REBAL_CARDINALITY_ONE)
             ? REBALI_ZERO_DISTINCT
             : REBALI_ZERO_OMITTED;
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
