/* SPDX-License-Identifier: MIT */
#include "manifest/spread/kruise.h"
#include "patching.h"

/* The annotation of the subset "a" of the WorkloadSpread "ws", and what every pod gets. */
#define ANNOTATIONS "annotations: {apps.kruise.io/matched-workloadspread: '{\"name\":\"ws\",\"subset\":\"a\"}'}"
#define METADATA "metadata: {" ANNOTATIONS "}"
#define BARE "spec: {affinity: {nodeAffinity: {}}}"
#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"
#define ZONE "{key: zone, operator: In, values: [a]}"
#define SSD "{key: disk, operator: Exists}"

static const struct {
  const char *pod, *subset, *injected;
} rows[] = {
    {"{}", "{name: a}", "{" BARE ", " METADATA "}"},
    {"{spec: null, metadata: null}", "{name: a}", "{" BARE ", " METADATA "}"},
    {"{spec: {affinity: {podAffinity: {}, nodeAffinity: null}, x: 1}}", "{name: a, tolerations: []}",
     "{spec: {affinity: {podAffinity: {}, nodeAffinity: {}}, x: 1}, " METADATA "}"},
    /* tolerations are appended, the same ones again */
    {"{spec: {tolerations: [{key: x}]}}", "{name: a, tolerations: [{key: y}, {key: x}]}",
     "{spec: {tolerations: [{key: x}, {key: y}, {key: x}], affinity: {nodeAffinity: {}}}, " METADATA "}"},
    {"{spec: {}}", "{name: a, preferredNodeSelector: [{weight: 1, preference: {matchExpressions: [" SSD "]}}]}",
     "{spec: {affinity: {nodeAffinity: {" PREFERRED ": [{weight: 1, preference: {matchExpressions: [" SSD
     "]}}]}}}, " METADATA "}"},
    {"{spec: {affinity: {nodeAffinity: {" PREFERRED ": [{weight: 5, preference: {}}]}}}}",
     "{name: a, preferredNodeSelector: [{weight: 1, preference: {}}]}",
     "{spec: {affinity: {nodeAffinity: {" PREFERRED
     ": [{weight: 5, preference: {}}, {weight: 1, preference: {}}]}}}, " METADATA "}"},
    /* terms are alternatives: each of them is narrowed, an empty one begins to match */
    {"{spec: {}}", "{name: a, requiredNodeSelector: {matchExpressions: [" ZONE "]}}",
     "{spec: {affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: [{matchExpressions: [" ZONE
     "]}]}}}}, " METADATA "}"},
    {"{spec: {}}", "{name: a, requiredNodeSelector: {}}",
     "{spec: {affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: [{}]}}}}, " METADATA "}"},
    {"{spec: {affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: [{matchExpressions: [" SSD "]}, {}]}}}}}",
     "{name: a, requiredNodeSelector: {matchExpressions: [" ZONE "], matchFields: [" SSD "]}}",
     "{spec: {affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: [{matchExpressions: [" SSD ", " ZONE
     "], matchFields: [" SSD "]}, {matchExpressions: [" ZONE "], matchFields: [" SSD "]}]}}}}, " METADATA "}"},
    {"{spec: {affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: []}}}}}", "{name: a}",
     "{spec: {affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: []}}}}, " METADATA "}"},
    {"{spec: {affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: []}}}}}",
     "{name: a, requiredNodeSelector: {matchFields: [" SSD "]}}",
     "{spec: {affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: [{matchFields: [" SSD "]}]}}}}, " METADATA
     "}"},
    /* the patch comes after that and before the annotation */
    {"{metadata: {labels: {x: '1'}}, spec: {tolerations: [{key: x}], containers: [{name: c, image: i}]}}",
     "{name: a, tolerations: [{key: y}], patch: {metadata: {labels: {y: '2'}, annotations: "
     "{apps.kruise.io/matched-workloadspread: mine}}, spec: {tolerations: [{key: z}], "
     "containers: [{name: c, image: j}]}}}",
     "{metadata: {labels: {x: '1', y: '2'}, " ANNOTATIONS "}, spec: {tolerations: [{key: z}], "
     "containers: [{name: c, image: j}], affinity: {nodeAffinity: {}}}}"},
    /* a patched pod has no nulls and no directives, one without a patch is left as it is */
    {"{metadata: {creationTimestamp: null}, spec: {x: [{y: null}]}}", "{name: a, patch: {}}",
     "{" METADATA ", spec: {x: [{}], affinity: {nodeAffinity: {}}}}"},
    {"{metadata: {creationTimestamp: null}}", "{name: a}",
     "{metadata: {creationTimestamp: null, " ANNOTATIONS "}, " BARE "}"},
    {"{spec: {tolerations: []}}", "{name: a, patch: {spec: {tolerations: [{$patch: replace, key: x}]}}}",
     "{spec: {affinity: {nodeAffinity: {}}, tolerations: [{key: x}]}, " METADATA "}"},
    /* another priority class has another priority */
    {"{spec: {priorityClassName: low, priority: 5}}", "{name: a, patch: {spec: {priorityClassName: high}}}",
     "{spec: {priorityClassName: high, affinity: {nodeAffinity: {}}}, " METADATA "}"},
    {"{spec: {priorityClassName: low, priority: 5}}", "{name: a, patch: {spec: {priorityClassName: null}}}",
     "{spec: {affinity: {nodeAffinity: {}}}, " METADATA "}"},
    {"{spec: {priorityClassName: low, priority: 5}}", "{name: a, patch: {spec: {priorityClassName: low}}}",
     "{spec: {priorityClassName: low, priority: 5, affinity: {nodeAffinity: {}}}, " METADATA "}"},
    {"{spec: {priority: 5}}", "{name: a, patch: {spec: {priorityClassName: ''}}}",
     "{spec: {priority: 5, affinity: {nodeAffinity: {}}, priorityClassName: ''}, " METADATA "}"},
    {"{metadata: {annotations: {apps.kruise.io/matched-workloadspread: old, x: y}}}", "{name: a}",
     "{metadata: {annotations: {apps.kruise.io/matched-workloadspread: '{\"name\":\"ws\",\"subset\":\"a\"}', x: "
     "y}}, " BARE "}"},
};

static json_t *tree_of(const char *text) {
  rebal_document *document = document_of(text);
  json_t *tree = json_incref(document->tree);
  rebal_document_free(document);
  return tree;
}

START_TEST(test_pods) {
  json_t *pod = tree_of(rows[_i].pod), *before = json_deep_copy(pod), *subset = tree_of(rows[_i].subset);
  json_t *subset_before = json_deep_copy(subset), *wanted = tree_of(rows[_i].injected), *injected = NULL;
  rebal_error err = REBAL_ERROR_INIT;
  char *text;
  const int32_t code = rebali_inject(pod, subset, "ws", "", &injected, &err);
  ck_assert_msg(code == REBAL_OK, "%s: %s", rows[_i].pod, err.message);
  text = json_dumps(injected, JSON_COMPACT);
  ck_assert_msg(json_equal(injected, wanted), "%s\n  became     %s\n  instead of %s", rows[_i].pod, text,
                rows[_i].injected);
  ck_assert(json_equal(pod, before));
  ck_assert(json_equal(subset, subset_before));
  free(text);
  json_decref(pod);
  json_decref(before);
  json_decref(subset);
  json_decref(subset_before);
  json_decref(wanted);
  json_decref(injected);
}
END_TEST

START_TEST(test_the_id_of_a_pod_without_a_name) {
  json_t *pod = tree_of("{}"), *subset = tree_of("{name: <a>}"), *injected = NULL;
  const json_t *annotations;
  ck_assert_int_eq(rebali_inject(pod, subset, "ws", "0f", &injected, NULL), REBAL_OK);
  annotations = rebali_member(rebali_member(injected, "metadata"), "annotations");
  ck_assert_str_eq(rebali_member_text(annotations, REBALI_MATCHED_SPREAD),
                   "{\"name\":\"ws\",\"subset\":\"\\u003ca\\u003e\",\"uid\":\"0f\"}");
  json_decref(pod);
  json_decref(subset);
  json_decref(injected);
}
END_TEST

START_TEST(test_refusals) {
  static const struct {
    const char *pod, *subset;
    int32_t code;
    const char *field;
  } refusals[] = {
      {"[]", "{name: a}", REBAL_EPARSE, ""},
      {"{spec: 5}", "{name: a}", REBAL_EPARSE, "spec"},
      {"{spec: {affinity: []}}", "{name: a}", REBAL_EPARSE, "spec.affinity"},
      {"{spec: {affinity: {nodeAffinity: x}}}", "{name: a}", REBAL_EPARSE, "spec.affinity.nodeAffinity"},
      {"{spec: {tolerations: {}}}", "{name: a, tolerations: [{}]}", REBAL_EPARSE, "spec.tolerations"},
      {"{spec: {affinity: {nodeAffinity: {" REQUIRED ": 5}}}}", "{name: a, requiredNodeSelector: {}}", REBAL_EPARSE,
       "spec.affinity.nodeAffinity." REQUIRED},
      {"{spec: {affinity: {nodeAffinity: {" REQUIRED ": {nodeSelectorTerms: [{}, 5]}}}}}",
       "{name: a, requiredNodeSelector: {}}", REBAL_EPARSE,
       "spec.affinity.nodeAffinity." REQUIRED ".nodeSelectorTerms[1]"},
      {"{metadata: {annotations: 5}}", "{name: a}", REBAL_EPARSE, "metadata.annotations"},
      {"{spec: {containers: [{name: c}]}}", "{name: a, patch: {spec: {containers: [{image: j}]}}}", REBAL_EINVAL,
       "spec.containers"},
      {"{}", "{name: a, patch: [1]}", REBAL_EPARSE, ""},
  };
  for (size_t i = 0; i < COUNT(refusals); i++) {
    json_t *pod = tree_of(refusals[i].pod), *subset = tree_of(refusals[i].subset), *injected = NULL;
    rebal_error err = REBAL_ERROR_INIT;
    ck_assert_int_eq(rebali_inject(pod, subset, "ws", "", &injected, &err), refusals[i].code);
    ck_assert_ptr_null(injected);
    ck_assert_msg(strncmp(err.field, refusals[i].field, strlen(refusals[i].field)) == 0, "%s: %s", refusals[i].pod,
                  err.field);
    json_decref(pod);
    json_decref(subset);
  }
}
END_TEST

UNIT_CASE(inject) {
  TCase *cases = tcase_create("inject");
  tcase_add_loop_test(cases, test_pods, 0, (int)COUNT(rows));
  tcase_add_test(cases, test_the_id_of_a_pod_without_a_name);
  tcase_add_test(cases, test_refusals);
  return cases;
}
