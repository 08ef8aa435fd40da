/* SPDX-License-Identifier: MIT */
/* Facts of workloads, by what a pass makes of them: pods of the latest version cost most in the first subset. */
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
  uint32_t option;  /* 0: none */
  const char *told; /* costs of pods by name, then what a pass that waits for the version says */
} rows[] = {
    /* the ReplicaSet that has the template; of two the older one */
    {DEPLOYMENT_TEMPLATE("b") OLD_SET("a") NEW_SET("b") PODS FOR_DEPLOYMENT, 0, "p=100 q=200 "},
    {DEPLOYMENT_TEMPLATE("a") OLD_SET("a") NEW_SET("b") PODS FOR_DEPLOYMENT, 0, "p=200 q=100 "},
    {DEPLOYMENT_TEMPLATE("a") NEW_SET("a") OLD_SET("a") PODS FOR_DEPLOYMENT, 0, "p=200 q=100 "},
    {DEPLOYMENT_TEMPLATE("c") OLD_SET("a") NEW_SET("b") PODS FOR_DEPLOYMENT, 0,
     "p q Deployment.apps \"ns/demo latest version\" not found"},
    /* a ReplicaSet says its version itself; one that does not reverses the order, unless the option forbids it */
    {ALONE("pod-template-hash: old") POD_IN_A("p", "ReplicaSet", "demo", "u", "pod-template-hash: old"), 0, "p=200 "},
    {ALONE("") POD_IN_A("p", "ReplicaSet", "demo", "u", ""), 0, "p=100 "},
    {ALONE("") POD_IN_A("p", "ReplicaSet", "demo", "u", ""), REBAL_QUIRK_SPREAD_REPLICA_SET_ORDER, "p=200 "},
    /* pods of a CloneSet are of one version, unless the option tells its revisions apart */
    {CLONE_SET("1", "observedGeneration: 1, updateRevision: demo-r2"), 0, "p=200 q=200 "},
    {CLONE_SET("1", "observedGeneration: 1, updateRevision: demo-r2"), REBAL_QUIRK_SPREAD_CLONE_SET_VERSIONS,
     "p=100 q=200 "},
    {CLONE_SET("1", "observedGeneration: 1, updateRevision: r1"), REBAL_QUIRK_SPREAD_CLONE_SET_VERSIONS,
     "p=200 q=100 "},
    {CLONE_SET("2", "observedGeneration: 1, updateRevision: demo-r2"), 0, "p=200 q=200 "},
    {CLONE_SET("2", "observedGeneration: 1, updateRevision: demo-r2"), REBAL_QUIRK_SPREAD_CLONE_SET_VERSIONS,
     "p q CloneSet.apps.kruise.io \"ns/demo latest version\" not found"},
};

static void tell_pod(const rebal_pods *pods, const rebal_result *result, uint32_t pod, struct rebali_output *out) {
  size_t n;
  const int64_t *of = rebal_result_i64(result, REBAL_GROUPED_POD, &n);
  const int64_t *costs = rebal_result_i64(result, REBAL_GROUPED_COST, NULL);
  char cost[32];
  for (size_t i = 0; i < n; i++) {
    if (of[i] == pod) {
      rebali_output_text(out, rebal_pods_text(pods, REBAL_SPREAD_POD_NAME, pod, NULL));
      (void)snprintf(cost, sizeof cost, "=%lld ", (long long)costs[i]);
      rebali_output_text(out, costs[i] == REBAL_ABSENT ? " " : cost);
    }
  }
}

START_TEST(test_latest_versions) {
  struct feeding feeding = feeding_open(rows[_i].objects);
  const uint32_t object = find(feeding.store, "WorkloadSpread", "ns", "ws");
  const rebal_time now = {1790000000, 0, 1};
  rebal_spread_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct rebali_output told = {NULL, 0, 0, 0};
  rebal_compat *compat = NULL;
  rebal_result *result = NULL;
  rebal_ctx *ctx = NULL;
  const uint32_t *pods;
  size_t n = 0;
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  if (rows[_i].option != 0) {
    ck_assert_int_eq(rebal_compat_set(compat, rows[_i].option, 1, NULL), REBAL_OK);
  }
  opts.compat = compat;
  pods = rebal_spread_feed_rows(feeding.feed, object, &n);
  ck_assert_int_eq(rebal_spread_step(ctx, NULL, 0, rebal_spread_feed_spread(feeding.feed, object),
                                     rebal_spread_feed_pods(feeding.feed), pods, n, &now, &opts, result, NULL),
                   REBAL_OK);
  rebali_output_text(&told, "");
  tell_pod(feeding.feed->pods, result, row_of(&feeding, "p"), &told);
  if (n > 1) {
    tell_pod(feeding.feed->pods, result, row_of(&feeding, "q"), &told);
  }
  rebali_output_text(&told, rebal_result_text(result, REBAL_STEP_MESSAGE, 0, NULL));
  ck_assert_str_eq(told.bytes, rows[_i].told);
  rebali_output_dispose(&told);
  rebal_ctx_free(ctx);
  rebal_result_free(result);
  rebal_compat_free(compat);
  feeding_close(&feeding);
}
END_TEST

UNIT_CASE(spread_facts) {
  TCase *cases = tcase_create("spread_facts");
  tcase_add_loop_test(cases, test_latest_versions, 0, (int)COUNT(rows));
  return cases;
}
