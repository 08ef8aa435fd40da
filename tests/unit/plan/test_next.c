/* SPDX-License-Identifier: MIT */
/* The next write of one binding: every rule of rebalance-plan(7) 5. */
#include "waves.h"

static struct waves waves;

static void setup(void) {
  waves_open(&waves, "a=10 b=10 c=10");
}
static void teardown(void) {
  waves_close(&waves);
}

START_TEST(test_what_is_ready_as_planned_is_done) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 1);
  ck_assert_str_eq(waves_answer(&waves, "b=4", "b=4/4"), "done");
  ck_assert_uint_eq(rebal_result_count(waves.world.result, REBAL_TABLE_ACTION), 0);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_LEFT, 0), 0);
}
END_TEST

START_TEST(test_surge_adds_before_it_removes) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  ck_assert_str_eq(waves_answer(&waves, "a=4", "a=4/4"), "moving a=4 b=2");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_ADDED, 0), 2);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_LEFT, 0), 8);
  ck_assert_str_eq(waves_answer(&waves, "a=4 b=2", "a=4/4 b=2/1"), "moving a=3 b=2");
  ck_assert_str_eq(waves_answer(&waves, "a=4 b=2", "a=4/4 b=2/2"), "moving a=2 b=2");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_REMOVED, 0), 2);
  ck_assert_str_eq(waves_answer(&waves, "a=2 b=2", "a=2/2 b=2/2"), "moving a=2 b=4");
  ck_assert_str_eq(waves_answer(&waves, "a=2 b=4", "a=2/2 b=4/4"), "moving b=4");
  ck_assert_str_eq(waves_answer(&waves, "b=4", "b=4/4"), "done");
}
END_TEST

START_TEST(test_without_surge_it_removes_first) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=4", "a=4/4"), "moving a=3");
  ck_assert_str_eq(waves_answer(&waves, "a=3", "a=3/3"), "moving a=3 b=1");
  ck_assert_str_eq(waves_answer(&waves, "a=3 b=1", "a=3/3 b=1/0@990"), "waiting floor b");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), 590 * REBALI_SECOND_NS);
  ck_assert_int_eq(waves_cell(&waves, REBAL_ACTION_KIND, 0), REBAL_ACTION_KIND_WAKE);
}
END_TEST

/* The member still runs replicas that were removed; those that remain may be any of the ready ones. */
START_TEST(test_a_surplus_that_still_runs_counts_as_ready_ones) {
  (void)waves_plan(&waves, "web", 8, "a=8", "b=8", 0, 4);
  ck_assert_str_eq(waves_answer(&waves, "a=6", "a=8/6"), "moving a=6 b=2");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_READY, 0), 4);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_FLOOR, 0), 4);
  ck_assert_str_eq(waves_answer(&waves, "a=6", "a=6/6"), "moving a=4");
}
END_TEST

START_TEST(test_more_ready_than_assigned_are_as_many_as_assigned) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 2);
  ck_assert_str_eq(waves_answer(&waves, "a=3", "a=/4"), "moving a=2");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_READY, 0), 3);
}
END_TEST

START_TEST(test_nothing_leaves_where_readiness_is_unknown) {
  (void)waves_plan(&waves, "web", 4, "a=2 b=2", "c=4", 0, 4);
  ck_assert_str_eq(waves_answer(&waves, "a=2 b=2", "b=2/2"), "moving a=2");
  ck_assert_str_eq(waves_answer(&waves, "a=2 c=2", "a=2 c=2/2"), "waiting unknown a");
  waves.now = test_time(WAVES_MADE + 600);
  ck_assert_str_eq(waves_answer(&waves, "a=2 c=2", "a=2 c=2/2"), "blocked unknown a");
}
END_TEST

START_TEST(test_unready_ones_may_go_while_the_sum_allows_it) {
  (void)waves_plan(&waves, "web", 6, "a=3 b=3", "c=6", 0, 3);
  ck_assert_str_eq(waves_answer(&waves, "a=3 b=3", "a=3/0 b=3/3"), "moving b=3"); /* none of a is ready */
  ck_assert_str_eq(waves_answer(&waves, "a=3 b=3", "a=3/1 b=3/1"), "waiting floor a");
}
END_TEST

/* The floor also holds for what is assigned, and for all clusters together. */
START_TEST(test_the_floor_holds_for_all_clusters_together) {
  (void)waves_plan(&waves, "web", 4, "a=4 b=4", "c=4", 0, 2);
  ck_assert_str_eq(waves_answer(&waves, "a=4 b=4", "a=4/0 b=4/4"), "moving b=2"); /* 6 of 8 may leave: the floor is 2 */
  ck_assert_str_eq(waves_answer(&waves, "a=4 b=4", "a=4/2 b=4/2"), "moving b=4");
  ck_assert_str_eq(waves_answer(&waves, "a=2 b=1", "a=2/2 b=1/1"), "moving a=1 b=1");
}
END_TEST

START_TEST(test_the_deadline_ends_waiting) {
  (void)waves_plan(&waves, "web", 2, "a=2", "b=2", 0, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=1 b=1", "a=1/1 b=1/0@401"), "waiting floor b");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), REBALI_SECOND_NS);
  ck_assert_str_eq(waves_answer(&waves, "a=1 b=1", "a=1/1 b=1/0@400"), "blocked floor b");
  ck_assert_uint_eq(rebal_result_count(waves.world.result, REBAL_TABLE_ACTION), 0);
  ck_assert_str_eq(waves_answer(&waves, "b=2", "b=2/1@2000"), "waiting ready b");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), 600 * REBALI_SECOND_NS);
  ck_assert_str_eq(waves_answer(&waves, "b=2", "b=2/1@400"), "blocked ready b");
  ck_assert_str_eq(waves_answer(&waves, "b=2", "b=2/1"), "waiting ready b"); /* counted since the plan was made */
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), (WAVES_MADE + 600 - WAVES_NOW) * REBALI_SECOND_NS);
}
END_TEST

START_TEST(test_scale_up_and_down_are_carried_out) {
  (void)waves_plan(&waves, "web", 6, "a=3", "a=3 b=3", 1, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=3", "a=3/3"), "moving a=3 b=3");
  waves.plan->n_rows = 0;
  waves.plan->n_cells = 0;
  (void)waves_plan(&waves, "web", 3, "a=3 b=3", "a=3", 1, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=3 b=3", "a=3/3 b=3/3"), "moving a=3");
}
END_TEST

/* R of a workload that each cluster has in full is the total of all clusters. */
START_TEST(test_copies_move_too) {
  (void)waves_plan(&waves, "web", 3, "a=3 b=3", "b=3 c=3", 1, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=3 b=3", "a=3/3 b=3/3"), "moving a=3 b=3 c=1");
  ck_assert_str_eq(waves_answer(&waves, "b=3", "b=3/3"), "moving b=3 c=3");
}
END_TEST

/* Only the clusters have to be moved. */
START_TEST(test_a_workload_without_replicas_moves_at_once) {
  (void)waves_plan(&waves, "web", 0, "a=0 b=0", "b=0 c=0", 0, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=0 b=0", ""), "moving b=0 c=0");
  ck_assert_str_eq(waves_answer(&waves, "b=0 c=0", ""), "done");
}
END_TEST

START_TEST(test_back_goes_from_y_to_x) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 0);
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_BACK;
  ck_assert_str_eq(waves_answer(&waves, "a=3 b=2", "a=3/3 b=2/2"), "moving a=3 b=1");
  ck_assert_str_eq(waves_answer(&waves, "a=4", "a=4/4"), "done");
}
END_TEST

/* Nothing is ready in a lost cluster: to go back there would leave no replica anywhere. */
START_TEST(test_nothing_goes_back_to_a_lost_cluster) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 1);
  waves_lose(&waves, "a");
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_BACK;
  ck_assert_str_eq(waves_answer(&waves, "b=4", "b=4/4"), "blocked no-cluster");
}
END_TEST

START_TEST(test_foreign_writes_are_reported_and_go_on) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=2 c=3", "a=2/2 c=3/3"), "moving c=3 foreign");
  ck_assert_str_eq(waves_answer(&waves, "b=5", "b=5/5"), "moving b=4 foreign");
  ck_assert_str_eq(waves_answer(&waves, "a=1 b=2", "a=1/1 b=2/2"), "moving a=1 b=4");
}
END_TEST

START_TEST(test_lost_clusters_count_as_nothing) {
  (void)waves_plan(&waves, "web", 4, "a=2 b=2", "b=4", 1, 1);
  waves_lose(&waves, "a");
  ck_assert_str_eq(waves_answer(&waves, "a=2 b=2", "a=2/2 b=2/2"), "moving b=4");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_PRESENT, 0), 2);
  ck_assert_str_eq(waves_answer(&waves, "a=2 b=4", "a=2/2 b=4/4"), "done");
}
END_TEST

/* Rows that are not moved at all. */
START_TEST(test_a_binding_that_is_not_the_one_planned) {
  struct rebali_plan_row *row = waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 1);
  const struct test_binding deleting = {.replicas = 4, .targets = "a=4", .deleting = 1};

  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "gone");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_BINDING, 0), REBAL_ABSENT);
  waves_forget(&waves);
  (void)waves_see(&waves, &deleting, "a=4/4");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "deleting");
  row->uid = REBALI_TEXT("u1");
  ck_assert_str_eq(waves_answer(&waves, "a=4", "a=4/4"), "replaced");
  row->uid = rebali_text("", 0);
  row->cluster_scoped = 1;
  ck_assert_str_eq(waves_answer(&waves, "a=4", "a=4/4"), "gone");
}
END_TEST

START_TEST(test_a_binding_that_cannot_be_carried_out) {
  const struct test_binding scaled = {.replicas = 5, .targets = "a=4"};
  const struct test_binding set = {.replicas = 4, .targets = "a=4", .components = "driver=1 worker=3"};

  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=2 a=2", "a=4/4"), "blocked malformed");
  ck_assert_str_eq(waves_answer(&waves, "a=4 b=-1", "a=4/4"), "blocked malformed");
  waves_forget(&waves);
  (void)waves_see(&waves, &scaled, "a=4/4");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "blocked replicas");
  waves_forget(&waves);
  (void)waves_see(&waves, &set, "a=4/4");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "blocked components");
}
END_TEST

START_TEST(test_the_first_deadline_counts) {
  (void)waves_plan(&waves, "web", 2, "a=2", "a=1 b=1", 0, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=1 b=1", "a=1/0@401 b=1/0@500"), "waiting ready a");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), REBALI_SECOND_NS);
  ck_assert_str_eq(waves_answer(&waves, "a=1 b=1", "a=1/0@500 b=1/0@401"), "waiting ready a");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), REBALI_SECOND_NS);
}
END_TEST

/* If a cluster reports twice, the lower number of ready replicas and the higher number of running ones count. */
START_TEST(test_a_cluster_that_reports_twice) {
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 2);
  ck_assert_str_eq(waves_answer(&waves, "a=4", "a=4/4"), "moving a=2");
  ck_assert_str_eq(waves_answer(&waves, "a=4", "a=4/4 a=4/3"), "moving a=3");
  ck_assert_str_eq(waves_answer(&waves, "a=4", "a=4/3 a=4/4"), "moving a=3");
}
END_TEST

START_TEST(test_clusters_of_a_workload_without_replicas_are_left) {
  (void)waves_plan(&waves, "web", 0, "a=0 b=0", "b=0", 0, 1);
  ck_assert_str_eq(waves_answer(&waves, "a=0 b=0", ""), "moving b=0");
}
END_TEST

START_TEST(test_bindings_of_a_name_in_two_namespaces) {
  static const char *const keys[][2] = {{"default/web", "other/web"}, {"another/web", "default/web"}};

  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 0);
  for (size_t i = 0; i < 2; i++) {
    waves_forget(&waves);
    (void)waves_see_plainly(&waves, keys[i][0], 4, "a=4", "a=4/4");
    (void)waves_see_plainly(&waves, keys[i][1], 4, "a=4", "a=4/4");
    ck_assert_int_eq(waves_step(&waves), REBAL_OK);
    ck_assert_str_eq(waves_row(&waves, 0), "moving a=4 b=1");
    ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_BINDING, 0), (int64_t)i);
  }
}
END_TEST

START_TEST(test_a_plan_without_uid) {
  uint32_t row;

  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 1, 0);
  row = waves_see_plainly(&waves, "default/web", 4, "a=4", "a=4/4");
  ck_assert_int_eq(
      rebal_cells_set_text(rebal_bindings_cells(waves.seen), REBAL_BINDING_UID, REBAL_NONE, row, "u1", 2, NULL),
      REBAL_OK);
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=4 b=1");
}
END_TEST

UNIT_CASE(next) {
  TCase *cases = tcase_create("next");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_what_is_ready_as_planned_is_done);
  tcase_add_test(cases, test_surge_adds_before_it_removes);
  tcase_add_test(cases, test_without_surge_it_removes_first);
  tcase_add_test(cases, test_a_surplus_that_still_runs_counts_as_ready_ones);
  tcase_add_test(cases, test_more_ready_than_assigned_are_as_many_as_assigned);
  tcase_add_test(cases, test_nothing_leaves_where_readiness_is_unknown);
  tcase_add_test(cases, test_unready_ones_may_go_while_the_sum_allows_it);
  tcase_add_test(cases, test_the_floor_holds_for_all_clusters_together);
  tcase_add_test(cases, test_the_deadline_ends_waiting);
  tcase_add_test(cases, test_scale_up_and_down_are_carried_out);
  tcase_add_test(cases, test_copies_move_too);
  tcase_add_test(cases, test_a_workload_without_replicas_moves_at_once);
  tcase_add_test(cases, test_back_goes_from_y_to_x);
  tcase_add_test(cases, test_nothing_goes_back_to_a_lost_cluster);
  tcase_add_test(cases, test_foreign_writes_are_reported_and_go_on);
  tcase_add_test(cases, test_lost_clusters_count_as_nothing);
  tcase_add_test(cases, test_a_binding_that_is_not_the_one_planned);
  tcase_add_test(cases, test_a_binding_that_cannot_be_carried_out);
  tcase_add_test(cases, test_the_first_deadline_counts);
  tcase_add_test(cases, test_a_cluster_that_reports_twice);
  tcase_add_test(cases, test_clusters_of_a_workload_without_replicas_are_left);
  tcase_add_test(cases, test_bindings_of_a_name_in_two_namespaces);
  tcase_add_test(cases, test_a_plan_without_uid);
  return cases;
}
