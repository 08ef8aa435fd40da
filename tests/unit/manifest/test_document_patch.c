/* SPDX-License-Identifier: MIT */
#include "patching.h"

/* RFC 7396, appendix A. */
static const struct patching merges[] = {
    {"{a: b}", "{a: c}", "{a: c}", NULL, NULL},
    {"{a: b}", "{b: c}", "{a: b, b: c}", NULL, NULL},
    {"{a: b}", "{a: null}", "{}", NULL, NULL},
    {"{a: b, b: c}", "{a: null}", "{b: c}", NULL, NULL},
    {"{a: [b]}", "{a: c}", "{a: c}", NULL, NULL},
    {"{a: c}", "{a: [b]}", "{a: [b]}", NULL, NULL},
    {"{a: {b: c}}", "{a: {b: d, c: null}}", "{a: {b: d}}", NULL, NULL},
    {"{a: [{b: c}]}", "{a: [1]}", "{a: [1]}", NULL, NULL},
    {"[a, b]", "[c, d]", "[c, d]", NULL, NULL},
    {"{a: b}", "[c]", "[c]", NULL, NULL},
    {"{a: foo}", "null", "null", NULL, NULL},
    {"{a: foo}", "bar", "bar", NULL, NULL},
    {"{e: null}", "{a: 1}", "{e: null, a: 1}", NULL, NULL},
    {"[1, 2]", "{a: b, c: null}", "{a: b}", NULL, NULL},
    {"{}", "{a: {bb: {ccc: null}}}", "{a: {bb: {}}}", NULL, NULL},
};

START_TEST(test_merges) {
  assert_patch(&merges[_i], REBAL_PATCH_MERGE, REBAL_OK);
}
END_TEST

static const struct {
  struct patching patching;
  int32_t code;
} operations[] = {
    {{"{a: {b: [1]}}", "[{op: add, path: /a/b/-, value: 2}]", "{a: {b: [1, 2]}}", NULL, NULL}, REBAL_OK},
    {{"{a: 1}", "[{op: replace, path: '', value: [1]}]", "[1]", NULL, NULL}, REBAL_OK},
    {{"{a: 1}", "[{op: remove, path: /a}, {op: remove, path: /b}]", NULL, "operation 1: its path leads nowhere", NULL},
     REBAL_EINVAL},
    {{"{a: 1}", "[{op: test, path: /a, value: 2}]", NULL, "operation 0: the value differs", NULL}, REBAL_EMISMATCH},
    {{"{a: 1}", "{op: add}", NULL, "a JSON patch (RFC 6902) is a list", NULL}, REBAL_EPARSE},
};

START_TEST(test_operations) {
  assert_patch(&operations[_i].patching, REBAL_PATCH_JSON, operations[_i].code);
}
END_TEST

START_TEST(test_kinds) {
  static const struct patching row = {"{}", "{}", NULL, "there is no such kind of patch", NULL};
  assert_patch(&row, 0, REBAL_EINVAL);
  assert_patch(&row, 4, REBAL_EINVAL);
}
END_TEST

START_TEST(test_missing_arguments) {
  rebal_document *document = document_of("{}"), *out = NULL;
  rebal_text *text;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_document_patch(NULL, document, 1, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_patch(document, NULL, 1, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_patch(document, document, 1, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_diff(NULL, document, 2, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_diff(document, NULL, 2, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_diff(document, document, 2, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_diff(document, document, REBAL_PATCH_STRATEGIC, &out, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_patch(NULL, 1, NULL, document, 1, 1, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_patch("{}", 2, NULL, NULL, 1, 1, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_patch("{}", 2, NULL, document, 1, 1, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_patch("{}", 2, NULL, document, 1, 4, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_manifest_patch("{", 1, NULL, document, 1, 1, text, NULL), REBAL_EPARSE);
  ck_assert_ptr_null(out);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), "");
  rebal_text_free(text);
  rebal_document_free(document);
}
END_TEST

/* A member that a YAML merge key shares between two maps is changed in one of them. */
START_TEST(test_shared_members_are_not_changed) {
  static const char yaml[] = "base: &base {labels: {a: b}}\nmetadata: {<<: *base}\n";
  rebal_document *patch = document_of("{metadata: {labels: {c: d}}}");
  rebal_text *text;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_manifest_patch(yaml, strlen(yaml), NULL, patch, REBAL_PATCH_STRATEGIC, REBAL_TEXT_FORMAT_JSON, text, NULL),
      REBAL_OK);
  ck_assert_str_eq(rebal_text_bytes(text, NULL),
                   "{\"base\":{\"labels\":{\"a\":\"b\"}},\"metadata\":{\"labels\":{\"a\":\"b\",\"c\":\"d\"}}}");
  rebal_text_free(text);
  rebal_document_free(patch);
}
END_TEST

UNIT_CASE(document_patch) {
  TCase *cases = tcase_create("document_patch");
  tcase_add_loop_test(cases, test_merges, 0, (int)COUNT(merges));
  tcase_add_loop_test(cases, test_operations, 0, (int)COUNT(operations));
  tcase_add_test(cases, test_kinds);
  tcase_add_test(cases, test_missing_arguments);
  tcase_add_test(cases, test_shared_members_are_not_changed);
  return cases;
}
