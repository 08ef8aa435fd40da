/* SPDX-License-Identifier: MIT */
/* Fed clusters, by the results of the scheduler's filters. */
#include "stores.h"

#define BINDING                                                                                                 \
  "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: web, namespace: a}\n"          \
  "spec: {replicas: 1, resource: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: a}, placement: " \
  "{clusterAffinity: {labelSelector: {matchLabels: {tier: gold}}, fieldSelector: {matchExpressions: "           \
  "[{key: region, operator: In, values: [eu]}, {key: provider, operator: In, values: [p]}, "                    \
  "{key: zone, operator: In, values: [eu-1]}]}}}}\n"
#define CLUSTER(name, labels, spec, api)                                                                     \
  "---\napiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: " name ", labels: {" labels \
  "}}\nspec: {" spec "}\nstatus: {apiEnablements: [{groupVersion: " api ", resources: [{kind: Deployment}]}]}\n"
#define GOOD "region: eu, provider: p, zones: [eu-1]"

static void feed(rebal_store *store, rebal_fleet *fleet) {
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_msg(rebal_store_feed_clusters(store, fleet, NULL, &err) == REBAL_OK, "%s", err.message);
}

/* The plugins that reject the binding in each cluster, by name: "1,0". Fleet rows of no cluster have none. */
static void assert_rejections(rebal_store *store, rebal_fleet *fleet, const char *wanted) {
  rebal_bindings *bindings = NULL;
  rebal_snapshot *snapshot = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  const int64_t *rejected;
  char found[128] = "";
  size_t n = 0;
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_bindings(store, fleet, NULL, 0, bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_filter(ctx, snapshot, bindings, NULL, result, NULL), REBAL_OK);
  rejected = rebal_result_i64(result, REBAL_VERDICT_REJECTED_BY, &n);
  for (size_t i = 0; i < n; i++) {
    (void)snprintf(found + strlen(found), sizeof found - strlen(found), "%s%d", i > 0 ? "," : "", (int)rejected[i]);
  }
  ck_assert_str_eq(found, wanted);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_snapshot_unref(snapshot);
  rebal_bindings_free(bindings);
}

START_TEST(test_clusters_become_rows) {
  rebal_store *store =
      store_of(BINDING CLUSTER("a", "tier: gold", GOOD, "apps/v1") CLUSTER("b", "tier: tin", GOOD, "apps/v1")
                   CLUSTER("c", "tier: gold", GOOD ", taints: [{key: k, effect: NoSchedule}]", "apps/v1")
                       CLUSTER("d", "tier: gold", GOOD, "apps/v2") CLUSTER("e", "tier: gold",
                                                                           "region: us, provider: p, "
                                                                           "zones: [eu-1]",
                                                                           "apps/v1")
                           CLUSTER("f", "tier: gold", "region: eu, provider: q, zones: [eu-1]", "apps/v1")
                               CLUSTER("g", "tier: gold", "region: eu, provider: p, zones: [eu-2]", "apps/v1"));
  rebal_fleet *fleet = NULL;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  feed(store, fleet);
  assert_rejections(store, fleet, "0,2,16,1,2,2,2");
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_feeding_again_changes_adds_and_removes) {
  rebal_store *store = store_of(BINDING);
  rebal_fleet *fleet = NULL;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  apply(store,
        CLUSTER("a", "tier: gold", GOOD ", taints: [{key: k, effect: NoSchedule}]", "apps/v1")
            CLUSTER("b", "tier: tin", GOOD, "apps/v1"),
        NOW);
  feed(store, fleet);
  assert_rejections(store, fleet, "16,2");
  apply(store, CLUSTER("a", "tier: gold", GOOD, "apps/v1") CLUSTER("c", "", GOOD, "apps/v1"), LATER);
  ck_assert_int_eq(rebal_store_remove(store, find(store, "Cluster", "", "b"), NULL), REBAL_OK);
  feed(store, fleet);
  assert_rejections(store, fleet, "0,2");
  apply(store, "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: a}\n", LATER);
  feed(store, fleet);
  assert_rejections(store, fleet, "2,2");
  ck_assert_int_eq(rebal_store_feed_clusters(store, NULL, NULL, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_feed_clusters(NULL, fleet, NULL, NULL), REBAL_EINVAL);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_the_generation_is_read) {
  rebal_store *store = store_of(
      "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m, "
      "generation: 7}\n");
  rebal_fleet *fleet = NULL;
  rebal_snapshot *snapshot = NULL;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  feed(store, fleet);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_cells_get_i64(rebal_snapshot_cells(snapshot), REBAL_CLUSTER_GENERATION, REBAL_NONE, 0), 7);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

/* Replicas that fit in the cluster m with this status. */
static int64_t estimate(const char *status) {
  char text[512];
  rebal_store *store;
  rebal_fleet *fleet = NULL;
  rebal_snapshot *snapshot = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  rebal_builder *builder = NULL;
  const rebal_record *record = NULL;
  uint32_t handle = 0;
  int64_t replicas;
  size_t n = 0;
  (void)snprintf(text, sizeof text,
                 "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: "
                 "m}\n%s\n",
                 status);
  store = store_of(text);
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  feed(store, fleet);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_start(builder, REBAL_OBJECT_REQUIREMENTS, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_finish(builder, &record, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_intern(fleet, record, &handle, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_estimate(ctx, snapshot, handle, NULL, result, NULL), REBAL_OK);
  replicas = rebal_result_i64(result, REBAL_ESTIMATE_REPLICAS, &n)[0];
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_snapshot_unref(snapshot);
  rebal_builder_free(builder);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
  return replicas;
}

START_TEST(test_the_summary_is_read) {
  ck_assert_int_eq(estimate("status: {resourceSummary: {allocatable: {pods: 110}, allocated: {pods: \"30\"}, "
                            "allocating: {pods: 5}}}"),
                   75);
  ck_assert_int_eq(estimate("status: {resourceSummary: {allocatable: {pods: 1e2}}}"), 100);
  ck_assert_int_eq(estimate(""), 0);
}
END_TEST

/* Carries out the actions of a step; the store's clusters are those of the step. */
static void carry_out_all(rebal_store *store, const rebal_result *result, const rebal_time *now) {
  for (size_t i = 0; i < rebal_result_count(result, REBAL_TABLE_ACTION); i++) {
    ck_assert_int_eq(rebal_store_carry_out(store, result, i, now, NULL, NULL), REBAL_OK);
  }
}

/* One turn of the cluster controller, or of the policies when there are any. */
static void taint(rebal_store *store, const rebal_record *policy) {
  const rebal_time now = time_of(NOW);
  rebal_fleet *fleet = NULL;
  rebal_snapshot *snapshot = NULL;
  rebal_ctx *ctx = NULL;
  rebal_result *result = NULL;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  feed(store, fleet);
  ck_assert_int_eq(rebal_fleet_freeze(fleet, &snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(policy == NULL ? rebal_condition_taints_step(ctx, snapshot, &now, NULL, result, NULL)
                                  : rebal_taint_policies_step(ctx, snapshot, &policy, 1, &now, NULL, result, NULL),
                   REBAL_OK);
  carry_out_all(store, result, &now);
  rebal_result_free(result);
  rebal_ctx_free(ctx);
  rebal_snapshot_unref(snapshot);
  rebal_fleet_free(fleet);
}

#define TAINTED(status, taints)                                                   \
  "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m}\n" \
  "spec: {syncMode: Push, taints: [" taints                                       \
  "]}\nstatus: {conditions: [{type: Ready, status: "                              \
  "'" status "', lastTransitionTime: '" NOW "', reason: r, message: ''}]}\n"

START_TEST(test_conditions_become_taints) {
  rebal_store *store = store_of(TAINTED("Unknown", ""));
  taint(store, NULL);
  assert_member(store, 0, "spec.taints",
                "[{\"key\":\"cluster.karmada.io/unreachable\",\"effect\":\"NoSchedule\",\"timeAdded\":\"" NOW "\"}]");
  assert_member(store, 0, "spec.syncMode", "Push");
  rebal_store_free(store);
  store = store_of(TAINTED("True", "{key: cluster.karmada.io/unreachable, effect: NoSchedule}"));
  taint(store, NULL);
  assert_member(store, 0, "spec.taints", "");
  assert_member(store, 0, "status.conditions[0].reason", "r");
  rebal_store_free(store);
}
END_TEST

START_TEST(test_policies_become_taints) {
  rebal_store *store = store_of(TAINTED(
      "False", "") "---\napiVersion: policy.karmada.io/v1alpha1\nkind: ClusterTaintPolicy\n"
                   "metadata: {name: down}\nspec:\n  targetClusters: {clusterNames: [m]}\n"
                   "  addOnConditions: [{conditionType: Ready, operator: In, "
                   "statusValues: ['False']}]\n"
                   "  taints: [{key: down, value: v, effect: NoExecute}]\n");
  rebal_builder *builder = NULL;
  const rebal_record *policy = NULL;
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, find(store, "ClusterTaintPolicy", "", "down"), builder, &policy, NULL),
                   REBAL_OK);
  taint(store, policy);
  assert_member(store, find(store, "Cluster", "", "m"), "spec.taints",
                "[{\"key\":\"down\",\"value\":\"v\",\"effect\":\"NoExecute\",\"timeAdded\":\"" NOW "\"}]");
  rebal_builder_free(builder);
  rebal_store_free(store);
}
END_TEST

START_TEST(test_a_policy_is_checked) {
  static const char text[] =
      "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterTaintPolicy\nmetadata: {name: down}\n"
      "spec: {addOnConditions: [{conditionType: 5}]}\n";
  rebal_error err = REBAL_ERROR_INIT;
  rebal_store *store = store_new();
  ck_assert_int_eq(rebal_store_load(store, text, strlen(text), &err), REBAL_EPARSE);
  ck_assert_str_eq(err.field, "spec.addOnConditions[0].conditionType");
  rebal_store_free(store);
}
END_TEST

/* A quota is read as a record, and what the check writes goes into the object. */
START_TEST(test_a_federated_quota_keeps_count) {
  static const char text[] =
      "apiVersion: policy.karmada.io/v1alpha1\nkind: FederatedResourceQuota\nmetadata: {name: q, namespace: shop}\n"
      "spec: {overall: {cpu: 2, memory: 1Gi}}\nstatus: {overall: {cpu: 2}, overallUsed: {cpu: 1, memory: 5}}\n---\n"
      "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: web, namespace: shop}\n"
      "spec: {resource: {apiVersion: apps/v1, kind: Deployment, name: web, namespace: shop}, replicas: 2,\n"
      "  replicaRequirements: {resourceRequest: {cpu: 500m}}, clusters: [{name: m, replicas: 2}]}\n";
  const rebal_time now = time_of(NOW);
  rebal_store *store = store_of(text);
  rebal_fleet *fleet = NULL;
  rebal_bindings *bindings = NULL;
  rebal_builder *builder = NULL;
  rebal_result *result = NULL;
  const rebal_record *quota = NULL;
  const rebal_federated_quota_opts opts = {.struct_size = sizeof opts, .quotas = &quota, .n_quotas = 1};
  rebal_ctx *ctx = NULL;
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_builder_new(NULL, &builder, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_record(store, find(store, "FederatedResourceQuota", "shop", "q"), builder, &quota, NULL),
                   REBAL_OK);
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_bindings(store, fleet, NULL, 0, bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_federated_quota_check(ctx, bindings, 0, &opts, result, NULL), REBAL_OK);
  carry_out_all(store, result, &now);
  assert_member(store, find(store, "FederatedResourceQuota", "shop", "q"), "status",
                "{\"overall\":{\"cpu\":2},\"overallUsed\":{\"cpu\":\"2\",\"memory\":\"5\"}}");
  rebal_result_free(result);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
  rebal_builder_free(builder);
  rebal_ctx_free(ctx);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(cluster) {
  TCase *cases = tcase_create("cluster");
  tcase_add_test(cases, test_clusters_become_rows);
  tcase_add_test(cases, test_the_generation_is_read);
  tcase_add_test(cases, test_feeding_again_changes_adds_and_removes);
  tcase_add_test(cases, test_the_summary_is_read);
  tcase_add_test(cases, test_conditions_become_taints);
  tcase_add_test(cases, test_policies_become_taints);
  tcase_add_test(cases, test_a_policy_is_checked);
  tcase_add_test(cases, test_a_federated_quota_keeps_count);
  return cases;
}
