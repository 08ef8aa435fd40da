/* SPDX-License-Identifier: MIT */
#include "stores.h"

#define BINDING "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: web, namespace: a}\n"
#define CLUSTER "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m}\n"
#define FINE "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fine}\n---\n"
#define DEPLOYMENT "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n"
#define REBALANCER "apiVersion: apps.karmada.io/v1alpha1\nkind: WorkloadRebalancer\nmetadata: {name: r}\n"
#define POLICY "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: p}\n"

/* A text that must be refused as a whole. */
static const struct {
  const char *text;
  int32_t code;
  uint32_t document, line, column;
  const char *field;
} refused[] = {
    {BINDING "spec:\n  replicas: -1\n", REBAL_ERANGE, 1, 5, 13, "spec.replicas"},
    {FINE BINDING "spec:\n  replicas: 2147483648\n", REBAL_ERANGE, 2, 9, 13, "spec.replicas"},
    {BINDING "spec:\n  replicas: 99999999999999999999\n", REBAL_ERANGE, 1, 5, 13, "spec.replicas"},
    {BINDING "spec:\n  replicas: \"3\"\n", REBAL_EPARSE, 1, 5, 13, "spec.replicas"},
    {BINDING "spec:\n  replicas: 1.5\n", REBAL_EPARSE, 1, 5, 13, "spec.replicas"},
    {BINDING "spec: []\n", REBAL_EPARSE, 1, 4, 7, "spec"},
    {BINDING "spec: {clusters: {}}\n", REBAL_EPARSE, 1, 4, 18, "spec.clusters"},
    {BINDING "spec: {clusters: [{name: 7}]}\n", REBAL_EPARSE, 1, 4, 26, "spec.clusters[0].name"},
    {BINDING "spec: {clusters: [x]}\n", REBAL_EPARSE, 1, 4, 19, "spec.clusters[0]"},
    {BINDING "spec: {rescheduleTriggeredAt: soon}\n", REBAL_EPARSE, 1, 4, 31, "spec.rescheduleTriggeredAt"},
    {BINDING "spec: {suspension: {scheduling: 1}}\n", REBAL_EPARSE, 1, 4, 33, "spec.suspension.scheduling"},
    {BINDING "spec: {placement: {clusterAffinity: {clusterNames: m}}}\n", REBAL_EPARSE, 1, 4, 52,
     "spec.placement.clusterAffinity.clusterNames"},
    {BINDING "spec: {replicaRequirements: {resourceRequest: {cpu: lots}}}\n", REBAL_EPARSE, 1, 4, 53,
     "spec.replicaRequirements.resourceRequest.cpu"},
    {BINDING "status: {conditions: [{type: Scheduled, status: true}]}\n", REBAL_EPARSE, 1, 4, 49,
     "status.conditions[0].status"},
    {CLUSTER "spec: {taints: [{key: a, effect: NoExecute, timeAdded: x}]}\n", REBAL_EPARSE, 1, 4, 56,
     "spec.taints[0].timeAdded"},
    {CLUSTER "spec: {zones: z}\n", REBAL_EPARSE, 1, 4, 15, "spec.zones"},
    {CLUSTER "status: {resourceSummary: {allocatable: {cpu: 1x}}}\n", REBAL_EPARSE, 1, 4, 47,
     "status.resourceSummary.allocatable.cpu"},
    {CLUSTER "status: {apiEnablements: [{resources: [{kind: 1}]}]}\n", REBAL_EPARSE, 1, 4, 47,
     "status.apiEnablements[0].resources[0].kind"},
    {DEPLOYMENT "spec: {replicas: -2}\n", REBAL_ERANGE, 1, 4, 18, "spec.replicas"},
    {DEPLOYMENT "spec: {template: {spec: {containers: [{resources: {limits: {cpu: []}}}]}}}\n", REBAL_EPARSE, 1, 4, 66,
     "spec.template.spec.containers[0].resources.limits.cpu"},
    {REBALANCER "spec: {ttlSecondsAfterFinished: 3000000000}\n", REBAL_ERANGE, 1, 4, 33,
     "spec.ttlSecondsAfterFinished"},
    {REBALANCER "spec: {workloads: [{kind: [x]}]}\n", REBAL_EPARSE, 1, 4, 27, "spec.workloads[0].kind"},
    {POLICY "spec: {priority: high}\n", REBAL_EPARSE, 1, 4, 18, "spec.priority"},
    {POLICY "spec: {resourceSelectors: [{kind: D}, {kind: 4}]}\n", REBAL_EPARSE, 1, 4, 46,
     "spec.resourceSelectors[1].kind"},
    {"apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {}}\n", REBAL_EPARSE, 1, 3, 11, "metadata.name"},
    {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ''}\n", REBAL_EPARSE, 1, 3, 18, "metadata.name"},
    {"apiVersion: v1\nkind: ConfigMap\nmetadata: x\n", REBAL_EPARSE, 1, 3, 11, "metadata"},
    {"apiVersion: v1\nmetadata: {name: a}\n", REBAL_EPARSE, 1, 1, 1, "kind"},
    {"apiVersion: v1\nkind: 3\nmetadata: {name: a}\n", REBAL_EPARSE, 1, 2, 7, "kind"},
    {"kind: ConfigMap\nmetadata: {name: a}\n", REBAL_EPARSE, 1, 1, 1, "apiVersion"},
    {"just words\n", REBAL_EPARSE, 1, 1, 1, ""},
    {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {x: 1}}\n", REBAL_EPARSE, 1, 3, 33,
     "metadata.labels.x"},
    {"apiVersion: v1\nkind: List\nitems:\n- {kind: Secret, apiVersion: v1}\n", REBAL_EPARSE, 1, 4, 3,
     "items[0].metadata.name"},
    {"apiVersion: v1\nkind: List\nitems: {}\n", REBAL_EPARSE, 1, 3, 8, "items"},
    {"apiVersion: v1\nkind: List\nitems:\n- {kind: List, apiVersion: v1, items: []}\n", REBAL_EPARSE, 1, 4, 3,
     "items[0]"},
    {FINE FINE, REBAL_EEXIST, 2, 7, 18, "metadata.name"},
    {"apiVersion: v1\nkind: List\nitems:\n- &a {kind: S, apiVersion: v1, metadata: {name: x}}\n- *a\n", REBAL_EEXIST, 1,
     5, 3, "items[1].metadata.name"},
};

START_TEST(test_bad_objects_are_refused_with_their_place) {
  rebal_store *store = store_new();
  rebal_error err = REBAL_ERROR_INIT;
  const int32_t code = rebal_store_load(store, refused[_i].text, strlen(refused[_i].text), &err);
  ck_assert_int_eq(code, refused[_i].code);
  ck_assert_int_eq(err.code, code);
  ck_assert_str_eq(err.field, refused[_i].field);
  ck_assert_uint_eq(err.document, refused[_i].document);
  ck_assert_uint_eq(err.line, refused[_i].line);
  ck_assert_uint_eq(err.column, refused[_i].column);
  ck_assert_str_ne(err.message, "");
  ck_assert_uint_eq(rebal_store_count(store), 0);
  ck_assert_int_eq(rebal_store_load(store, refused[_i].text, strlen(refused[_i].text), NULL), code);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_an_object_loaded_before_is_refused) {
  rebal_store *store = store_of("{apiVersion: v1, kind: Node, metadata: {name: node}, a: 1}");
  static const char again[] =
      "{apiVersion: v1, kind: Node, metadata: {name: m}}\n---\n"
      "{apiVersion: v1, kind: Node, metadata: {name: node}, a: 2}";
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_store_load(store, again, strlen(again), &err), REBAL_EEXIST);
  ck_assert_uint_eq(err.document, 2);
  ck_assert_uint_eq(err.line, 3);
  ck_assert_uint_eq(rebal_store_count(store), 1);
  assert_member(store, 0, "a", "1");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_broken_texts_keep_their_error) {
  rebal_store *store = store_new();
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_store_load(store, "{\"a\": ", 6, &err), REBAL_EPARSE);
  ck_assert_uint_eq(err.line, 1);
  ck_assert_int_eq(rebal_store_load(store, "", 0, &err), REBAL_EPARSE);
  ck_assert_int_eq(rebal_store_load(store, NULL, 0, &err), REBAL_EPARSE);
  ck_assert_int_eq(rebal_store_load(store, NULL, 1, &err), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_load(NULL, "", 0, &err), REBAL_EINVAL);
  ck_assert_uint_eq(rebal_store_count(store), 0);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_unknown_members_and_their_order_survive) {
  rebal_store *store = store_of(
      "{\"kind\":\"Cluster\",\"zoo\":1.50,\"apiVersion\":\"cluster.karmada.io/v1alpha1\","
      "\"metadata\":{\"name\":\"m\",\"x\":[null,{\"y\":true}]},\"spec\":{\"id\":\"7\","
      "\"region\":null}}");
  assert_written(store, 0, REBAL_TEXT_FORMAT_JSON,
                 "{\"kind\":\"Cluster\",\"zoo\":1.50,\"apiVersion\":\"cluster.karmada.io/v1alpha1\","
                 "\"metadata\":{\"name\":\"m\",\"x\":[null,{\"y\":true}]},\"spec\":{\"id\":\"7\",\"region\":null}}");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_lists_are_opened) {
  rebal_store *store = store_of(
      "apiVersion: v1\nkind: NodeList\nmetadata: {}\nitems:\n- metadata: {name: b}\n"
      "- metadata: {name: a}\n---\napiVersion: v1\nkind: List\nitems:\n"
      "- {apiVersion: v1, kind: Secret, metadata: {name: s}}\n---\n"
      "apiVersion: v1\nkind: List\n");
  ck_assert_uint_eq(rebal_store_count(store), 3);
  assert_written(store, find(store, "Node", "", "a"), REBAL_TEXT_FORMAT_JSON,
                 "{\"metadata\":{\"name\":\"a\"},\"kind\":\"Node\",\"apiVersion\":\"v1\"}");
  ck_assert_uint_ne(find(store, "Secret", "default", "s"), REBAL_NONE);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_namespaced_kinds_without_namespace_are_in_default) {
  rebal_store *store = store_of(FINE CLUSTER);
  assert_member(store, 0, "metadata.namespace", "default");
  assert_member(store, 1, "metadata.namespace", "");
  rebal_store_free(store);
}
END_TEST

static int32_t put(rebal_store *store, const char *text) {
  return rebal_store_put(store, text, strlen(text), NULL);
}

START_TEST(test_what_is_put_replaces_status_and_versions) {
  rebal_store *store = store_of(CLUSTER "status: {syncMode: Push}\n");
  ck_assert_int_eq(put(store,
                       "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: m, "
                       "uid: u, generation: 7, resourceVersion: '12'}, spec: {taints: [{key: k, effect: "
                       "NoExecute}]}}"),
                   REBAL_OK);
  ck_assert_uint_eq(rebal_store_count(store), 1);
  assert_written(store, 0, REBAL_TEXT_FORMAT_JSON,
                 "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\",\"metadata\":{\"name\":\"m\","
                 "\"uid\":\"u\",\"generation\":7,\"resourceVersion\":\"12\"},\"spec\":{\"taints\":[{\"key\":\"k\","
                 "\"effect\":\"NoExecute\"}]}}");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_put_creates_and_counts_what_changed) {
  rebal_store *store = store_of(FINE CLUSTER);
  const uint64_t before = rebal_store_change_count(store);
  ck_assert_int_eq(put(store, FINE CLUSTER "---\n" DEPLOYMENT), REBAL_OK);
  ck_assert_uint_eq(rebal_store_count(store), 3);
  ck_assert_uint_eq(rebal_store_change_count(store), before + 1);
  ck_assert_uint_eq(find(store, "Deployment", "default", "d"), 2);
  /* All or nothing. */
  ck_assert_int_eq(
      put(store, "{apiVersion: v1, kind: Node, metadata: {name: new}}\n---\n" DEPLOYMENT "spec: {replicas: -2}\n"),
      REBAL_ERANGE);
  ck_assert_int_eq(put(store, FINE FINE), REBAL_EEXIST);
  ck_assert_uint_eq(rebal_store_change_count(store), before + 1);
  ck_assert_int_eq(rebal_store_put(NULL, "", 0, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_put(store, NULL, 1, NULL), REBAL_EINVAL);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_versions_of_a_group_are_one_object) {
  rebal_store *store = store_of("{apiVersion: apps.kruise.io/v1alpha1, kind: CloneSet, metadata: {name: a}}");
  ck_assert_int_eq(put(store, "{apiVersion: apps.kruise.io/v1beta1, kind: CloneSet, metadata: {name: a}}"), REBAL_OK);
  ck_assert_uint_eq(rebal_store_count(store), 1);
  assert_member(store, 0, "apiVersion", "apps.kruise.io/v1beta1");
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(store_load) {
  TCase *cases = tcase_create("store_load");
  tcase_add_loop_test(cases, test_bad_objects_are_refused_with_their_place, 0, (int)COUNT(refused));
  tcase_add_test(cases, test_an_object_loaded_before_is_refused);
  tcase_add_test(cases, test_broken_texts_keep_their_error);
  tcase_add_test(cases, test_unknown_members_and_their_order_survive);
  tcase_add_test(cases, test_lists_are_opened);
  tcase_add_test(cases, test_namespaced_kinds_without_namespace_are_in_default);
  tcase_add_test(cases, test_what_is_put_replaces_status_and_versions);
  tcase_add_test(cases, test_put_creates_and_counts_what_changed);
  tcase_add_test(cases, test_versions_of_a_group_are_one_object);
  return cases;
}
