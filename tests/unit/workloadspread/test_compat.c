/* SPDX-License-Identifier: MIT */
/* The options of WorkloadSpread: all are off, and levels turn on those that move no pod by themselves. */
#include "rebalance/workloadspread.h"

#include "../unit.h"

static const struct {
  uint32_t option;
  int is_repair;
} options[] = {
    {REBAL_OPTION_SPREAD_SIMULATION, 0},         {REBAL_OPTION_SPREAD_LONG_WAIT, 0},
    {REBAL_OPTION_SPREAD_MIN_REPLICAS, 0},       {REBAL_OPTION_SPREAD_EVEN_SCALE_IN, 0},
    {REBAL_OPTION_SPREAD_REPLICA_SET_ORDER, 1},  {REBAL_OPTION_SPREAD_ALL_VERSIONS, 0},
    {REBAL_OPTION_SPREAD_CAPPED_ROOM, 1},        {REBAL_OPTION_SPREAD_BY_SPEC, 1},
    {REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS, 0}, {REBAL_OPTION_SPREAD_COST_ANY_KIND, 0},
};

START_TEST(test_options_by_level) {
  rebal_compat *compat = NULL;
  int64_t value = -1;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_get(compat, options[_i].option, &value, NULL), REBAL_OK);
  ck_assert_int_eq(value, 0);
  ck_assert_int_eq(rebal_compat_set_level(compat, "repaired", 8, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_get(compat, options[_i].option, &value, NULL), REBAL_OK);
  ck_assert_int_eq(value, options[_i].is_repair);
  ck_assert_int_eq(rebal_compat_set_level(compat, "karmada-1.19", 12, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_get(compat, options[_i].option, &value, NULL), REBAL_OK);
  ck_assert_int_eq(value, 0);
  rebal_compat_free(compat);
}
END_TEST

UNIT_CASE(compat) {
  TCase *cases = tcase_create("compat");

  tcase_add_loop_test(cases, test_options_by_level, 0, (int)(sizeof options / sizeof options[0]));
  return cases;
}
