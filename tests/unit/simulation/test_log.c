/* SPDX-License-Identifier: MIT */
#include "running.h"

START_TEST(test_rows) {
  rebal_simulation *simulation = run_scenario(BASIC STEP(
      "first") "expect: [{object: {kind: Deployment, name: foo}, placement: {m1: 2, "
               "m2: 1}}]\n");
  const size_t n = (size_t)summary_of(simulation).log_rows;
  rebal_simulation_entry entry = {.struct_size = sizeof entry}, wrong = {.struct_size = 4};
  ck_assert_uint_eq(log_entry(simulation, 0).kind, REBAL_LOG_KIND_STEP);
  ck_assert_str_eq(log_entry(simulation, 0).step, "");
  ck_assert_int_eq(rebal_simulation_log_read(simulation, n - 1, &entry, NULL), REBAL_OK);
  ck_assert_uint_eq(entry.kind, REBAL_LOG_KIND_HELD);
  ck_assert_str_eq(entry.time, "2024-01-01T00:00:00Z");
  ck_assert_str_eq(entry.step, "first");
  ck_assert_str_eq(entry.controller, "expect");
  ck_assert_str_eq(entry.object, "Deployment default/foo");
  ck_assert(entry.time_len == strlen(entry.time) && entry.step_len == strlen(entry.step));
  ck_assert(entry.controller_len == strlen(entry.controller) && entry.object_len == strlen(entry.object));
  ck_assert(entry.change_len == strlen(entry.change) && entry.change_len > 0);
  ck_assert_uint_eq(entry.reason_len, strlen(entry.reason));
  ck_assert_int_eq(rebal_simulation_log_read(simulation, n, &entry, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebal_simulation_log_read(simulation, 0, &wrong, NULL), REBAL_EABI);
  ck_assert_int_eq(rebal_simulation_log_read(simulation, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_simulation_log_read(NULL, 0, &entry, NULL), REBAL_EINVAL);
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_full) {
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .max_log_rows = 5};
  rebal_simulation *simulation = new_simulation(&opts);
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_simulation_load(simulation, BASIC, strlen(BASIC), &err), REBAL_ELIMIT);
  ck_assert_ptr_nonnull(strstr(err.message, "the log has 5 rows, the most a run may have"));
  ck_assert_uint_eq(summary_of(simulation).log_rows, 5);
  rebal_simulation_free(simulation);
}
END_TEST

/* Capacity for 20 replicas, then for 10; then a policy with a new priority. */
static const char too_many[] =
    HEAD("") CLUSTER("m1") CLUSTER("m2") FOO("300") POLICY("{" DYNAMIC "}") STEP("s")
        "taint: {cluster: m1, taint: \"k:NoSchedule\"}\nadvance: 1h\n" STEP("t") "apply:\n"
        "  apiVersion: policy.karmada.io/v1alpha1\n  kind: PropagationPolicy\n  metadata: {name: pp}\n"
        "  spec: {priority: 3, resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: foo}],\n"
        "         placement: {" DYNAMIC "}}\n";

/* Changes outside of the watched fields are logged as well. */
START_TEST(test_what_changed) {
  rebal_simulation *simulation = new_simulation(NULL);
  ck_assert_int_eq(rebal_simulation_run(simulation, too_many, strlen(too_many), REBAL_LOG_FORMAT_TABLE, NULL, NULL,
                                        NULL), REBAL_OK);
  ck_assert_uint_eq(count_rows(simulation, "scheduler", "condition messages: {Scheduled: "), 1);
  ck_assert_uint_eq(count_rows(simulation, "scheduler", "available replicas 10 are not enough to schedule.}"), 1);
  ck_assert_uint_eq(count_rows(simulation, "scheduler", "status.conditions: {Scheduled=False Unschedulable}"), 1);
  ck_assert_uint_eq(count_rows(simulation, "scenario", "spec changed"), 1);
  for (size_t i = 0; i < summary_of(simulation).log_rows; i++) {
    ck_assert_str_ne(log_entry(simulation, i).change, "changed");
  }
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(log) {
  TCase *cases = tcase_create("log");
  tcase_add_test(cases, test_rows);
  tcase_add_test(cases, test_full);
  tcase_add_test(cases, test_what_changed);
  return cases;
}
