/* SPDX-License-Identifier: MIT */
/* Fed bindings, by the scheduler's decisions and the steps of failover. */
#include "manifest/store/requests.h"
#include "stores.h"

#define HEAD                                                                                                       \
  "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m}\nspec: {taints: [{key: k, effect: " \
  "NoExecute}]}\n---\napiVersion: work.karmada.io/v1alpha2\n"
#define APPLIED "policy.karmada.io/applied-placement: "
#define PLACEMENT "placement: {replicaScheduling: {replicaSchedulingType: Divided}}"
#define SAME APPLIED "'{\"replicaScheduling\":{\"replicaSchedulingType\":\"Divided\"}}'"
#define LABELS "labels: {propagationpolicy.karmada.io/permanent-id: p}"
#define BINDING(metadata, spec, status)                                                                        \
  HEAD "kind: ResourceBinding\nmetadata: {name: web, namespace: a, generation: 3, " metadata "}\nspec: {" spec \
       "}\nstatus: {" status "}\n"

/* A store fed into a fleet, and one call's result. */
struct fed {
  rebal_store *store;
  rebal_fleet *fleet;
  rebal_bindings *bindings;
  rebal_snapshot *snapshot;
  rebal_ctx *ctx;
  rebal_result *result;
};

static struct fed feed(const char *text) {
  struct fed fed = {store_of(text), NULL, NULL, NULL, NULL, NULL};
  rebal_error err = REBAL_ERROR_INIT;
  ck_assert_int_eq(rebal_fleet_new(NULL, &fed.fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_clusters(fed.store, fed.fleet, NULL, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_new(fed.fleet, NULL, &fed.bindings, NULL), REBAL_OK);
  ck_assert_msg(rebal_store_feed_bindings(fed.store, fed.fleet, NULL, 0, fed.bindings, &err) == REBAL_OK, "%s",
                err.message);
  ck_assert_int_eq(rebal_bindings_freeze(fed.bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_fleet_freeze(fed.fleet, &fed.snapshot, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_ctx_new(NULL, NULL, &fed.ctx, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_new(NULL, &fed.result, NULL), REBAL_OK);
  return fed;
}

static void fed_free(struct fed *fed) {
  rebal_result_free(fed->result);
  rebal_ctx_free(fed->ctx);
  rebal_snapshot_unref(fed->snapshot);
  rebal_bindings_free(fed->bindings);
  rebal_fleet_free(fed->fleet);
  rebal_store_free(fed->store);
}

static const struct {
  const char *text;
  int64_t reason;
} decisions[] = {
    {BINDING(LABELS ", annotations: {" SAME "}", PLACEMENT, ""), REBAL_REASON_DUPLICATED},
    {BINDING(LABELS ", annotations: {" SAME "}", PLACEMENT ", replicas: 1", ""), REBAL_REASON_REPLICAS},
    {BINDING(LABELS ", annotations: {" SAME "}",
             PLACEMENT ", replicas: 2, clusters: [{name: m}, {name: gone, "
                       "replicas: 2}]",
             ""),
     REBAL_REASON_NONE},
    {BINDING(LABELS, PLACEMENT ", replicas: 2, clusters: [{name: m, replicas: 2}]", ""), REBAL_REASON_PLACEMENT},
    {BINDING(LABELS ", annotations: {" APPLIED "'{}'}",
             PLACEMENT ", replicas: 2, clusters: [{name: m, replicas: "
                       "2}]",
             ""),
     REBAL_REASON_PLACEMENT},
    {BINDING(LABELS ", annotations: {" APPLIED "'{oops'}",
             PLACEMENT ", replicas: 2, clusters: [{name: m, "
                       "replicas: 2}]",
             ""),
     REBAL_REASON_NONE},
    {BINDING(LABELS ", annotations: {" SAME "}",
             PLACEMENT ", replicas: 2, clusters: [{name: m, replicas: 2}], "
                       "rescheduleTriggeredAt: '2026-01-02T00:00:00Z'",
             "lastScheduledTime: '2026-01-01T00:00:00Z'"),
     REBAL_REASON_RESCHEDULE},
    {BINDING(LABELS ", annotations: {" SAME "}",
             PLACEMENT ", replicas: 2, clusters: [{name: m, replicas: 2}], "
                       "rescheduleTriggeredAt: '2026-01-02T00:00:00Z'",
             "lastScheduledTime: '2026-01-03T00:00:00Z'"),
     REBAL_REASON_NONE},
    {BINDING(LABELS ", deletionTimestamp: '2026-01-01T00:00:00Z'", PLACEMENT, ""), REBAL_REASON_DELETING},
};

START_TEST(test_columns_decide) {
  struct fed fed = feed(decisions[_i].text);
  size_t n = 0;
  ck_assert_int_eq(rebal_decide(fed.ctx, fed.snapshot, fed.bindings, NULL, fed.result, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_result_i64(fed.result, REBAL_DECISION_REASON, &n)[0], decisions[_i].reason);
  ck_assert_uint_eq(n, 1);
  fed_free(&fed);
}
END_TEST

START_TEST(test_child_rows_are_counted) {
  struct fed fed = feed(BINDING("x: 1",
                                "clusters: [{name: a}, {name: b}], gracefulEvictionTasks: [{fromCluster: "
                                "c}], components: "
                                "[{name: x, replicas: 1, replicaRequirements: {}}]",
                                "aggregatedStatus: [{clusterName: a, health: Healthy, applied: true, status: {"
                                "readyReplicas: 2.5}}, "
                                "{clusterName: b, status: [x]}, {clusterName: c, status: {readyReplicas: many}}]"));
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(fed.bindings), REBAL_TABLE_BINDING, REBAL_NONE), 1);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(fed.bindings), REBAL_TABLE_TARGET, REBAL_NONE), 2);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(fed.bindings), REBAL_TABLE_TASK, REBAL_NONE), 1);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(fed.bindings), REBAL_TABLE_STATUS_ITEM, REBAL_NONE),
                    3);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(fed.bindings), REBAL_TABLE_COMPONENT, REBAL_NONE), 1);
  ck_assert_uint_ne(rebal_snapshot_find_cluster(fed.snapshot, "c", 1), REBAL_NONE);
  fed_free(&fed);
}
END_TEST

START_TEST(test_ready_replicas_are_numbers) {
  static const int64_t ready[] = {2, REBAL_ABSENT, REBAL_ABSENT, -3, REBAL_ABSENT};
  struct fed fed = feed(BINDING("x: 1", "clusters: []",
                                "aggregatedStatus: [{clusterName: a, status: {readyReplicas: 2.9}}, "
                                "{clusterName: b, status: {readyReplicas: many}}, {clusterName: c, status: [1]}, "
                                "{clusterName: d, status: {readyReplicas: -3}}, {clusterName: e, status: null}]"));
  for (uint32_t i = 0; i < sizeof ready / sizeof ready[0]; i++) {
    ck_assert_int_eq(
        rebal_cells_get_i64(rebal_bindings_const_cells(fed.bindings), REBAL_STATUS_ITEM_READY_REPLICAS, REBAL_NONE, i),
        ready[i]);
  }
  fed_free(&fed);
}
END_TEST

START_TEST(test_replicas_of_members_are_numbers) {
  static const int64_t replicas[] = {4, REBAL_ABSENT, 7};
  struct fed fed = feed(BINDING("x: 1", "clusters: []",
                                "aggregatedStatus: [{clusterName: a, status: {readyReplicas: 2, replicas: 4}}, "
                                "{clusterName: b, status: {readyReplicas: 2, replicas: x}}, "
                                "{clusterName: c, status: {replicas: 7}}]"));
  for (uint32_t i = 0; i < sizeof replicas / sizeof replicas[0]; i++) {
    ck_assert_int_eq(
        rebal_cells_get_i64(rebal_bindings_const_cells(fed.bindings), REBAL_STATUS_ITEM_REPLICAS, REBAL_NONE, i),
        replicas[i]);
  }
  fed_free(&fed);
}
END_TEST

#define MARKED(name, mark)                                                              \
  "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: " name \
  ", namespace: a, annotations: {" mark "}}\nspec: {}\n---\n"

START_TEST(test_the_mark_of_a_plan_is_an_annotation) {
  static const char *const marks[] = {"1 x", "", ""};
  struct fed fed = feed(MARKED("a", "librebalance/plan: '1 x'") MARKED("b", "librebalance/plan: ''")
                            MARKED("d", "librebalance: '1 x'"));
  for (uint32_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    ck_assert_str_eq(
        rebal_cells_get_text(rebal_bindings_const_cells(fed.bindings), REBAL_BINDING_PLAN_MARK, REBAL_NONE, i, NULL),
        marks[i]);
  }
  fed_free(&fed);
}
END_TEST

/* When the binding is read again, the mark is dropped with the annotation. */
START_TEST(test_a_mark_that_was_removed_is_gone) {
  const rebal_time now = time_of(NOW);
  struct fed fed = feed(MARKED("a", "librebalance/plan: '1 x'"));
  ck_assert_int_eq(
      rebal_store_patch(fed.store, rebal_store_find(fed.store, "ResourceBinding", 15, "a", 1, "a", 1),
                        "{metadata: {annotations: {librebalance/plan: null}}}", REBAL_TERMINATED, &now, NULL),
      REBAL_OK);
  rebal_bindings_reset(fed.bindings);
  ck_assert_int_eq(rebal_store_feed_bindings(fed.store, fed.fleet, NULL, 0, fed.bindings, NULL), REBAL_OK);
  ck_assert_str_eq(
      rebal_cells_get_text(rebal_bindings_const_cells(fed.bindings), REBAL_BINDING_PLAN_MARK, REBAL_NONE, 0, NULL), "");
  fed_free(&fed);
}
END_TEST

/* Objects of an API server do not have this time: the caller sets it. */
START_TEST(test_since_when_is_not_known_of_what_is_fed) {
  struct fed fed = feed(BINDING("x: 1", "clusters: []", "aggregatedStatus: [{clusterName: m, status: {replicas: 4}}]"));
  rebal_time since = {1, 1, 1};
  rebal_cells_get_time(rebal_bindings_const_cells(fed.bindings), REBAL_STATUS_ITEM_SINCE, REBAL_NONE, 0, &since);
  ck_assert_int_eq(since.is_set, 0);
  fed_free(&fed);
}
END_TEST

/* Carries out a turn of the scheduler with component sets; returns its patches of spec, rendered. */
static void schedule_components(struct fed *fed, rebal_text *out) {
  const rebal_time now = time_of(NOW);
  rebal_schedule_opts opts = {.struct_size = sizeof opts};
  rebal_compat *compat = NULL;
  size_t n = 0;
  const int64_t *kinds;
  ck_assert_int_eq(rebal_compat_new(NULL, &compat, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_compat_set(compat, REBAL_OPTION_GATE_MULTIPLE_POD_TEMPLATES, 1, NULL), REBAL_OK);
  opts.compat = compat;
  ck_assert_int_eq(rebal_scheduler_step(fed->ctx, fed->snapshot, fed->bindings, &now, &opts, fed->result, NULL),
                   REBAL_OK);
  kinds = rebal_result_i64(fed->result, REBAL_ACTION_KIND, &n);
  for (size_t i = 0; i < n; i++) {
    if (kinds[i] == REBAL_ACTION_KIND_PATCH_SPEC) {
      ck_assert_int_eq(rebal_store_render_action(NULL, fed->result, i, NULL, out, NULL, NULL), REBAL_OK);
    }
    ck_assert_int_eq(rebal_store_carry_out(fed->store, fed->result, i, &now, NULL, NULL), REBAL_OK);
  }
  rebal_compat_free(compat);
}

/* The scheduler reads the components that it wrote, and does not write them again. */
START_TEST(test_components_of_targets) {
  static const char text[] =
      "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\nmetadata: {name: m}\nstatus: {apiEnablements: "
      "[{groupVersion: batch/v1, resources: [{kind: Job}]}], resourceSummary: {allocatable: {pods: 9}}}\n---\n"
      "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: job, namespace: a, " LABELS
      "}\nspec: {resource: {apiVersion: batch/v1, kind: Job, namespace: a, name: job}, placement: {spreadConstraints: "
      "[{spreadByField: cluster, minGroups: 1, maxGroups: 1}]}, components: [{name: driver, replicas: 1}, {name: "
      "worker, replicas: 2}]}\n";
  struct fed fed = feed(text);
  rebal_text *out = NULL;
  ck_assert_int_eq(rebal_text_new(&out, NULL), REBAL_OK);
  schedule_components(&fed, out);
  ck_assert_str_eq(rebal_text_bytes(out, NULL),
                   "{\"spec\":{\"clusters\":[{\"name\":\"m\",\"components\":[{\"name\":\"driver\",\"replicas\":1},"
                   "{\"name\":\"worker\",\"replicas\":2}]}]}}");
  rebal_bindings_reset(fed.bindings);
  ck_assert_int_eq(rebal_store_feed_bindings(fed.store, fed.fleet, NULL, 0, fed.bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_freeze(fed.bindings, NULL), REBAL_OK);
  rebal_text_reset(out);
  schedule_components(&fed, out);
  ck_assert_int_eq(rebal_result_i64(fed.result, REBAL_DECISION_OUTCOME, NULL)[0], REBAL_OUTCOME_SCHEDULED);
  ck_assert_str_eq(rebal_text_bytes(out, NULL), "");
  rebal_text_free(out);
  fed_free(&fed);
}
END_TEST

/* The one action of the graceful-eviction step on a binding, rendered. */
static void assert_assessed(const char *text, const char *patch) {
  struct fed fed = feed(text);
  const rebal_time now = time_of(NOW);
  rebal_text *out = NULL;
  size_t n = 0;
  ck_assert_int_eq(rebal_text_new(&out, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_graceful_eviction_step(fed.ctx, fed.snapshot, fed.bindings, &now, NULL, fed.result, NULL),
                   REBAL_OK);
  if (rebal_result_count(fed.result, REBAL_TABLE_ACTION) > 0 &&
      rebal_result_i64(fed.result, REBAL_ACTION_KIND, &n)[0] == REBAL_ACTION_KIND_PATCH_SPEC) {
    ck_assert_int_eq(rebal_store_render_action(NULL, fed.result, 0, NULL, out, NULL, NULL), REBAL_OK);
  }
  ck_assert_str_eq(rebal_text_bytes(out, NULL), patch);
  rebal_text_free(out);
  fed_free(&fed);
}

START_TEST(test_tasks_come_and_go_whole) {
  assert_assessed(BINDING("x: 1",
                          "gracefulEvictionTasks: [{fromCluster: c, purgeMode: Gracefully, replicas: 0, "
                          "reason: R, message: M, "
                          "producer: P, gracePeriodSeconds: 700, suppressDeletion: true, "
                          "preservedLabelState: {l: v}, "
                          "clustersBeforeFailover: [c]}], clusters: [{name: m}]",
                          ""),
                  "{\"spec\":{\"gracefulEvictionTasks\":[{\"fromCluster\":\"c\",\"purgeMode\":\"Gracefully\","
                  "\"replicas\":0,\"reason\":"
                  "\"R\",\"message\":\"M\",\"producer\":\"P\",\"gracePeriodSeconds\":700,\"suppressDeletion\":true,"
                  "\"preservedLabelState\":{\"l\":\"v\"},\"creationTimestamp\":\"2026-03-14T09:00:00Z\","
                  "\"clustersBeforeFailover\":["
                  "\"c\"]}]}}");
  assert_assessed(BINDING("x: 1",
                          "clusters: [{name: m}], gracefulEvictionTasks: [{fromCluster: c, creationTimestamp: "
                          "'2026-03-14T08:59:00Z'}]",
                          "schedulerObservedGeneration: 3, aggregatedStatus: [{clusterName: m, health: Healthy}]"),
                  "{\"spec\":{\"gracefulEvictionTasks\":null}}");
  assert_assessed(BINDING("x: 1",
                          "clusters: [{name: m}], gracefulEvictionTasks: [{fromCluster: c, creationTimestamp: "
                          "'2026-03-14T08:59:00Z'}]",
                          "schedulerObservedGeneration: 3, aggregatedStatus: [{clusterName: m, health: Unknown}]"),
                  "");
}
END_TEST

START_TEST(test_objects_are_fed_in_the_order_given) {
  static const char text[] =
      "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\nmetadata: {name: web, "
      "namespace: a}\n---\n"
      "apiVersion: work.karmada.io/v1alpha2\nkind: ClusterResourceBinding\nmetadata: {name: "
      "x}\n---\n"
      "apiVersion: v1\nkind: Node\nmetadata: {name: x}\n";
  const uint32_t order[] = {1, 0, 1}, node[] = {2}, none[] = {9};
  struct fed fed = feed(text);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(fed.bindings), REBAL_TABLE_BINDING, REBAL_NONE), 2);
  rebal_bindings_reset(fed.bindings);
  ck_assert_int_eq(rebal_store_feed_bindings(fed.store, fed.fleet, order, 3, fed.bindings, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(fed.bindings), REBAL_TABLE_BINDING, REBAL_NONE), 3);
  ck_assert_int_eq(rebal_store_feed_bindings(fed.store, fed.fleet, node, 1, fed.bindings, NULL), REBAL_EINVAL);
  ck_assert_int_eq(rebal_store_feed_bindings(fed.store, fed.fleet, none, 1, fed.bindings, NULL), REBAL_ENOTFOUND);
  ck_assert_int_eq(rebal_store_feed_bindings(fed.store, NULL, NULL, 0, fed.bindings, NULL), REBAL_EINVAL);
  fed_free(&fed);
}
END_TEST

/* The first version of the API has no placement. */
START_TEST(test_first_version_is_kept_and_not_fed) {
  const char *const text =
      "apiVersion: work.karmada.io/v1alpha1\nkind: ResourceBinding\nmetadata: {name: b, namespace: a}\n"
      "spec: {resource: {apiVersion: apps/v1, kind: Deployment, name: w, replicas: 2}}\n";
  rebal_store *store = store_of(text);
  rebal_fleet *fleet = NULL;
  rebal_bindings *bindings = NULL;
  const uint32_t object = find(store, "ResourceBinding", "a", "b");
  assert_member(store, object, "spec.resource.replicas", "2");
  ck_assert_int_eq(rebal_fleet_new(NULL, &fleet, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_bindings_new(fleet, NULL, &bindings, NULL), REBAL_OK);
  ck_assert_int_eq(rebal_store_feed_bindings(store, fleet, NULL, 0, bindings, NULL), REBAL_OK);
  ck_assert_uint_eq(rebal_cells_count(rebal_bindings_const_cells(bindings), REBAL_TABLE_BINDING, REBAL_NONE), 0);
  ck_assert_int_eq(rebal_store_feed_bindings(store, fleet, &object, 1, bindings, NULL), REBAL_EINVAL);
  rebal_bindings_free(bindings);
  rebal_fleet_free(fleet);
  rebal_store_free(store);
}
END_TEST

UNIT_CASE(binding) {
  TCase *cases = tcase_create("binding");
  tcase_add_loop_test(cases, test_columns_decide, 0, (int)COUNT(decisions));
  tcase_add_test(cases, test_child_rows_are_counted);
  tcase_add_test(cases, test_ready_replicas_are_numbers);
  tcase_add_test(cases, test_replicas_of_members_are_numbers);
  tcase_add_test(cases, test_the_mark_of_a_plan_is_an_annotation);
  tcase_add_test(cases, test_a_mark_that_was_removed_is_gone);
  tcase_add_test(cases, test_since_when_is_not_known_of_what_is_fed);
  tcase_add_test(cases, test_components_of_targets);
  tcase_add_test(cases, test_tasks_come_and_go_whole);
  tcase_add_test(cases, test_objects_are_fed_in_the_order_given);
  tcase_add_test(cases, test_first_version_is_kept_and_not_fed);
  return cases;
}
