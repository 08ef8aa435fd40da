/* SPDX-License-Identifier: MIT */
#include "united_fixture.h"

#include "../unit.h"

/* Spec workloadspread 13.5, measured unless noted. */
static const struct united_sample reserves[] = {
    {RESERVING, 10, "a<=4 b", "4,6"},
    {RESERVING, 10, "a<=4[4/1-3um b[6/6", "4,9"},
    {RESERVING, 10, "a<=4[4/1-3um b<=6[6/6", "4,6"},
    {RESERVING, 10, "a<=4[4/4m b[6/6", "4,6"},
    {RESERVING, 4, "a[2/0-2u b[2/0-2u", "2,2"},
    {RESERVING, 10, "a>=2[1/0-1u b", "1,10"},   /* the second round takes back what the first one gave */
    {RESERVING, 10, "a=3 b", "10,0"},           /* replicas do not count; from here on not measured */
    {RESERVING, 10, "a<=4[4/1-3 b[6/6", "4,6"}, /* neither unschedulable nor marked: all of it counts */
    {RESERVING, 10, "a<=4[4/1-3m b[6/6", "4,9"},
    {RESERVING, 10, "a[3/0-3u b[3/0-3u c", "3,3,10"}, /* nothing of both counts */
    {RESERVING, 0, "a>=2[4/1-3um b[6/6", "0,0"},
    {RESERVING, REBAL_ABSENT, "a>=2 b", "0,0"},
    {RESERVING, 10, "a>=5<=4 b", "subset[0].maxReplicas(4) must be more than or equal to minReplicas(5)"},
};

START_TEST(test_pods_in_reserve_get_substitutes) {
  UNITED_GIVE(reserves);
}
END_TEST

/* The replicas that count are never more than requested: only those in reserve come on top. */
START_TEST(test_what_comes_on_top_is_in_reserve) {
  for (int32_t reserved = 0; reserved <= 8; reserved++) {
    const struct united_sample sample = {RESERVING, 10, "a<=8[8/8um b[2/2", ""};
    struct united_fixture fixture;
    const int64_t *replicas;

    ck_assert_int_eq(united_new(&fixture, NULL, &sample), REBAL_OK);
    fixture.reserved[0] = reserved;
    ck_assert_int_eq(rebal_united_allocate(fixture.ctx, fixture.record, &fixture.opts, fixture.result, NULL), REBAL_OK);
    replicas = rebal_result_i64(fixture.result, REBAL_ALLOCATED_REPLICAS, NULL);
    ck_assert_int_eq(replicas[0], 8);
    ck_assert_int_eq(replicas[1], 2 + reserved);
    united_dispose(&fixture);
  }
}
END_TEST

UNIT_CASE(united_reserve) {
  TCase *cases = tcase_create("united_reserve");

  tcase_add_test(cases, test_pods_in_reserve_get_substitutes);
  tcase_add_test(cases, test_what_comes_on_top_is_in_reserve);
  return cases;
}
