/* SPDX-License-Identifier: MIT */
#include "stores.h"

static const struct {
  const char *before;
  const char *after;
} versions[] = {
    {"", "1"},    {"1", "2"},  {"9", "10"}, {"999999999999999999", "1000000000000000000"}, {"1000000000000000000", "1"},
    {"abc", "1"}, {"-1", "1"},
};

START_TEST(test_versions_rise) {
  json_t *before = json_pack("{s:{s:s}}", "metadata", "resourceVersion", versions[_i].before);
  json_t *tree = json_deep_copy(before);
  ck_assert_int_eq(rebali_metadata_update(tree, before, NULL), REBAL_OK);
  ck_assert_str_eq(rebali_member_text(rebali_member(tree, "metadata"), "resourceVersion"), versions[_i].before);
  ck_assert_int_eq(rebali_put_text(tree, "data", "changed", NULL), REBAL_OK);
  ck_assert_int_eq(rebali_metadata_update(tree, before, NULL), REBAL_OK);
  ck_assert_str_eq(rebali_member_text(rebali_member(tree, "metadata"), "resourceVersion"), versions[_i].after);
  ck_assert_ptr_null(rebali_member(rebali_member(tree, "metadata"), "generation"));
  json_decref(tree);
  json_decref(before);
}
END_TEST

START_TEST(test_hashes_depend_on_the_parts) {
  static const char *const one[] = {"ab", "c"}, *const other[] = {"a", "bc"};
  ck_assert_uint_ne(rebali_hash_texts(0, one, 2), rebali_hash_texts(0, other, 2));
  ck_assert_uint_ne(rebali_hash_texts(0, one, 2), rebali_hash_texts(1, one, 2));
  ck_assert_uint_eq(rebali_hash_texts(0, one, 2), rebali_hash_texts(0, one, 2));
}
END_TEST

UNIT_CASE(metadata) {
  TCase *cases = tcase_create("metadata");
  tcase_add_loop_test(cases, test_versions_rise, 0, (int)COUNT(versions));
  tcase_add_test(cases, test_hashes_depend_on_the_parts);
  return cases;
}
