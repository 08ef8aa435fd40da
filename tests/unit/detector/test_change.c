/* SPDX-License-Identifier: MIT */
#include "detecting.h"

static const struct {
  const char *old, *now;
  int32_t changed, by_karmada;
} rows[] = {
    {"{spec: {a: 1}}", "{spec: {a: 1}}", 0, 1},
    {"{status: {a: 1}, metadata: {resourceVersion: '1'}}", "{metadata: {resourceVersion: '2', managedFields: [{}]}}", 0,
     1},
    {"{spec: {a: 1}}", "{spec: {a: 2}}", 1, 0},
    {"{metadata: {generation: 1}}", "{metadata: {generation: 2}}", 1, 1},
    {"{metadata: {}}", "{metadata: {labels: {x.karmada.io/y: z}, annotations: {a.karmada.io: b}}}", 1, 1},
    {"{metadata: {labels: {a: b}}}", "{metadata: {labels: {a: b, c: d}}}", 1, 0},
    {"{metadata: {}}", "{metadata: {labels: {namespace.karmada.io/skip-auto-propagation: 'true'}}}", 1, 0},
    {"{metadata: {}}", "{metadata: {annotations: {namespace.karmada.io/skip-auto-propagation: 'true'}}}", 1, 1},
    {"{metadata: {labels: {}}}", "{metadata: {}}", 1, 1},
};

START_TEST(test_rows) {
  rebal_document *old, *now;
  int32_t changed = -1, by_karmada = -1;
  ck_assert_int_eq(rebal_document_read(rows[_i].old, REBAL_TERMINATED, NULL, &old, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_document_read(rows[_i].now, REBAL_TERMINATED, NULL, &now, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_document_change(old, now, &changed, &by_karmada, NULL), REBAL_OK);
  ck_assert_int_eq(changed, rows[_i].changed);
  ck_assert_int_eq(by_karmada, rows[_i].by_karmada);
  rebal_document_free(old);
  rebal_document_free(now);
}
END_TEST

START_TEST(test_arguments) {
  rebal_document *map, *list;
  int32_t changed, by_karmada;
  ck_assert_int_eq(rebal_document_read("{}", 2, NULL, &map, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_document_read("[]", 2, NULL, &list, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_document_change(NULL, map, &changed, &by_karmada, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_change(map, NULL, &changed, &by_karmada, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_change(map, map, NULL, &by_karmada, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_change(map, map, &changed, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_change(list, map, &changed, &by_karmada, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_document_change(map, list, &changed, &by_karmada, NULL), REBAL_EINVAL);
  rebal_document_free(map);
  rebal_document_free(list);
}
END_TEST

UNIT_CASE(change) {
  TCase *cases = tcase_create("change");
  tcase_add_loop_test(cases, test_rows, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_arguments);
  return cases;
}
