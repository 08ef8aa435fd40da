/* SPDX-License-Identifier: MIT */
#include "reading.h"

START_TEST(test_limits_defaults) {
  const struct rebali_limits given = {.bytes = 5, .depth = SIZE_MAX}, loaded = rebali_limits_load(&given);
  const struct rebali_limits defaults = rebali_limits_load(NULL);
  ck_assert_uint_eq(defaults.bytes, 268435456);
  ck_assert_uint_eq(defaults.depth, 64);
  ck_assert_uint_eq(defaults.nodes, 50000000);
  ck_assert_uint_eq(defaults.aliases, 100000);
  ck_assert_uint_eq(loaded.bytes, 5);
  ck_assert_uint_eq(loaded.depth, REBALI_DEPTH_MAX);
  ck_assert_uint_eq(loaded.nodes, defaults.nodes);
}
END_TEST

UNIT_CASE(text_limits) {
  TCase *cases = tcase_create("text_limits");
  tcase_add_test(cases, test_limits_defaults);
  return cases;
}
