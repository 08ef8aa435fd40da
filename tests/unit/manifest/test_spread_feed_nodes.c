/* SPDX-License-Identifier: MIT */
#include "feeds.h"

#define NODE(name, metadata, spec, status) \
  "---\n{apiVersion: v1, kind: Node, metadata: {name: " name metadata "}, spec: {" spec "}, status: {" status "}}\n"

static rebal_snapshot *snapshot_of(const struct feeding *feeding) {
  rebal_snapshot *snapshot = NULL;
  ck_assert_int_eq(rebal_fleet_freeze(feeding->fleet, &snapshot, NULL), REBAL_OK);
  return snapshot;
}

static const char *label(const rebal_snapshot *snapshot, uint32_t node, const char *key) {
  return rebal_snapshot_node_label(snapshot, 0, node, key, strlen(key), NULL);
}

static void put_status(const struct feeding *feeding, const char *patch) {
  const rebal_time now = time_of(NOW);
  ck_assert_int_eq(
      rebal_store_patch(feeding->store, find(feeding->store, "Node", "", "node"), patch, strlen(patch), &now, NULL),
      REBAL_OK);
}

/* The node of a pod that any node takes: the first in the order of packing. */
static int64_t seat_of_a_pod(rebal_snapshot *snapshot) {
  const uint32_t requirements = REBAL_NONE;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  int64_t node;
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_place_pods(ctx, snapshot, 0, &requirements, 1, NULL, result, NULL), REBAL_OK);
  node = rebal_result_i64(result, REBAL_SEATED_NODE, NULL)[0];
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  return node;
}

START_TEST(test_a_node_that_changed_keeps_its_place_and_nothing_else) {
  struct feeding feeding = feeding_open(NODE("node", ", labels: {disk: ssd}",
                                             "unschedulable: true, taints: [{key: k, "
                                             "effect: NoSchedule}]",
                                             "allocatable: {cpu: 2}") NODE("other", "", "", "allocatable: {pods: 10}"));
  rebal_snapshot *snapshot = snapshot_of(&feeding);
  uint32_t cpu = REBAL_NONE;
  ck_assert_int_eq(rebal_fleet_resource_id(feeding.fleet, "cpu", 3, &cpu, NULL), REBAL_OK);
  ck_assert_str_eq(label(snapshot, 0, "disk"), "ssd");
  ck_assert_int_ne(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, 0, 0), REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_UNSCHEDULABLE, 0, 0), 1);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, 0, 0, cpu), 2000);
  rebal_snapshot_unref(snapshot);
  put_status(&feeding, "{status: {allocatable: null}}");
  feeding_load(&feeding, NODE("node", "", "", ""));
  snapshot = snapshot_of(&feeding);
  ck_assert_ptr_null(label(snapshot, 0, "disk"));
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_TAINTS, 0, 0), REBAL_ABSENT);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_NODE_UNSCHEDULABLE, 0, 0), 0);
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, 0, 0, cpu), 0);
  rebal_snapshot_unref(snapshot);
  put_status(&feeding, "{metadata: {labels: {disk: hdd}}, status: {allocatable: {cpu: 3, pods: 10}}}");
  feeding_update(&feeding);
  snapshot = snapshot_of(&feeding);
  ck_assert_int_eq(seat_of_a_pod(snapshot), 0);
  ck_assert_str_eq(label(snapshot, 0, "disk"), "hdd");
  ck_assert_int_eq(rebal_snapshot_node_amount(snapshot, REBAL_CAPACITY_ALLOCATABLE, 0, 0, cpu), 3000);
  rebal_snapshot_unref(snapshot);
  feeding_close(&feeding);
}
END_TEST

START_TEST(test_a_node_that_goes_is_absent) {
  struct feeding feeding = feeding_open(NODE("node", "", "", ""));
  rebal_snapshot *snapshot;
  ck_assert_int_eq(rebal_store_remove(feeding.store, find(feeding.store, "Node", "", "node"), NULL), REBAL_OK);
  feeding_update(&feeding);
  snapshot = snapshot_of(&feeding);
  ck_assert(!rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, 0, 0));
  rebal_snapshot_unref(snapshot);
  feeding_close(&feeding);
}
END_TEST

/* Pods may name a node before it comes. */
START_TEST(test_pods_and_nodes_meet_by_name) {
  struct feeding feeding = feeding_open(
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: ns}, "
      "spec: {nodeName: node}}\n");
  const int64_t node = pod_number(&feeding, "a", REBAL_SPREAD_POD_NODE);
  rebal_snapshot *snapshot = snapshot_of(&feeding);
  ck_assert(!rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, 0, (uint32_t)node));
  rebal_snapshot_unref(snapshot);
  feeding_load(&feeding, NODE("node", "", "", ""));
  snapshot = snapshot_of(&feeding);
  ck_assert(rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, 0, (uint32_t)node));
  rebal_snapshot_unref(snapshot);
  feeding_close(&feeding);
}
END_TEST

/* The store checks fewer members of an object than the feed reads of a node. */
START_TEST(test_a_node_that_cannot_be_read_is_missing) {
  struct feeding feeding = feeding_open(NODE("node", "", "", ""));
  rebal_error err = REBAL_ERROR_INIT;
  rebal_snapshot *snapshot;
  struct rebali_fed *fed = &feeding.feed->fed[find(feeding.store, "Node", "", "node")];
  json_t *tree = json_pack("{s:{s:s, s:i}}", "metadata", "name", "node", "labels", 7);
  struct rebali_sink sink = {feeding.fleet, NULL, feeding.feed->builder, fed->node, feeding.cluster};
  ck_assert_int_eq(rebali_node_replace(&sink, tree, &err), REBAL_EPARSE);
  ck_assert_str_eq(err.field, "metadata.labels");
  json_decref(tree);
  snapshot = snapshot_of(&feeding);
  ck_assert(rebal_cells_has(rebal_snapshot_cells(snapshot), REBAL_TABLE_NODE, 0, fed->node));
  rebal_snapshot_unref(snapshot);
  feeding_close(&feeding);
}
END_TEST

UNIT_CASE(spread_feed_nodes) {
  TCase *cases = tcase_create("spread_feed_nodes");
  tcase_add_test(cases, test_a_node_that_changed_keeps_its_place_and_nothing_else);
  tcase_add_test(cases, test_a_node_that_goes_is_absent);
  tcase_add_test(cases, test_pods_and_nodes_meet_by_name);
  tcase_add_test(cases, test_a_node_that_cannot_be_read_is_missing);
  return cases;
}
