/* SPDX-License-Identifier: MIT */
#include "running.h"

START_TEST(test_rows) {
  rebal_simulation *simulation = run_scenario(BASIC STEP(
      "first") "expect: [{object: {kind: Deployment, name: foo}, placement: {m1: 2, "
               "m2: 1}}]\n");
  const size_t n = rebal_simulation_log_count(simulation);
  size_t len;
  ck_assert_uint_eq(rebal_simulation_log_kind(simulation, 0), REBAL_LOG_KIND_STEP);
  ck_assert_str_eq(rebal_simulation_log_text(simulation, 0, REBAL_LOG_STEP, NULL), "");
  ck_assert_str_eq(rebal_simulation_log_text(simulation, n - 1, REBAL_LOG_STEP, &len), "first");
  ck_assert_uint_eq(len, 5);
  ck_assert_str_eq(rebal_simulation_log_text(simulation, n - 1, REBAL_LOG_OBJECT, NULL), "Deployment default/foo");
  ck_assert_uint_eq(rebal_simulation_log_kind(simulation, n), 0);
  ck_assert_str_eq(rebal_simulation_log_text(simulation, n, REBAL_LOG_TIME, &len), "");
  ck_assert_uint_eq(len, 0);
  ck_assert_str_eq(rebal_simulation_log_text(simulation, 0, 7, NULL), "");
  ck_assert_str_eq(rebal_simulation_log_text(NULL, 0, REBAL_LOG_TIME, NULL), "");
  rebal_simulation_free(simulation);
}
END_TEST

START_TEST(test_full) {
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .max_log_rows = 5};
  rebal_simulation *simulation = new_simulation(&opts);
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_simulation_load(simulation, BASIC, strlen(BASIC), &err), REBAL_ELIMIT);
  ck_assert_ptr_nonnull(strstr(err.message, "the log has 5 rows, the most a run may have"));
  ck_assert_uint_eq(rebal_simulation_log_count(simulation), 5);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(log) {
  TCase *cases = tcase_create("log");
  tcase_add_test(cases, test_rows);
  tcase_add_test(cases, test_full);
  return cases;
}
