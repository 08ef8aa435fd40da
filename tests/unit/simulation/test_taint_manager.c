/* SPDX-License-Identifier: MIT */
#include "running.h"

#define TOLERATING(seconds) \
  POLICY("{clusterTolerations: [{key: k, operator: Exists, effect: NoExecute" seconds "}], " DYNAMIC "}")
#define FLEET(head, policy) HEAD(head) CLUSTER("m1") CLUSTER("m2") FOO("3") policy
#define TAINT STEP("t") "after: 30s\ntaint: {cluster: m1, taint: \"k=v:NoExecute\"}\n"
#define PLACED(where) "expect:\n- object: {kind: Deployment, name: foo}\n  placement: " where "\n"

START_TEST(test_off_unless_switched_on) {
  rebal_simulation *simulation = run_scenario(FLEET("", POLICY("{" DYNAMIC "}")) TAINT "advance: 1h\n" PLACED(
      "{m1: 2, m2: 1}") STEP("u") "after: 1m\nuntaint: {cluster: m1, taint: k}\n" TAINT);
  const char *reported = "eviction by taints is off (options.enableNoExecuteTaintEviction)";
  ck_assert_uint_eq(count_rows(simulation, "taint-manager", ""), 2);
  ck_assert_uint_eq(count_rows(simulation, "taint-manager", reported), 2);
  ck_assert_str_eq(time_of(simulation, "taint-manager", reported), "2024-01-01T00:00:30Z");
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_without_toleration_at_once) {
  rebal_simulation *simulation = run_scenario(FLEET(EVICTING, POLICY("{" DYNAMIC "}")) TAINT PLACED("{m2: 3}"));
  ck_assert_str_eq(time_of(simulation, "taint-manager", "spec.gracefulEvictionTasks"), "2024-01-01T00:00:30Z");
  rebal_simulation_free(simulation);
}
END_TEST

/* A name that JSON writes with escapes works like another one. */
START_TEST(test_an_escaped_name) {
  assert_runs(HEAD(EVICTING) CLUSTER("'a<\"b'") CLUSTER("m2") FOO("3") POLICY("{" DYNAMIC "}")
                  STEP("t") "after: 30s\ntaint: {cluster: 'a<\"b', taint: \"k=v:NoExecute\"}\n" PLACED("{m2: 3}"));
}
END_TEST

START_TEST(test_when_the_toleration_ends) {
  rebal_simulation *simulation =
      run_scenario(FLEET(EVICTING, TOLERATING(", tolerationSeconds: 45")) TAINT
                   "advance: 44s\n" PLACED("{m1: 2, m2: 1}") STEP("later") "after: 1s\n" PLACED("{m2: 3}"));
  ck_assert_str_eq(time_of(simulation, "taint-manager", "spec.clusters"), "2024-01-01T00:01:15Z");
  rebal_simulation_free(simulation);
}
END_TEST

/* A deleted binding that tolerated the taint for a while is not examined any more. */
START_TEST(test_gone_before_the_toleration_ends) {
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .max_instants = 1000};
  rebal_simulation *simulation = new_simulation(&opts);
  static const char text[] = FLEET(EVICTING, TOLERATING(", tolerationSeconds: 45"))
      TAINT STEP("gone") "after: 5s\ndelete: {kind: Deployment, name: foo}\nadvance: 10m\n";
  ck_assert_int_eq(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, NULL, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(count_rows(simulation, "taint-manager", "spec.clusters"), 0);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_tolerated_for_ever) {
  assert_runs(FLEET(EVICTING, TOLERATING("")) TAINT "advance: 24h\n" PLACED("{m1: 2, m2: 1}"));
}
END_TEST

START_TEST(test_purged_directly) {
  static const char head[] = FLEET("options: {enableNoExecuteTaintEviction: true, "
                                   "noExecuteTaintEvictionPurgeMode: Directly}\n",
                                   POLICY("{" DYNAMIC "}")) TAINT PLACED("{m2: 3}")
      "- object: {kind: ResourceBinding, name: foo-deployment}\n"
      "  field: spec.gracefulEvictionTasks[0].purgeMode\n  equals: Directly\n"
      "- object: {kind: ResourceBinding, name: foo-deployment}\n"
      "  field: status.aggregatedStatus[0].clusterName\n  equals: m2\n";
  assert_runs(head);
}
END_TEST

/* The option of the head, and the time of the last of six evictions. */
static const struct {
  const char *option, *last;
} paces[] = {{"", "2024-01-01T00:00:32Z"},
             {", resourceEvictionInterval: 2s", "2024-01-01T00:00:32Z"},
             {", resourceEvictionInterval: 7s", "2024-01-01T00:00:37Z"},
             {", resourceEvictionInterval: 0s", "2024-01-01T00:00:30Z"}};

#define WORKLOAD(name)                                                                                     \
  "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " name "}\n"                              \
  "spec: {replicas: 3, template: {}}\n"                                                                    \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: p-" name "}\n" \
  "spec:\n  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: " name "}]\n"                \
  "  placement: {" DYNAMIC "}\n"

/* Three workers evict from two clusters: each sleeps after its own eviction, 2 s unless the head sets another time. */
START_TEST(test_pace) {
  char text[8192];
  rebal_simulation *simulation;
  (void)snprintf(text, sizeof text,
                 "apiVersion: simulation.rebalance/v1\nkind: Scenario\nstart: \"2024-01-01T00:00:00Z\"\n"
                 "options: {enableNoExecuteTaintEviction: true%s}\n%s%s%s",
                 paces[_i].option, CLUSTER("m1") CLUSTER("m2") CLUSTER("m3") FOO("3") POLICY("{" DYNAMIC "}"),
                 WORKLOAD("bar") WORKLOAD("baz"),
                 TAINT STEP("second") "taint: {cluster: m2, taint: \"k:NoExecute\"}\nadvance: 1m\n" PLACED(
                     "{m3: 3}") "- object: {kind: Deployment, name: bar}\n  placement: {m3: 3}\n");
  simulation = run_scenario(text);
  ck_assert_uint_eq(count_rows(simulation, "taint-manager", "spec.gracefulEvictionTasks"), 6);
  ck_assert_str_eq(time_of(simulation, "taint-manager", "spec.gracefulEvictionTasks"), "2024-01-01T00:00:30Z");
  ck_assert_str_eq(last_time_of(simulation, "taint-manager", "spec.gracefulEvictionTasks"), paces[_i].last);
  rebal_simulation_free(simulation);
}
END_TEST

/* A binding that no longer tolerates a taint is evicted when the cluster's status changes, before the 10 s are over. */
#define POLICY_OF(policy, workload, placement)                                                           \
  "- {apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: " policy "}, "    \
  "spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: " workload "}], placement: {" \
  placement "}}}\n"
#define TOLERATES "clusterTolerations: [{operator: Exists}]"
START_TEST(test_a_status_wakes) {
  rebal_simulation *simulation = run_scenario(
      HEAD(EVICTING) CLUSTER("m1") CLUSTER("m2") FOO("3") POLICY("{" DYNAMIC ", " TOLERATES "}") STEP("tainted")
          "after: 1m\ntaint: {cluster: m1, taint: \"k:NoExecute\"}\n" STEP("edited") "after: 3s\napply:\n"
      POLICY_OF("pp", "foo", DYNAMIC) PLACED("{m1: 2, m2: 1}") STEP("another workload") "after: 2s\napply:\n"
      "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: bar}, spec: {replicas: 2, template: {spec: "
      "{containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}}}\n"
      POLICY_OF("pq", "bar", TOLERATES));
  ck_assert_str_eq(time_of(simulation, "taint-manager", "spec.gracefulEvictionTasks"), "2024-01-01T00:01:05Z");
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(taint_manager) {
  TCase *cases = tcase_create("taint_manager");
  tcase_add_test(cases, test_off_unless_switched_on);
  tcase_add_test(cases, test_without_toleration_at_once);
  tcase_add_test(cases, test_an_escaped_name);
  tcase_add_test(cases, test_when_the_toleration_ends);
  tcase_add_test(cases, test_gone_before_the_toleration_ends);
  tcase_add_test(cases, test_tolerated_for_ever);
  tcase_add_test(cases, test_purged_directly);
  tcase_add_test(cases, test_a_status_wakes);
  tcase_add_loop_test(cases, test_pace, 0, (int)COUNT(paces));
  return cases;
}
