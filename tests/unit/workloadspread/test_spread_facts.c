/* SPDX-License-Identifier: MIT */
#include "making.h"

START_TEST(test_facts) {
  rebal_spread *spread = spread_of("Deployment", "a", NULL);

  ck_assert_int_eq(rebali_fact(spread, REBAL_SPREAD_WORKLOAD_REPLICAS), 0);
  ck_assert_uint_eq(rebali_fact_text(spread, REBAL_SPREAD_WORKLOAD_LATEST).len, 0);
  ck_assert_int_eq(rebal_spread_set_i64(spread, REBAL_SPREAD_WORKLOAD_REPLICAS, 12, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_set_text(spread, REBAL_SPREAD_WORKLOAD_LATEST, "abc", 3, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_fact(spread, REBAL_SPREAD_WORKLOAD_REPLICAS), 12);
  ck_assert(rebali_text_equal(rebali_fact_text(spread, REBAL_SPREAD_WORKLOAD_LATEST), REBALI_TEXT("abc")));
  ck_assert_int_eq(rebal_spread_set_text(spread, REBAL_SPREAD_WORKLOAD_LATEST, NULL, 0, NULL), REBAL_OK);
  ck_assert_uint_eq(rebali_fact_text(spread, REBAL_SPREAD_WORKLOAD_LATEST).len, 0);
  rebal_spread_free(spread);
}
END_TEST

START_TEST(test_refused) {
  rebal_spread *spread = spread_of("Deployment", "a", NULL);

  ck_assert_int_eq(rebal_spread_set_i64(NULL, REBAL_SPREAD_WORKLOAD_REPLICAS, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_set_i64(spread, REBAL_SPREAD_WORKLOAD_LATEST, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_set_i64(spread, REBAL_OWNER_STATE, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_set_i64(spread, 1, 1, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_spread_set_i64(spread, REBAL_SPREAD_WORKLOAD_REPLICAS, INT64_C(1) << 31, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebal_spread_set_text(NULL, REBAL_SPREAD_WORKLOAD_LATEST, "a", 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_set_text(spread, REBAL_SPREAD_WORKLOAD_LATEST, NULL, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_spread_set_text(spread, REBAL_SPREAD_WORKLOAD_REPLICAS, "1", 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_fact(spread, REBAL_SPREAD_WORKLOAD_REPLICAS), 0);
  rebal_spread_free(spread);
}
END_TEST

UNIT_CASE(spread_facts) {
  TCase *cases = tcase_create("spread_facts");

  tcase_add_test(cases, test_facts);
  tcase_add_test(cases, test_refused);
  return cases;
}
