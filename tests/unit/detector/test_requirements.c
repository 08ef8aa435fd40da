/* SPDX-License-Identifier: MIT */
#include "interpreting.h"

static const struct {
  const char *pod_spec;
  const char *requirements;
} cases_of_pods[] = {
    {"{}", "{}"},
    {"{containers: [{}, {resources: {}}]}", "{}"},
    {"{containers: [{resources: {limits: {cpu: 10m, memory: 10Mi}}}]}",
     "{\"resourceRequest\":{\"cpu\":\"10m\",\"memory\":\"10Mi\"}}"},
    {"{containers: [{resources: {requests: {memory: 1Gi}, limits: {memory: 2Gi, cpu: 1}}}, {resources: {requests: {"
     "cpu: 500m}}}]}",
     "{\"resourceRequest\":{\"cpu\":\"1500m\",\"memory\":\"1Gi\"}}"},
    {"{containers: [{resources: {requests: {cpu: 100m, memory: 1Gi}}}], initContainers: [{resources: {requests: {"
     "cpu: 2, memory: "
     "1Mi}}}, {resources: {limits: {nvidia.com/gpu: 1, storage: 1Gi}}}]}",
     "{\"resourceRequest\":{\"cpu\":\"2\",\"memory\":\"1Gi\",\"nvidia.com/gpu\":\"1\"}}"},
    {"{containers: [{resources: {requests: {cpu: 100m}}}], overhead: {cpu: 50m, memory: 64Mi}}",
     "{\"resourceRequest\":{\"cpu\":\"150m\",\"memory\":\"64Mi\"}}"},
    {"{containers: [{resources: {requests: {cpu: 0, memory: 1073741824, hugepages-2Mi: 4194304, a.b/c: 1.5, cpu2: "
     "'0'}}}]}",
     "{\"resourceRequest\":{\"a.b/c\":\"2\",\"hugepages-2Mi\":\"4Mi\",\"memory\":\"1Gi\"}}"},
    {"{containers: [], nodeSelector: {a: b}, tolerations: [{operator: Exists}], affinity: {nodeAffinity: "
     "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}}}}",
     "{\"nodeClaim\":{\"hardNodeAffinity\":{\"nodeSelectorTerms\":[{}]},\"nodeSelector\":{\"a\":\"b\"},"
     "\"tolerations\":["
     "{\"operator\":\"Exists\"}]}}"},
};

START_TEST(test_what_one_replica_needs) {
  json_t *pod_spec = tree_of(cases_of_pods[_i].pod_spec), *requirements = NULL;
  struct rebali_buffer output = REBALI_BUFFER;
  ck_assert_int_eq(rebali_requirements_of(pod_spec, 0, &requirements, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(requirements, 0, &output), REBAL_OK);
  ck_assert_str_eq(output.bytes, cases_of_pods[_i].requirements);
  rebali_buffer_dispose(&output);
  json_decref(requirements);
  json_decref(pod_spec);
}
END_TEST

/* In scripts quantities are written and read once more, and empty maps are dropped. */
START_TEST(test_of_a_script) {
  const struct rebali_interpret_options options = {0, 0, {0, 0, 0}, NULL, {NULL, 0}};
  struct rebali_interpreting in = {REBAL_OK, NULL, NULL, &options};
  json_t *pod_template = tree_of("{spec: {nodeSelector: {}, containers: [{resources: {limits: {memory: 58e6}}}]}}");
  assert_tree(rebali_lua_requirements(&in, pod_template), "{resourceRequest: {memory: 58M}}");
  ck_assert_ptr_null(rebali_lua_requirements(&in, NULL));
  ck_assert_int_eq(in.result, REBAL_EPARSE);
  json_decref(pod_template);
}
END_TEST

START_TEST(test_priority_class) {
  json_t *pod_spec = tree_of("{priorityClassName: high, nodeSelector: {}}"), *requirements = NULL;
  ck_assert_int_eq(rebali_requirements_of(pod_spec, 0, &requirements, NULL), REBAL_OK);
  assert_tree(requirements, "{nodeClaim: {}}");
  ck_assert_int_eq(
      rebali_requirements_of(pod_spec, 1u << REBAL_DETECTOR_GATE_RESOURCE_QUOTA_ESTIMATE, &requirements, NULL),
      REBAL_OK);
  assert_tree(requirements, "{nodeClaim: {}, priorityClassName: high}");
  json_decref(pod_spec);
}
END_TEST

UNIT_CASE(requirements) {
  TCase *cases = tcase_create("requirements");
  tcase_add_loop_test(cases, test_what_one_replica_needs, 0, sizeof cases_of_pods / sizeof cases_of_pods[0]);
  tcase_add_test(cases, test_of_a_script);
  tcase_add_test(cases, test_priority_class);
  return cases;
}
