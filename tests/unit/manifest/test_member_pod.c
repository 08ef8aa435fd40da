/* SPDX-License-Identifier: MIT */
#include "members.h"

#define NODE "apiVersion: v1\nkind: Node\nmetadata: {name: node1}\nstatus: {allocatable: {cpu: 8, pods: 10}}\n"
#define POD(name, metadata, spec, status) \
  "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name metadata "}\nspec: {" spec "}\nstatus: {" status "}\n"
#define REQUESTS(cpu) "containers: [{resources: {requests: {cpu: " cpu "}}}]"

static int64_t cell(const rebal_snapshot *snapshot, uint32_t column, uint32_t row) {
  return rebal_cells_get_i64(rebal_snapshot_cells(snapshot), column, 0, row);
}

static const char *text(const rebal_snapshot *snapshot, uint32_t column, uint32_t row) {
  return rebal_cells_get_text(rebal_snapshot_cells(snapshot), column, 0, row, NULL);
}

static int64_t used(rebal_fleet *fleet, const rebal_snapshot *snapshot, uint32_t node, const char *resource) {
  uint32_t id = REBAL_NONE;
  ck_assert_int_eq(rebal_fleet_resource_id(fleet, resource, strlen(resource), &id, NULL), REBAL_OK);
  return rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATED, 0, node, id);
}

START_TEST(test_pods_become_rows) {
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot = feed_member(
      fleet, NODE POD("b",
                      ", namespace: shop, labels: {app: web}, ownerReferences: [{kind: X, uid: x}, {kind: ReplicaSet, "
                      "uid: rs-1, controller: true}]",
                      "nodeName: node1, priority: -7, " REQUESTS("500m"),
                      "phase: Running, conditions: [{type: PodScheduled, status: 'True'}, {type: Ready, status: "
                      "'True'}]") POD("a", "", "", ""));
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, 0), 2);
  ck_assert_int_eq(cell(snapshot, REBAL_POD_NODE, 1), 0);
  ck_assert_str_eq(text(snapshot, REBAL_POD_NAMESPACE, 1), "shop");
  ck_assert_str_eq(text(snapshot, REBAL_POD_CONTROLLER_UID, 1), "rs-1");
  ck_assert_int_eq(cell(snapshot, REBAL_POD_PRIORITY, 1), -7);
  ck_assert_int_eq(cell(snapshot, REBAL_POD_READY, 1), 1);
  ck_assert_int_eq(cell(snapshot, REBAL_POD_TERMINAL, 1), 0);
  ck_assert_int_ne(cell(snapshot, REBAL_POD_LABELS, 1), REBAL_ABSENT);
  ck_assert_int_eq(cell(snapshot, REBAL_POD_NODE, 0), REBAL_ABSENT);
  ck_assert_str_eq(text(snapshot, REBAL_POD_NAMESPACE, 0), "default");
  ck_assert_str_eq(text(snapshot, REBAL_POD_CONTROLLER_UID, 0), "");
  ck_assert_int_eq(cell(snapshot, REBAL_POD_PRIORITY, 0), 0);
  ck_assert_int_eq(cell(snapshot, REBAL_POD_READY, 0), 0);
  ck_assert_int_eq(cell(snapshot, REBAL_POD_LABELS, 0), REBAL_ABSENT);
  ck_assert_int_eq(used(fleet, snapshot, 0, "cpu"), 500);
  ck_assert_int_eq(used(fleet, snapshot, 0, "pods"), 1);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

/* What a pod with this spec and status takes of cpu on its node. */
static const struct {
  const char *pod;
  int64_t cpu, pods;
} takers[] = {
    {POD("p", "",
         "nodeName: node1, containers: [{resources: {requests: {cpu: 0.0005}}}, {resources: {requests: {cpu: "
         "0.0005}}}]",
         ""),
     2, 1},
    {POD("p", "", "nodeName: node1, initContainers: [{resources: {requests: {cpu: 2}}}], " REQUESTS("1"), ""), 2000, 1},
    {POD("p", "",
         "nodeName: node1, initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 2}}}], " REQUESTS("1"),
         ""),
     2000, 1}, /* a sidecar runs beside the containers, and is yet counted as what ends before them */
    {POD("p", "", "nodeName: node1, overhead: {cpu: 100m}, " REQUESTS("1"), ""), 1100, 1},
    {POD("p", "", "nodeName: node1, containers: [{name: c}, {resources: {limits: {cpu: 3}}}]", ""), 0, 1},
    {POD("p", "", "nodeName: node1, " REQUESTS("1"), "phase: Succeeded"), 0, 0},
    {POD("p", "", "nodeName: node1, " REQUESTS("1"), "phase: Failed"), 0, 0},
    {POD("p", "", "nodeName: node1, " REQUESTS("1"), "phase: Pending"), 1000, 1},
    {POD("p", "", REQUESTS("1"), "phase: Pending"), 0, 0},
    {POD("p", "", "nodeName: '', " REQUESTS("1"), ""), 0, 0},
    {POD("p", "", "nodeName: elsewhere, " REQUESTS("1"), ""), 0, 0}, /* an unknown node: it would count there */
};

START_TEST(test_what_pods_take) {
  char pods[1024];
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot;
  (void)snprintf(pods, sizeof pods, "%s%s", NODE, takers[_i].pod);
  snapshot = feed_member(fleet, pods);
  ck_assert_int_eq(used(fleet, snapshot, 0, "cpu"), takers[_i].cpu);
  ck_assert_int_eq(used(fleet, snapshot, 0, "pods"), takers[_i].pods);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

#define SINCE "lastTransitionTime: '2026-03-14T09:00:00.9Z'"
#define WAITS "type: PodScheduled, status: 'False', reason: Unschedulable"
static const struct {
  const char *conditions;
  int64_t since; /* 0: it does not wait */
} waiting[] = {
    {"{" WAITS ", " SINCE "}", 1773478800},
    {"{type: Ready, status: 'False'}, {" WAITS ", " SINCE "}", 1773478800},
    {"{" WAITS "}", -62135596800},                                                  /* the reference reads year 1 */
    {"{type: PodScheduled, status: 'True', " SINCE "}, {" WAITS ", " SINCE "}", 0}, /* the first one counts */
    {"{type: PodScheduled, status: 'False', reason: SchedulingGated, " SINCE "}", 0},
    {"{type: PodScheduled, status: 'Unknown', reason: Unschedulable, " SINCE "}", 0},
    {"{type: Ready, status: 'False', reason: Unschedulable, " SINCE "}", 0},
    {"", 0},
};

START_TEST(test_since_when_pods_wait) {
  char pods[512];
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot;
  rebal_time since;
  (void)snprintf(pods, sizeof pods, POD("p", "", "", "conditions: [%s]"), waiting[_i].conditions);
  snapshot = feed_member(fleet, pods);
  rebal_cells_get_time(rebal_snapshot_cells(snapshot), REBAL_POD_UNSCHEDULABLE_SINCE, 0, 0, &since);
  ck_assert_int_eq(since.is_set, waiting[_i].since != 0);
  ck_assert_int_eq(since.seconds, waiting[_i].since);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

static const struct {
  const char *text;
  int32_t code;
  const char *field;
} malformed[] = {
    {POD("p", "", "nodeName: 1", ""), REBAL_EPARSE, "spec.nodeName"},
    {POD("p", "", "priority: high", ""), REBAL_EPARSE, "spec.priority"},
    {POD("p", "", "priority: 2147483648", ""), REBAL_ERANGE, "spec.priority"},
    {POD("p", "", "containers: {}", ""), REBAL_EPARSE, "spec.containers"},
    {POD("p", "", "containers: [{resources: {requests: {cpu: lots}}}]", ""), REBAL_EPARSE,
     "spec.containers[0].resources.requests.cpu"},
    {POD("p", "", "initContainers: [{}, {resources: {requests: 1}}]", ""), REBAL_EPARSE,
     "spec.initContainers[1].resources.requests"},
    {POD("p", "", "overhead: {cpu: x}", ""), REBAL_EPARSE, "spec.overhead.cpu"},
    {POD("p", ", labels: {a: 1}", "", ""), REBAL_EPARSE, "metadata.labels.a"},
    {POD("p", "", "", "conditions: {}"), REBAL_EPARSE, "status.conditions"},
    {POD("p", "", "", "conditions: [{" WAITS ", lastTransitionTime: noon}]"), REBAL_EPARSE,
     "status.conditions[0].lastTransitionTime"},
};

START_TEST(test_malformed_pods_are_refused_when_read) {
  assert_malformed(malformed[_i].text, malformed[_i].code, malformed[_i].field);
}
END_TEST

START_TEST(test_a_negative_request_is_refused) {
  rebal_store *store = store_of(POD("p", "", "nodeName: node1, " REQUESTS("-1"), ""));
  rebal_fleet *fleet = fleet_of_member();
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, 0, NULL, &err), REBAL_ERANGE);
  ck_assert_str_eq(err.message, "Pod default/p: a request of a pod is negative");
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(member_pod) {
  TCase *cases = tcase_create("member_pod");
  tcase_add_test(cases, test_pods_become_rows);
  tcase_add_loop_test(cases, test_what_pods_take, 0, (int)COUNT(takers));
  tcase_add_loop_test(cases, test_since_when_pods_wait, 0, (int)COUNT(waiting));
  tcase_add_loop_test(cases, test_malformed_pods_are_refused_when_read, 0, (int)COUNT(malformed));
  tcase_add_test(cases, test_a_negative_request_is_refused);
  return cases;
}
