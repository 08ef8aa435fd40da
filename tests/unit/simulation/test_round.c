/* SPDX-License-Identifier: MIT */
#include "running.h"

/* Each limit is an error of the step, with its place. */
static const struct {
  uint32_t rounds;
  uint64_t instants;
  const char *message;
} limits[] = {{2, 0, "rest in 2 rounds"}, {0, 2, "at 2 moments, the most in a run"}};

START_TEST(test_limits) {
  const rebal_simulation_opts opts = {
      .struct_size = sizeof opts, .max_rounds = limits[_i].rounds, .max_instants = limits[_i].instants};
  static const char text[] = HEAD("") CLUSTER("m1") STEP("s")
      "apply:\n- {apiVersion: apps/v1, kind: Deployment, metadata: {name: foo}, spec: {replicas: 1}}\n"
      "- {apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: pp}, spec: {placement: {}, "
      "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]}}\nadvance: 1h\n";
  rebal_simulation *simulation = new_simulation(&opts);
  rebal_error err = REBAL_ERROR_INIT;
  int32_t more;
  ck_assert_int_eq(rebal_simulation_load(simulation, text, strlen(text), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_simulation_step(simulation, &more, &err), REBAL_ELIMIT);
  ck_assert_msg(strstr(err.message, limits[_i].message) != NULL, "%s", err.message);
  ck_assert_uint_eq(err.document, 3);
  ck_assert_uint_eq(err.line, 13);
  ck_assert_int_eq(rebal_simulation_step(simulation, &more, &err), REBAL_ESTATE);
  rebal_simulation_free(simulation);
}
END_TEST

/* A timer that stays due is an error at once, and does not run on up to the limit of moments. */
START_TEST(test_a_clock_that_stands_still) {
  const rebal_simulation_opts opts = {.struct_size = sizeof opts, .max_rounds = 5, .max_instants = 100};
  static const char text[] = HEAD("") CLUSTER("m1");
  rebal_simulation *simulation = new_simulation(&opts);
  rebal_error err = REBAL_ERROR_INIT;
  rebal_time until;
  uint32_t cluster;
  ck_assert_int_eq(rebal_simulation_load(simulation, text, strlen(text), NULL), REBAL_OK);
  cluster = rebal_store_find(simulation->server.store, "Cluster", 7, "", 0, "m1", 2);
  /* the cluster has no taints, so no controller resets the timer */
  ck_assert_int_eq(
      rebali_timer_set(&simulation->controllers.taint_manager.timers, cluster, simulation->server.now, NULL), REBAL_OK);
  until = rebali_time_after(&simulation->server.now, REBALI_SECOND_NS);
  ck_assert_int_eq(rebali_advance(&simulation->controllers, &until, &err), REBAL_ELIMIT);
  ck_assert_msg(strstr(err.message, "rest in 5 rounds") != NULL, "%s", err.message);
  rebal_simulation_free(simulation);
}
END_TEST

UNIT_CASE(round) {
  TCase *cases = tcase_create("round");
  tcase_add_loop_test(cases, test_limits, 0, (int)COUNT(limits));
  tcase_add_test(cases, test_a_clock_that_stands_still);
  return cases;
}
