/* SPDX-License-Identifier: MIT */
#include "detecting.h"

START_TEST(test_claims) {
  struct detecting in;
  detecting_open(&in,
                 WEB(CPP_CLAIM("gone")) PP("a", "", DEPLOYMENTS) BINDING(CPP_CLAIM("gone"), ", clusters: [{name: m1}]"),
                 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CLEANED);
  assert_key(&in, web_of(&in), "labels", CPP_ID, "");
  assert_key(&in, binding_of(&in), "annotations", CPP_NAME, "");
  assert_member(in.store, web_of(&in), "metadata.resourceVersion", "8");
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_UPDATED);
  ck_assert_uint_eq(in.row.binding, binding_of(&in));
  assert_member(in.store, binding_of(&in), "spec.resource.resourceVersion", "9");
  assert_member(in.store, binding_of(&in), "spec.clusters", "[{\"name\":\"m1\"}]");
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_UNCHANGED);
  detecting_close(&in);
}
END_TEST

START_TEST(test_policies_that_stop_it) {
  struct detecting in;
  detecting_open(&in, WEB(PP_CLAIM("a")) PP("a", ", deletionTimestamp: '2026-01-01T00:00:00Z'", DEPLOYMENTS), 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_DELETING);
  ck_assert_uint_gt(in.row.message_len, 0);
  detecting_close(&in);
  detecting_open(&in, WEB(PP_CLAIM("a")) PP("a", "", "resourceSelectors: [{apiVersion: v1, kind: Pod}]"), 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_UNMATCHED);
  ck_assert_uint_eq(in.row.message_len, 0);
  detecting_close(&in);
  detecting_open(&in, WEB("") PP("a", "", DEPLOYMENTS ", dependentOverrides: [o]"), 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES);
  assert_key(&in, web_of(&in), "labels", PP_ID, "");
  load(in.store, OBJECT("policy.karmada.io/v1alpha1", "OverridePolicy", "name: o, namespace: default", ""));
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CREATED);
  detecting_close(&in);
}
END_TEST

START_TEST(test_lazy) {
  struct detecting in;
  detecting_open(&in, WEB("") PP("a", "", DEPLOYMENTS ", activationPreference: Lazy"), 0, 0);
  pass_over_web(&in, REBAL_DETECTOR_PASS_BY_KARMADA, REBAL_DETECTOR_OUTCOME_LAZY);
  assert_key(&in, web_of(&in), "labels", PP_ID, "id-a");
  ck_assert_uint_eq(binding_of(&in), REBAL_NONE);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CREATED);
  detecting_close(&in);
}
END_TEST

START_TEST(test_waiting) {
  struct detecting in;
  detecting_open(&in, WEB(", labels: {resourcetemplate.karmada.io/claimed-by: ''}"), 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_WAITING);
  ck_assert_uint_gt(in.row.message_len, 0);
  assert_list(&in, REBAL_DETECTOR_LIST_WAITING, "apps/v1/Deployment/default/web ");
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_WAITING);
  ck_assert_uint_eq(in.row.message_len, 0); /* only the first time is an error */
  ck_assert_int_eq(rebal_store_put(in.store, WEB(", labels: {resourcetemplate.karmada.io/claimed-by: x}"),
                                   strlen(WEB(", labels: {resourcetemplate.karmada.io/claimed-by: x}")), NULL),
                   REBAL_OK);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CLAIMED_BY);
  assert_list(&in, REBAL_DETECTOR_LIST_WAITING, "");
  detecting_close(&in);
}
END_TEST

/* A PropagationPolicy has no place for the binding of a cluster's object. */
START_TEST(test_claim_without_namespace) {
  struct detecting in;
  detecting_open(&in,
                 OBJECT("v1", "Namespace", "name: x" PP_CLAIM("a"), "")
                     PP("a", "", "resourceSelectors: [{apiVersion: v1, kind: Namespace}]"),
                 0, 0);
  pass_over(&in, find(in.store, "Namespace", "", "x"), 0, REBAL_DETECTOR_OUTCOME_ERROR);
  detecting_close(&in);
}
END_TEST

UNIT_CASE(template) {
  TCase *cases = tcase_create("template");
  tcase_add_test(cases, test_claims);
  tcase_add_test(cases, test_policies_that_stop_it);
  tcase_add_test(cases, test_lazy);
  tcase_add_test(cases, test_waiting);
  tcase_add_test(cases, test_claim_without_namespace);
  return cases;
}
