/* SPDX-License-Identifier: MIT */
#include "validating.h"

#define SELECTOR_OF(kind, metadata, selector)                                            \
  "{apiVersion: policy.karmada.io/v1alpha1, kind: " kind ", metadata: {name: p" metadata \
  "}, spec: "                                                                            \
  "{resourceSelectors: [{" selector "}]}}"
#define OF_POLICY(selector) SELECTOR_OF("PropagationPolicy", ", namespace: a", selector)
#define OF_CLUSTER_POLICY(selector) SELECTOR_OF("ClusterPropagationPolicy", "", selector)
#define DEPLOYMENT "apiVersion: apps/v1, kind: Deployment"
#define LABELS(expression) OF_POLICY(DEPLOYMENT ", labelSelector: {matchExpressions: [{" expression "}]}")
#define FIRST "labelSelector.matchExpressions[0]: the selector matches nothing: "

/* A policy, and what is found in its selector: path, message and code of each, a line. */
static const struct {
  const char *text, *found;
} rows[] = {
    /* labels */
    {OF_POLICY(DEPLOYMENT ", labelSelector: {matchLabels: {app: web}}"), ""},
    {OF_POLICY(DEPLOYMENT ", labelSelector: {}"), ""},
    {LABELS("key: app, operator: In, values: [web]"), ""},
    {LABELS("key: app, operator: Exists"), ""},
    {LABELS("key: app, operator: in, values: [web]"), FIRST "an unknown operator [matches-nothing]\n"},
    {LABELS("key: app, operator: Gt, values: ['1']"), FIRST "an unknown operator [matches-nothing]\n"},
    {LABELS("key: app, operator: In"), FIRST "no value [matches-nothing]\n"},
    {LABELS("key: app, operator: NotIn, values: []"), FIRST "no value [matches-nothing]\n"},
    {LABELS("key: app, operator: Exists, values: [web]"),
     FIRST "values, which this operator does not take [matches-nothing]\n"},
    {LABELS("key: app, operator: DoesNotExist, values: [web]"),
     FIRST "values, which this operator does not take [matches-nothing]\n"},
    {LABELS("key: a b, operator: Exists"), FIRST "a key that no label has [matches-nothing]\n"},
    {OF_CLUSTER_POLICY(DEPLOYMENT ", labelSelector: {matchLabels: {app: a b}}"),
     "labelSelector.matchLabels.app: the selector matches nothing: no label is like this [matches-nothing]\n"},
    {OF_POLICY(DEPLOYMENT ", name: web, labelSelector: {matchExpressions: [{key: app, operator: in}]}"),
     "labelSelector: beside a name it is ignored [labels-unread]\n"},
    {OF_POLICY(DEPLOYMENT ", name: '', labelSelector: {matchLabels: {app: web}}"), ""},
    /* namespaces */
    {OF_POLICY(DEPLOYMENT ", namespace: a"), ""},
    {OF_POLICY(DEPLOYMENT ", namespace: ''"), ""},
    {OF_POLICY(DEPLOYMENT ", namespace: b"),
     "namespace: the selector matches nothing: a PropagationPolicy is for "
     "objects of its own namespace [matches-nothing]\n"},
    {SELECTOR_OF("PropagationPolicy", "", DEPLOYMENT ", namespace: default"), ""},
    {SELECTOR_OF("PropagationPolicy", "", DEPLOYMENT ", namespace: b"),
     "namespace: the selector matches nothing: a PropagationPolicy is for objects of its own namespace "
     "[matches-nothing]\n"},
    {OF_CLUSTER_POLICY(DEPLOYMENT ", namespace: b"), ""},
    {OF_POLICY("apiVersion: v1, kind: Namespace"),
     "kind: the selector matches nothing: objects without a namespace "
     "are for a ClusterPropagationPolicy [matches-nothing]\n"},
    {OF_CLUSTER_POLICY("apiVersion: v1, kind: Namespace"), ""},
    {OF_CLUSTER_POLICY("apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, namespace: b"),
     "namespace: the selector matches nothing: objects of the kind have no namespace [matches-nothing]\n"},
    /* kinds and versions */
    {OF_POLICY("apiVersion: v1, kind: Deployment"),
     "kind: the selector matches nothing: a kind of apps/v1 [unknown-kind]\n"},
    {OF_POLICY("apiVersion: extensions/v1beta1, kind: Ingress"),
     "kind: the selector matches nothing: a kind of networking.k8s.io/v1 [unknown-kind]\n"},
    {OF_POLICY("apiVersion: extensions/v1beta1, kind: PodSecurityPolicy"),
     "kind: the selector matches nothing: the group has no such kind [unknown-kind]\n"},
    {OF_POLICY("apiVersion: apps/v1, kind: ConfigMap"),
     "kind: the selector matches nothing: a kind of v1 [unknown-kind]\n"},
    {OF_POLICY("apiVersion: apps/v1, kind: CloneSet"),
     "kind: the selector matches nothing: a kind of the group apps.kruise.io [unknown-kind]\n"},
    {OF_POLICY("apiVersion: apps/v1, kind: deployments"),
     "kind: the selector matches nothing: the group has no such kind; did you mean \"Deployment\"? [unknown-kind]\n"},
    {OF_POLICY("apiVersion: apps/v1beta1, kind: Deployment"),
     "apiVersion: the selector matches nothing: no version of the group that is served: v1 [unknown-version]\n"},
    {OF_POLICY("apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler"),
     "apiVersion: the selector matches nothing: Karmada sees the kind in version v2 only [unknown-version]\n"},
    {OF_POLICY("apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler"), ""},
    {OF_POLICY("apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet"), ""},
    {OF_POLICY("apiVersion: serving.knative.dev/v1, kind: Service"), ""},
    {OF_POLICY("apiVersion: batch.volcano.sh/v1alpha1, kind: Job"), ""},
    {OF_POLICY("apiVersion: networking.k8s.io/v1, kind: NetworkPolicy"), ""},
    {OF_POLICY("kind: Deployment"), "apiVersion: the member is missing [missing-member]\n"},
    {OF_POLICY("apiVersion: apps/v1, kind: ''"), "kind: the text is empty [missing-member]\n"},
    /* what is not propagated */
    {OF_POLICY("apiVersion: autoscaling.karmada.io/v1alpha1, kind: FederatedHPA"),
     "apiVersion: the selector matches nothing: it is of an API that is not propagated [not-propagated]\n"},
    {OF_POLICY("apiVersion: events.k8s.io/v1, kind: Event"),
     "apiVersion: the selector matches nothing: it is of an API that is not propagated [not-propagated]\n"},
    {OF_POLICY("apiVersion: v1, kind: Event"),
     "apiVersion: the selector matches nothing: it is of an API that is not propagated [not-propagated]\n"},
    {OF_POLICY("apiVersion: coordination.k8s.io/v1, kind: Lease"),
     "apiVersion: the selector matches nothing: it is of an API that is not propagated [not-propagated]\n"},
    {OF_POLICY("apiVersion: coordination.k8s.io/v1beta1, kind: Lease"), ""},
    {OF_POLICY("apiVersion: search.karmada.io/v1alpha1, kind: ResourceRegistry"), ""},
};

static void print(const rebal_finding_row *row, struct rebali_buffer *output) {
  static const char before[] = "spec.resourceSelectors[0].";
  ck_assert_msg(strncmp(row->path, before, sizeof before - 1) == 0, "%s: %s", row->path, row->message);
  rebali_buffer_format(output, "%s: %s [%s]\n", row->path + sizeof before - 1, row->message,
                       rebal_enum_name(REBAL_ENUM_FINDING, row->code, NULL));
}

START_TEST(test_selectors) {
  assert_found(rows[_i].text, rows[_i].found, print);
}
END_TEST

UNIT_CASE(validate_policy) {
  TCase *cases = tcase_create("validate_policy");
  tcase_add_loop_test(cases, test_selectors, 0, (int)COUNT(rows));
  return cases;
}
