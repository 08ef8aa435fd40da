/* SPDX-License-Identifier: MIT */
#include "node_scenarios.h"

#define PLAN(members) HEAD("") STEP("s") "plan: " members "\n"

/* The step is document 2 and starts in line 5. */
static const struct refusal refusals[] = {
    {PLAN("fresh"), REBAL_EPARSE, 2, 7, "plan", "a map"},
    {PLAN("{drained: [m1]}"), REBAL_EPARSE, 2, 7, "plan.drained", "no such member"},
    {PLAN("{mode: stale}"), REBAL_EPARSE, 2, 7, "plan.mode", "fresh, steady or least"},
    {PLAN("{mode: 1}"), REBAL_EPARSE, 2, 7, "plan.mode", "text"},
    {PLAN("{drain: m1}"), REBAL_EPARSE, 2, 7, "plan.drain", "a list"},
    {PLAN("{lose: [1]}"), REBAL_EPARSE, 2, 7, "plan.lose", "names of clusters"},
    {PLAN("{maxMoves: -1}"), REBAL_EPARSE, 2, 7, "plan.maxMoves", "not negative"},
    {PLAN("{maxSurge: -1}"), REBAL_EPARSE, 2, 7, "plan.maxSurge", "a number of replicas"},
    {PLAN("{maxSurge: \"10\"}"), REBAL_EPARSE, 2, 7, "plan.maxSurge", "a number of replicas"},
    {PLAN("{maxSurge: \"%\"}"), REBAL_EPARSE, 2, 7, "plan.maxSurge", "a number of replicas"},
    {PLAN("{maxSurge: \"12345678%\"}"), REBAL_EPARSE, 2, 7, "plan.maxSurge", "a number of replicas"},
    {PLAN("{maxSurge: 2147483648}"), REBAL_EPARSE, 2, 7, "plan.maxSurge", "a number of replicas"},
    {PLAN("{maxUnavailable: 1.5}"), REBAL_EPARSE, 2, 7, "plan.maxUnavailable", "a number of replicas"},
    {PLAN("{maxUnavailable: 101%}"), REBAL_EPARSE, 2, 7, "plan.maxUnavailable", "100%"},
    {PLAN("{maxSurge: 0, maxUnavailable: 0%}"), REBAL_EPARSE, 2, 7, "plan.maxUnavailable", "not both 0"},
    {HEAD("workloads: {}\npaused: true\n") STEP("s") "plan: {}\n", REBAL_EPARSE, 2, 9, "plan", "paused"},
    {HEAD("") CLUSTER("m1") STEP("s") "plan: {drain: [m1, m2]}\n", REBAL_ENOTFOUND, 3, 15, "plan.drain[1]",
     "no such cluster"},
    {HEAD("") CLUSTER("m1") STEP("s") "plan: {lose: [m2]}\n", REBAL_ENOTFOUND, 3, 15, "plan.lose[0]",
     "no such cluster"},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

#define THREE CLUSTER("m1") CLUSTER("m2") CLUSTER("m3") FOO("6") POLICY("{" DYNAMIC "}")
#define PLACED(counts) "expect:\n- object: {kind: Deployment, name: foo}\n  placement: {" counts "}\n"
#define READY STEP("ready") "after: 20s\n" PLACED("m1: 2, m2: 2, m3: 2")
#define PLANNED(members) STEP("plan") "plan: {" members "}\nadvance: 5m\n"

/* Each member of the step has its effect. */
static const struct {
  const char *text;
  const char *placement;
} members[] = {
    {HEAD("") THREE READY PLANNED("drain: [m1]") PLACED("m2: 3, m3: 3"), "{m2:3, m3:3}"},
    {HEAD("") THREE READY PLANNED("mode: least, drain: [m2]") PLACED("m1: 4, m3: 2"), "{m1:4, m3:2}"},
    {HEAD("") THREE READY PLANNED("drain: [m1], maxMoves: 1") PLACED("m1: 1, m2: 3, m3: 2"), "{m1:1, m2:3, m3:2}"},
    {HEAD("") THREE READY PLANNED("lose: [m3], maxSurge: \"50%\"") PLACED("m1: 3, m2: 3"), "{m1:3, m2:3}"},
    {HEAD("") THREE READY PLANNED("drain: [m1, m3], maxSurge: 0, maxUnavailable: 2") PLACED("m2: 6"), "{m2:6}"},
};

START_TEST(test_members) {
  rebal_simulation *simulation = run_scenario(members[_i].text);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", members[_i].placement), 1 + 1);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "done"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* If there is nothing to move, nothing is written. */
START_TEST(test_a_plan_that_moves_nothing) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") THREE READY PLANNED("mode: steady") PLACED("m1: 2, m2: 2, m3: 2"));
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", ""), 0);
  rebal_simulation_free(simulation);
  assert_runs(HEAD("") CLUSTER("m1") STEP("no bindings") "plan: {}\nexpect:\n"
              "- object: {kind: Cluster, name: m2}\n  absent: true\n");
}
END_TEST

/* m1 has capacity for three by its summary, but for two on its nodes: each binding counts with its own requirements. */
#define NODES(more)                                                                             \
  HEAD("members: {m1: {nodes: [" NODE("a") ", " NODE("b") "]}, m2: {nodes: [" NODE("a") "]}}\n" \
       "options: {enableSchedulerEstimator: " more "}\n")                                       \
  BARE("m1") BARE("m2") WORKLOAD("bar", "1", "10m", "") TO("bar", "m1")                         \
  WORKLOAD("foo", "3", "600m", "") POLICY("{" DYNAMIC "}") STEP("ready") "after: 20s\n"

START_TEST(test_estimators_examine_nodes) {
  static const char summaries[] = NODES("false") PLANNED("drain: [m2], maxSurge: 0") PLACED("m1: 3")
      STEP("later") "after: 20m\n";
  rebal_simulation *simulation = run_scenario(NODES("true") PLANNED("drain: [m2]") PLACED("m1: 2, m2: 1"));
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "planned: {m1:2, m2:1}"), 1);
  rebal_simulation_free(simulation);
  simulation = run_scenario(summaries);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "planned: {m1:3}"), 1);
  ck_assert_str_eq(time_of(simulation, "plan-mover", "blocked"), "2024-01-01T00:10:20Z"); /* of its deadline */
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(plan_step) {
  TCase *cases = tcase_create("plan_step");
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  tcase_add_loop_test(cases, test_members, 0, (int)COUNT(members));
  tcase_add_test(cases, test_estimators_examine_nodes);
  tcase_add_test(cases, test_a_plan_that_moves_nothing);
  return cases;
}
