/* SPDX-License-Identifier: MIT */
#include "small_movement.h"

#define SET(array, ...) memcpy((array), ((const int64_t[]){__VA_ARGS__}), sizeof((const int64_t[]){__VA_ARGS__}))

START_TEST(test_what_is_present_stays) {
  struct small_movement small;

  small_open(&small);
  SET(small.replicas, 3, 5, 0);
  SET(small.present, 1, 0, 2, 0, 5, 0, 0, 0, 0);
  small_expect(&small, small.present);
  ck_assert_int_eq(small.answer.placed, 8);
  ck_assert_int_eq(small.answer.kept, 8);
  ck_assert_int_eq(small.answer.moved, 0);
  small_close(&small);
}
END_TEST

START_TEST(test_more_and_fewer_replicas_move_none) {
  struct small_movement small;

  small_open(&small);
  SET(small.replicas, 5, 2, 0);
  SET(small.present, 1, 0, 2, 0, 1, 4, 0, 0, 0);
  SET(small.weights, 1, 7, 1);
  small_expect(&small, (const int64_t[]){3, 0, 2, 0, 0, 2, 0, 0, 0});
  ck_assert_int_eq(small.answer.kept, 3 + 7 * 2);
  ck_assert_int_eq(small.answer.moved, 0);
  ck_assert_int_eq(small.binding_prices[0], 0);
  ck_assert_int_eq(small.binding_prices[1], -7); /* one more replica would be kept */
  small_close(&small);
}
END_TEST

START_TEST(test_bounds_move) {
  struct small_movement small;

  small_open(&small);
  SET(small.replicas, 5, 4, 0);
  SET(small.present, 5, 0, 0, 2, 2, 0, 0, 0, 0);
  SET(small.minimums, 0, 1, 1, 0, 0, 4, 0, 0, 0);
  small.maximums[0] = 2;
  small.maximums[1] = 1;
  SET(small.weights, 2, 3, 1);
  small_expect(&small, (const int64_t[]){2, 1, 2, 0, 0, 4, 0, 0, 0});
  ck_assert_int_eq(small.answer.kept, 4);
  ck_assert_int_eq(small.answer.moved, 2 * 3 + 3 * 4);
  small_close(&small);
}
END_TEST

START_TEST(test_bounds_that_are_too_narrow) {
  struct small_movement small;

  small_open(&small);
  SET(small.replicas, 5, 0, 0);
  SET(small.present, 0, 4, 0, 0, 0, 0, 0, 0, 0);
  SET(small.maximums, 1, 2, 1, 0, 0, 0, 0, 0, 0);
  small_expect(&small, (const int64_t[]){1, 2, 1, 0, 0, 0, 0, 0, 0});
  ck_assert_int_eq(small.answer.placed, 4);
  ck_assert_int_eq(small.binding_prices[0], 1 + 4); /* more than all that could move */
  small_close(&small);
}
END_TEST

START_TEST(test_nothing_at_all) {
  struct small_movement small;
  int64_t gap = -1;

  small_open(&small);
  small.problem = (rebal_movement){.struct_size = (uint32_t)sizeof small.problem};
  small.answer.planned = NULL;
  ck_assert_int_eq(small_solve(&small), REBAL_OK);
  ck_assert_int_eq(small_verify(&small, &gap), REBAL_OK);
  ck_assert_int_eq(gap, 0);
  ck_assert_int_eq(small.answer.placed, 0);
  small_close(&small);
}
END_TEST

UNIT_CASE(movement_start) {
  TCase *cases = tcase_create("movement_start");

  tcase_add_test(cases, test_what_is_present_stays);
  tcase_add_test(cases, test_more_and_fewer_replicas_move_none);
  tcase_add_test(cases, test_bounds_move);
  tcase_add_test(cases, test_bounds_that_are_too_narrow);
  tcase_add_test(cases, test_nothing_at_all);
  return cases;
}
