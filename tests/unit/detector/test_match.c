/* SPDX-License-Identifier: MIT */
#include "detecting.h"

/* A selector besides apiVersion and kind, and its precision for web with the label app: x. */
static const struct {
  const char *selector;
  uint32_t precision;
} precisions[] = {
    {"{apiVersion: apps/v1, kind: Deployment}", REBAL_PRECISION_ALL},
    {"{apiVersion: apps/v1beta1, kind: Deployment}", REBAL_PRECISION_NONE},
    {"{apiVersion: apps/v1, kind: Deployment, namespace: other}", REBAL_PRECISION_NONE},
    {"{apiVersion: apps/v1, kind: Deployment, name: web}", REBAL_PRECISION_NAME},
    {"{apiVersion: apps/v1, kind: Deployment, name: db}", REBAL_PRECISION_NONE},
    {"{apiVersion: apps/v1, kind: Deployment, name: web, labelSelector: {matchLabels: {app: z}}}",
     REBAL_PRECISION_NAME},
    {"{apiVersion: apps/v1, kind: Deployment, labelSelector: {}}", REBAL_PRECISION_LABELS},
    {"{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchLabels: {app: z}}}", REBAL_PRECISION_NONE},
    {"{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchExpressions: [{key: app, operator: Is}]}}",
     REBAL_PRECISION_NONE},
    {"{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchExpressions: [{key: -a, operator: DoesNotExist}]}}",
     REBAL_PRECISION_NONE},
    {"{apiVersion: apps/v1, kind: Deployment, labelSelector: {matchExpressions: [{key: b, operator: NotIn, values: "
     "['-']}]}}",
     REBAL_PRECISION_NONE},
    {"{apiVersion: v1, kind: Pod}, {apiVersion: apps/v1, kind: Deployment}, {apiVersion: apps/v1, kind: Deployment, "
     "name: web}",
     REBAL_PRECISION_NAME},
};

START_TEST(test_precisions) {
  struct detecting in;
  char text[1024];
  uint32_t precision = 99;
  (void)snprintf(text, sizeof text, WEB(", labels: {app: x}") "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: "
                 "PropagationPolicy, metadata: {name: p, namespace: default}, spec: {resourceSelectors: [%s]}}",
                 precisions[_i].selector);
  detecting_open(&in, text, 0, 0);
  ck_assert_int_eq(rebal_detector_match(in.detector, find(in.store, "PropagationPolicy", "default", "p"), web_of(&in),
                                        &precision, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(precision, precisions[_i].precision);
  detecting_close(&in);
}
END_TEST

/* Which policy applies: the value of its id; "": none. */
static const struct {
  const char *text, *id;
} choices[] = {
    {WEB(""), ""},
    {WEB("") PP("b", "", DEPLOYMENTS) PP("a", "", DEPLOYMENTS), "id-a"},
    {WEB("") PP("a", "", DEPLOYMENTS) PP("b", "", DEPLOYMENTS ", priority: 1"), "id-b"},
    {WEB("") PP("a", "", DEPLOYMENTS) PP("b", "", WEB_ONLY), "id-b"},
    {WEB("") PP("a", "", DEPLOYMENTS ", priority: 1") PP("b", "", WEB_ONLY), "id-a"},
    {WEB("") PP("a", "", DEPLOYMENTS ", priority: -1") CPP("b", "", WEB_ONLY ", priority: 9"), "id-a"},
    {WEB("") PP("a", ", deletionTimestamp: '2026-01-01T00:00:00Z'", DEPLOYMENTS) CPP("b", "", DEPLOYMENTS), "id-b"},
    {WEB("") CPP("a", "", DEPLOYMENTS) CPP("b", "", WEB_ONLY), "id-b"},
    {WEB("") CPP("a", "", "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, namespace: other}]"), ""},
    {WEB("") PP("a", "", "resourceSelectors: [{apiVersion: v1, kind: Deployment}]"), ""},
    /* a claim precedes everything else */
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS) PP("b", "", WEB_ONLY ", priority: 9"), "id-a"},
    {WEB(CPP_CLAIM("a")) CPP("a", "", DEPLOYMENTS) PP("b", "", WEB_ONLY), "id-a"},
    /* an incomplete claim does not count */
    {WEB(", labels: {" PP_ID ": id-a}") PP("a", "", DEPLOYMENTS) PP("b", "", WEB_ONLY), "id-b"},
};

START_TEST(test_choices) {
  struct detecting in;
  detecting_open(&in, choices[_i].text, 0, 0);
  pass_over_web(&in, 0, choices[_i].id[0] != '\0' ? REBAL_DETECTOR_OUTCOME_CREATED : REBAL_DETECTOR_OUTCOME_WAITING);
  if (choices[_i].id[0] != '\0') {
    const int is_global =
        strcmp(rebal_store_identity(in.store, in.row.policy, REBAL_IDENTITY_KIND, NULL), "PropagationPolicy") != 0;
    assert_key(&in, in.row.binding, "labels", is_global ? CPP_ID : PP_ID, choices[_i].id);
    assert_key(&in, web_of(&in), "labels", is_global ? CPP_ID : PP_ID, choices[_i].id);
  }
  detecting_close(&in);
}
END_TEST

/* The index of selectors follows the store. */
START_TEST(test_policies_come_and_go) {
  struct detecting in;
  detecting_open(&in, WEB(""), 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_WAITING);
  load(in.store, PP("a", "", DEPLOYMENTS));
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CREATED);
  assert_list(&in, REBAL_DETECTOR_LIST_WAITING, "");
  ck_assert_int_eq(rebal_store_remove(in.store, find(in.store, "PropagationPolicy", "default", "a"), NULL), REBAL_OK);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CLEANED);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_WAITING);
  detecting_close(&in);
}
END_TEST

/* ---- findings about selectors ---- */

static const char *const selected_kinds[] = {"apiVersion: apps/v1, kind: Deployment",
                                             "apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole",
                                             "apiVersion: v1, kind: Event"};
static const char *const selected_namespaces[] = {"", ", namespace: ''", ", namespace: default", ", namespace: other"};
static const char *const selected_names[] = {"", ", name: ''", ", name: web"};
static const char *const selected_labels[] = {
    "",
    ", labelSelector: {}",
    ", labelSelector: {matchLabels: {app: x}}",
    ", labelSelector: {matchLabels: {app: -x}}",
    ", labelSelector: {matchExpressions: [{key: app, operator: In, values: [x]}]}",
    ", labelSelector: {matchExpressions: [{key: app, operator: in, values: [x]}]}",
    ", labelSelector: {matchExpressions: [{key: app, operator: In}]}",
    ", labelSelector: {matchExpressions: [{key: b, operator: NotIn}]}",
    ", labelSelector: {matchExpressions: [{key: app, operator: Exists, values: [x]}]}",
    ", labelSelector: {matchExpressions: [{key: b, operator: DoesNotExist, values: [x]}]}",
    ", labelSelector: {matchExpressions: [{key: -b, operator: DoesNotExist}]}",
};

static int reports_no_match(const char *policy) {
  rebal_findings *findings = NULL;
  int states = 0;
  ck_assert_int_eq(rebal_manifest_validate(policy, strlen(policy), NULL, &findings, NULL), REBAL_OK);
  for (size_t i = 0; i < rebal_findings_count(findings, 0); i++) {
    rebal_finding_row row = {.struct_size = sizeof row};
    ck_assert_int_eq(rebal_findings_read(findings, i, &row, NULL), REBAL_OK);
    states |= row.code == REBAL_FINDING_MATCHES_NOTHING || row.code == REBAL_FINDING_NOT_PROPAGATED;
  }
  rebal_findings_free(findings);
  return states;
}

#define LABELLED(version, kind, metadata) OBJECT(version, kind, "name: web, labels: {app: x}" metadata, "")

/* Returns 1 if a policy applies to one of the objects that a selector may be for. */
static int takes_one(const char *policy) {
  static const char objects[] =
      LABELLED("apps/v1", "Deployment", ", namespace: default") LABELLED("apps/v1", "Deployment", ", namespace: other")
          LABELLED("v1", "Event", ", namespace: default") LABELLED("rbac.authorization.k8s.io/v1", "ClusterRole", "");
  struct detecting in;
  int is_taken = 0;
  detecting_open(&in, objects, 0, 0);
  load(in.store, policy);
  for (uint32_t id = 0; id < 4; id++) {
    ck_assert_int_eq(rebal_detector_template(in.detector, id, 0, &in.now, &in.row, NULL), REBAL_OK);
    is_taken |= in.row.outcome == REBAL_DETECTOR_OUTCOME_CREATED;
  }
  detecting_close(&in);
  return is_taken;
}

/* A selector without such a finding matches one of the objects; a selector with one matches none. */
START_TEST(test_selectors_that_match_nothing) {
  char selector[512], policy[1024];
  for (size_t space = 0; space < COUNT(selected_namespaces); space++) {
    for (size_t name = 0; name < COUNT(selected_names); name++) {
      for (size_t labels = 0; labels < COUNT(selected_labels); labels++) {
        (void)snprintf(selector, sizeof selector, "%s%s%s%s", selected_kinds[_i], selected_namespaces[space],
                       selected_names[name], selected_labels[labels]);
        (void)snprintf(policy, sizeof policy, PP("p", "", "resourceSelectors: [{%s}]"), selector);
        ck_assert_msg(reports_no_match(policy) == !takes_one(policy), "%s", policy);
        (void)snprintf(policy, sizeof policy, CPP("p", "", "resourceSelectors: [{%s}]"), selector);
        ck_assert_msg(reports_no_match(policy) == !takes_one(policy), "%s", policy);
      }
    }
  }
}
END_TEST

UNIT_CASE(match) {
  TCase *cases = tcase_create("match");
  tcase_add_loop_test(cases, test_precisions, 0, (int)COUNT(precisions));
  tcase_add_loop_test(cases, test_choices, 0, (int)COUNT(choices));
  tcase_add_test(cases, test_policies_come_and_go);
  tcase_add_loop_test(cases, test_selectors_that_match_nothing, 0, (int)COUNT(selected_kinds));
  return cases;
}
