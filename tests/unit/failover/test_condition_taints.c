/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define NOT_READY "cluster.karmada.io/not-ready"
#define UNREACHABLE "cluster.karmada.io/unreachable"

static const rebal_time now = {NOW, 700000000, 1};
static struct fixture fixture;
static char taints[512];

static void setup(void) {
  fixture_start(&fixture, NULL);
}

static void teardown(void) {
  fixture_dispose(&fixture);
}

static int32_t run(struct fixture *story) {
  fixture_freeze(story);
  return story->code != REBAL_OK
             ? story->code
             : rebal_condition_taints_step(story->ctx, story->snapshot, &now, NULL, story->result, NULL);
}

static const struct fixture_taint own = {"own", "NoExecute", NOW - 50};
static const struct fixture_taint both[] = {
    {NOT_READY, "NoSchedule", NOW - 9}, {"own", "NoExecute", NOW - 50}, {UNREACHABLE, "NoSchedule", NOW - 7}};
static const struct fixture_taint executing = {NOT_READY, "NoExecute", NOW - 9};

static const struct {
  const char *conditions; /* NULL: none are known */
  const struct fixture_taint *taints;
  size_t n;
  const char *written;
} cases[] = {
    {"Ready=True", NULL, 0, "-"},
    {"Ready=False", NULL, 0, NOT_READY ":NoSchedule@0 "},
    {"Ready=Unknown", NULL, 0, UNREACHABLE ":NoSchedule@0 "},
    {NULL, NULL, 0, NOT_READY ":NoSchedule@0 "},
    {"CompleteAPIEnablements=True", NULL, 0, NOT_READY ":NoSchedule@0 "},
    {"Ready=Maybe", both, 3, "-"},
    {"Ready=True", &own, 1, "-"},
    {"Ready=True", both, 3, "own:NoExecute@-50 "},
    {"Ready=False", both, 3, NOT_READY ":NoSchedule@-9 own:NoExecute@-50 "},
    {"Ready=Unknown", both, 3, "own:NoExecute@-50 " UNREACHABLE ":NoSchedule@-7 "},
    {"Ready=False", &own, 1, "own:NoExecute@-50 " NOT_READY ":NoSchedule@0 "},
    {"Ready=False", &executing, 1, NOT_READY ":NoExecute@-9 " NOT_READY ":NoSchedule@0 "}, /* another effect */
    {"Ready=False", both, 1, "-"},
    {NULL, both + 2, 1, UNREACHABLE ":NoSchedule@-7 " NOT_READY ":NoSchedule@0 "}, /* missing takes none away */
    {"Ready=True Ready=False", NULL, 0, "-"},                                      /* the first one counts */
    {"Ready=True", both, 1, ""},
};

/* Of taints with one key and effect both go, whatever their value. */
START_TEST(test_equal_taints_go_together) {
  static const struct fixture_taint twice[] = {
      {NOT_READY, "NoSchedule", NOW - 9}, {"own", "NoExecute", NOW - 50}, {NOT_READY, "NoSchedule", NOW - 7}};

  fixture_conditions(&fixture, fixture.clusters[0], "Ready=True");
  fixture_taints(&fixture, twice, 3);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_written_taints(&fixture, fixture.clusters[0], taints, sizeof taints), "own:NoExecute@-50 ");
}
END_TEST

START_TEST(test_taints_by_the_ready_condition) {
  if (cases[_i].conditions != NULL) {
    fixture_conditions(&fixture, fixture.clusters[0], cases[_i].conditions);
  }
  fixture_taints(&fixture, cases[_i].taints, cases[_i].n);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_written_taints(&fixture, fixture.clusters[0], taints, sizeof taints), cases[_i].written);
}
END_TEST

/* Where a taint went, another one with its key moves up. */
START_TEST(test_a_taint_with_the_key_of_one_that_goes) {
  static const struct fixture_taint one_key[] = {{NOT_READY, "NoSchedule", NOW - 9}, {NOT_READY, "NoExecute", NOW - 8}};

  fixture_conditions(&fixture, fixture.clusters[0], "Ready=True");
  fixture_taints(&fixture, one_key, 2);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_written_taints(&fixture, fixture.clusters[0], taints, sizeof taints),
                   NOT_READY ":NoExecute@-8 ");
}
END_TEST

/* What was written needs nothing more. */
START_TEST(test_the_step_is_a_fixed_point) {
  const struct fixture_taint added = {NOT_READY, "NoSchedule", NOW};

  fixture_conditions(&fixture, fixture.clusters[0], "Ready=False");
  fixture_taints(&fixture, &added, 1);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_str_eq(fixture_written_taints(&fixture, fixture.clusters[0], taints, sizeof taints), "-");
}
END_TEST

START_TEST(test_the_action_and_the_rows_of_step) {
  const int64_t *states;

  fixture_conditions(&fixture, fixture.clusters[0], "Ready=True");
  ck_assert_int_eq(rebal_cells_remove(rebal_fleet_cells(fixture.fleet), REBAL_TABLE_CLUSTER, REBAL_NONE,
                                      &fixture.clusters[1], 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  states = rebal_result_i64(fixture.result, REBAL_STEP_STATE, NULL);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_STEP), 3);
  ck_assert_int_eq(states[0], REBAL_STEP_STATE_DONE);
  ck_assert_int_eq(states[1], REBAL_STEP_STATE_SKIPPED);
  ck_assert_int_eq(states[2], REBAL_STEP_STATE_DONE);
  ck_assert_uint_eq(rebal_result_count(fixture.result, REBAL_TABLE_ACTION), 1);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_ACTION_KIND), REBAL_ACTION_KIND_PATCH_SPEC);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_ACTION_REPLACES), REBAL_REPLACES_TAINTS);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_ACTION_ROW), 2);
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_API_VERSION, 0, NULL), "cluster.karmada.io/v1alpha1");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_OBJECT_KIND, 0, NULL), "Cluster");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_NAMESPACE, 0, NULL), "");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_NAME, 0, NULL), "member3");
  ck_assert_str_eq(rebal_result_text(fixture.result, REBAL_ACTION_RESOURCE_VERSION, 0, NULL), "");
}
END_TEST

START_TEST(test_a_deleting_cluster_is_left_alone) {
  ck_assert_int_eq(rebal_cells_set_i64(rebal_fleet_cells(fixture.fleet), REBAL_CLUSTER_DELETING, REBAL_NONE,
                                       fixture.clusters[0], 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(run(&fixture), REBAL_OK);
  ck_assert_int_eq(fixture_cell(&fixture, REBAL_STEP_STATE), REBAL_STEP_STATE_SKIPPED);
  ck_assert_str_eq(fixture_written_taints(&fixture, fixture.clusters[0], taints, sizeof taints), "-");
}
END_TEST

START_TEST(test_inputs_are_checked) {
  const rebal_time never = {INT64_MAX, 0, 1};

  fixture_freeze(&fixture);
  ck_assert_int_eq(rebal_condition_taints_step(fixture.ctx, NULL, &now, NULL, fixture.result, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_condition_taints_step(fixture.ctx, fixture.snapshot, NULL, NULL, fixture.result, NULL),
                   REBAL_EINVAL);
  ck_assert_int_eq(rebal_condition_taints_step(fixture.ctx, fixture.snapshot, &never, NULL, fixture.result, NULL),
                   REBAL_ERANGE);
  ck_assert_int_eq(rebal_condition_taints_step(fixture.ctx, fixture.snapshot, &now, NULL, NULL, NULL), REBAL_EINVAL);
}
END_TEST

static int32_t story(const rebal_allocator *allocator, void *user_data) {
  struct fixture torture;
  int32_t code;

  (void)user_data;
  fixture_start(&torture, allocator);
  fixture_taints(&torture, both + 1, 1);
  fixture_conditions(&torture, torture.clusters[1], "Ready=Unknown");
  code = run(&torture);
  fixture_dispose(&torture);
  return code;
}

START_TEST(test_no_memory_is_an_answer) {
  ck_assert_pstr_eq(test_torture(story, NULL), NULL);
}
END_TEST

UNIT_CASE(condition_taints) {
  TCase *tcase = tcase_create("condition_taints");
  tcase_add_checked_fixture(tcase, setup, teardown);
  tcase_add_test(tcase, test_a_taint_with_the_key_of_one_that_goes);
  tcase_add_loop_test(tcase, test_taints_by_the_ready_condition, 0, (int)REBALI_COUNT(cases));
  tcase_add_test(tcase, test_equal_taints_go_together);
  tcase_add_test(tcase, test_the_step_is_a_fixed_point);
  tcase_add_test(tcase, test_the_action_and_the_rows_of_step);
  tcase_add_test(tcase, test_a_deleting_cluster_is_left_alone);
  tcase_add_test(tcase, test_inputs_are_checked);
  tcase_add_test(tcase, test_no_memory_is_an_answer);
  return tcase;
}
