/* SPDX-License-Identifier: MIT */
#include "patching.h"

#include "manifest/patch/strategic.h"

/* NULL: all of it goes. */
static const struct {
  const char *value, *clean, *stripped;
} rows[] = {
    {"{a: null, b: {c: null, d: 1}}", "{b: {d: 1}}", "{a: null, b: {c: null, d: 1}}"},
    {"{a: [null, {b: null}]}", "{a: [null, {}]}", "{a: [null, {b: null}]}"},
    {"{$patch: replace, a: 1}", NULL, NULL},
    {"{a: {$patch: delete}, b: [{$patch: delete}, [{$patch: x}], 1]}", "{b: [[], 1]}", "{b: [[], 1]}"},
    {"[{$patch: replace}, {name: a, $retainKeys: [name]}]", "[{name: a, $retainKeys: [name]}]",
     "[{name: a, $retainKeys: [name]}]"},
    {"1.5", "1.5", "1.5"},
};

static void assert_clean(int32_t (*clean)(const json_t *, json_t **, rebal_error *), const char *value,
                         const char *expected) {
  rebal_document *document = document_of(value);
  rebal_document out;
  ck_assert_int_eq(clean(document->tree, &out.tree, NULL), REBAL_OK);
  ck_assert_int_eq(out.tree == NULL, expected == NULL);
  if (expected != NULL) {
    assert_document(&out, expected, value);
    ck_assert_int_eq(out.tree == document->tree, json_equal(out.tree, document->tree));
  }
  json_decref(out.tree);
  assert_document(document, value, "the patch");
  rebal_document_free(document);
}

START_TEST(test_clean) {
  assert_clean(rebali_strategic_clean, rows[_i].value, rows[_i].clean);
  assert_clean(rebali_strategic_strip, rows[_i].value, rows[_i].stripped);
}
END_TEST

UNIT_CASE(strategic_clean) {
  TCase *cases = tcase_create("strategic_clean");
  tcase_add_loop_test(cases, test_clean, 0, (int)COUNT(rows));
  return cases;
}
