/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#define ONE "subsets: [{name: a}]"
#define OF(version, kind) SPREAD "targetRef: {apiVersion: " version ", kind: " kind ", name: demo}, " ONE "}}"
#define STRATEGY(subsets, strategy) SPREAD TARGET "subsets: [" subsets "], scheduleStrategy: {" strategy "}}}"
#define FILTER(selector) SPREAD TARGET ONE ", targetFilter: {" selector "}}}"
#define WHITE_LIST(text)                                                                                       \
  "{apiVersion: v1, kind: ConfigMap, metadata: {name: kruise-configuration, namespace: kruise-system}, data: " \
  "{WorkloadSpread_Watch_Custom_Workload_WhiteList: '" text "'}}\n---\n"
#define GAMES WHITE_LIST("{\"workloads\": [{\"group\": \"game.io\", \"KIND\": \"GameServerSet\"}]}")
#define RIVAL(name, version) \
  SPREAD_OF("v1beta1", name) "targetRef: {apiVersion: " version ", kind: Deployment, name: demo}, " ONE "}}\n---\n"
#define NOT_PERMITTED "invalid spec.targetRef: TargetReference's GroupKind is not permitted.\n"
#define EMPTY "invalid spec.targetRef: empty TargetReference is not valid for WorkloadSpread.\n"
#define MOST(seconds)                                                                                   \
  "invalid spec.scheduleStrategy.adaptive.rescheduleCriticalSeconds: rescheduleCriticalSeconds < 0 or " \
  "rescheduleCriticalSeconds > " seconds " is not permitted\n"

static const struct admission_row rows[] = {
    /* targets */
    {"", SPREAD ONE "}}", "required spec.targetRef: no targetRef defined in WorkloadSpread\n"},
    {"", SPREAD "targetRef: {}, " ONE "}}", EMPTY},
    {"", SPREAD "targetRef: {apiVersion: apps/v1, kind: Deployment, name: ''}, " ONE "}}", EMPTY},
    {"", OF("apps/v2", "ReplicaSet"), ""},
    {"", OF("batch/v1", "Job"), ""},
    {"", OF("apps.kruise.io/v1beta1", "StatefulSet"), ""},
    {"", OF("v1", "Deployment"), "invalid spec.targetRef: TargetReference is not valid for Deployment.\n"},
    {"", OF("apps/v1/x", "StatefulSet"), "invalid spec.targetRef: TargetReference is not valid for StatefulSet.\n"},
    {"", OF("apps/v1", "CloneSet"), "invalid spec.targetRef: TargetReference is not valid for CloneSet.\n"},
    {"", OF("game.io/v1", "GameServerSet"), NOT_PERMITTED},
    {GAMES, OF("game.io/v1", "GameServerSet"), ""},
    {GAMES, OF("game.io/v1", "Gameserverset"), NOT_PERMITTED},
    {GAMES, OF("game.com/v1", "GameServerSet"), NOT_PERMITTED},
    {GAMES, OF("game.io/v1/v1", "GameServerSet"), NOT_PERMITTED},
    {WHITE_LIST("{"), OF("game.io/v1", "GameServerSet"),
     "internal spec.targetRef: the white list of kruise-configuration cannot be read\n"},
    {WHITE_LIST("{"), OF("apps/v1", "Deployment"), ""},
    /* strategies */
    {"", STRATEGY("{name: a, maxReplicas: 1}, {name: b, maxReplicas: 2}", "type: Adaptive"), ""},
    {"", STRATEGY("{name: a, maxReplicas: 1}, {name: b}", "type: Adaptive, adaptive: {rescheduleCriticalSeconds: 295}"),
     ""},
    {"", STRATEGY("{name: a}", "type: Adaptive, adaptive: {rescheduleCriticalSeconds: 2147483647}"), ""},
    {"", STRATEGY("{name: a}", "type: fixed"),
     "invalid spec.scheduleStrategy.type: ScheduleStrategy's type is not valid\n"},
    {"", STRATEGY("{name: a}, {name: b, maxReplicas: 1}", "adaptive: {rescheduleCriticalSeconds: 296}"),
     "invalid spec.scheduleStrategy.type: the scheduleStrategy's type must be adaptive when using adaptive "
     "scheduleStrategy\n"
     "invalid spec.scheduleStrategy.adaptive: the last subset's maxReplicas must be not specified when using adaptive "
     "scheduleStrategy\n" MOST("295")},
    {"", STRATEGY("{name: a}, {name: b}, {name: c}", "type: Adaptive, adaptive: {rescheduleCriticalSeconds: 148}"),
     MOST("147")},
    {"", STRATEGY("{name: a}", "type: Adaptive, adaptive: {rescheduleCriticalSeconds: -1}"), MOST("2147483647")},
    {"", STRATEGY("{name: a}", "type: Adaptive, adaptive: {rescheduleCriticalSeconds: 0}"), ""},
    /* filters: paths are not examined */
    {"", FILTER("replicasPathList: ['', 'a..b']"), ""},
    {"", FILTER("selector: {matchExpressions: [{key: a, operator: Gt}]}"),
     "invalid spec.targetFilter: \"Gt\" is not a valid label selector operator\n"},
    /* rivals: the version does not count, the first by name is reported */
    {RIVAL("z", "apps/v1") RIVAL("b", "apps/v2"), SUBSETS("{name: a}"),
     "invalid spec.targetRef: ws.spec.targetRef is in conflict with other WorkloadSpread b\n"},
    {RIVAL("ws", "apps/v1") RIVAL("b", "other/v1"), SUBSETS("{name: a}"), ""},
    {SPREAD_OF("v1beta1", "b") ONE "}}", SPREAD ONE "}}",
     "required spec.targetRef: no targetRef defined in WorkloadSpread\n"},
};

START_TEST(test_what_is_reported) {
  assert_row(&rows[_i]);
}
END_TEST

/* ---- updates ---- */

#define METADATA(more) \
  "{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: ws, namespace: ns" more "}, spec: {"
#define OLD METADATA(", uid: u, generation: 5, resourceVersion: '7'") TARGET ONE "}}"

static const struct admission_row updates[] = {
    {OLD, OLD, ""},
    {OLD, METADATA(", uid: u, generation: 4") TARGET ONE "}}",
     "invalid metadata.resourceVersion: must be specified for an update\n"
     "invalid metadata.generation: must not be decremented\n"},
    {OLD,
     "{apiVersion: apps.kruise.io/v1beta1, kind: WorkloadSpread, metadata: {name: x, namespace: other, uid: z, "
     "creationTimestamp: '2026-03-14T09:00:00Z', deletionTimestamp: '2026-03-14T09:00:00Z', "
     "deletionGracePeriodSeconds: 1, resourceVersion: '7', generation: 6}, spec: {" TARGET ONE "}}",
     "invalid metadata.name: field is immutable\ninvalid metadata.namespace: field is immutable\n"
     "invalid metadata.uid: field is immutable\ninvalid metadata.creationTimestamp: field is immutable\n"
     "invalid metadata.deletionTimestamp: field is immutable\n"
     "invalid metadata.deletionGracePeriodSeconds: field is immutable\n"},
    {OLD,
     METADATA(", uid: u, generation: 5, resourceVersion: '7'") "targetRef: {apiVersion: apps/v9, kind: Deployment, "
                                                               "name: demo}, " ONE "}}",
     ""},
    {OLD,
     METADATA(", uid: u, generation: 5, resourceVersion: '7'") "targetRef: {apiVersion: apps/v1, kind: Deployment, "
                                                               "name: other}, " ONE "}}",
     "invalid spec.targetRef: change TargetReference is not permitted for WorkloadSpread\n"},
    {METADATA(", resourceVersion: '7'") ONE "}}", METADATA(", resourceVersion: '7'") TARGET ONE "}}", ""},
};

START_TEST(test_updates) {
  rebal_store *store = store_of(updates[_i].objects);
  assert_stated(store, updates[_i].text, find(store, "WorkloadSpread", "ns", "ws"), updates[_i].stated);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(validate_spread) {
  TCase *cases = tcase_create("validate_spread");
  tcase_add_loop_test(cases, test_what_is_reported, 0, (int)COUNT(rows));
  tcase_add_loop_test(cases, test_updates, 0, (int)COUNT(updates));
  return cases;
}
