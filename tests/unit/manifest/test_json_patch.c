/* SPDX-License-Identifier: MIT */
#include "manifest/validate/checks.h"
#include "reading.h"

static json_t *read_one(const char *text) {
  json_t **documents = NULL, *tree;
  size_t n = 0;
  ck_assert_int_eq(rebali_text_read(text, strlen(text), NULL, &documents, &n, NULL), REBAL_OK);
  tree = json_incref(documents[0]);
  rebali_documents_free(documents, n);
  return tree;
}

/* after NULL: refused with the code. Most rows are those of RFC 6902, appendix A. */
static const struct {
  const char *before, *patch, *after;
  int32_t code;
} rows[] = {
    {"{foo: bar}", "[{op: add, path: /baz, value: qux}]", "{\"foo\":\"bar\",\"baz\":\"qux\"}", REBAL_OK},
    {"{foo: [bar, baz]}", "[{op: add, path: /foo/1, value: qux}]", "{\"foo\":[\"bar\",\"qux\",\"baz\"]}", REBAL_OK},
    {"{baz: qux, foo: bar}", "[{op: remove, path: /baz}]", "{\"foo\":\"bar\"}", REBAL_OK},
    {"{foo: [bar, qux, baz]}", "[{op: remove, path: /foo/1}]", "{\"foo\":[\"bar\",\"baz\"]}", REBAL_OK},
    {"{baz: qux, foo: bar}", "[{op: replace, path: /baz, value: boo}]", "{\"baz\":\"boo\",\"foo\":\"bar\"}", REBAL_OK},
    {"{foo: [1, 2]}", "[{op: replace, path: /foo/0, value: 3}]", "{\"foo\":[3,2]}", REBAL_OK},
    {"{foo: {bar: baz, waldo: fred}, qux: {corge: grault}}", "[{op: move, from: /foo/waldo, path: /qux/thud}]",
     "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}", REBAL_OK},
    {"{foo: [all, grass, cows, eat]}", "[{op: move, from: /foo/1, path: /foo/3}]",
     "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}", REBAL_OK},
    {"{foo: 1}", "[{op: move, from: /foo, path: /foo}]", "{\"foo\":1}", REBAL_OK},
    {"{foo: {a: 1}}", "[{op: copy, from: /foo, path: /bar}, {op: add, path: /bar/b, value: 2}]",
     "{\"foo\":{\"a\":1},\"bar\":{\"a\":1,\"b\":2}}", REBAL_OK},
    {"{baz: qux, foo: [a, 2, c]}",
     "[{op: test, path: /baz, value: qux}, {op: test, path: /foo/1, value: 2}, {op: test, path: '', value: {foo: [a, "
     "2, c], baz: qux}}]",
     "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}", REBAL_OK},
    {"{foo: bar}", "[{op: add, path: /child, value: {grandchild: {}}}]",
     "{\"foo\":\"bar\",\"child\":{\"grandchild\":{}}}", REBAL_OK},
    {"{foo: bar}", "[{op: add, path: /baz, value: qux, xyz: 123}]", "{\"foo\":\"bar\",\"baz\":\"qux\"}", REBAL_OK},
    {"{/: 9, ~1: 10}", "[{op: test, path: /~01, value: 10}, {op: test, path: /~1, value: 9}]", "{\"/\":9,\"~1\":10}",
     REBAL_OK},
    {"{foo: [bar]}", "[{op: add, path: /foo/-, value: [abc]}]", "{\"foo\":[\"bar\",[\"abc\"]]}", REBAL_OK},
    {"{foo: 1}", "[{op: add, path: '', value: {a: 2}}]", "{\"a\":2}", REBAL_OK},
    {"{foo: 1}", "[{op: replace, path: /foo, value: null}]", "{\"foo\":null}", REBAL_OK},
    {"{'': 1}", "[{op: replace, path: /, value: 2}]", "{\"\":2}", REBAL_OK},
    {"{foo: 1.50}", "[{op: test, path: /foo, value: 1.50}]", "{\"foo\":1.50}", REBAL_OK},
    {"{foo: 1}", "[]", "{\"foo\":1}", REBAL_OK},
    {"{baz: qux}", "[{op: test, path: /baz, value: bar}]", NULL, REBAL_EMISMATCH},
    {"{baz: qux}", "[{op: test, path: /foo, value: bar}]", NULL, REBAL_EMISMATCH},
    {"{/: 9, ~1: 10}", "[{op: test, path: /~01, value: '10'}]", NULL, REBAL_EMISMATCH},
    {"{foo: bar}", "[{op: add, path: /baz/bat, value: qux}]", NULL, REBAL_EINVAL},
    {"{foo: bar}", "[{op: remove, path: /baz}]", NULL, REBAL_EINVAL},
    {"{foo: bar}", "[{op: remove, path: ''}]", NULL, REBAL_EINVAL},
    {"{foo: bar}", "[{op: replace, path: /baz, value: 1}]", NULL, REBAL_EINVAL},
    {"{foo: [1]}", "[{op: add, path: /foo/2, value: 1}]", NULL, REBAL_EINVAL},
    {"{foo: [1]}", "[{op: add, path: /foo/01, value: 1}]", NULL, REBAL_EINVAL},
    {"{foo: [1]}", "[{op: remove, path: /foo/-}]", NULL, REBAL_EINVAL},
    {"{foo: [1]}", "[{op: add, path: /foo/a, value: 1}]", NULL, REBAL_EINVAL},
    {"{foo: {a: 1}}", "[{op: move, from: /foo, path: /foo/a/b}]", NULL, REBAL_EINVAL},
    {"{foo: 1}", "[{op: copy, from: /bar, path: /foo}]", NULL, REBAL_EINVAL},
    {"{foo: 1}", "[{op: move, from: /bar, path: /bar}]", NULL, REBAL_EINVAL},
    {"{foo: {}}", "[{op: add, path: \"/foo/\\x01\", value: 'no number'}]", NULL, REBAL_EINVAL},
    {"{foo: {a: b}}", "[{op: move, from: /foo/a, path: \"/foo/\\x01\"}]", NULL, REBAL_EINVAL},
    {"{foo: 1.5}", "[{op: test, path: \"/foo/\\x01\", value: '1.5'}]", NULL, REBAL_EINVAL},
    {"{foo: 1}", "[{op: copy, path: /foo}]", NULL, REBAL_EPARSE},
    {"{foo: 1}", "[{op: spam, path: /foo}]", NULL, REBAL_EPARSE},
    {"{foo: 1}", "[{op: add, value: 1}]", NULL, REBAL_EPARSE},
    {"{foo: 1}", "[{op: add, path: /foo}]", NULL, REBAL_EPARSE},
    {"{foo: 1}", "[{op: remove, path: foo}]", NULL, REBAL_EPARSE},
    {"{foo: 1}", "[{op: remove, path: /~2}]", NULL, REBAL_EPARSE},
    {"{foo: 1}", "[5]", NULL, REBAL_EPARSE},
};

START_TEST(test_operations) {
  const struct rebali_limits limits = rebali_limits_load(NULL);
  struct rebali_buffer output = REBALI_BUFFER;
  rebal_error err = REBAL_ERROR_INIT;
  json_t *tree = read_one(rows[_i].before), *patch = read_one(rows[_i].patch);
  const int32_t code = rebali_json_patch(&tree, patch, &limits, &err);
  ck_assert_msg(code == rows[_i].code, "%s: %d %s", rows[_i].patch, code, err.message);
  if (rows[_i].after != NULL) {
    ck_assert_int_eq(rebali_json_write(tree, 0, &output), REBAL_OK);
    ck_assert_str_eq(output.bytes, rows[_i].after);
  } else {
    ck_assert_int_eq(err.code, code);
    ck_assert_msg(strncmp(err.message, "operation 0: ", 13) == 0, "%s", err.message);
  }
  rebali_buffer_dispose(&output);
  json_decref(tree);
  json_decref(patch);
}
END_TEST

/* A list that is copied into itself again and again. */
START_TEST(test_copies_are_limited) {
  const struct rebali_limits limits = rebali_limits_load(NULL);
  json_t *tree = read_one("{a: [1]}"), *patch = json_array(), *deep = json_array(), *nested = read_one("{a: {}}");
  for (int i = 0; i < 80; i++) {
    json_array_append_new(patch, json_pack("{s:s, s:s, s:s}", "op", "copy", "from", "/a", "path", "/a/-"));
    json_array_append_new(deep, json_pack("{s:s, s:s, s:s}", "op", "copy", "from", "/a", "path", "/a/a"));
  }
  ck_assert_int_eq(rebali_json_patch(&tree, patch, &limits, NULL), REBAL_ELIMIT);
  ck_assert_int_eq(rebali_json_patch(&nested, deep, &limits, NULL), REBAL_ELIMIT);
  json_decref(tree);
  json_decref(patch);
  json_decref(deep);
  json_decref(nested);
}
END_TEST

UNIT_CASE(json_patch) {
  TCase *cases = tcase_create("json_patch");
  tcase_add_loop_test(cases, test_operations, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_copies_are_limited);
  return cases;
}
