/* SPDX-License-Identifier: MIT */
#include "stores.h"

#define BUDGET(rest) \
  "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: shop}" rest "}"

static const struct {
  const char *text;
  const char *selector; /* value of the label app; "": an empty selector; NULL: none */
  int64_t allowed;      /* REBAL_ABSENT: not set */
} cases[] = {
    {BUDGET(", spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}, status: {disruptionsAllowed: 1}"), "web",
     1},
    {BUDGET(", spec: {selector: {}}, status: {disruptionsAllowed: 0}"), "", 0},
    {BUDGET(", spec: {selector: null}"), NULL, REBAL_ABSENT},
    {BUDGET(""), NULL, REBAL_ABSENT},
};

static uint32_t member(const rebal_record *record, uint32_t parent, uint32_t field) {
  return rebal_record_next(record, parent, field, REBAL_NONE);
}

START_TEST(test_a_budget_is_a_record) {
  rebal_store *store = store_of(cases[_i].text);
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  uint32_t selector, allowed, pair;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, 0, builder, &record, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_record_object(record), REBAL_OBJECT_BUDGET);
  ck_assert_str_eq(rebal_record_text(record, member(record, 0, REBAL_BUDGET_NAMESPACE), NULL), "shop");
  ck_assert_uint_eq(member(record, 0, REBAL_BUDGET_CLUSTER), REBAL_NONE);
  selector = member(record, 0, REBAL_BUDGET_SELECTOR);
  ck_assert_int_eq(selector != REBAL_NONE, cases[_i].selector != NULL);
  if (selector != REBAL_NONE) {
    pair = member(record, selector, REBAL_LABEL_SELECTOR_MATCH_LABELS);
    ck_assert_str_eq(
        rebal_record_text(record, pair == REBAL_NONE ? pair : member(record, pair, REBAL_PAIR_VALUE), NULL),
        cases[_i].selector);
  }
  allowed = member(record, 0, REBAL_BUDGET_DISRUPTIONS_ALLOWED);
  ck_assert_int_eq(allowed == REBAL_NONE ? REBAL_ABSENT : rebal_record_i64(record, allowed), cases[_i].allowed);
  rebal_builder_free(builder);
  rebal_store_free(store);
}
END_TEST

static const struct {
  const char *text, *field;
} refused[] = {
    {BUDGET(", spec: {selector: [a]}"), "spec.selector"},
    {BUDGET(", status: {disruptionsAllowed: -1}"), "status.disruptionsAllowed"},
    {BUDGET(", status: {disruptionsAllowed: 2147483648}"), "status.disruptionsAllowed"},
};

START_TEST(test_other_than_a_budget_is_refused) {
  rebal_store *store = store_new();
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_lt(rebal_store_load(store, refused[_i].text, strlen(refused[_i].text), &err), 0);
  ck_assert_str_eq(err.field, refused[_i].field);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(budget) {
  TCase *tests = tcase_create("budget");
  tcase_add_loop_test(tests, test_a_budget_is_a_record, 0, (int)COUNT(cases));
  tcase_add_loop_test(tests, test_other_than_a_budget_is_refused, 0, (int)COUNT(refused));
  return tests;
}
