/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"
#include "owning.h"

#define EXPECT(pods) \
  NODES_HEAD("") BARE("m1") STEP("s") "expect:\n- {object: {kind: Deployment, name: foo}, pods: " pods "}\n"

static const struct refusal refusals[] = {
    {EXPECT("5"), REBAL_EPARSE, 3, 16, "expect[0].pods", "a map"},
    {EXPECT("{ready: 1}"), REBAL_EPARSE, 3, 16, "expect[0].pods.cluster", "missing"},
    {EXPECT("{cluster: m1, all: 1}"), REBAL_EPARSE, 3, 16, "expect[0].pods.all", "no such"},
    {EXPECT("{cluster: m1, ready: x}"), REBAL_EPARSE, 3, 16, "expect[0].pods.ready", "number"},
    {EXPECT("{cluster: m1, unschedulable: x}"), REBAL_EPARSE, 3, 16, "expect[0].pods.unschedulable", "number"},
    {EXPECT("{cluster: m1, since: x}"), REBAL_EPARSE, 3, 16, "expect[0].pods.since", "time"},
    {EXPECT("{cluster: m1, nodes: [a]}"), REBAL_EPARSE, 3, 16, "expect[0].pods.nodes", "a map"},
    {EXPECT("{cluster: m1, nodes: {a: x}}"), REBAL_EPARSE, 3, 16, "expect[0].pods.nodes", "whole number"},
    {EXPECT("{cluster: m1, nodes: {a: 0}}"), REBAL_EPARSE, 3, 16, "expect[0].pods.nodes", "1 or more"},
    {EXPECT("{cluster: m1, ready: -1}"), REBAL_EPARSE, 3, 16, "expect[0].pods.ready", "not negative"},
    {EXPECT("{cluster: m1, unschedulable: 0.5}"), REBAL_EPARSE, 3, 16, "expect[0].pods.unschedulable", "whole number"},
    {EXPECT("{cluster: m1}"), REBAL_EPARSE, 3, 16, "expect[0].pods.cluster", "nothing is expected"},
    {EXPECT("{by: subset, counts: {a: 1}}"), REBAL_EPARSE, 3, 16, "expect[0].pods.by", "`workloads: {}` is missing"},
    {EXPECT("{counts: {a: 1}}"), REBAL_EPARSE, 3, 16, "expect[0].pods.counts", "head"},
    {EXPECT("{cluster: m2, ready: 0}"), REBAL_EPARSE, 3, 16, "expect[0].pods.cluster", "none with nodes"},
    {EXPECT("{cluster: m, ready: 0}"), REBAL_EPARSE, 3, 16, "expect[0].pods.cluster", "none with nodes"},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

/* Each has one wrong value. */
static const char *const wrong[] = {
    "{cluster: m1, ready: 1}",      "{cluster: m1, unschedulable: 0}",    "{cluster: m1, since: 2024-01-01T00:00:01Z}",
    "{cluster: m1, nodes: {a: 1}}", "{cluster: m1, nodes: {a: 2, b: 1}}", "{cluster: m1, nodes: {a: 1, b: 1, c: 1}}",
};

START_TEST(test_what_does_not_hold) {
  char text[4096];
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  (void)snprintf(text, sizeof text, "%s- {object: {kind: Deployment, name: foo}, pods: %s}\n",
                 FOO_IN_M1("3", "900m")
                     STEP("s") "expect:\n" PODS("foo", "m1", "ready: 0, unschedulable: 1, nodes: {a: 1, b: 1}"),
                 wrong[_i]);
  ck_assert_int_eq(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, &summary, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(summary.held, 1);
  ck_assert_uint_eq(summary.failed, 1);
  ck_assert_uint_eq(count_rows(simulation, "expect", "found 0 ready, 1 unschedulable since 2024-01-01T00:00:00Z"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* A workload without a binding has no pods, and an expectation of none fails, too. */
START_TEST(test_no_binding) {
  static const char text[] =
      FOO_IN_M1("1", "900m") STEP("s") "expect:\n" PODS("bar", "m1", "ready: 0") PODS("bar", "m1", "nodes: {}");
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  ck_assert_int_eq(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, &summary, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(summary.failed, 2);
  ck_assert_uint_eq(count_rows(simulation, "expect", "found no binding"), 2);
  rebal_simulation_free(simulation);
}
END_TEST

#define RS OWN_HEAD("") REPLICA_SET("rs", "replicas: 2, " TEMPLATE("a")) STEP("s") "expect:\n"
#define STATES(what) OWN_PODS("ReplicaSet", "rs", what)

/* Asserts the change that is logged for an expectation that fails. */
static void assert_found(const char *text, const char *found) {
  rebal_simulation *simulation = new_simulation(NULL);
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, &summary,
                                     &err) == REBAL_OK, "%s", err.message);
  ck_assert_uint_eq(summary.failed, 1);
  ck_assert_msg(count_rows(simulation, "expect", found) == 1, "%s", found);
  rebal_simulation_free(simulation);
}

START_TEST(test_found) {
  assert_found(RS STATES(BY_IMAGE("a: 1")), "found 0 ready, 0 unschedulable, counts {a:2}");
  assert_found(RS STATES(BY_IMAGE("a: 2, b: 1")), "counts {a:2}");
  assert_found(RS STATES("by: subset, counts: {a: 2}"), "counts {none:2}");
  assert_found(RS STATES("ready: 2"), "found 0 ready, 0 unschedulable");
  assert_found(RS STATES("unschedulable: 1"), "found 0 ready, 0 unschedulable");
  assert_found(RS OWN_PODS("ReplicaSet", "other", "ready: 0"), "found no such object");
}
END_TEST

START_TEST(test_refused_counts) {
  static const struct refusal refused_counts[] = {
      {RS STATES("node: 1"), REBAL_EPARSE, 3, 15, "expect[0].pods.node", "no such member"},
      {RS STATES("by: subset"), REBAL_EPARSE, 3, 15, "expect[0].pods.counts", "missing"},
      {RS STATES("counts: {a: 1}"), REBAL_EPARSE, 3, 15, "expect[0].pods.by", "what counts are by"},
      {RS STATES("by: \"a b\", counts: {a: 1}"), REBAL_EPARSE, 3, 15, "expect[0].pods.by", "a field path"},
      {RS STATES("by: subset, counts: {a: 0}"), REBAL_EPARSE, 3, 15, "expect[0].pods.counts", "1 or more"},
      {RS STATES("ready: -1"), REBAL_EPARSE, 3, 15, "expect[0].pods.ready", "not negative"},
      {HEAD("") STEP("s") "expect:\n" STATES("ready: 1"), REBAL_EPARSE, 2, 9, "expect[0].pods.cluster", "missing"},
  };
  for (size_t i = 0; i < COUNT(refused_counts); i++) {
    assert_refused(&refused_counts[i]);
  }
}
END_TEST

UNIT_CASE(expect_pods) {
  TCase *cases = tcase_create("expect_pods");
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  tcase_add_loop_test(cases, test_what_does_not_hold, 0, (int)COUNT(wrong));
  tcase_add_test(cases, test_no_binding);
  tcase_add_test(cases, test_found);
  tcase_add_test(cases, test_refused_counts);
  return cases;
}
