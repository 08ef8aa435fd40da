/* SPDX-License-Identifier: MIT */
#include "united_pass.h"

#include "../unit.h"

#define STUCK "timeout pending pods found"
#define NONE_RESERVED "no reserved pods"

/* Spec workloadspread 13.6: nothing when status and reason are equal, else all of it, the time too. */
static const struct united_pass changes[] = {
    {ADAPTIVE, 10, "a[4/1 b[6/6", "", "p:a:stuck31:new:-", "1,9", "", "a=False,reschedule,0," STUCK "; b", 300},
    {ADAPTIVE, 10, "a[4/1 b[6/6", "a=False,reschedule,100", "p:a:stuck31:new:-", "1,9", "", NULL, 200},
    {ADAPTIVE, 10, "a[4/1 b[6/6", "a=False,created,100", "p:a:stuck31:new:-", "1,9", "",
     "a=False,reschedule,0," STUCK "; b", 200},
    {ADAPTIVE, 10, "a[4/1 b[6/6", "a=True,reschedule,100", "p:a:stuck31:new:-", "1,9", "",
     "a=False,reschedule,0," STUCK "; b", 300},
};

START_TEST(test_a_condition_is_new_as_a_whole_or_stays) {
  UNITED_PASS(changes);
}
END_TEST

/* Entries of subsets that are gone do not come back; other conditions stay where they were. */
static const struct united_pass entries[] = {
    {ADAPTIVE, 10, "a[4/1 b[6/6", "gone=True,recover,5 b& a&=True,recover,5", "p:a:stuck31:new:-", "1,9", "",
     "a&=False,reschedule,0," STUCK "; b&", 300},
    {ADAPTIVE, 10, "a[4/1 b[6/6", "b&=True,recover,5 a", "p:a:stuck31:new:-", "1,9", "",
     "a=False,reschedule,0," STUCK "; b&=True,recover,5,before", 300},
};

START_TEST(test_entries_are_those_of_the_subsets) {
  UNITED_PASS(entries);
}
END_TEST

static const struct united_pass created[] = {
    {RESERVING, 10, "a[5/5 c", "a=True,reschedule,50", "", "10,0", "",
     "a=True,reschedule,50,before; c=False,created,0,newly-created subsets in reservation strategy", 0},
    {RESERVING, 10, "a[5/5 c", "a=True,reschedule,50 c", "", "10,0", "", NULL, 0}, /* it existed before */
    {RESERVING, 10, "a[5/5 c", "!True,all,50", "", "10,0", "", "a=True,reschedule,0," NONE_RESERVED "; c", 0},
    {RESERVING, 10, "a[5/5 c[5/5", "a=True,reschedule,50", /* it is not new: it has a workload */
     "", "10,0", "", "a=True,reschedule,50,before; c=True,reschedule,0," NONE_RESERVED, 0},
    {ADAPTIVE, 10, "a[5/5 c", "a=True,reschedule,50", "", "10,0", "", NULL, 0},
};

START_TEST(test_an_added_subset_starts_without_trust) {
  UNITED_PASS(created);
}
END_TEST

START_TEST(test_the_status_is_written_over_what_was_read) {
  struct united_world world;
  size_t row;

  ck_assert_int_eq(united_world_new(&world, NULL, &changes[0]), REBAL_OK);
  ck_assert_int_eq(united_step(&world), REBAL_OK);
  row = united_action(&world, REBAL_ACTION_KIND_PATCH_STATUS, 0);
  ck_assert_uint_ne(row, SIZE_MAX);
  ck_assert_str_eq(rebal_result_text(world.fixture.result, REBAL_ACTION_API_VERSION, row, NULL),
                   "apps.kruise.io/v1beta1");
  ck_assert_str_eq(rebal_result_text(world.fixture.result, REBAL_ACTION_OBJECT_KIND, row, NULL), "UnitedDeployment");
  ck_assert_str_eq(rebal_result_text(world.fixture.result, REBAL_ACTION_NAMESPACE, row, NULL), "shop");
  ck_assert_str_eq(rebal_result_text(world.fixture.result, REBAL_ACTION_NAME, row, NULL), "web");
  ck_assert_str_eq(rebal_result_text(world.fixture.result, REBAL_ACTION_RESOURCE_VERSION, row, NULL), "7");
  ck_assert_int_eq(rebal_result_i64(world.fixture.result, REBAL_ACTION_ROW, NULL)[row], REBAL_ABSENT);
  united_world_dispose(&world);
}
END_TEST

UNIT_CASE(united_condition) {
  TCase *cases = tcase_create("united_condition");

  tcase_add_test(cases, test_a_condition_is_new_as_a_whole_or_stays);
  tcase_add_test(cases, test_entries_are_those_of_the_subsets);
  tcase_add_test(cases, test_an_added_subset_starts_without_trust);
  tcase_add_test(cases, test_the_status_is_written_over_what_was_read);
  return cases;
}
