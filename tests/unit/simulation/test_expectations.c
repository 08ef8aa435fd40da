/* SPDX-License-Identifier: MIT */
#include "running.h"

#define EXPECT(item) HEAD("") STEP("s") "expect:\n- " item "\n"
#define POD "object: {kind: Pod, name: p}"

static const struct refusal refusals[] = {
    {EXPECT("5"), REBAL_EPARSE, 2, 8, "expect[0]", "a map"},
    {EXPECT("{what: 1}"), REBAL_EPARSE, 2, 8, "expect[0].what", "no such member"},
    {EXPECT("{absent: true}"), REBAL_EPARSE, 2, 8, "expect[0].object", "missing"},
    {EXPECT("{object: {kind: Pod}, absent: true}"), REBAL_EPARSE, 2, 8, "expect[0].object.name", "missing"},
    {EXPECT("{object: {kind: Pod, name: p, uid: x}, absent: true}"), REBAL_EPARSE, 2, 8, "expect[0].object.uid",
     "no such"},
    {EXPECT("{" POD "}"), REBAL_EPARSE, 2, 8, "expect[0]", "one of"},
    {EXPECT("{" POD ", absent: true, placement: {}}"), REBAL_EPARSE, 2, 8, "expect[0]", "one of"},
    {EXPECT("{" POD ", absent: false}"), REBAL_EPARSE, 2, 8, "expect[0].absent", "left out"},
    {EXPECT("{" POD ", placement: {m1: x}}"), REBAL_EPARSE, 2, 8, "expect[0].placement", "whole number"},
    {EXPECT("{" POD ", field: a}"), REBAL_EPARSE, 2, 8, "expect[0].equals", "belong together"},
    {EXPECT("{" POD ", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "belong together"},
    {EXPECT("{" POD ", field: a, equals: {}}"), REBAL_EPARSE, 2, 8, "expect[0].equals", "compared with"},
    {EXPECT("{event: {kind: x}}"), REBAL_EPARSE, 2, 8, "expect[0].event.kind", "no such"},
    {EXPECT("{event: {reason: 1}}"), REBAL_EPARSE, 2, 8, "expect[0].event.reason", "text"},
    {EXPECT("{event: {count: 1.5}}"), REBAL_EPARSE, 2, 8, "expect[0].event.count", ""},
    {EXPECT("{event: {count: -1}}"), REBAL_EPARSE, 2, 8, "expect[0].event.count", "not negative"},
    {EXPECT("{" POD ", field: \"\", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
    {EXPECT("{" POD ", field: \"status..x[\", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
    {EXPECT("{" POD ", field: \"a.\", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
    {EXPECT("{" POD ", field: \".a\", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
    {EXPECT("{" POD ", field: \"a[]\", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
    {EXPECT("{" POD ", field: \"a[1\", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
    {EXPECT("{" POD ", field: \"a[1000000000]\", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
    {EXPECT("{" POD ", field: \"a[0]b\", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
    {EXPECT("{" POD ", field: \"a b\", equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
    {EXPECT("{" POD ", field: 'a[\"b\\\"]', equals: a}"), REBAL_EPARSE, 2, 8, "expect[0].field", "a field path"},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

static const char *const paths[] = {"a", "a.b[0].c", "a-b.c_d[12][3]", "'[\"x/y\"].z'", "'a[\"b]\\\"c\"][0]'"};

/* Paths that lead nowhere in an object are no errors of the scenario. */
START_TEST(test_paths) {
  char text[1024];
  (void)snprintf(text, sizeof text, "%s  field: %s\n  equals: \"\"\n",
                 HEAD("") CLUSTER("m1") STEP("s") "expect:\n- object: {kind: Cluster, name: m1}\n", paths[_i]);
  assert_runs(text);
}
END_TEST

UNIT_CASE(expectations) {
  TCase *cases = tcase_create("expectations");
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  tcase_add_loop_test(cases, test_paths, 0, (int)COUNT(paths));
  return cases;
}
