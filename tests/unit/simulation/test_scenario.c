/* SPDX-License-Identifier: MIT */
#include "running.h"

static const struct refusal refusals[] = {
    {"", REBAL_EPARSE, 0, 0, "", "no document"},
    {"a: [", REBAL_EPARSE, 1, 1, "", "node"},
    {"- 1\n", REBAL_EPARSE, 1, 1, "", "is a map"},
    {"kind: Step\n", REBAL_EPARSE, 1, 1, "kind", "first document"},
    {"kind: Scenario\napiVersion: v1\n", REBAL_EPARSE, 1, 2, "apiVersion", "simulation.rebalance/v1"},
    {HEAD("begin: now\n"), REBAL_EPARSE, 1, 4, "begin", "no such member"},
    {HEAD("readyAfter: soon\n"), REBAL_EPARSE, 1, 4, "readyAfter", "duration"},
    {HEAD("maxPods: 0\n"), REBAL_EPARSE, 1, 4, "maxPods", "a whole number from 1 to 10000000"},
    {HEAD("maxPods: 10000001\n"), REBAL_EPARSE, 1, 4, "maxPods", "a whole number from 1 to 10000000"},
    {HEAD("readyAfter: 5\n"), REBAL_EPARSE, 1, 4, "readyAfter", "expected text"},
    {HEAD("options: {evict: true}\n"), REBAL_EPARSE, 1, 4, "options.evict", "no such member"},
    {HEAD("options: {enableNoExecuteTaintEviction: 1}\n"), REBAL_EPARSE, 1, 4, "options.enableNoExecuteTaintEviction",
     "true or false"},
    {HEAD("options: {noExecuteTaintEvictionPurgeMode: Never}\n"), REBAL_EPARSE, 1, 4,
     "options.noExecuteTaintEvictionPurgeMode", "Gracefully or Directly"},
    {HEAD("options: {level: karmada-0.1}\n"), REBAL_EPARSE, 1, 4, "options.level", "no such level"},
    {HEAD("options: {compat: {partial: true}}\n"), REBAL_EPARSE, 1, 4, "options.compat[\"partial\"]", "no such option"},
    {HEAD("options: {compat: {partial-placement: 1}}\n"), REBAL_EPARSE, 1, 4, "options.compat[\"partial-placement\"]",
     "true or false"},
    {HEAD("options: {skippedPropagatingNamespaces: [\"(\"]}\n"), REBAL_EPARSE, 1, 4,
     "options.skippedPropagatingNamespaces", ""},
    {HEAD("options: {skippedPropagatingAPIs: [a/b/c/d]}\n"), REBAL_EPARSE, 1, 4, "options.skippedPropagatingAPIs", ""},
    {HEAD("options: {replicasPaths: [Foo]}\n"), REBAL_EPARSE, 1, 4, "options.replicasPaths", ""},
    {HEAD("options: {replicasPaths: [3]}\n"), REBAL_EPARSE, 1, 4, "options.replicasPaths", "a list of strings"},
    {HEAD("options: {deschedulingInterval: 999ms}\n"), REBAL_EPARSE, 1, 4, "options.deschedulingInterval",
     "an interval is 1s or longer"},
    {HEAD("options: {unschedulableThreshold: long}\n"), REBAL_EPARSE, 1, 4, "options.unschedulableThreshold",
     "a duration"},
    {HEAD("options: {enableDescheduler: \"yes\"}\n"), REBAL_EPARSE, 1, 4, "options.enableDescheduler",
     "true or false"},
    {HEAD("members:\n  m1:\n    readyAfter: 1\n"), REBAL_EPARSE, 1, 6, "members[\"m1\"].readyAfter", "text"},
    {HEAD("readyAfter: 900000h\n"), REBAL_ERANGE, 1, 4, "readyAfter", "too long"},
    {HEAD("members:\n  m1: {readyAfter: 1s}\n  ohia: {readyAfter: 1s}\n") CLUSTER("m1"), REBAL_EPARSE, 1, 6,
     "members[\"ohia\"]", "no such cluster"},
    {HEAD("") "---\nkind: Stepp\n", REBAL_EPARSE, 2, 5, "kind",
     "kind \"Stepp\" is neither a Step, a Scenario nor an object with an apiVersion"},
    {HEAD("") STEP("s") "---\nkind: Stepp\n", REBAL_EPARSE, 3, 8, "kind", "kind \"Stepp\" is neither"},
    {HEAD("") "---\napiVersion: simulation.rebalance/v1\nkind: Stepp\n", REBAL_EPARSE, 2, 6, "kind",
     "kind \"Stepp\" is neither"},
    {HEAD("members: {m1: 3}\n"), REBAL_EPARSE, 1, 4, "members", "map"},
    {HEAD("") "---\nkind: Scenario\n", REBAL_EPARSE, 2, 5, "kind", "the first"},
    {HEAD("") "---\napiVersion: v1\nkind: Event\nmetadata: {name: e}\n", REBAL_EPARSE, 2, 6, "kind", "sets none"},
    {HEAD("") CLUSTER("m1") FOO("-1"), REBAL_ERANGE, 3, 16, "spec.replicas", "not negative"},
    {HEAD("") CLUSTER("m1") CLUSTER("m1"), REBAL_EEXIST, 3, 15, "metadata.name", "before"},
    {HEAD("") STEP("s") FOO("1"), REBAL_EPARSE, 3, 9, "kind", "apply"},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

START_TEST(test_json_is_a_scenario_too) {
  assert_runs(
      "{\"apiVersion\":\"simulation.rebalance/v1\",\"kind\":\"Scenario\"}\n"
      "{\"kind\":\"Step\",\"expect\":[{\"object\":{\"kind\":\"Pod\",\"name\":\"p\"},\"absent\":true}]}\n");
}
END_TEST

#define JOINING "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m1}}"

static const char *const joining[] = {
    "- {apiVersion: v1, kind: ConfigMap, metadata: {name: m1}}\n",
    "- " JOINING "\n",
    "- {apiVersion: v1, kind: List, items: [" JOINING "]}\n",
};

/* The head may configure a member that joins later. */
START_TEST(test_members_may_join_later) {
  rebal_simulation *simulation = new_simulation(NULL);
  char text[1024];
  (void)snprintf(text, sizeof text, "%s%s%s", HEAD("members: {m1: {readyAfter: 1s}}\n") STEP("first"),
                 STEP("s") "apply:\n", joining[_i]);
  ck_assert_int_eq(rebal_simulation_load(simulation, text, strlen(text), NULL), _i == 0 ? REBAL_EPARSE : REBAL_OK);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_the_clock_has_a_default) {
  rebal_simulation *simulation = new_simulation(NULL);
  static const char text[] = "apiVersion: simulation.rebalance/v1\nkind: Scenario\n";
  ck_assert_int_eq(rebal_simulation_load(simulation, text, strlen(text), NULL), REBAL_OK);
  ck_assert_int_eq(summary_of(simulation).now.seconds, INT64_C(1704067200));
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(scenario) {
  TCase *cases = tcase_create("scenario");
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  tcase_add_test(cases, test_json_is_a_scenario_too);
  tcase_add_loop_test(cases, test_members_may_join_later, 0, (int)COUNT(joining));
  tcase_add_test(cases, test_the_clock_has_a_default);
  return cases;
}
