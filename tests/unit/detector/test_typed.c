/* SPDX-License-Identifier: MIT */
#include "interpreting.h"

/* What a status of a ReplicaSet is decoded to, and encoded as; NULL: it is refused. */
static const struct {
  const char *value, *decoded, *encoded;
} rows[] = {
    {"{}", "{}", "{replicas: 0}"},
    {"{replicas: 0, readyReplicas: 0}", "{}", "{replicas: 0}"},
    {"{replicas: 2.0, readyReplicas: null, other: 1}", "{replicas: 2}", "{replicas: 2}"},
    {"{replicas: 4294967297, terminatingReplicas: 0}", "{replicas: 1, terminatingReplicas: 0}",
     "{replicas: 1, terminatingReplicas: 0}"},
    {"{replicas: 2147483648}", "{replicas: -2147483648}", "{replicas: -2147483648}"},
    {"{conditions: []}", "{conditions: []}", "{replicas: 0}"},
    {"{conditions: [{type: A, status: 'True', lastTransitionTime: '2026-01-01T01:00:00+01:00'}]}",
     "{conditions: [{type: A, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}]}",
     "{replicas: 0, conditions: [{type: A, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}]}"},
    {"{conditions: [null]}", "{conditions: [{}]}",
     "{replicas: 0, conditions: [{type: '', status: '', lastTransitionTime: null}]}"},
    {"{replicas: 2.5}", NULL, NULL},
    {"{replicas: '2'}", NULL, NULL},
    {"{replicas: true}", NULL, NULL},
    {"{conditions: {}}", NULL, NULL},
    {"{conditions: [{lastTransitionTime: today}]}", NULL, NULL},
    {"[]", NULL, NULL},
};

START_TEST(test_statuses) {
  const struct rebali_interpret_options options = {0, 0, {0, 0, 0}, NULL, {NULL, 0}};
  struct rebali_interpreting in = {REBAL_OK, NULL, NULL, &options};
  json_t *value = tree_of(rows[_i].value), *decoded = rebali_decoded(&in, REBALI_TYPE_REPLICA_SET_STATUS, value);
  ck_assert_int_eq(in.result, rows[_i].decoded != NULL ? REBAL_OK : REBAL_EPARSE);
  if (decoded != NULL) {
    assert_tree(rebali_encoded(&in, REBALI_TYPE_REPLICA_SET_STATUS, decoded), rows[_i].encoded);
  }
  assert_tree(decoded, rows[_i].decoded);
  json_decref(value);
}
END_TEST

UNIT_CASE(typed) {
  TCase *cases = tcase_create("typed");
  tcase_add_loop_test(cases, test_statuses, 0, sizeof rows / sizeof rows[0]);
  return cases;
}
