/* SPDX-License-Identifier: MIT */
#include "detecting.h"

#define OWNER                                                                                                      \
  "[{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"web\",\"uid\":\"web-uid\",\"controller\":true," \
  "\"blockOwnerDeletion\":true}]"

/* A member of the binding after an update; "": absent. */
static const struct {
  const char *text, *member, *value;
} rows[] = {
    {BINDING("", ", clusters: [{name: m1}], requiredBy: [{name: x}]") PP("a", "", DEPLOYMENTS), "spec.requiredBy",
     "[{\"name\":\"x\"}]"},
    {BINDING("", ", schedulerName: s, preserveResourcesOnDeletion: true") PP("a", "", DEPLOYMENTS),
     "spec.schedulerName", ""},
    {BINDING("", ", propagateDeps: true") PP("a", "", DEPLOYMENTS), "spec.propagateDeps", ""},
    {BINDING("", ", suspension: {scheduling: false, dispatching: true}") PP("a", "", DEPLOYMENTS), "spec.suspension",
     "{\"scheduling\":false}"},
    {BINDING("", ", suspension: {dispatching: true}") PP("a", "", DEPLOYMENTS), "spec.suspension", ""},
    {BINDING("", ", suspension: {scheduling: true}") PP("a", "", DEPLOYMENTS ", suspension: {dispatching: true}"),
     "spec.suspension", "{\"dispatching\":true,\"scheduling\":true}"},
    {BINDING(", finalizers: [x]", "") PP("a", "", DEPLOYMENTS), "metadata.finalizers",
     "[\"x\",\"karmada.io/binding-controller\"]"},
    {BINDING(", finalizers: [karmada.io/binding-controller, x]", "") PP("a", "", DEPLOYMENTS), "metadata.finalizers",
     "[\"karmada.io/binding-controller\",\"x\"]"},
    {BINDING(", labels: {mine: '1'}", "") PP("a", "", DEPLOYMENTS), "metadata.labels.mine", "1"},
    {BINDING(", ownerReferences: [{uid: other}]", "") PP("a", "", DEPLOYMENTS), "metadata.ownerReferences", OWNER},
};

START_TEST(test_updates) {
  struct detecting in;
  char text[2048];
  (void)snprintf(text, sizeof text, "%s%s", WEB(""), rows[_i].text);
  detecting_open(&in, text, 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_UPDATED);
  assert_member(in.store, binding_of(&in), rows[_i].member, rows[_i].value);
  detecting_close(&in);
}
END_TEST

/* A PropagationPolicy removes the other kind of claim from a binding; a ClusterPropagationPolicy does not. */
START_TEST(test_claims_of_both_kinds) {
  struct detecting in;
  detecting_open(&in, WEB("") PP("a", "", DEPLOYMENTS) BINDING(CPP_CLAIM("b"), ""), 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_UPDATED);
  assert_key(&in, binding_of(&in), "labels", CPP_ID, "");
  assert_key(&in, binding_of(&in), "annotations", CPP_NAME, "");
  detecting_close(&in);
  detecting_open(&in, WEB("") CPP("b", "", DEPLOYMENTS) BINDING(PP_CLAIM("a"), ""), 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_UPDATED);
  assert_key(&in, binding_of(&in), "labels", PP_ID, "id-a");
  assert_key(&in, binding_of(&in), "labels", CPP_ID, "id-b");
  detecting_close(&in);
}
END_TEST

START_TEST(test_another_owner) {
  struct detecting in;
  detecting_open(&in,
                 WEB("") PP("a", "", DEPLOYMENTS)
                     BINDING(", ownerReferences: [{uid: old-uid, controller: true}]", ", clusters: [{name: m1}]"),
                 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_ERROR);
  assert_member(in.store, binding_of(&in), "metadata.ownerReferences", "[{\"uid\":\"old-uid\",\"controller\":true}]");
  assert_member(in.store, binding_of(&in), "spec.replicas", "");
  detecting_close(&in);
}
END_TEST

#define ROLE(extra) OBJECT("rbac.authorization.k8s.io/v1", "ClusterRole", "name: r, uid: r-uid", "")
#define ROLES "resourceSelectors: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole}]"

/* A ClusterResourceBinding gets propagateDeps at its creation and keeps it, whatever the policy has later. */
START_TEST(test_of_a_cluster) {
  struct detecting in;
  uint32_t role;
  detecting_open(&in, ROLE("") CPP("a", "", ROLES ", propagateDeps: true"), 0, 0);
  role = find(in.store, "ClusterRole", "", "r");
  pass_over(&in, role, 0, REBAL_DETECTOR_OUTCOME_CREATED);
  assert_member(in.store, in.row.binding, "kind", "ClusterResourceBinding");
  assert_member(in.store, in.row.binding, "metadata.finalizers",
                "[\"karmada.io/cluster-resource-binding-controller\"]");
  assert_member(in.store, in.row.binding, "spec.propagateDeps", "true");
  apply(in.store, CPP("a", "", ROLES ", schedulerName: s"), NOW);
  pass_over(&in, role, 0, REBAL_DETECTOR_OUTCOME_UPDATED);
  assert_member(in.store, in.row.binding, "spec.propagateDeps", "true");
  assert_member(in.store, in.row.binding, "spec.schedulerName", "s");
  detecting_close(&in);
}
END_TEST

/* Members that the reference omits are not differences; the next write removes them. */
START_TEST(test_members_left_out) {
  struct detecting in;
  uint32_t role;
  detecting_open(&in, ROLE("") CPP("a", "", ROLES), 0, 0);
  role = find(in.store, "ClusterRole", "", "r");
  pass_over(&in, role, 0, REBAL_DETECTOR_OUTCOME_CREATED);
  ck_assert_int_eq(
      rebal_store_patch(in.store, in.row.binding, "{spec: {propagateDeps: false, clusters: []}}", 44, &in.now, NULL),
      REBAL_OK);
  pass_over(&in, role, 0, REBAL_DETECTOR_OUTCOME_UNCHANGED);
  assert_member(in.store, in.row.binding, "spec.propagateDeps", "false");
  apply(in.store, CPP("a", "", ROLES ", schedulerName: s"), NOW);
  pass_over(&in, role, 0, REBAL_DETECTOR_OUTCOME_UPDATED);
  assert_member(in.store, in.row.binding, "spec.propagateDeps", "");
  assert_member(in.store, in.row.binding, "spec.clusters", "");
  detecting_close(&in);
}
END_TEST

UNIT_CASE(binding) {
  TCase *cases = tcase_create("binding");
  tcase_add_loop_test(cases, test_updates, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_claims_of_both_kinds);
  tcase_add_test(cases, test_another_owner);
  tcase_add_test(cases, test_of_a_cluster);
  tcase_add_test(cases, test_members_left_out);
  return cases;
}
