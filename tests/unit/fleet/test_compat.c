/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "../../support/fleet_builder.h"
#include "making.h"

START_TEST(test_defaults) {
  rebal_compat *compat = NULL;
  int64_t value = -1;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
#define REBAL_OPTION(name, number, absent, text)                                      \
  ck_assert_int_eq(rebal_compat_get(compat, number, &value, NULL), REBAL_OK);        \
  ck_assert_int_eq(value, absent);                                                   \
  ck_assert_int_eq(rebal_compat_get(NULL, number, &value, NULL), REBAL_OK);          \
  ck_assert_int_eq(value, absent);                                                   \
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

/* A level says all: what was set before it is forgotten, what is set behind it stays. */
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
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_STRICT_REMOVAL), 1);
  ck_assert_int_eq(set_level(compat, "default"), REBAL_OK);
#define REBAL_OPTION(name, number, absent, text) ck_assert_int_eq(rebali_compat_value(compat, number), absent);
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

/* No level is listed twice, and none gives an option the value it has anyway. */
START_TEST(test_levels_are_listed) {
  rebal_compat *compat = test_compat(REBAL_OPTION_NONE, 0);
  int64_t absent;
  size_t n = 0, i;

  for (; rebal_compat_level(n) != NULL; n++) {
    ck_assert_int_eq(set_level(compat, rebal_compat_level(n)), REBAL_OK);
    for (i = 0; i < n; i++) {
      ck_assert_str_ne(rebal_compat_level(i), rebal_compat_level(n));
    }
  }
  ck_assert_uint_eq(n, 3);
  ck_assert_ptr_null(rebal_compat_level(SIZE_MAX));
#define REBAL_LEVEL(name, text)
#define REBAL_LEVEL_VALUE(level, option, value)                                                    \
  ck_assert_int_eq(rebal_compat_get(NULL, REBAL_OPTION_##option, &absent, NULL), REBAL_OK);         \
  ck_assert_msg(absent != (value), "%s holds %s at its default", level, #option);                  \
  ck_assert_int_eq(set_level(compat, level), REBAL_OK);                                            \
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_OPTION_##option), value);
#include "rebalance/levels.def"
#undef REBAL_LEVEL
#undef REBAL_LEVEL_VALUE
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_names_of_options) {
  char name[64];
  uint32_t option;
  size_t len;

#define REBAL_OPTION(ignored, number, absent, text)                                                \
  ck_assert_int_eq(rebal_compat_name(number, name, sizeof name, &len, NULL), REBAL_OK);           \
  ck_assert_int_eq(rebal_compat_find(name, len, &option, NULL), REBAL_OK);                         \
  ck_assert_uint_eq(option, number);
#include "rebalance/options.def"
#undef REBAL_OPTION
  ck_assert_int_eq(rebal_compat_name(REBAL_OPTION_INT32_WRAP, name, sizeof name, &len, NULL), REBAL_OK);
  ck_assert_str_eq(name, "int32-wrap");
  ck_assert_int_eq(rebal_compat_name(REBAL_OPTION_INT32_WRAP, NULL, 0, &len, NULL), REBAL_OK);
  ck_assert_uint_eq(len, 10);
  ck_assert_int_eq(rebal_compat_name(REBAL_OPTION_INT32_WRAP, name, 9, &len, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebal_compat_name(REBAL_OPTION_INT32_WRAP, name, sizeof name, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_compat_name(REBAL_OPTION_NONE, name, sizeof name, &len, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_compat_find("INT32_WRAP", 10, &option, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_compat_find("int32", 5, &option, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_compat_find(NULL, 0, &option, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_compat_find(NULL, 1, &option, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_compat_find("int32-wrap", 10, NULL, NULL), REBAL_EINVAL);
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
  tcase_add_test(cases, test_names_of_options);
  tcase_add_test(cases, test_torture_compat);
  return cases;
}
