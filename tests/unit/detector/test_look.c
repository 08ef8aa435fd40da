/* SPDX-License-Identifier: MIT */
#include "detecting.h"

#define FOO(spec) OBJECT("example.com/v1", "Foo", "name: web, namespace: default", ", spec: {" spec "}")
#define DIVIDED ", placement: {replicaScheduling: {replicaSchedulingType: Divided}}"
#define FOOS "resourceSelectors: [{apiVersion: example.com/v1, kind: Foo}]"

/* Why a Deployment web of the namespace default gets a binding or none; nothing is written. */
static const struct {
  const char *text;
  uint32_t outcome;
} rows[] = {
    {WEB("") PP("a", "", DEPLOYMENTS), REBAL_DETECTOR_OUTCOME_DONE},
    {WEB("") CPP("a", "", DEPLOYMENTS), REBAL_DETECTOR_OUTCOME_DONE},
    {WEB(""), REBAL_DETECTOR_OUTCOME_WAITING},
    {WEB("") PP("a", "", "dependentOverrides: [o], " DEPLOYMENTS), REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES},
    {WEB(PP_CLAIM("a")) PP("a", "", "resourceSelectors: [{apiVersion: v1, kind: Pod}]"),
     REBAL_DETECTOR_OUTCOME_UNMATCHED},
    {WEB(PP_CLAIM("a")) PP("a", "", "resourceSelectors: [{apiVersion: v1, kind: Pod}]") PP("b", "", DEPLOYMENTS),
     REBAL_DETECTOR_OUTCOME_DONE},
    {WEB(PP_CLAIM("a")) PP("a", ", deletionTimestamp: '2026-01-01T00:00:00Z'", DEPLOYMENTS),
     REBAL_DETECTOR_OUTCOME_DELETING},
    {WEB(PP_CLAIM("a")) PP("a", ", deletionTimestamp: '2026-01-01T00:00:00Z'", DEPLOYMENTS) CPP("b", "", DEPLOYMENTS),
     REBAL_DETECTOR_OUTCOME_DONE},
    {WEB(PP_CLAIM("gone")) PP("b", "", DEPLOYMENTS), REBAL_DETECTOR_OUTCOME_DONE},
    {WEB(", labels: {resourcetemplate.karmada.io/claimed-by: x}") PP("a", "", DEPLOYMENTS),
     REBAL_DETECTOR_OUTCOME_CLAIMED_BY},
    {WEB("") PP("a", "",
                DEPLOYMENTS ", schedulePriority: {priorityClassSource: KubePriorityClass, "
                            "priorityClassName: gone}"),
     REBAL_DETECTOR_OUTCOME_ERROR},
};

START_TEST(test_outcomes) {
  struct detecting in;
  uint64_t changes;
  detecting_open(&in, rows[_i].text, REBAL_DETECTOR_FLAG_ADMISSION, 0);
  changes = rebal_store_change_count(in.store);
  ck_assert_int_eq(rebal_detector_look(in.detector, web_of(&in), &in.row, NULL), REBAL_OK);
  assert_outcome(&in, rows[_i].outcome);
  ck_assert_int_eq(in.row.message_len > 0, rows[_i].outcome == REBAL_DETECTOR_OUTCOME_ERROR ||
                                               rows[_i].outcome == REBAL_DETECTOR_OUTCOME_WAITING_OVERRIDES);
  ck_assert_uint_eq(rebal_store_change_count(in.store), changes);
  for (uint32_t list = 0; list <= REBAL_DETECTOR_LIST_WAITING; list++) {
    ck_assert_uint_eq(rebal_detector_count(in.detector, list), 0);
  }
  detecting_close(&in);
}
END_TEST

START_TEST(test_what_is_skipped) {
  struct detecting in;
  detecting_open(&in,
                 OBJECT("apps/v1", "Deployment", "name: web, namespace: kube-system", "")
                     CPP("a", "", "resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]"),
                 0, 0);
  ck_assert_int_eq(rebal_detector_look(in.detector, find(in.store, "Deployment", "kube-system", "web"), &in.row, NULL),
                   REBAL_OK);
  assert_outcome(&in, REBAL_DETECTOR_OUTCOME_NAMESPACE);
  ck_assert_int_eq(rebal_detector_look(in.detector, find(in.store, "ClusterPropagationPolicy", "", "a"), &in.row, NULL),
                   REBAL_OK);
  assert_outcome(&in, REBAL_DETECTOR_OUTCOME_API);
  ck_assert_int_eq(rebal_detector_look(in.detector, REBAL_NONE, &in.row, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_detector_look(in.detector, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_detector_look(NULL, 0, &in.row, NULL), REBAL_EINVAL);
  detecting_close(&in);
}
END_TEST

/* Only its components are known, which count if the gate is on. */
#define VOLCANO                                                               \
  OBJECT("batch.volcano.sh/v1alpha1", "Job", "name: web, namespace: default", \
         ", spec: {tasks: [{name: t, replicas: 2, template: {spec: {}}}]}")   \
  PP("a", "", "resourceSelectors: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job}]" DIVIDED)

/* A policy divides an object that may have replicas, but their number is unknown: of another group, or with pods. */
static const struct {
  const char *text, *kind, *paths;
  uint32_t flags, gates;
} divided[] = {
    {FOO("size: 4") PP("a", "", FOOS DIVIDED), "Foo", "", REBAL_DETECTOR_NOTE_NO_REPLICAS, 0},
    {FOO("size: 4") PP("a", "", FOOS ", placement: {replicaScheduling: {}}"), "Foo", "",
     REBAL_DETECTOR_NOTE_NO_REPLICAS, 0},
    {FOO("size: 4") PP("a", "", FOOS DIVIDED), "Foo", "Foo=spec.size", 0, 0},
    {FOO("size: 4") PP("a", "", FOOS ", placement: {replicaScheduling: {replicaSchedulingType: Duplicated}}"), "Foo",
     "", 0, 0},
    {FOO("size: 4") PP("a", "", FOOS), "Foo", "", 0, 0},
    {WEB("") PP("a", "", DEPLOYMENTS DIVIDED), "Deployment", "", 0, 0},
    {OBJECT("apps/v1", "DaemonSet", "name: web, namespace: default", ", spec: {template: {}}")
         PP("a", "", "resourceSelectors: [{apiVersion: apps/v1, kind: DaemonSet}]" DIVIDED),
     "DaemonSet", "", REBAL_DETECTOR_NOTE_NO_REPLICAS, 0},
    {OBJECT("batch/v1", "CronJob", "name: web, namespace: default", ", spec: {jobTemplate: {}}")
         PP("a", "", "resourceSelectors: [{apiVersion: batch/v1, kind: CronJob}]" DIVIDED),
     "CronJob", "", REBAL_DETECTOR_NOTE_NO_REPLICAS, 0},
    {OBJECT("v1", "ConfigMap", "name: web, namespace: default", "")
         PP("a", "", "resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]" DIVIDED),
     "ConfigMap", "", 0, 0},
    {OBJECT("networking.k8s.io/v1", "Ingress", "name: web, namespace: default", "")
         PP("a", "", "resourceSelectors: [{apiVersion: networking.k8s.io/v1, kind: Ingress}]" DIVIDED),
     "Ingress", "", 0, 0},
    {VOLCANO, "Job", "", REBAL_DETECTOR_NOTE_NO_REPLICAS, 0},
    {VOLCANO, "Job", "", 0, UINT32_C(1) << REBAL_DETECTOR_GATE_MULTIPLE_POD_TEMPLATES},
};

START_TEST(test_what_is_divided) {
  const rebal_detector_opts opts = {.struct_size = sizeof opts,
                                    .gates = divided[_i].gates,
                                    .replicas_paths = divided[_i].paths,
                                    .replicas_paths_len = REBAL_TERMINATED};
  rebal_detector_row row = {.struct_size = sizeof row};
  rebal_store *store = store_of(divided[_i].text);
  rebal_detector *detector;
  ck_assert_int_eq(rebal_detector_new(store, &opts, &detector, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_detector_look(detector, find(store, divided[_i].kind, "default", "web"), &row, NULL),
                   REBAL_OK);
  ck_assert_uint_eq(row.outcome, REBAL_DETECTOR_OUTCOME_DONE);
  ck_assert_uint_eq(row.flags, divided[_i].flags);
  rebal_detector_free(detector);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(look) {
  TCase *cases = tcase_create("look");
  tcase_add_loop_test(cases, test_outcomes, 0, sizeof rows / sizeof rows[0]);
  tcase_add_test(cases, test_what_is_skipped);
  tcase_add_loop_test(cases, test_what_is_divided, 0, sizeof divided / sizeof divided[0]);
  return cases;
}
