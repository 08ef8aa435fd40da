/* SPDX-License-Identifier: MIT */
#include "detecting.h"

#define ON(cluster) ", placement: {clusterAffinity: {clusterNames: [" cluster "]}}"
#define LAZY(spec) PP("a", "", DEPLOYMENTS ", activationPreference: Lazy" spec)
#define BOUND(spec) BINDING(PP_CLAIM("a"), spec)
#define PODS "resourceSelectors: [{apiVersion: v1, kind: Pod}]"
#define GONE ", deletionTimestamp: '2026-01-01T00:00:00Z'"
#define OF_ANOTHER \
  ", ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: other, controller: true}]"
#define CLASS ", schedulePriority: {priorityClassSource: KubePriorityClass, priorityClassName: gone}"

/*
 * The binding of a Deployment web with two replicas: a member and its value afterwards, the outcome of the template,
 * and whether the binding is listed as left.
 */
static const struct {
  const char *text;
  const char *path, *value;
  uint32_t outcome;
  int is_left;
} rows[] = {
    /* a Lazy policy changed: the binding waits as long as its template is unchanged */
    {WEB(PP_CLAIM("a")) LAZY(ON("m")) BOUND(", replicas: 2" ON("old")), "spec.placement.clusterAffinity.clusterNames",
     "[\"old\"]", REBAL_DETECTOR_OUTCOME_LAZY, 1},
    {WEB(PP_CLAIM("a")) LAZY(ON("m")) BOUND(", replicas: 1" ON("old")), "spec.placement.clusterAffinity.clusterNames",
     "[\"m\"]", REBAL_DETECTOR_OUTCOME_DONE, 0},
    {WEB(PP_CLAIM("a")) LAZY(ON("m")) BOUND(", replicas: 2" ON("m")), "spec.placement.clusterAffinity.clusterNames",
     "[\"m\"]", REBAL_DETECTOR_OUTCOME_DONE, 0},
    {WEB("") LAZY(ON("m")) BOUND(", replicas: 2" ON("old")), "spec.placement.clusterAffinity.clusterNames", "[\"m\"]",
     REBAL_DETECTOR_OUTCOME_DONE, 0},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS ON("m")) BOUND(", replicas: 2" ON("old")),
     "spec.placement.clusterAffinity.clusterNames", "[\"m\"]", REBAL_DETECTOR_OUTCOME_DONE, 0},
    /* no policy applies any more: the claim is removed, and the clusters stay */
    {WEB(PP_CLAIM("a")) PP("a", "", PODS) BOUND(", replicas: 2, clusters: [{name: m}]"),
     "metadata.labels[\"" PP_ID "\"]", "", REBAL_DETECTOR_OUTCOME_UNMATCHED, 1},
    {WEB(PP_CLAIM("a")) PP("a", GONE, DEPLOYMENTS) BOUND(", replicas: 2"), "metadata.labels[\"" PP_ID "\"]", "",
     REBAL_DETECTOR_OUTCOME_DELETING, 1},
    {WEB(PP_CLAIM("a")) PP("a", "", PODS) BOUND(", replicas: 2, clusters: [{name: m}]"), "spec.clusters",
     "[{\"name\":\"m\"}]", REBAL_DETECTOR_OUTCOME_UNMATCHED, 1},
    {WEB(PP_CLAIM("a")) PP("a", "", PODS) BINDING(PP_CLAIM("other"), ""), "metadata.labels[\"" PP_ID "\"]", "id-other",
     REBAL_DETECTOR_OUTCOME_UNMATCHED, 1},
    {WEB(PP_CLAIM("a")) PP("a", "", PODS) PP("b", "", DEPLOYMENTS) BOUND(""), "metadata.labels[\"" PP_ID "\"]", "id-b",
     REBAL_DETECTOR_OUTCOME_DONE, 0},
    /* a policy that is missing in the store may still exist */
    {WEB(PP_CLAIM("a")) BOUND(""), "metadata.labels[\"" PP_ID "\"]", "id-a", REBAL_DETECTOR_OUTCOME_WAITING, 1},
    {WEB("") BOUND(""), "metadata.labels[\"" PP_ID "\"]", "id-a", REBAL_DETECTOR_OUTCOME_WAITING, 0},
    /* bindings that cannot be renewed */
    {WEB("") PP("a", "", DEPLOYMENTS) BINDING(OF_ANOTHER, ", replicas: 1"), "spec.replicas", "1",
     REBAL_DETECTOR_OUTCOME_ERROR, 1},
    {WEB("") PP("a", "", DEPLOYMENTS CLASS) BOUND(", replicas: 1"), "spec.replicas", "1", REBAL_DETECTOR_OUTCOME_ERROR,
     1},
    {WEB("") PP("a", "", "dependentOverrides: [o], " DEPLOYMENTS) BOUND(", replicas: 1"), "spec.replicas", "1",
     REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES, 1},
    {WEB(", labels: {resourcetemplate.karmada.io/claimed-by: x}") PP("a", "", DEPLOYMENTS) BOUND(", replicas: 1"),
     "spec.replicas", "1", REBAL_DETECTOR_OUTCOME_CLAIMED_BY, 1},
};

static void derive(struct detecting *in) {
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_detector_derive(in->detector, NULL, 0, &in->now, &err) == REBAL_OK, "%s", err.message);
}

START_TEST(test_what_becomes_of_a_binding) {
  struct detecting in;
  uint64_t changes;
  detecting_open(&in, rows[_i].text, 0, 0);
  derive(&in);
  assert_member(in.store, binding_of(&in), rows[_i].path, rows[_i].value);
  assert_list(&in, REBAL_DETECTOR_LIST_LEFT, rows[_i].is_left ? "apps/v1/Deployment/default/web " : "");
  ck_assert_int_eq(rebal_detector_look(in.detector, web_of(&in), &in.row, NULL), REBAL_OK);
  assert_outcome(&in, rows[_i].outcome);
  changes = rebal_store_change_count(in.store);
  apply(in.store, OBJECT("scheduling.k8s.io/v1", "PriorityClass", "name: any", ", value: 1"), NOW);
  derive(&in); /* once more: nothing is left to do */
  ck_assert_uint_eq(rebal_store_change_count(in.store), changes + 1);
  assert_list(&in, REBAL_DETECTOR_LIST_LEFT, rows[_i].is_left ? "apps/v1/Deployment/default/web " : "");
  detecting_close(&in);
}
END_TEST

/* With the claim of a Lazy policy and without a binding, the template waits for a change. */
START_TEST(test_a_lazy_template_gets_no_binding) {
  struct detecting in;
  detecting_open(&in, WEB(PP_CLAIM("a")) LAZY(""), 0, 0);
  derive(&in);
  ck_assert_uint_eq(binding_of(&in), REBAL_NONE);
  ck_assert_int_eq(rebal_detector_look(in.detector, web_of(&in), &in.row, NULL), REBAL_OK);
  assert_outcome(&in, REBAL_DETECTOR_OUTCOME_LAZY);
  detecting_close(&in);
}
END_TEST

/* A binding is no longer listed as left when it can be renewed or its template is deleted. */
START_TEST(test_what_was_left_is_renewed_later) {
  struct detecting in;
  detecting_open(&in, WEB("") PP("a", "", "dependentOverrides: [o], " DEPLOYMENTS) BOUND(", replicas: 1"), 0, 0);
  derive(&in);
  assert_list(&in, REBAL_DETECTOR_LIST_LEFT, "apps/v1/Deployment/default/web ");
  apply(in.store, OBJECT("v1", "ConfigMap", "name: c, namespace: default", ""), NOW);
  derive(&in);
  assert_list(&in, REBAL_DETECTOR_LIST_LEFT, "apps/v1/Deployment/default/web ");
  apply(in.store, OBJECT("policy.karmada.io/v1alpha1", "OverridePolicy", "name: o, namespace: default", ""), NOW);
  derive(&in);
  assert_list(&in, REBAL_DETECTOR_LIST_LEFT, "");
  assert_member(in.store, binding_of(&in), "spec.replicas", "2");
  detecting_close(&in);
  detecting_open(&in, WEB("") PP("a", "", "dependentOverrides: [o], " DEPLOYMENTS) BOUND(", replicas: 1"), 0, 0);
  derive(&in);
  ck_assert_int_eq(rebal_store_remove(in.store, web_of(&in), NULL), REBAL_OK);
  derive(&in);
  assert_list(&in, REBAL_DETECTOR_LIST_LEFT, "");
  detecting_close(&in);
}
END_TEST

/* A namespace that is not propagated may have an older binding. */
START_TEST(test_a_binding_of_a_skipped_namespace) {
  struct detecting in;
  detecting_open(&in,
                 OBJECT("apps/v1", "Deployment", "name: web, namespace: kube-system", ", spec: {replicas: 2}")
                     OBJECT("apps/v1", "Deployment", "name: other, namespace: kube-system", ", spec: {replicas: 2}")
                         OBJECT("work.karmada.io/v1alpha2", "ResourceBinding",
                                "name: web-deployment, namespace: kube-system", ", spec: {replicas: 1}"),
                 0, 0);
  derive(&in);
  assert_list(&in, REBAL_DETECTOR_LIST_LEFT, "apps/v1/Deployment/kube-system/web ");
  detecting_close(&in);
}
END_TEST

#define TAKING(priority) WEB_ONLY ", preemption: Always, priority: " priority
#define PREEMPTION (UINT32_C(1) << REBAL_DETECTOR_GATE_POLICY_PREEMPTION)

/* The id of the policy that applies in the end, without the gate and with it. */
static const struct {
  const char *text, *without, *with;
} preempted[] = {
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS) PP("b", "", TAKING("1")), "id-a", "id-b"},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS ", priority: 1") PP("b", "", TAKING("1")), "id-a", "id-a"},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS) PP("b", "", WEB_ONLY ", priority: 1"), "id-a", "id-a"},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS) PP("b", "", DEPLOYMENTS ", preemption: Always, priority: 1"), "id-a",
     "id-a"},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS) PP("b", "", TAKING("1")) PP("c", "", TAKING("2")), "id-a", "id-c"},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS) PP("b", GONE, TAKING("1")), "id-a", "id-a"},
    {WEB(PP_CLAIM("a")) PP("a", "", DEPLOYMENTS) CPP("b", "", TAKING("9")), "id-a", "id-a"},
    {WEB(CPP_CLAIM("a")) CPP("a", "", DEPLOYMENTS ", priority: 9") PP("b", "", TAKING("-1")), "", "id-b"},
    {WEB(CPP_CLAIM("a")) CPP("a", "", DEPLOYMENTS) CPP("b", "", TAKING("1")) PP("c", "", DEPLOYMENTS), "", ""},
};

START_TEST(test_a_policy_that_preempts) {
  for (uint32_t gates = 0; gates <= PREEMPTION; gates += PREEMPTION) {
    struct detecting in;
    detecting_open(&in, preempted[_i].text, 0, gates);
    derive(&in);
    assert_key(&in, binding_of(&in), "labels", PP_ID, gates != 0 ? preempted[_i].with : preempted[_i].without);
    detecting_close(&in);
  }
}
END_TEST

/*
 * Among ClusterPropagationPolicies only one that names the object with its namespace preempts, as the object is
 * fetched.
 */
START_TEST(test_a_cluster_policy_that_preempts) {
  static const struct {
    const char *text, *id;
  } taken[] = {{WEB(CPP_CLAIM("a")) CPP("a", "", DEPLOYMENTS) CPP("b", "", TAKING("1")), "id-b"},
               {WEB(CPP_CLAIM("a")) CPP("a", "", DEPLOYMENTS ", priority: 1") CPP("b", "", TAKING("1")), "id-a"},
               {WEB(CPP_CLAIM("a")) CPP("a", "", DEPLOYMENTS)
                    CPP("b", "",
                        "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}], preemption: Always, "
                        "priority: 1"),
                "id-a"}};
  for (size_t i = 0; i < REBALI_COUNT(taken); i++) {
    struct detecting in;
    detecting_open(&in, taken[i].text, 0, PREEMPTION);
    derive(&in);
    assert_key(&in, binding_of(&in), "labels", CPP_ID, taken[i].id);
    detecting_close(&in);
  }
}
END_TEST

UNIT_CASE(rest) {
  TCase *cases = tcase_create("rest");
  tcase_add_loop_test(cases, test_what_becomes_of_a_binding, 0, (int)REBALI_COUNT(rows));
  tcase_add_loop_test(cases, test_a_policy_that_preempts, 0, (int)REBALI_COUNT(preempted));
  tcase_add_test(cases, test_a_cluster_policy_that_preempts);
  tcase_add_test(cases, test_a_lazy_template_gets_no_binding);
  tcase_add_test(cases, test_what_was_left_is_renewed_later);
  tcase_add_test(cases, test_a_binding_of_a_skipped_namespace);
  return cases;
}
