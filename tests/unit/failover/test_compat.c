/* SPDX-License-Identifier: MIT */
/* Surprising behaviour of the reference's eviction that is mirrored (rebalance-karmada(7) 10.3, 10.4). */
#include "fixture.h"

#include "../unit.h"

#define TIMEOUT 600

static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;

static void setup(void) {
  fixture_start(&fixture, NULL);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

/* The toleration of 50 s is used for b, so it limits a too, which another toleration tolerates forever. */
START_TEST(test_a_used_toleration_limits_every_taint_it_tolerates) {
  static const struct fixture_taint taints[] = {{"a", "NoExecute", NOW - 100}, {"b", "NoExecute", NOW}};
  static const struct fixture_toleration tolerations[] = {{"a", REBAL_ABSENT}, {"", 50}};

  fixture_taints(&fixture, taints, 2);
  fixture_applied(&fixture, tolerations, 2);
  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_taint_verdict(fixture.ctx, fixture.snapshot, fixture.clusters[0], fixture.bindings, &now,
                                       &fixture.opts, fixture.result, NULL),
                   REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_REASON), REBAL_TAINT_VERDICT_EVICT);
}
END_TEST

/* The task is kept, and no timer is set for it. */
START_TEST(test_a_task_at_the_end_of_its_time_has_no_timer) {
  fixture_target(&fixture, fixture.clusters[0], 2);
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  (void)fixture_task(&fixture, fixture.clusters[1], NOW - TIMEOUT);
  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_graceful_eviction_step(fixture.ctx, fixture.snapshot, fixture.bindings, &now, &fixture.opts,
                                                fixture.result, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(fixture_action(&fixture, REBAL_ACTION_KIND_PATCH_SPEC, 0), SIZE_MAX);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_AFTER_NS), REBAL_ABSENT);
}
END_TEST

/* One pass over an empty status drops the time since when the application was unhealthy. */
START_TEST(test_an_empty_status_forgets) {
  fixture_set(&fixture, REBAL_BINDING_HAS_APPLICATION_FAILOVER, fixture.binding, 1);
  fixture_set(&fixture, REBAL_BINDING_PROPAGATE_DEPS, fixture.binding, 1);
  fixture_target(&fixture, fixture.clusters[0], 2);
  fixture_unhealthy(&fixture, fixture.clusters[0], NOW - 10);
  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_application_failover_step(fixture.ctx, fixture.snapshot, fixture.bindings, &now, &fixture.opts,
                                                   fixture.result, NULL),
                   REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_SKIPPED);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_UNHEALTHY_KEPT), 0);
}
END_TEST

/* propagateDeps is required of ResourceBindings, not of ClusterResourceBindings. */
START_TEST(test_only_namespaced_bindings_must_propagate_dependencies) {
  fixture_set(&fixture, REBAL_BINDING_HAS_APPLICATION_FAILOVER, fixture.binding, 1);
  fixture_set(&fixture, REBAL_BINDING_CLUSTER_SCOPED, fixture.binding, _i);
  fixture_target(&fixture, fixture.clusters[0], 2);
  (void)fixture_health(&fixture, fixture.clusters[0], "Unhealthy");
  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_application_failover_step(fixture.ctx, fixture.snapshot, fixture.bindings, &now, &fixture.opts,
                                                   fixture.result, NULL),
                   REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), _i ? REBAL_STEP_STATE_DONE : REBAL_STEP_STATE_SKIPPED);
}
END_TEST

UNIT_CASE(compat) {
  TCase *cases = tcase_create("compat");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_a_used_toleration_limits_every_taint_it_tolerates);
  tcase_add_test(cases, test_a_task_at_the_end_of_its_time_has_no_timer);
  tcase_add_test(cases, test_an_empty_status_forgets);
  tcase_add_loop_test(cases, test_only_namespaced_bindings_must_propagate_dependencies, 0, 2);
  return cases;
}
