/* SPDX-License-Identifier: MIT */
#include "detecting.h"

#define PREEMPTION (UINT32_C(1) << REBAL_DETECTOR_GATE_POLICY_PREEMPTION)

static void run(struct detecting *in) {
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_detector_run(in->detector, &in->now, &err) == REBAL_OK, "%s", err.message);
}

/* The Namespace is on the waiting list too. */
static void open_empty(struct detecting *in, uint32_t gates) {
  detecting_open(in, OBJECT("v1", "Namespace", "name: default", ""), REBAL_DETECTOR_FLAG_ADMISSION, gates);
}

/* Asserts the policy of the binding and its template; "": none. */
static void assert_policy(const struct detecting *in, const char *name) {
  assert_key(in, web_of(in), "annotations", PP_NAME, name);
  assert_key(in, binding_of(in), "annotations", PP_NAME, name);
}

START_TEST(test_a_policy_finds_what_waits) {
  struct detecting in;
  open_empty(&in, 0);
  apply(in.store, WEB(""), NOW);
  run(&in);
  ck_assert_uint_eq(rebal_detector_count(in.detector, REBAL_DETECTOR_LIST_WAITING), 2);
  apply(in.store, PP("a", "", DEPLOYMENTS), NOW);
  run(&in);
  ck_assert_uint_eq(rebal_detector_count(in.detector, REBAL_DETECTOR_LIST_WAITING), 1);
  assert_policy(&in, "a");
  detecting_close(&in);
}
END_TEST

START_TEST(test_nothing_changes_nothing) {
  struct detecting in;
  uint64_t before;
  open_empty(&in, 0);
  apply(in.store, WEB("") PP("a", "", DEPLOYMENTS), NOW);
  run(&in);
  before = rebal_store_change_count(in.store);
  run(&in);
  ck_assert_uint_eq(rebal_store_change_count(in.store), before);
  ck_assert_int_eq(rebal_store_patch(in.store, web_of(&in), "{\"status\":{\"replicas\":2}}", 25, &in.now, NULL),
                   REBAL_OK);
  run(&in);
  ck_assert_uint_eq(rebal_store_change_count(in.store), before + 1); /* a change of the status alone is ignored */
  detecting_close(&in);
}
END_TEST

START_TEST(test_a_policy_that_is_gone_lets_go) {
  struct detecting in;
  open_empty(&in, 0);
  apply(in.store, WEB("") PP("a", "", DEPLOYMENTS), NOW);
  run(&in);
  ck_assert_int_eq(rebal_store_remove(in.store, find(in.store, "PropagationPolicy", "default", "a"), NULL), REBAL_OK);
  run(&in);
  assert_policy(&in, "");
  ck_assert_uint_eq(rebal_detector_count(in.detector, REBAL_DETECTOR_LIST_WAITING), 2);
  apply(in.store, PP("b", "", DEPLOYMENTS), NOW);
  run(&in);
  assert_policy(&in, "b");
  ck_assert_int_eq(rebal_store_remove(in.store, web_of(&in), NULL), REBAL_OK);
  run(&in);
  detecting_close(&in);
}
END_TEST

START_TEST(test_a_template_that_is_gone_waits_no_more) {
  struct detecting in;
  open_empty(&in, 0);
  apply(in.store, WEB(""), NOW);
  run(&in);
  ck_assert_int_eq(rebal_store_remove(in.store, web_of(&in), NULL), REBAL_OK);
  run(&in);
  ck_assert_uint_eq(rebal_detector_count(in.detector, REBAL_DETECTOR_LIST_WAITING), 1);
  detecting_close(&in);
}
END_TEST

#define LAZY PP("a", "", DEPLOYMENTS ", activationPreference: Lazy")

/* A template that was waiting when a Lazy policy came is bound when it changes; one created later is bound at once. */
START_TEST(test_lazy) {
  struct detecting in;
  open_empty(&in, 0);
  apply(in.store, OBJECT("v1", "ConfigMap", "name: c, namespace: default", ""), NOW);
  run(&in);
  apply(in.store, WEB("") LAZY, NOW);
  run(&in);
  assert_key(&in, web_of(&in), "annotations", PP_NAME, "a");
  ck_assert_uint_eq(binding_of(&in), REBAL_NONE);
  ck_assert_int_eq(rebal_store_patch(in.store, web_of(&in), "{\"spec\":{\"replicas\":3}}", 23, &in.now, NULL),
                   REBAL_OK);
  run(&in);
  assert_member(in.store, binding_of(&in), "spec.replicas", "3");
  detecting_close(&in);
  open_empty(&in, 0);
  apply(in.store, LAZY, NOW);
  run(&in);
  apply(in.store, WEB(""), NOW);
  run(&in);
  assert_member(in.store, binding_of(&in), "spec.replicas", "2");
  detecting_close(&in);
}
END_TEST

/* The first lists do not show the order of creation. */
START_TEST(test_the_order_of_first_lists_does_not_matter) {
  static const char *const texts[] = {WEB("") LAZY, LAZY WEB("")};
  for (size_t i = 0; i < 2; i++) {
    struct detecting in;
    open_empty(&in, 0);
    apply(in.store, texts[i], NOW);
    run(&in);
    assert_member(in.store, binding_of(&in), "spec.replicas", "2");
    detecting_close(&in);
  }
}
END_TEST

START_TEST(test_errors_are_tried_again) {
  struct detecting in;
  open_empty(&in, 0);
  apply(in.store, WEB("") PP("a", "", DEPLOYMENTS ", dependentOverrides: [o]"), NOW);
  run(&in);
  ck_assert_uint_eq(binding_of(&in), REBAL_NONE);
  run(&in);
  apply(in.store, OBJECT("policy.karmada.io/v1alpha1", "OverridePolicy", "name: o, namespace: default", ""), NOW);
  run(&in);
  assert_policy(&in, "a");
  detecting_close(&in);
}
END_TEST

START_TEST(test_preemption_and_a_priority_that_falls) {
  struct detecting in;
  open_empty(&in, PREEMPTION);
  apply(in.store, WEB("") PP("a", "", WEB_ONLY ", priority: 5"), NOW);
  run(&in);
  apply(in.store, PP("b", "", WEB_ONLY ", priority: 3, preemption: Always"), NOW);
  run(&in);
  assert_policy(&in, "a");
  apply(in.store, PP("a", "", WEB_ONLY ", priority: 1"), NOW);
  run(&in);
  assert_policy(&in, "b");
  detecting_close(&in);
}
END_TEST

START_TEST(test_arguments) {
  struct detecting in;
  const rebal_time unset = {0, 0, 0};
  open_empty(&in, 0);
  ck_assert_int_eq(rebal_detector_run(NULL, &in.now, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_run(in.detector, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_run(in.detector, &unset, NULL), REBAL_EINVAL);
  detecting_close(&in);
}
END_TEST

UNIT_CASE(run) {
  TCase *cases = tcase_create("run");
  tcase_add_test(cases, test_a_policy_finds_what_waits);
  tcase_add_test(cases, test_nothing_changes_nothing);
  tcase_add_test(cases, test_a_policy_that_is_gone_lets_go);
  tcase_add_test(cases, test_a_template_that_is_gone_waits_no_more);
  tcase_add_test(cases, test_lazy);
  tcase_add_test(cases, test_the_order_of_first_lists_does_not_matter);
  tcase_add_test(cases, test_errors_are_tried_again);
  tcase_add_test(cases, test_preemption_and_a_priority_that_falls);
  tcase_add_test(cases, test_arguments);
  return cases;
}
