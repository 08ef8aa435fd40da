/* SPDX-License-Identifier: MIT */
#include "manifest/spread/kruise.h"
#include "patching.h"

struct world {
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_pods *pods;
  uint32_t cluster, row;
};

static struct world world_open(void) {
  struct world world = {NULL, NULL, NULL, REBAL_NONE, REBAL_NONE};
  ck_assert_int_eq(rebal_fleet_new(NULL, &world.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_cluster(world.fleet, "here", 4, &world.cluster, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &world.builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_pods_new(world.fleet, NULL, &world.pods, NULL), REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_add(rebal_pods_cells(world.pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &world.row, 1, NULL), REBAL_OK);
  return world;
}

static void world_close(struct world *world) {
  rebal_pods_free(world->pods);
  rebal_builder_free(world->builder);
  rebal_fleet_free(world->fleet);
}

static int32_t read_pod(const struct world *world, const char *text, const char *label_keys, rebal_error *err) {
  rebal_document *pod = document_of(text), *keys = document_of(label_keys);
  const struct rebali_pod_row row = {world->fleet, world->builder, world->pods, keys->tree, world->row, world->cluster};
  const int32_t result = rebali_spread_pod_read(&row, pod->tree, err);
  rebal_document_free(pod);
  rebal_document_free(keys);
  return result;
}

static struct world world_of(const char *text, const char *label_keys) {
  struct world world = world_open();
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(read_pod(&world, text, label_keys, &err) == REBAL_OK, "%s: %s (%s)", text, err.message, err.field);
  return world;
}

static int64_t number(const struct world *world, uint32_t column) {
  return rebal_cells_get_i64(rebal_pods_const_cells(world->pods), column, REBAL_NONE, world->row);
}

static const char *text(const struct world *world, uint32_t column) {
  return rebal_cells_get_text(rebal_pods_const_cells(world->pods), column, REBAL_NONE, world->row, NULL);
}

static int64_t seconds(const struct world *world, uint32_t column) {
  rebal_time time;
  rebal_cells_get_time(rebal_pods_const_cells(world->pods), column, REBAL_NONE, world->row, &time);
  return time.is_set ? time.seconds : REBAL_ABSENT;
}

START_TEST(test_a_pod_of_which_nothing_is_known) {
  struct world world = world_of("{}", "{app: true}");
  static const uint32_t texts[] = {REBAL_SPREAD_POD_NAME,          REBAL_SPREAD_POD_UID,
                                   REBAL_SPREAD_POD_VERSION,       REBAL_SPREAD_POD_MATCHED_SPREAD,
                                   REBAL_SPREAD_POD_DELETION_COST, REBAL_SPREAD_POD_UNITED_SUBSET};
  static const uint32_t zeros[] = {REBAL_SPREAD_POD_VERSION_LABEL, REBAL_SPREAD_POD_MATCHED_STATE,
                                   REBAL_SPREAD_POD_DELETING,      REBAL_SPREAD_POD_PHASE,
                                   REBAL_SPREAD_POD_READY,         REBAL_SPREAD_POD_UNSCHEDULABLE,
                                   REBAL_SPREAD_POD_RESTARTS,      REBAL_SPREAD_POD_SIDECAR_RESTARTS};
  for (size_t i = 0; i < COUNT(texts); i++) {
    ck_assert_str_eq(text(&world, texts[i]), "");
  }
  for (size_t i = 0; i < COUNT(zeros); i++) {
    ck_assert_int_eq(number(&world, zeros[i]), 0);
  }
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_NODE), REBAL_ABSENT);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_REQUIREMENTS), REBAL_ABSENT);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_RESERVED), REBAL_ABSENT);
  ck_assert_int_eq(seconds(&world, REBAL_SPREAD_POD_CREATED), REBAL_ABSENT);
  world_close(&world);
}
END_TEST

START_TEST(test_metadata) {
  struct world world = world_of(
      "{metadata: {name: web-0, uid: 0f, creationTimestamp: '1970-01-01T00:01:00Z', "
      "deletionTimestamp: '1970-01-01T00:02:00Z', labels: {pod-template-hash: '', controller-revision-hash: web-5, "
      "apps.kruise.io/controller-revision-hash: web-9, apps.kruise.io/subset-name: a, "
      "apps.kruise.io/united-deployment-reserved-pod: 'false'}, annotations: "
      "{controller.kubernetes.io/pod-deletion-cost: '-100', "
      "apps.kruise.io/matched-workloadspread: '{\"name\":\"ws\",\"subset\":\"b\",\"uid\":\"1e\"}'}}}",
      "null");
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_NAME), "web-0");
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_UID), "0f");
  ck_assert_int_eq(seconds(&world, REBAL_SPREAD_POD_CREATED), 60);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_DELETING), 1);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_VERSION_LABEL), REBAL_VERSION_LABEL_TEMPLATE_HASH);
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_VERSION), "");
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_UNITED_SUBSET), "a");
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_UNITED_REVISION), "web-9");
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_RESERVED), 0);
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_DELETION_COST), "-100");
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_MATCHED_STATE), REBAL_ANNOTATION_PRESENT);
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_MATCHED_SPREAD), "ws");
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_MATCHED_SUBSET), "b");
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_MATCHED_ID), "1e");
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_LABELS), REBAL_ABSENT);
  world_close(&world);
}
END_TEST

START_TEST(test_labels) {
  struct world world = world_of(
      "{metadata: {labels: {app: web, controller-revision-hash: web-5, more: x, "
      "apps.kruise.io/united-deployment-reserved-pod: 'true'}, "
      "annotations: {apps.kruise.io/matched-workloadspread: b}}}",
      "{app: true, tier: true}");
  const uint32_t handle = (uint32_t)number(&world, REBAL_SPREAD_POD_LABELS);
  json_t *labels = NULL;
  const rebal_record *record = rebal_cells_record(rebal_fleet_cells(world.fleet), REBAL_OBJECT_LABELS, handle);
  ck_assert_int_eq(rebali_record_tree_as_is(record, &labels, NULL), REBAL_OK);
  ck_assert_uint_eq(json_object_size(labels), 1);
  ck_assert_str_eq(rebali_member_text(labels, "app"), "web");
  json_decref(labels);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_VERSION_LABEL), REBAL_VERSION_LABEL_REVISION_HASH);
  ck_assert_str_eq(text(&world, REBAL_SPREAD_POD_VERSION), "web-5");
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_RESERVED), 1);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_MATCHED_STATE), REBAL_ANNOTATION_UNPARSABLE);
  world_close(&world);
}
END_TEST

START_TEST(test_spec) {
  struct world world = world_of(
      "{spec: {nodeName: node-1, nodeSelector: {a: b}, tolerations: [{key: x, operator: Exists}], affinity: "
      "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}}}}}",
      "null");
  uint32_t node;
  json_t *tree = NULL;
  const json_t *claim;
  const rebal_record *record = rebal_cells_record(rebal_fleet_cells(world.fleet), REBAL_OBJECT_REQUIREMENTS,
                                                  (uint32_t)number(&world, REBAL_SPREAD_POD_REQUIREMENTS));
  ck_assert_int_eq(rebal_fleet_node_id(world.fleet, world.cluster, "node-1", 6, &node, NULL), REBAL_OK);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_NODE), node);
  ck_assert_int_eq(rebali_record_tree_as_is(record, &tree, NULL), REBAL_OK);
  claim = rebali_member(tree, "nodeClaim");
  ck_assert_uint_eq(json_array_size(rebali_member(claim, "tolerations")), 1);
  ck_assert_uint_eq(json_array_size(rebali_member(rebali_member(claim, "hardNodeAffinity"), "nodeSelectorTerms")), 1);
  ck_assert_ptr_null(rebali_member(claim, "nodeSelector"));
  json_decref(tree);
  world_close(&world);
}
END_TEST

START_TEST(test_status) {
  struct world world = world_of(
      "{spec: {initContainers: [{name: a, restartPolicy: Always}, {name: b}]}, status: {phase: Running, "
      "containerStatuses: [{restartCount: 2}, {restartCount: 5}, {}], initContainerStatuses: "
      "[{name: a, restartCount: 3}, {name: b, restartCount: 9}, {name: c, restartCount: 8}], conditions: "
      "[{type: PodScheduled, status: 'True'}, {type: Ready, status: 'True', lastTransitionTime: "
      "'1970-01-01T00:00:07Z'}, "
      "{type: Ready, status: 'False'}, {type: PodScheduled, status: 'False', reason: Unschedulable}]}}",
      "null");
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_PHASE), REBAL_POD_PHASE_RUNNING);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_RESTARTS), 5);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_SIDECAR_RESTARTS), 3);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_READY), 1);
  ck_assert_int_eq(seconds(&world, REBAL_SPREAD_POD_READY_SINCE), 7);
  ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_UNSCHEDULABLE), 1);
  world_close(&world);
}
END_TEST

START_TEST(test_phases) {
  static const struct {
    const char *pod;
    int64_t phase;
  } rows[] = {
      {"{status: {phase: Pending}}", REBAL_POD_PHASE_PENDING},
      {"{status: {phase: Unknown}}", REBAL_POD_PHASE_UNKNOWN},
      {"{status: {phase: Succeeded}}", REBAL_POD_PHASE_SUCCEEDED},
      {"{status: {phase: Failed}}", REBAL_POD_PHASE_FAILED},
      {"{status: {phase: running}}", REBAL_POD_PHASE_OTHER},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct world world = world_of(rows[i].pod, "null");
    ck_assert_int_eq(number(&world, REBAL_SPREAD_POD_PHASE), rows[i].phase);
    world_close(&world);
  }
}
END_TEST

START_TEST(test_what_cannot_be_read) {
  static const struct {
    const char *pod;
    int32_t code;
    const char *field;
  } rows[] = {
      {"{metadata: {creationTimestamp: today}}", REBAL_EPARSE, "metadata.creationTimestamp"},
      {"{metadata: {labels: {app: 5}}}", REBAL_EPARSE, "metadata.labels.app"},
      {"{status: {conditions: [{type: Ready, lastTransitionTime: 5}]}}", REBAL_EPARSE,
       "status.conditions[0].lastTransitionTime"},
      {"{status: {containerStatuses: [{}, {restartCount: many}]}}", REBAL_EPARSE,
       "status.containerStatuses[1].restartCount"},
      {"{status: {initContainerStatuses: [{restartCount: 4294967296}]}}", REBAL_ERANGE,
       "status.initContainerStatuses[0].restartCount"},
      {"{spec: {tolerations: [5]}}", REBAL_EPARSE, "spec"},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    struct world world = world_open();
    rebal_error err = REBAL_ERROR_INIT;
    ck_assert_int_eq(read_pod(&world, rows[i].pod, "{app: true}", &err), rows[i].code);
    ck_assert_str_eq(err.field, rows[i].field);
    world_close(&world);
  }
}
END_TEST

UNIT_CASE(spread_pod) {
  TCase *cases = tcase_create("spread_pod");
  tcase_add_test(cases, test_a_pod_of_which_nothing_is_known);
  tcase_add_test(cases, test_metadata);
  tcase_add_test(cases, test_labels);
  tcase_add_test(cases, test_spec);
  tcase_add_test(cases, test_status);
  tcase_add_test(cases, test_phases);
  tcase_add_test(cases, test_what_cannot_be_read);
  return cases;
}
