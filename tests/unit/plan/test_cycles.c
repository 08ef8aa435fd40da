/* SPDX-License-Identifier: MIT */
/*
 * Capacity, and bindings that block each other (rebalance-plan(7) 5). Summaries: what is free; members' own pods count.
 */
#include "waves.h"

static struct waves waves;

static void setup(void) {
  memset(&waves, 0, sizeof waves);
}
static void teardown(void) {
  waves_close(&waves);
}

/* a and b are full of each other's replicas; c has no capacity. */
static void plan_swap(int32_t max_unavailable) {
  waves_open(&waves, "a=0 b=0 c=0");
  (void)waves_plan(&waves, "one", 2, "a=2", "b=2", 1, max_unavailable);
  (void)waves_plan(&waves, "two", 2, "b=2", "a=2", 1, max_unavailable);
}

static void see(const char *key, const char *targets, const char *items) {
  (void)waves_see_plainly(&waves, key, 2, targets, items);
}

START_TEST(test_bindings_that_block_each_other_are_named_together) {
  plan_swap(0);
  (void)waves_plan(&waves, "three", 2, "c=2", "a=2", 1, 0);
  see("default/one", "a=2", "a=2/2");
  see("default/two", "b=2", "b=2/2");
  see("default/three", "c=2", "c=2/2");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "blocked capacity b");
  ck_assert_str_eq(waves_row(&waves, 1), "blocked capacity a");
  ck_assert_str_eq(waves_row(&waves, 2), "blocked capacity a");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_CYCLE, 0), 0);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_CYCLE, 1), 0);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_CYCLE, 2), REBAL_ABSENT); /* no row waits for it */
}
END_TEST

/* The first row of the cycle is not the first one found: 0 waits for 2, which waits for 1. */
START_TEST(test_a_cycle_has_the_number_of_its_first_row) {
  waves_open(&waves, "a=0 b=0 c=0 d=0");
  (void)waves_plan(&waves, "zero", 2, "d=2", "c=2", 1, 0);
  (void)waves_plan(&waves, "one", 2, "b=2", "c=2", 1, 0);
  (void)waves_plan(&waves, "two", 2, "c=2", "b=2", 1, 0);
  see("default/zero", "d=2", "d=2/2");
  see("default/one", "b=2", "b=2/2");
  see("default/two", "c=2", "c=2/2");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_CYCLE, 0), REBAL_ABSENT);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_CYCLE, 1), 1);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_CYCLE, 2), 1);
}
END_TEST

/* three waits for one and two, one for two, two for three; zero waits for one, and no row waits for it. */
START_TEST(test_a_row_that_waits_for_two_of_its_cycle) {
  waves_open(&waves, "w=0 x=0 y=0 z=0");
  (void)waves_plan(&waves, "zero", 2, "w=2", "x=2", 1, 0);
  (void)waves_plan(&waves, "one", 2, "x=2", "y=2", 1, 0);
  (void)waves_plan(&waves, "two", 2, "y=2", "z=2", 1, 0);
  (void)waves_plan(&waves, "three", 2, "z=2", "x=1 y=1", 1, 0);
  see("default/zero", "w=2", "w=2/2");
  see("default/one", "x=2", "x=2/2");
  see("default/two", "y=2", "y=2/2");
  see("default/three", "z=2", "z=2/2");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_CYCLE, 0), REBAL_ABSENT);
  for (size_t i = 1; i < 4; i++) {
    ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_CYCLE, i), 1);
  }
}
END_TEST

START_TEST(test_who_waits_for_another_binding_to_stop_waits) {
  waves_open(&waves, "a=2 b=0");
  (void)waves_plan(&waves, "web", 2, "a=2", "b=2", 1, 0);
  see("default/web", "a=2", "a=2/2");
  see("default/other", "a=2", "a=1/1 b=3/3@990");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "waiting capacity b");
  waves.now = test_time(2000);
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "blocked capacity b");
}
END_TEST

START_TEST(test_with_max_unavailable_they_go_by_removing_first) {
  plan_swap(1);
  see("default/two", "b=2", "b=2/2");
  see("default/one", "a=2", "a=2/2");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=1");
  ck_assert_str_eq(waves_row(&waves, 1), "moving b=1");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_BINDING, 0), 1);
}
END_TEST

START_TEST(test_where_nothing_fits_it_removes_first) {
  waves_open(&waves, "a=0 b=0 c=1");
  (void)waves_plan(&waves, "web", 4, "a=4", "b=2 c=2", 1, 1);
  (void)waves_see_plainly(&waves, "default/web", 4, "a=4", "a=4/4");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=4 c=1");
  waves_forget(&waves);
  (void)waves_see_plainly(&waves, "default/web", 4, "a=3 c=1", "a=3/3 c=1/1");
  (void)waves_see_plainly(&waves, "default/other", 1, "c=1", ""); /* which takes what is left of c */
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 c=1");
}
END_TEST

/* Without surge it must remove first: the floor keeps it from that, not the full cluster. */
START_TEST(test_a_full_cluster_is_not_a_reason_while_another_has_capacity) {
  waves_open(&waves, "a=0 b=0 c=5");
  (void)waves_plan(&waves, "web", 4, "a=3 c=1", "b=2 c=2", 0, 1);
  (void)waves_see_plainly(&waves, "default/web", 4, "a=3 c=1", "a=3/3 c=1/0@100");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "blocked floor c");
}
END_TEST

/* The blocking binding is about to leave: rows that wait for it, directly or not, are waiting, not blocked. */
START_TEST(test_who_waits_for_one_that_goes_waits) {
  waves_open(&waves, "a=0 b=0 c=2");
  (void)waves_plan(&waves, "one", 2, "a=2", "b=2", 1, 0);
  (void)waves_plan(&waves, "two", 2, "b=2", "c=2", 1, 0);
  (void)waves_plan(&waves, "three", 2, "c=2", "a=2", 1, 0);
  see("default/one", "a=2", "a=2/2");
  see("default/two", "b=2", "b=2/2");
  see("default/three", "c=2", "c=2/2");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "waiting capacity b");
  ck_assert_str_eq(waves_row(&waves, 1), "moving b=2 c=1");
  ck_assert_str_eq(waves_row(&waves, 2), "waiting capacity a");
  ck_assert_int_eq(waves_cell(&waves, REBAL_WAVE_CYCLE, 0), REBAL_ABSENT);
}
END_TEST

/* A binding that is where it should be, but whose member still runs replicas that were removed. */
START_TEST(test_who_waits_for_a_member_to_stop_replicas_waits) {
  waves_open(&waves, "a=0 b=5");
  (void)waves_plan(&waves, "one", 2, "b=2", "a=2", 1, 0);
  (void)waves_plan(&waves, "two", 2, "a=2", "b=2", 1, 0);
  see("default/one", "b=2", "b=2/2");
  see("default/two", "b=2", "a=2/2@995 b=2/2");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "waiting capacity a");
  ck_assert_str_eq(waves_row(&waves, 1), "done");
  waves.now = test_time(2000);
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "blocked capacity a");
}
END_TEST

START_TEST(test_the_first_of_a_wave_takes_the_capacity) {
  waves_open(&waves, "a=0 b=3");
  (void)waves_plan(&waves, "one", 2, "a=2", "b=2", 2, 0);
  (void)waves_plan(&waves, "two", 2, "a=2", "b=2", 2, 0);
  see("default/one", "a=2", "a=2/2");
  see("default/two", "a=2", "a=2/2");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 b=2");
  ck_assert_str_eq(waves_row(&waves, 1), "moving a=2 b=1");
}
END_TEST

/* Also capacity of bindings that are not planned, and charges of others. */
START_TEST(test_what_is_assigned_takes_capacity) {
  rebal_ledger *ledger;

  waves_open(&waves, "a=0 b=6");
  (void)waves_plan(&waves, "web", 2, "a=2", "b=2", 2, 0);
  see("default/web", "a=2", "a=2/2");
  see("default/other", "b=4", "b=1/1");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 b=2"); /* 3 of 6 are to be added */
  ck_assert_int_eq(rebal_ledger_new(waves.world.fleet, NULL, &ledger, NULL), REBAL_OK);
  test_charge(ledger, "elsewhere/x", test_cluster_id(&waves.world, "b"), REBAL_NONE, 2);
  test_charge(ledger, "default/web", test_cluster_id(&waves.world, "b"), REBAL_NONE, 2); /* its own */
  waves.opts.ledger = ledger;
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 b=1");
  rebal_ledger_free(ledger);
}
END_TEST

START_TEST(test_summaries_that_do_not_count_what_members_run) {
  waves_open(&waves, "a=10 b=5");
  (void)waves_plan(&waves, "web", 2, "a=2", "b=2", 2, 0);
  see("default/web", "a=2", "a=2/2");
  see("default/other", "b=1", "b=4/1");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 b=2");
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_OWN_NOT_COUNTED;
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 b=1"); /* the larger of 1 and 4 */
}
END_TEST

/* Replicas that already run there need no more capacity. */
START_TEST(test_what_still_runs_may_be_assigned_again) {
  waves_open(&waves, "a=0 b=0");
  (void)waves_plan(&waves, "web", 2, "a=2", "b=2", 2, 0);
  see("default/web", "a=2", "a=2/2 b=1/1");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 b=1");
  waves.opts.flags = REBAL_PLAN_STEP_FLAG_ANY_CAPACITY;
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 b=2");
}
END_TEST

START_TEST(test_a_set_of_components_takes_what_it_needs) {
  const struct test_binding set = {.key = "default/set", .targets = "b=4", .replicas = 4, .components = "x=1 y=3"};

  waves_open(&waves, "a=0 b=5");
  (void)waves_plan(&waves, "web", 2, "a=2", "b=2", 2, 0);
  see("default/web", "a=2", "a=2/2");
  (void)waves_see(&waves, &set, "");
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 b=1");
}
END_TEST

/* All assigned replicas count, also if the scheduler does not count its own decisions. */
START_TEST(test_what_is_assigned_takes_capacity_without_the_gate) {
  rebal_compat *compat = test_compat(REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION, 0);

  waves_open(&waves, "a=0 b=5");
  (void)waves_plan(&waves, "web", 2, "a=2", "b=2", 2, 0);
  see("default/web", "a=2", "a=2/2");
  see("default/x", "b=4", "");
  waves.opts.compat = compat;
  ck_assert_int_eq(waves_step(&waves), REBAL_OK);
  ck_assert_str_eq(waves_row(&waves, 0), "moving a=2 b=1");
  waves.opts.compat = NULL;
  rebal_compat_free(compat);
}
END_TEST

UNIT_CASE(cycles) {
  TCase *cases = tcase_create("cycles");

  tcase_add_checked_fixture(cases, setup, teardown);
  tcase_add_test(cases, test_bindings_that_block_each_other_are_named_together);
  tcase_add_test(cases, test_a_cycle_has_the_number_of_its_first_row);
  tcase_add_test(cases, test_who_waits_for_another_binding_to_stop_waits);
  tcase_add_test(cases, test_with_max_unavailable_they_go_by_removing_first);
  tcase_add_test(cases, test_where_nothing_fits_it_removes_first);
  tcase_add_test(cases, test_a_full_cluster_is_not_a_reason_while_another_has_capacity);
  tcase_add_test(cases, test_who_waits_for_one_that_goes_waits);
  tcase_add_test(cases, test_who_waits_for_a_member_to_stop_replicas_waits);
  tcase_add_test(cases, test_the_first_of_a_wave_takes_the_capacity);
  tcase_add_test(cases, test_what_is_assigned_takes_capacity);
  tcase_add_test(cases, test_summaries_that_do_not_count_what_members_run);
  tcase_add_test(cases, test_what_still_runs_may_be_assigned_again);
  tcase_add_test(cases, test_a_set_of_components_takes_what_it_needs);
  tcase_add_test(cases, test_what_is_assigned_takes_capacity_without_the_gate);
  tcase_add_test(cases, test_a_row_that_waits_for_two_of_its_cycle);
  return cases;
}
