/* SPDX-License-Identifier: MIT */
#include "stores.h"

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
     "1Mi}}}, {resources: {limits: {nvidia.com/gpu: 1}}}]}",
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
  struct rebali_buffer output = REBALI_BUFFER;
  json_t **documents = NULL, *requirements = NULL;
  const char *text = cases_of_pods[_i].pod_spec;
  size_t n = 0;
  ck_assert_int_eq(rebali_text_read(text, strlen(text), NULL, &documents, &n, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_requirements_of(documents[0], &requirements, NULL), REBAL_OK);
  ck_assert_int_eq(rebali_json_write(requirements, 0, &output), REBAL_OK);
  ck_assert_str_eq(output.bytes, cases_of_pods[_i].requirements);
  rebali_buffer_dispose(&output);
  json_decref(requirements);
  rebali_documents_free(documents, n);
}
END_TEST

UNIT_CASE(requirements) {
  TCase *cases = tcase_create("requirements");
  tcase_add_loop_test(cases, test_what_one_replica_needs, 0, (int)COUNT(cases_of_pods));
  return cases;
}
