/* SPDX-License-Identifier: MIT */
#include "patching.h"

static const struct {
  const char *pod, *patch;
  int is_unchanged;
} rows[] = {
    {"{metadata: {name: p}}", "{}", 1},
    {"{metadata: {name: p}}", "null", 1},
    {"{metadata: {name: p}}", "{metadata: {annotations: {a: b}}}", 1},
    {"{spec: {}}", "{metadata: {annotations: {a: b}}}", 1},
    {"{metadata: {labels: {a: b}}}", "{metadata: {labels: {a: b}, annotations: {a: b}}}", 1},
    {"{metadata: {labels: {a: b}}}", "{metadata: {labels: {a: c}}}", 0},
    {"{metadata: {labels: {a: b}}}", "{metadata: {labels: {c: null}, finalizers: []}, spec: {nodeSelector: {}}}", 1},
    {"{metadata: {labels: {a: b}}}", "{metadata: {labels: null}}", 0},
    {"{metadata: {annotations: {a: b}}}", "{metadata: {annotations: null}}", 1},
    {"{spec: {annotations: {a: b}}}", "{spec: {annotations: {a: c}}}", 0},
    {"{spec: {tolerations: [{key: a}]}}", "{spec: {tolerations: [{key: a}]}}", 1},
    {"{spec: {tolerations: [{key: a}]}}", "{spec: {tolerations: [{key: a, value: null}]}}", 1},
    {"{spec: {tolerations: [{key: a}]}}", "{spec: {tolerations: [{key: a}, {key: b}]}}", 0},
    {"{spec: {tolerations: [{key: a}]}}", "{spec: {tolerations: [{key: b}]}}", 0},
    {"{spec: {containers: [{name: a, resources: {limits: {cpu: '1'}}}]}}",
     "{spec: {containers: [{name: a, resources: {limits: {cpu: 1000m}}}]}}", 1},
    {"{spec: {containers: [{name: a, resources: {limits: {cpu: 1}}}]}}",
     "{spec: {containers: [{name: a, resources: {limits: {cpu: '1'}}}]}}", 1},
    {"{spec: {containers: [{name: a, resources: {limits: {cpu: '1'}}}]}}",
     "{spec: {containers: [{name: a, resources: {limits: {cpu: '2'}}}]}}", 0},
    {"{spec: {containers: [{name: a, resources: {limits: {memory: 1Gi}}}]}}",
     "{spec: {containers: [{name: a, resources: {limits: {memory: '1073741824'}}}]}}", 0},
    {"{spec: {volumes: [{name: v, emptyDir: {sizeLimit: 1024Mi}}]}}",
     "{spec: {volumes: [{name: v, emptyDir: {sizeLimit: 1Gi}}]}}", 1},
    {"{spec: {nodeSelector: {cpu: '1'}}}", "{spec: {nodeSelector: {cpu: 1000m}}}", 0},
    {"{spec: {containers: [{name: a}, {name: b}]}}", "{spec: {containers: [{name: b}, {name: a}]}}", 0},
    {"{spec: {containers: [{name: a}, {name: b}]}}", "{spec: {containers: [{name: b}]}}", 1},
    {"{spec: {nosuch: 1}}", "{spec: {nosuch: 1}}", 1},
    {"{spec: {}}", "{spec: {nosuch: 1}}", 0},
    {"{metadata: x}", "{metadata: w}", 0},
    {"{metadata: x}", "{metadata: {annotations: {a: b}}}", 0},
};

START_TEST(test_pods) {
  rebal_document *pod = document_of(rows[_i].pod), *patch = document_of(rows[_i].patch), *patched = NULL;
  ck_assert_int_eq(rebal_document_patch(pod, patch, REBAL_PATCH_STRATEGIC, &patched, NULL), REBAL_OK);
  ck_assert_msg(rebali_pod_equal(pod->tree, patched->tree) == rows[_i].is_unchanged, "%s of %s", rows[_i].patch,
                rows[_i].pod);
  rebal_document_free(pod);
  rebal_document_free(patch);
  rebal_document_free(patched);
}
END_TEST

START_TEST(test_templates) {
  static const struct {
    const char *left, *right;
    int is_equal;
  } templates[] = {
      {"{}", "{metadata: {labels: {pod-template-hash: a}}}", 1},
      {"{metadata: {labels: {x: y, pod-template-hash: a}}}", "{metadata: {labels: {x: y, pod-template-hash: b}}}", 1},
      {"{metadata: {labels: {x: y}}}", "{metadata: {labels: {x: z}}}", 0},
      {"{metadata: {labels: {x: y}, creationTimestamp: null}}", "{metadata: {labels: {x: y}}}", 1},
      {"{metadata: {annotations: {pod-template-hash: a}}}", "{metadata: {}}", 0},
      {"{metadata: {annotations: {x: y}}}", "{metadata: {annotations: {x: z}}}", 0},
      {"{spec: {nodeSelector: {pod-template-hash: a}}}", "{spec: {}}", 0},
      {"{spec: {tolerations: []}}", "{spec: {nodeSelector: {}}}", 1},
      {"{spec: {containers: [{name: a}, {name: b}]}}", "{spec: {containers: [{name: b}, {name: a}]}}", 0},
      {"{spec: {containers: [{name: a, resources: {limits: {memory: 1Gi}}}]}}",
       "{spec: {containers: [{name: a, resources: {limits: {memory: '1073741824'}}}]}}", 1},
      {"{spec: {containers: [{name: a, resources: {limits: {memory: 1Gi}}}]}}",
       "{spec: {containers: [{name: a, resources: {limits: {memory: 1G}}}]}}", 0},
      {"{spec: {containers: [{name: a, resources: {limits: {memory: x}}}]}}",
       "{spec: {containers: [{name: a, resources: {limits: {memory: 1G}}}]}}", 0},
      {"{metadata: {labels: x}}", "{metadata: {labels: x}}", 1},
      {"{metadata: {labels: x}}", "{metadata: {labels: {}}}", 0},
  };
  for (size_t i = 0; i < COUNT(templates); i++) {
    rebal_document *left = document_of(templates[i].left), *right = document_of(templates[i].right);
    ck_assert_msg(rebali_template_equal(left->tree, right->tree) == templates[i].is_equal, "%s", templates[i].left);
    ck_assert_msg(rebali_template_equal(right->tree, left->tree) == templates[i].is_equal, "%s", templates[i].right);
    rebal_document_free(left);
    rebal_document_free(right);
  }
}
END_TEST

UNIT_CASE(pod_equal) {
  TCase *cases = tcase_create("pod_equal");
  tcase_add_loop_test(cases, test_pods, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_templates);
  return cases;
}
