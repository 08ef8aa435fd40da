/* SPDX-License-Identifier: MIT */
#include "running.h"

/* Clusters with capacity for 10 pods each. */
#define THREE(replicas) CLUSTER("m1") CLUSTER("m2") CLUSTER("m3") FOO(replicas) POLICY("{" DYNAMIC "}")
#define PLACED(counts) "- object: {kind: Deployment, name: foo}\n  placement: {" counts "}\n"
#define FIELD(path, value) \
  "- object: {kind: ResourceBinding, name: foo-deployment}\n  field: " path "\n  equals: " value "\n"
#define MARK "'metadata.annotations[\"librebalance/plan\"]'"
/* The plan leaves nothing on the binding. */
#define RETURNED FIELD("spec.suspension.scheduling", "\"\"") FIELD(MARK, "\"\"") \
  FIELD("spec.gracefulEvictionTasks[0].fromCluster", "\"\"")
#define READY(counts) STEP("ready") "after: 20s\nexpect:\n" PLACED(counts)

/* Asserts how many replicas were at least ready and at most running from a time on. */
static void assert_kept(rebal_simulation *simulation, const char *from, int64_t ready, int64_t running) {
  rebal_time since;
  size_t n = 0;
  ck_assert_int_eq(rebal_time_parse(from, strlen(from), &since, NULL), REBAL_OK);
  for (size_t i = 0; i < summary_of(simulation).share_rows; i++) {
    rebal_simulation_share share = {.struct_size = sizeof share};
    ck_assert_int_eq(rebal_simulation_share_read(simulation, i, &share, NULL), REBAL_OK);
    if (share.cluster[0] == '\0' && (share.time.seconds >= since.seconds)) {
      ck_assert_int_ge(share.ready, ready);
      ck_assert_int_le(share.running, running);
      n++;
    }
  }
  ck_assert_uint_gt(n, 2);
}

/* In waves: the floor and the surge are kept, and a wave starts when the one before is ready. */
START_TEST(test_waves) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") THREE("12") READY("m1: 4, m2: 4, m3: 4")
                   STEP("plan") "plan: {drain: [m1], maxSurge: 1, maxUnavailable: 1}\nexpect:\n"
                   FIELD("spec.suspension.scheduling", "true") PLACED("m1: 4, m2: 4, m3: 4")
                   STEP("first wave") "after: 1s\nexpect:\n" PLACED("m1: 4, m2: 5, m3: 4")
                   STEP("end") "after: 5m\nexpect:\n" PLACED("m2: 6, m3: 6") RETURNED);
  assert_kept(simulation, "2024-01-01T00:00:20Z", 11, 13);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "planned: {m2:6, m3:6}"), 1);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "done"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* Replicas within the surge move at once: a task keeps those that leave until the others are ready. */
START_TEST(test_a_drain_at_once) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") THREE("3") READY("m1: 1, m2: 1, m3: 1")
                   STEP("plan") "plan: {drain: [m1], maxSurge: 1, maxUnavailable: 0}\nexpect:\n"
                   FIELD("spec.gracefulEvictionTasks[0].fromCluster", "m1")
                   FIELD("spec.gracefulEvictionTasks[0].producer", "librebalance-plan")
                   STEP("end") "after: 1m\nexpect:\n" FIELD("spec.replicas", "3") RETURNED);
  assert_kept(simulation, "2024-01-01T00:00:20Z", 3, 4);
  rebal_simulation_free(simulation);
}
END_TEST

/* Counts rows of the plan-mover with this text in their reason. */
static size_t count_reasons(const rebal_simulation *simulation, const char *reason) {
  size_t n = 0;
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    const rebal_simulation_entry entry = log_entry(simulation, i);
    n += strcmp(entry.controller, "plan-mover") == 0 && strstr(entry.reason, reason) != NULL;
  }
  return n;
}

/* Lost replicas are not ready: the log does not promise more than there are. */
START_TEST(test_a_loss) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") THREE("12") READY("m1: 4, m2: 4, m3: 4")
                   STEP("plan") "plan: {lose: [m1], maxSurge: 1, maxUnavailable: 1}\nadvance: 2m\nexpect:\n"
                   PLACED("m2: 6, m3: 6") RETURNED);
  ck_assert_uint_eq(count_reasons(simulation, "ready: 8, at least 8 stay so"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* If the replicas of the plan differ from those of the binding, the binding is released, and the log states why. */
START_TEST(test_scaled_meanwhile) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") THREE("12") READY("m1: 4, m2: 4, m3: 4")
                   STEP("plan") "plan: {drain: [m1], maxSurge: 1, maxUnavailable: 1}\nadvance: 5s\n"
                   STEP("scaled") "scale: {kind: Deployment, name: foo, replicas: 15}\nadvance: 1m\nexpect:\n"
                   FIELD("spec.replicas", "15") RETURNED);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "blocked"), 1);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "done"), 0);
  rebal_simulation_free(simulation);
}
END_TEST

/* Another plan takes over the binding as it is. */
START_TEST(test_another_plan) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") THREE("12") READY("m1: 4, m2: 4, m3: 4")
                   STEP("plan") "plan: {drain: [m1], maxSurge: 1, maxUnavailable: 1}\nadvance: 5s\n"
                   STEP("other plan") "plan: {drain: [m3], maxSurge: 1, maxUnavailable: 1}\nadvance: 10m\nexpect:\n"
                   PLACED("m1: 6, m2: 6") RETURNED);
  assert_kept(simulation, "2024-01-01T00:00:20Z", 11, 13);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "done"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* A move that Karmada would undo is neither made nor retried. */
START_TEST(test_duplicated) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") CLUSTER("m1") CLUSTER("m2") FOO("2") POLICY("{}") READY("m1: 2, m2: 2")
                   STEP("plan") "plan: {drain: [m1]}\nadvance: 1h\nexpect:\n" PLACED("m1: 2, m2: 2") RETURNED);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "not-now"), 1);
  rebal_simulation_free(simulation);
}
END_TEST

/* A write that fails is retried after 5 ms and 10 ms more. */
START_TEST(test_writes_that_fail) {
  rebal_simulation *simulation =
      run_scenario(HEAD("") THREE("12") READY("m1: 4, m2: 4, m3: 4")
                   STEP("plan") "failWrites: {kind: ResourceBinding, name: foo-deployment, answer: Denied, times: 2}\n"
                   "plan: {drain: [m1]}\nadvance: 5m\nexpect:\n" PLACED("m2: 6, m3: 6") RETURNED);
  ck_assert_uint_eq(count_rows(simulation, "plan-mover", "a write is denied"), 2);
  ck_assert_str_eq(last_time_of(simulation, "plan-mover", "a write is denied"), "2024-01-01T00:00:20.005Z");
  ck_assert_str_eq(time_of(simulation, "plan-mover", "spec changed"), "2024-01-01T00:00:20.015Z");
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(plan_mover) {
  TCase *cases = tcase_create("plan_mover");
  tcase_add_test(cases, test_waves);
  tcase_add_test(cases, test_a_drain_at_once);
  tcase_add_test(cases, test_a_loss);
  tcase_add_test(cases, test_scaled_meanwhile);
  tcase_add_test(cases, test_another_plan);
  tcase_add_test(cases, test_duplicated);
  tcase_add_test(cases, test_writes_that_fail);
  return cases;
}
