/* SPDX-License-Identifier: MIT */
#include "spreads.h"

static const struct {
  const char *text;
  int32_t code;
  const char *field;
} refusals[] = {
    {"{apiVersion: v1, kind: Pod, metadata: {name: a}}", REBAL_EUNSUPPORTED, ""},
    {"{apiVersion: apps/v1, kind: WorkloadSpread, metadata: {name: a}}", REBAL_EUNSUPPORTED, ""},
    {"{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread}", REBAL_EPARSE, "metadata"},
    {SPREAD "subsets: {}}}", REBAL_EPARSE, "spec.subsets"},
    {SUBSETS("{name: 5}"), REBAL_EPARSE, "spec.subsets[0].name"},
    {SUBSETS("{name: a, maxReplicas: 2147483648}"), REBAL_ERANGE, "spec.subsets[0].maxReplicas"},
    {SUBSETS("{name: a, maxReplicas: true}"), REBAL_EPARSE, "spec.subsets[0].maxReplicas"},
    {SPREAD_OF("v1alpha1", "a") "subsets: [{requiredNodeSelectorTerm: 5}]}}", REBAL_EPARSE,
     "spec.subsets[0].requiredNodeSelector"},
    {"5", REBAL_EUNSUPPORTED, ""},
    {"a: [", REBAL_EPARSE, ""},
    {"", REBAL_EPARSE, ""},
};

START_TEST(test_what_the_api_server_cannot_read) {
  rebal_store *store = store_new();
  rebal_findings *findings = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  const char *text = refusals[_i].text;
  const int32_t code = rebal_store_validate(store, text, strlen(text), REBAL_NONE, NULL, &findings, &err);
  ck_assert_msg(code == refusals[_i].code && err.code == code, "%s: %d, %s", text, code, err.message);
  ck_assert_str_eq(err.field, refusals[_i].field);
  ck_assert_ptr_null(findings);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_arguments_are_needed) {
  rebal_store *store = store_new();
  rebal_findings *findings = NULL;
  const char *text = SUBSETS("{name: a}");
  ck_assert_int_eq(rebal_store_validate(NULL, text, strlen(text), REBAL_NONE, NULL, &findings, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_validate(store, NULL, 5, REBAL_NONE, NULL, &findings, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_validate(store, text, strlen(text), REBAL_NONE, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_validate(store, text, strlen(text), 7, NULL, &findings, NULL), REBAL_ENOTFOUND);
  ck_assert_ptr_null(findings);
  rebal_store_free(store);
}
END_TEST

/* Values as JSON, places in the text. */
START_TEST(test_values_and_places) {
  rebal_store *store = store_new();
  rebal_findings *findings = NULL;
  const char *text = SUBSETS("\n{name: a, maxReplicas: -1}");
  rebal_finding_row row = {.struct_size = sizeof row};
  ck_assert_int_eq(rebal_store_validate(store, text, strlen(text), REBAL_NONE, NULL, &findings, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_findings_count(findings, REBAL_SEVERITY_ERROR), 1);
  ck_assert_int_eq(rebal_findings_read(findings, 0, &row, NULL), REBAL_OK);
  ck_assert_str_eq(row.value, "-1");
  ck_assert_uint_eq(row.value_len, 2);
  ck_assert_uint_eq(row.code, REBAL_FINDING_MAX_REPLICAS);
  ck_assert_uint_eq(row.cause, REBAL_CAUSE_INVALID);
  ck_assert_uint_eq(row.line, 2);
  rebal_findings_free(findings);
  rebal_store_free(store);
}
END_TEST

/* The order of admission, not that of the text. */
START_TEST(test_the_order_is_that_of_admission) {
  rebal_store *store = store_new();
  assert_stated(store, SPREAD "scheduleStrategy: {type: x}, subsets: [], targetRef: {}}}", REBAL_NONE,
                "invalid spec.targetRef: empty TargetReference is not valid for WorkloadSpread.\n"
                "required spec.subsets: subsets number must >= 1 in WorkloadSpread\n"
                "invalid spec.scheduleStrategy.type: ScheduleStrategy's type is not valid\n");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_long_waits_are_an_option) {
  static const char text[] = SPREAD TARGET
      "subsets: [{name: a}, {name: b}], scheduleStrategy: {type: Adaptive, "
      "adaptive: {rescheduleCriticalSeconds: 296}}}}";
  rebal_store *store = store_new();
  rebal_findings *findings = NULL;
  rebal_compat *compat = NULL;
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  for (int64_t option = 0; option < 2; option++) {
    ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_SPREAD_LONG_WAIT, option, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_store_validate(store, text, sizeof text - 1, REBAL_NONE, compat, &findings, NULL), REBAL_OK);
    ck_assert_uint_eq(rebal_findings_count(findings, 0), 1 - (size_t)option);
    rebal_findings_free(findings);
  }
  rebal_compat_free(compat);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(store_validate) {
  TCase *cases = tcase_create("store_validate");
  tcase_add_loop_test(cases, test_what_the_api_server_cannot_read, 0, (int)COUNT(refusals));
  tcase_add_test(cases, test_arguments_are_needed);
  tcase_add_test(cases, test_values_and_places);
  tcase_add_test(cases, test_the_order_is_that_of_admission);
  tcase_add_test(cases, test_long_waits_are_an_option);
  return cases;
}
