/* SPDX-License-Identifier: MIT */
#include "running.h"

#define REFUSED(kind) "apply:\n- {apiVersion: a/v1, kind: " kind ", metadata: {name: x}}\n"

/* The step is document 2 and starts in line 5. */
static const struct refusal refusals[] = {
    {HEAD("") STEP("s") "wait: 5s\n", REBAL_EPARSE, 2, 7, "wait", "no such member"},
    {HEAD("") "---\nkind: Step\nmetadata: {name: 5}\n", REBAL_EPARSE, 2, 6, "metadata.name", "text"},
    {HEAD("") STEP("s") "failWrites: {kind: Job, name: j}\n", REBAL_EPARSE, 2, 7, "failWrites.answer", "missing"},
    {HEAD("") STEP("s") "failWrites: {kind: Job, name: j, answer: Never}\n", REBAL_EPARSE, 2, 7, "failWrites.answer",
     "Conflict, Denied or"},
    {HEAD("") STEP("s") "failWrites: {kind: Job, name: j, answer: Denied, times: -1}\n", REBAL_EPARSE, 2, 7,
     "failWrites.times", "not negative"},
    {HEAD("") STEP("s") "failWrites: {kind: Job, name: j, answer: Denied}\n", REBAL_ENOTFOUND, 2, 7, "failWrites",
     "no such object"},
    {HEAD("") STEP("s") "refused: x\n", REBAL_EPARSE, 2, 7, "refused", "applies"},
    {HEAD("") STEP("s") "patch: {kind: Job, name: j}\n", REBAL_EPARSE, 2, 7, "patch.merge", "missing"},
    {HEAD("") STEP("s") "patch: {kind: Job, name: j, type: merge, merge: {}}\n", REBAL_EPARSE, 2, 7, "patch.type",
     "no such"},
    {HEAD("") STEP("s") "patch: {kind: Job, name: j, merge: {status: {}}}\n", REBAL_EPARSE, 2, 7, "patch.merge.status",
     "sets no status"},
    {HEAD("") STEP("s") "patch: {kind: Work, name: w, merge: {}}\n", REBAL_EPARSE, 2, 7, "patch.kind",
     "controllers write"},
    {HEAD("") STEP("s") "patch: {kind: ResourceBinding, name: b, merge: {spec: {clusters: []}}}\n", REBAL_EPARSE, 2, 7,
     "patch.merge", "spec.suspension"},
    {HEAD("") STEP("s") "patch: {kind: ResourceBinding, name: b, merge: {spec: null}}\n", REBAL_EPARSE, 2, 7,
     "patch.merge", "spec.suspension"},
    {HEAD("") STEP("s") "after: 5\n", REBAL_EPARSE, 2, 7, "after", "text"},
    {HEAD("") STEP("s") "after: soon\n", REBAL_EPARSE, 2, 7, "after", "duration"},
    {HEAD("") STEP("s") "at: soon\n", REBAL_EPARSE, 2, 7, "at", "time"},
    {HEAD("") STEP("s") "after: 1000000h\n", REBAL_ERANGE, 2, 7, "after", "too long: 878400h"},
    {HEAD("") STEP("s") "at: 1000000h\n", REBAL_ERANGE, 2, 7, "at", "too long: 878400h"},
    {HEAD("") STEP("s") "at: 2023-12-31T23:59:59Z\n", REBAL_ERANGE, 2, 7, "at", "before the start"},
    {HEAD("") STEP("s") "at: 5s\nafter: 5s\n", REBAL_EPARSE, 2, 8, "after", "not both"},
    {HEAD("") STEP("s") "apply: 5\n", REBAL_EPARSE, 2, 7, "apply", "object"},
    {HEAD("") STEP("s") "apply: []\n", REBAL_EPARSE, 2, 7, "apply", "nothing to apply"},
    {HEAD("") STEP("s") "apply: [5]\n", REBAL_EPARSE, 2, 7, "apply[0]", "a map"},
    {HEAD("") STEP("s") REFUSED("ResourceBinding"), REBAL_EPARSE, 2, 8, "apply[0].kind", "controllers write them"},
    {HEAD("") STEP("s") REFUSED("ClusterResourceBinding"), REBAL_EPARSE, 2, 8, "apply[0].kind", "controllers write"},
    {HEAD("") STEP("s") REFUSED("Event"), REBAL_EPARSE, 2, 8, "apply[0].kind", "controllers write them"},
    {HEAD("") STEP("s") REFUSED("Work"), REBAL_EPARSE, 2, 8, "apply[0].kind", "controllers write them"},
    {HEAD("") STEP("s") "apply: {kind: List, apiVersion: v1, items: [\n  {kind: Event}]}\n", REBAL_EPARSE, 2, 8,
     "apply.items[0].kind", "controllers write them"},
    {HEAD("") STEP("s") "apply:\n  apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: x}\n  status: {}\n",
     REBAL_EPARSE, 2, 11, "apply.status", "sets no status"},
    {HEAD("") STEP("s") "apply:\n  apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: x}\n"
                        "  spec:\n    replicas: 2147483648\n",
     REBAL_ERANGE, 2, 12, "apply.spec.replicas", ""},
    {HEAD("") STEP("s") "apply:\n- {apiVersion: v1, kind: ConfigMap, metadata: {}}\n", REBAL_EPARSE, 2, 8,
     "apply[0].metadata.name", "no name"},
    {HEAD("") STEP("s") "taint: {cluster: m1}\n", REBAL_EPARSE, 2, 7, "taint.taint", "missing"},
    {HEAD("") STEP("s") "taint: {cluster: m1, taint: key}\n", REBAL_EPARSE, 2, 7, "taint.taint", "Effect"},
    {HEAD("") STEP("s") "taint: {cluster: m1, taint: \"k:Never\"}\n", REBAL_EPARSE, 2, 7, "taint.taint", "Effect"},
    {HEAD("") STEP("s") "taint: {cluster: m1, taint: \"=v:NoExecute\"}\n", REBAL_EPARSE, 2, 7, "taint.taint", "Effect"},
    {HEAD("") STEP("s") "untaint: {cluster: m1, taints: x}\n", REBAL_EPARSE, 2, 7, "untaint.taints", "no such"},
    {HEAD("") STEP("s") "taint: [{cluster: m1, taint: \"k:NoExecute\"}, {cluster: m1}]\n", REBAL_EPARSE, 2, 7,
     "taint[1].taint", "missing"},
    {HEAD("") STEP("s") "taint: [m1]\n", REBAL_EPARSE, 2, 7, "taint", "a map or a list of maps"},
    {HEAD("") STEP("s") "delete: {kind: Pod}\n", REBAL_EPARSE, 2, 7, "delete.name", "missing"},
    {HEAD("") STEP("s") "expect: {}\n", REBAL_EPARSE, 2, 7, "expect", "a list"},
};

START_TEST(test_refusals) {
  assert_refused(&refusals[_i]);
}
END_TEST

START_TEST(test_a_refused_step_lets_nothing_run) {
  rebal_simulation *simulation = new_simulation(NULL);
  static const char text[] = BASIC STEP("good") STEP("bad") "wait: 1s\n";
  ck_assert_int_eq(rebal_simulation_run(simulation, text, strlen(text), REBAL_LOG_FORMAT_TABLE, NULL, NULL, NULL),
                   REBAL_EPARSE);
  ck_assert_uint_eq(summary_of(simulation).log_rows, 0);
  rebal_simulation_free(simulation);
}
END_TEST

static const struct {
  const char *text, *key, *value, *effect; /* NULL: absent */
} taints[] = {
    {"k=v:NoExecute", "k", "v", "NoExecute"},
    {"a.b/k:NoSchedule", "a.b/k", NULL, "NoSchedule"},
    {"k=:PreferNoSchedule", "k", "", "PreferNoSchedule"},
    {"k", "k", NULL, NULL},
};

START_TEST(test_taints) {
  struct rebali_taint_text taint;
  ck_assert_int_eq(rebali_taint_split(taints[_i].text, 0, &taint, NULL), REBAL_OK);
  ck_assert_str_eq(taint.key, taints[_i].key);
  ck_assert_pstr_eq(taint.value, taints[_i].value);
  ck_assert_pstr_eq(taint.effect, taints[_i].effect);
  free(taint.text);
}
END_TEST

UNIT_CASE(steps) {
  TCase *cases = tcase_create("steps");
  tcase_add_loop_test(cases, test_refusals, 0, (int)COUNT(refusals));
  tcase_add_test(cases, test_a_refused_step_lets_nothing_run);
  tcase_add_loop_test(cases, test_taints, 0, (int)COUNT(taints));
  return cases;
}
