/* SPDX-License-Identifier: MIT */
#include "manifest/validate/checks.h"
#include "manifest/store/requests.h"
#include "stores.h"

#include <stdio.h>

/* A rebalancer's step is the source of actions: the objects it reads decide which actions it returns. */
static const struct rebali_action_row patch_status = {
    REBAL_ACTION_KIND_PATCH_STATUS, 1, "apps.karmada.io/v1alpha1", "WorkloadRebalancer", "", "demo", "", "3", NULL,
    REBAL_OBJECT_REBALANCER_STATUS, 0};

static const rebal_record *read_record(rebal_builder *builder, uint32_t object, const char *text) {
  json_t **documents = NULL;
  const rebal_record *record = NULL;
  size_t n = 0;
  ck_assert_int_eq(rebali_text_read(text, strlen(text), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_read_record(builder, object, documents[0], NULL, &record, NULL), REBAL_OK);
  rebali_documents_free(documents, n);
  return record;
}

/* Actions of all kinds with the text of their payload, the merge patch and the JSON patch. */
static const struct {
  int64_t kind;
  uint32_t object;
  const char *payload;
  const char *uid, *resource_version;
  int64_t replaces;
  const char *patch; /* as a tree */
} patches[] = {
    {REBAL_ACTION_KIND_PATCH_SPEC, REBAL_OBJECT_BINDING_SPEC,
     "{clusters: [{name: a, replicas: 0}, {name: b, replicas: "
     "2}]}",
     "", "", 1, "{\"spec\":{\"clusters\":[{\"name\":\"a\"},{\"name\":\"b\",\"replicas\":2}]}}"},
    {REBAL_ACTION_KIND_PATCH_SPEC, REBAL_OBJECT_BINDING_SPEC, "{}", "", "", 3,
     "{\"spec\":{\"clusters\":null,\"gracefulEvictionTasks\":null}}"},
    {REBAL_ACTION_KIND_PATCH_SPEC, REBAL_OBJECT_BINDING_SPEC,
     "{gracefulEvictionTasks: [{fromCluster: m, replicas: 0, gracePeriodSeconds: 5, suppressDeletion: false, "
     "preservedLabelState: {b: c, a: ''}, clustersBeforeFailover: [x]}]}",
     "", "", 2,
     "{\"spec\":{\"gracefulEvictionTasks\":[{\"fromCluster\":\"m\",\"replicas\":0,\"reason\":\"\",\"producer\":\"\","
     "\"gracePeriodSeconds\":5,\"suppressDeletion\":false,\"preservedLabelState\":{\"a\":\"\",\"b\":\"c\"},"
     "\"clustersBeforeFailover\":[\"x\"]}]}}"},
    {REBAL_ACTION_KIND_PATCH_STATUS, REBAL_OBJECT_REBALANCER_STATUS, "{observedGeneration: 2}", "", "7", 4,
     "{\"status\":{\"observedGeneration\":2,\"observedWorkloads\":null,\"finishTime\":null}}"},
    {REBAL_ACTION_KIND_PATCH_METADATA, REBAL_OBJECT_PLACEMENT, "{clusterAffinity: {clusterNames: [m]}}", "", "", 0,
     "{\"metadata\":{\"annotations\":{\"policy.karmada.io/applied-placement\":"
     "\"{\\\"clusterAffinity\\\":{\\\"clusterNames\\\":[\\\"m\\\"]}}\"}}}"},
    {REBAL_ACTION_KIND_PATCH_METADATA, REBAL_OBJECT_METADATA, "{labels: {a: b}}", "", "", 0,
     "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"},
    {REBAL_ACTION_KIND_PATCH_SPEC, REBAL_OBJECT_BINDING,
     "{metadata: {annotations: {librebalance/plan: x}}, spec: {clusters: [{name: a, replicas: 2}], suspension: "
     "{scheduling: true}}}",
     "", "", 1,
     "{\"metadata\":{\"annotations\":{\"librebalance/"
     "plan\":\"x\"}},\"spec\":{\"clusters\":[{\"name\":\"a\",\"replicas\":2}],"
     "\"suspension\":{\"scheduling\":true}}}"},
    {REBAL_ACTION_KIND_PATCH_SPEC, REBAL_OBJECT_BINDING, "{}", "", "", 2 + 64 + 128,
     "{\"spec\":{\"gracefulEvictionTasks\":null,\"suspension\":{\"scheduling\":null}},"
     "\"metadata\":{\"annotations\":{\"librebalance/plan\":null}}}"},
    {REBAL_ACTION_KIND_CREATE, REBAL_OBJECT_WORKLOAD_REBALANCER, "{spec: {workloads: []}}", "", "", 0,
     "{\"spec\":{},\"metadata\":{\"name\":\"demo\"},\"apiVersion\":\"apps.karmada.io/v1alpha1\","
     "\"kind\":\"WorkloadRebalancer\"}"},
};

START_TEST(test_actions_become_patches) {
  struct rebali_action_row action = patch_status;
  struct rebali_buffer output = REBALI_BUFFER;
  rebal_builder *builder = NULL;
  json_t *tree = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  action.kind = patches[_i].kind;
  action.payload_object = patches[_i].object;
  action.payload = read_record(builder, patches[_i].object, patches[_i].payload);
  action.replaces = patches[_i].replaces;
  ck_assert_int_eq(rebali_action_patch(&action, &tree, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(tree, 0, &output), REBAL_OK);
  ck_assert_str_eq(output.bytes, patches[_i].patch);
  action.payload = NULL;
  ck_assert_int_eq(rebali_action_patch(&action, &tree, NULL), REBAL_EINVAL);
  json_decref(tree);
  rebali_buffer_dispose(&output);
  rebal_builder_free(builder);
}
END_TEST

#define REBALANCER                                                                                                    \
  "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata: {name: demo, generation: 1, "            \
  "resourceVersion: '3', creationTimestamp: '2026-03-14T08:00:00Z'}\nspec: {workloads: [{apiVersion: apps/v1, kind: " \
  "Deployment, name: foo, namespace: default}], ttlSecondsAfterFinished: 1}\n"
#define FINISHED                                                                                                     \
  "status: {finishTime: '2026-03-14T08:00:00Z', observedGeneration: 1, observedWorkloads: [{workload: {apiVersion: " \
  "apps/v1, kind: Deployment, name: foo, namespace: default}, result: Successful}]}\n"

static void step(const rebal_record *record, const rebal_observations *observations, rebal_result *result) {
  const rebal_rebalancer_opts opts = {.struct_size = sizeof opts, .observations = observations};
  const rebal_time now = time_of(NOW);
  rebal_ctx *ctx = NULL;
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_rebalancer_step(ctx, record, &now, &opts, result, NULL), REBAL_OK);
  rebal_ctx_free(ctx);
}

/* The rendered actions of one kind, in the order of the run, each on a line. */
static void render_run(const char *text, int64_t kind, uint32_t format, rebal_text *out) {
  const rebal_time now = time_of(NOW);
  rebal_store *store = store_of(text);
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  rebal_observations *observations = NULL;
  rebal_result *result = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, find(store, "WorkloadRebalancer", "", "demo"), builder, &record, NULL),
                   REBAL_OK);
  for (int turn = 0; turn < 5; turn++) {
    size_t n = 0;
    step(record, observations, result);
    for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
      if (rebal_result_i64(result, REBAL_ACTION_KIND, &n)[i] == kind) {
        const rebal_render_opts opts = {sizeof opts, format, NULL, 0};
        ck_assert_int_eq(rebal_store_render_action(NULL, result, i, &opts, out, NULL, NULL), REBAL_OK);
      }
      ck_assert_int_eq(rebal_store_carry_out(store, result, i, &now, observations, NULL), REBAL_OK);
    }
  }
  rebal_result_free(result);
  rebal_observations_free(observations);
  rebal_builder_free(builder);
  rebal_store_free(store);
}

static const struct {
  const char *text;
  int64_t kind;
  uint32_t format;
  const char *body;
} bodies[] = {
    {REBALANCER, REBAL_ACTION_KIND_READ, REBAL_TEXT_FORMAT_JSON, ""},
    {REBALANCER "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: foo-deployment, "
                "resourceVersion: '9'}\n",
     REBAL_ACTION_KIND_PATCH_SPEC, REBAL_TEXT_FORMAT_JSON,
     "{\"spec\":{\"rescheduleTriggeredAt\":\"2026-03-14T08:00:00Z\"},\"metadata\":{\"resourceVersion\":\"9\"}}"},
    {REBALANCER "---\napiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: foo-deployment, "
                "resourceVersion: '9'}\n",
     REBAL_ACTION_KIND_PATCH_SPEC, REBAL_TEXT_FORMAT_JSON_PATCH,
     "[{\"op\":\"test\",\"path\":\"/metadata/resourceVersion\",\"value\":\"9\"},"
     "{\"op\":\"add\",\"path\":\"/spec/rescheduleTriggeredAt\",\"value\":\"2026-03-14T08:00:00Z\"}]"},
    {REBALANCER FINISHED, REBAL_ACTION_KIND_DELETE, REBAL_TEXT_FORMAT_JSON,
     "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"preconditions\":{\"resourceVersion\":\"3\"}}"},
    {REBALANCER FINISHED, REBAL_ACTION_KIND_DELETE, REBAL_TEXT_FORMAT_YAML,
     "kind: DeleteOptions\napiVersion: v1\npreconditions:\n  resourceVersion: \"3\"\n"},
};

START_TEST(test_bodies_of_actions) {
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  render_run(bodies[_i].text, bodies[_i].kind, bodies[_i].format, text);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), bodies[_i].body);
  rebal_text_free(text);
}
END_TEST

START_TEST(test_a_status_is_replaced_whole_by_a_json_patch) {
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  render_run(REBALANCER, REBAL_ACTION_KIND_PATCH_STATUS, REBAL_TEXT_FORMAT_JSON_PATCH, text);
  ck_assert_ptr_nonnull(strstr(rebal_text_bytes(text, NULL),
                               "{\"op\":\"add\",\"path\":\"/status\",\"value\":{"
                               "\"observedWorkloads\""));
  ck_assert_ptr_null(strstr(rebal_text_bytes(text, NULL), "null"));
  rebal_text_free(text);
}
END_TEST

#define FINISHED_PATH "/apis/apps.karmada.io/v1alpha1/workloadrebalancers/demo"

/* The deletion of a rebalancer that is finished: the first action of its step. */
static rebal_result *delete_finished(rebal_store **store) {
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  rebal_observations *observations = NULL;
  rebal_result *result = NULL;
  *store = store_of(REBALANCER FINISHED);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_observations_new(NULL, &observations, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(*store, 0, builder, &record, NULL), REBAL_OK);
  step(record, observations, result);
  rebal_observations_free(observations);
  rebal_builder_free(builder);
  return result;
}

START_TEST(test_requests_hold_path_and_body) {
  static const char body[] =
      "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"preconditions\":{"
      "\"resourceVersion\":\"3\"}}";
  rebal_store *store = NULL;
  rebal_result *result = delete_finished(&store);
  rebal_render_opts opts = {.struct_size = 4};
  rebal_request request = {.struct_size = sizeof request};
  rebal_text *text = NULL;
  size_t len;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_text_append(text, "before", 6, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_render_action(store, result, 0, NULL, text, &request, NULL), REBAL_OK);
  ck_assert_str_eq(request.method, "DELETE");
  ck_assert_str_eq(request.path, FINISHED_PATH);
  ck_assert_uint_eq(request.path_len, sizeof FINISHED_PATH - 1);
  ck_assert_str_eq(request.body, body);
  ck_assert_uint_eq(request.body_len, sizeof body - 1);
  (void)rebal_text_bytes(text, &len);
  ck_assert_uint_eq(len, 6 + sizeof FINISHED_PATH + sizeof body - 1);
  /* On failure the text is as before. */
  rebal_text_reset(text);
  ck_assert_int_eq(rebal_store_render_action(store, result, 7, NULL, text, &request, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_render_action(store, result, 0, &opts, text, &request, NULL), REBAL_EABI);
  opts = (rebal_render_opts){sizeof opts, 77, NULL, 0};
  ck_assert_int_eq(rebal_store_render_action(store, result, 0, &opts, text, &request, NULL), REBAL_EINVAL);
  opts = (rebal_render_opts){sizeof opts, 0, NULL, 1};
  ck_assert_int_eq(rebal_store_render_action(store, result, 0, &opts, text, &request, NULL), REBAL_EINVAL);
  request.struct_size = 4;
  ck_assert_int_eq(rebal_store_render_action(store, result, 0, NULL, text, &request, NULL), REBAL_EABI);
  ck_assert_str_eq(rebal_text_bytes(text, &len), "");
  ck_assert_uint_eq(len, 0);
  rebal_text_free(text);
  rebal_result_free(result);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_no_such_action) {
  rebal_result *result = NULL;
  rebal_text *text = NULL;
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_render_action(NULL, result, 0, NULL, text, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_render_action(NULL, NULL, 0, NULL, text, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_render_action(NULL, result, 0, NULL, NULL, NULL, NULL), REBAL_EINVAL);
  rebal_result_free(result);
  rebal_text_free(text);
}
END_TEST

/* ---- patches for a known object: both notations change it as carrying out the action does ---- */

#define KNOWN                                                                                                \
  "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: b, namespace: ns, uid: u, " \
  "resourceVersion: '7', generation: 2"

#define UNITED                                                                                        \
  "{subsetStatuses: [{name: a}, {name: b, conditions: [{type: Schedulable, status: 'False', reason: " \
  "reschedule, message: m}]}]}"

static const struct {
  int64_t kind;
  uint32_t object;
  const char *payload;
  int64_t replaces;
  const char *before; /* what follows the metadata's members */
} known[] = {
    {REBAL_ACTION_KIND_PATCH_SPEC, REBAL_OBJECT_BINDING_SPEC, "{clusters: [{name: a, replicas: 2}]}", 1,
     "}\nspec: {replicas: 2}\n"},
    {REBAL_ACTION_KIND_PATCH_SPEC, REBAL_OBJECT_BINDING_SPEC, "{}", 3,
     "}\nspec: {clusters: [{name: a}], replicas: 2}\n"},
    {REBAL_ACTION_KIND_PATCH_SPEC, REBAL_OBJECT_BINDING_SPEC, "{}", 3, "}\n"},
    {REBAL_ACTION_KIND_PATCH_SPEC, REBAL_OBJECT_BINDING_SPEC, "{rescheduleTriggeredAt: '2026-03-14T08:00:00Z'}", 0,
     "}\n"},
    {REBAL_ACTION_KIND_PATCH_METADATA, REBAL_OBJECT_PLACEMENT, "{clusterAffinity: {}}", 0, "}\n"},
    {REBAL_ACTION_KIND_PATCH_METADATA, REBAL_OBJECT_PLACEMENT, "{clusterAffinity: {}}", 0,
     ", annotations: {a/b: c}}\n"},
    {REBAL_ACTION_KIND_PATCH_METADATA, REBAL_OBJECT_METADATA, "{labels: {a~/b: c}}", 0, ", labels: {a~/b: d, e: f}}\n"},
    {REBAL_ACTION_KIND_PATCH_STATUS, REBAL_OBJECT_BINDING_STATUS,
     "{schedulerObservedGeneration: 2, conditions: [{type: Scheduled, status: 'True', reason: Success, message: m}]}",
     0, "}\n"},
    {REBAL_ACTION_KIND_PATCH_STATUS, REBAL_OBJECT_BINDING_STATUS,
     "{conditions: [{type: Scheduled, status: 'True', reason: Success, message: m}]}", 0,
     "}\nstatus: {conditions: [{type: FullyApplied, status: 'True'}, {type: Scheduled, status: 'False', reason: "
     "x}]}\n"},
    {REBAL_ACTION_KIND_PATCH_STATUS, REBAL_OBJECT_BINDING_STATUS,
     "{conditions: [{type: Scheduled, status: 'True', reason: Success, message: m}]}", 0,
     "}\nstatus: {conditions: [{type: FullyApplied, status: 'True'}], other: 1}\n"},
    {REBAL_ACTION_KIND_PATCH_STATUS, REBAL_OBJECT_REBALANCER_STATUS, "{observedGeneration: 2}", 4,
     "}\nstatus: {observedWorkloads: [1], finishTime: '2026-03-14T08:00:00Z'}\n"},
    {REBAL_ACTION_KIND_PATCH_STATUS, REBAL_OBJECT_UNITED_STATUS, UNITED, 0, "}\n"},
    {REBAL_ACTION_KIND_PATCH_STATUS, REBAL_OBJECT_UNITED_STATUS, UNITED, 0,
     "}\nstatus: {replicas: 5, subsetStatuses: [{name: old, replicas: 1}, {name: b, replicas: 3, partition: 0, "
     "conditions: [{type: Other}, {type: Schedulable, status: 'True', reason: recover, message: x}]}]}\n"},
};

static struct rebali_action_row known_action(rebal_builder *builder, int row) {
  const struct rebali_action_row action = {known[row].kind,
                                           1,
                                           "work.karmada.io/v1alpha2",
                                           "ResourceBinding",
                                           "ns",
                                           "b",
                                           "u",
                                           "7",
                                           read_record(builder, known[row].object, known[row].payload),
                                           known[row].object,
                                           known[row].replaces};
  return action;
}

/* The object after its rendered patch, or, with format 0, after the action as the store merges it. */
static char *patched(int row, uint32_t format) {
  const struct rebali_limits limits = rebali_limits_load(NULL);
  char text[1024];
  rebal_builder *builder = NULL;
  json_t **documents = NULL, *patch = NULL;
  struct rebali_buffer output = REBALI_BUFFER;
  struct rebali_action_row action;
  size_t n = 0;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  action = known_action(builder, row);
  (void)snprintf(text, sizeof text, "%s%s", KNOWN, known[row].before);
  ck_assert_int_eq(rebali_text_read(text, strlen(text), NULL, &documents, &n, NULL), REBAL_OK);
  if (format == 0) {
    ck_assert_int_eq(rebali_action_patch(&action, &patch, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_conditions_merge(&action, documents[0], patch, NULL), REBAL_OK);
  } else {
    ck_assert_int_eq(rebali_action_render(&action, documents[0], format, &patch, NULL), REBAL_OK);
  }
  if (format == REBAL_TEXT_FORMAT_JSON_PATCH) {
    ck_assert_int_eq(rebali_json_patch(&documents[0], patch, &limits, NULL), REBAL_OK);
  } else {
    ck_assert_int_eq(rebali_merge(documents[0], patch, NULL), REBAL_OK);
  }
  ck_assert_int_eq(rebali_json_write(documents[0], REBALI_WRITE_SORTED, &output), REBAL_OK);
  json_decref(patch);
  rebali_documents_free(documents, n);
  rebal_builder_free(builder);
  return output.bytes;
}

START_TEST(test_patches_of_known_objects_agree) {
  char *wanted = patched(_i, 0), *merged = patched(_i, REBAL_TEXT_FORMAT_JSON),
       *changed = patched(_i, REBAL_TEXT_FORMAT_JSON_PATCH);
  ck_assert_str_eq(merged, wanted);
  ck_assert_str_eq(changed, wanted);
  free(wanted);
  free(merged);
  free(changed);
}
END_TEST

/* Entries of a UnitedDeployment's subsets are matched by name, and keep the members that others write. */
START_TEST(test_subsets_of_a_united_deployment_are_merged) {
  char *found = patched(COUNT(known) - 1, REBAL_TEXT_FORMAT_JSON);
  ck_assert_ptr_nonnull(
      strstr(found,
             "\"status\":{\"replicas\":5,\"subsetStatuses\":[{\"name\":\"old\",\"replicas\":1},{\"conditions\":["
             "{\"type\":\"Other\"},{\"message\":\"m\",\"reason\":\"reschedule\",\"status\":\"False\",\"type\":"
             "\"Schedulable\"}],\"name\":\"b\",\"partition\":0,\"replicas\":3},{\"name\":\"a\"}]}"));
  free(found);
}
END_TEST

START_TEST(test_conditions_are_tested_and_replaced) {
  rebal_builder *builder = NULL;
  json_t **documents = NULL, *patch = NULL;
  struct rebali_buffer output = REBALI_BUFFER;
  struct rebali_action_row action;
  char text[1024];
  size_t n = 0;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  action = known_action(builder, 8);
  (void)snprintf(text, sizeof text, "%s%s", KNOWN, known[8].before);
  ck_assert_int_eq(rebali_text_read(text, strlen(text), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_action_render(&action, documents[0], REBAL_TEXT_FORMAT_JSON_PATCH, &patch, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(patch, 0, &output), REBAL_OK);
  ck_assert_str_eq(output.bytes,
                   "[{\"op\":\"test\",\"path\":\"/metadata/uid\",\"value\":\"u\"},"
                   "{\"op\":\"test\",\"path\":\"/metadata/resourceVersion\",\"value\":\"7\"},"
                   "{\"op\":\"test\",\"path\":\"/status/conditions/1/type\",\"value\":\"Scheduled\"},"
                   "{\"op\":\"replace\",\"path\":\"/status/conditions/1\",\"value\":{\"type\":\"Scheduled\","
                   "\"status\":\"True\",\"reason\":\"Success\",\"message\":\"m\"}}]");
  json_decref(patch);
  rebali_documents_free(documents, n);
  rebali_buffer_dispose(&output);
  rebal_builder_free(builder);
}
END_TEST

UNIT_CASE(render) {
  TCase *cases = tcase_create("render");
  tcase_add_loop_test(cases, test_actions_become_patches, 0, (int)COUNT(patches));
  tcase_add_loop_test(cases, test_bodies_of_actions, 0, (int)COUNT(bodies));
  tcase_add_test(cases, test_a_status_is_replaced_whole_by_a_json_patch);
  tcase_add_test(cases, test_requests_hold_path_and_body);
  tcase_add_test(cases, test_no_such_action);
  tcase_add_test(cases, test_subsets_of_a_united_deployment_are_merged);
  tcase_add_loop_test(cases, test_patches_of_known_objects_agree, 0, (int)COUNT(known));
  tcase_add_test(cases, test_conditions_are_tested_and_replaced);
  return cases;
}
