/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "making.h"

START_TEST(test_defaults) {
  rebal_compat *compat = NULL;
  int64_t value = -1;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
#define REBAL_QUIRK(name, number, absent, text)                                      \
  ck_assert_int_eq(rebal_compat_get(compat, number, &value, NULL), REBAL_OK);        \
  ck_assert_int_eq(value, absent);                                                   \
  ck_assert_int_eq(rebal_compat_get(NULL, number, &value, NULL), REBAL_OK);          \
  ck_assert_int_eq(value, absent);                                                   \
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_QUIRK_##name), absent);
#include "rebalance/quirks.def"
#undef REBAL_QUIRK
  rebal_compat_free(compat);
}
END_TEST

START_TEST(test_set_one) {
  rebal_compat *compat = NULL;

  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_QUIRK_INT32_WRAP, 1, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_QUIRK_CLUSTER_LOCALITY, 0, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_QUIRK_INT32_WRAP), 1);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_QUIRK_CLUSTER_LOCALITY), 0);
  ck_assert_int_eq(rebali_compat_value(compat, REBAL_QUIRK_STRICT_NIL_EMPTY), 0);
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
  ck_assert_int_eq(rebal_compat_set(NULL, REBAL_QUIRK_INT32_WRAP, 1, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_compat_get(compat, REBAL_QUIRK_INT32_WRAP, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_QUIRK_INT32_WRAP, 2, NULL), REBAL_ERANGE);
  ck_assert_int_eq(rebali_compat_value(compat, 9999), 0);
  rebal_compat_free(compat);
  rebal_compat_free(NULL);
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
  tcase_add_test(cases, test_torture_compat);
  return cases;
}
