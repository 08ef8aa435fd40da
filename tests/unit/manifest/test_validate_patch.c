/* SPDX-License-Identifier: MIT */
#include "spreads.h"

#define PATCH(patch) SUBSETS("{name: a, patch: " patch "}")
#define BAD_PATCH "{spec: {containers: [{image: b}]}}"
#define OWNED_BY(containers)                                                                                 \
  "{apiVersion: apps/v1, kind: Deployment, metadata: {name: demo, namespace: ns}, spec: {template: {spec: {" \
  "containers: " containers "}}}}\n---\n"
#define OWNED OWNED_BY("[{name: main, image: a}]")
#define CLONE_SET                                                                                                  \
  "{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, metadata: {name: demo, namespace: ns}, spec: {template: " \
  "{spec: {volumes: [{name: x}]}}, volumeClaimTemplates: [{metadata: {name: data}}]}}\n---\n"
#define OF_CLONE_SET(patch)                                                                           \
  SPREAD                                                                                              \
  "targetRef: {apiVersion: apps.kruise.io/v1beta1, kind: CloneSet, name: demo}, subsets: [{name: a, " \
  "patch: " patch "}]}}"
#define AT "spec.subsets[0].patch"
#define UNMERGEABLE(why) "invalid " AT ": failed to merge patch: " why "\n"
#define UNREADABLE(why) "invalid " AT ": failed to unmarshal: " why "\n"
#define GO(what, field, type) UNREADABLE("json: cannot unmarshal " what " into Go struct field " field " of type " type)
#define NO_QUANTITY \
  UNREADABLE("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
#define NO_POD UNREADABLE("unexpected end of JSON input") REQUIRED(".containers")
#define REQUIRED(member) "required " AT member ": \n"
#define CONTAINER(members) PATCH("{spec: {containers: [{" members "}]}}")

static const struct admission_row rows[] = {
    /* not merged without the workload */
    {"", PATCH(BAD_PATCH), ""},
    {OWNED, CONTAINER("name: main, image: b"), ""},
    {OWNED, PATCH("null"), ""},
    {CLONE_SET, OF_CLONE_SET("{spec: {volumes: [{name: data, $patch: delete}]}}"), ""},
    /* merges that fail leave an empty pod */
    {OWNED, PATCH(BAD_PATCH), UNMERGEABLE("map: map[image:b] does not contain declared merge key: name") NO_POD},
    {OWNED, PATCH("[1]"), UNMERGEABLE("invalid JSON document") NO_POD},
    {OWNED, PATCH("{metadata: {$patch: explode}}"),
     UNMERGEABLE("unknown patch type: explode in map: map[$patch:explode]") NO_POD},
    /* types */
    {OWNED, PATCH("{spec: {containers: nope}}"),
     GO("string", "PodSpec.spec.containers", "[]v1.Container") REQUIRED(".containers")},
    {OWNED, PATCH("{spec: {affinity: true, tolerations: 3}}"),
     GO("bool", "PodSpec.spec.affinity", "v1.Affinity") GO("number", "PodSpec.spec.tolerations", "[]v1.Toleration")},
    {OWNED, CONTAINER("name: main, resources: []"),
     GO("array", "Container.spec.containers.resources", "v1.ResourceRequirements")},
    {OWNED, PATCH("{metadata: {labels: {x: 3}}}"), UNREADABLE("metadata.labels.x: expected a text")},
    {OWNED, CONTAINER("name: main, resources: null"), ""},
    /* quantities */
    {OWNED, CONTAINER("name: main, resources: {limits: {cpu: abc}, requests: {cpu: x}}"), NO_QUANTITY},
    {OWNED, PATCH("{spec: {overhead: {cpu: 1z}}}"), NO_QUANTITY},
    {OWNED, PATCH("{spec: {volumes: [{name: v, emptyDir: {sizeLimit: x}}]}}"), NO_QUANTITY},
    {OWNED, PATCH("{spec: {volumes: [{name: v, emptyDir: {sizeLimit: 1Gi}}], overhead: {cpu: 1}}}"), ""},
    /* what pods must have */
    {OWNED, CONTAINER("name: extra"), REQUIRED(".containers[0].image")},
    {OWNED, PATCH("{spec: {initContainers: [{name: a}, {name: b, image: ''}]}}"),
     REQUIRED(".initContainers[0].image") REQUIRED(".initContainers[1].image")},
    {OWNED, PATCH("{spec: {containers: []}}"), ""},
    {OWNED, PATCH("{spec: {containers: null}}"), REQUIRED(".containers")},
    /* several faults */
    {OWNED, PATCH("{spec: {containers: nope, overhead: {cpu: x}}}"),
     GO("string", "PodSpec.spec.containers", "[]v1.Container") NO_QUANTITY REQUIRED(".containers")},
    /* the workload itself lacks it, so it was not admitted */
    {OWNED_BY("[{name: main}]"), CONTAINER("name: extra"), ""},
    {OWNED_BY("[]"), PATCH("{spec: {hostname: a}}"), ""},
};

START_TEST(test_what_is_reported) {
  assert_row(&rows[_i]);
}
END_TEST

UNIT_CASE(validate_patch) {
  TCase *cases = tcase_create("validate_patch");
  tcase_add_loop_test(cases, test_what_is_reported, 0, (int)COUNT(rows));
  return cases;
}
