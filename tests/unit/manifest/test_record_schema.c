/* SPDX-License-Identifier: MIT */
#include "stores.h"

START_TEST(test_fields_are_those_of_the_library) {
  uint32_t ids[64];
  for (uint32_t object = 1; object < REBAL_TABLE_CLUSTER; object++) {
    size_t n = 0, known = 0;
    const struct rebali_field *fields = rebali_schema_fields(object, &n);
    if (rebal_describe_object(object, ids, COUNT(ids), &known, NULL) != REBAL_OK) {
      known = 0;
    }
    ck_assert_uint_eq(n, known);
    for (size_t i = 0; i < n; i++) {
      rebal_description about = {.struct_size = sizeof about};
      ck_assert_int_eq(rebal_describe(fields[i].id, &about, NULL), REBAL_OK);
      ck_assert_uint_eq(fields[i].object, object);
      ck_assert_uint_eq(fields[i].type, about.type);
      ck_assert_uint_eq(fields[i].cardinality, about.cardinality);
      ck_assert_uint_eq(fields[i].child, about.child);
      ck_assert_str_eq(fields[i].name, about.name);
    }
  }
}
END_TEST

START_TEST(test_objects_without_a_member_around_them) {
  static const uint32_t bare[] = {REBAL_OBJECT_TAINTS, REBAL_OBJECT_LABELS, REBAL_OBJECT_TEXTS};
  for (size_t i = 0; i < COUNT(bare); i++) {
    ck_assert_uint_eq(rebali_field_bare(bare[i])->object, bare[i]);
  }
  ck_assert_ptr_null(rebali_field_bare(REBAL_OBJECT_PLACEMENT));
  ck_assert_ptr_null(rebali_field_bare(REBAL_OBJECT_NODE_SELECTOR));
}
END_TEST

UNIT_CASE(record_schema) {
  TCase *cases = tcase_create("record_schema");
  tcase_add_test(cases, test_fields_are_those_of_the_library);
  tcase_add_test(cases, test_objects_without_a_member_around_them);
  return cases;
}
