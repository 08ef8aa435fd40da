/* SPDX-License-Identifier: MIT */
#include "running.h"

#define SLOW(options) HEAD("members: {m1: {readyAfter: 100h}}\noptions: {" options "}\n")
#define FLEET(options) SLOW(options) CLUSTER("m1") CLUSTER("m2") FOO("3") POLICY("{" DYNAMIC "}")
#define EVENTS(count)                                                                         \
  "- object: {kind: Deployment, name: foo}\n"                                                 \
  "  event: {type: Normal, reason: DescheduleBindingSucceed, message: 'Binding has been desc" \
  "heduled, 2 replica(s) in cluster(m1), 2 total descheduled replica(s)', count: " count "}\n"
#define AFTER(time, count) STEP("look") "at: " time "\nexpect:\n" EVENTS(count)

/* Without nodes the reason why replicas are not ready is unknown, as without an estimator in the reference. */
START_TEST(test_no_opinion) {
  rebal_simulation *simulation = run_scenario(FLEET("enableDescheduler: true") AFTER("24h", "0"));
  rebal_simulation_summary summary = {.struct_size = sizeof summary};
  ck_assert_uint_eq(count_rows(simulation, "descheduler", ""), 0);
  ck_assert_int_eq(rebal_simulation_summarize(simulation, &summary, NULL), REBAL_OK);
  ck_assert_uint_eq(summary.instants, 723); /* the start, 10 s, the step, and 720 runs */
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_off_unless_switched_on) {
  assert_runs(FLEET("deschedulerFromStatus: true") AFTER("24h", "0"));
}
END_TEST

/* Runs at 0, 2, 4, 6 min; scheduled at 0, five minutes are over at 6. */
START_TEST(test_runs_every_two_minutes) {
  rebal_simulation *simulation =
      run_scenario(FLEET("enableDescheduler: true, deschedulerFromStatus: true") AFTER("5m59s", "0") AFTER("6m", "1"));
  ck_assert_str_eq(time_of(simulation, "descheduler", "spec.clusters: {m1:2, m2:1} -> {m1:, m2:1}"),
                   "2024-01-01T00:06:00Z");
  ck_assert_str_eq(time_of(simulation, "scheduler", "spec.clusters: {m1:, m2:1} -> "), "2024-01-01T00:06:00Z");
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_interval_and_threshold) {
  assert_runs(
      FLEET("enableDescheduler: true, deschedulerFromStatus: true, deschedulingInterval: 12s, "
            "unschedulableThreshold: 0s") AFTER("11s", "0") AFTER("12s", "1"));
}
END_TEST

#define SETS                                                                                                        \
  "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m1}\nspec: {syncMode: Push}\n"     \
  "status:\n  apiEnablements: [{groupVersion: apps/v1, resources: [{name: statefulsets, kind: StatefulSet}]}]\n"    \
  "  resourceSummary: {allocatable: {pods: \"100\"}}\n"                                                             \
  "---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: foo, uid: a}\nspec: {replicas: 2, template: {}}\n" \
  "---\napiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: pp}\nspec:\n"             \
  "  resourceSelectors: [{apiVersion: apps/v1, kind: StatefulSet}]\n  placement: {" DYNAMIC "}\n"

/* A kind that is not descheduled unless all kinds are. */
START_TEST(test_any_kind) {
  static const char *const options[] = {"", ", deschedulerAnyKind: true"};
  for (size_t i = 0; i < COUNT(options); i++) {
    char text[4096];
    (void)snprintf(
        text, sizeof text,
        "%s%s}\n%sat: 6m\nexpect:\n- object: {kind: StatefulSet, name: foo}\n"
        "  event: {reason: DescheduleBindingSucceed, count: %zu}\n",
        HEAD("members: {m1: {readyAfter: 1h}}\noptions: {enableDescheduler: true, deschedulerFromStatus: true"),
        options[i], SETS STEP("look"), i);
    assert_runs(text);
  }
}
END_TEST

/* Ready replicas stay, and a deleted binding is skipped. */
START_TEST(test_ready_and_gone) {
  rebal_simulation *simulation =
      run_scenario(HEAD("options: {enableDescheduler: true, deschedulerFromStatus: true}\n") CLUSTER("m1") FOO("3")
                       POLICY("{" DYNAMIC "}") STEP("a") "after: 20m\n" STEP("b")
                       "delete: {kind: Deployment, name: foo}\nadvance: 10m\nexpect:\n"
                       "- object: {kind: ResourceBinding, name: foo-deployment}\n  absent: true\n");
  ck_assert_uint_eq(count_rows(simulation, "descheduler", ""), 0);
  rebal_simulation_free(simulation);
}
END_TEST

/* The clock stops at the end of the year 9999; no run follows. */
START_TEST(test_end_of_time) {
  assert_runs("apiVersion: simulation.rebalance/v1\nkind: Scenario\nstart: \"9999-12-31T23:55:00Z\"\n"
              "options: {enableDescheduler: true}\n" STEP("end") "after: 1h\nexpect:\n"
              "- object: {kind: Deployment, name: foo}\n  absent: true\n");
}
END_TEST

UNIT_CASE(descheduler) {
  TCase *cases = tcase_create("descheduler");
  tcase_add_test(cases, test_no_opinion);
  tcase_add_test(cases, test_off_unless_switched_on);
  tcase_add_test(cases, test_runs_every_two_minutes);
  tcase_add_test(cases, test_interval_and_threshold);
  tcase_add_test(cases, test_any_kind);
  tcase_add_test(cases, test_ready_and_gone);
  tcase_add_test(cases, test_end_of_time);
  return cases;
}
