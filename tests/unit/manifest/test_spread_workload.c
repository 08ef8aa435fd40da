/* SPDX-License-Identifier: MIT */
#include "manifest/spread/kruise.h"
#include "patching.h"

#define LIST                                                                       \
  "{workloads: [{Group: g.io, Version: v1, Kind: Game, replicasPath: spec.size}, " \
  "{Group: g.io, Version: v2, Kind: Game, replicasPath: spec.replicas}, "          \
  "{Group: g.io, Version: v1, Kind: Bare}, {Kind: Core, Version: v1, replicasPath: spec.size}]}"
#define PERCENT "subsets: [{maxReplicas: 5}, {maxReplicas: 40%}]"
#define DEPLOYMENT "targetRef: {apiVersion: apps/v1, kind: Deployment}"
#define GAME "targetRef: {apiVersion: g.io/v1, kind: Game}"
#define PATHS(paths) "targetFilter: {replicasPathList: [" paths "]}"

static json_t *tree_of(const char *text) {
  rebal_document *document = document_of(text);
  json_t *tree = json_incref(document->tree);
  rebal_document_free(document);
  return tree;
}

static const struct {
  const char *spec, *workload; /* workload "null": it is missing */
  int32_t replicas;
  const char *message; /* NULL: none */
} admissions[] = {
    {"{" DEPLOYMENT ", " PERCENT "}", "{apiVersion: apps/v1, spec: {replicas: 7}}", 7, NULL},
    {"{" DEPLOYMENT ", " PERCENT "}", "{apiVersion: apps/v1beta2, spec: {replicas: 7}}", 0, NULL},
    {"{" DEPLOYMENT ", " PERCENT "}", "{apiVersion: apps/v1, spec: {}}", 1, NULL},
    {"{" DEPLOYMENT ", " PERCENT "}", "null", 0, NULL},
    {"{" DEPLOYMENT ", subsets: [{maxReplicas: 5}, {}, {maxReplicas: '5'}]}",
     "{apiVersion: apps/v1, spec: {replicas: 7}}", 0, NULL},
    {"{" DEPLOYMENT "}", "{apiVersion: apps/v1, spec: {replicas: 7}}", 0, NULL},
    {"{" PERCENT "}", "{apiVersion: apps/v1, spec: {replicas: 7}}", 0, NULL},
    {"{" DEPLOYMENT ", " PERCENT ", " PATHS("spec.a, spec.b") "}",
     "{apiVersion: apps/v1, spec: {replicas: 7, a: 2, b: 3}}", 5, NULL},
    {"{" DEPLOYMENT ", " PERCENT ", " PATHS("spec.a, spec.b") "}", "{apiVersion: apps/v1, spec: {replicas: 7, a: 2}}",
     0, "path \"b\" not exists"},
    {"{" DEPLOYMENT ", " PERCENT ", " PATHS("spec.a") "}", "null", 0, NULL},
    /* a minimum in percent needs the replicas too, but pods are not refused without them */
    {"{" DEPLOYMENT ", subsets: [{minReplicas: 40%}]}", "{apiVersion: apps/v1, spec: {replicas: 7}}", 7, NULL},
    {"{" DEPLOYMENT ", subsets: [{minReplicas: 4}]}", "{apiVersion: apps/v1, spec: {replicas: 7}}", 0, NULL},
    {"{" DEPLOYMENT ", subsets: [{minReplicas: 40%}], " PATHS("spec.a") "}", "{apiVersion: apps/v1, spec: {a: 3}}", 3,
     NULL},
    {"{" DEPLOYMENT ", subsets: [{minReplicas: 40%}], " PATHS("spec.a") "}", "{apiVersion: apps/v1, spec: {}}", 0,
     NULL},
    {"{" DEPLOYMENT ", " PERCENT ", " PATHS("") "}", "{apiVersion: apps/v1, spec: {replicas: 7}}", 7, NULL},
    {"{targetRef: {apiVersion: batch/v1, kind: Job}, " PERCENT "}",
     "{apiVersion: batch/v1, spec: {parallelism: 4, replicas: 7}}", 4, NULL},
    {"{targetRef: {apiVersion: apps.kruise.io/v1beta1, kind: StatefulSet}, " PERCENT "}",
     "{apiVersion: apps.kruise.io/v1beta1, spec: {replicas: 7}}", 7, NULL},
    /* a built-in kind of another version counts as unknown */
    {"{targetRef: {apiVersion: apps.kruise.io/v1beta1, kind: CloneSet}, " PERCENT "}",
     "{apiVersion: apps.kruise.io/v1beta1, spec: {replicas: 7}}", 0, NULL},
    /* of the white list the first entry of the group and kind counts, whatever its version */
    {"{" GAME ", " PERCENT "}", "{apiVersion: g.io/v1, spec: {size: 9, replicas: 1}}", 9, NULL},
    {"{targetRef: {apiVersion: g.io/v2, kind: Game}, " PERCENT "}",
     "{apiVersion: g.io/v2, spec: {size: 9, replicas: 1}}", 9, NULL},
    {"{" GAME ", " PERCENT "}", "{apiVersion: g.io/v1, spec: {replicas: 1}}", 0, NULL},
    {"{targetRef: {apiVersion: g.io/v1, kind: Bare}, " PERCENT "}", "{apiVersion: g.io/v1, spec: {replicas: 1}}", 0,
     NULL},
    {"{targetRef: {apiVersion: v1, kind: Core}, " PERCENT "}", "{apiVersion: v1, spec: {size: 3}}", 3, NULL},
    {"{targetRef: {apiVersion: h.io/v1, kind: Game}, " PERCENT "}", "{apiVersion: h.io/v1, spec: {size: 9}}", 0, NULL},
};

START_TEST(test_admission) {
  json_t *spec = tree_of(admissions[_i].spec), *workload = tree_of(admissions[_i].workload), *list = tree_of(LIST);
  rebal_error err = REBAL_ERROR_INIT;
  int32_t replicas = -5;
  const int32_t code = rebali_admission_replicas(spec, rebali_present(workload), list, &replicas, &err);
  ck_assert_int_eq(code, admissions[_i].message != NULL ? REBAL_EINVAL : REBAL_OK);
  ck_assert_str_eq(err.message, admissions[_i].message != NULL ? admissions[_i].message : "");
  ck_assert_msg(replicas == admissions[_i].replicas, "%s: %d", admissions[_i].spec, replicas);
  json_decref(spec);
  json_decref(workload);
  json_decref(list);
}
END_TEST

static const struct {
  const char *spec, *workload;
  int32_t replicas;
  int has_paths;
  int32_t along;
  const char *message;
} passes[] = {
    {"{" DEPLOYMENT "}", "{spec: {replicas: 7}}", 7, 0, 0, NULL},
    {"{" DEPLOYMENT "}", "{spec: {}}", 1, 0, 0, NULL},
    {"{" DEPLOYMENT "}", "null", 0, 0, 0, NULL},
    {"{targetRef: {apiVersion: apps/v1beta2, kind: Deployment}}", "{spec: {replicas: 7}}", 7, 0, 0, NULL},
    {"{targetRef: {apiVersion: batch/v1, kind: Job}}", "{spec: {parallelism: 4, replicas: 7}}", 4, 0, 0, NULL},
    {"{targetRef: {apiVersion: h.io/v1, kind: Game}}", "{spec: {replicas: 3}}", 3, 0, 0, NULL},
    {"{targetRef: {apiVersion: h.io/v1, kind: Game}}", "{spec: {}}", -1, 0, 0, NULL},
    {"{" DEPLOYMENT ", " PATHS("spec.a, spec.b") "}", "{spec: {replicas: 7, a: 2, b: 3}}", 7, 1, 5, NULL},
    {"{" DEPLOYMENT ", " PATHS("spec.a, spec.b") "}", "{spec: {replicas: 7, a: 2}}", 7, 1, 0, "path \"b\" not exists"},
    {"{" DEPLOYMENT ", " PATHS("spec.a") "}", "null", 0, 1, 0, NULL},
    /* the white list's entry has to be of the version, and may have no path */
    {"{" GAME "}", "{spec: {size: 9}}", -1, 1, 9, NULL},
    {"{" GAME "}", "{spec: {replicas: 2}}", 2, 1, 0, "path \"size\" not exists"},
    {"{targetRef: {apiVersion: g.io/v2, kind: Game}}", "{spec: {size: 9, replicas: 2}}", 2, 1, 2, NULL},
    {"{targetRef: {apiVersion: g.io/v3, kind: Game}}", "{spec: {size: 9, replicas: 2}}", 2, 0, 0, NULL},
    {"{targetRef: {apiVersion: g.io/v1, kind: Bare}}", "{spec: {replicas: 2}}", 2, 1, 0, NULL},
    {"{targetRef: {apiVersion: v1, kind: Core}}", "{spec: {size: 4}}", -1, 1, 4, NULL},
};

START_TEST(test_controller) {
  json_t *spec = tree_of(passes[_i].spec), *workload = tree_of(passes[_i].workload), *list = tree_of(LIST);
  rebal_error err = REBAL_ERROR_INIT;
  int32_t along = -5;
  int has_paths = -1;
  const int32_t code = rebali_path_replicas(spec, rebali_present(workload), list, &has_paths, &along, &err);
  ck_assert_int_eq(code, passes[_i].message != NULL ? REBAL_EINVAL : REBAL_OK);
  ck_assert_str_eq(err.message, passes[_i].message != NULL ? passes[_i].message : "");
  ck_assert_int_eq(has_paths, passes[_i].has_paths);
  ck_assert_int_eq(along, passes[_i].along);
  ck_assert_int_eq(rebali_workload_replicas(spec, rebali_present(workload)), passes[_i].replicas);
  json_decref(spec);
  json_decref(workload);
  json_decref(list);
}
END_TEST

UNIT_CASE(spread_workload) {
  TCase *cases = tcase_create("spread_workload");
  tcase_add_loop_test(cases, test_admission, 0, (int)COUNT(admissions));
  tcase_add_loop_test(cases, test_controller, 0, (int)COUNT(passes));
  return cases;
}
