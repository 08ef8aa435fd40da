/* SPDX-License-Identifier: MIT */
#include "stores.h"

#define CLUSTER "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: member1}\n"
#define POLICY "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: pp}\n"

START_TEST(test_new_objects_get_what_a_server_gives) {
  rebal_store *store = store_new();
  rebal_store *other = store_new();
  char *first, *second;
  apply(store, CLUSTER "spec: {region: r}\n---\n" POLICY, NOW);
  first = member_of(store, 0, "metadata.uid");
  second = member_of(store, 1, "metadata.uid");
  apply(other, CLUSTER, LATER);
  assert_member(store, 0, "metadata.creationTimestamp", NOW);
  assert_member(store, 0, "metadata.generation", "1");
  assert_member(store, 0, "metadata.resourceVersion", "1");
  assert_member(other, 0, "metadata.uid", first);
  ck_assert_uint_eq(strlen(first), 36);
  ck_assert_str_ne(first, second);
  free(first);
  free(second);
  rebal_store_free(store);
  rebal_store_free(other);
}
END_TEST

START_TEST(test_given_identity_is_kept) {
  rebal_store *store = store_new();
  apply(store,
        "{apiVersion: v1, kind: Node, metadata: {name: x, uid: u, generation: 7, resourceVersion: '40', "
        "creationTimestamp: '2020-01-01T00:00:00Z'}}",
        NOW);
  assert_written(store, 0, REBAL_TEXT_FORMAT_JSON,
                 "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"x\",\"uid\":\"u\",\"generation\":7,"
                 "\"resourceVersion\":\"40\",\"creationTimestamp\":\"2020-01-01T00:00:00Z\"}}");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_replacing_keeps_status_uid_and_creation) {
  rebal_store *store = store_new();
  char *uid;
  apply(store, CLUSTER "spec: {region: r}\nstatus: {x: 1}\n", NOW);
  apply(store,
        "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: member1, uid: other}\n"
        "spec: {region: s}\nstatus: {x: 2}\n",
        LATER);
  ck_assert_uint_eq(rebal_store_count(store), 1);
  assert_member(store, 0, "spec.region", "s");
  assert_member(store, 0, "status.x", "1");
  assert_member(store, 0, "metadata.creationTimestamp", NOW);
  assert_member(store, 0, "metadata.generation", "2");
  assert_member(store, 0, "metadata.resourceVersion", "2");
  uid = member_of(store, 0, "metadata.uid");
  ck_assert_str_ne(uid, "other");
  free(uid);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_replacing_keeps_the_claim_of_a_policy) {
  rebal_store *store = store_new();
  apply(store,
        "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: ns, labels: {a: b, "
        "propagationpolicy.karmada.io/permanent-id: i}, annotations: {clusterpropagationpolicy.karmada.io/name: c}}}",
        NOW);
  apply(store, "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: ns, labels: {c: d}}}", LATER);
  assert_member(store, 0, "metadata.labels", "{\"c\":\"d\",\"propagationpolicy.karmada.io/permanent-id\":\"i\"}");
  assert_member(store, 0, "metadata.annotations", "{\"clusterpropagationpolicy.karmada.io/name\":\"c\"}");
  apply(store,
        "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: ns, labels: {"
        "propagationpolicy.karmada.io/permanent-id: j}}}",
        LATER);
  assert_member(store, 0, "metadata.labels", "{\"propagationpolicy.karmada.io/permanent-id\":\"j\"}");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_generation_follows_the_spec_alone) {
  rebal_store *store = store_new();
  apply(store, CLUSTER "spec: {region: r}\n", NOW);
  apply(store, CLUSTER "spec: {region: r}\n", LATER);
  assert_member(store, 0, "metadata.resourceVersion", "1");
  apply(store,
        "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: member1, labels: {a: b}}\n"
        "spec: {region: r}\n",
        LATER);
  assert_member(store, 0, "metadata.generation", "1");
  assert_member(store, 0, "metadata.resourceVersion", "2");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_times_of_taints) {
  rebal_store *store = store_new();
  apply(store, CLUSTER "spec: {taints: [{key: a, effect: NoExecute}, {key: b, effect: NoSchedule}]}\n", NOW);
  assert_member(store, 0, "spec.taints[0].timeAdded", NOW);
  assert_member(store, 0, "spec.taints[1].timeAdded", "");
  apply(store, CLUSTER "spec: {taints: [{key: a, effect: NoExecute, value: v}, {key: a, effect: NoExecute}]}\n", LATER);
  assert_member(store, 0, "spec.taints[0].timeAdded", LATER);
  assert_member(store, 0, "spec.taints[1].timeAdded", NOW);
  apply(store, CLUSTER "spec: {taints: [{key: a, effect: NoExecute, timeAdded: '2020-01-01T00:00:00Z'}]}\n", LATER);
  assert_member(store, 0, "spec.taints[0].timeAdded", "2020-01-01T00:00:00Z");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_defaults_of_placements) {
  rebal_store *store = store_new();
  apply(store,
        POLICY
        "spec:\n  placement:\n    spreadConstraints: [{}, {spreadByLabel: l}, {spreadByField: zone, "
        "minGroups: 2}]\n"
        "    replicaScheduling: {}\n  failover: {cluster: {}, application: {decisionConditions: {"
        "}}}\n",
        NOW);
  assert_member(store, 0, "spec.placement.spreadConstraints",
                "[{\"spreadByField\":\"cluster\",\"minGroups\":1},{\"spreadByLabel\":\"l\",\"minGroups\":1},"
                "{\"spreadByField\":\"zone\",\"minGroups\":2}]");
  assert_member(store, 0, "spec.placement.replicaScheduling",
                "{\"replicaSchedulingType\":\"Divided\",\"replicaDivisionPreference\":\"Weighted\"}");
  assert_member(store, 0, "spec.failover",
                "{\"cluster\":{\"purgeMode\":\"Gracefully\"},\"application\":{\"decisionConditions\":{"
                "\"tolerationSeconds\":300},"
                "\"purgeMode\":\"Gracefully\",\"gracePeriodSeconds\":600}}");
  apply(store,
        POLICY
        "spec: {placement: {replicaScheduling: {replicaSchedulingType: Duplicated}}, failover: {"
        "application: "
        "{purgeMode: Directly}}}\n",
        NOW);
  assert_member(store, 0, "spec.placement", "{\"replicaScheduling\":{\"replicaSchedulingType\":\"Duplicated\"}}");
  assert_member(store, 0, "spec.failover", "{\"application\":{\"purgeMode\":\"Directly\"}}");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_a_text_is_applied_whole_or_not) {
  static const char twice[] = CLUSTER "---\n" CLUSTER;
  static const char broken[] = CLUSTER "spec: {region: s}\n---\n" POLICY "spec: 4\n";
  const rebal_time now = time_of(NOW), unset = {0, 0, 0};
  rebal_store *store = store_new();
  rebal_error err = REBAL_ERROR_INIT;
  apply(store, CLUSTER "spec: {region: r}\n", NOW);
  ck_assert_int_eq(rebal_store_apply(store, twice, strlen(twice), &now, &err), REBAL_EEXIST);
  ck_assert_int_eq(rebal_store_apply(store, broken, strlen(broken), &now, &err), REBAL_EPARSE);
  ck_assert_uint_eq(err.document, 2);
  ck_assert_int_eq(rebal_store_apply(store, CLUSTER, strlen(CLUSTER), &unset, &err), REBAL_EINVAL);
  assert_member(store, 0, "spec.region", "r");
  ck_assert_uint_eq(rebal_store_count(store), 1);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(store_apply) {
  TCase *cases = tcase_create("store_apply");
  tcase_add_test(cases, test_new_objects_get_what_a_server_gives);
  tcase_add_test(cases, test_given_identity_is_kept);
  tcase_add_test(cases, test_replacing_keeps_status_uid_and_creation);
  tcase_add_test(cases, test_replacing_keeps_the_claim_of_a_policy);
  tcase_add_test(cases, test_generation_follows_the_spec_alone);
  tcase_add_test(cases, test_times_of_taints);
  tcase_add_test(cases, test_defaults_of_placements);
  tcase_add_test(cases, test_a_text_is_applied_whole_or_not);
  return cases;
}
