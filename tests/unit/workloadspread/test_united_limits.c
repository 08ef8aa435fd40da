/* SPDX-License-Identifier: MIT */
#include "united_fixture.h"

#include "../../support/dice.h"
#include "../unit.h"

/* Of two subsets of which the first states replicas, it gets them, and the second the rest. */
static const struct united_sample numbers[] = {
    {FIXED, 7, "a=50% b", "4,3"},    {FIXED, 5, "a=50% b", "3,2"},
    {FIXED, 3, "a=50% b", "2,1"},    {FIXED, 10, "a=25% b", "3,7"},
    {FIXED, 10, "a=35% b", "4,6"},   {FIXED, 1, "a=49% b", "0,1"},
    {FIXED, 1, "a=50% b", "1,0"},    {FIXED, 100, "a=7% b", "7,93"},
    {FIXED, 10, "a=+20% b", "2,8"},  {FIXED, 10, "a=-0% b", "0,10"},
    {FIXED, 10, "a=0020% b", "2,8"}, {FIXED, 10, "a=100% b", "10,0"},
    {FIXED, 10, "a=0 b", "0,10"},    {FIXED, 2147483647, "a=99% b", "2126008811,21474836"},
};

START_TEST(test_percentages_round_half_up) {
  UNITED_GIVE(numbers);
}
END_TEST

/* What cannot be read frees a subset here, so that both get half. */
static const char *const unreadable[] = {"-1",   "'12",   "abc",   "'",  "%",    "120%",
                                         "101%", "1000%", "-5%",   "+%", "3.5%", "5%%",
                                         "+-5%", "0x5%",  "-120%", "5",  "-0",   "99999999999999999999%"};

START_TEST(test_other_than_a_percentage_does_not_count) {
  for (size_t i = 0; i < REBALI_COUNT(unreadable); i++) {
    char subsets[64] = "a=";
    struct united_sample sample = {FIXED, 10, subsets, "5,5"};

    (void)strncat(subsets, unreadable[i], 32);
    (void)strncat(subsets, " b", 4);
    sample.answer = strcmp(unreadable[i], "-0") == 0 ? "0,10" : sample.answer; /* numbers, for comparison */
    united_give(&sample, 1);
  }
}
END_TEST

/* Spec workloadspread 13.3b, measured. */
static const struct united_sample limits[] = {
    {FIXED, 5, "a>=2<=4 b>=2", "3,2"},
    {FIXED, 3, "a>=2<=4 b>=2", "2,1"},
    {FIXED, 10, "a<=2 b<=3", "2,3"},
    {FIXED, 7, "a>=50%<=50% b", "4,3"},
    {FIXED, 0, "a>=2<=4 b>=2", "0,0"},
    {FIXED, 10, "a=7<=2 b=1", "2,8"}, /* replicas do not count beside limits */
    {FIXED, 10, "a<=abc b", "0,10"},  /* what cannot be read is 0 */
    {FIXED, 10, "a>=-5<=3 b", "3,7"},
    {FIXED, REBAL_ABSENT, "a>=2<=4 b>=2", "0,0"},
    {FIXED, REBAL_ABSENT, "a>=50%<=50% b", "0,0"},
    {FIXED, 10, "a<=2[9/9u b[1/1um", "2,8"}, /* nor what is known of workloads */
    {FIXED, 5, "a>=5<=4 b", "subset[0].maxReplicas(4) must be more than or equal to minReplicas(5)"},
    {FIXED, 10, "a b>=1 c>=60%<=50%", "subset[2].maxReplicas(5) must be more than or equal to minReplicas(6)"},
    {FIXED, 10, "a>=1<=abc", "subset[0].maxReplicas(0) must be more than or equal to minReplicas(1)"},
};

START_TEST(test_minima_first_then_up_to_the_maxima) {
  UNITED_GIVE(limits);
}
END_TEST

/* Spec workloadspread 13.4, measured unless noted. */
static const struct united_sample adaptive[] = {
    {ADAPTIVE, 10, "a=3 b", "10,0"},
    {ADAPTIVE, 10, "a<=4 b", "4,6"},
    {ADAPTIVE, 10, "a<=4[4/1u b[6/6", "1,9"},
    {ADAPTIVE, 10, "a<=4[1/1 b[9/9", "1,9"},
    {ADAPTIVE, 10, "a>=3<=4[4/1u b[6/6", "3,7"}, /* the minimum wins; measured without numbers of b */
    {ADAPTIVE, 10, "a[1/1u b[2/2u", "1,2"},
    {ADAPTIVE, 3, "a[2/2 b[2/2", "2,1"},
    {ADAPTIVE, 10, "a<=4[4/1m b[6/6", "4,6"}, /* a mark is of the other strategy; not measured */
    {ADAPTIVE, 10, "a<=2[5/5 b[1/1", "2,8"},  /* running pods beyond the maximum go; not measured */
    {ADAPTIVE, 10, "a>=5<=4 b", "subset[0].maxReplicas(4) must be more than or equal to minReplicas(5)"},
};

START_TEST(test_running_pods_stay_and_full_subsets_do_not_grow) {
  UNITED_GIVE(adaptive);
}
END_TEST

static void draw(struct dice *dice, struct united_fixture *fixture) {
  for (size_t i = 0; i < UNITED_MAX; i++) {
    fixture->states[i] = roll(dice, 8);
    fixture->replicas[i] = (int32_t)roll(dice, 20);
    fixture->ready[i] = (int32_t)roll(dice, 20);
  }
}

/*
 * Whatever runs, no subset gets less than 0 or more than its maximum, or than its ready pods if it is unschedulable,
 * and all together never more than requested.
 */
START_TEST(test_limits_never_place_more_than_there_is) {
  const struct united_sample sample = {ADAPTIVE, 20, "a>=1<=4 b>=2 c<=10% d<=3 e>=10%<=50% f<=0 g>=3 h<=9", ""};
  static const int64_t maxima[] = {4, 20, 2, 3, 10, 0, 20, 9};
  struct dice dice = {29};
  struct united_fixture fixture;

  ck_assert_int_eq(united_new(&fixture, NULL, &sample), REBAL_OK);
  for (size_t round = 0; round < 2000; round++) {
    const int64_t *replicas;
    int64_t sum = 0;

    draw(&dice, &fixture);
    ck_assert_int_eq(rebal_united_allocate(fixture.ctx, fixture.record, &fixture.opts, fixture.result, NULL), REBAL_OK);
    replicas = rebal_result_i64(fixture.result, REBAL_ALLOCATED_REPLICAS, NULL);
    for (size_t i = 0; i < UNITED_MAX; i++) {
      const int stays = (fixture.states[i] & 3) == (REBAL_UNITED_STATE_EXISTS | REBAL_UNITED_STATE_UNSCHEDULABLE);

      ck_assert_int_ge(replicas[i], 0);
      ck_assert_int_le(replicas[i], stays && fixture.ready[i] > maxima[i] ? fixture.ready[i] : maxima[i]);
      sum += replicas[i];
    }
    ck_assert_int_le(sum, 20);
  }
  united_dispose(&fixture);
}
END_TEST

UNIT_CASE(united_limits) {
  TCase *cases = tcase_create("united_limits");

  tcase_add_test(cases, test_percentages_round_half_up);
  tcase_add_test(cases, test_other_than_a_percentage_does_not_count);
  tcase_add_test(cases, test_minima_first_then_up_to_the_maxima);
  tcase_add_test(cases, test_running_pods_stay_and_full_subsets_do_not_grow);
  tcase_add_test(cases, test_limits_never_place_more_than_there_is);
  return cases;
}
