/* SPDX-License-Identifier: MIT */
#include "united_fixture.h"

#include "../unit.h"

/* Spec workloadspread 13.3a, measured unless noted. */
static const struct united_sample shares[] = {
    {FIXED, 10, "a b c", "3,3,4"},
    {FIXED, 10, "a[5/5 b[1/1 c", "4,3,3"},
    {FIXED, 10, "a=25% b c", "3,3,4"},
    {FIXED, 10, "a=120% b", "5,5"},
    {FIXED, 11, "a b c", "3,4,4"}, /* ties to the greatest name; from here on not measured */
    {FIXED, 10, "B a b", "3,3,4"}, /* by bytes */
    {FIXED, 10, "c b a", "4,3,3"},
    {FIXED, 2, "a b c", "0,1,1"},
    {FIXED, 0, "a b c", "0,0,0"},
    {FIXED, 10, "a=10 b", "10,0"},
    {FIXED, 10, "a=4 b=6", "4,6"},
    {FIXED, REBAL_ABSENT, "a=4 b=6", "4,6"},
    {FIXED, REBAL_ABSENT, "", ""},
    {FIXED, 0, "", ""},
    {FIXED, 11, "a=100% b=0 c=0%[3/3", "11,0,0"},
    {FIXED, 10, "a=2 a b", "2,4,4"}, /* each for itself, where the reference has one number for both */
};

START_TEST(test_the_rest_is_shared_and_the_largest_get_one_more) {
  UNITED_GIVE(shares);
}
END_TEST

#define LESS(sum, replicas) "specified subsets' replica (" sum ") is less than UnitedDeployment replica (" replicas ")"
#define MORE(sum, replicas) \
  "specified subsets' replica (" sum ") is greater than UnitedDeployment replica (" replicas ")"
#define UNSPECIFIED "all subsets must be specified when UnitedDeployment replica is unspecified"

static const struct united_sample contradictions[] = {
    {FIXED, 5, "a=4 b=6", MORE("10", "5")},
    {FIXED, 5, "a=6 b", MORE("6", "5")},
    {FIXED, 0, "a=1 b", MORE("1", "0")},
    {FIXED, 5, "a=2147483647 b=2147483647", MORE("4294967294", "5")}, /* counted, where 32 bits would wrap */
    {FIXED, 11, "a=4 b=6", LESS("10", "11")},
    {FIXED, 1, "", LESS("0", "1")},
    {FIXED, REBAL_ABSENT, "a=4 b", UNSPECIFIED},
    {FIXED, REBAL_ABSENT, "a=4 b=50%", UNSPECIFIED}, /* there is no total to take half of */
};

START_TEST(test_numbers_that_contradict_each_other) {
  UNITED_GIVE(contradictions);
}
END_TEST

/* The same spec from other sizes: by 13.3a the result depends on the current sizes. */
START_TEST(test_the_answer_depends_on_the_way) {
  static const struct united_sample samples[] = {
      {FIXED, 10, "a[3/3 b[3/3 c[4/4", "3,3,4"},
      {FIXED, 10, "a[4/4 b[3/3 c[3/3", "4,3,3"},
      {FIXED, 10, "a[3/3 b[4/4 c[3/3", "3,4,3"},
  };

  UNITED_GIVE(samples);
}
END_TEST

UNIT_CASE(united_fixed) {
  TCase *cases = tcase_create("united_fixed");

  tcase_add_test(cases, test_the_rest_is_shared_and_the_largest_get_one_more);
  tcase_add_test(cases, test_numbers_that_contradict_each_other);
  tcase_add_test(cases, test_the_answer_depends_on_the_way);
  return cases;
}
