/* SPDX-License-Identifier: MIT */
#include "detecting.h"

#define CONFIG(name) OBJECT("v1", "ConfigMap", "name: " name ", namespace: default, uid: uid-" name, "")
#define WITH_CONFIG(name)                                                             \
  OBJECT("apps/v1", "Deployment", "name: web, namespace: default, uid: web-uid",      \
         ", spec: {replicas: 2, template: {spec: {volumes: [{configMap: {name: " name \
         "}}, {secret: "                                                              \
         "{secretName: s}}]}}}")
#define DEPENDING PP("a", "", WEB_ONLY ", propagateDeps: true, conflictResolution: Overwrite")
/* Of default/web-deployment. */
#define KEY "resourcebinding.karmada.io/depended-by-69c6c647cc"
#define CLUSTERS "{\"spec\":{\"clusters\":[{\"name\":\"m1\",\"replicas\":2}]}}"
#define ENTRY \
  "[{\"namespace\":\"default\",\"name\":\"web-deployment\",\"clusters\":[{\"name\":\"m1\",\"replicas\":2}]}]"

static void run(struct detecting *in) {
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_detector_run(in->detector, &in->now, &err) == REBAL_OK, "%s", err.message);
}

static uint32_t attached(const struct detecting *in, const char *name) {
  return find(in->store, "ResourceBinding", "default", name);
}

static void patch(struct detecting *in, uint32_t object, const char *text) {
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_store_patch(in->store, object, text, strlen(text), &in->now, &err) == REBAL_OK, "%s",
                err.message);
  run(in);
}

/* A workload with a binding in m1, and a ConfigMap. */
static void open_scheduled(struct detecting *in) {
  detecting_open(in, CONFIG("c") WITH_CONFIG("c") DEPENDING, REBAL_DETECTOR_FLAG_ADMISSION, 0);
  run(in);
  ck_assert_uint_eq(attached(in, "c-configmap"), REBAL_NONE); /* where it goes is not known yet */
  patch(in, binding_of(in), CLUSTERS);
}

START_TEST(test_attached_with_its_clusters) {
  struct detecting in;
  char *uid;
  open_scheduled(&in);
  uid = member_of(in.store, binding_of(&in), "metadata.uid");
  assert_key(&in, attached(&in, "c-configmap"), "labels", KEY, uid);
  free(uid);
  assert_member(in.store, attached(&in, "c-configmap"), "spec.requiredBy", ENTRY);
  assert_member(in.store, attached(&in, "c-configmap"), "spec.conflictResolution", "Overwrite");
  assert_member(in.store, attached(&in, "c-configmap"), "spec.placement", "");
  assert_member(in.store, attached(&in, "c-configmap"), "spec.resource.name", "c");
  assert_member(in.store, attached(&in, "c-configmap"), "metadata.finalizers", "[\"karmada.io/binding-controller\"]");
  assert_member(in.store, attached(&in, "c-configmap"), "metadata.ownerReferences[0].uid", "uid-c");
  assert_member(in.store, binding_of(&in), "metadata.finalizers",
                "[\"karmada.io/binding-controller\",\"karmada.io/binding-dependencies-distributor\"]");
  ck_assert_uint_eq(attached(&in, "s-secret"), REBAL_NONE); /* there is no such Secret */
  patch(&in, binding_of(&in), "{\"spec\":{\"clusters\":[]}}");
  assert_member(in.store, attached(&in, "c-configmap"), "spec.requiredBy",
                "[{\"namespace\":\"default\",\"name\":\"web-deployment\"}]");
  detecting_close(&in);
}
END_TEST

START_TEST(test_dependencies_come_later) {
  struct detecting in;
  open_scheduled(&in);
  apply(in.store, OBJECT("v1", "Secret", "name: s, namespace: default", ""), NOW);
  run(&in);
  assert_member(in.store, attached(&in, "s-secret"), "spec.requiredBy", ENTRY);
  detecting_close(&in);
}
END_TEST

START_TEST(test_a_dependency_is_dropped) {
  struct detecting in;
  open_scheduled(&in);
  apply(in.store, CONFIG("d") WITH_CONFIG("d"), NOW);
  run(&in);
  assert_key(&in, attached(&in, "c-configmap"), "labels", KEY, "");
  assert_member(in.store, attached(&in, "c-configmap"), "spec.requiredBy", "");
  assert_member(in.store, attached(&in, "c-configmap"), "spec.conflictResolution", "");
  assert_member(in.store, attached(&in, "d-configmap"), "spec.requiredBy", ENTRY);
  detecting_close(&in);
}
END_TEST

START_TEST(test_propagation_is_switched_off) {
  struct detecting in;
  open_scheduled(&in);
  apply(in.store, PP("a", "", WEB_ONLY), NOW);
  run(&in);
  assert_member(in.store, attached(&in, "c-configmap"), "spec.requiredBy", "");
  assert_member(in.store, binding_of(&in), "metadata.finalizers", "[\"karmada.io/binding-controller\"]");
  assert_key(&in, binding_of(&in), "annotations", "resourcebinding.karmada.io/dependencies", "");
  detecting_close(&in);
}
END_TEST

START_TEST(test_the_binding_is_gone) {
  struct detecting in;
  open_scheduled(&in);
  ck_assert_int_eq(rebal_store_remove(in.store, binding_of(&in), NULL), REBAL_OK);
  run(&in);
  assert_member(in.store, attached(&in, "c-configmap"), "spec.requiredBy", "");
  detecting_close(&in);
}
END_TEST

/* Another workload needs the ConfigMap as well, which also has a policy of its own. */
START_TEST(test_shared_and_with_a_policy) {
  struct detecting in;
  open_scheduled(&in);
  apply(
      in.store,
      OBJECT("apps/v1", "Deployment", "name: other, namespace: default",
             ", spec: {template: {spec: {volumes: [{configMap: {name: c}}]}}}")
          PP("b", "", "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: other}], propagateDeps: true"),
      NOW);
  run(&in);
  patch(&in, attached(&in, "other-deployment"), CLUSTERS);
  assert_member(in.store, attached(&in, "c-configmap"), "spec.requiredBy[1].name", "other-deployment");
  ck_assert_int_eq(rebal_store_remove(in.store, web_of(&in), NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_remove(in.store, binding_of(&in), NULL), REBAL_OK);
  run(&in);
  assert_member(in.store, attached(&in, "c-configmap"), "spec.requiredBy[0].name", "other-deployment");
  assert_member(in.store, attached(&in, "c-configmap"), "spec.conflictResolution", "Abort");
  apply(in.store, PP("c", "", "resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], conflictResolution: Overwrite"),
        NOW);
  run(&in);
  assert_member(in.store, attached(&in, "c-configmap"), "spec.requiredBy[0].name", "other-deployment");
  patch(&in, attached(&in, "other-deployment"), "{\"spec\":{\"clusters\":[{\"name\":\"m2\"}]}}");
  assert_member(in.store, attached(&in, "c-configmap"), "spec.requiredBy[0].clusters[0].name", "m2");
  assert_member(in.store, attached(&in, "c-configmap"), "spec.conflictResolution", "Overwrite");
  detecting_close(&in);
}
END_TEST

START_TEST(test_dependencies_by_labels) {
  struct detecting in;
  detecting_open(&in,
                 OBJECT("multicluster.x-k8s.io/v1alpha1", "ServiceImport", "name: web, namespace: default", "")
                     OBJECT("discovery.k8s.io/v1", "EndpointSlice",
                            "name: e, namespace: default, labels: {kubernetes.io/service-name: derived-web}",
                            "") OBJECT("discovery.k8s.io/v1", "EndpointSlice", "name: f, namespace: default", "")
                         PP("a", "",
                            "resourceSelectors: [{apiVersion: multicluster.x-k8s.io/v1alpha1, kind: ServiceImport}], "
                            "propagateDeps: true"),
                 REBAL_DETECTOR_FLAG_ADMISSION, 0);
  run(&in);
  patch(&in, attached(&in, "web-serviceimport"), CLUSTERS);
  assert_member(in.store, attached(&in, "e-endpointslice"), "spec.requiredBy[0].name", "web-serviceimport");
  ck_assert_uint_eq(attached(&in, "f-endpointslice"), REBAL_NONE);
  patch(&in, attached(&in, "web-serviceimport"), "{\"spec\":{\"propagateDeps\":false}}");
  assert_member(in.store, attached(&in, "e-endpointslice"), "spec.requiredBy", "");
  detecting_close(&in);
}
END_TEST

START_TEST(test_the_gate_is_off) {
  struct detecting in;
  detecting_open(&in, CONFIG("c") WITH_CONFIG("c") DEPENDING, REBAL_DETECTOR_FLAG_ADMISSION,
                 UINT32_C(1) << REBAL_DETECTOR_GATE_PROPAGATE_DEPS);
  run(&in);
  patch(&in, binding_of(&in), CLUSTERS);
  ck_assert_uint_eq(attached(&in, "c-configmap"), REBAL_NONE);
  detecting_close(&in);
}
END_TEST

UNIT_CASE(attached) {
  TCase *cases = tcase_create("attached");
  tcase_add_test(cases, test_attached_with_its_clusters);
  tcase_add_test(cases, test_dependencies_come_later);
  tcase_add_test(cases, test_a_dependency_is_dropped);
  tcase_add_test(cases, test_propagation_is_switched_off);
  tcase_add_test(cases, test_the_binding_is_gone);
  tcase_add_test(cases, test_shared_and_with_a_policy);
  tcase_add_test(cases, test_dependencies_by_labels);
  tcase_add_test(cases, test_the_gate_is_off);
  return cases;
}
