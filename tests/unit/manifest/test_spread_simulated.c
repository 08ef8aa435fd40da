/* SPDX-License-Identifier: MIT */
#include "../../support/allocator.h"
#include "admissions.h"

#include <stdio.h>

#define NODE_OF(name, zone, cpu)                                                      \
  "---\n{apiVersion: v1, kind: Node, metadata: {name: " name ", labels: {zone: " zone \
  "}}, status: {allocatable: {cpu: '" cpu "', pods: '9'}}}\n"
#define IN_ZONE(zone) "requiredNodeSelector: {matchExpressions: [{key: zone, operator: In, values: [" zone "]}]}"
#define BOUND(name, node)                                                                                 \
  "---\n{apiVersion: v1, kind: Pod, metadata: {name: " name ", namespace: other}, spec: {nodeName: " node \
  ", containers: [{name: c, resources: {requests: {cpu: '1'}}}]}}\n"
#define ADAPTIVE_SPREAD(subsets)                                                                                  \
  OBJECT_OF("apps.kruise.io/v1beta1", "WorkloadSpread", "ws")                                                     \
  "}, spec: {targetRef: {apiVersion: apps/v1, kind: ReplicaSet, name: demo}, scheduleStrategy: {type: Adaptive, " \
  "adaptive: {}}, subsets: [" subsets "]}}\n"
#define REQUESTING(name)                           \
  "{metadata: {namespace: ns, name: " name OF_DEMO \
  "}, spec: {containers: [{name: c, resources: {requests: {cpu: '1'}}}]}}"
#define ZONES NODE_OF("n1", "a", "1") NODE_OF("n2", "b", "2")
#define THREE "{name: a, " IN_ZONE("a") "}, {name: b, " IN_ZONE("b") "}, {name: c}"

/* The fleet has the store's nodes a second time, in a cluster of their own, where pods take capacity. */
static uint32_t feed_nodes(struct admission *admission, rebal_snapshot **snapshot) {
  rebal_fleet *fleet = admission->feeding.fleet;
  uint32_t cluster = REBAL_NONE;
  ck_assert_int_eq(rebal_fleet_add_cluster(fleet, "nodes", 5, &cluster, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_member(admission->feeding.store, fleet, cluster, NULL, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, snapshot, NULL), REBAL_OK);
  return cluster;
}

/* Subsets of pods p, q, r and s that each request a cpu. */
static const struct {
  const char *objects;
  int has_option, has_ledger;
  const char *subsets;
} rows[] = {
    {ZONES DEMO ADAPTIVE_SPREAD(THREE), 0, 1, "0 0 0 0 "},
    {ZONES DEMO DEMO_SPREAD(THREE), 1, 1, "0 0 0 0 "},
    {ZONES DEMO ADAPTIVE_SPREAD(THREE), 1, 0, "0 0 0 0 "},
    {ZONES DEMO ADAPTIVE_SPREAD(THREE), 1, 1, "0 1 1 -1 "}, /* no node is left for c either */
    {ZONES BOUND("x", "n2") DEMO ADAPTIVE_SPREAD(THREE), 1, 1, "0 1 -1 -1 "},
    /* requests of the patch count; if it cannot be merged, nodes are not examined */
    {ZONES DEMO ADAPTIVE_SPREAD(
         "{name: a, patch: {spec: {containers: [{name: c, resources: {requests: {cpu: '2'}}}]}}}, {name: b}"),
     1, 1, "0 1 -1 -1 "},
    {NODE_OF("n1", "a", "4") DEMO ADAPTIVE_SPREAD("{name: a}, {name: b, patch: [x]}"), 1, 1, "0 0 0 0 "},
};

START_TEST(test_capacities) {
  struct admission admission = admission_open(rows[_i].objects);
  const rebal_time now = time_of(NOW);
  rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts};
  struct rebali_buffer subsets = REBALI_BUFFER;
  rebal_ledger *ledger = NULL;
  rebal_compat *compat = NULL;
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_SPREAD_SIMULATION, rows[_i].has_option, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ledger_new(admission.feeding.fleet, NULL, &ledger, NULL), REBAL_OK);
  opts.cluster = feed_nodes(&admission, &opts.snapshot);
  opts.compat = compat;
  opts.ledger = rows[_i].has_ledger ? ledger : NULL;
  rebali_buffer_text(&subsets, "");
  for (const char *name = "pqrs"; *name != '\0'; name++) {
    const char pod[] = REQUESTING("?");
    char text[sizeof pod], subset[32];
    (void)snprintf(text, sizeof text, "%s", pod);
    *strchr(text, '?') = *name;
    ck_assert_int_eq(rebal_spread_feed_admit(admission.ctx, admission.feeding.feed,
                                             &(rebal_pod_request){sizeof(rebal_pod_request), REBAL_OPERATION_CREATE,
                                                                  text, strlen(text), NULL, 0},
                                             &now, &opts, admission.result, admission.text, NULL),
                     REBAL_OK);
    (void)snprintf(subset, sizeof subset, "%d ",
                   admission_cell(&admission, REBAL_ADMITTED_SUBSET) == REBAL_ABSENT
                       ? -1
                       : (int)admission_cell(&admission, REBAL_ADMITTED_SUBSET));
    rebali_buffer_text(&subsets, subset);
  }
  ck_assert_str_eq(subsets.bytes, rows[_i].subsets);
  rebali_buffer_dispose(&subsets);
  rebal_ledger_free(ledger);
  rebal_compat_free(compat);
  rebal_snapshot_unref(opts.snapshot);
  admission_close(&admission);
}
END_TEST

/* Pods that no WorkloadSpread takes, and deleted pods, need no nodes. */
START_TEST(test_nothing_to_query) {
  struct admission admission = admission_open(ZONES DEMO ADAPTIVE_SPREAD(THREE));
  const rebal_time now = time_of(NOW);
  rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_compat *compat = NULL;
  const char *pods[] = {"{metadata: {namespace: ns, name: alone}}", REQUESTING("p")};
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_SPREAD_SIMULATION, 1, NULL), REBAL_OK);
  opts.compat = compat;
  opts.cluster = feed_nodes(&admission, &opts.snapshot);
  for (uint32_t i = 0; i < COUNT(pods); i++) {
    ck_assert_int_eq(
        rebal_spread_feed_admit(
            admission.ctx, admission.feeding.feed,
            &(rebal_pod_request){sizeof(rebal_pod_request), i == 0 ? REBAL_OPERATION_CREATE : REBAL_OPERATION_DELETE,
                                 pods[i], strlen(pods[i]), NULL, 0},
            &now, &opts, admission.result, admission.text, NULL),
        REBAL_OK);
    ck_assert_int_eq(admission_cell(&admission, REBAL_ADMITTED_OUTCOME), REBAL_ADMIT_OUTCOME_LEFT_ALONE);
  }
  rebal_compat_free(compat);
  rebal_snapshot_unref(opts.snapshot);
  admission_close(&admission);
}
END_TEST

/* The fleet and what is admitted with run out of memory; the store does not. */
static int32_t admit_in_need(const rebal_allocator *allocator, void *user_data) {
  const rebal_time now = time_of(NOW);
  const char *pod = REQUESTING("p");
  rebal_admit_opts opts = {.struct_size = (uint32_t)sizeof opts};
  rebal_fleet *fleet = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  rebal_spread_feed *feed = NULL;
  rebal_compat *compat = NULL;
  rebal_text *text = NULL;
  uint32_t cluster = 0;
  int32_t code = rebal_fleet_new(allocator, &fleet, NULL);
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_SPREAD_SIMULATION, 1, NULL), REBAL_OK);
  opts.compat = compat;
  code = code == REBAL_OK ? rebal_fleet_add_cluster(fleet, "here", 4, &cluster, NULL) : code;
  code = code == REBAL_OK ? rebal_ctx_new(allocator, NULL, &ctx, NULL) : code;
  code = code == REBAL_OK ? rebal_result_new(allocator, &result, NULL) : code;
  code = code == REBAL_OK ? rebal_spread_feed_new(user_data, fleet, cluster, &feed, NULL) : code;
  code = code == REBAL_OK ? rebal_spread_feed_update(feed, NULL) : code;
  code = code == REBAL_OK ? rebal_fleet_freeze(fleet, &opts.snapshot, NULL) : code;
  code = code == REBAL_OK
             ? rebal_spread_feed_admit(
                   ctx, feed,
                   &(rebal_pod_request){sizeof(rebal_pod_request), REBAL_OPERATION_CREATE, pod, strlen(pod), NULL, 0},
                   &now, &opts, result, text, NULL)
             : code;
  ck_assert((*rebal_text_bytes(text, NULL) != '\0') == (code == REBAL_OK));
  rebal_snapshot_unref(opts.snapshot);
  rebal_compat_free(compat);
  rebal_text_free(text);
  rebal_spread_feed_free(feed);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_fleet_free(fleet);
  return code;
}

START_TEST(test_failing_allocations) {
  rebal_store *store = store_of(ZONES DEMO ADAPTIVE_SPREAD(THREE));
  ck_assert_pstr_eq(test_torture(admit_in_need, store), NULL);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(spread_simulated) {
  TCase *cases = tcase_create("spread_simulated");
  tcase_set_tags(cases, "allocator"); /* fails by itself: not beside tests/memory/scarce.c */
  tcase_add_loop_test(cases, test_capacities, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_nothing_to_query);
  tcase_add_test(cases, test_failing_allocations);
  return cases;
}
