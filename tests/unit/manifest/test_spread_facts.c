/* SPDX-License-Identifier: MIT */
/* Facts of workloads, by the results of a pass: pods of the latest version cost most in the first subset. */
#include "feeds.h"

#include <stdio.h>

#define IMAGE(name) "{spec: {containers: [{name: main, image: " name "}]}}"
#define DEPLOYMENT_TEMPLATE(image) DEPLOYMENT_OF("demo", "uid-demo", "9", IMAGE(image))
#define OLD_SET(image) REPLICA_SET_OF("demo-old", "uid-old", "2026-01-01T00:00:00Z", "old", IMAGE(image))
#define NEW_SET(image) REPLICA_SET_OF("demo-new", "uid-new", "2026-01-02T00:00:00Z", "new", IMAGE(image))
#define IN_A ", annotations: {apps.kruise.io/matched-workloadspread: '{\"name\":\"ws\",\"subset\":\"a\"}'}"
#define POD_IN_A(name, kind, owner, uid, labels) POD_OF(name, kind, owner, uid, IN_A ", labels: {" labels "}")
#define PODS                                                                   \
  POD_IN_A("p", "ReplicaSet", "demo-old", "uid-old", "pod-template-hash: old") \
  POD_IN_A("q", "ReplicaSet", "demo-new", "uid-new", "pod-template-hash: new")
#define FOR_DEPLOYMENT SPREAD_FOR("ws", "apps/v1", "Deployment", "demo", "")
#define ALONE(labels)                        \
  OBJECT_OF("apps/v1", "ReplicaSet", "demo") \
  ", uid: u, labels: {" labels "}}, spec: {replicas: 9}}\n" SPREAD_FOR("ws", "apps/v1", "ReplicaSet", "demo", "")
#define CLONE_SET(generation, status)                                                                    \
  OBJECT_OF("apps.kruise.io/v1alpha1", "CloneSet", "demo")                                               \
  ", uid: u, generation: " generation "}, spec: {replicas: 9}, status: {" status                         \
  "}}\n" SPREAD_FOR("ws", "apps.kruise.io/v1alpha1", "CloneSet", "demo", "") OBJECT_OF("v1", "Pod", "p") \
      OWNED_BY("apps.kruise.io/v1alpha1", "CloneSet", "demo", "u") IN_A                                  \
      ", labels: {controller-revision-hash: demo-r1}}}\n" OBJECT_OF("v1", "Pod", "q")                    \
          OWNED_BY("apps.kruise.io/v1alpha1", "CloneSet", "demo", "u") IN_A                              \
      ", labels: {controller-revision-hash: demo-r2}}}\n"

static const struct {
  const char *objects;
  uint32_t option;      /* 0: none */
  const char *reported; /* costs of pods by name, then the message of a pass that waits for the version */
} rows[] = {
    /* the ReplicaSet that has the template; of two the older one */
    {DEPLOYMENT_TEMPLATE("b") OLD_SET("a") NEW_SET("b") PODS FOR_DEPLOYMENT, 0, "p=100 q=200 "},
    {DEPLOYMENT_TEMPLATE("a") OLD_SET("a") NEW_SET("b") PODS FOR_DEPLOYMENT, 0, "p=200 q=100 "},
    {DEPLOYMENT_TEMPLATE("a") NEW_SET("a") OLD_SET("a") PODS FOR_DEPLOYMENT, 0, "p=200 q=100 "},
    {DEPLOYMENT_TEMPLATE("c") OLD_SET("a") NEW_SET("b") PODS FOR_DEPLOYMENT, 0,
     "p q Deployment.apps \"ns/demo latest version\" not found"},
    /* a ReplicaSet has a version of its own; without one the order is reversed, unless the option forbids it */
    {ALONE("pod-template-hash: old") POD_IN_A("p", "ReplicaSet", "demo", "u", "pod-template-hash: old"), 0, "p=200 "},
    {ALONE("") POD_IN_A("p", "ReplicaSet", "demo", "u", ""), 0, "p=100 "},
    {ALONE("") POD_IN_A("p", "ReplicaSet", "demo", "u", ""), REBAL_OPTION_SPREAD_REPLICA_SET_ORDER, "p=200 "},
    /* pods of a CloneSet are of one version, unless the option distinguishes its revisions */
    {CLONE_SET("1", "observedGeneration: 1, updateRevision: demo-r2"), 0, "p=200 q=200 "},
    {CLONE_SET("1", "observedGeneration: 1, updateRevision: demo-r2"), REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS,
     "p=100 q=200 "},
    {CLONE_SET("1", "observedGeneration: 1, updateRevision: r1"), REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS,
     "p=200 q=100 "},
    {CLONE_SET("2", "observedGeneration: 1, updateRevision: demo-r2"), 0, "p=200 q=200 "},
    {CLONE_SET("2", "observedGeneration: 1, updateRevision: demo-r2"), REBAL_OPTION_SPREAD_CLONE_SET_VERSIONS,
     "p q CloneSet.apps.kruise.io \"ns/demo latest version\" not found"},
};

static void report_pod(const rebal_pods *pods, const rebal_result *result, uint32_t pod, struct rebali_buffer *out) {
  size_t n;
  const int64_t *of = rebal_result_i64(result, REBAL_GROUPED_POD, &n);
  const int64_t *costs = rebal_result_i64(result, REBAL_GROUPED_COST, NULL);
  char cost[32];
  for (size_t i = 0; i < n; i++) {
    if (of[i] == pod) {
      rebali_buffer_text(
          out, rebal_cells_get_text(rebal_pods_const_cells(pods), REBAL_SPREAD_POD_NAME, REBAL_NONE, pod, NULL));
      (void)snprintf(cost, sizeof cost, "=%lld ", (long long)costs[i]);
      rebali_buffer_text(out, costs[i] == REBAL_ABSENT ? " " : cost);
    }
  }
}

START_TEST(test_latest_versions) {
  struct feeding feeding = feeding_open(rows[_i].objects);
  const uint32_t object = find(feeding.store, "WorkloadSpread", "ns", "ws");
  const rebal_time now = {1790000000, 0, 1};
  rebal_spread_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct rebali_buffer reported = REBALI_BUFFER;
  rebal_compat *compat = NULL;
  rebal_result *result = NULL;
  rebal_ctx *ctx = NULL;
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  if (rows[_i].option != 0) {
    ck_assert_int_eq(rebal_compat_set(compat, rows[_i].option, 1, NULL), REBAL_OK);
  }
  opts.compat = compat;
  ck_assert_int_eq(rebal_spread_feed_step(ctx, feeding.feed, object, &now, &opts, result, NULL), REBAL_OK);
  rebali_buffer_text(&reported, "");
  report_pod(feeding.feed->pods, result, row_of(&feeding, "p"), &reported);
  if (rebali_feed_find(feeding.feed, object)->n_rows > 1) {
    report_pod(feeding.feed->pods, result, row_of(&feeding, "q"), &reported);
  }
  rebali_buffer_text(&reported, rebal_result_text(result, REBAL_STEP_MESSAGE, 0, NULL));
  ck_assert_str_eq(reported.bytes, rows[_i].reported);
  rebali_buffer_dispose(&reported);
  rebal_ctx_free(ctx);
  rebal_result_free(result);
  rebal_compat_free(compat);
  feeding_close(&feeding);
}
END_TEST

/* ---- facts follow the store: limits in percent show them ---- */

#define HALF(version, kind, rest)                              \
  OBJECT_OF("apps.kruise.io/v1beta1", "WorkloadSpread", "ws")  \
  "}, spec: {targetRef: {apiVersion: " version ", kind: " kind \
  ", name: demo}, subsets: [{name: a, maxReplicas: '50%'"      \
  "}, {name: b}]" rest "}}\n"
#define TEMPLATE(image) "template: {spec: {containers: [{name: main, image: " image "}]}}"
#define DEPLOYMENT(replicas, image) \
  OBJECT_OF("apps/v1", "Deployment", "demo") ", uid: u}, spec: {replicas: " replicas ", " TEMPLATE(image) "}}\n"
#define REPLICA_SET(name, image)           \
  OBJECT_OF("apps/v1", "ReplicaSet", name) \
  ", labels: {pod-template-hash: " name    \
  "}" OWNED_BY("apps/v1", "Deployment", "demo", "u") "}, spec: {" TEMPLATE(image) "}}\n"
#define CUSTOM(spec) OBJECT_OF("game.io/v1", "Servers", "demo") ", uid: u}, spec: {" spec "}}\n"
#define WHITE_LIST(version)                                                                                        \
  OBJECT_OF("v1", "ConfigMap", "kruise-configuration")                                                             \
  "}, data: {WorkloadSpread_Watch_Custom_Workload_WhiteList: '{\"workloads\":[{\"Group\":\"game.io\",\"Version\":" \
  "\"" version "\",\"Kind\":\"Servers\",\"replicasPath\":\"spec.size\"}]}'}}\n"

/* The limit of the first subset, or the text of the error. */
static void assert_limit(const struct feeding *feeding, const char *wanted) {
  const rebal_time now = {1790000000, 0, 1};
  const uint32_t object = find(feeding->store, "WorkloadSpread", "ns", "ws"), none = 0;
  const rebal_spread_opts opts = {.struct_size = sizeof opts, .rows = &none}; /* no pods */
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  char text[24];
  const char *found = text;
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_step(ctx, NULL, rebal_spread_feed_spread(feeding->feed, object),
                                     rebal_spread_feed_pods(feeding->feed), &now, &opts, result, NULL),
                   REBAL_OK);
  if (rebal_result_i64(result, REBAL_STEP_STATE, NULL)[0] == REBAL_STEP_STATE_DONE) {
    snprintf(text, sizeof text, "%d", (int)rebal_result_i64(result, REBAL_SUBSET_COUNT_WANTED, NULL)[0]);
  } else {
    found = rebal_result_text(result, REBAL_STEP_MESSAGE, 0, NULL);
  }
  ck_assert_msg(strcmp(found, wanted) == 0, "%s instead of %s", found, wanted);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
}

START_TEST(test_replicas_follow_the_workload) {
  struct feeding feeding = feeding_open(HALF("apps/v1", "ReplicaSet", ""));
  assert_limit(&feeding, "0");
  feeding_load(&feeding, OBJECT_OF("apps/v1", "ReplicaSet", "demo") "}, spec: {replicas: 4}}\n");
  assert_limit(&feeding, "2");
  feeding_load(&feeding, OBJECT_OF("apps/v1", "ReplicaSet", "demo") "}, spec: {replicas: 8}}\n");
  assert_limit(&feeding, "4");
  feeding_delete(&feeding, "ReplicaSet", "demo");
  assert_limit(&feeding, "0");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_paths_of_the_filter_come_first) {
  struct feeding feeding = feeding_open(HALF("game.io/v1", "Servers",
                                             ", targetFilter: {replicasPathList: [spec.a, "
                                             "spec.b.0]}") CUSTOM("a: 2, b: [4]"));
  assert_limit(&feeding, "3");
  feeding_load(&feeding, CUSTOM("a: 2, b: []"));
  assert_limit(&feeding, "index 0 out of range");
  feeding_load(&feeding, CUSTOM("a: 2, b: [6]"));
  assert_limit(&feeding, "4");
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_the_white_list_holds_paths_of_other_kinds) {
  struct feeding feeding = feeding_open(HALF("game.io/v1", "Servers", "") CUSTOM("replicas: 2, size: 6"));
  assert_limit(&feeding, "1");
  feeding_load(&feeding, WHITE_LIST("v1"));
  assert_limit(&feeding, "3");
  feeding_load(&feeding, WHITE_LIST("v2"));
  assert_limit(&feeding, "1");
  feeding_load(&feeding, OBJECT_OF("v1", "ConfigMap", "kruise-configuration") "}, data: "
                         "{WorkloadSpread_Watch_Custom_Workload_WhiteList: '{'}}\n");
  assert_limit(&feeding, "1");
  feeding_close(&feeding);
}
END_TEST

static const char none[] = "Deployment.apps \"ns/demo latest version\" not found";

START_TEST(test_a_deployment_has_a_latest_version_once_a_replica_set_has_its_template) {
  struct feeding feeding = feeding_open(HALF("apps/v1", "Deployment", "") DEPLOYMENT("4", "a"));
  assert_limit(&feeding, none);
  feeding_load(&feeding, REPLICA_SET("x", "a"));
  assert_limit(&feeding, "2");
  feeding_load(&feeding, DEPLOYMENT("4", "b"));
  assert_limit(&feeding, none);
  feeding_load(&feeding, REPLICA_SET("z", "b"));
  assert_limit(&feeding, "2");
  feeding_delete(&feeding, "ReplicaSet", "z");
  assert_limit(&feeding, none);
  feeding_close(&feeding);
}
END_TEST

/* A ReplicaSet counts with replicas 0 as well, when no pods are examined. */
START_TEST(test_replica_sets_count_without_replicas) {
  struct feeding feeding = feeding_open(HALF("apps/v1", "Deployment", "") DEPLOYMENT("0", "a"));
  assert_limit(&feeding, none);
  feeding_load(&feeding, REPLICA_SET("x", "a"));
  assert_limit(&feeding, "0");
  feeding_close(&feeding);
}
END_TEST

UNIT_CASE(spread_facts) {
  TCase *cases = tcase_create("spread_facts");
  tcase_add_loop_test(cases, test_latest_versions, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_replicas_follow_the_workload);
  tcase_add_test(cases, test_paths_of_the_filter_come_first);
  tcase_add_test(cases, test_the_white_list_holds_paths_of_other_kinds);
  tcase_add_test(cases, test_a_deployment_has_a_latest_version_once_a_replica_set_has_its_template);
  tcase_add_test(cases, test_replica_sets_count_without_replicas);
  return cases;
}
