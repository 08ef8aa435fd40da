/* SPDX-License-Identifier: MIT */
#include "united_pass.h"

#include "../../support/allocator.h"
#include "../unit.h"

#define TWO "a[4/1 b[6/6"
#define RECOVERED "a=True,recover,0,unschedulable subset recovered after 300.000000 seconds; b"

/* Spec workloadspread 13.6, default mode: a subset is held for unschedulableDuration, then tried again. */
static const struct united_pass holds[] = {
    {ADAPTIVE, 10, TWO, "a=False,reschedule,100", "", "1,9", "", NULL, 200},
    {ADAPTIVE, 10, TWO, "a=False,reschedule,299", "", "1,9", "", NULL, 1},
    {ADAPTIVE, 10, TWO, "a=False,reschedule,300", "", "4,6", "", RECOVERED, 0},
    {ADAPTIVE, 10, TWO, "a=False,created,999", "", "4,6", "", RECOVERED, 0},
    {ADAPTIVE, 10, TWO, "a=True,recover,5", "", "4,6", "", NULL, 0},
    {ADAPTIVE, 10, TWO, "a=Unknown,recover,5", "", "4,6", "", NULL, 0},
    {ADAPTIVE, 10, TWO, "a=False,reschedule,300", /* still the same: not the old condition, but a new one */
     "p:a:stuck31:new:-", "1,9", "", "a=False,reschedule,0,timeout pending pods found; b", 300},
    {ADAPTIVE, 10, TWO, "a=False,reschedule,7 ?0,7", "", "4,6", "",
     "a=True,recover,0,unschedulable subset recovered after 7.000000 seconds; b", 0},
    {ADAPTIVE, 10, "a b[6/6", "a=False,reschedule,100", "", "4,6", "", NULL, 0}, /* nothing to hold */
    {ADAPTIVE, 10, "a[4/1 b[6/2", "a=False,reschedule,100 b=False,reschedule,50", "", "1,2", "", NULL, 200},
};

START_TEST(test_a_subset_is_held_and_tried_again) {
  UNITED_PASS(holds);
}
END_TEST

#define TRUST "=True,reschedule,50"
#define DOUBT "=False,reschedule,50"

/* Reservation: what comes out of reserve and grows is not trusted again before its new pods run. */
static const struct united_pass grown[] = {
    {RESERVING, 10, "a<=4[2/2 b[6/6", "a" DOUBT " b" TRUST, "p:a:ready301:new:1", "4,8", "p=0",
     "a=False,reschedule,0,subset just recovered scaled up; b=True,reschedule,50,before", 0},
    {RESERVING, 10, "a<=4[4/4 b[6/6", "a" DOUBT " b" TRUST, "p:a:ready301:new:1", "4,6", "p=0",
     "a=True,reschedule,0,no reserved pods; b=True,reschedule,50,before", 0},
    {RESERVING, 10, "a<=4[2/2 b[6/6", "a" TRUST " b" TRUST, "", "4,6", "", NULL, 0}, /* it was trusted before */
    {RESERVING, 10, "a<=4[2/2 b[6/6", "a" DOUBT " b" TRUST, "p:a:pending1:new:1", "2,9", "", NULL, 0},
};

START_TEST(test_what_grows_after_the_reserve_is_marked_again) {
  UNITED_PASS(grown);
}
END_TEST

/* Other strategies examine neither pods nor conditions. */
static const struct united_pass fixed[] = {
    {FIXED, 10, TWO, "a=False,reschedule,300", "p:a:stuck31:new:-", "5,5", "", NULL, 0},
    {FIXED, 10, "a<=4[4/1 b[6/6", "a=False,reschedule,100", "p:a:stuck31:new:-", "4,6", "", NULL, 0},
};

START_TEST(test_other_strategies_only_allocate) {
  UNITED_PASS(fixed);
}
END_TEST

static struct united_world world;

static void start(const struct united_pass *pass) {
  ck_assert_int_eq(united_world_new(&world, NULL, pass), REBAL_OK);
}

static void teardown(void) {
  united_world_dispose(&world);
}

/* The step finds states and reserve itself, whatever the caller passes. */
START_TEST(test_states_are_found_here) {
  static const struct united_pass pass = {RESERVING, 10, "a<=4[4/4-4um b[6/6-1u", "a" TRUST " b" TRUST, "", "", "",
                                          NULL,      0};

  start(&pass);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_str_eq(united_answer(&world.fixture), "4,6");
  for (size_t i = 0; i < 2; i++) {
    ck_assert_int_eq(rebal_result_i64(world.fixture.result, REBAL_ALLOCATED_FLAGS, NULL)[i], REBAL_UNITED_STATE_EXISTS);
    ck_assert_int_eq(rebal_result_i64(world.fixture.result, REBAL_ALLOCATED_RESERVED, NULL)[i], 0);
  }
}
END_TEST

START_TEST(test_nothing_is_done_when_limits_cross) {
  static const struct united_pass pass = {RESERVING, 10, "a>=5<=4[4/1 b[6/6", "", "p:a:stuck10:new:-", "", "", NULL, 0};

  start(&pass);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_str_eq(united_answer(&world.fixture),
                   "subset[0].maxReplicas(4) must be more than or equal to minReplicas(5)");
  ck_assert_uint_eq(rebal_result_count(world.fixture.result, REBAL_TABLE_ACTION), 0);
  ck_assert_int_eq(rebal_result_i64(world.fixture.result, REBAL_STEP_AFTER_NS, NULL)[0], REBAL_ABSENT);
}
END_TEST

static int32_t step_rows(const uint32_t *rows, size_t n, rebal_error *err) {
  world.fixture.opts.rows = rows;
  world.fixture.opts.n_rows = n;
  return rebal_united_step(world.ctx, world.fixture.record, world.pods, &world.now, &world.fixture.opts,
                           world.fixture.result, err);
}

START_TEST(test_only_rows_given_are_examined) {
  static const struct united_pass pass = {ADAPTIVE, 10, TWO,  "", "p:a:running1:new:- q:a:stuck31:new:-",
                                          "",       "", NULL, 0};
  static const uint32_t rows[] = {0, 1, 2};
  rebal_error err = REBAL_ERROR_INIT;

  start(&pass);
  ck_assert_int_eq(step_rows(rows, 1, NULL), REBAL_OK);
  ck_assert_str_eq(united_answer(&world.fixture), "4,6");
  ck_assert_int_eq(step_rows(rows, 0, NULL), REBAL_OK);
  ck_assert_str_eq(united_answer(&world.fixture), "4,6");
  ck_assert_int_eq(step_rows(rows, 2, NULL), REBAL_OK);
  ck_assert_str_eq(united_answer(&world.fixture), "1,9");
  ck_assert_int_eq(step_rows(rows, 3, &err), REBAL_ENOTFOUND);
  ck_assert_int_eq(err.where, 2);
  ck_assert_uint_eq(rebal_result_count(world.fixture.result, REBAL_TABLE_STEP), 0);
}
END_TEST

/* What was written is read: a second pass at the same time changes nothing more. */
START_TEST(test_a_pass_on_what_it_wrote_changes_nothing) {
  static const struct united_pass first = {ADAPTIVE, 10, TWO, "", "p:a:stuck31:new:-", "1,9", "", NULL, 0};
  static const struct united_pass again = {ADAPTIVE, 10,   TWO, "a=False,reschedule,0 b", "p:a:stuck31:new:-", "1,9",
                                           "",       NULL, 0};

  start(&first);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_uint_ne(united_action(&world, REBAL_ACTION_KIND_PATCH_STATUS, 0), SIZE_MAX);
  united_world_dispose(&world);
  start(&again);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_uint_eq(united_action(&world, REBAL_ACTION_KIND_PATCH_STATUS, 0), SIZE_MAX);
  ck_assert_str_eq(united_answer(&world.fixture), "1,9");
}
END_TEST

static int32_t whole_life(const rebal_allocator *allocator, void *user_data) {
  struct united_world torture;
  int32_t code = united_world_new(&torture, allocator, user_data);

  if (code == REBAL_OK) {
    code = united_step(&torture);
  }
  if (code != REBAL_OK && torture.fixture.result != NULL) {
    ck_assert_uint_eq(rebal_result_count(torture.fixture.result, REBAL_TABLE_ALLOCATED), 0);
    ck_assert_uint_eq(rebal_result_count(torture.fixture.result, REBAL_TABLE_ACTION), 0);
  }
  united_world_dispose(&torture);
  return code;
}

static struct united_pass tortured[] = {
    {ADAPTIVE, 10, TWO, "a=False,reschedule,300", "p:a:stuck31:new:- q:b:stuck3:new:-", "", "", NULL, 0},
    {RESERVING, 10, "a<=4[2/2 b[6/6 c", "a" DOUBT " b&", "p:a:ready301:new:1 q:b:stuck31:new:- r:b:stuck3:new:-", "",
     "", NULL, 0},
    {RESERVING, 10, "a>=5<=4[2/2", "", "p:a:stuck31:new:-", "", "", NULL, 0},
};

START_TEST(test_failing_allocations) {
  ck_assert_pstr_eq(test_torture(whole_life, &tortured[_i]), NULL);
}
END_TEST

UNIT_CASE(united_step) {
  TCase *cases = tcase_create("united_step");

  tcase_add_checked_fixture(cases, NULL, teardown);
  tcase_add_test(cases, test_a_subset_is_held_and_tried_again);
  tcase_add_test(cases, test_what_grows_after_the_reserve_is_marked_again);
  tcase_add_test(cases, test_other_strategies_only_allocate);
  tcase_add_test(cases, test_states_are_found_here);
  tcase_add_test(cases, test_nothing_is_done_when_limits_cross);
  tcase_add_test(cases, test_only_rows_given_are_examined);
  tcase_add_test(cases, test_a_pass_on_what_it_wrote_changes_nothing);
  tcase_add_loop_test(cases, test_failing_allocations, 0, REBALI_COUNT(tortured));
  return cases;
}
