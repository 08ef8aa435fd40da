/* SPDX-License-Identifier: MIT */
#include "patching.h"

static const struct patching rows[] = {
    {"spec: {}", "spec: {$setElementOrder/containers: [{name: a}]}", "spec: {}", NULL, NULL},
    {"spec: {}", "spec: {$setElementOrder/containers: [{name: b}, {name: a}], containers: [{name: b}, {name: a}]}",
     "spec: {containers: [{name: b}, {name: a}]}", NULL, NULL},
    {"spec: {}",
     "spec: {$setElementOrder/containers: [{name: a}], containers: [{name: a, tty: null}, {name: b, $patch: delete}]}",
     "spec: {containers: [{name: a, tty: null}]}", NULL, NULL},
    {"spec: {containers: [{name: a}, {name: b}, {name: c}]}",
     "spec: {$setElementOrder/containers: [{name: c}, {name: b}], containers: [{name: a, $patch: delete}, {name: b, "
     "tty: true}]}",
     "spec: {containers: [{name: c}, {name: b, tty: true}]}", NULL, NULL},
    {"spec: {containers: [{name: a}, {name: b}, {name: c}]}",
     "spec: {$setElementOrder/containers: [], containers: [{name: d}, {name: a, $patch: delete}]}",
     "spec: {containers: [{name: b}, {name: c}, {name: d}]}", NULL, NULL},
    {"metadata: {finalizers: [a, b, c]}", "metadata: {$setElementOrder/finalizers: [c, d, a], finalizers: [d]}",
     "metadata: {finalizers: [b, c, d, a]}", NULL, NULL},
    {"spec: {args: [a, b]}", "spec: {$setElementOrder/args: [c, b], args: [b, c]}", NULL,
     "The order in patch list:\n[b c]\n doesn't match $setElementOrder list:\n[c b]\n", "spec.args"},
    {"spec: {args: [a, b]}", "spec: {$setElementOrder/args: [c, b], args: [c, b]}", "spec: {args: [c, b]}", NULL, NULL},
    {"spec: {tolerations: [{key: a}]}", "spec: {$setElementOrder/tolerations: [{key: a}]}", NULL,
     "cannot merge lists without merge key for string", "spec.tolerations[0]"},
    {"spec: {containers: [{name: a}]}",
     "spec: {$setElementOrder/containers: [{name: b}], containers: [{$patch: replace}, {name: b}]}",
     "spec: {containers: [{name: b}]}", NULL, NULL},
    {"spec: {containers: [{name: a}]}", "spec: {$setElementOrder/containers: [{image: a}], containers: [{name: a}]}",
     NULL, "map: map[image:a] does not contain declared merge key: name", "spec.containers"},
    {"spec: {containers: [{name: a}]}", "spec: {$setElementOrder/containers: [a], containers: [{name: a}]}", NULL,
     "expected a map[string]interface {}, but received a string", "spec.containers"},
    {"spec: {containers: [{name: a}, {image: x}]}", "spec: {$setElementOrder/containers: [{name: a}]}", NULL,
     "map: map[image:x] does not contain declared merge key: name", "spec.containers[1]"},
    {"spec: {containers: [{name: a}, null]}", "spec: {$setElementOrder/containers: [{name: a}]}", NULL,
     "list element types are not identical: [[map[name:a] <nil>]]", "spec.containers"},
    {"spec: {containers: [{name: a, env: [{name: A}, {name: B}]}]}",
     "spec: {$setElementOrder/containers: [{name: a}], containers: [{name: a, $setElementOrder/env: [{name: B}, {name: "
     "A}]}]}",
     "spec: {containers: [{name: a, env: [{name: B}, {name: A}]}]}", NULL, NULL},
};

START_TEST(test_element_orders) {
  assert_patch(&rows[_i], REBAL_PATCH_STRATEGIC, REBAL_EINVAL);
}
END_TEST

UNIT_CASE(strategic_element_order) {
  TCase *cases = tcase_create("strategic_element_order");
  tcase_add_loop_test(cases, test_element_orders, 0, (int)COUNT(rows));
  return cases;
}
