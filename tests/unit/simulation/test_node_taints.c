/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#define TAINT(effect) "taint: {cluster: m1, node: a, taint: \"k=v:" effect "\"}\n"
#define UNTAINT "untaint: {cluster: m1, node: a, taint: k}\n"
#define FOO_TOLERATING(tolerations, rest)                                                     \
  NODES_HEAD("")                                                                              \
  BARE("m1") WORKLOAD("foo", "2", "400m", "tolerations: [" tolerations "], ") TO("foo", "m1") \
      STEP("ready") "advance: 10s\nexpect:\n" PODS("foo", "m1", "ready: 2, nodes: {a: 2}") rest
/* The node gets the taint; what is then, and 59 and 60 seconds later. */
#define TAINTED(tolerations, then, after_59s, after_60s)                                             \
  FOO_TOLERATING(tolerations, STEP("tainted") TAINT("NoExecute") "expect:\n" PODS("foo", "m1", then) \
                                  STEP("59s") "after: 59s\nexpect:\n" PODS("foo", "m1", after_59s)   \
                                      STEP("60s") "after: 1s\nexpect:\n" PODS("foo", "m1", after_60s))
#define LEAVE(tolerations) TAINTED(tolerations, "ready: 0, nodes: {b: 2}", "ready: 2", "ready: 2")
#define STAY(tolerations) TAINTED(tolerations, "ready: 2, nodes: {a: 2}", "ready: 2", "ready: 2, nodes: {a: 2}")
/* Others of their kind come to the node again. */
#define STAY_A_WHILE(tolerations) TAINTED(tolerations, "ready: 2, nodes: {a: 2}", "ready: 2", "ready: 0, nodes: {a: 2}")

static const char *const scenarios[] = {
    LEAVE(""),
    STAY("{operator: Exists}"),
    STAY("{key: k, value: v}"),
    STAY("{value: v}"),
    LEAVE("{key: k, value: w}"),
    LEAVE("{key: j, operator: Exists}"),
    LEAVE("{key: k, operator: Exists, effect: NoSchedule}"),
    STAY_A_WHILE("{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 60}"),
    STAY("{operator: Exists}, {key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 60}"),
    STAY("{operator: Exists, tolerationSeconds: 9223372036854775807}"),
    FOO_TOLERATING("",
                   STEP("no other pods") TAINT("NoSchedule") "expect:\n" PODS("foo", "m1", "ready: 2, nodes: {a: 2}")),
    /* What goes in time changes nothing; a second taint does not put it off. */
    FOO_TOLERATING("{operator: Exists, tolerationSeconds: 60}",
                   STEP("tainted") TAINT("NoExecute") STEP("again") "after: 30s\n" UNTAINT STEP(
                       "then") "after: 1h\nexpect:\n" PODS("foo", "m1", "ready: 2, nodes: {a: 2}")),
    FOO_TOLERATING("{operator: Exists, tolerationSeconds: 60}",
                   STEP("tainted") TAINT("NoExecute")
                       STEP("again") "after: 30s\ntaint: {cluster: m1, node: a, taint: \"j:NoExecute\"}\n" STEP(
                           "then") "after: 30s\nexpect:\n" PODS("foo", "m1", "ready: 0")),
    /* Where a pod would have to leave at once it does not come: not again, and not at all. */
    LEAVE("{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 0}"),
    LEAVE("{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: -1}"),
    LEAVE("{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 0}, {operator: Exists}"),
    FOO_TOLERATING("{operator: Exists, effect: NoExecute, tolerationSeconds: 0}, {operator: Exists, effect: "
                   "NoSchedule}",
                   STEP("lost") "nodeLost: {cluster: m1, node: a}\nadvance: 1m\nexpect:\n" PODS(
                       "foo", "m1", "ready: 2, nodes: {b: 2}")),
    /* Of a lost node a pod may tolerate less or more than admission lets it. */
    FOO_TOLERATING("{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 5}",
                   STEP("lost") "nodeLost: {cluster: m1, node: a}\nadvance: 4s\nexpect:\n" PODS(
                       "foo", "m1", "ready: 0, nodes: {a: 2}")
                       STEP("gone") "after: 1s\nexpect:\n" PODS("foo", "m1", "nodes: {b: 2}")),
};

START_TEST(test_who_leaves) {
  assert_runs(scenarios[_i]);
}
END_TEST

static const struct refusal refusals[] = {
    {NODES_HEAD("") BARE("m1") STEP("s") UNTAINT, REBAL_ENOTFOUND, 3, 15, "untaint.node", "no such taint"},
    {NODES_HEAD("") BARE("m1") STEP("s") "taint: {cluster: m1, node: c, taint: \"k:NoExecute\"}\n", REBAL_ENOTFOUND, 3,
     15, "taint.node", "no such node"},
    {NODES_HEAD("") BARE("m1") STEP("s") "taint: {cluster: m1, node: 5, taint: \"k:NoExecute\"}\n", REBAL_EPARSE, 3, 15,
     "taint.node", "text"},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

UNIT_CASE(node_taints) {
  TCase *cases = tcase_create("node_taints");
  tcase_add_loop_test(cases, test_who_leaves, 0, (int)COUNT(scenarios));
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  return cases;
}
