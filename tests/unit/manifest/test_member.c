/* SPDX-License-Identifier: MIT */
/* Objects of a member cluster become rows below its id. */
#include "../../support/allocator.h"
#include "members.h"

#define NODE(name, metadata, spec, status) \
  "---\napiVersion: v1\nkind: Node\nmetadata: {name: " name metadata "}\nspec: {" spec "}\nstatus: {" status "}\n"

#define POD(name, memory)                                  \
  "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " name \
  "}\nspec: {nodeName: node1, containers: ["               \
  "{resources: {requests: {memory: " memory "}}}]}\n"

static int64_t amount(rebal_fleet *fleet, const rebal_snapshot *snapshot, uint32_t node, const char *resource) {
  uint32_t id = REBAL_NONE;
  ck_assert_int_eq(rebal_fleet_resource_id(fleet, resource, strlen(resource), &id, NULL), REBAL_OK);
  return rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, 0, node, id);
}

START_TEST(test_nodes_become_rows) {
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot = feed_member(
      fleet, NODE("b", ", labels: {disk: ssd, rack: r2}",
                  "unschedulable: true, taints: [{key: k, value: v, effect: NoSchedule, "
                  "timeAdded: '2026-01-01T00:00:00Z'}]",
                  "allocatable: {cpu: 1500m, memory: 2Gi, pods: 110}")
                 NODE("a", ", labels: {disk: hdd}", "providerID: x", "capacity: {cpu: 8}, allocatable: {cpu: -1}"));
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 0), 1);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, 0), 2);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_NODE_NAME, 0, 0, NULL), "a");
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(snapshot), REBAL_NODE_NAME, 0, 1, NULL), "b");
  ck_assert_str_eq(rebal_snapshot_node_label(snapshot, 0, 1, "rack", 4, NULL), "r2");
  ck_assert_str_eq(rebal_snapshot_node_label(snapshot, 0, 0, "disk", 4, NULL), "hdd");
  ck_assert_ptr_null(rebal_snapshot_node_label(snapshot, 0, 0, "rack", 4, NULL));
  ck_assert_int_eq(amount(fleet, snapshot, 1, "cpu"), 1500);
  ck_assert_int_eq(amount(fleet, snapshot, 1, "memory"), (int64_t)2 << 30);
  ck_assert_int_eq(amount(fleet, snapshot, 1, "pods"), 110);
  ck_assert_int_eq(amount(fleet, snapshot, 0, "cpu"), -1000);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_UNSCHEDULABLE, 0, 1), 1);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_UNSCHEDULABLE, 0, 0), 0);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, 0, 0), REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, 0, 1), 0);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

/* Times make each list of taints another one, and no answer reads them. */
START_TEST(test_taints_lose_their_times) {
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot = feed_member(
      fleet, NODE("a", "", "taints: [{key: k, effect: NoExecute, timeAdded: '2026-01-01T00:00:00Z'}]", "")
                 NODE("b", "", "taints: [{key: k, effect: NoExecute, timeAdded: '2026-01-01T00:00:01Z'}]", "")
                     NODE("c", "", "taints: [{key: k, effect: NoExecute}, {key: l, effect: NoExecute}]", "")
                         NODE("d", "", "taints: []", ""));
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, 0, 0),
                   rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, 0, 1));
  ck_assert_int_ne(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, 0, 0),
                   rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, 0, 2));
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

START_TEST(test_feeding_again_forgets_the_old_content) {
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *before = feed_member(
      fleet, NODE("a", ", labels: {tier: web}", "unschedulable: true", "allocatable: {cpu: 1}") NODE("b", "", "", ""));
  rebal_snapshot *after = feed_member(fleet, NODE("b", "", "", "allocatable: {cpu: 2}"));
  rebal_snapshot *none = feed_member(fleet, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(before), REBAL_TABLE_NODE, 0), 2);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(after), REBAL_TABLE_NODE, 0), 1);
  ck_assert_str_eq(rebal_cells_get_text(rebal_snapshot_cells(after), REBAL_NODE_NAME, 0, 0, NULL), "b");
  ck_assert_int_eq(amount(fleet, after, 0, "cpu"), 2000);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(after), REBAL_NODE_UNSCHEDULABLE, 0, 0), 0);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(none), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 0), 1);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(none), REBAL_TABLE_NODE, 0), 0);
  rebal_snapshot_unref(none);
  rebal_snapshot_unref(after);
  rebal_snapshot_unref(before);
  rebal_fleet_free(fleet);
}
END_TEST

/* Another group's kind of the same name is nothing of Kubernetes' own. */
START_TEST(test_kinds_of_other_groups_are_left) {
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot =
      feed_member(fleet,
                  "apiVersion: management.cattle.io/v3\nkind: Node\nmetadata: {name: a}\n"
                  "spec: {taints: none}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n");
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, 0), 0);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}
END_TEST

static const struct {
  const char *text;
  int32_t code;
  const char *field;
} malformed[] = {
    {NODE("a", "", "unschedulable: maybe", ""), REBAL_EPARSE, "spec.unschedulable"},
    {NODE("a", "", "taints: {key: k}", ""), REBAL_EPARSE, "spec.taints"},
    {NODE("a", "", "taints: [{key: 1}]", ""), REBAL_EPARSE, "spec.taints[0].key"},
    {NODE("a", "", "", "allocatable: [cpu]"), REBAL_EPARSE, "status.allocatable"},
    {NODE("a", "", "", "allocatable: {cpu: many}"), REBAL_EPARSE, "status.allocatable.cpu"},
    {NODE("a", ", labels: {x: 1}", "", ""), REBAL_EPARSE, "metadata.labels.x"},
    {NODE("a", "", "", "") NODE("a", "", "", ""), REBAL_EEXIST, "metadata.name"},
};

START_TEST(test_malformed_objects_are_refused_when_read) {
  assert_malformed(malformed[_i].text, malformed[_i].code, malformed[_i].field);
}
END_TEST

/* What pods of a node take is beyond what can be counted: the first pod fits, the second one is refused. */
START_TEST(test_what_the_fleet_refuses_names_the_object) {
  rebal_store *store = store_of(NODE("node1", "", "", "") POD("a", "9E") POD("b", "9E"));
  rebal_fleet *fleet = fleet_of_member();
  rebal_snapshot *snapshot = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, 0, NULL, &err), REBAL_ERANGE);
  ck_assert_msg(strncmp(err.message, "Pod default/b: ", 15) == 0, "%s", err.message);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_HAS_NODES, REBAL_NONE, 0), 1);
  ck_assert_uint_eq(rebal_cells_bound(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, 0), 1);
  ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, 0, 0), 1);
  ck_assert_int_eq(rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_POD, 0, 1), 0);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_arguments_are_needed) {
  rebal_store *store = store_new();
  rebal_fleet *fleet = fleet_of_member();
  ck_assert_int_eq(rebal_store_feed_member(NULL, fleet, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_feed_member(store, NULL, 0, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, 1, NULL, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_store_feed_member(store, fleet, REBAL_NONE, NULL, NULL), REBAL_ENOTFOUND);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

/* With whatever memory the fleet is refused, it can be frozen and freed. */
static int32_t feed_in_need(const rebal_allocator *allocator, void *user_data) {
  rebal_fleet *fleet = NULL;
  rebal_snapshot *snapshot = NULL;
  uint32_t cluster;
  int32_t code = rebal_fleet_new(allocator, &fleet, NULL);
  if (code == REBAL_OK) {
    code = rebal_fleet_add_cluster(fleet, "member1", 7, &cluster, NULL);
  }
  for (int round = 0; round < 2 && code == REBAL_OK; round++) {
    code = rebal_store_feed_member(user_data, fleet, cluster, NULL, NULL);
  }
  if (code == REBAL_OK) {
    code = rebal_fleet_freeze(fleet, &snapshot, NULL);
  }
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
  return code;
}

START_TEST(test_failing_allocations) {
  rebal_store *store = store_of(NODE("a", ", labels: {tier: web}", "taints: [{key: k, effect: NoExecute}]",
                                     "allocatable: {cpu: 1, memory: 1Gi, pods: 110}") NODE("b", "", "", ""));
  ck_assert_pstr_eq(test_torture(feed_in_need, store), NULL);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(member) {
  TCase *cases = tcase_create("member");
  tcase_set_tags(cases, "allocator"); /* fails by itself: not beside tests/memory/scarce.c */
  tcase_add_test(cases, test_nodes_become_rows);
  tcase_add_test(cases, test_taints_lose_their_times);
  tcase_add_test(cases, test_feeding_again_forgets_the_old_content);
  tcase_add_test(cases, test_kinds_of_other_groups_are_left);
  tcase_add_loop_test(cases, test_malformed_objects_are_refused_when_read, 0, (int)COUNT(malformed));
  tcase_add_test(cases, test_what_the_fleet_refuses_names_the_object);
  tcase_add_test(cases, test_arguments_are_needed);
  tcase_add_test(cases, test_failing_allocations);
  return cases;
}
