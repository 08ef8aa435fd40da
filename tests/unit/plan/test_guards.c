/* SPDX-License-Identifier: MIT */
/* PodDisruptionBudgets while a plan is carried out. */
#include "plan_fixture.h"
#include "waves.h"

#define MOST 3

static struct waves waves;
static rebal_builder *builders[MOST];
static const rebal_record *records[MOST];

static void setup(void) {
  waves_open(&waves, "a=10 b=10 c=10 d=10");
  waves.opts.budgets = records;
  memset(builders, 0, sizeof builders);
  memset(records, 0, sizeof records);
}
static void teardown(void) {
  for (size_t i = 0; i < MOST; i++) {
    rebal_builder_free(builders[i]);
  }
  waves_close(&waves);
}

static void guard(const struct plan_budget *budget) {
  const size_t n = (size_t)waves.opts.n_budgets++;

  plan_build_budget(budget, &builders[n], &records[n]);
}

/* Pods with these labels; NULL: not known. */
static void see(const char *key, const char *labels, int64_t replicas, const char *targets, const char *items) {
  const uint32_t row = waves_see_plainly(&waves, key, replicas, targets, items);

  ck_assert_int_eq(rebal_cells_set_i64(rebal_bindings_cells(waves.seen), REBAL_BINDING_POD_LABELS, REBAL_NONE, row,
                                       test_labels_handle(&waves.world, labels), NULL),
                   REBAL_OK);
}

static const char *answer(const char *targets, const char *items) {
  waves_forget(&waves);
  see("default/web", "app=web", waves.rows[0].replicas, targets, items);
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  return waves_row(&waves, 0);
}

START_TEST(test_a_wave_takes_what_the_budget_allows) {
  const struct plan_budget budget = {"default/p", "app=web", .min_available = "3"};

  guard(&budget);
  (void)waves_plan(&waves, "web", 6, "a=6", "b=6", 0, 6);
  ck_assert_str_eq(answer("a=6", "a=6/6"), "moving a=3");
  ck_assert_str_eq(answer("a=6", "a=6/4"), "moving a=5");
  ck_assert_str_eq(answer("a=6", "a=8/6"), "moving a=5"); /* two of those ready may go by themselves */
  ck_assert_str_eq(answer("a=3 b=3", "a=3/3 b=3/3"), "blocked budget a");
  ck_assert_str_eq(answer("a=4 b=2", "a=4/3@990 b=2/2"), "waiting budget a");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), 590 * REBALI_SECOND_NS);
}
END_TEST

/* Expected are the replicas that are assigned: they go down with what is removed. */
START_TEST(test_percentages_are_of_what_is_assigned) {
  const struct plan_budget budget = {"default/p", "app=web", .max_unavailable = "34%"};

  guard(&budget);
  (void)waves_plan(&waves, "web", 6, "a=6", "b=6", 0, 6);
  ck_assert_str_eq(answer("a=6", "a=6/6"), "moving a=3");
  ck_assert_str_eq(answer("a=3 b=3", "a=3/3 b=3/0"), "moving a=1 b=3");
  ck_assert_str_eq(answer("a=1 b=5", "a=1/1 b=5/0"), "moving b=5");
}
END_TEST

START_TEST(test_over_clusters) {
  const struct plan_budget budget = {"default/p", "app=web", .min_available = "4"};

  guard(&budget);
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_BUDGETS_OVER_CLUSTERS;
  (void)waves_plan(&waves, "web", 6, "a=3 b=3", "c=6", 0, 6);
  ck_assert_str_eq(answer("a=3 b=3", "a=3/3 b=3/2"), "moving a=2 b=3");
  ck_assert_str_eq(answer("a=3 b=3", "a=3/3 b=3/3"), "moving a=1 b=3");
  ck_assert_str_eq(answer("a=1 b=3", "a=1/1 b=3/3"), "moving a=1 b=3 c=2"); /* more come before more may go */
  ck_assert_str_eq(answer("a=1 b=3 c=2", "a=1/1 b=3/3 c=2/0@990"), "waiting budget a");
  ck_assert_str_eq(answer("a=1 b=3 c=2", "a=1/1 b=3/3 c=2/2"), "moving b=2 c=2");
  waves.opts.flags = 0;
  ck_assert_str_eq(answer("a=3 b=3", "a=3/3 b=3/3"), "blocked budget a");
}
END_TEST

START_TEST(test_what_is_lost_is_expected_over_clusters) {
  const struct plan_budget budget = {"default/p", "app=web", .max_unavailable = "3"};

  guard(&budget);
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_BUDGETS_OVER_CLUSTERS;
  (void)waves_plan(&waves, "web", 6, "a=2 b=4", "c=6", 0, 6);
  waves_lose(&waves, "a");
  ck_assert_str_eq(answer("a=2 b=4", "a=2/2 b=4/4"), "moving b=3");
}
END_TEST

START_TEST(test_workloads_of_a_budget_share_it) {
  const struct plan_budget budget = {"default/p", "app=web", .min_available = "6"};

  guard(&budget);
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 4);
  (void)waves_plan(&waves, "shop", 4, "a=4", "c=4", 0, 4);
  see("default/web", "app=web", 4, "a=4", "a=4/3@100");
  see("default/shop", "app=web", 4, "a=4", "a=4/4");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=3");
  ck_assert_str_eq(waves_row(&waves, 1), "waiting budget a");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 1), REBAL_ABSENT);
  waves_forget(&waves);
  see("default/web", "app=web", 4, "a=3", "a=3/3");
  see("default/shop", "app=web", 4, "a=4", "a=4/3@990");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=3 b=1");
  ck_assert_str_eq(waves_row(&waves, 1), "waiting budget a");
  waves_forget(&waves);
  see("default/web", "app=web", 4, "a=3 b=1", "a=3/3 b=1/1");
  see("default/shop", "app=web", 4, "a=4", "a=4/3@990");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "waiting budget a"); /* for those of the other workload */
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_AFTER_NS, 0), 590 * REBALI_SECOND_NS);
  waves_forget(&waves);
  see("default/web", "app=web", 4, "a=3 b=1", "a=3/3 b=1/1");
  see("default/shop", "app=web", 4, "a=4", "a=4/3@100");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "blocked budget a");
}
END_TEST

/* Bindings that are not planned count too. */
START_TEST(test_others_count) {
  const struct plan_budget budget = {"default/p", "", .min_available = "4"};

  guard(&budget);
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 4);
  see("default/web", "app=web", 4, "a=4", "a=4/4");
  see("default/other", "app=db", 2, "a=2", "a=2/2");
  see("elsewhere/other", "app=db", 2, "a=2", "a=2/2");
  see("default/unknown", NULL, 2, "a=2", "a=2/2");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2");
}
END_TEST

START_TEST(test_two_budgets_let_nothing_go) {
  const struct plan_budget first = {"default/p", "app=web", .allowed = "3"}, second = {"default/q", "", .allowed = "2"};

  guard(&first);
  guard(&second);
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 4);
  ck_assert_str_eq(answer("a=4", "a=4/4"), "blocked budget a");
  waves_forget(&waves);
  see("default/web", NULL, 4, "a=4", "a=4/4"); /* in one of both, perhaps */
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2");
}
END_TEST

START_TEST(test_a_budget_of_one_cluster) {
  const struct plan_budget first = {"default/p", "", "a", .allowed = "1"},
                           second = {"default/q", "", "b", .allowed = "2"},
                           third = {"default/r", "", "m9", .allowed = "0"};

  guard(&first);
  guard(&second);
  guard(&third);
  (void)waves_plan(&waves, "web", 9, "a=3 b=3 c=3", "d=9", 0, 9);
  ck_assert_str_eq(answer("a=3 b=3 c=3", "a=3/3 b=3/3 c=3/3"), "moving a=2 b=1");
}
END_TEST

/* Nothing is to be added before, and the budget lets none go: others may not use what is not taken. */
START_TEST(test_surge_adds_before_the_budget_is_checked) {
  const struct plan_budget budget = {"default/p", "app=web", .min_available = "4"};

  guard(&budget);
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 2, 0);
  ck_assert_str_eq(answer("a=4", "a=4/4"), "moving a=4 b=2");
  ck_assert_str_eq(answer("a=4 b=2", "a=4/4 b=2/2"), "blocked budget a");
  ck_assert_str_eq(answer("a=4 b=2", "a=4/4 b=2/0@990"), "waiting floor b"); /* not the budget alone */
}
END_TEST

START_TEST(test_scaling_down_is_guarded) {
  const struct plan_budget budget = {"default/p", "app=web", .max_unavailable = "1"};

  guard(&budget);
  (void)waves_plan(&waves, "web", 2, "a=5", "a=2", 1, 1);
  ck_assert_str_eq(answer("a=5", "a=5/5"), "moving a=4");
}
END_TEST

START_TEST(test_malformed_budgets_are_refused) {
  const struct plan_budget budget = {"default/p", "", .min_available = "half"};

  guard(&budget);
  (void)waves_plan(&waves, "web", 4, "a=4", "b=4", 0, 4);
  ck_assert_int_eq(waves_step(&waves), REBAL_EINVAL);
  ck_assert_str_eq(waves.world.err.message, "minAvailable of a budget is neither a number nor a percentage");
  ck_assert_int_eq(waves.world.err.where, 0);
  waves.opts.budgets = NULL;
  ck_assert_int_eq(waves_step(&waves), REBAL_EINVAL);
  ck_assert_str_eq(waves.world.err.message, "a record of the object BUDGET is needed");
  ck_assert_uint_eq(rebal_result_count(waves.world.result, REBAL_TABLE_WAVE), 0);
}
END_TEST

START_TEST(test_every_allocation_may_fail) {
  const struct plan_budget first = {"default/p", "app=web", .min_available = "3"}, second = {"default/q", "app=db"};

  guard(&first);
  guard(&second);
  (void)waves_plan(&waves, "web", 6, "a=6", "b=6", 0, 6);
  ck_assert_str_eq(answer("a=6", "a=6/6"), "moving a=3");
  ck_assert_pstr_eq(waves_torture(&waves), NULL);
}
END_TEST

UNIT_CASE(guards) {
  TCase *cases = tcase_create("guards");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_a_wave_takes_what_the_budget_allows);
  tcase_add_test(cases, test_percentages_are_of_what_is_assigned);
  tcase_add_test(cases, test_over_clusters);
  tcase_add_test(cases, test_what_is_lost_is_expected_over_clusters);
  tcase_add_test(cases, test_workloads_of_a_budget_share_it);
  tcase_add_test(cases, test_others_count);
  tcase_add_test(cases, test_two_budgets_let_nothing_go);
  tcase_add_test(cases, test_a_budget_of_one_cluster);
  tcase_add_test(cases, test_surge_adds_before_the_budget_is_checked);
  tcase_add_test(cases, test_scaling_down_is_guarded);
  tcase_add_test(cases, test_malformed_budgets_are_refused);
  tcase_add_test(cases, test_every_allocation_may_fail);
  return cases;
}
