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
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

UNIT_CASE(expectation) {
  TCase *cases = tcase_create("expectation");
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  return cases;
}
