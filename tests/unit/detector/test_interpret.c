/* SPDX-License-Identifier: MIT */
#include "interpreting.h"

#define FLINK(memory)                                                                                             \
  "{apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, spec: {jobManager: {resource: {memory: '" memory \
  "'}}}}"
#define FLINK_COMPONENTS                                                                        \
  "[{name: jobmanager, replicas: 1, replicaRequirements: {resourceRequest: {memory: 2048m}}}, " \
  "{name: taskmanager, replicas: 1, replicaRequirements: {}}]"
#define DEPLOYMENT(cpu)                                                                                     \
  "{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 7, template: {spec: {containers: [{resources: " \
  "{limits: {cpu: '" cpu "'}}}]}}}}"
#define DEPLOYMENT_REPLICAS "{replicas: 7, requirements: {resourceRequest: {cpu: 2048m}}}"

/* Facts beyond the recorded cases, one operation each; answer NULL: the error is code. */
static const struct {
  const char *object;
  uint32_t operation;
  const char *items, *answer;
  int32_t code;
} rows[] = {
    {"{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 3.0, template: null}}", REBAL_INTERPRET_REPLICAS, NULL,
     "{replicas: 3}", REBAL_OK},
    {"{apiVersion: apps/v1, kind: Deployment, spec: {replicas: 3, template: {spec: {volumes: 1}}}}",
     REBAL_INTERPRET_REPLICAS, NULL, NULL, REBAL_EPARSE},
    {"{apiVersion: apps/v1, kind: Deployment}", REBAL_INTERPRET_COMPONENTS, NULL, NULL, REBAL_EUNSUPPORTED},
    {"{apiVersion: apps/v1, kind: Deployment}", 99, NULL, NULL, REBAL_EUNSUPPORTED},
    {"{apiVersion: apps/v1, kind: Deployment}", REBAL_INTERPRET_REVISE, NULL, "{apiVersion: apps/v1, kind: Deployment}",
     REBAL_OK},
    {"{apiVersion: batch/v1, kind: Job, spec: {parallelism: 9, completions: 4}}", REBAL_INTERPRET_REPLICAS, NULL,
     "{replicas: 4}", REBAL_OK},
    {"{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, spec: {replicas: 2}}", REBAL_INTERPRET_REPLICAS, NULL, NULL,
     REBAL_EPARSE},
    {"{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, spec: {replicas: 2}}", REBAL_INTERPRET_STATUS, NULL, NULL,
     REBAL_EUNSUPPORTED},
    {"{apiVersion: kubeflow.org/v1, kind: Notebook}", REBAL_INTERPRET_AGGREGATE, NULL, NULL, REBAL_EUNSUPPORTED},
    {"{apiVersion: v1, kind: ConfigMap, status: {a: 1}}", REBAL_INTERPRET_STATUS, NULL, "{a: 1}", REBAL_OK},
    {"{apiVersion: v1, kind: ConfigMap, status: [1]}", REBAL_INTERPRET_STATUS, NULL, NULL, REBAL_EPARSE},
    {"{apiVersion: apps/v1, kind: ReplicaSet}", REBAL_INTERPRET_AGGREGATE,
     "[{clusterName: a, status: {replicas: 2147483647}}, {clusterName: b, status: {replicas: 2}}]",
     "{apiVersion: apps/v1, kind: ReplicaSet, status: {replicas: -2147483647}}", REBAL_OK},
    {"{apiVersion: apps/v1, kind: ReplicaSet}", REBAL_INTERPRET_AGGREGATE, "[{clusterName: a, status: {replicas: x}}]",
     NULL, REBAL_EPARSE},
    {"{apiVersion: v1, kind: PersistentVolumeClaim}", REBAL_INTERPRET_AGGREGATE,
     "[{clusterName: a, status: {phase: Lost}}, {clusterName: b, status: {phase: Pending}}]",
     "{apiVersion: v1, kind: PersistentVolumeClaim, status: {phase: Lost}}", REBAL_OK},
    {"{apiVersion: networking.k8s.io/v1, kind: Ingress}", REBAL_INTERPRET_AGGREGATE,
     "[{clusterName: a, status: {loadBalancer: {ingress: [{ip: 10.0.0.2}, {hostname: h}]}}}, {clusterName: b, status: "
     "{loadBalancer: {ingress: [{ip: 10.0.0.1}, {hostname: h, ports: [{port: 80, protocol: TCP}]}]}}}]",
     "{apiVersion: networking.k8s.io/v1, kind: Ingress, status: {loadBalancer: {ingress: [{hostname: h, ports: "
     "[{port: 80, protocol: TCP}]}, {ip: 10.0.0.1}, {ip: 10.0.0.2}]}}}",
     REBAL_OK},
    {"{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {namespace: a}, spec: {tls: [{secretName: s}, {}]}}",
     REBAL_INTERPRET_DEPENDENCIES, NULL, NULL, REBAL_EPARSE},
    {"{apiVersion: ray.io/v1, kind: RayService, spec: {rayClusterConfig: {workerGroupSpecs: [{replicas: 3}, "
     "{replicas: 1}]}}}",
     REBAL_INTERPRET_REVISE, NULL,
     "{apiVersion: ray.io/v1, kind: RayService, spec: {rayClusterConfig: {workerGroupSpecs: [{replicas: 5}, "
     "{replicas: 1}]}}}",
     REBAL_OK},
    /* one amount in three texts */
    {FLINK("2.048"), REBAL_INTERPRET_COMPONENTS, NULL, FLINK_COMPONENTS, REBAL_OK},
    {DEPLOYMENT("2.048"), REBAL_INTERPRET_REVISE, NULL, DEPLOYMENT("2.048"), REBAL_OK},
    {DEPLOYMENT("2.048"), REBAL_INTERPRET_REPLICAS, NULL, DEPLOYMENT_REPLICAS, REBAL_OK},
    {FLINK("2048m"), REBAL_INTERPRET_COMPONENTS, NULL, FLINK_COMPONENTS, REBAL_OK},
    {DEPLOYMENT("2048m"), REBAL_INTERPRET_REVISE, NULL, DEPLOYMENT("2048m"), REBAL_OK},
    {DEPLOYMENT("2048m"), REBAL_INTERPRET_REPLICAS, NULL, DEPLOYMENT_REPLICAS, REBAL_OK},
    {FLINK("2.048000"), REBAL_INTERPRET_COMPONENTS, NULL, FLINK_COMPONENTS, REBAL_OK},
    {DEPLOYMENT("2.048000"), REBAL_INTERPRET_REVISE, NULL, DEPLOYMENT("2.048000"), REBAL_OK},
    {DEPLOYMENT("2.048000"), REBAL_INTERPRET_REPLICAS, NULL, DEPLOYMENT_REPLICAS, REBAL_OK},
};

START_TEST(test_rows) {
  struct rebali_interpret_options options = {0, 7, {0, 0, 0}, NULL, {NULL, 0}};
  json_t *object = tree_of(rows[_i].object), *items = rows[_i].items != NULL ? tree_of(rows[_i].items) : NULL, *answer;
  options.items = items;
  ck_assert_int_eq(rebali_interpret(object, rows[_i].operation, &options, &answer, NULL), rows[_i].code);
  assert_tree(answer, rows[_i].answer);
  json_decref(items);
  json_decref(object);
}
END_TEST

static rebal_document *document_of(const char *yaml) {
  rebal_document *document;
  ck_assert_int_eq(rebal_document_read(yaml, REBAL_TERMINATED, NULL, &document, NULL), REBAL_OK);
  return document;
}

START_TEST(test_operations) {
  rebal_document *job = document_of("{apiVersion: batch/v1, kind: Job}");
  rebal_document *unknown = document_of("{apiVersion: apps/v1beta1, kind: Deployment}");
  ck_assert_uint_eq(rebal_interpret_operations(job),
                    1u << REBAL_INTERPRET_REPLICAS | 1u << REBAL_INTERPRET_REVISE | 1u << REBAL_INTERPRET_RETAIN |
                        1u << REBAL_INTERPRET_AGGREGATE | 1u << REBAL_INTERPRET_STATUS |
                        1u << REBAL_INTERPRET_DEPENDENCIES);
  ck_assert_uint_eq(rebal_interpret_operations(unknown), 1u << REBAL_INTERPRET_STATUS);
  ck_assert_uint_eq(rebal_interpret_operations(NULL), 0);
  rebal_document_free(job);
  rebal_document_free(unknown);
}
END_TEST

START_TEST(test_null_is_not_a_document) {
  rebal_document *object = document_of("{apiVersion: v1, kind: ConfigMap}"), *answer = object;
  ck_assert_int_eq(rebal_interpret(object, REBAL_INTERPRET_STATUS, NULL, &answer, NULL), REBAL_OK);
  ck_assert_ptr_null(answer);
  rebal_document_free(object);
}
END_TEST

START_TEST(test_arguments) {
  rebal_document *object = document_of("{apiVersion: example.com/v1, kind: Foo, spec: {size: 2}}"), *answer = NULL;
  rebal_interpret_opts opts = {.struct_size = sizeof opts};
  ck_assert_int_eq(rebal_interpret(NULL, REBAL_INTERPRET_STATUS, NULL, &answer, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_interpret(object, REBAL_INTERPRET_STATUS, NULL, NULL, NULL), REBAL_EINVAL);
  opts.flags = 1;
  ck_assert_int_eq(rebal_interpret(object, REBAL_INTERPRET_STATUS, &opts, &answer, NULL), REBAL_EINVAL);
  opts.flags = 0;
  opts.gates = 1u << 6;
  ck_assert_int_eq(rebal_interpret(object, REBAL_INTERPRET_STATUS, &opts, &answer, NULL), REBAL_EINVAL);
  opts.gates = 0;
  opts.replicas_paths = "Foo";
  opts.replicas_paths_len = REBAL_TERMINATED;
  ck_assert_int_eq(rebal_interpret(object, REBAL_INTERPRET_REPLICAS, &opts, &answer, NULL), REBAL_EINVAL);
  opts.replicas_paths = "Foo=spec.size";
  ck_assert_int_eq(rebal_interpret(object, REBAL_INTERPRET_REPLICAS, &opts, &answer, NULL), REBAL_OK);
  ck_assert_int_eq(json_integer_value(json_object_get(answer->tree, "replicas")), 2);
  rebal_document_free(answer);
  opts.struct_size = 4;
  ck_assert_int_eq(rebal_interpret(object, REBAL_INTERPRET_REPLICAS, &opts, &answer, NULL), REBAL_EABI);
  rebal_document_free(object);
}
END_TEST

UNIT_CASE(interpret) {
  TCase *cases = tcase_create("interpret");
  tcase_add_loop_test(cases, test_rows, 0, sizeof rows / sizeof rows[0]);
  tcase_add_test(cases, test_operations);
  tcase_add_test(cases, test_null_is_not_a_document);
  tcase_add_test(cases, test_arguments);
  return cases;
}
