/* SPDX-License-Identifier: MIT */
#include "patching.h"

/* The table of measured outcomes, rebalance-workloadspread(7) 9.5. */
static const struct patching measured[] = {
    {"spec: {containers: [{name: a}, {name: b}]}", "spec: {containers: [{name: c}]}",
     "spec: {containers: [{name: c}, {name: a}, {name: b}]}", NULL, NULL},
    {"spec: {containers: [{name: a}, {name: b}, {name: c}]}",
     "spec: {containers: [{name: c, image: x}, {name: d}, {name: a, image: z}]}",
     "spec: {containers: [{name: b}, {name: c, image: x}, {name: d}, {name: a, image: z}]}", NULL, NULL},
    {"spec: {containers: [{name: m, env: [{name: A, value: '1'}, {name: B, value: '2'}]}]}",
     "spec: {containers: [{name: m, env: [{name: N, value: '3'}, {name: B, value: '9'}]}]}",
     "spec: {containers: [{name: m, env: [{name: N, value: '3'}, {name: A, value: '1'}, {name: B, value: '9'}]}]}",
     NULL, NULL},
    {"spec: {containers: [{name: m, env: [{name: A, value: '1'}]}]}",
     "spec: {containers: [{name: m, env: [{name: A, valueFrom: {fieldRef: {fieldPath: x}}}]}]}",
     "spec: {containers: [{name: m, env: [{name: A, value: '1', valueFrom: {fieldRef: {fieldPath: x}}}]}]}", NULL,
     NULL},
    {"spec: {containers: [{name: m, ports: [{containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: UDP}]}]}",
     "spec: {containers: [{name: m, ports: [{containerPort: 53, name: x}]}]}",
     "spec: {containers: [{name: m, ports: [{containerPort: 53, protocol: TCP, name: x}, {containerPort: 53, protocol: "
     "UDP}]}]}",
     NULL, NULL},
    {"spec: {tolerations: [{key: a}]}", "spec: {tolerations: [{key: b}]}", "spec: {tolerations: [{key: b}]}", NULL,
     NULL},
    {"spec: {tolerations: [{key: a}]}", "spec: {tolerations: []}", "spec: {tolerations: []}", NULL, NULL},
    {"spec: {containers: [{name: a}]}", "spec: {containers: []}", "spec: {containers: [{name: a}]}", NULL, NULL},
    {"spec: {topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1}]}",
     "spec: {topologySpreadConstraints: [{topologyKey: host, maxSkew: 2}, {topologyKey: zone, maxSkew: 3}]}",
     "spec: {topologySpreadConstraints: [{topologyKey: host, maxSkew: 2}, {topologyKey: zone, maxSkew: 3}]}", NULL,
     NULL},
    {"spec: {containers: [{name: a}, {name: b}]}", "spec: {containers: [{name: b, $patch: delete}]}",
     "spec: {containers: [{name: a}]}", NULL, NULL},
    {"spec: {containers: [{name: a}, {name: b}]}", "spec: {containers: [{$patch: replace}, {name: z}]}",
     "spec: {containers: [{name: z}]}", NULL, NULL},
    {"spec: {nodeSelector: {a: x, b: x}}", "spec: {nodeSelector: {$patch: replace, c: x}}",
     "spec: {nodeSelector: {c: x}}", NULL, NULL},
    {"spec: {nodeSelector: {a: x}}", "spec: {nodeSelector: {$patch: delete}}", "spec: {nodeSelector: {}}", NULL, NULL},
    {"spec: {}", "spec: {nodeSelector: {$patch: replace, c: x}}", "spec: {}", NULL, NULL},
    {"spec: {volumes: [{name: v, emptyDir: {}}]}", "spec: {volumes: [{name: v, hostPath: {path: /x}}]}",
     "spec: {volumes: [{name: v, emptyDir: {}, hostPath: {path: /x}}]}", NULL, NULL},
    {"spec: {volumes: [{name: v, emptyDir: {}}]}",
     "spec: {volumes: [{name: v, $retainKeys: [name, hostPath], hostPath: {path: /x}}]}",
     "spec: {volumes: [{name: v, hostPath: {path: /x}}]}", NULL, NULL},
    {"spec: {volumes: [{name: v, emptyDir: {}}]}",
     "spec: {volumes: [{name: v, $retainKeys: [name], hostPath: {path: /x}}]}", NULL,
     "invalid patch format of retainKeys", "spec.volumes[0]"},
    {"spec: {containers: [{name: a}, {name: b}, {name: s}]}",
     "spec: {$setElementOrder/containers: [{name: b}, {name: a}, {name: q}], containers: [{name: q}]}",
     "spec: {containers: [{name: b}, {name: a}, {name: q}, {name: s}]}", NULL, NULL},
    {"spec: {containers: [{name: a}, {name: b}, {name: s}]}",
     "spec: {$setElementOrder/containers: [{name: s}, {name: b}, {name: a}]}",
     "spec: {containers: [{name: s}, {name: b}, {name: a}]}", NULL, NULL},
    {"spec: {containers: [{name: a}]}", "spec: {$setElementOrder/containers: [{name: a}], containers: [{name: q}]}",
     NULL, "The order in patch list:\n[map[name:q]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
     "spec.containers"},
    {"metadata: {finalizers: [a, b, c]}", "metadata: {$deleteFromPrimitiveList/finalizers: [b], finalizers: [d]}",
     "metadata: {finalizers: [d, a, c]}", NULL, NULL},
    {"metadata: {finalizers: [a, b]}", "metadata: {finalizers: [c, a]}", "metadata: {finalizers: [c, a, b]}", NULL,
     NULL},
    {"metadata: {labels: {a: x, b: x}}", "metadata: {labels: {a: null, z: null}}", "metadata: {labels: {b: x}}", NULL,
     NULL},
    {"metadata: {}", "metadata: {labels: {a: null, b: x}}", "metadata: {labels: {b: x}}", NULL, NULL},
    {"spec: {nodeSelector: {a: x}}", "spec: {nodeSelector: [a]}", "spec: {nodeSelector: [a]}", NULL, NULL},
    {"spec: {containers: [{name: a}]}", "spec: {containers: [{image: x}]}", NULL,
     "map: map[image:x] does not contain declared merge key: name", "spec.containers[0]"},
};

START_TEST(test_measured) {
  assert_patch(&measured[_i], REBAL_PATCH_STRATEGIC, REBAL_EINVAL);
}
END_TEST

/* Maps: 9.2, steps 1, 2 and 4. */
static const struct patching maps[] = {
    {"{a: 1}", "{}", "{a: 1}", NULL, NULL},
    {"{a: 1}", "null", "{a: 1}", NULL, NULL},
    {"{}", "{a: 1}", "{a: 1}", NULL, NULL},
    {"{a: 1}", "{$patch: replace, b: {c: null}}", "{b: {c: null}}", NULL, NULL},
    {"{a: 1}", "{$patch: delete, b: 1}", "{}", NULL, NULL},
    {"{a: {b: 1}}", "{a: {c: {d: 2}}}", "{a: {b: 1, c: {d: 2}}}", NULL, NULL},
    {"{a: 1}", "{a: 1.0}", "{a: 1.0}", NULL, NULL},
    {"{a: 1.50}", "{a: {b: null, c: 1}}", "{a: {c: 1}}", NULL, NULL},
    {"{a: {b: 1}}", "{a: 1.5}", "{a: 1.5}", NULL, NULL},
    {"{a: {b: 1}}", "{a: null}", "{}", NULL, NULL},
    {"{a: null}", "{a: [1]}", "{a: [1]}", NULL, NULL},
    {"{a: [1]}", "{a: {$patch: delete}}", "{}", NULL, NULL},
    {"{}", "{a: {$patch: merge}}", "{}", NULL, NULL},
    {"{a: [{b: 1}]}", "{a: [{$patch: delete, b: null}]}", "{a: [{$patch: delete, b: null}]}", NULL, NULL},
    {"spec: {a: 1, b: 2}", "spec: {$retainKeys: [b, c, 5], c: 3, a: null}", "spec: {b: 2, c: 3}", NULL, NULL},
    {"spec: {a: 1, x: [1, 2]}", "spec: {$retainKeys: [x], $deleteFromPrimitiveList/x: [1]}", "spec: {x: [2]}", NULL,
     NULL},
    {"spec: {x: [1, 2, 1]}", "spec: {$deleteFromPrimitiveList/x: [1]}", "spec: {x: [2]}", NULL, NULL},
    {"spec: {x: 1}", "spec: {$deleteFromPrimitiveList/x: [1]}", "spec: {x: 1}", NULL, NULL},
    {"spec: {x: [1]}", "spec: {$deleteFromPrimitiveList/x: 1}", "spec: {x: [1]}", NULL, NULL},
    {"spec: {}", "spec: {$deleteFromPrimitiveList/x: [1]}", "spec: {}", NULL, NULL},
    {"metadata: {finalizers: [a, b]}", "metadata: {$deleteFromPrimitiveList/finalizers: [a], finalizers: [a]}",
     "metadata: {finalizers: [a, b]}", NULL, NULL},
    {"Spec: {x: {a: 1}}", "spec: {x: {b: 1}}", "{Spec: {x: {a: 1}}, spec: {x: {b: 1}}}", NULL, NULL},
    {"spec: {Containers: [{name: a}]}", "spec: {Containers: [{name: b}]}", "spec: {Containers: [{name: b}]}", NULL,
     NULL},
    {"spec: {nosuch: {a: 1}}", "spec: {nosuch: {b: 1}}", "spec: {nosuch: {a: 1, b: 1}}", NULL, NULL},
};

START_TEST(test_maps) {
  assert_patch(&maps[_i], REBAL_PATCH_STRATEGIC, REBAL_OK);
}
END_TEST

/* The failures of 9.2, by their texts. */
static const struct patching failures[] = {
    {"{a: 1}", "{$patch: explode}", NULL, "unknown patch type: explode in map: map[$patch:explode]", ""},
    {"{a: 1}", "{$patch: 5}", NULL, "unknown patch type: %!s(int64=5) in map: map[$patch:5]", ""},
    {"{a: 1}", "{$patch: true}", NULL, "unknown patch type: %!s(bool=true) in map: map[$patch:true]", ""},
    {"{a: 1}", "{$patch: null, b: [x, null]}", NULL,
     "unknown patch type: %!s(<nil>) in map: map[$patch:<nil> b:[x <nil>]]", ""},
    {"spec: {a: {}}", "spec: {a: {$patch: merge, b: {c: 1.5}}}", NULL,
     "unknown patch type: merge in map: map[$patch:merge b:map[c:1.5]]", "spec.a"},
    /* Of two faults the first as written. */
    {"{a: {}, b: {}}", "{b: {$patch: two}, a: {$patch: one}}", NULL, "unknown patch type: two in map: map[$patch:two]",
     "b"},
    {"{a: {}, b: {}}", "{a: {$patch: one}, b: {$patch: two}}", NULL, "unknown patch type: one in map: map[$patch:one]",
     "a"},
    {"{a: 1}", "{$retainKeys: a}", NULL, "invalid patch format of retainKeys", ""},
    {"{a: 1}", "{$retainKeys: [a], b: 1}", NULL, "invalid patch format of retainKeys", ""},
    {"metadata: {labels: {a: {}}}", "metadata: {labels: {a: {}}}", NULL,
     "merging an object in json but data type is not struct, instead is: map", "metadata.labels.a"},
    {"spec: {overhead: {a: []}}", "spec: {overhead: {a: []}}", NULL,
     "merging an object in json but data type is not struct, instead is: map", "spec.overhead.a"},
    {"spec: {containers: [{name: a, resources: {limits: {cpu: {}}}}]}",
     "spec: {containers: [{name: a, resources: {limits: {cpu: {}}}}]}", NULL,
     "merging an object in json but data type is not struct, instead is: map",
     "spec.containers[0].resources.limits.cpu"},
    {"{metadata: {labels: {$setElementOrder/a: 1}}}", "{metadata: {labels: {$setElementOrder/a: []}}}", NULL,
     "merging an object in json but data type is not struct, instead is: map", "metadata.labels.a"},
    {"spec: {containers: [a]}", "spec: {containers: [{name: a}]}", NULL,
     "list element types are not identical: [[a] [map[name:a]]]", "spec.containers"},
    {"metadata: {finalizers: [[a]]}", "metadata: {finalizers: [[b]]}", NULL, "lists of lists are not supported",
     "metadata.finalizers"},
    {"metadata: {finalizers: [{a: 1}]}", "metadata: {finalizers: [{a: 1}]}", NULL,
     "cannot merge lists without merge key for string", "metadata.finalizers"},
    {"spec: {containers: [{name: a}]}", "spec: {containers: [{name: a, $patch: merge}]}", NULL,
     "merging lists cannot yet be specified in the patch", "spec.containers[0]"},
    {"spec: {containers: [{name: a}]}", "spec: {containers: [{name: b}, {name: a, $patch: explode}]}", NULL,
     "unknown patch type: explode in map: map[$patch:explode name:a]", "spec.containers[1]"},
    {"spec: {containers: [{name: a}]}", "spec: {containers: [{$patch: delete}]}", NULL,
     "map: map[$patch:delete] does not contain declared merge key: name", "spec.containers[0]"},
    {"spec: {containers: [{image: a}]}", "spec: {containers: [{name: a}]}", NULL,
     "map: map[image:a] does not contain declared merge key: name", "spec.containers"},
    {"spec: {containers: [{name: a}]}", "spec: {$setElementOrder/containers: a}", NULL,
     "expected a []interface {}, but received a string", "spec.containers"},
    {"spec: {containers: {name: a}}", "spec: {$setElementOrder/containers: []}", NULL,
     "expected a []interface {}, but received a map[string]interface {}", "spec.containers"},
    {"spec: {containers: []}", "spec: {$setElementOrder/containers: [], containers: null}", NULL,
     "expected a []interface {}, but received a <nil>", "spec.containers"},
    {"spec: {containers: []}", "spec: {$setElementOrder/containers: []}", NULL,
     "no elements in any of the given slices", "spec.containers"},
};

START_TEST(test_failures) {
  assert_patch(&failures[_i], REBAL_PATCH_STRATEGIC, REBAL_EINVAL);
}
END_TEST

static const struct patching no_maps[] = {
    {"[1]", "{}", NULL, "invalid JSON document", ""},
    {"null", "{}", NULL, "invalid JSON document", ""},
    {"{}", "[1]", NULL, "invalid JSON document", ""},
    {"{}", "1.5", NULL, "invalid JSON document", ""},
};

START_TEST(test_no_maps) {
  assert_patch(&no_maps[_i], REBAL_PATCH_STRATEGIC, REBAL_EPARSE);
}
END_TEST

/* An object and its own patch share what is in both; neither is changed by merging into the outcome. */
START_TEST(test_outcomes_share) {
  rebal_document *pod = document_of("{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: x}]}}");
  rebal_document *patch = document_of("{metadata: {annotations: {c: d}}, spec: {containers: [{name: b}]}}");
  rebal_document *more = document_of("{metadata: {annotations: {e: f}}, spec: {containers: [{name: b, image: z}]}}");
  rebal_document *once, *twice, *same;
  ck_assert_int_eq(rebal_document_patch(pod, patch, REBAL_PATCH_STRATEGIC, &once, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_document_patch(once, more, REBAL_PATCH_STRATEGIC, &twice, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_document_patch(once, patch, REBAL_PATCH_STRATEGIC, &same, NULL), REBAL_OK);
  ck_assert_ptr_eq(json_object_get(json_object_get(once->tree, "metadata"), "labels"),
                   json_object_get(json_object_get(pod->tree, "metadata"), "labels"));
  ck_assert_ptr_eq(once->tree, same->tree);
  rebal_document_free(pod);
  assert_document(patch, "{metadata: {annotations: {c: d}}, spec: {containers: [{name: b}]}}", "the patch");
  assert_document(once,
                  "{metadata: {labels: {a: b}, annotations: {c: d}}, spec: {containers: [{name: b}, {name: a, image: "
                  "x}]}}",
                  "once");
  assert_document(twice,
                  "{metadata: {labels: {a: b}, annotations: {c: d, e: f}}, spec: {containers: [{name: b, image: z}, "
                  "{name: a, image: x}]}}",
                  "twice");
  rebal_document_free(patch);
  rebal_document_free(more);
  rebal_document_free(once);
  rebal_document_free(twice);
  rebal_document_free(same);
}
END_TEST

/* ---- properties of patches without directives ---- */

static uint32_t next(uint32_t *state, uint32_t n) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 16) % n;
}

/* Elements of a list, each name once, in any order. */
static void add_elements(json_t *map, const char *name, const char *key, uint32_t *state) {
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  json_t *list = json_array();
  const uint32_t first = next(state, 5), step = 1 + next(state, 4), n = next(state, 5);
  for (uint32_t i = 0; i < n; i++) {
    const char *element = names[(first + i * step) % 5];
    json_array_append_new(
        list, key == NULL ? json_string(element) : json_pack("{s:s, s:i}", key, element, "value", (int)next(state, 3)));
  }
  json_object_set_new(map, name, list);
}

static rebal_document *random_pod(uint32_t *state) {
  json_t *metadata = json_object(), *spec = json_object(), *labels = json_object();
  rebal_document *document;
  const char *label = next(state, 2) ? "x" : "y";
  json_object_set_new(labels, label, json_string(next(state, 2) ? "1" : "2"));
  json_object_set_new(metadata, "labels", labels);
  add_elements(metadata, "finalizers", NULL, state);
  add_elements(spec, "containers", "name", state);
  add_elements(spec, next(state, 2) ? "volumes" : "schedulingGates", "name", state);
  add_elements(spec, "tolerations", "key", state);
  ck_assert_int_eq(rebali_document_new(json_pack("{s:o, s:o}", "metadata", metadata, "spec", spec), &document, NULL),
                   REBAL_OK);
  return document;
}

START_TEST(test_properties) {
  uint32_t state = 20261122u;
  rebal_document *empty = document_of("{}");
  for (int i = 0; i < 2000; i++) {
    rebal_document *pod = random_pod(&state), *patch = random_pod(&state), *same, *once, *twice;
    ck_assert_int_eq(rebal_document_patch(pod, empty, REBAL_PATCH_STRATEGIC, &same, NULL), REBAL_OK);
    ck_assert_ptr_eq(same->tree, pod->tree);
    ck_assert_int_eq(rebal_document_patch(pod, patch, REBAL_PATCH_STRATEGIC, &once, NULL), REBAL_OK);
    ck_assert_int_eq(rebal_document_patch(once, patch, REBAL_PATCH_STRATEGIC, &twice, NULL), REBAL_OK);
    ck_assert(json_equal(once->tree, twice->tree));
    ck_assert(rebali_pod_equal(once->tree, twice->tree));
    rebal_document_free(pod);
    rebal_document_free(patch);
    rebal_document_free(same);
    rebal_document_free(once);
    rebal_document_free(twice);
  }
  rebal_document_free(empty);
}
END_TEST

UNIT_CASE(strategic_merge) {
  TCase *cases = tcase_create("strategic_merge");
  tcase_add_loop_test(cases, test_measured, 0, (int)COUNT(measured));
  tcase_add_loop_test(cases, test_maps, 0, (int)COUNT(maps));
  tcase_add_loop_test(cases, test_failures, 0, (int)COUNT(failures));
  tcase_add_loop_test(cases, test_no_maps, 0, (int)COUNT(no_maps));
  tcase_add_test(cases, test_outcomes_share);
  tcase_add_test(cases, test_properties);
  return cases;
}
