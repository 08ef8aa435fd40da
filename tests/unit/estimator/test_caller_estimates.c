/* SPDX-License-Identifier: MIT */
/* Estimators that a caller supplies: the first fault is the one that is reported. */
#include "estimator/estimator.h"

#include "../unit.h"

START_TEST(test_the_first_fault_ends_the_check) {
  const int32_t cells[4] = {0};
  const rebal_estimator good = {(uint32_t)sizeof good, 0, cells, 2, 2};
  const rebal_estimator newer = {(uint32_t)sizeof newer, 7, cells, 2, 2};
  const rebal_estimator narrow = {(uint32_t)sizeof narrow, 0, cells, 2, 1};
  const rebal_estimator *list[3] = {&good, &newer, NULL};
  rebal_error err = REBAL_ERROR_INIT;

  ck_assert_int_eq(rebali_estimators_check(list, 3, 2, &err), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(err.where, 1);
  list[1] = &narrow;
  ck_assert_int_eq(rebali_estimators_check(list, 3, 2, &err), REBAL_EINVAL);
  ck_assert_int_eq(err.where, -1);
  list[1] = &good;
  ck_assert_int_eq(rebali_estimators_check(list, 3, 2, &err), REBAL_EINVAL);
  ck_assert_int_eq(err.where, 2);
  ck_assert_int_eq(rebali_estimators_check(list, 2, 2, &err), REBAL_OK);
}
END_TEST

UNIT_CASE(caller_estimates) {
  TCase *cases = tcase_create("caller_estimates");

  tcase_add_test(cases, test_the_first_fault_ends_the_check);
  return cases;
}
