/* SPDX-License-Identifier: MIT */
#include "record/record.h"

#include "../unit.h"

/* How many fields and columns the lists have. */
enum {
#define REBAL_OBJECT(name, number)
#define REBAL_FIELD(object, name, number, type, cardinality, child, text) LISTED_##object##_##name,
#define REBAL_TABLE(name, number)
#define REBAL_COLUMN(table, name, number, type, absent, source) LISTED_COLUMN_##table##_##name,
#include "rebalance/fields.def"
#include "rebalance/columns.def"
#undef REBAL_OBJECT
#undef REBAL_FIELD
#undef REBAL_TABLE
#undef REBAL_COLUMN
  LISTED
};

static rebal_description describe(uint32_t id) {
  rebal_description about = {.struct_size = sizeof about};

  ck_assert_int_eq(rebal_describe(id, &about, NULL), REBAL_OK);
  ck_assert_uint_eq(about.struct_size, sizeof about);
  return about;
}

START_TEST(test_describe_a_field) {
  rebal_description about = describe(REBAL_METADATA_LABELS);

  ck_assert_uint_eq(about.type, REBAL_TYPE_OBJECT);
  ck_assert_uint_eq(about.cardinality, REBAL_CARDINALITY_MAP);
  ck_assert_uint_eq(about.child, REBAL_OBJECT_PAIR);
  ck_assert_uint_eq(about.enumeration, REBAL_ENUM_NONE);
  ck_assert_str_eq(about.name, "labels");
  ck_assert_str_eq(about.identifier, "LABELS");
  about = describe(REBAL_AFFINITY_CLUSTER_NAMES);
  ck_assert_uint_eq(about.type, REBAL_TYPE_TEXT);
  ck_assert_uint_eq(about.cardinality, REBAL_CARDINALITY_LIST);
  ck_assert_uint_eq(about.child, REBAL_OBJECT_NONE);
  ck_assert_str_eq(about.name, "clusterNames");
}
END_TEST

START_TEST(test_describe_a_column) {
  rebal_description about = describe(REBAL_TASK_CLUSTERS_BEFORE_FAILOVER);

  ck_assert_uint_eq(about.type, REBAL_TYPE_HANDLE);
  ck_assert_uint_eq(about.child, REBAL_OBJECT_TEXTS);
  ck_assert_str_eq(about.identifier, "CLUSTERS_BEFORE_FAILOVER");
  about = describe(REBAL_TARGET_CLUSTER);
  ck_assert_uint_eq(about.type, REBAL_TYPE_CLUSTER);
  ck_assert_uint_eq(about.child, REBAL_OBJECT_NONE);
  ck_assert_uint_eq(about.form, REBAL_FORM_NONE);
}
END_TEST

static const struct {
  uint32_t column, enumeration, form;
} enumerated[] = {
    {REBAL_DECISION_OUTCOME, REBAL_ENUM_OUTCOME, REBAL_FORM_VALUE},
    {REBAL_ACTION_REPLACES, REBAL_ENUM_REPLACES, REBAL_FORM_BITS},
    {REBAL_EXPLAIN_PLUGIN, REBAL_ENUM_FILTER, REBAL_FORM_VALUE},
    {REBAL_VERDICT_REJECTED_BY, REBAL_ENUM_FILTER, REBAL_FORM_BIT_NUMBERS},
};

START_TEST(test_describe_a_column_of_enumerators) {
  const rebal_description about = describe(enumerated[_i].column);

  ck_assert_uint_eq(about.type, REBAL_TYPE_INT64);
  ck_assert_uint_eq(about.enumeration, enumerated[_i].enumeration);
  ck_assert_uint_eq(about.form, enumerated[_i].form);
}
END_TEST

START_TEST(test_describe_into_other_sizes) {
  struct {
    rebal_description about;
    uint64_t rest;
  } later = {{.struct_size = sizeof later}, 7};
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebal_describe(REBAL_PAIR_KEY, &later.about, NULL), REBAL_OK);
  ck_assert_uint_eq(later.about.struct_size, sizeof later);
  ck_assert_uint_eq(later.rest, 0);
  later.about = (rebal_description){.struct_size = sizeof later.about - 1};
  ck_assert_int_eq(rebal_describe(REBAL_PAIR_KEY, &later.about, &err), REBAL_EABI);
  ck_assert_ptr_null(later.about.name);
  ck_assert_ptr_nonnull(strstr(err.message, "is not supported"));
}
END_TEST

START_TEST(test_describe_refuses_unknown_numbers) {
  const uint32_t unknown[] = {0, 255, 256, REBAL_PAIR_VALUE + 1, REBAL_OBJECT_PAIR, 0xffffffffu, 256u * 200u + 1u};
  rebal_error err = REBAL_ERROR_INIT;
  rebal_description about = {.struct_size = sizeof about, .type = 77};
  size_t i;

  for (i = 0; i < REBALI_COUNT(unknown); i++) {
    ck_assert_int_eq(rebal_describe(unknown[i], &about, &err), REBAL_EUNSUPPORTED);
    ck_assert_ptr_null(rebali_field_find(unknown[i]));
  }
  ck_assert_uint_eq(about.type, 77);
  ck_assert_str_eq(err.message, "no field or column has the number 51201");
}
END_TEST

START_TEST(test_describe_an_object) {
  uint32_t ids[8] = {0};
  size_t n = 0;

  ck_assert_int_eq(rebal_describe_object(REBAL_OBJECT_CONDITION, ids, 8, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 5);
  ck_assert_uint_eq(ids[0], REBAL_CONDITION_TYPE);
  ck_assert_uint_eq(ids[4], REBAL_CONDITION_MESSAGE);
  ck_assert_uint_eq(ids[5], 0);
  ck_assert_int_eq(rebal_describe_object(REBAL_TABLE_BINDING, ids, 1, &n, NULL), REBAL_OK);
  ck_assert_uint_ge(n, 37); /* tables only grow */
  ck_assert_uint_eq(ids[0], REBAL_BINDING_NAMESPACE);
  ck_assert_uint_eq(ids[1], REBAL_CONDITION_STATUS); /* beyond the capacity: as it was */
  ck_assert_int_eq(rebal_describe_object(REBAL_OBJECT_PAIR, NULL, 0, &n, NULL), REBAL_OK);
  ck_assert_uint_eq(n, 2);
}
END_TEST

START_TEST(test_describe_an_object_refuses) {
  uint32_t id;
  size_t n = 9;

  ck_assert_int_eq(rebal_describe_object(0, &id, 1, &n, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_describe_object(109, &id, 1, &n, NULL), REBAL_EUNSUPPORTED);
  /* Times 256 this is the number of the first field of PAIR. */
  ck_assert_int_eq(rebal_describe_object(0x01000001u, &id, 1, &n, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_describe_object(REBAL_OBJECT_PAIR, NULL, 1, &n, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_describe_object(REBAL_OBJECT_PAIR, &id, 1, NULL, NULL), REBAL_EINVAL);
  ck_assert_uint_eq(n, 9);
}
END_TEST

START_TEST(test_every_entry_is_found_and_in_order) {
  uint32_t last = 0;
  size_t total = 0;
  uint32_t object;

  for (object = 1; object < 256; object++) {
    size_t n;
    const struct rebali_field_info *fields = rebali_object_fields(object, &n);
    size_t i;

    for (i = 0; i < n; i++) {
      ck_assert_uint_gt(fields[i].id, last);
      ck_assert_uint_eq(fields[i].object, object);
      ck_assert_ptr_eq(rebali_field_find(fields[i].id), &fields[i]);
      ck_assert((fields[i].type == REBAL_TYPE_OBJECT || fields[i].type == REBAL_TYPE_HANDLE) ==
                (fields[i].child != REBAL_OBJECT_NONE));
      last = fields[i].id;
    }
    total += n;
  }
  /* Were an object listed in two parts, some would be lost. */
  ck_assert_uint_eq(total, LISTED);
}
END_TEST

START_TEST(test_maps_hold_entries_of_key_and_value) {
  uint32_t object;

  for (object = 1; object < 128; object++) {
    size_t n;
    const struct rebali_field_info *fields = rebali_object_fields(object, &n);
    size_t i;

    for (i = 0; i < n; i++) {
      if (fields[i].cardinality == REBAL_CARDINALITY_MAP) {
        size_t n_members;
        const struct rebali_field_info *members = rebali_object_fields(fields[i].child, &n_members);

        ck_assert_uint_eq(n_members, 2);
        ck_assert_uint_eq(members[0].type, REBAL_TYPE_TEXT);
        ck_assert_uint_eq(members[0].cardinality, REBAL_CARDINALITY_ONE);
      }
    }
  }
}
END_TEST

START_TEST(test_absent_values) {
  ck_assert_int_eq(rebali_field_find(REBAL_CLUSTER_LABELS)->absent, 4294967295);
  ck_assert_int_eq(rebali_field_find(REBAL_TASK_REPLICAS)->absent, INT64_MIN);
  ck_assert_int_eq(rebali_field_find(REBAL_TARGET_REPLICAS)->absent, 0);
}
END_TEST

START_TEST(test_types_accept) {
  const struct {
    uint32_t type;
    int64_t low;
    int64_t high;
  } types[] = {{REBAL_TYPE_INT32, INT32_MIN, INT32_MAX},
               {REBAL_TYPE_COUNT32, 0, INT32_MAX},
               {REBAL_TYPE_BOOLEAN, 0, 1},
               {REBAL_TYPE_CLUSTER, 0, UINT32_MAX},
               {REBAL_TYPE_HANDLE, 0, UINT32_MAX}};
  size_t i;

  for (i = 0; i < REBALI_COUNT(types); i++) {
    ck_assert(rebali_type_accepts(types[i].type, types[i].low));
    ck_assert(rebali_type_accepts(types[i].type, types[i].high));
    ck_assert(!rebali_type_accepts(types[i].type, types[i].low - 1));
    ck_assert(!rebali_type_accepts(types[i].type, types[i].high + 1));
  }
  ck_assert(rebali_type_accepts(REBAL_TYPE_INT64, INT64_MIN));
  ck_assert(rebali_type_accepts(REBAL_TYPE_INT64, INT64_MAX));
  ck_assert(!rebali_type_accepts(REBAL_TYPE_TEXT, 0));
  ck_assert(!rebali_type_accepts(REBAL_TYPE_OBJECT, 0));
}
END_TEST

UNIT_CASE(schema) {
  TCase *cases = tcase_create("schema");

  tcase_add_test(cases, test_describe_a_field);
  tcase_add_test(cases, test_describe_a_column);
  tcase_add_loop_test(cases, test_describe_a_column_of_enumerators, 0, REBALI_COUNT(enumerated));
  tcase_add_test(cases, test_describe_into_other_sizes);
  tcase_add_test(cases, test_describe_refuses_unknown_numbers);
  tcase_add_test(cases, test_describe_an_object);
  tcase_add_test(cases, test_describe_an_object_refuses);
  tcase_add_test(cases, test_every_entry_is_found_and_in_order);
  tcase_add_test(cases, test_maps_hold_entries_of_key_and_value);
  tcase_add_test(cases, test_absent_values);
  tcase_add_test(cases, test_types_accept);
  return cases;
}
