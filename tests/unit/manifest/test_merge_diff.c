/* SPDX-License-Identifier: MIT */
#include "patching.h"

static const struct {
  const char *before, *after, *patch;
} rows[] = {
    {"{a: 1, b: {c: 2}}", "{a: 1, b: {c: 2}}", "{}"},
    {"{a: 1, b: 2}", "{b: 3, c: 4}", "{a: null, b: 3, c: 4}"},
    {"{a: {b: {c: 1, d: 2}, e: 1}}", "{a: {b: {c: 1, d: 3}, e: 1}}", "{a: {b: {d: 3}}}"},
    {"{a: {b: 1}}", "{a: {}}", "{a: {b: null}}"},
    {"{a: {b: 1}}", "{a: 1.5}", "{a: 1.5}"},
    {"{a: 1.5}", "{a: {b: 1}}", "{a: {b: 1}}"},
    {"{a: [1, {b: 1}]}", "{a: [1, {b: null}]}", "{a: [1, {b: null}]}"},
    {"{a: null, b: 1}", "{a: null, b: 2}", "{b: 2}"},
    {"{a: null}", "{}", "{a: null}"},
    {"[1]", "{a: 1}", "{a: 1}"},
    {"{a: 1}", "[1, null]", "[1, null]"},
};

START_TEST(test_differences) {
  assert_diff(rows[_i].before, rows[_i].after, REBAL_PATCH_MERGE, rows[_i].patch);
}
END_TEST

/* The patch would remove the member instead. */
START_TEST(test_null_cannot_be_expressed) {
  static const char *const afters[] = {"{a: null}", "{a: {b: {c: null}}}", "{b: {c: 1, d: null}}"};
  rebal_document *before = document_of("{a: 1, b: {c: 1}}"), *list = document_of("[1]"), *patch = NULL;
  for (size_t i = 0; i < COUNT(afters); i++) {
    rebal_document *after = document_of(afters[i]);
    ck_assert_int_eq(rebal_document_diff(before, after, REBAL_PATCH_MERGE, &patch, NULL), REBAL_EUNSUPPORTED);
    ck_assert_int_eq(rebal_document_diff(list, after, REBAL_PATCH_MERGE, &patch, NULL), REBAL_EUNSUPPORTED);
    ck_assert_ptr_null(patch);
    rebal_document_free(after);
  }
  rebal_document_free(before);
  rebal_document_free(list);
}
END_TEST

UNIT_CASE(merge_diff) {
  TCase *cases = tcase_create("merge_diff");
  tcase_add_loop_test(cases, test_differences, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_null_cannot_be_expressed);
  return cases;
}
