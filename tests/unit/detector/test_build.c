/* SPDX-License-Identifier: MIT */
#include "detecting.h"

#include <stdio.h>

#define BIT(gate) (UINT32_C(1) << REBAL_DETECTOR_GATE_##gate)
#define PRIORITY(source, name) \
  DEPLOYMENTS ", schedulePriority: {priorityClassSource: " source ", priorityClassName: " name "}"
#define HIGH                                                                  \
  OBJECT("scheduling.k8s.io/v1", "PriorityClass", "name: high", ", value: 9") \
  OBJECT("scheduling.k8s.io/v1", "PriorityClass", "name: none", ", value: 0")
#define RAY                                                                                                     \
  "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: web, namespace: default}, spec: {headGroupSpec: " \
  "{template: {spec: {containers: []}}}}}\n"
#define RAYS "resourceSelectors: [{apiVersion: ray.io/v1, kind: RayCluster}]"
#define GROUPS                                                                        \
  DEPLOYMENTS                                                                         \
  ", placement: {workloadAffinity: {affinity: {groupByLabelKey: app}, antiAffinity: " \
  "{groupByLabelKey: tier}}}"

/* A member of the binding's spec; value NULL: no binding is written, "": the member is absent. */
static const struct {
  const char *text;
  uint32_t gates;
  const char *member, *value;
} rows[] = {
    {WEB("") PP("a", "", DEPLOYMENTS), 0, "spec.replicas", "2"},
    {WEB("") PP("a", "", DEPLOYMENTS), 0, "spec.placement", "{}"},
    {WEB("") PP("a", "", DEPLOYMENTS), 0, "spec.schedulerName", ""},
    {WEB("") PP("a", "", DEPLOYMENTS ", suspension: {}"), 0, "spec.suspension", "{}"},
    {WEB("") HIGH PP("a", "", PRIORITY("KubePriorityClass", "high")), 0, "spec.schedulePriority.priority", "9"},
    {WEB("") HIGH PP("a", "", PRIORITY("KubePriorityClass", "none")), 0, "spec.schedulePriority", "{}"},
    {WEB("") HIGH PP("a", "", PRIORITY("KubePriorityClass", "low")), 0, "spec.schedulePriority", NULL},
    {WEB("") HIGH PP("a", "", PRIORITY("PodPriorityClass", "high")), 0, "spec.schedulePriority", NULL},
    {WEB("") HIGH PP("a", "", PRIORITY("KubePriorityClass", "low")), BIT(PRIORITY_SCHEDULING), "spec.schedulePriority",
     ""},
    {WEB(", labels: {app: x}") PP("a", "", GROUPS), BIT(WORKLOAD_AFFINITY), "spec.workloadAffinityGroups.affinityGroup",
     "app=x"},
    {WEB(", labels: {app: x}") PP("a", "", GROUPS), BIT(WORKLOAD_AFFINITY),
     "spec.workloadAffinityGroups.antiAffinityGroup", ""},
    {WEB(", labels: {app: x}") PP("a", "", GROUPS), 0, "spec.workloadAffinityGroups", ""},
};

START_TEST(test_members) {
  struct detecting in;
  detecting_open(&in, rows[_i].text, 0, rows[_i].gates);
  pass_over_web(&in, 0, rows[_i].value != NULL ? REBAL_DETECTOR_OUTCOME_CREATED : REBAL_DETECTOR_OUTCOME_ERROR);
  if (rows[_i].value != NULL) {
    assert_member(in.store, in.row.binding, rows[_i].member, rows[_i].value);
  } else {
    ck_assert_uint_eq(binding_of(&in), REBAL_NONE);
    assert_key(&in, web_of(&in), "labels", PP_ID, "id-a"); /* the claim was written before */
  }
  detecting_close(&in);
}
END_TEST

START_TEST(test_components) {
  struct detecting in;
  detecting_open(&in, RAY PP("a", "", RAYS), 0, BIT(MULTIPLE_POD_TEMPLATES));
  pass_over(&in, find(in.store, "RayCluster", "default", "web"), 0, REBAL_DETECTOR_OUTCOME_CREATED);
  assert_member(in.store, in.row.binding, "spec.components", "[{\"name\":\"ray-head\",\"replicas\":1}]");
  assert_member(in.store, in.row.binding, "spec.replicas", "");
  detecting_close(&in);
}
END_TEST

START_TEST(test_namespace_of_requirements) {
  static const char text[] =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: {template: {spec: "
      "{priorityClassName: high, nodeSelector: {a: b}}}}}\n" PP("a", "", DEPLOYMENTS);
  struct detecting in;
  detecting_open(&in, text, 0, BIT(RESOURCE_QUOTA_ESTIMATE));
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CREATED);
  assert_member(in.store, in.row.binding, "spec.replicaRequirements.namespace", "default");
  assert_member(in.store, in.row.binding, "spec.replicaRequirements.priorityClassName", "high");
  detecting_close(&in);
}
END_TEST

START_TEST(test_interpreter_fails) {
  struct detecting in;
  detecting_open(&in,
                 "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: "
                 "{replicas: 2, template: {spec: {volumes: 1}}}}\n" PP("a", "", DEPLOYMENTS),
                 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_ERROR);
  ck_assert_uint_gt(in.row.message_len, 0);
  detecting_close(&in);
}
END_TEST

/* As admission would have stored the policy: an id, and defaults of placement and failover. */
START_TEST(test_admission) {
  static const char text[] = WEB("") "---\n{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: "
                                     "{name: a, namespace: default, uid: u-1}, spec: {" DEPLOYMENTS
                                     ", placement: {replicaScheduling: {}}}}";
  struct detecting in;
  detecting_open(&in, text, REBAL_DETECTOR_FLAG_ADMISSION, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CREATED);
  assert_key(&in, in.row.binding, "labels", PP_ID, "u-1");
  assert_member(in.store, in.row.binding, "spec.placement.replicaScheduling.replicaSchedulingType", "Divided");
  assert_member(in.store, in.row.binding, "spec.schedulerName", "default-scheduler");
  assert_member(in.store, in.row.binding, "spec.conflictResolution", "Abort");
  assert_member(in.store, in.row.binding, "spec.propagateDeps", "");
  detecting_close(&in);
  detecting_open(&in, text, 0, 0);
  pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CREATED);
  assert_key(&in, in.row.binding, "labels", PP_ID, "");
  assert_member(in.store, in.row.binding, "spec.placement.replicaScheduling.replicaSchedulingType", "");
  assert_member(in.store, in.row.binding, "spec.schedulerName", "");
  detecting_close(&in);
}
END_TEST

/* A policy that selects ServiceImports propagates what they depend on. */
START_TEST(test_admission_of_imports) {
  static const struct {
    const char *kind, *propagates;
    uint32_t flags;
  } imports[] = {{"ServiceImport", "true", REBAL_DETECTOR_FLAG_ADMISSION},
                 {"ServiceImport", "", 0},
                 {"ServiceExport", "", REBAL_DETECTOR_FLAG_ADMISSION}};
  for (size_t i = 0; i < sizeof imports / sizeof imports[0]; i++) {
    struct detecting in;
    char text[1024];
    (void)snprintf(text, sizeof text,
                   WEB("") PP("a", "",
                              "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}, {apiVersion: "
                              "multicluster.x-k8s.io/v1alpha1, kind: %s}]"),
                   imports[i].kind);
    detecting_open(&in, text, imports[i].flags, 0);
    pass_over_web(&in, 0, REBAL_DETECTOR_OUTCOME_CREATED);
    assert_member(in.store, in.row.binding, "spec.propagateDeps", imports[i].propagates);
    detecting_close(&in);
  }
}
END_TEST

UNIT_CASE(build) {
  TCase *cases = tcase_create("build");
  tcase_add_loop_test(cases, test_members, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_components);
  tcase_add_test(cases, test_namespace_of_requirements);
  tcase_add_test(cases, test_interpreter_fails);
  tcase_add_test(cases, test_admission);
  tcase_add_test(cases, test_admission_of_imports);
  return cases;
}
