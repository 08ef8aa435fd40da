/* SPDX-License-Identifier: MIT */
#include "united_pass.h"

#include "../unit.h"

#define STUCK "a=False,reschedule,0,timeout pending pods found; b"
#define TWO "a[4/1 b[6/6"
#define FREE "4,6" /* nothing is wrong with TWO */

/* Spec workloadspread 2.2: since it was created, not since it is unschedulable. */
static const struct united_pass stuck[] = {
    {ADAPTIVE, 10, TWO, "", "p:a:stuck31:new:-", "1,9", "", STUCK, 300},
    {ADAPTIVE, 10, TWO, "", "p:a:stuck29:new:-", FREE, "", NULL, 1},
    {ADAPTIVE, 10, TWO, "", "p:a:stuck10:new:- q:a:stuck20:new:- r:a:stuck0:new:-", FREE, "", NULL, 10},
    {ADAPTIVE, 10, TWO, "", "p:a:stuck10:new:- q:a:stuck40:new:-", "1,9", "", STUCK, 20},
    {ADAPTIVE, 10, TWO, "", "p:a:pending31:new:- q:a:gone31:new:- r:a:seated31:new:- s:a:running31:new:-", FREE, "",
     NULL, 0},
    {ADAPTIVE, 10, TWO, "?10,60", "p:a:stuck11:old:1", "1,9", "", STUCK, 60},  /* labels do not count */
    {ADAPTIVE, 10, "a[1/1 b[6/6", "", "p:a:stuck31:new:-", FREE, "", NULL, 0}, /* all that it has is ready */
    {ADAPTIVE, 10, TWO, "", "p:z:stuck31:new:- q::stuck31:new:-", FREE, "", NULL, 0},
    {ADAPTIVE, 10, "a b[6/6", "", "p:a:stuck31:new:-", FREE, "", NULL, 0}, /* there is no workload */
};

START_TEST(test_pods_that_wait_too_long) {
  UNITED_PASS(stuck);
}
END_TEST

START_TEST(test_replicas_observed_are_compared_with_those_ready) {
  static const struct united_pass pass = {ADAPTIVE, 10, TWO, "", "p:a:stuck31:new:-", "", "", NULL, 0};
  struct united_world world;

  ck_assert_int_eq(united_world_new(&world, NULL, &pass), REBAL_OK);
  world.fixture.observed[0] = 1;
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_str_eq(united_answer(&world.fixture), FREE);
  world.fixture.observed[0] = 2;
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  ck_assert_str_eq(united_answer(&world.fixture), "1,9");
  united_world_dispose(&world);
}
END_TEST

#define LIMITED "a<=4[4/4 b[6/6"
#define TRUSTED "a=True,reschedule,50 b=True,reschedule,50"
#define DOUBTED "a=False,reschedule,50 b=True,reschedule,50"
#define IN_RESERVE "a=False,reschedule,0,reserved pods found; b=True,reschedule,50,before"
#define LEFT "a=True,reschedule,0,no reserved pods; b=True,reschedule,50,before"

/* What is not in reserve: without a label in a subset that is marked, stuck, or of a revision that takes too long. */
static const struct united_pass entering[] = {
    {RESERVING, 10, LIMITED, TRUSTED, "p:a:running99:new:-", "4,6", "p=0", NULL, 0},
    {RESERVING, 10, LIMITED, TRUSTED, "p:a:running99:new:0", "4,6", "", NULL, 0},
    {RESERVING, 10, LIMITED, TRUSTED, "p:a:stuck31:new:-", "4,7", "p=1", IN_RESERVE, 0},
    {RESERVING, 10, LIMITED, TRUSTED, "p:a:stuck31:new:0", "4,7", "p=1", IN_RESERVE, 0},
    {RESERVING, 10, LIMITED, TRUSTED, "p:a:stuck29:new:0", "4,6", "", NULL, 1},
    {RESERVING, 10, LIMITED, DOUBTED, "p:a:ready999:new:-", "4,7", "p=1", NULL, 0},
    {RESERVING, 10, LIMITED, DOUBTED, "p:a:running9:new:0", "4,6", "", LEFT, 0},
    {RESERVING, 10, LIMITED, TRUSTED " !True,all,31", "p:a:running9:old:0", "4,7", "p=1", IN_RESERVE, 0},
    {RESERVING, 10, LIMITED, TRUSTED " !True,all,29", "p:a:running9:old:0", "4,6", "", NULL, 1},
    {RESERVING, 10, LIMITED, TRUSTED " !True,all,31", "p:a:gone99:old:0", "4,6", "", NULL, 0},
    {RESERVING, 10, LIMITED, TRUSTED, "p:a:stuck31:old:0", "4,6", "", NULL, 0}, /* the time of its update is missing */
};

START_TEST(test_pods_go_to_the_reserve) {
  UNITED_PASS(entering);
}
END_TEST

/* What is in reserve leaves it when it runs the updated revision and is ready for long enough. */
static const struct united_pass leaving[] = {
    {RESERVING, 10, LIMITED, DOUBTED, "p:a:ready301:new:1", "4,6", "p=0", LEFT, 0},
    {RESERVING, 10, LIMITED, DOUBTED, "p:a:ready299:new:1", "4,7", "", NULL, 1},
    {RESERVING, 10, LIMITED, DOUBTED, "p:a:ready999:old:1", "4,7", "", NULL, 0},
    {RESERVING, 10, LIMITED, DOUBTED, "p:a:running999:new:1", "4,7", "", NULL, 0},
    {RESERVING, 10, LIMITED, DOUBTED, "p:a:pending999:new:1", "4,7", "", NULL, 0},
    {RESERVING, 10, LIMITED, DOUBTED " ?0,60", "p:a:ready61:new:1", "4,6", "p=0", LEFT, 0},
    {RESERVING, 10, LIMITED, DOUBTED, "p:a:ready301:new:1 q:a:stuck5:new:1 r:b:ready9:new:0 s:a:stuck5:new:-", "4,8",
     "p=0 s=1", NULL, 0},
};

START_TEST(test_pods_leave_the_reserve) {
  UNITED_PASS(leaving);
}
END_TEST

START_TEST(test_labels_are_of_pods) {
  struct united_world world;
  const rebal_result *result;
  size_t row;

  ck_assert_int_eq(united_world_new(&world, NULL, &leaving[6]), REBAL_OK);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  result = world.fixture.result;
  row = united_action(&world, REBAL_ACTION_KIND_PATCH_METADATA, 1);
  ck_assert_uint_ne(row, SIZE_MAX);
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_API_VERSION, row, NULL), "v1");
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_OBJECT_KIND, row, NULL), "Pod");
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_NAMESPACE, row, NULL), "shop");
  ck_assert_str_eq(rebal_result_text(result, REBAL_ACTION_UID, row, NULL), "uid");
  ck_assert_int_eq(rebal_result_i64(result, REBAL_ACTION_ROW, NULL)[row], 3);
  ck_assert_int_eq(rebal_result_i64(result, REBAL_ACTION_ORDINAL, NULL)[row], (int64_t)row);
  ck_assert_int_eq(rebal_result_i64(result, REBAL_ALLOCATED_RESERVED, NULL)[0], 2);
  ck_assert_int_eq(rebal_result_i64(result, REBAL_ALLOCATED_FLAGS, NULL)[0],
                   REBAL_UNITED_STATE_EXISTS | REBAL_UNITED_STATE_UNSCHEDULABLE | REBAL_UNITED_STATE_MARKED);
  united_world_dispose(&world);
}
END_TEST

/* At the exact moment no time has passed yet; right after it, it has. */
START_TEST(test_no_moment_is_missed) {
  static const struct united_pass moments[] = {
      {ADAPTIVE, 10, TWO, "", "p:a:stuck30:new:-", "", "", NULL, 0},
      {RESERVING, 10, LIMITED, TRUSTED " !True,all,30", "p:a:running9:old:0", "", "", NULL, 0},
      {RESERVING, 10, LIMITED, DOUBTED, "p:a:ready300:new:1", "", "", NULL, 0},
  };

  for (size_t i = 0; i < REBALI_COUNT(moments); i++) {
    struct united_world world;

    ck_assert_int_eq(united_world_new(&world, NULL, &moments[i]), REBAL_OK);
    ck_assert_int_eq(united_step(&world), REBAL_OK);
    ck_assert_uint_eq(united_action(&world, REBAL_ACTION_KIND_PATCH_STATUS, 0), SIZE_MAX);
    ck_assert_int_eq(rebal_result_i64(world.fixture.result, REBAL_STEP_AFTER_NS, NULL)[0], 1);
    rebal_result_time(world.fixture.result, REBAL_ACTION_NOT_BEFORE, united_action(&world, REBAL_ACTION_KIND_WAKE, 0),
                      &world.now);
    ck_assert_int_eq(united_step(&world), REBAL_OK);
    ck_assert_uint_ne(united_action(&world, REBAL_ACTION_KIND_PATCH_STATUS, 0), SIZE_MAX);
    united_world_dispose(&world);
  }
}
END_TEST

/* Of subsets of one name the first has the pods. */
START_TEST(test_names_are_found_in_any_order) {
  static const struct united_pass passes[] = {
      {ADAPTIVE, 10, "c[4/1 a[2/1 b[6/6 a[2/1", "", "p:c:stuck31:new:-", "1,2,6,1", "",
       "c=False,reschedule,0,timeout pending pods found; a; b; a", 300},
      {ADAPTIVE, 10, "c[4/1 a[2/1 b[6/6 a[2/1", "", "p:a:stuck31:new:-", "2,1,6,1", "",
       "c; a=False,reschedule,0,timeout pending pods found; b; a", 300},
  };

  UNITED_PASS(passes);
}
END_TEST

UNIT_CASE(united_pods) {
  TCase *cases = tcase_create("united_pods");

  tcase_add_test(cases, test_pods_that_wait_too_long);
  tcase_add_test(cases, test_replicas_observed_are_compared_with_those_ready);
  tcase_add_test(cases, test_pods_go_to_the_reserve);
  tcase_add_test(cases, test_pods_leave_the_reserve);
  tcase_add_test(cases, test_labels_are_of_pods);
  tcase_add_test(cases, test_no_moment_is_missed);
  tcase_add_test(cases, test_names_are_found_in_any_order);
  return cases;
}
