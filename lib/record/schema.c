/* SPDX-License-Identifier: MIT */
#include "record/record.h"

/* Public meaning of a column's type; handle types also name the object of the handle. */
#define COLUMN_TYPES(TYPE)                                                   \
  TYPE(TEXT, REBAL_TYPE_TEXT, REBAL_OBJECT_NONE)                             \
  TYPE(TIME, REBAL_TYPE_TIME, REBAL_OBJECT_NONE)                             \
  TYPE(INT64, REBAL_TYPE_INT64, REBAL_OBJECT_NONE)                           \
  TYPE(INT32, REBAL_TYPE_INT32, REBAL_OBJECT_NONE)                           \
  TYPE(COUNT32, REBAL_TYPE_COUNT32, REBAL_OBJECT_NONE)                       \
  TYPE(BOOLEAN, REBAL_TYPE_BOOLEAN, REBAL_OBJECT_NONE)                       \
  TYPE(CLUSTER, REBAL_TYPE_CLUSTER, REBAL_OBJECT_NONE)                       \
  TYPE(TEXTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_TEXTS)                         \
  TYPE(LABELS, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABELS)                       \
  TYPE(TAINTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_TAINTS)                       \
  TYPE(API_ENABLEMENTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_API_ENABLEMENTS)     \
  TYPE(RESOURCE_MODELS, REBAL_TYPE_HANDLE, REBAL_OBJECT_RESOURCE_MODELS)     \
  TYPE(MODELINGS, REBAL_TYPE_HANDLE, REBAL_OBJECT_MODELINGS)                 \
  TYPE(PLACEMENT, REBAL_TYPE_HANDLE, REBAL_OBJECT_PLACEMENT)                 \
  TYPE(REQUIREMENTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_REQUIREMENTS)           \
  TYPE(TARGET_COMPONENTS, REBAL_TYPE_HANDLE, REBAL_OBJECT_TARGET_COMPONENTS) \
  TYPE(POD_RESOURCES, REBAL_TYPE_HANDLE, REBAL_OBJECT_POD_RESOURCES)         \
  TYPE(LABEL_SELECTOR, REBAL_TYPE_HANDLE, REBAL_OBJECT_LABEL_SELECTOR)       \
  TYPE(CONDITIONS, REBAL_TYPE_HANDLE, REBAL_OBJECT_CONDITIONS)

/* Properties of each type, with ENUM_<name> and SET_<name> of enums.def. */
enum column_traits {
#define TYPE(name, type, child)                                                                 \
  COLUMN_TYPE_##name = type, COLUMN_CHILD_##name = child, COLUMN_ENUM_##name = REBAL_ENUM_NONE, \
  COLUMN_FORM_##name = REBAL_FORM_NONE,
  COLUMN_TYPES(TYPE)
#undef TYPE
#define REBAL_ENUM(name, number, form)                                                      \
  COLUMN_TYPE_ENUM_##name = REBAL_TYPE_INT64, COLUMN_CHILD_ENUM_##name = REBAL_OBJECT_NONE, \
  COLUMN_ENUM_ENUM_##name = number, COLUMN_FORM_ENUM_##name = REBAL_FORM_##form,            \
  COLUMN_TYPE_SET_##name = REBAL_TYPE_INT64, COLUMN_CHILD_SET_##name = REBAL_OBJECT_NONE,   \
  COLUMN_ENUM_SET_##name = number, COLUMN_FORM_SET_##name = REBAL_FORM_BIT_NUMBERS,
#define REBAL_ENUMERATOR(enumeration, name, value, text, meaning)
#include "rebalance/enums.def"
#undef REBAL_ENUM
#undef REBAL_ENUMERATOR
};

#define TYPE(name, type, child) \
  _Static_assert(REBALI_ID_##name == (type == REBAL_TYPE_CLUSTER || type == REBAL_TYPE_HANDLE), "id or not: " #name);
COLUMN_TYPES(TYPE)
#undef TYPE

/* The builder stores the fields of an open object in 64 bits, a table its columns in an array. */
#define REBAL_OBJECT(name, number) \
  _Static_assert((number) > 0 && (number) < 128, "objects are numbered below the tables: " #name);
#define REBAL_FIELD(object, name, number, type, cardinality, child, text) \
  _Static_assert((number) > 0 && (number) < 64, "field number out of range: " #object " " #name);
#include "rebalance/fields.def"
#undef REBAL_OBJECT
#undef REBAL_FIELD
#define REBAL_TABLE(name, number) \
  _Static_assert((number) >= 128 && (number) < 256, "tables are numbered above the objects: " #name);
#define REBAL_COLUMN(table, name, number, type, absent, source) \
  _Static_assert((number) > 0 && (number) < 256, "column numbers are 1 to 255: " #table " " #name);
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN

/* In the order of the lists. */
static const struct rebali_field_info infos[] = {
#define REBAL_OBJECT(name, number)
#define REBAL_FIELD(object, name, number, type, cardinality, child, text) \
  {REBAL_##object##_##name,                                               \
   REBAL_OBJECT_##object,                                                 \
   REBAL_TYPE_##type,                                                     \
   REBAL_CARDINALITY_##cardinality,                                       \
   REBAL_OBJECT_##child,                                                  \
   0,                                                                     \
   text,                                                                  \
   #name,                                                                 \
   REBAL_ENUM_NONE,                                                       \
   REBAL_FORM_NONE},
#include "rebalance/fields.def"
#undef REBAL_OBJECT
#undef REBAL_FIELD
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) \
  {REBAL_##table##_##name,                                      \
   REBAL_TABLE_##table,                                         \
   COLUMN_TYPE_##type,                                          \
   REBAL_CARDINALITY_ONE,                                       \
   COLUMN_CHILD_##type,                                         \
   REBALI_KEPT_ABSENT(table, type, absent),                     \
   source,                                                      \
   #name,                                                       \
   COLUMN_ENUM_##type,                                          \
   COLUMN_FORM_##type},
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN
};

/* Indices in that order: of the first field of each object (BEFORE undoes the increment), and of each field. */
enum place {
#define REBAL_OBJECT(name, number) FIRST_FIELD_OF_##name, BEFORE_FIELDS_OF_##name = FIRST_FIELD_OF_##name - 1,
#define REBAL_FIELD(object, name, number, type, cardinality, child, text) PLACE_OF_FIELD_##object##_##name,
#include "rebalance/fields.def"
#undef REBAL_OBJECT
#undef REBAL_FIELD
#define REBAL_TABLE(name, number) FIRST_COLUMN_OF_##name, BEFORE_COLUMNS_OF_##name = FIRST_COLUMN_OF_##name - 1,
#define REBAL_COLUMN(table, name, number, type, absent, source) PLACE_OF_COLUMN_##table##_##name,
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN
  PLACES
};

/* Numbers in an object or table count from 1, so a number determines the index. */
#define REBAL_OBJECT(name, number)
#define REBAL_FIELD(object, name, number, type, cardinality, child, text) \
  _Static_assert(PLACE_OF_FIELD_##object##_##name - FIRST_FIELD_OF_##object + 1 == (number), "gap: " #object " " #name);
#include "rebalance/fields.def"
#undef REBAL_OBJECT
#undef REBAL_FIELD
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) \
  _Static_assert(PLACE_OF_COLUMN_##table##_##name - FIRST_COLUMN_OF_##table + 1 == (number), "gap: " #table " " #name);
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN

/* By object or table; 0 for unused numbers. */
static const uint16_t first_of[256] = {
#define REBAL_OBJECT(name, number) [number] = FIRST_FIELD_OF_##name,
#define REBAL_FIELD(object, name, number, type, cardinality, child, text)
#include "rebalance/fields.def"
#undef REBAL_OBJECT
#undef REBAL_FIELD
#define REBAL_TABLE(name, number) [number] = FIRST_COLUMN_OF_##name,
#define REBAL_COLUMN(table, name, number, type, absent, source)
#include "rebalance/columns.def"
#undef REBAL_TABLE
#undef REBAL_COLUMN
};

const struct rebali_field_info *rebali_field_find(uint32_t id) {
  const uint32_t object = id / 256u;
  const size_t place = object < REBALI_COUNT(first_of) ? first_of[object] + id % 256u - (size_t)1 : PLACES;

  return place < PLACES && infos[place].id == id ? &infos[place] : NULL;
}

const struct rebali_field_info *rebali_object_fields(uint32_t object, size_t *n) {
  const size_t first = object < REBALI_COUNT(first_of) ? first_of[object] : PLACES;
  size_t end = first;

  while (end < PLACES && infos[end].object == object) {
    end++;
  }
  *n = end - first;
  return *n == 0 ? NULL : &infos[first];
}

int rebali_type_accepts(uint32_t type, int64_t value) {
  switch (type) {
    case REBAL_TYPE_INT32:
      return value >= INT32_MIN && value <= INT32_MAX;
    case REBAL_TYPE_COUNT32:
      return value >= 0 && value <= INT32_MAX;
    case REBAL_TYPE_INT64:
      return 1;
    case REBAL_TYPE_BOOLEAN:
      return value == 0 || value == 1;
    case REBAL_TYPE_CLUSTER:
    case REBAL_TYPE_HANDLE:
      return value >= 0 && value <= UINT32_MAX; /* REBAL_NONE makes a cell absent */
    default:
      return 0;
  }
}

int32_t rebal_describe(uint32_t id, rebal_description *out, rebal_error *err) {
  const struct rebali_field_info *info = rebali_field_find(id);
  rebal_description description;
  int32_t code;

  if (out == NULL) {
    return rebali_fail(err, REBAL_EINVAL, -1, "out is NULL");
  }
  code = rebali_structure_check(out, sizeof *out, err);
  if (code != REBAL_OK) {
    return code;
  }
  if (info == NULL) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no field or column has the number %lu", (unsigned long)id);
  }
  description = (rebal_description){0,          info->type, info->cardinality, info->child, info->enumeration,
                                    info->form, info->text, info->identifier};
  rebali_structure_fill(out, &description, sizeof description);
  return REBAL_OK;
}

int32_t rebal_describe_object(uint32_t object, uint32_t *ids, size_t capacity, size_t *n, rebal_error *err) {
  size_t count;
  const struct rebali_field_info *fields = rebali_object_fields(object, &count);
  size_t i;

  if (n == NULL || (ids == NULL && capacity != 0)) {
    return rebali_fail(err, REBAL_EINVAL, -1, "%s is missing", n == NULL ? "n" : "ids");
  }
  if (fields == NULL) {
    return rebali_fail(err, REBAL_EUNSUPPORTED, -1, "no object or table has the number %lu", (unsigned long)object);
  }
  for (i = 0; i < count && i < capacity; i++) {
    ids[i] = fields[i].id;
  }
  *n = count;
  return REBAL_OK;
}
