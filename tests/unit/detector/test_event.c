/* SPDX-License-Identifier: MIT */
#include "detecting.h"

#define BIT(gate) (UINT32_C(1) << REBAL_DETECTOR_GATE_##gate)
#define PODS "resourceSelectors: [{apiVersion: v1, kind: Pod}]"
#define WEB_KEY "apps/v1/Deployment/default/web"

START_TEST(test_bindings_of_a_policy) {
  struct detecting in;
  detecting_open(&in,
                 WEB(PP_CLAIM("a")) BINDING(PP_CLAIM("a"), ", clusters: [{name: m1}]")
                     PP("a", "", DEPLOYMENTS ", activationPreference: Lazy"),
                 0, 0);
  policy_event(&in, "PropagationPolicy", "a", NULL, REBAL_DETECTOR_OUTCOME_DONE);
  assert_list(&in, REBAL_DETECTOR_LIST_QUEUE, WEB_KEY "! ");
  ck_assert_int_eq(rebal_detector_clear(in.detector, REBAL_DETECTOR_LIST_QUEUE, NULL), REBAL_OK);
  apply(in.store, PP("a", "", PODS), NOW);
  policy_event(&in, "PropagationPolicy", "a", NULL, REBAL_DETECTOR_OUTCOME_DONE);
  assert_list(&in, REBAL_DETECTOR_LIST_QUEUE, "");
  assert_key(&in, web_of(&in), "labels", PP_ID, "");
  assert_key(&in, binding_of(&in), "annotations", PP_NAME, "");
  assert_member(in.store, binding_of(&in), "spec.clusters", "[{\"name\":\"m1\"}]");
  detecting_close(&in);
}
END_TEST

START_TEST(test_waiting_templates) {
  struct detecting in;
  detecting_open(&in, WEB("") PP("a", "", DEPLOYMENTS ", dependentOverrides: [o]") PP("b", "", PODS), 0, 0);
  ck_assert_int_eq(rebal_detector_wait(in.detector, web_of(&in), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_detector_wait(in.detector, web_of(&in), NULL), REBAL_OK);
  policy_event(&in, "PropagationPolicy", "b", NULL, REBAL_DETECTOR_OUTCOME_DONE);
  policy_event(&in, "PropagationPolicy", "a", NULL, REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES);
  assert_list(&in, REBAL_DETECTOR_LIST_WAITING, WEB_KEY " ");
  load(in.store, OBJECT("policy.karmada.io/v1alpha1", "OverridePolicy", "name: o, namespace: default", ""));
  policy_event(&in, "PropagationPolicy", "a", NULL, REBAL_DETECTOR_OUTCOME_DONE);
  assert_list(&in, REBAL_DETECTOR_LIST_WAITING, "");
  assert_list(&in, REBAL_DETECTOR_LIST_QUEUE, WEB_KEY " ");
  detecting_close(&in);
}
END_TEST

START_TEST(test_deletion) {
  struct detecting in;
  detecting_open(&in,
                 WEB(PP_CLAIM("a")) BINDING(PP_CLAIM("a"), "")
                     PP("a",
                        ", deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [x, "
                        "karmada.io/propagation-policy-controller]",
                        DEPLOYMENTS),
                 0, 0);
  policy_event(&in, "PropagationPolicy", "a", NULL, REBAL_DETECTOR_OUTCOME_DONE);
  assert_key(&in, web_of(&in), "labels", PP_ID, "");
  assert_key(&in, binding_of(&in), "labels", PP_ID, "");
  assert_member(in.store, find(in.store, "PropagationPolicy", "default", "a"), "metadata.finalizers", "[\"x\"]");
  detecting_close(&in);
}
END_TEST

#define RIVAL(name, priority) PP(name, "", DEPLOYMENTS ", preemption: Always, priority: " priority)
#define OLD(generation, priority) \
  "{metadata: {namespace: default, generation: " generation "}, spec: {priority: " priority "}}"
#define KEY(name) "policy.karmada.io/v1alpha1/PropagationPolicy/default/" name " "

/* Policies between the old and the new priority are queued, the higher first. */
START_TEST(test_priority_falls) {
  struct detecting in;
  detecting_open(&in,
                 PP("a", ", generation: 2", DEPLOYMENTS ", priority: 2") RIVAL("b", "3") RIVAL("c", "4") RIVAL("d", "5")
                     RIVAL("e", "2") RIVAL("f", "4") PP("g", "", DEPLOYMENTS ", priority: 3"),
                 0, BIT(POLICY_PREEMPTION));
  policy_event(&in, "PropagationPolicy", "a", OLD("1", "5"), REBAL_DETECTOR_OUTCOME_DONE);
  assert_list(&in, REBAL_DETECTOR_LIST_POLICIES, KEY("a") KEY("c") KEY("f") KEY("b"));
  ck_assert_int_eq(rebal_detector_clear(in.detector, REBAL_DETECTOR_LIST_POLICIES, NULL), REBAL_OK);
  policy_event(&in, "PropagationPolicy", "a", OLD("2", "5"), REBAL_DETECTOR_OUTCOME_DONE);
  assert_list(&in, REBAL_DETECTOR_LIST_POLICIES, ""); /* the generation is the same */
  policy_event(&in, "PropagationPolicy", "a", OLD("1", "1"), REBAL_DETECTOR_OUTCOME_DONE);
  assert_list(&in, REBAL_DETECTOR_LIST_POLICIES, KEY("a")); /* it rose */
  detecting_close(&in);
}
END_TEST

UNIT_CASE(event) {
  TCase *cases = tcase_create("event");
  tcase_add_test(cases, test_bindings_of_a_policy);
  tcase_add_test(cases, test_waiting_templates);
  tcase_add_test(cases, test_deletion);
  tcase_add_test(cases, test_priority_falls);
  return cases;
}
