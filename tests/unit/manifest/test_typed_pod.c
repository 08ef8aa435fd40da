/* SPDX-License-Identifier: MIT */
#include "manifest/spread/kruise.h"
#include "patching.h"

static const struct {
  const char *value, *typed;
} rows[] = {
    {"{}", "{}"},
    {"[]", "[]"},
    {"{a: [], b: {}, c: ''}", "{a: [], b: {}, c: ''}"},
    {"{a: null, b: {c: null}}", "{b: {}}"},
    {"{a: [{b: null, c: 1}, d]}", "{a: [{c: 1}, d]}"},
    {"{a: [{$patch: delete, name: b}]}", "{a: [{name: b}]}"},
    {"{$setElementOrder/containers: [{name: a}], metadata: {$retainKeys: [a], a: 1}}", "{metadata: {a: 1}}"},
};

START_TEST(test_what_a_server_keeps) {
  rebal_document *value = document_of(rows[_i].value);
  rebal_document kept = {rebali_typed(value->tree)};
  assert_document(&kept, rows[_i].typed, rows[_i].value);
  assert_document(value, rows[_i].value, "the value");
  ck_assert(strcmp(rows[_i].value, rows[_i].typed) != 0 || kept.tree == value->tree);
  json_decref(kept.tree);
  rebal_document_free(value);
}
END_TEST

UNIT_CASE(typed_pod) {
  TCase *cases = tcase_create("typed_pod");
  tcase_add_loop_test(cases, test_what_a_server_keeps, 0, COUNT(rows));
  return cases;
}
