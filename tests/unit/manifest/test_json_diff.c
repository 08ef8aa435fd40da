/* SPDX-License-Identifier: MIT */
#include "patching.h"

static const struct {
  const char *before, *after, *patch;
} rows[] = {
    {"{a: 1}", "{a: 1}", "[]"},
    {"{a: 1, b: 2}", "{b: 3, c: null}",
     "[{op: remove, path: /a}, {op: replace, path: /b, value: 3}, {op: add, path: /c, value: null}]"},
    {"{a: {b: {c: 1}}}", "{a: {b: {d: {}}}}", "[{op: remove, path: /a/b/c}, {op: add, path: /a/b/d, value: {}}]"},
    {"{x/y: 1, m~n: 1, '': 1}", "{x/y: 2, m~n: 2, '': 2}",
     "[{op: replace, path: /x~1y, value: 2}, {op: replace, path: /m~0n, value: 2}, {op: replace, path: /, value: 2}]"},
    {"{a: [1, 2, 3]}", "{a: [1, 2, 3, 4, 5]}", "[{op: add, path: /a/3, value: 4}, {op: add, path: /a/4, value: 5}]"},
    {"{a: [1, 2, 3, 4]}", "{a: [1, 4]}", "[{op: remove, path: /a/2}, {op: remove, path: /a/1}]"},
    {"{a: [{name: a}, {name: b}]}", "{a: [{name: q}, {name: a}, {name: b}]}",
     "[{op: add, path: /a/0, value: {name: q}}]"},
    {"{a: [{name: a}, {name: b}]}", "{a: [{name: a, x: 1}, {name: b}]}", "[{op: add, path: /a/0/x, value: 1}]"},
    {"{a: [1, 1]}", "{a: [1, 1, 1]}", "[{op: add, path: /a/2, value: 1}]"},
    {"{a: [1, 1, 1]}", "{a: [1]}", "[{op: remove, path: /a/2}, {op: remove, path: /a/1}]"},
    {"{a: []}", "{a: {}}", "[{op: replace, path: /a, value: {}}]"},
    {"{a: 1}", "{a: 1.0}", "[{op: replace, path: /a, value: 1.0}]"},
    {"{a: 1}", "[1]", "[{op: replace, path: '', value: [1]}]"},
    {"[[1], [2]]", "[[1, 2], [2]]", "[{op: add, path: /0/1, value: 2}]"},
};

START_TEST(test_differences) {
  assert_diff(rows[_i].before, rows[_i].after, REBAL_PATCH_JSON, rows[_i].patch);
}
END_TEST

UNIT_CASE(json_diff) {
  TCase *cases = tcase_create("json_diff");
  tcase_add_loop_test(cases, test_differences, 0, (int)COUNT(rows));
  return cases;
}
