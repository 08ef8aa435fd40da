/* SPDX-License-Identifier: MIT */
#include "foundation/foundation.h"

#include "../unit.h"

static const struct {
  rebal_time now;
  rebal_time start;
  int64_t seconds;
  int64_t left;
} lefts[] = {{{100, 0, 1}, {100, 0, 1}, 0, 0},
             {{100, 0, 1}, {90, 0, 1}, 30, INT64_C(20000000000)},
             {{100, 500, 1}, {90, 0, 1}, 10, -500},
             {{100, 0, 1}, {90, 250, 1}, 10, 250},
             {{100, 0, 1}, {90, 0, 1}, -5, INT64_C(-15000000000)},
             {{100, 0, 1}, {90, 0, 1}, INT64_MAX, INT64_MAX},
             {{100, 0, 1}, {90, 0, 1}, INT64_MIN, INT64_MIN},
             /* Far beyond the range of nanoseconds on both sides, yet the sum is exact. */
             {{INT64_C(63000000000), 0, 1}, {-INT64_C(62000000000), 0, 1}, INT64_C(125000000001), INT64_C(1000000000)}};

START_TEST(test_what_is_left) {
  ck_assert_int_eq(rebali_time_left_ns(&lefts[_i].now, &lefts[_i].start, lefts[_i].seconds), lefts[_i].left);
}
END_TEST

START_TEST(test_a_moment_later) {
  const rebal_time start = {10, 900000000, 1};
  const rebal_time later = rebali_time_after(&start, INT64_C(1200000000));

  ck_assert_int_eq(later.seconds, 12);
  ck_assert_int_eq(later.nanos, 100000000);
  ck_assert_uint_eq(later.is_set, 1);
}
END_TEST

START_TEST(test_later_and_earlier) {
  const rebal_time time = {10, 999999999, 1};
  const rebal_time unset = {0, 0, 0};
  rebal_time other = rebali_time_after(&time, 1);

  ck_assert_int_eq(other.seconds, 11);
  ck_assert_int_eq(other.nanos, 0);
  other = rebali_time_after(&other, -1);
  ck_assert_int_eq(rebali_time_compare(&other, &time), 0);
  other = (rebal_time){INT64_C(253402300799), 0, 1};
  other = rebali_time_after(&other, 2 * REBALI_SECOND_NS);
  ck_assert_int_eq(other.seconds, INT64_C(253402300799));
  ck_assert_uint_eq(rebali_time_after(&unset, 1).is_set, 0);
}
END_TEST

START_TEST(test_time_ends_with_the_year_9999) {
  const rebal_time start = {INT64_C(253402300799), 0, 1};
  const rebal_time later = rebali_time_after(&start, INT64_MAX);

  ck_assert_int_eq(later.seconds, INT64_C(253402300799));
  ck_assert_int_eq(later.nanos, 999999999);
}
END_TEST

START_TEST(test_whole_seconds) {
  const rebal_time time = {10, 900000000, 1};
  const rebal_time unset = {0, 0, 0};

  ck_assert_int_eq(rebali_time_whole(&time).seconds, 10);
  ck_assert_int_eq(rebali_time_whole(&time).nanos, 0);
  ck_assert_uint_eq(rebali_time_whole(&time).is_set, 1);
  ck_assert_uint_eq(rebali_time_whole(&unset).is_set, 0);
}
END_TEST

START_TEST(test_times_in_range) {
  const rebal_time good = {INT64_C(253402300799), 999999999, 1};
  const rebal_time first = {INT64_C(-62135596800), 0, 1};
  const rebal_time late = {INT64_C(253402300800), 0, 1};
  const rebal_time early = {INT64_C(-62135596801), 0, 1};
  const rebal_time nanos = {0, 1000000000, 1};
  const rebal_time negative = {0, -1, 1};
  const rebal_time absent = {INT64_MAX, -1, 0};

  ck_assert_int_eq(rebali_time_check(&good, -1, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_time_check(&first, -1, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_time_check(&late, -1, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebali_time_check(&early, -1, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebali_time_check(&nanos, -1, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebali_time_check(&negative, -1, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebali_time_check(&absent, -1, NULL), REBAL_OK);
}
END_TEST

START_TEST(test_clock) {
  const rebal_time good = {1, 0, 1};
  const rebal_time wild = {INT64_MIN, 0, 1};
  const rebal_time absent = {1, 0, 0};

  ck_assert_int_eq(rebali_clock_check(&good, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_clock_check(&wild, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebali_clock_check(&absent, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_clock_check(NULL, NULL), REBAL_EINVAL);
}
END_TEST

UNIT_CASE(duration) {
  TCase *cases = tcase_create("duration");
  tcase_add_loop_test(cases, test_what_is_left, 0, (int)REBALI_COUNT(lefts));
  tcase_add_test(cases, test_a_moment_later);
  tcase_add_test(cases, test_later_and_earlier);
  tcase_add_test(cases, test_time_ends_with_the_year_9999);
  tcase_add_test(cases, test_whole_seconds);
  tcase_add_test(cases, test_times_in_range);
  tcase_add_test(cases, test_clock);
  return cases;
}
