/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "making.h"

START_TEST(test_defaults) {
  rebal_compat *compat = NULL;
  int64_t value = -1;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
#define REBAL_OPTION(name, number, absent, text, meaning)                     \
  ck_assert_int_eq(rebal_compat_get(compat, number, &value, NULL), REBAL_OK); \
  ck_assert_int_eq(value, absent);                                            \
  ck_assert_int_eq(rebal_compat_get(NULL, number, &value, NULL), REBAL_OK);   \
  ck_assert_int_eq(value, absent);                                            \
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_##name), absent);
#include "rebalance/options.def"
#undef REBAL_OPTION
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_set_one) {
  rebal_compat *compat = NULL;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_INT32_WRAP, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_CLUSTER_LOCALITY, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_INT32_WRAP), 1);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_CLUSTER_LOCALITY), 0);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_STRICT_NIL_EMPTY), 0);
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_refusals) {
  rebal_compat *compat = NULL;
  int64_t value = 7;

  ck_assert_int_eq(rebal_compat_new(NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, 0, 1, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_compat_set(compat, 9999, 1, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_compat_get(compat, 9999, &value, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(value, 7);
  ck_assert_int_eq(rebal_compat_set(NULL, REBAL_OPTION_INT32_WRAP, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_compat_get(compat, REBAL_OPTION_INT32_WRAP, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_INT32_WRAP, 2, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebali_compat_value(compat, 9999), 0);
  rebal_compat_free(compat);
  rebal_compat_free(NULL);
}
END_TEST

static int32_t set_level(rebal_compat *compat, const char *name) {
  return rebal_compat_set_level(compat, name, strlen(name), NULL);
}

/* A level sets all options: values set before it are lost, values set after it stay. */
START_TEST(test_levels) {
  rebal_compat *compat = NULL;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_CLUSTER_LOCALITY, 0, NULL), REBAL_OK);
  ck_assert_int_eq(set_level(compat, "karmada-1.19"), REBAL_OK);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_CLUSTER_LOCALITY), 1);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_INT32_WRAP), 1);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_STRICT_NIL_EMPTY), 1);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION), 0);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING), 1);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_INT32_WRAP, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_INT32_WRAP), 0);
  ck_assert_int_eq(set_level(compat, "repaired"), REBAL_OK);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_STRICT_NIL_EMPTY), 0);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_GATE_OVERCOMMIT_PROTECTION), 1);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_ESTIMATOR_ALL_OR_NOTHING), 0);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_STATIC_WEIGHT_CAPACITY), 0);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_STRICT_EVICTION), 1);
  ck_assert_int_eq(set_level(compat, "default"), REBAL_OK);
#define REBAL_OPTION(name, number, absent, text, meaning) ck_assert_int_eq(rebali_compat_value(compat, number), absent);
#include "rebalance/options.def"
#undef REBAL_OPTION
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_unknown_levels_change_nothing) {
  static const char *const unknown[] = {"", "karmada", "karmada-1.190", "Default"};
  rebal_compat *compat = test_compat(REBAL_OPTION_INT32_WRAP, 1);
  size_t i;

  for (i = 0; i < REBALI_COUNT(unknown); i++) {
    ck_assert_int_eq(set_level(compat, unknown[i]), REBAL_ENOTFOUND);
  }
  ck_assert_int_eq(rebal_compat_set_level(compat, NULL, 0, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_INT32_WRAP), 1);
  ck_assert_int_eq(set_level(NULL, "default"), REBAL_EINVAL);
  ck_assert_int_eq(rebal_compat_set_level(compat, NULL, 1, NULL), REBAL_EINVAL);
  rebal_compat_free(compat);
}
END_TEST

/* Levels are numbered from 1, and none sets an option to its default. */
START_TEST(test_levels_are_listed) {
  rebal_compat *compat = test_compat(REBAL_OPTION_NONE, 0);
  int64_t absent, level = 1;
  const char *name;

  for (; (name = rebal_enum_name(REBAL_ENUM_LEVEL, level, NULL)) != NULL; level++) {
    ck_assert_int_eq(set_level(compat, name), REBAL_OK);
  }
  ck_assert_int_eq(level, REBAL_LEVEL_REPAIRED + 1);
#define REBAL_LEVEL(name, number, text, meaning)
#define REBAL_LEVEL_VALUE(level, option, value)                                                                \
  ck_assert_int_eq(rebal_compat_get(NULL, REBAL_OPTION_##option, &absent, NULL), REBAL_OK);                    \
  ck_assert_msg(absent != (value), "%s holds %s at its default", #level, #option);                             \
  ck_assert_int_eq(set_level(compat, rebal_enum_name(REBAL_ENUM_LEVEL, REBAL_LEVEL_##level, NULL)), REBAL_OK); \
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_##option), value);
#include "rebalance/levels.def"
#undef REBAL_LEVEL
#undef REBAL_LEVEL_VALUE
  rebal_compat_free(compat);
}
END_TEST

static int32_t scenario(const rebal_allocator *allocator, void *user_data) {
  rebal_compat *compat = NULL;
  const int32_t code = rebal_compat_new(allocator, &compat, NULL);

  (void)user_data;
  rebal_compat_free(compat);
  return code;
}

START_TEST(test_torture_compat) {
  ck_assert_pstr_eq(test_torture(scenario, NULL), NULL);
}
END_TEST

UNIT_CASE(compat) {
  TCase *cases = tcase_create("compat");
  tcase_add_test(cases, test_defaults);
  tcase_add_test(cases, test_set_one);
  tcase_add_test(cases, test_refusals);
  tcase_add_test(cases, test_levels);
  tcase_add_test(cases, test_unknown_levels_change_nothing);
  tcase_add_test(cases, test_levels_are_listed);
  tcase_add_test(cases, test_torture_compat);
  return cases;
}
