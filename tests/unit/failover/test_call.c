/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../unit.h"

static const rebal_time now = {NOW, 0, 1};
static struct fixture fixture;

static void setup(void) {
  fixture_start(&fixture, NULL);
  (void)fixture_task(&fixture, fixture.clusters[1], 0);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

static int32_t run(void) {
  return rebal_graceful_eviction_step(fixture.ctx, fixture.snapshot, fixture.bindings, &now, &fixture.opts,
                                      fixture.result, NULL);
}

START_TEST(test_the_object_of_an_action) {
  const int64_t cluster_scoped = _i;

  fixture_set(&fixture, REBAL_BINDING_CLUSTER_SCOPED, fixture.binding, cluster_scoped);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(), REBAL_OK);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_API_VERSION, 0, NULL), "work.karmada.io/v1alpha2");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_OBJECT_KIND, 0, NULL),
                   cluster_scoped ? "ClusterResourceBinding" : "ResourceBinding");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_NAMESPACE, 0, NULL), "shop");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_NAME, 0, NULL), "web");
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_ACTION_ROW), 0);
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_ACTION_ORDINAL, NULL)[1], 1);
}
END_TEST

START_TEST(test_a_row_of_step_for_each_binding) {
  uint32_t row;

  ck_assert_int_eq(
      rebal_cells_add(rebal_bindings_cells(fixture.bindings), REBAL_TABLE_BINDING, REBAL_NONE, &row, 1, NULL),
      REBAL_OK);
  fixture_freeze(&fixture);
  ck_assert_int_eq(run(), REBAL_OK);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_STEP), 2);
  ck_assert_int_eq(rebal_result_i64(fixture.result, REBAL_STEP_STATE, NULL)[1], REBAL_STEP_STATE_SKIPPED);
}
END_TEST

START_TEST(test_inputs_are_checked) {
  const rebal_time unset = {0, 0, 0};

  ck_assert_int_eq(run(), REBAL_EINVAL); /* no snapshot yet */
  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_graceful_eviction_step(fixture.ctx, fixture.snapshot, NULL, &now, NULL, fixture.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_graceful_eviction_step(fixture.ctx, fixture.snapshot, fixture.bindings, NULL, NULL, fixture.result, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_graceful_eviction_step(fixture.ctx, fixture.snapshot, fixture.bindings, &unset, NULL, fixture.result, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_graceful_eviction_step(fixture.ctx, fixture.snapshot, fixture.bindings, &now, NULL, NULL, NULL),
      REBAL_EINVAL);
  ck_assert_int_eq(
      rebal_taint_verdict(fixture.ctx, fixture.snapshot, 3, fixture.bindings, &now, NULL, fixture.result, NULL),
      REBAL_EINVAL); /* three clusters: 0, 1, 2 */
}
END_TEST

START_TEST(test_options_are_checked) {
  fixture_freeze(&fixture);
  fixture.opts.graceful_eviction_timeout_ns = -1;
  ck_assert_int_eq(run(), REBAL_ERANGE);
  fixture.opts.graceful_eviction_timeout_ns = 0;
  fixture.opts.flags = 1u << 20;
  ck_assert_int_eq(run(), REBAL_EUNSUPPORTED);
  fixture.opts.flags = 0;
  fixture.opts.struct_size = 4;
  ck_assert_int_eq(run(), REBAL_EABI);
}
END_TEST

START_TEST(test_a_timeout_can_be_given) {
  fixture_freeze(&fixture);
  fixture.opts.graceful_eviction_timeout_ns = 7 * REBALI_SECOND_NS;
  ck_assert_int_eq(run(), REBAL_OK);
  /* No targets: only the timer of the new task is left to see. */
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_AFTER_NS), 7 * REBALI_SECOND_NS);
}
END_TEST

UNIT_CASE(call) {
  TCase *cases = tcase_create("call");
  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_loop_test(cases, test_the_object_of_an_action, 0, 2);
  tcase_add_test(cases, test_a_row_of_step_for_each_binding);
  tcase_add_test(cases, test_inputs_are_checked);
  tcase_add_test(cases, test_options_are_checked);
  tcase_add_test(cases, test_a_timeout_can_be_given);
  return cases;
}
