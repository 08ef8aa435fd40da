/* SPDX-License-Identifier: MIT */
/* What users reported of how the reference reads WorkloadSpreads: each symptom must not occur here. */
#include "manifest/spread/kruise.h"
#include "spreads.h"

/*
 * openkruise/kruise#1098: validation crashed on a legal object, the guide's own: an adaptive one without maxReplicas,
 * once a percentage elsewhere had been left out.
 */
static const char *const without_limits[] = {
    SPREAD_OF("v1alpha1", "ws") TARGET
    "subsets: [{name: subset-normal, requiredNodeSelectorTerm: {matchExpressions: [{key: app.deploy/zone, operator: "
    "In, values: [normal]}]}}, {name: subset-elastic, requiredNodeSelectorTerm: {matchExpressions: [{key: "
    "app.deploy/zone, operator: In, values: [elastic]}]}}], scheduleStrategy: {type: Adaptive, adaptive: "
    "{rescheduleCriticalSeconds: 30, disableSimulationSchedule: false}}}}",
    SUBSETS("{name: a}, {name: b, maxReplicas: 10%}, {name: c}"),
    SUBSETS("{name: a, maxReplicas: 10%}, {name: b}"),
    SUBSETS("{name: a, maxReplicas: null}, {name: b, maxReplicas: 5}"),
};

START_TEST(test_subsets_without_limit_are_legal) {
  rebal_store *store = store_new();
  rebal_findings *findings = NULL;
  const char *text = without_limits[_i];
  assert_stated(store, text, REBAL_NONE, "");
  ck_assert_int_eq(rebal_manifest_validate(text, strlen(text), NULL, &findings, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_findings_count(findings, REBAL_SEVERITY_ERROR), 0);
  rebal_findings_free(findings);
  rebal_store_free(store);
}
END_TEST

/* openkruise/kruise#1967: a path that ends at a list or map, or is empty, was followed beyond its end. */
static const char *const paths[] = {".", "..", "spec.groups.", "spec.groups.0.", ".spec",
                                    "0", "-1", "spec.groups.", "spec.groups.1",  "spec.groups.0.0"};

START_TEST(test_no_path_is_followed_beyond_its_end) {
  json_t *workload = json_pack("{s:{s:[[]], s:{}}}", "spec", "groups", "empty");
  int32_t replicas = -5;
  ck_assert_int_eq(rebali_path_value(workload, paths[_i], &replicas, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_path_value(NULL, paths[_i], &replicas, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebali_path_value(workload, "", &replicas, NULL), REBAL_OK);
  ck_assert_int_eq(replicas, 0);
  json_decref(workload);
}
END_TEST

/* openkruise/kruise#2523, #2569: a Job without parallelism, or a workload without replicas, crashed the count. */
static const struct {
  const char *api_version, *kind;
} unstated[] = {{"batch/v1", "Job"},
                {"apps/v1", "Deployment"},
                {"apps/v1", "ReplicaSet"},
                {"apps/v1", "StatefulSet"},
                {"apps.kruise.io/v1alpha1", "CloneSet"}};

START_TEST(test_replicas_that_are_not_stated_are_one) {
  json_t *spec = json_pack("{s:{s:s, s:s}, s:[{s:s}]}", "targetRef", "apiVersion", unstated[_i].api_version, "kind",
                           unstated[_i].kind, "subsets", "maxReplicas", "50%");
  json_t *workload = json_pack("{s:s, s:{}}", "apiVersion", unstated[_i].api_version, "spec");
  int32_t replicas = -5;
  ck_assert_int_eq(rebali_admission_replicas(spec, workload, NULL, &replicas, NULL), REBAL_OK);
  ck_assert_int_eq(replicas, 1);
  ck_assert_int_eq(rebali_workload_replicas(spec, workload), 1);
  ck_assert_int_eq(rebali_workload_replicas(spec, NULL), 0);
  json_decref(workload);
  json_decref(spec);
}
END_TEST

UNIT_CASE(reports) {
  TCase *cases = tcase_create("reports");
  tcase_add_loop_test(cases, test_subsets_without_limit_are_legal, 0, (int)COUNT(without_limits));
  tcase_add_loop_test(cases, test_no_path_is_followed_beyond_its_end, 0, (int)COUNT(paths));
  tcase_add_loop_test(cases, test_replicas_that_are_not_stated_are_one, 0, (int)COUNT(unstated));
  return cases;
}
