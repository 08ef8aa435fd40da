/* SPDX-License-Identifier: MIT */
#include "running.h"

#define FAIL(answer, times) \
  "failWrites: {kind: ResourceBinding, name: foo-deployment, answer: " answer ", times: " times "}\n"
#define PLACED(counts) "- object: {kind: Deployment, name: foo}\n  placement: {" counts "}\n"
#define CONDITION(reason)                                                                             \
  "- object: {kind: ResourceBinding, name: foo-deployment}\n  field: status.conditions[0].reason\n" \
  "  equals: " reason "\n"

/* The scheduler reports the result of its write, and retries after its back-off. */
START_TEST(test_the_scheduler) {
  rebal_simulation *simulation =
      run_scenario(BASIC STEP("conflict") FAIL("Conflict", "1") "scale: {kind: Deployment, name: foo, replicas: 6}\n"
                   "expect:\n" PLACED("m1: 2, m2: 1") CONDITION("SchedulerError")
                   STEP("again") "advance: 1s\nexpect:\n" PLACED("m1: 3, m2: 3") CONDITION("Success"));
  ck_assert_uint_eq(count_rows(simulation, "scheduler", "a write conflicts"), 1);
  ck_assert_str_eq(time_of(simulation, "scheduler", "ScheduleBindingFailed: the object was modified"),
                   "2024-01-01T00:00:00Z");
  rebal_simulation_free(simulation);
}
END_TEST

#define EVICTED FOO("3") POLICY("{" DYNAMIC "}") STEP("ready") "after: 10s\n" STEP("taint")
#define TAINT "taint: {cluster: m1, taint: \"k:NoExecute\"}\n"
#define TASK(field, value)                                                                                   \
  "- object: {kind: ResourceBinding, name: foo-deployment}\n  field: spec.gracefulEvictionTasks[0]." field \
  "\n  equals: " value "\n"

/* If a write of the taint manager fails, the binding is evicted 5 ms and 10 ms later. */
START_TEST(test_the_taint_manager) {
  rebal_simulation *simulation =
      run_scenario(HEAD(EVICTING) CLUSTER("m1") CLUSTER("m2") EVICTED FAIL("Timeout", "2") TAINT
                   "expect:\n" TASK("fromCluster", "\"\"") STEP("again") "advance: 1s\nexpect:\n"
                   TASK("fromCluster", "m1") TASK("creationTimestamp", "\"2024-01-01T00:00:10Z\""));
  ck_assert_uint_eq(count_rows(simulation, "taint-manager", "a write times out"), 2);
  ck_assert_str_eq(last_time_of(simulation, "taint-manager", "a write times out"), "2024-01-01T00:00:10.005Z");
  ck_assert_str_eq(time_of(simulation, "taint-manager", "gracefulEvictionTasks"), "2024-01-01T00:00:10.015Z");
  rebal_simulation_free(simulation);
}
END_TEST

/* The task gets its time although the first write of it fails; the end of the task is retried too. */
START_TEST(test_graceful_eviction) {
  rebal_simulation *simulation = run_scenario(HEAD(EVICTING) CLUSTER("m1") CLUSTER("m2") EVICTED TAINT
                                              STEP("ends") "after: 5s\n" FAIL("Denied", "3") "advance: 1m\nexpect:\n"
                                              TASK("fromCluster", "\"\"") PLACED("m2: 3"));
  ck_assert_uint_eq(count_rows(simulation, "graceful-eviction", "a write is denied"), 3);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(write_faults) {
  TCase *cases = tcase_create("write_faults");
  tcase_add_test(cases, test_the_scheduler);
  tcase_add_test(cases, test_the_taint_manager);
  tcase_add_test(cases, test_graceful_eviction);
  return cases;
}
