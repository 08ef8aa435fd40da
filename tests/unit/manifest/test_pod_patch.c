/* SPDX-License-Identifier: MIT */
#include "manifest/validate/checks.h"
#include "manifest/spread/kruise.h"
#include "patching.h"
#include "stores.h"

#include <stdio.h>

/* ---- payloads ---- */

#define MATCHED "apps.kruise.io/matched-workloadspread: '{\"name\":\"ws\",\"subset\":\"a\"}'"
#define ADOPTED "name: ws, subset: a"
#define COST "controller.kubernetes.io/pod-deletion-cost"

/* plain: every pod is patched alike, so the JSON patch does not depend on the pod. */
static const struct {
  const char *payload, *patch;
  int plain;
} rows[] = {
    {"{}", "{metadata: {}}", 1},
    {"{deletionCost: '-200'}", "{metadata: {annotations: {" COST ": '-200'}}}", 1},
    {"{" ADOPTED "}", "{metadata: {annotations: {" MATCHED "}}}", 1},
    {"{" ADOPTED ", deletionCost: '100'}", "{metadata: {annotations: {" MATCHED ", " COST ": '100'}}}", 1},
    {"{" ADOPTED ", patch: {metadata: {labels: {b: c}, annotations: {d: e}}, spec: {priority: 1}}}",
     "{metadata: {labels: {b: c}, annotations: {d: e, " MATCHED "}}}", 1},
    {"{" ADOPTED ", patch: {metadata: {finalizers: [f], annotations: []}}}",
     "{metadata: {finalizers: [f], annotations: {" MATCHED "}}}", 0},
    {"{" ADOPTED ", patch: {metadata: {labels: {$patch: replace, b: null}}}}",
     "{metadata: {labels: {$patch: replace, b: null}, annotations: {" MATCHED "}}}", 0},
    {"{" ADOPTED ", patch: {metadata: {labels: {$patch: replace, b: c}}}}",
     "{metadata: {labels: {$patch: replace, b: c}, annotations: {" MATCHED "}}}", 0},
    {"{" ADOPTED ", patch: {metadata: [f]}}", "{metadata: {annotations: {" MATCHED "}}}", 1},
    {"{" ADOPTED ", patch: [f]}", "{metadata: {annotations: {" MATCHED "}}}", 1},
    {"{reserved: true}", "{metadata: {labels: {apps.kruise.io/united-deployment-reserved-pod: 'true'}}}", 1},
    {"{reserved: false}", "{metadata: {labels: {apps.kruise.io/united-deployment-reserved-pod: 'false'}}}", 1},
};

static struct rebali_action_row action_of(rebal_builder *builder, const char *payload) {
  rebal_document *document = document_of(payload);
  struct rebali_action_row action = {.kind = REBAL_ACTION_KIND_PATCH_METADATA,
                                     .ordinal = 1,
                                     .api_version = "v1",
                                     .object_kind = "Pod",
                                     .namespace_ = "ns",
                                     .name = "p",
                                     .uid = "0f",
                                     .resource_version = "",
                                     .payload_object = REBAL_OBJECT_POD_PATCH};
  ck_assert_int_eq(rebali_read_record(builder, REBAL_OBJECT_POD_PATCH, document->tree, NULL, &action.payload, NULL),
                   REBAL_OK);
  rebal_document_free(document);
  return action;
}

START_TEST(test_payloads_are_patches) {
  rebal_builder *builder = NULL;
  rebal_document patch = {NULL};
  struct rebali_action_row action;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  action = action_of(builder, rows[_i].payload);
  ck_assert_int_eq(rebali_action_patch(&action, &patch.tree, NULL), REBAL_OK);
  assert_document(&patch, rows[_i].patch, rows[_i].payload);
  json_decref(patch.tree);
  rebal_builder_free(builder);
}
END_TEST

/* A subset's patch that is not JSON is ignored. */
START_TEST(test_a_patch_that_is_not_json) {
  rebal_builder *builder = NULL;
  const rebal_record *payload = NULL;
  rebal_document patch = {NULL};
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_POD_PATCH, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_begin(builder, REBAL_POD_PATCH_SUBSET_PATCH, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_text(builder, REBAL_RAW_JSON, "{a", 2, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_end(builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(builder, &payload, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_pod_patch(payload, &patch.tree, NULL), REBAL_OK);
  assert_document(&patch, "{metadata: {}}", "{a");
  json_decref(patch.tree);
  rebal_builder_free(builder);
}
END_TEST

/* ---- bodies ---- */

#define POD                                                                                                     \
  "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns, uid: 0f, finalizers: [x], labels: {b: old}, " \
  "annotations: {d: old}}, spec: {}}"

/* The operations, preconditions first, change the pod as the strategic merge patch does. */
START_TEST(test_json_patches_agree) {
  const struct rebali_limits limits = rebali_limits_load(NULL);
  rebal_document *pod = document_of(POD);
  rebal_builder *builder = NULL;
  struct rebali_action_row action;
  json_t *patch, *body = NULL, *wanted, *found = json_deep_copy(pod->tree);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  action = action_of(builder, rows[_i].payload);
  ck_assert_int_eq(rebali_action_patch(&action, &patch, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_pod_patched(pod->tree, patch, &wanted, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_action_render(&action, pod->tree, REBAL_TEXT_FORMAT_JSON_PATCH, &body, NULL), REBAL_OK);
  ck_assert_str_eq(rebali_member_text(json_array_get(body, 0), "op"), "test");
  ck_assert_int_eq(rebali_json_patch(&found, body, &limits, NULL), REBAL_OK);
  ck_assert(json_equal(found, wanted));
  json_decref(body);
  body = NULL;
  ck_assert_int_eq(rebali_action_render(&action, NULL, REBAL_TEXT_FORMAT_JSON_PATCH, &body, NULL),
                   rows[_i].plain ? REBAL_OK : REBAL_EUNSUPPORTED);
  if (rows[_i].plain) {
    json_decref(found);
    found = json_deep_copy(pod->tree);
    ck_assert_int_eq(rebali_json_patch(&found, body, &limits, NULL), REBAL_OK);
    ck_assert(json_equal(found, wanted));
    json_decref(body);
  }
  json_decref(found);
  json_decref(wanted);
  json_decref(patch);
  rebal_builder_free(builder);
  rebal_document_free(pod);
}
END_TEST

START_TEST(test_other_bodies_carry_the_uid) {
  rebal_builder *builder = NULL;
  struct rebali_action_row action;
  rebal_document body = {NULL};
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  action = action_of(builder, "{deletionCost: '7'}");
  ck_assert_int_eq(rebali_action_render(&action, NULL, REBAL_TEXT_FORMAT_JSON, &body.tree, NULL), REBAL_OK);
  assert_document(&body, "{metadata: {annotations: {" COST ": '7'}, uid: 0f}}", "the body");
  json_decref(body.tree);
  rebal_builder_free(builder);
}
END_TEST

/* ---- a pass of the controller over a store ---- */

#define OBJECTS(patch)                                                                                           \
  "{apiVersion: apps.kruise.io/v1alpha1, kind: WorkloadSpread, metadata: {name: ws, namespace: ns, "             \
  "resourceVersion: '5'}, spec: {targetRef: {apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, name: demo}, " \
  "scheduleStrategy: {type: Adaptive, adaptive: {rescheduleCriticalSeconds: 10}}, "                              \
  "subsets: [{name: a, maxReplicas: 1, requiredNodeSelectorTerm: {}}, {name: b, "                                \
  "patch: {metadata: " patch                                                                                     \
  "}}]}, "                                                                                                       \
  "status: {other: kept, subsetStatuses: [{name: old, replicas: 3, missingReplicas: 0}], "                       \
  "versionedSubsetStatuses: {gone: [{name: a, replicas: 0, missingReplicas: 1}]}}}\n---\n"                       \
  "{apiVersion: v1, kind: Pod, metadata: {name: stuck, namespace: ns, uid: s, resourceVersion: '8', "            \
  "creationTimestamp: '2026-03-14T08:00:00Z', annotations: {apps.kruise.io/matched-workloadspread: "             \
  "'{\"name\":\"ws\",\"subset\":\"a\"}'}}, status: {phase: Pending, conditions: [{type: PodScheduled, "          \
  "status: 'False', reason: Unschedulable}]}}\n---\n"                                                            \
  "{apiVersion: v1, kind: Pod, metadata: {name: free, namespace: ns, uid: f, resourceVersion: '9', "             \
  "creationTimestamp: '2026-03-14T08:59:00Z', finalizers: [x]}, spec: {nodeName: node-1}, status: {phase: Running}}"

enum { SPREAD_OBJECT, STUCK, FREE };

struct pass {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_builder *builder;
  rebal_pods *pods;
  rebal_spread *spread;
  rebal_ctx *ctx;
  rebal_snapshot *snapshot;
  rebal_observations *observations;
  rebal_result *result;
  uint32_t cluster;
};

static void add_pod(struct pass *pass, uint32_t object) {
  struct rebali_pod_row row = {pass->fleet, pass->builder, pass->pods, NULL, 0, pass->cluster};
  json_t *tree;
  ck_assert_int_eq(rebal_cells_add(rebal_pods_cells(pass->pods), REBAL_TABLE_SPREAD_POD, REBAL_NONE, &row.row, 1, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebali_store_share(pass->store, object, &tree, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_spread_pod_read(&row, tree, NULL), REBAL_OK);
  json_decref(tree);
}

static void add_node(struct pass *pass) {
  struct rebali_sink sink = {pass->fleet, NULL, pass->builder, 0, pass->cluster};
  rebal_document *node = document_of("{apiVersion: v1, kind: Node, metadata: {name: node-1}}");
  ck_assert_int_eq(rebali_node_read(&sink, node->tree, NULL, NULL), REBAL_OK);
  rebal_document_free(node);
}

static struct pass pass_open(const char *text) {
  struct pass pass = {.store = store_of(text)};
  const rebal_record *record = NULL;
  ck_assert_int_eq(rebal_fleet_new(NULL, &pass.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_add_cluster(pass.fleet, "here", 4, &pass.cluster, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &pass.builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_pods_new(pass.fleet, NULL, &pass.pods, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &pass.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_observations_new(NULL, &pass.observations, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &pass.result, NULL), REBAL_OK);
  add_node(&pass);
  add_pod(&pass, STUCK);
  add_pod(&pass, FREE);
  ck_assert_int_eq(rebal_fleet_freeze(pass.fleet, &pass.snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(pass.store, SPREAD_OBJECT, pass.builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_spread_new(NULL, record, &pass.spread, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_set_i64(rebal_spread_cells(pass.spread), REBAL_SPREAD_WORKLOAD_STATE, REBAL_NONE, 0,
                                       REBAL_OWNER_STATE_EXISTS, NULL),
                   REBAL_OK);
  ck_assert_int_eq(
      rebal_cells_set_i64(rebal_spread_cells(pass.spread), REBAL_SPREAD_WORKLOAD_REPLICAS, REBAL_NONE, 0, 2, NULL),
      REBAL_OK);
  return pass;
}

static void pass_close(struct pass *pass) {
  rebal_result_free(pass->result);
  rebal_observations_free(pass->observations);
  rebal_snapshot_unref(pass->snapshot);
  rebal_ctx_free(pass->ctx);
  rebal_spread_free(pass->spread);
  rebal_pods_free(pass->pods);
  rebal_builder_free(pass->builder);
  rebal_fleet_free(pass->fleet);
  rebal_store_free(pass->store);
}

/* Carries out one turn; returns its state. */
static int64_t turn(struct pass *pass) {
  const rebal_time now = time_of(NOW);
  const rebal_spread_opts opts = {
      .struct_size = (uint32_t)sizeof opts, .cluster = pass->cluster, .observations = pass->observations};
  rebal_error err = REBAL_ERROR_INIT;
  size_t n;
  ck_assert_msg(rebal_spread_step(pass->ctx, pass->snapshot, pass->spread, pass->pods, &now, &opts, pass->result,
                                  &err) == REBAL_OK,
                "%s", err.message);
  for (size_t i = 0; i < rebal_result_count(pass->result, REBAL_TABLE_ACTION); i++) {
    ck_assert_int_eq(rebal_store_carry_out(pass->store, pass->result, i, &now, pass->observations, &err), REBAL_OK);
  }
  return rebal_result_i64(pass->result, REBAL_STEP_STATE, &n)[0];
}

START_TEST(test_a_pass_is_carried_out) {
  struct pass pass = pass_open(OBJECTS("{finalizers: [z], labels: {tier: elastic}}"));
  int64_t state = REBAL_STEP_STATE_WAITING;
  for (int i = 0; state == REBAL_STEP_STATE_WAITING && i < 10; i++) {
    state = turn(&pass);
  }
  ck_assert_msg(state == REBAL_STEP_STATE_DONE, "%s", rebal_result_text(pass.result, REBAL_STEP_MESSAGE, 0, NULL));
  assert_member(pass.store, FREE, "metadata.annotations",
                "{\"apps.kruise.io/matched-workloadspread\":\"{\\\"name\\\":\\\"ws\\\",\\\"subset\\\":\\\"b\\\"}\","
                "\"controller.kubernetes.io/pod-deletion-cost\":\"100\"}");
  assert_member(pass.store, FREE, "metadata.finalizers", "[\"z\",\"x\"]");
  assert_member(pass.store, FREE, "metadata.labels", "{\"tier\":\"elastic\"}");
  assert_member(pass.store, FREE, "metadata.resourceVersion", "10");
  ck_assert_uint_eq(find(pass.store, "Pod", "ns", "stuck"), REBAL_NONE);
  assert_member(pass.store, SPREAD_OBJECT, "apiVersion", "apps.kruise.io/v1alpha1");
  assert_member(pass.store, SPREAD_OBJECT, "spec.subsets[0].requiredNodeSelectorTerm", "{}");
  assert_member(pass.store, SPREAD_OBJECT, "spec.subsets[0].requiredNodeSelector", "");
  assert_member(pass.store, SPREAD_OBJECT, "metadata.resourceVersion", "6");
  assert_member(pass.store, SPREAD_OBJECT, "status.other", "kept");
  assert_member(pass.store, SPREAD_OBJECT, "status.versionedSubsetStatuses.gone", "");
  assert_member(pass.store, SPREAD_OBJECT, "status.subsetStatuses[1].replicas", "1");
  assert_member(pass.store, SPREAD_OBJECT, "status.subsetStatuses[0].conditions[0].status", "False");
  pass_close(&pass);
}
END_TEST

/* The metadata of a subset's patch comes from a user: metadata that a server would reject ends the pass. */
static const struct {
  const char *metadata, *message;
} refused[] = {
    {"{name: other}", "a patch cannot make it another object"},
    {"{$patch: delete}", "a patch cannot make it another object"},
    {"{resourceVersion: '1'}",
     "Operation cannot be fulfilled on pods \"free\": the object has been modified; please apply your changes to the "
     "latest version and try again"},
    {"{$patch: other}", "unknown patch type: other in map: "},
};

START_TEST(test_a_refused_patch_ends_the_pass) {
  char text[4096];
  struct pass pass;
  const char *message;
  int64_t state = REBAL_STEP_STATE_WAITING;
  (void)snprintf(text, sizeof text, OBJECTS("%s"), refused[_i].metadata);
  pass = pass_open(text);
  for (int i = 0; state == REBAL_STEP_STATE_WAITING && i < 10; i++) {
    state = turn(&pass);
  }
  message = rebal_result_text(pass.result, REBAL_STEP_MESSAGE, 0, NULL);
  ck_assert_int_eq(state, REBAL_STEP_STATE_RETRY);
  ck_assert_msg(strstr(message, refused[_i].message) != NULL, "%s", message);
  assert_member(pass.store, FREE, "metadata.resourceVersion", "9");
  assert_member(pass.store, SPREAD_OBJECT, "metadata.resourceVersion", "5");
  pass_close(&pass);
}
END_TEST

UNIT_CASE(pod_patch) {
  TCase *cases = tcase_create("pod_patch");
  tcase_add_loop_test(cases, test_payloads_are_patches, 0, COUNT(rows));
  tcase_add_test(cases, test_a_patch_that_is_not_json);
  tcase_add_loop_test(cases, test_json_patches_agree, 0, COUNT(rows));
  tcase_add_test(cases, test_other_bodies_carry_the_uid);
  tcase_add_test(cases, test_a_pass_is_carried_out);
  tcase_add_loop_test(cases, test_a_refused_patch_ends_the_pass, 0, COUNT(refused));
  return cases;
}
