/* SPDX-License-Identifier: MIT */
#include "members.h"

#define QUOTA(name, spec, status) \
  "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: " name "}\nspec: {" spec "}\nstatus: {" status "}\n"

static uint32_t child(const rebal_record *record, uint32_t node, uint32_t field) {
  return rebal_record_next(record, node, field, REBAL_NONE);
}

static void assert_text(const rebal_record *record, uint32_t node, uint32_t field, const char *wanted) {
  ck_assert_str_eq(rebal_record_text(record, child(record, node, field), NULL), wanted);
}

/* The first amount of a map is so many units of a resource. */
static void assert_amount(const rebal_record *record, uint32_t node, uint32_t field, const char *name, int64_t units) {
  const uint32_t entry = child(record, node, field);
  rebal_quantity amount = {0, 0, 0};
  assert_text(record, entry, REBAL_AMOUNT_NAME, name);
  rebal_record_quantity(record, child(record, entry, REBAL_AMOUNT_QUANTITY), &amount);
  ck_assert_int_eq(amount.units, units);
}

START_TEST(test_quotas_are_taken_as_they_are) {
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot = feed_member(
      fleet, QUOTA("b", "hard: {cpu: 99}, scopes: [BestEffort]", "hard: {cpu: 8}, used: {cpu: 3}") QUOTA(
                 "a", "scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}",
                 "hard: {memory: 4}"));
  const rebal_record *quotas = rebal_cells_record(rebal_snapshot_cells(snapshot), REBAL_OBJECT_QUOTAS, 0);
  const uint32_t a = child(quotas, 0, REBAL_QUOTAS_QUOTA), b = rebal_record_next(quotas, 0, REBAL_QUOTAS_QUOTA, a);
  const uint32_t selector = child(quotas, a, REBAL_QUOTA_SCOPE_SELECTOR);
  ck_assert_uint_ne(b, REBAL_NONE);
  ck_assert_uint_eq(rebal_record_next(quotas, 0, REBAL_QUOTAS_QUOTA, b), REBAL_NONE);
  assert_text(quotas, a, REBAL_QUOTA_NAMESPACE, "default");
  assert_amount(quotas, a, REBAL_QUOTA_HARD, "memory", 4);
  ck_assert_uint_eq(child(quotas, a, REBAL_QUOTA_USED), REBAL_NONE);
  assert_text(quotas, selector, REBAL_EXPRESSION_KEY, "PriorityClass");
  assert_text(quotas, selector, REBAL_EXPRESSION_OPERATOR, "In");
  assert_text(quotas, selector, REBAL_EXPRESSION_VALUES, "high");
  assert_text(quotas, b, REBAL_QUOTA_SCOPES, "BestEffort");
  assert_amount(quotas, b, REBAL_QUOTA_HARD, "cpu", 8);
  assert_amount(quotas, b, REBAL_QUOTA_USED, "cpu", 3);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_feeding_again_forgets_quotas) {
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *before = feed_member(fleet, QUOTA("a", "", "hard: {cpu: 8}"));
  rebal_snapshot *after =
      feed_member(fleet, "apiVersion: quota.example.com/v1\nkind: ResourceQuota\nmetadata: {name: a}\n");
  ck_assert_uint_ne(
      child(rebal_cells_record(rebal_snapshot_cells(before), REBAL_OBJECT_QUOTAS, 0), 0, REBAL_QUOTAS_QUOTA),
      REBAL_NONE);
  ck_assert_uint_eq(
      child(rebal_cells_record(rebal_snapshot_cells(after), REBAL_OBJECT_QUOTAS, 0), 0, REBAL_QUOTAS_QUOTA),
      REBAL_NONE);
  rebal_snapshot_unref(after);
  rebal_snapshot_unref(before);
  rebal_fleet_free(fleet);
}
END_TEST

static const struct {
  const char *text;
  const char *field;
} malformed[] = {
    {QUOTA("a", "scopes: all", ""), "spec.scopes"},
    {QUOTA("a", "scopes: [1]", ""), "spec.scopes[0]"},
    {QUOTA("a", "scopeSelector: {matchExpressions: {}}", ""), "spec.scopeSelector.matchExpressions"},
    {QUOTA("a", "scopeSelector: {matchExpressions: [{values: 1}]}", ""),
     "spec.scopeSelector.matchExpressions[0].values"},
    {QUOTA("a", "", "hard: {cpu: lots}"), "status.hard.cpu"},
    {QUOTA("a", "", "used: [cpu]"), "status.used"},
};

START_TEST(test_malformed_quotas_are_refused_when_read) {
  assert_malformed(malformed[_i].text, REBAL_EPARSE, malformed[_i].field);
}
END_TEST

UNIT_CASE(member_quota) {
  TCase *cases = tcase_create("member_quota");
  tcase_add_test(cases, test_quotas_are_taken_as_they_are);
  tcase_add_test(cases, test_feeding_again_forgets_quotas);
  tcase_add_loop_test(cases, test_malformed_quotas_are_refused_when_read, 0, (int)COUNT(malformed));
  return cases;
}
