/* SPDX-License-Identifier: MIT */
#include "stores.h"

#include <rebalance/workloadspread.h>

static const char object[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"labels\":{"
    "\"a.b/c\":\"d\"}},"
    "\"n\":7,\"r\":1.50,\"t\":true,\"z\":null,\"l\":[[1],{\"m\":\"x\"}]}";

static const struct {
  const char *path;
  const char *text;
} members[] = {
    {"metadata.name", "n"},
    {"metadata.labels[\"a.b/c\"]", "d"},
    {"n", "7"},
    {"r", "1.50"},
    {"t", "true"},
    {"z", ""},
    {"l[0][0]", "1"},
    {"l[1].m", "x"},
    {"l[1]", "{\"m\":\"x\"}"},
    {"l", "[[1],{\"m\":\"x\"}]"},
    {"l[2]", ""},
    {"l[x]", ""},
    {"l.m", ""},
    {"metadata", "{\"name\":\"n\",\"labels\":{\"a.b/c\":\"d\"}}"},
    {"metadata.names", ""},
    {"n.m", ""},
};

START_TEST(test_members_are_found) {
  rebal_store *store = store_of(object);
  assert_member(store, 0, members[_i].path, members[_i].text);
  assert_member(store, 1, members[_i].path, "");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_objects_are_written_in_every_format) {
  rebal_store *store = store_of("{apiVersion: v1, kind: Node, metadata: {name: node}}");
  rebal_text *text = NULL;
  assert_written(store, 0, REBAL_TEXT_FORMAT_JSON,
                 "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{"
                 "\"name\":\"node\"}}");
  assert_written(store, 0, REBAL_TEXT_FORMAT_JSON_PRETTY,
                 "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"Node\",\n  \"metadata\": {\n    \"name\": \"node\"\n "
                 " }\n}");
  assert_written(store, 0, REBAL_TEXT_FORMAT_YAML, "apiVersion: v1\nkind: Node\nmetadata:\n  name: node\n");
  ck_assert_int_eq(rebal_text_new(&text, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_write(store, 0, REBAL_TEXT_FORMAT_JSON_PATCH, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_write(store, 0, 99, text, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_write(store, 5, REBAL_TEXT_FORMAT_JSON, text, NULL), REBAL_ENOTFOUND);
  ck_assert_str_eq(rebal_text_bytes(text, NULL), "");
  rebal_text_free(text);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_records_hold_what_the_object_holds) {
  rebal_store *store = store_of(
      "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata: {name: demo, generation: 2}\n"
      "spec: {workloads: [{kind: Deployment, name: foo}], ttlSecondsAfterFinished: 0}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: node}}\n");
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  json_t *tree = NULL;
  struct rebali_buffer output = REBALI_BUFFER;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, 0, builder, &record, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_record_object(record), REBAL_OBJECT_WORKLOAD_REBALANCER);
  ck_assert_int_eq(rebali_record_tree(record, 0, REBAL_OBJECT_WORKLOAD_REBALANCER, &tree, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(tree, 0, &output), REBAL_OK);
  ck_assert_str_eq(output.bytes,
                   "{\"metadata\":{\"name\":\"demo\",\"generation\":2},\"spec\":{\"workloads\":[{"
                   "\"apiVersion\":"
                   "\"\",\"kind\":\"Deployment\",\"name\":\"foo\"}],\"ttlSecondsAfterFinished\":0}}");
  ck_assert_int_eq(rebal_store_record(store, 1, builder, &record, NULL), REBAL_EUNSUPPORTED);
  ck_assert_int_eq(rebal_store_record(store, 2, builder, &record, NULL), REBAL_ENOTFOUND);
  rebali_buffer_dispose(&output);
  json_decref(tree);
  rebal_builder_free(builder);
  rebal_store_free(store);
}
END_TEST

/* Requirements of a Pod and of a pod template: the sum of the containers' requests, and the nodes it may use. */
START_TEST(test_requirements) {
  rebal_store *store = store_of(
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: {a: b}, containers: [{name: c, resources: "
      "{requests: {cpu: 100m}}}, {name: d, resources: {limits: {cpu: 1}}}]}}\n---\n"
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {template: {spec: {containers: [{name: c, "
      "resources: {requests: {memory: 1Gi}}}]}}}}\n");
  static const char *const wanted[] = {
      "{\"nodeClaim\":{\"nodeSelector\":{\"a\":\"b\"}},\"resourceRequest\":{\"cpu\":\"1100m\"}}",
      "{\"resourceRequest\":{\"memory\":\"1Gi\"}}"};
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  for (uint32_t i = 0; i < 2; i++) {
    const uint32_t row = find(store, i == 0 ? "Pod" : "Deployment", "default", i == 0 ? "p" : "d");
    struct rebali_buffer output = REBALI_BUFFER;
    json_t *tree = NULL;
    ck_assert_int_eq(rebal_store_requirements(store, row, builder, &record, NULL), REBAL_OK);
    ck_assert_uint_eq(rebal_record_object(record), REBAL_OBJECT_REQUIREMENTS);
    ck_assert_int_eq(rebali_record_tree(record, 0, REBAL_OBJECT_REQUIREMENTS, &tree, NULL), REBAL_OK);
    ck_assert_int_eq(rebali_json_write(tree, 0, &output), REBAL_OK);
    ck_assert_str_eq(output.bytes, wanted[i]);
    rebali_buffer_dispose(&output);
    json_decref(tree);
  }
  ck_assert_int_eq(rebal_store_requirements(store, 2, builder, &record, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_store_requirements(NULL, 0, builder, &record, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_requirements(store, 0, NULL, &record, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_requirements(store, 0, builder, NULL, NULL), REBAL_EINVAL);
  rebal_builder_free(builder);
  rebal_store_free(store);
}
END_TEST

static const char united[] =
    "apiVersion: apps.kruise.io/v1beta1\nkind: UnitedDeployment\nmetadata: {name: u, namespace: shop}\n"
    "spec:\n  replicas: 10\n  selector: {}\n  topology:\n    subsets:\n    - {name: a, maxReplicas: 25%, "
    "nodeSelectorTerm: {}}\n    - {name: b, minReplicas: 2}\n    scheduleStrategy: {type: Adaptive}\n";

START_TEST(test_a_united_deployment_is_allocated) {
  static const int64_t wanted[] = {3, 7};
  rebal_store *store = store_of(united);
  rebal_builder *builder = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  const rebal_record *record = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, 0, builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_united_allocate(ctx, record, NULL, result, NULL), REBAL_OK);
  rebal_ctx_free(ctx);
  ck_assert_uint_eq(rebal_result_count(result, REBAL_TABLE_ALLOCATED), COUNT(wanted));
  for (size_t i = 0; i < COUNT(wanted); i++) {
    ck_assert_int_eq(rebal_result_i64(result, REBAL_ALLOCATED_REPLICAS, NULL)[i], wanted[i]);
  }
  rebal_result_free(result);
  rebal_builder_free(builder);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_replicas_of_a_subset_are_a_number_or_a_text) {
  static const char wrong[] =
      "{apiVersion: apps.kruise.io/v1beta1, kind: UnitedDeployment, metadata: {name: u}, "
      "spec: {topology: {subsets: [{name: a}, {name: b, maxReplicas: true}]}}}";
  rebal_store *store = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_store_new(NULL, &store, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_load(store, wrong, sizeof wrong - 1, &err), REBAL_EPARSE);
  ck_assert_str_eq(err.field, "spec.topology.subsets[1].maxReplicas");
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(store_query) {
  TCase *cases = tcase_create("store_query");
  tcase_add_loop_test(cases, test_members_are_found, 0, (int)COUNT(members));
  tcase_add_test(cases, test_objects_are_written_in_every_format);
  tcase_add_test(cases, test_records_hold_what_the_object_holds);
  tcase_add_test(cases, test_requirements);
  tcase_add_test(cases, test_a_united_deployment_is_allocated);
  tcase_add_test(cases, test_replicas_of_a_subset_are_a_number_or_a_text);
  return cases;
}
